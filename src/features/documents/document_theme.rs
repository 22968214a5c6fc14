//! Themes of organizations in documents: which theme a document is rendered with, and who may choose
//! it.
//!
//! A document is rendered with the rights of its owner: in a theme of the organization that owns it,
//! or, if a user owns it, of an organization that the user belongs to. Callers choose a theme, for a
//! document or an image, only from organizations that they belong to, so that nobody sees the theme
//! of a foreign organization by naming it.

use super::render_options::RenderOptions;
use super::store::Document;
use crate::features::access::Caller;
use crate::features::orgs::themes;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use crate::features::portfolio;
use chartroom_charts::Theme;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Returns the theme of an organization that a document is rendered with. None if it has a built-in
/// or a custom theme, or one that does not exist or that its owner may not use.
pub fn find_document_theme(tx: &Tx<'_>, document: &Document) -> Result<Option<OrgTheme>> {
    match document.custom_theme {
        None => themes::find_usable_theme(tx, &document.owner, &document.theme),
        Some(_) => Ok(None),
    }
}

/// Returns the theme of an organization for an image of a document: that of the document, or the one
/// that `options` name instead.
///
/// # Errors
/// `InvalidFields` about `theme` if `options` name a theme of an organization that the caller does
/// not belong to, unless it is the theme of the document.
pub fn find_image_theme(
    tx: &Tx<'_>,
    caller: &Caller,
    document: &Document,
    options: &RenderOptions,
) -> Result<Option<OrgTheme>> {
    match options.theme.as_deref() {
        None => find_document_theme(tx, document),
        Some(theme) if !themes::is_theme_id(theme) => Ok(None),
        Some(theme) if *theme == document.theme => {
            themes::find_usable_theme(tx, &document.owner, theme)
        }
        Some(theme) => find_chosen_theme(tx, caller, theme).map(Some),
    }
}

/// Returns the theme of an organization that a caller chooses by its id `{org id}/{name}`.
///
/// # Errors
/// `InvalidFields` about `theme` if there is no such theme in an organization of the caller. This
/// is also the error for a built-in theme and for a caller who is not signed in.
pub fn find_chosen_theme(tx: &Tx<'_>, caller: &Caller, theme: &str) -> Result<OrgTheme> {
    let found = match &caller.user {
        Some(user) => themes::find_usable_theme(tx, &user.id, theme)?,
        None => None,
    };
    found.ok_or_else(|| Error::invalid_field("theme", themes::missing_theme_message(theme)))
}

/// Checks that a caller may change the theme of a document from that of `old` to that of `new`. The
/// stored theme can always stay, also if it does not exist any more.
///
/// # Errors
/// `InvalidFields` about `theme` if the new theme belongs to an organization, and the caller or the
/// owner of the document may not use it.
pub fn check_theme_change(
    tx: &Tx<'_>,
    caller: &Caller,
    old: &Document,
    new: &Document,
) -> Result<()> {
    let theme = new.theme.as_str();
    if theme == old.theme || !themes::is_theme_id(theme) {
        return Ok(());
    }
    find_chosen_theme(tx, caller, theme)?;
    match themes::find_usable_theme(tx, &new.owner, theme)? {
        Some(_) => Ok(()),
        None => Err(Error::invalid_field("theme", themes::missing_theme_message(theme))),
    }
}

/// Returns whether a theme is built in, or belongs to an organization that lets `account` use it.
pub fn is_usable(tx: &Tx<'_>, account: &AccountId, theme: &str) -> Result<bool> {
    Ok(portfolio::find_theme(theme).is_some()
        || themes::find_usable_theme(tx, account, theme)?.is_some())
}

/// Returns `org_theme` if there is one, else the theme of the options, else the custom theme of the
/// document, else its named theme. Falls back to the default theme, with a warning, if the named
/// theme does not exist.
///
/// # Errors
/// `Internal` if the custom theme cannot be parsed.
pub fn resolve_theme(
    document: &Document,
    options: &RenderOptions,
    org_theme: Option<&LoadedTheme>,
) -> Result<Theme> {
    match org_theme {
        Some(theme) => Ok(theme.to_theme()),
        None => resolve_general_theme(document, options),
    }
}

/// Returns the theme for the colors and the background of a document, without logo and fonts if it
/// is `org_theme`. See [`resolve_theme`].
pub fn resolve_colors(
    document: &Document,
    options: &RenderOptions,
    org_theme: Option<&OrgTheme>,
) -> Result<Theme> {
    match org_theme {
        Some(theme) => theme.to_theme_without_assets(),
        None => resolve_general_theme(document, options),
    }
}

/// Returns the theme of a document that is not rendered in a theme of an organization.
fn resolve_general_theme(document: &Document, options: &RenderOptions) -> Result<Theme> {
    if let (None, Some(custom)) = (&options.theme, &document.custom_theme) {
        return Ok(Theme::parse_with_fonts(&serde_json::from_str(custom)?, portfolio::fonts()));
    }
    let name = options.theme.as_deref().unwrap_or(&document.theme);
    if let Some(named) = portfolio::find_theme(name) {
        return Ok(named.theme.clone());
    }
    let default = portfolio::find_theme(portfolio::DEFAULT_THEME).or_not_found("theme")?;
    let mut theme = default.theme.clone();
    theme.warnings.push(format!(
        "The theme {name:?} does not exist, or the owner of the document may not use it. The \
         default theme is used instead."
    ));
    Ok(theme)
}
