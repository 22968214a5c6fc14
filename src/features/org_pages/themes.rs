//! The gallery of themes, the choice of the default theme, and the deletion of a theme.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_SECURITY_POLICY;
use serde_json::Value;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::theme;
use super::theme_form;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::documents;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::assets;
use crate::features::orgs::assets::Asset;
use crate::features::orgs::themes;
use crate::features::orgs::themes::OrgTheme;
use crate::features::orgs::themes::StoredTheme;
use crate::features::portfolio;
use chartroom_charts::Theme;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::language;

/// Chart kind of the image of each theme.
const SAMPLE_KIND: &str = "grouped-column";
/// Media type of the image.
const SVG: &str = "image/svg+xml";

/// The gallery.
#[derive(Template)]
#[template(path = "org-themes.html")]
struct ThemesPage<'a> {
    frame: Frame,
    title: &'static str,
    themes: Vec<ThemeCard>,
    /// Maximum number of themes.
    max_themes: u32,
    /// Title of the default theme.
    default_title: String,
    /// Whether the default theme of the organization is that of the server.
    has_builtin_default: bool,
    /// Id of the default theme of the server.
    builtin_default: &'static str,
    problem: &'a Problem,
}

/// A theme in the gallery.
struct ThemeCard {
    id: String,
    name: String,
    title: String,
    is_default: bool,
    /// Colors of series as `#rrggbb`.
    colors: Vec<String>,
    /// Problems as sentences.
    warnings: Vec<String>,
}

impl ThemeCard {
    /// Describes a theme. `assets` are those of the organization.
    fn new(org: &Org, stored: &StoredTheme, assets: &[Asset]) -> Result<Self> {
        let mut content: Value = serde_json::from_str(&stored.content)?;
        // Parsing it takes longer than all other fields.
        content["background_svg"] = Value::Null;
        let logo = content["logo"].as_str().unwrap_or_default().to_owned();
        content["logo"] = Value::Null;
        let parsed = Theme::parse(&content);
        let warnings = themes::find_contrast_problems(&parsed);
        let mut warnings: Vec<String> =
            warnings.iter().map(theme_form::describe_contrast).collect();
        if !logo.is_empty() && !assets.iter().any(|asset| asset.filename == logo) {
            warnings.push(language::fill("org-themes.logoMissing").with("logo", &logo).into());
        }
        let id = themes::theme_id(org, &stored.name);
        Ok(Self {
            title: theme::title_of(&content, &stored.name),
            name: stored.name.clone(),
            is_default: org.default_theme == id,
            colors: parsed.colors.iter().map(ToString::to_string).collect(),
            warnings,
            id,
        })
    }
}

/// Handles `GET /orgs/{org}/themes`, for all members of the organization.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Problem::default())
}

/// Shows the gallery.
fn show_page(request: &RequestContext, caller: &User, problem: &Problem) -> Result<Response> {
    frame::show(request, caller, Section::Themes, problem, |tx, view| {
        let org = &view.org;
        let assets = assets::list_assets(tx, &org.id)?;
        let stored = themes::list_themes(tx, org)?;
        let cards = stored.iter().map(|theme| ThemeCard::new(org, theme, &assets));
        let themes = cards.collect::<Result<Vec<ThemeCard>>>()?;
        let chosen = themes.iter().find(|card| card.is_default);
        Ok(ThemesPage {
            title: language::text("org-themes.title"),
            max_themes: themes::MAX_THEMES,
            default_title: match chosen {
                Some(card) => card.title.clone(),
                None => builtin_title(&org.default_theme),
            },
            has_builtin_default: org.default_theme == portfolio::DEFAULT_THEME,
            builtin_default: portfolio::DEFAULT_THEME,
            themes,
            problem,
            frame: view.frame,
        })
    })
}

/// Returns the title of a built-in theme, or the id if there is none.
fn builtin_title(id: &str) -> String {
    let found = portfolio::find_theme(id);
    found.map_or_else(|| id.to_owned(), |theme| theme::title_of(&theme.value, id))
}

