//! The pages of a new theme and of an existing theme, with a preview.

use askama::Template;
use hyper::StatusCode;
use serde_json::Value;

use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::theme_form;
use super::theme_form::ColorField;
use super::theme_form::FIELDS;
use super::theme_form::FontFields;
use super::theme_preview;
use super::theme_preview::Preview;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::assets;
use crate::features::orgs::assets::Asset;
use crate::features::orgs::themes;
use crate::features::orgs::themes::CheckedTheme;
use crate::features::orgs::themes::ThemeFields;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Name in the path of the page for a new theme. No theme can have it, because names start with a
/// letter or a digit.
const NEW: &str = "_new";
/// Maximum number of colors that are taken from a logo.
const MAX_LOGO_COLORS: usize = 6;

/// Key of the explanation of a form of a theme that does not exist any more.
const DELETED: &str = "org-themes.deletedMeanwhile";

/// The page of a theme.
#[derive(Template)]
#[template(path = "org-theme.html")]
struct ThemePage<'a> {
    frame: Frame,
    title: String,
    /// Path of the page.
    path: String,
    /// Whether the theme is not stored yet.
    is_new: bool,
    /// Whether the form has values that are not stored.
    is_unsaved: bool,
    form: &'a Form,
    colors: Vec<ColorField>,
    single_colors: Vec<ColorField>,
    fonts: Vec<FontFields>,
    /// Names of the font families of the organization.
    families: Vec<String>,
    /// Filenames of images, and that of the form.
    logos: Vec<String>,
    positions: [&'static str; 4],
    /// Time of the last change of the theme that the form shows.
    updated: String,
    preview: &'a Preview,
    /// Result of the last action as a sentence, or an empty text.
    message: &'a str,
    problem: &'a Problem,
}

/// The content of the page.
#[derive(Default)]
struct Editor {
    form: Form,
    problem: Problem,
    preview: Preview,
    message: String,
    is_unsaved: bool,
}

/// Handles `GET /orgs/{org}/themes/_new`, for brand managers and admins.
pub fn new_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let mut editor = Editor::default();
    if let Some(org) = find_designed_org(request, caller)? {
        let content = ThemeFields::default().to_content("")?;
        editor.form = theme_form::from_content(&content, "");
        editor.preview = theme_preview::render(request.app, &org, &content, true)?;
    }
    show_page(request, caller, NEW, &editor)
}

/// Handles `POST /orgs/{org}/themes/_new`, for brand managers and admins: creates a theme.
pub fn create(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    match create_theme(request, caller, &form) {
        Ok(name) => frame::redirect(request, &format!("/themes/{name}"), "theme-created"),
        Err(error) => show_error(request, caller, NEW, form, error),
    }
}

/// Creates the theme that a form describes, and returns its name.
fn create_theme(request: &RequestContext, caller: &User, form: &Form) -> Result<String> {
    let (org, caller) = (request.param::<String>("org")?, caller.clone());
    let found =
        request.app.db.read(|tx| orgs::require_role(tx, &org, &caller.id, Role::BrandManager))?;
    let (name, content) = theme_form::to_new_theme(form)?;
    let theme = check_theme(request, &found, name.clone(), content)?;
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        themes::create_theme(tx, &caller.id, &org, &theme).map(drop)
    })?;
    Ok(name)
}

/// Handles `GET /orgs/{org}/themes/{name}`, for brand managers and admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name: String = request.param("name")?;
    let mut editor = Editor::default();
    if let Some(org) = find_designed_org(request, caller)? {
        let stored = request.app.db.read(|tx| themes::find_theme(tx, &org, &name))?;
        let content: Value = serde_json::from_str(&stored.content)?;
        editor.form = theme_form::from_content(&content, &stored.updated.to_string());
        editor.preview = theme_preview::render(request.app, &org, &content, true)?;
    }
    show_page(request, caller, &name, &editor)
}

