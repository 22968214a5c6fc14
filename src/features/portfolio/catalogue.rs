//! The catalogue of chart kinds, read from the folders under `assets/kinds`.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use super::kind_texts::GermanTexts;
use super::setting_ui;
use super::setting_ui::SettingHints;
use super::synonyms;
use chartroom_charts::Kind;
use chartroom_platform::assets;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::language;
use chartroom_platform::language::Language;
use chartroom_platform::text;

/// Type of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Text. Numbers are accepted as labels too.
    Text,
    /// A number.
    Number,
    /// A date or a time.
    Date,
    /// True or false.
    Boolean,
    /// A CSS color.
    Color,
}

/// One column of the data of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Column {
    /// Key in a record.
    pub key: String,
    /// Name for people, in the language of the kind.
    pub title: String,
    /// Name for people, in German.
    #[serde(skip)]
    pub german_title: String,
    /// Type of the values.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// Role in the chart: `label`, `value`, `series`, `x` and so on.
    pub role: String,
    /// Whether a record without this value cannot be rendered.
    pub required: bool,
    /// Whether any number of similar columns may follow, under other keys.
    pub repeats: bool,
    /// Other headings of the column in tables, in English and German. Case, accents and punctuation
    /// do not count.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Number of `synonyms`, from the first one, that are in `kind.json`. The
    /// others are common to all kinds.
    #[serde(skip)]
    pub own_synonyms: usize,
    /// Setting that contains the name of the column in the chart, such as `xTitle`.
    #[serde(default)]
    pub title_setting: Option<String>,
}

impl Column {
    /// Returns the name for people in the language of the request.
    pub fn local_title(&self) -> &str {
        match language::current() {
            Language::English => &self.title,
            Language::German => &self.german_title,
        }
    }
}

/// Tables that suit a kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableFit {
    /// How well the kind suits a table that meets all conditions, 0 to 1.
    pub prior: f64,
    /// Smallest and largest number of records that are easy to read.
    pub records: (usize, usize),
    /// Smallest and largest number of series that are easy to read.
    #[serde(default)]
    pub series: Option<(usize, usize)>,
    /// Keys of columns, one of which must be mapped by name. Without it, the kind is a guess.
    #[serde(default)]
    pub named: Vec<String>,
    /// Properties that the table must have.
    #[serde(default)]
    pub needs: Vec<TableProperty>,
    /// Properties that speak for the kind.
    #[serde(default)]
    pub prefers: Vec<TableProperty>,
    /// Whether the records follow each other in time, so that a table with
    /// months as headings has to be transposed.
    #[serde(default)]
    pub has_time_axis: bool,
}

/// A property of a table that is mapped to a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableProperty {
    /// The last value of a column is the total of the others.
    ClosingTotal,
    /// The values of a column fall from record to record.
    Descending,
    /// The columns of numbers are too different for one axis.
    DifferentScales,
    /// The records fill a large part of the grid of two columns of names.
    FilledGrid,
    /// There are many numbers and few names, or none.
    Measurements,
    /// The label is mapped by name.
    NamedLabel,
    /// A column of totals is mapped by name.
    NamedTotal,
    /// The columns of numbers are mapped by name.
    NamedValues,
    /// Each label belongs to one of several groups.
    NestedNames,
    /// The column `region` has names of countries or of their regions.
    Places,
    /// No number is left over.
    NoValues,
    /// No value is negative.
    Parts,
    /// The headings of the series are dates or periods.
    PeriodHeadings,
    /// All values are ranks, or the headings are periods.
    Ranks,
    /// The series of each record add up to 100 % or 1.
    RowShares,
    /// The columns of numbers can share one axis.
    SameScale,
    /// All values are whole numbers from 0 to 4.
    #[serde(rename = "scale_0_4")]
    ScaleOfFour,
    /// The values of a column add up to 100 % or 1, or have percent signs.
    Shares,
    /// There are positive and negative values.
    Signs,
    /// The headings of the series are steps of an answer scale.
    SurveyHeadings,
    /// The labels are dates or periods.
    Time,
    /// A column has ends or durations.
    Spans,
    /// There are no columns of numbers, apart from ids.
    Texts,
    /// Two columns of numbers have periods or `before` and `after` as headings.
    TwoPeriods,
}

/// Contents of `kind.json`.
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
    table_fit: TableFit,
    settings_schema: Value,
    #[serde(default)]
    form: Value,
    ui: SettingHints,
    default_settings: Value,
}

/// Example of a kind, the contents of `sample.json`.
#[derive(Debug, Default, Deserialize)]
pub struct Sample {
    /// Title of the chart.
    pub title: String,
    /// Settings, an object.
    pub settings: Value,
    /// Data records.
    pub data: Vec<Value>,
    /// Style, an object.
    #[serde(default)]
    pub style: Value,
}