/// Handles `POST /orgs/{org}/settings/default-theme`, for brand managers and admins: makes the theme
/// with the id in the field `theme` the default of new documents.
pub fn set_default(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let theme = Form::from_request(request)?.value("theme").to_owned();
    let (org, caller_id) = (request.param::<String>("org")?, caller.id.clone());
    let saved = request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller_id, Role::BrandManager)?;
        orgs::change_org(tx, org, None, Some(theme.clone()))
    });
    match saved {
        Ok(()) => frame::redirect(request, "/themes", "default-theme-saved"),
        Err(error) => show_page(request, caller, &describe_default_error(error)?),
    }
}

/// Converts an error of the default theme. The page has no field of this name, so that the message
/// is the whole text.
///
/// # Errors
/// As [`Problem::from_error`].
fn describe_default_error(error: Error) -> Result<Problem> {
    let message = match &error {
        Error::InvalidFields(errors) => errors.first().map(|error| form::sentence(&error.message)),
        _ => None,
    };
    let mut problem = Problem::from_error(error, &[])?;
    problem.text = message.unwrap_or(problem.text);
    Ok(problem)
}

/// Handles `GET /orgs/{org}/themes/{name}/sample.svg`, for all members of the organization: a sample
/// chart in the theme. Returns 304 if the client has it.
pub fn sample(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    let loaded = request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &org, &caller.id)?.org;
        let theme = themes::find_usable_theme(tx, &org.id, &themes::theme_id(&org, &name))?;
        OrgTheme::load(&theme.or_not_found("theme")?, tx)
    })?;
    let tag = URL_SAFE_NO_PAD.encode(&documents::kind_image_key(SAMPLE_KIND, &loaded)[..16]);
    let matches = conditional::find_matching_tag(&request.headers, &format!("\"{tag}\"")).is_some();
    // Browsers apply the policy of a response without a body to the image that they have.
    let image = documents::find_kind_image(request.app, SAMPLE_KIND, loaded)?;
    let response = match matches {
        true => Response::not_modified(SVG),
        false => Response::bytes(SVG, image.bytes.clone()),
    };
    let response = match &image.content_security_policy {
        Some(policy) => response.with_header(CONTENT_SECURITY_POLICY, policy)?,
        None => response,
    };
    response.with_etag(&tag)?.with_header(CACHE_CONTROL, "private, no-cache")
}

/// Handles `GET /orgs/{org}/themes/{name}/delete`, for brand managers and admins: asks before the
/// theme is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name: String = request.param("name")?;
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let stored = themes::find_theme(tx, &view.org, &name)?;
        let content: Value = serde_json::from_str(&stored.content)?;
        Ok(ConfirmPage {
            title: language::fill("org-themes.deleteTitle")
                .with("title", theme::title_of(&content, &name))
                .into(),
            consequences: describe_deletion(&view.org, &name),
            fields: Vec::new(),
            action: language::text("org-themes.deleteAction"),
            cancel: format!("{}/themes", view.frame.home),
            is_possible: view.frame.can_design,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show_for(request, caller, Section::Themes, Role::BrandManager, &problem, build)
}

/// Handles `POST /orgs/{org}/themes/{name}/delete`, for brand managers and admins, also on a full
/// disk.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    let caller = caller.id.clone();
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        themes::delete_theme(tx, &org, &name)
    })?;
    frame::redirect(request, "/themes", "theme-deleted")
}

/// Describes the consequences of deleting a theme, one sentence each.
fn describe_deletion(org: &Org, name: &str) -> Vec<String> {
    let builtin = builtin_title(portfolio::DEFAULT_THEME);
    let mut sentences = Vec::new();
    if org.default_theme == themes::theme_id(org, name) {
        let text = language::fill("org-themes.deleteDefault").with("organization", &org.name);
        sentences.push(text.with("theme", &builtin));
    }
    sentences.push(language::fill("org-themes.deleteDocuments").with("theme", &builtin));
    sentences.push(language::fill("org-themes.deleteName").with("name", name));
    sentences.push(language::fill("org-themes.deleteAssets"));
    sentences.into_iter().map(String::from).collect()
}