/// Handles `POST /orgs/{org}/themes/{name}`, for brand managers and admins: replaces a theme.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let name: String = request.param("name")?;
    match save_theme(request, caller, &form, &name) {
        Ok(()) => frame::redirect(request, &format!("/themes/{name}"), "theme-saved"),
        Err(Error::NotFound("theme")) if was_stored(&form) => {
            let form = form.with_values("name", vec![name]);
            let text = language::text(DELETED).to_owned();
            show_error(request, caller, NEW, form, Error::Conflict(text))
        }
        Err(error) => show_error(request, caller, &name, form, error),
    }
}

/// Returns whether the theme was stored when the form was shown.
fn was_stored(form: &Form) -> bool {
    form.text("updated").is_some()
}

/// Replaces a theme by that of a form.
///
/// # Errors
/// `Conflict` if the theme has changed since the form was shown.
fn save_theme(request: &RequestContext, caller: &User, form: &Form, name: &str) -> Result<()> {
    let (org, caller) = (request.param::<String>("org")?, caller.clone());
    let found = request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        themes::find_theme(tx, &org, name)?;
        Ok(org)
    })?;
    let content = theme_form::to_content(form, name)?;
    let theme = check_theme(request, &found, name.to_owned(), content)?;
    let shown = form.value("updated").to_owned();
    // The writer has no language.
    let changed_meanwhile = language::text("org-themes.changedMeanwhile");
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        if themes::find_theme(tx, &org, &theme.name)?.updated.to_string() != shown {
            return Err(Error::Conflict(changed_meanwhile.to_owned()));
        }
        themes::update_theme(tx, &caller.id, &org, &theme).map(drop)
    })
}

/// Checks the logo and the fonts of a theme, which decodes them.
///
/// # Errors
/// The errors of [`themes::find_warnings`].
fn check_theme(
    request: &RequestContext,
    org: &Org,
    name: String,
    content: Value,
) -> Result<CheckedTheme> {
    let warnings = themes::find_warnings(request.app, org, &content)?;
    Ok(CheckedTheme { name, content, warnings })
}

/// Handles `POST /orgs/{org}/themes/{name}/preview`, for brand managers and admins: shows the page
/// with the values of the form and their preview, and stores nothing. With the field `step` of
/// `logo-colors`, first takes colors from the logo.
pub fn preview(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    let (org, is_deleted) = request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        match themes::find_theme(tx, &org, &name) {
            _ if name == NEW => Ok((org, false)),
            Err(Error::NotFound(_)) if was_stored(&form) => Ok((org, true)),
            stored => stored.map(|_| (org, false)),
        }
    })?;
    let (form, name, text) = match is_deleted {
        true => {
            let text = form::sentence(language::text(DELETED));
            (form.with_values("name", vec![name]), NEW.to_owned(), text)
        }
        false => (form, name, String::new()),
    };
    match build_preview(request, &org, &name, form.clone()) {
        Ok(mut editor) => {
            editor.problem.text = text;
            show_page(request, caller, &name, &editor)
        }
        Err(error) => show_error(request, caller, &name, form, error),
    }
}

/// Handles `GET /orgs/{org}/themes/{name}/preview`, for all members of the organization: redirects
/// to the page of the theme, because a browser shows this address after a preview.
pub fn preview_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    let org = request.app.db.read(|tx| orgs::find_membership(tx, &org, &caller.id))?.org;
    Response::see_other(&format!("/orgs/{}/themes/{}", org.slug, assets::encode_filename(&name)))
}

/// Returns the content of the page with the values of a form and their preview.
fn build_preview(request: &RequestContext, org: &Org, name: &str, form: Form) -> Result<Editor> {
    let mut content = theme_form::to_content(&form, name)?;
    let mut editor = Editor { form, is_unsaved: true, ..Editor::default() };
    if editor.form.value("step") == "logo-colors" {
        let colors = themes::find_logo_colors(request.app, org, &content, MAX_LOGO_COLORS)?;
        editor.message = describe_logo_colors(editor.form.value("logo"), &colors);
        if !colors.is_empty() {
            editor.form = theme_form::with_logo_colors(editor.form, &colors);
            content = theme_form::to_content(&editor.form, name)?;
        }
    }
    editor.preview = theme_preview::render(request.app, org, &content, false)?;
    Ok(editor)
}

