//! Bodies and handlers of `/orgs/{org}/themes`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::StoredTheme;
use super::actions;
use super::actions::CheckedTheme;
use super::rules;
use super::rules::ThemeFields;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::actions as orgs;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::endpoint::RequiredJson;
use chartroom_platform::time::Timestamp;

/// A theme of an organization.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Theme")]
pub struct ThemeView {
    /// `{org id}/{name}`, by which documents name the theme.
    id: String,
    /// Name, unique in the organization.
    name: String,
    #[serde(flatten)]
    fields: ThemeFields,
    created: Timestamp,
    updated: Timestamp,
    urls: ThemeUrls,
    /// Problems that do not prevent saving, such as colors with too little contrast. Only in
    /// responses to a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<String>>,
}

/// URLs of a theme.
#[derive(Serialize, JsonSchema)]
pub struct ThemeUrls {
    endpoint: String,
}

/// The themes of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Themes {
    /// Themes by name.
    themes: Vec<ThemeView>,
}

/// Body of `POST …/themes` and of `PUT …/themes/{name}`. An absent field has the value of the
/// built-in default theme.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ThemeBody")]
pub struct ThemeBody {
    /// Letters from a to z, digits, `-` and `_`. Made from the title when absent. PUT ignores it.
    name: Option<String>,
    title: Option<String>,
    colors: Option<Vec<String>>,
    highlight_color: Option<String>,
    text_color: Option<String>,
    axis_color: Option<String>,
    grid_color: Option<String>,
    background_color: Option<String>,
    /// SVG of plain shapes that covers the background; empty for none.
    background_svg: Option<String>,
    fonts: Option<rules::ThemeFonts>,
    /// Filename of an asset; empty for none.
    logo: Option<String>,
    /// `top-left`, `top-right`, `bottom-left` or `bottom-right`.
    logo_position: Option<String>,
    /// Ignored, as all fields below: they come from a response.
    #[serde(rename = "id")]
    _id: Option<Value>,
    #[serde(rename = "created")]
    _created: Option<Value>,
    #[serde(rename = "updated")]
    _updated: Option<Value>,
    #[serde(rename = "urls")]
    _urls: Option<Value>,
    #[serde(rename = "warnings")]
    _warnings: Option<Value>,
}

impl ThemeBody {
    /// Replaces the name in the body.
    pub fn set_name(&mut self, name: &str) {
        self.name = Some(name.to_owned());
    }

    /// Returns the name of a new theme: that of the body, or one made from the title.
    ///
    /// # Errors
    /// `InvalidFields` for `name`.
    pub fn parse_name(&self) -> Result<String> {
        rules::parse_theme_name(self.name.as_deref(), self.title.as_deref())
    }

    /// Returns the fields of the theme.
    fn into_fields(self) -> ThemeFields {
        ThemeFields {
            title: self.title,
            colors: self.colors,
            highlight_color: self.highlight_color,
            text_color: self.text_color,
            axis_color: self.axis_color,
            grid_color: self.grid_color,
            background_color: self.background_color,
            background_svg: self.background_svg,
            fonts: self.fonts,
            logo: self.logo,
            logo_position: self.logo_position,
        }
    }

    /// Checks the fields and finds problems that do not prevent saving. `name` is the name of the
    /// theme.
    ///
    /// # Errors
    /// `InvalidFields` about the invalid fields. The errors of [`actions::find_warnings`].
    pub fn check(self, app: &App, org: &Org, name: String) -> Result<CheckedTheme> {
        let content = self.into_fields().to_content(&name)?;
        let warnings = actions::find_warnings(app, org, &content)?;
        Ok(CheckedTheme { name, content, warnings })
    }
}

