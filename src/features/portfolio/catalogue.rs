//! The catalogue: what the folders under `assets/kinds` say of each chart kind.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use chartroom_charts::Kind;
use chartroom_platform::assets;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::text;

/// What a column of a kind's records holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Any text; numbers are fine as labels too.
    Text,
    /// A number.
    Number,
    /// A day or a moment.
    Date,
    /// True or false.
    Boolean,
    /// A CSS colour.
    Color,
}

/// One column of a kind's records.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Column {
    /// Its key in a record.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// What it is for: `label`, `value`, `series`, `x` and so on.
    pub role: String,
    /// Whether a record says nothing without it.
    pub required: bool,
    /// Whether any number of further columns of this sort may follow, under keys of their own.
    pub repeats: bool,
}

/// The texts of a kind as `kind.json` has them.
#[derive(Debug, Deserialize)]
struct KindFile {
    id: String,
    slug: String,
    title: String,
    summary: String,
    description: String,
    categories: Vec<String>,
    tags: Vec<String>,
    aliases: Vec<String>,
    version: u32,
    default_layout: Value,
    data_columns: Value,
    settings_schema: Value,
    #[serde(default)]
    form: Value,
    default_settings: Value,
}

/// The example of a kind as `sample.json` has it.
#[derive(Debug, Deserialize)]
pub struct Sample {
    /// Title of the picture.
    pub title: String,
    /// Settings, an object.
    pub settings: Value,
    /// Records.
    pub data: Vec<Value>,
    /// Style, an object.
    #[serde(default)]
    pub style: Value,
}

/// One chart kind, described.
pub struct KindInfo {
    /// How it is drawn.
    pub kind: &'static Kind,
    /// Its UUID.
    pub id: String,
    /// Its short name, accepted wherever the id is.
    pub slug: String,
    /// Its name.
    pub title: String,
    /// One sentence, at most 120 characters.
    pub summary: String,
    /// A few sentences.
    pub description: String,
    /// Where it stands in the catalogue.
    pub categories: Vec<String>,
    /// Words for the search.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Counts changes of the kind.
    pub version: u32,
    /// Width, height and margin of a new document in points.
    pub default_layout: Value,
    /// The columns, read.
    pub columns: Vec<Column>,
    /// The columns as they stand in the file.
    pub data_columns: Value,
    /// JSON Schema of the settings.
    pub settings_schema: Value,
    /// Groups of setting names for a form.
    pub form: Value,
    /// Settings of a new document.
    pub default_settings: Value,
    /// The example.
    pub sample: Sample,
    /// The icon, SVG of 48 by 48 points.
    pub icon: &'static [u8],
    /// The folded words of each text that is searched, with the weight of a hit in it.
    pub(super) words: Vec<(u32, Vec<String>)>,
}

/// All kinds, in the order of the list of what can be drawn.
pub fn kinds() -> &'static [KindInfo] {
    &catalogue().kinds
}

/// A kind by its UUID or slug.
pub fn find(id: &str) -> Option<&'static KindInfo> {
    kinds().iter().find(|kind| kind.id == id || kind.slug == id)
}

/// Fails when a kind that can be drawn has no readable folder, or a folder no kind.
pub fn check() -> Result<()> {
    let problems = &catalogue().problems;
    if problems.is_empty() { Ok(()) } else { Err(Error::internal(problems.join("; "))) }
}

struct Catalogue {
    kinds: Vec<KindInfo>,
    problems: Vec<String>,
}

fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(load)
}

fn load() -> Catalogue {
    let mut catalogue = Catalogue { kinds: Vec::new(), problems: Vec::new() };
    for kind in chartroom_charts::kinds() {
        match read(kind) {
            Ok(info) => catalogue.kinds.push(info),
            Err(problem) => catalogue.problems.push(format!("kind {}: {problem}", kind.slug)),
        }
    }
    let folders = assets::ASSETS.get_dir("kinds").into_iter().flat_map(|it| it.dirs());
    for folder in folders {
        let slug = folder.path().file_name().unwrap_or_default().to_string_lossy();
        if chartroom_charts::find_kind(&slug).is_none() {
            catalogue.problems.push(format!("assets/kinds/{slug} belongs to no kind"));
        }
    }
    catalogue
}

fn read(kind: &'static Kind) -> std::result::Result<KindInfo, String> {
    let bytes = |name: &str| {
        let path = format!("kinds/{}/{name}", kind.slug);
        assets::file(&path).ok_or_else(|| format!("assets/{path} is missing"))
    };
    let file: KindFile = serde_json::from_slice(bytes("kind.json")?)
        .map_err(|error| format!("kind.json: {error}"))?;
    let sample: Sample = serde_json::from_slice(bytes("sample.json")?)
        .map_err(|error| format!("sample.json: {error}"))?;
    let columns: Vec<Column> = serde_json::from_value(file.data_columns.clone())
        .map_err(|error| format!("data_columns: {error}"))?;
    if file.slug != kind.slug {
        return Err(format!("kind.json calls itself {}", file.slug));
    }
    let words = words(&file);
    Ok(KindInfo {
        kind,
        id: file.id,
        slug: file.slug,
        title: file.title,
        summary: file.summary,
        description: file.description,
        categories: file.categories,
        tags: file.tags,
        aliases: file.aliases,
        version: file.version,
        default_layout: file.default_layout,
        columns,
        data_columns: file.data_columns,
        settings_schema: file.settings_schema,
        form: file.form,
        default_settings: file.default_settings,
        sample,
        icon: bytes("icon.svg")?,
        words,
    })
}

/// What is searched, the heaviest first.
fn words(file: &KindFile) -> Vec<(u32, Vec<String>)> {
    vec![
        (16, text::words(&format!("{} {}", file.title, file.slug))),
        (8, text::words(&file.aliases.join(" "))),
        (4, text::words(&file.tags.join(" "))),
        (2, text::words(&file.categories.join(" "))),
        (1, text::words(&format!("{} {}", file.summary, file.description))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_folder_and_every_folder_its_kind() {
        assert_eq!(catalogue().problems, Vec::<String>::new());
        assert!(!kinds().is_empty());
    }

    #[test]
    fn a_kind_is_found_by_slug_and_by_id() {
        let bar = find("bar").unwrap();
        assert!(std::ptr::eq(find(&bar.id).unwrap(), bar));
        assert!(find("no-such-kind").is_none());
    }
}