/// Describes the colors that are taken from a logo, as sentences.
fn describe_logo_colors(logo: &str, colors: &[String]) -> String {
    let text = match (logo, colors) {
        ("", _) => language::fill("org-themes.chooseLogo"),
        (_, []) => language::fill("org-themes.noLogoColors"),
        _ => language::fill("org-themes.logoColors").with("count", colors.len()),
    };
    text.with("logo", logo).into()
}

/// Returns the organization in the path if the caller may edit its themes or see them in the editor.
/// None for a lower role.
///
/// # Errors
/// `NotFound` if the organization does not exist or the caller is not a member.
fn find_designed_org(request: &RequestContext, caller: &User) -> Result<Option<Org>> {
    let org: String = request.param("org")?;
    let Membership { org, role } =
        request.app.db.read(|tx| orgs::find_membership(tx, &org, &caller.id))?;
    Ok((role >= Role::BrandManager).then_some(org))
}

/// Shows the page with the values of a form and its errors. After a conflict, the values are valid
/// and have a preview.
///
/// # Errors
/// Returns errors that the person cannot correct in the form.
fn show_error(
    request: &RequestContext,
    caller: &User,
    name: &str,
    form: Form,
    error: Error,
) -> Result<Response> {
    let problem = Problem::from_error(error, FIELDS)?;
    let mut editor = Editor { form, problem, is_unsaved: true, ..Editor::default() };
    if editor.problem.status == StatusCode::CONFLICT
        && let Some(org) = find_designed_org(request, caller)?
        && let Ok(content) = theme_form::to_content(&editor.form, name)
    {
        editor.preview = theme_preview::render(request.app, &org, &content, false)?;
    }
    show_page(request, caller, name, &editor)
}

/// Shows the page of the theme with this name, or of a new theme.
fn show_page(
    request: &RequestContext,
    caller: &User,
    name: &str,
    editor: &Editor,
) -> Result<Response> {
    let Editor { form, problem, preview, message, is_unsaved } = editor;
    let build = |tx: &Tx<'_>, view: OrgView| {
        let stored = (name != NEW).then(|| themes::find_theme(tx, &view.org, name)).transpose()?;
        let updated = match (problem.status, &stored) {
            // Saving again replaces the other changes.
            (StatusCode::CONFLICT, Some(stored)) => stored.updated.to_string(),
            _ => form.value("updated").to_owned(),
        };
        let all = assets::list_assets(tx, &view.org.id)?;
        Ok(ThemePage {
            title: match &stored {
                Some(stored) => title_of(&serde_json::from_str(&stored.content)?, name),
                None => language::text("org-themes.newTheme").to_owned(),
            },
            path: format!("{}/themes/{name}", view.frame.home),
            is_new: stored.is_none(),
            is_unsaved: *is_unsaved,
            form,
            colors: theme_form::color_rows(form, problem),
            single_colors: theme_form::single_colors(form, problem),
            fonts: theme_form::font_fields(form, problem),
            families: list_families(&all),
            logos: list_logos(&all, form.value("logo")),
            positions: themes::LOGO_POSITIONS,
            updated,
            preview,
            message,
            problem,
            frame: view.frame,
        })
    };
    frame::show_for(request, caller, Section::Themes, Role::BrandManager, problem, build)
}

/// Returns the title of a theme, or its name if it has none.
pub fn title_of(content: &Value, name: &str) -> String {
    content["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(name).to_owned()
}

/// Returns the font families of the assets, each once.
fn list_families(assets: &[Asset]) -> Vec<String> {
    let mut families: Vec<String> =
        assets.iter().filter_map(|asset| asset.family.clone()).collect();
    families.sort();
    families.dedup();
    families
}

/// Returns the filenames of the images, and the chosen filename if it is not one of them.
fn list_logos(assets: &[Asset], chosen: &str) -> Vec<String> {
    let images = assets.iter().filter(|asset| !asset.asset_type.is_font());
    let mut logos: Vec<String> = images.map(|asset| asset.filename.clone()).collect();
    if !chosen.is_empty() && !logos.iter().any(|logo| logo == chosen) {
        logos.push(chosen.to_owned());
    }
    logos
}