impl ThemeView {
    /// Builds the view of a theme. Without `warnings` for a theme that is only read.
    ///
    /// # Errors
    /// `Internal` if the stored content is not JSON.
    pub fn new(
        org: &Org,
        theme: StoredTheme,
        base_url: &str,
        warnings: Option<Vec<String>>,
    ) -> Result<Self> {
        Ok(Self {
            id: actions::theme_id(org, &theme.name),
            fields: serde_json::from_str(&theme.content)?,
            created: theme.created,
            updated: theme.updated,
            urls: ThemeUrls {
                endpoint: format!("{base_url}/api/v1/orgs/{}/themes/{}", org.id, theme.name),
            },
            name: theme.name,
            warnings,
        })
    }
}

/// Checks that the caller may change the themes of the organization in the path, before the body is
/// parsed.
///
/// # Errors
/// The errors of `orgs::require_role`.
pub fn check_may_change(request: &RequestContext, caller: &User) -> Result<()> {
    find_changeable_org(request, caller).map(drop)
}

/// Returns the organization in the path if the caller may change its themes.
///
/// # Errors
/// The errors of [`require_role`](orgs::require_role).
fn find_changeable_org(request: &RequestContext, caller: &User) -> Result<Org> {
    let name: String = request.param("org")?;
    request.app.db.read(|tx| orgs::require_role(tx, &name, &caller.id, Role::BrandManager))
}

/// Handles `GET /orgs/{org}/themes`, for all members of the organization: its themes by name.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Themes>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &name, &caller.id)?.org;
        let themes = actions::list_themes(tx, &org)?.into_iter();
        let themes = themes.map(|theme| ThemeView::new(&org, theme, base_url, None));
        Ok(Json(Themes { themes: themes.collect::<Result<_>>()? }))
    })
}

/// Handles `GET /orgs/{org}/themes/{name}`, for all members of the organization.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<ThemeView>> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &org, &caller.id)?.org;
        let theme = actions::find_theme(tx, &org, &name)?;
        Ok(Json(ThemeView::new(&org, theme, &request.app.config.base_url, None)?))
    })
}

/// Handles `POST /orgs/{org}/themes`, for brand managers and admins: creates a theme. A repeated
/// request with the same idempotency key gets the stored response.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, RequiredJson(body)): (IdempotencyKey, RequiredJson<ThemeBody>),
) -> Result<RawJson<ThemeView>> {
    let org = find_changeable_org(request, caller)?;
    let name = body.parse_name()?;
    let theme = body.check(request.app, &org, name)?;
    let (org, caller) = (org.id.to_string(), caller.clone());
    let (caller_id, base_url) = (caller.id.to_string(), request.app.config.base_url.clone());
    let check_access = {
        let (org, caller) = (org.clone(), caller.id.clone());
        move |tx: &Tx<'_>| orgs::require_role(tx, &org, &caller, Role::BrandManager).map(drop)
    };
    let response = request.write_idempotent(&key, &caller_id, check_access, move |tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        let stored = actions::create_theme(tx, &caller.id, &org, &theme)?;
        let warnings = Some(theme.warnings.clone());
        Response::json(&ThemeView::new(&org, stored, &base_url, warnings)?)
    });
    response.map(RawJson::new)
}

/// Handles `PUT /orgs/{org}/themes/{name}`, for brand managers and admins: replaces the content of
/// an existing theme.
pub fn put(
    request: &RequestContext,
    caller: &User,
    RequiredJson(body): RequiredJson<ThemeBody>,
) -> Result<Json<ThemeView>> {
    let (name, org) = (request.param::<String>("name")?, find_changeable_org(request, caller)?);
    request.app.db.read(|tx| actions::find_theme(tx, &org, &name))?;
    let theme = body.check(request.app, &org, name)?;
    let (org, caller) = (org.id.to_string(), caller.clone());
    let base_url = request.app.config.base_url.clone();
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::BrandManager)?;
        let stored = actions::update_theme(tx, &caller.id, &org, &theme)?;
        Ok(Json(ThemeView::new(&org, stored, &base_url, Some(theme.warnings.clone()))?))
    })
}

/// Handles `DELETE /orgs/{org}/themes/{name}`, for brand managers and admins, also on a full disk.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("name")?);
    let caller = caller.id.clone();
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        actions::delete_theme(tx, &org, &name)?;
        Ok(NoContent)
    })
}
