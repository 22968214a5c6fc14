//! Bodies and handlers of `/orgs/{org}/assets`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::body::Bytes;
use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_SECURITY_POLICY;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::Asset;
use super::actions;
use super::rules;
use super::rules::MAX_ASSET_BYTES;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::actions as orgs;
use crate::features::orgs::themes;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::multipart;
use chartroom_platform::time::Timestamp;

/// Maximum size in bytes of an upload: an asset, and for a form its boundaries and headers.
pub const MAX_UPLOAD_BYTES: usize = MAX_ASSET_BYTES + (64 << 10);
/// Content security policy of an asset that a browser opens as a page: nothing runs or loads.
const ASSET_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// A file of an organization.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Asset")]
pub struct AssetView {
    #[schemars(extend("x-placeholder" = "filename"))]
    filename: String,
    /// Media type, from the content.
    content_type: &'static str,
    /// Size in bytes.
    size: i64,
    /// Family name of a font, by which themes use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    /// Names of the themes that use the file.
    used_by: Vec<String>,
    /// Time of the first upload.
    created: Timestamp,
    /// Time of the last upload.
    updated: Timestamp,
    /// URL of the content.
    url: String,
}

/// The files of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Assets {
    /// Files by name.
    assets: Vec<AssetView>,
}

/// A request body that is a file of any declared type.
pub struct FileBody(pub Bytes);

impl FromRequest for FileBody {
    /// Takes the body as it is.
    fn from_request(request: &Request) -> Result<Self> {
        Ok(Self(request.body.clone()))
    }

    /// Adds the body of any type to the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["requestBody"] =
            json!({ "required": true, "content": { "application/octet-stream": {} } });
    }
}

/// Body of `POST …/assets`: a form with one file in the field `file`.
pub struct FileForm {
    filename: String,
    content: Bytes,
}

impl FromRequest for FileForm {
    /// Parses the form.
    ///
    /// # Errors
    /// `UnsupportedMediaType` if the body is not a form with files. `InvalidFields` about `file` if
    /// the form does not have exactly one file with a valid name in this field.
    fn from_request(request: &Request) -> Result<Self> {
        let mut parts = multipart::parse_form(request)?.into_iter();
        let file = parts.find(|part| part.name == "file");
        let (Some(file), None) = (file, parts.find(|part| part.name == "file")) else {
            return Err(Error::invalid_field("file", "must be one file"));
        };
        let name = file.file_name.unwrap_or_default();
        Ok(Self { filename: rules::parse_filename("file", &name)?, content: file.content })
    }

    /// Adds the form to the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["requestBody"] = json!({
            "required": true,
            "content": { "multipart/form-data": { "schema": {
                "type": "object",
                "properties": { "file": { "type": "string", "format": "binary" } },
                "required": ["file"],
            } } },
        });
    }
}

impl AssetView {
    /// Builds the view of an asset.
    fn new(tx: &Tx<'_>, org: &Org, asset: Asset, base_url: &str) -> Result<Self> {
        let references = themes::list_references(tx, &org.id)?;
        Ok(Self::with_references(org, asset, base_url, &references))
    }

    /// Builds the view of an asset. `references` are those of all themes of the organization.
    fn with_references(
        org: &Org,
        asset: Asset,
        base_url: &str,
        references: &[themes::ThemeReferences],
    ) -> Self {
        Self {
            url: asset_url(org, &asset.filename, base_url),
            used_by: list_uses(&asset, references),
            filename: asset.filename,
            content_type: asset.asset_type.media_type(),
            size: asset.size,
            family: asset.family,
            created: asset.created,
            updated: asset.updated,
        }
    }
}

/// Returns the names of the themes that use an asset as their logo or as a font. `references` are
/// those of all themes of the organization.
pub fn list_uses(asset: &Asset, references: &[themes::ThemeReferences]) -> Vec<String> {
    let uses = |theme: &&themes::ThemeReferences| match &asset.family {
        Some(family) => {
            theme.families.iter().any(|used| used.to_lowercase() == family.to_lowercase())
        }
        None => theme.logo == asset.filename,
    };
    references.iter().filter(uses).map(|theme| theme.theme.clone()).collect()
}

/// Returns the URL of the content of an asset. `base_url` may be empty for a path.
pub fn asset_url(org: &Org, filename: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/orgs/{}/assets/{}", org.id, encode_filename(filename))
}

/// Returns a filename as a segment of a path.
pub fn encode_filename(filename: &str) -> String {
    let encoded = utf8_percent_encode(filename, NON_ALPHANUMERIC).to_string();
    // These need no escape, and the name stays readable.
    encoded.replace("%2E", ".").replace("%2D", "-").replace("%5F", "_")
}

