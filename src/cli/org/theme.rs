//! `chartroom org theme`: manages the themes of organizations.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use crate::app::App;
use crate::cli::context::print;
use crate::cli::user::join_lines;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::themes;
use crate::features::orgs::themes::StoredTheme;
use crate::features::orgs::themes::ThemeBody;
use crate::features::orgs::themes::ThemeView;
use crate::features::portfolio;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::json_body;

/// Maximum size of a file with a theme in bytes. The background has at most 64 KiB.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Subcommands of `chartroom org theme`. ORG is an id or a slug.
#[derive(Debug, Subcommand)]
pub enum ThemeCommand {
    /// List the themes of an organization
    List { org: String },
    /// Print a theme as JSON
    Show { org: String, name: String },
    /// Create or replace a theme with the JSON fields of the API. Absent fields have the values of
    /// the built-in default theme
    Put {
        org: String,
        name: String,
        /// File with the JSON object, or - for the standard input
        file: PathBuf,
    },
    /// Delete a theme. Documents with it are shown in the default theme
    Delete { org: String, name: String },
    /// Choose the theme of new documents: a theme of the organization, or a built-in one such as light
    Default { org: String, name: String },
}

impl ThemeCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    ///
    /// # Errors
    /// `NotFound` without such an organization or theme. `InvalidFields` for a file that is not a
    /// theme, and the errors of the operation.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::List { org } => list(app, &org, json),
            Self::Show { org, name } => {
                let (org, theme) = app.db.read(|tx| {
                    let org = orgs::find_org(tx, &org)?;
                    let theme = themes::find_theme(tx, &org, &name)?;
                    Ok((org, theme))
                })?;
                let value = to_json(app, &org, theme, None)?;
                print(json, &value, serde_json::to_string_pretty(&value)?)
            }
            Self::Put { org, name, file } => put(app, &org, &name, &file, json),
            Self::Delete { org, name } => {
                let deleted = name.clone();
                app.db.write_with_reserve(move |tx| {
                    themes::delete_theme(tx, &orgs::find_org(tx, &org)?, &deleted)
                })?;
                let value = json!({ "name": name, "deleted": true });
                print(json, &value, format!("{name} is deleted"))
            }
            Self::Default { org, name } => set_default(app, org, name, json),
        }
    }
}

/// Prints the themes of an organization.
fn list(app: &App, org: &str, json: bool) -> Result<()> {
    let (org, all) = app.db.read(|tx| {
        let org = orgs::find_org(tx, org)?;
        let all = themes::list_themes(tx, &org)?;
        Ok((org, all))
    })?;
    let mut entries = Vec::new();
    for theme in all {
        entries.push(to_json(app, &org, theme, None)?);
    }
    let line = |entry: &Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let mark = if text("id") == org.default_theme { " (default)" } else { "" };
        format!("{:<24} {}{mark}", text("name"), text("title"))
    };
    let lines = join_lines(entries.iter().map(line));
    print(json, &json!(entries), lines)
}

/// Creates or replaces the theme with this name, and prints it with its warnings.
fn put(app: &App, org: &str, name: &str, file: &Path, json: bool) -> Result<()> {
    let mut body: ThemeBody = json_body::parse_json(&read_file(file)?)?;
    let org = app.db.read(|tx| orgs::find_org(tx, org))?;
    // Themes can name fonts of the data directory.
    portfolio::load_fonts(&app.config.data_dir)?;
    body.set_name(name);
    let name = body.parse_name()?;
    let theme = body.check(app, &org, name)?;
    let (id, warnings) = (org.id.clone(), theme.warnings.clone());
    let stored = app.db.write(move |tx| {
        let org = orgs::find_org(tx, id.as_str())?;
        match themes::find_theme(tx, &org, &theme.name) {
            Err(Error::NotFound(_)) => themes::create_theme(tx, &org.id, &org, &theme),
            Err(error) => Err(error),
            Ok(_) => themes::update_theme(tx, &org.id, &org, &theme),
        }
    })?;
    let saved = format!("{} is saved", stored.name);
    let lines = warnings.iter().map(|warning| format!("warning: {warning}"));
    let text = join_lines([saved].into_iter().chain(lines));
    print(json, &to_json(app, &org, stored, Some(warnings))?, text)
}

/// Chooses the default theme: the theme of the organization with this name, or else a built-in one.
fn set_default(app: &App, org: String, name: String, json: bool) -> Result<()> {
    let org = app.db.write(move |tx| {
        let org = orgs::find_org(tx, &org)?;
        let id = match themes::find_theme(tx, &org, &name) {
            Err(Error::NotFound(_)) => name.clone(),
            Err(error) => return Err(error),
            Ok(theme) => themes::theme_id(&org, &theme.name),
        };
        let slug = org.slug.clone();
        orgs::change_org(tx, org, None, Some(id))?;
        orgs::find_org(tx, &slug)
    })?;
    let value = json!({ "default_theme": org.default_theme });
    print(json, &value, format!("the default theme is {}", org.default_theme))
}

/// Reads a file with a theme, or the standard input for `-`.
///
/// # Errors
/// `InvalidFields` for a file that cannot be read or is too large.
fn read_file(file: &Path) -> Result<Vec<u8>> {
    let fail = |reason: String| Error::invalid_field("file", reason);
    let mut content = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut content)
    } else {
        let open = File::open(file);
        open.and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_end(&mut content))
    };
    read.map_err(|error| fail(format!("{} cannot be read: {error}", file.display())))?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(fail(format!("must have at most {MAX_FILE_BYTES} bytes")));
    }
    Ok(content)
}

/// Returns the JSON object of a theme, with the fields of the API.
fn to_json(
    app: &App,
    org: &Org,
    theme: StoredTheme,
    warnings: Option<Vec<String>>,
) -> Result<Value> {
    let view = ThemeView::new(org, theme, &app.config.base_url, warnings)?;
    Ok(serde_json::to_value(view)?)
}