/// One chart kind with its texts in one language, schema and sample.
pub struct KindInfo {
    /// Renderer of the kind.
    pub kind: &'static Kind,
    /// UUID.
    pub id: String,
    /// Short name, accepted wherever the id is.
    pub slug: String,
    /// Name.
    pub title: String,
    /// One sentence, at most 120 characters.
    pub summary: String,
    /// A few sentences.
    pub description: String,
    /// Categories in the catalogue.
    pub categories: Vec<String>,
    /// Search terms.
    pub tags: Vec<String>,
    /// Other names. Those in German include the English ones.
    pub aliases: Vec<String>,
    /// Counter of changes to the kind.
    pub version: u32,
    /// Width, height and margin of a new document, in points.
    pub default_layout: Value,
    /// Parsed columns.
    pub columns: Vec<Column>,
    /// Columns as JSON, as in the file, with the common synonyms.
    pub data_columns: Value,
    /// Tables that suit the kind.
    pub table_fit: TableFit,
    /// JSON Schema of the settings.
    pub settings_schema: Value,
    /// Groups of setting names, for a form.
    pub form: Value,
    /// Hints for the form by the path of a setting, with the common ones.
    pub ui: SettingHints,
    /// Settings of a new document.
    pub default_settings: Value,
    /// Example, read when it is needed first.
    sample: OnceLock<Sample>,
    /// Icon, an SVG of 48 by 48 points.
    pub icon: &'static [u8],
    search_terms: OnceLock<Vec<(u32, Vec<String>)>>,
}

impl KindInfo {
    /// Returns the kind with its texts in the language of the request.
    pub fn localized(&'static self) -> &'static Self {
        self.in_language(language::current())
    }

    /// Returns the kind with its texts in a language.
    fn in_language(&'static self, language: Language) -> &'static Self {
        kinds_in(language).iter().find(|kind| kind.slug == self.slug).unwrap_or(self)
    }

    /// Returns title and aliases in all languages, English first and each once.
    pub fn all_names(&'static self) -> Vec<&'static str> {
        let kinds = Language::ALL.iter().map(|language| self.in_language(*language));
        let names = kinds.flat_map(|kind| [&kind.title].into_iter().chain(&kind.aliases));
        let mut seen = HashSet::new();
        names.map(String::as_str).filter(|name| seen.insert(*name)).collect()
    }

    /// Builds the kind with German texts from the one with English texts.
    fn to_german(&self) -> Self {
        let texts = GermanTexts::read(&self.slug);
        let translate = |value: &Value, change: fn(&GermanTexts, &mut Value)| {
            let mut translated = value.clone();
            change(&texts, &mut translated);
            translated
        };
        let mut columns = self.columns.clone();
        columns.iter_mut().for_each(|column| column.title.clone_from(&column.german_title));
        let mut ui = self.ui.clone();
        texts.translate_hints(&mut ui);
        let names = texts.aliases.iter().chain([&self.title]).chain(&self.aliases);
        Self {
            kind: self.kind,
            id: self.id.clone(),
            slug: self.slug.clone(),
            title: texts.translate(&self.title),
            summary: texts.translate(&self.summary),
            description: texts.translate(&self.description),
            categories: texts.translate_all(&self.categories),
            tags: texts.translate_all(&self.tags),
            aliases: names.cloned().collect(),
            version: self.version,
            default_layout: self.default_layout.clone(),
            columns,
            data_columns: translate(&self.data_columns, GermanTexts::translate_titles),
            table_fit: self.table_fit.clone(),
            settings_schema: translate(&self.settings_schema, GermanTexts::translate_schema),
            form: translate(&self.form, GermanTexts::translate_titles),
            ui,
            default_settings: self.default_settings.clone(),
            sample: OnceLock::new(),
            icon: self.icon,
            search_terms: OnceLock::new(),
        }
    }

    /// Returns the example of the kind. It is empty if its file is not valid,
    /// see [`check_catalogue`].
    pub fn sample(&self) -> &Sample {
        self.sample.get_or_init(|| read_sample(&self.slug).unwrap_or_default())
    }

    /// Returns the folded words of each searched text with the weight of a
    /// match, highest weight first.
    pub(super) fn search_terms(&self) -> &[(u32, Vec<String>)] {
        self.search_terms.get_or_init(|| collect_search_terms(self))
    }
}

/// Returns the kinds with a readable folder, in the order of the renderer's list of kinds. Their texts
/// are English.
pub fn kinds() -> &'static [KindInfo] {
    &catalogue().kinds
}

/// Returns the kinds like [`kinds`], with their texts in the language of the request.
pub fn localized_kinds() -> &'static [KindInfo] {
    kinds_in(language::current())
}

/// Returns the kinds like [`kinds`], with their texts in a language.
fn kinds_in(language: Language) -> &'static [KindInfo] {
    static GERMAN: LazyLock<Vec<KindInfo>> =
        LazyLock::new(|| kinds().iter().map(KindInfo::to_german).collect());
    match language {
        Language::English => kinds(),
        Language::German => &GERMAN,
    }
}

/// Returns the kind with this UUID or slug in exactly this spelling, or None. Its texts are English.
pub fn find_kind(id: &str) -> Option<&'static KindInfo> {
    kinds().iter().find(|kind| kind.id == id || kind.slug == id)
}