/// Checks that the caller may change the assets of the organization in the path, before the body is
/// read.
///
/// # Errors
/// The errors of `orgs::require_role`.
pub fn check_may_change(request: &RequestContext, caller: &User) -> Result<()> {
    let name: String = request.param("org")?;
    request
        .app
        .db
        .read(|tx| orgs::require_role(tx, &name, &caller.id, Role::BrandManager).map(drop))
}

/// Handles `GET /orgs/{org}/assets`, for all members of the organization: its files by name.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Assets>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &name, &caller.id)?.org;
        let references = themes::list_references(tx, &org.id)?;
        let assets = actions::list_assets(tx, &org)?.into_iter();
        let assets =
            assets.map(|asset| AssetView::with_references(&org, asset, base_url, &references));
        Ok(Json(Assets { assets: assets.collect() }))
    })
}

/// Handles `GET /orgs/{org}/assets/{filename}`, for all members of the organization: the content of
/// a file. Returns 304 if the client has it.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name: String = request.param("org")?;
    let filename = rules::normalize_filename(&request.param::<String>("filename")?);
    let (asset, body) = request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &name, &caller.id)?.org;
        let asset = actions::find_asset(tx, &org, &filename)?;
        let tag = format!("\"{}\"", entity_tag(&asset));
        let is_current = conditional::find_matching_tag(&request.headers, &tag).is_some();
        let body = (!is_current).then(|| actions::read_body(tx, &org, &filename)).transpose()?;
        Ok((asset, body))
    })?;
    let media_type = asset.asset_type.media_type();
    let mut response = match body {
        None => Response::not_modified(media_type),
        Some(body) => Response::bytes(media_type, body),
    };
    // SVG and uncompressed fonts become smaller, the other types are compressed.
    response.compress &= matches!(media_type, "image/svg+xml" | "font/ttf" | "font/otf");
    response
        .with_etag(&entity_tag(&asset))?
        .with_header(CACHE_CONTROL, "private, no-cache")?
        .with_header(CONTENT_SECURITY_POLICY, ASSET_POLICY)
}

/// Returns the text of the entity tag of an asset, without quotes: the first 128 bits of its hash.
fn entity_tag(asset: &Asset) -> String {
    URL_SAFE_NO_PAD.encode(&asset.hash[..16])
}

/// Handles `PUT /orgs/{org}/assets/{filename}`, for brand managers and admins: stores the body as a
/// file, or replaces the file with this name.
pub fn put(
    request: &RequestContext,
    caller: &User,
    FileBody(file): FileBody,
) -> Result<Json<AssetView>> {
    let filename = rules::parse_filename("filename", &request.param::<String>("filename")?)?;
    let content = actions::check_content(request.app, "body", &file)?;
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let base_url = request.app.config.base_url.clone();
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        let asset = actions::put_asset(tx, &org, &filename, &content)?;
        Ok(Json(AssetView::new(tx, &org, asset, &base_url)?))
    })
}

/// Handles `POST /orgs/{org}/assets`, for brand managers and admins: stores the file of a form under
/// its name, or replaces the file with this name. A repeated request with the same idempotency key
/// gets the stored response.
pub fn upload(
    request: &RequestContext,
    caller: &User,
    (key, form): (IdempotencyKey, FileForm),
) -> Result<RawJson<AssetView>> {
    let content = actions::check_content(request.app, "file", &form.content)?;
    let (org, caller, filename) =
        (request.param::<String>("org")?, caller.id.clone(), form.filename);
    let (caller_id, base_url) = (caller.to_string(), request.app.config.base_url.clone());
    let check_access = {
        let (org, caller) = (org.clone(), caller.clone());
        move |tx: &Tx<'_>| orgs::require_role(tx, &org, &caller, Role::BrandManager).map(drop)
    };
    let response = request.write_idempotent(&key, &caller_id, check_access, move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        let asset = actions::put_asset(tx, &org, &filename, &content)?;
        Response::json(&AssetView::new(tx, &org, asset, &base_url)?)
    });
    response.map(RawJson::new)
}

/// Handles `DELETE /orgs/{org}/assets/{filename}`, for brand managers and admins, also on a full
/// disk. Themes that use the file keep its name and are rendered without it.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let filename = rules::normalize_filename(&request.param::<String>("filename")?);
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        actions::delete_asset(tx, &org, &filename)?;
        Ok(NoContent)
    })
}
