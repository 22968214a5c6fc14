//! Creating, changing and deleting themes. The caller of these functions has already checked access.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::contrast;
use super::contrast::ContrastProblem;
use super::org_theme::LoadedTheme;
use super::org_theme::OrgTheme;
use super::rules;
use super::store;
use super::store::StoredTheme;
use crate::app::App;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs::Org;
use crate::features::orgs::actions as orgs;
use crate::features::portfolio;
use chartroom_charts::Theme;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::memory_budget::ReserveError;

/// Maximum time that a check of a theme waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A checked theme to store.
#[derive(Debug, Clone)]
pub struct CheckedTheme {
    /// Name, unique in the organization.
    pub name: String,
    /// JSON object with all fields.
    pub content: Value,
    /// Problems that do not prevent saving, as sentences for people.
    pub warnings: Vec<String>,
}

/// The problems of a theme that do not prevent saving.
pub struct ThemeWarnings {
    /// Problems with assets and fonts, as sentences.
    pub others: Vec<String>,
    /// Colors with too little contrast.
    pub contrast: Vec<ContrastProblem>,
}

/// Finds the problems of a theme that do not prevent saving: missing or unsuitable assets, missing
/// fonts and colors with too little contrast.
///
/// Call it without an open transaction, because it decodes the logo and may wait for memory.
///
/// # Errors
/// `TooLarge` if the assets take too much memory. `Busy` if other work holds it for too long. `Internal` if the database cannot be read.
pub fn find_warnings(app: &App, org: &Org, content: &Value) -> Result<Vec<String>> {
    let ThemeWarnings { others, contrast } =
        find_loaded_warnings(app, &load_theme(app, org, content)?)?;
    Ok(others.into_iter().chain(contrast.iter().map(ToString::to_string)).collect())
}

/// Does the same as [`find_warnings`] for a theme with its logo. Later renders of the theme do not
/// decode the logo again.
///
/// # Errors
/// As [`find_warnings`].
pub fn find_loaded_warnings(app: &App, loaded: &LoadedTheme) -> Result<ThemeWarnings> {
    let theme = parse_theme(app, loaded)?;
    let contrast = contrast::find_contrast_problems(&theme);
    Ok(ThemeWarnings { others: theme.warnings, contrast })
}

/// Returns the main colors of the logo of a theme, at most `max`, as CSS colors. Empty without a
/// logo, and for a logo without colors.
///
/// Call it without an open transaction, because it decodes the logo and may wait for memory.
///
/// # Errors
/// As [`find_warnings`].
pub fn find_logo_colors(app: &App, org: &Org, content: &Value, max: usize) -> Result<Vec<String>> {
    let theme = parse_theme(app, &load_theme(app, org, content)?)?;
    let colors = theme.logo.map(|logo| logo.main_colors(max)).unwrap_or_default();
    Ok(colors.iter().map(ToString::to_string).collect())
}

/// Reads the logo of a theme, which does not need to be stored.
///
/// # Errors
/// `Internal` if the database cannot be read.
pub fn load_theme(app: &App, org: &Org, content: &Value) -> Result<LoadedTheme> {
    app.db.read(|tx| OrgTheme::new(tx, &org.id, content.to_string())?.load(tx))
}

/// Loads the fonts of a theme and parses it, within the memory budget of the server.
fn parse_theme(app: &App, loaded: &LoadedTheme) -> Result<Theme> {
    let bytes = loaded.estimate_memory();
    let reservation = app.work_memory.reserve(bytes, MAX_WAIT);
    let _reservation = reservation.map_err(|error| match error {
        ReserveError::ExceedsTotal => {
            Error::TooLarge("the logo and the fonts of the theme take too much memory".to_owned())
        }
        ReserveError::Timeout => Error::Busy,
    })?;
    loaded.load_fonts(app)?;
    Ok(loaded.to_theme())
}

/// Creates a theme. `author` is the account that creates it, or the organization for the operator.
///
/// # Errors
/// `Conflict` if the name is in use or the organization has too many themes.
pub fn create_theme(
    tx: &WriteTx<'_>,
    author: &AccountId,
    org: &Org,
    theme: &CheckedTheme,
) -> Result<StoredTheme> {
    let CheckedTheme { name, content, .. } = theme;
    if store::find_theme(tx, &org.id, name)?.is_some() {
        let text = format!("a theme named {name:?} already exists");
        return Err(Error::field_conflict("name", text));
    }
    if store::count_themes(tx, &org.id)? >= rules::MAX_THEMES {
        let text = format!("{} already has {} themes, the maximum", org.name, rules::MAX_THEMES);
        return Err(Error::Conflict(text));
    }
    store::insert_theme(tx, &org.id, name, &content.to_string(), author)?;
    let stored = find_theme(tx, org, name)?;
    record(tx, org, "theme.create", &stored)?;
    Ok(stored)
}

/// Replaces the content of a theme. The same content changes nothing. `author` as in [`create_theme`].
///
/// # Errors
/// `NotFound` without such a theme.
pub fn update_theme(
    tx: &WriteTx<'_>,
    author: &AccountId,
    org: &Org,
    theme: &CheckedTheme,
) -> Result<StoredTheme> {
    let (old, content) = (find_theme(tx, org, &theme.name)?, theme.content.to_string());
    if old.content == content {
        return Ok(old);
    }
    store::update_theme(tx, &org.id, &theme.name, &content, author)?;
    let stored = find_theme(tx, org, &theme.name)?;
    record(tx, org, "theme.change", &stored)?;
    Ok(stored)
}

/// Deletes a theme. Documents keep its name and are rendered in the default theme. If it was the
/// default theme of the organization, that becomes the built-in default theme.
///
/// # Errors
/// `NotFound` without such a theme.
pub fn delete_theme(tx: &WriteTx<'_>, org: &Org, name: &str) -> Result<()> {
    let theme = find_theme(tx, org, name)?;
    store::delete_theme(tx, &org.id, name)?;
    if org.default_theme == theme_id(org, name) {
        let default_theme = portfolio::DEFAULT_THEME.to_owned();
        orgs::save_org(tx, org, &Org { default_theme, ..org.clone() }, "org.change")?;
    }
    record(tx, org, "theme.delete", &theme)
}

/// Records a change of a theme in the audit log.
fn record(tx: &WriteTx<'_>, org: &Org, action: &'static str, theme: &StoredTheme) -> Result<()> {
    let content: Value = serde_json::from_str(&theme.content)?;
    let title = content["title"].as_str().unwrap_or(&theme.name);
    let target = EventTarget::new("theme", theme_id(org, &theme.name), title);
    audit::record(tx, &org.id, action, &target, &json!({}))
}

/// Returns the id by which documents name a theme.
pub fn theme_id(org: &Org, name: &str) -> String {
    format!("{}/{name}", org.id)
}

/// Returns a theme of an organization.
///
/// # Errors
/// `NotFound` without such a theme.
pub fn find_theme(tx: &Tx<'_>, org: &Org, name: &str) -> Result<StoredTheme> {
    store::find_theme(tx, &org.id, name)?.or_not_found("theme")
}

/// Returns the themes of an organization, by name.
pub fn list_themes(tx: &Tx<'_>, org: &Org) -> Result<Vec<StoredTheme>> {
    store::list_themes(tx, &org.id)
}