/// Checks that every kind that can be rendered has a readable folder with a
/// valid example, and that every folder belongs to a kind.
///
/// # Errors
/// `Internal` with all problems.
pub fn check_catalogue() -> Result<()> {
    let mut problems = catalogue().problems.clone();
    let samples = kinds().iter().filter_map(|kind| read_sample(&kind.slug).err());
    problems.extend(samples);
    if problems.is_empty() { Ok(()) } else { Err(Error::internal(problems.join("; "))) }
}

/// The loaded kinds, and problems found while loading.
struct Catalogue {
    kinds: Vec<KindInfo>,
    problems: Vec<String>,
}

/// Returns the catalogue, which the first call loads.
fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(load_catalogue)
}

/// Reads the folder of each kind that can be rendered. Leaves out kinds that cannot be read, and
/// records a problem for each of them and for each folder without a kind.
fn load_catalogue() -> Catalogue {
    let mut catalogue = Catalogue { kinds: Vec::new(), problems: Vec::new() };
    for kind in chartroom_charts::kinds() {
        match read_kind(kind) {
            Ok(info) => catalogue.kinds.push(info),
            Err(problem) => catalogue.problems.push(format!("kind {}: {problem}", kind.slug)),
        }
    }
    let folders = assets::ASSETS.get_dir("kinds").into_iter().flat_map(|folder| folder.dirs());
    for folder in folders {
        let slug = folder.path().file_name().unwrap_or_default().to_string_lossy();
        if chartroom_charts::find_kind(&slug).is_none() {
            catalogue.problems.push(format!("assets/kinds/{slug} does not belong to a kind"));
        }
    }
    catalogue
}

/// Reads the folder of a kind, except its example. Adds the common synonyms to the columns, and the
/// common hints to the settings.
///
/// # Errors
/// A message if a file is missing or invalid, or the slug in `kind.json` is a different one.
fn read_kind(kind: &'static Kind) -> std::result::Result<KindInfo, String> {
    let file: KindFile = serde_json::from_slice(read_file(kind.slug, "kind.json")?)
        .map_err(|error| format!("kind.json: {error}"))?;
    let own_columns = parse_columns(&file.data_columns)?;
    let mut data_columns = file.data_columns;
    synonyms::add_common_synonyms(&mut data_columns)?;
    let mut columns = parse_columns(&data_columns)?;
    let german = GermanTexts::read(kind.slug);
    for (column, own) in columns.iter_mut().zip(own_columns) {
        column.own_synonyms = own.synonyms.len();
        column.german_title = german.translate(&column.title);
    }
    if file.slug != kind.slug {
        return Err(format!(
            "kind.json has the slug {}, which is not the name of its folder",
            file.slug
        ));
    }
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
        data_columns,
        table_fit: file.table_fit,
        ui: setting_ui::merge_common_hints(&file.settings_schema, file.ui)?,
        settings_schema: file.settings_schema,
        form: file.form,
        default_settings: file.default_settings,
        sample: OnceLock::new(),
        icon: read_file(kind.slug, "icon.svg")?,
        search_terms: OnceLock::new(),
    })
}

/// Returns a file in the folder of a kind. The files are embedded in the program.
///
/// # Errors
/// A message if it is missing.
fn read_file(slug: &str, name: &str) -> std::result::Result<&'static [u8], String> {
    let path = format!("kinds/{slug}/{name}");
    assets::embedded_file(&path).ok_or_else(|| format!("assets/{path} is missing"))
}

/// Reads the example of a kind.
///
/// # Errors
/// A message if the file is missing or invalid.
fn read_sample(slug: &str) -> std::result::Result<Sample, String> {
    serde_json::from_slice(read_file(slug, "sample.json")?)
        .map_err(|error| format!("kind {slug}: sample.json: {error}"))
}

/// Parses the columns of a kind. `data_columns` is a JSON array of columns.
///
/// # Errors
/// A message if they are invalid.
fn parse_columns(data_columns: &Value) -> std::result::Result<Vec<Column>, String> {
    Vec::deserialize(data_columns).map_err(|error| format!("data_columns: {error}"))
}

/// Returns the folded words of five groups of texts with their weights, highest first: title and
/// slug, aliases, tags, categories, summary and description.
fn collect_search_terms(kind: &KindInfo) -> Vec<(u32, Vec<String>)> {
    vec![
        (16, text::fold_words(&format!("{} {}", kind.title, kind.slug))),
        (8, text::fold_words(&kind.aliases.join(" "))),
        (4, text::fold_words(&kind.tags.join(" "))),
        (2, text::fold_words(&kind.categories.join(" "))),
        (1, text::fold_words(&format!("{} {}", kind.summary, kind.description))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_folder_and_every_folder_has_a_kind() {
        check_catalogue().unwrap();
        assert!(!kinds().is_empty());
    }

    #[test]
    fn kind_is_found_by_slug_and_by_id() {
        let bar = find_kind("bar").unwrap();
        assert!(std::ptr::eq(find_kind(&bar.id).unwrap(), bar));
        assert!(find_kind("no-such-kind").is_none());
    }
}
