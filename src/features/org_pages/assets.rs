//! The page of the images and fonts of an organization, with uploads and deletion.

use askama::Template;
use hyper::StatusCode;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::labels;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::assets;
use crate::features::orgs::assets::Asset;
use crate::features::orgs::assets::AssetType;
use crate::features::orgs::assets::MAX_ASSET_BYTES;
use crate::features::orgs::themes;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::multipart;
use chartroom_platform::http::multipart::FormPart;
use chartroom_platform::language;
use chartroom_platform::messages;

/// Maximum size of all files of a form in bytes.
const MAX_FILES_BYTES: usize = 4 * MAX_ASSET_BYTES;
/// Maximum size of a form with files in bytes, with its boundaries and headers.
pub const MAX_FORM_BYTES: usize = MAX_FILES_BYTES + (64 << 10);

/// The page of the assets.
#[derive(Template)]
#[template(path = "org-assets.html")]
struct AssetsPage<'a> {
    frame: Frame,
    title: &'static str,
    assets: Vec<AssetCard>,
    /// Maximum number of assets.
    max_assets: u32,
    /// Size of all assets.
    total_size: String,
    /// Maximum size of a file.
    max_size: String,
    /// Maximum size of a file in bytes.
    max_bytes: usize,
    /// Maximum size of all files of a form.
    max_form_size: String,
    /// Files of the last form that are not stored.
    refused: &'a [RefusedFile],
    /// Number of files of the last form that are stored.
    stored: usize,
    problem: &'a Problem,
}

/// An asset in the grid.
struct AssetCard {
    filename: String,
    /// Address of the content.
    url: String,
    /// Type for people.
    type_label: &'static str,
    size: String,
    /// Family name of a font. Empty for an image.
    family: String,
    is_italic: bool,
    /// Names of the themes that use the asset.
    used_by: Vec<String>,
    /// Address of the page that asks before the asset is deleted.
    delete_path: String,
}

/// A file of a form that is not stored.
struct RefusedFile {
    filename: String,
    /// Status of the error.
    status: StatusCode,
    /// Reason as a sentence.
    reason: String,
}

/// The result of a form with files.
#[derive(Default)]
struct UploadResult {
    stored: usize,
    refused: Vec<RefusedFile>,
}

/// Handles `GET /orgs/{org}/assets`, for all members of the organization.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &UploadResult::default(), &Problem::default())
}

/// Handles `POST /orgs/{org}/assets`, for brand managers and admins: stores the files in the field
/// `file`, each under its name. Shows the page again if some of them cannot be stored.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let parts = multipart::parse_form(request)?;
    // Browsers send an empty file if none is chosen.
    let is_chosen = |part: &FormPart| {
        part.name == "file" && part.file_name.as_ref().is_some_and(|name| !name.is_empty())
    };
    let mut result = UploadResult::default();
    for part in parts.into_iter().filter(is_chosen) {
        let filename = part.file_name.clone().unwrap_or_default();
        match store_file(request, caller, &part) {
            Ok(()) => result.stored += 1,
            Err(error) => result.refused.push(RefusedFile::new(filename, error)?),
        }
    }
    if result.stored > 0 && result.refused.is_empty() {
        return frame::redirect(request, "/assets", "assets-uploaded");
    }
    let problem = match result.refused.first() {
        Some(refused) => Problem::with_status(refused.status),
        None => {
            let error = Error::Invalid(language::text("assets.chooseFile").to_owned());
            Problem::from_error(error, &[])?
        }
    };
    show_page(request, caller, &result, &problem)
}

/// Checks a file and stores it under its name.
fn store_file(request: &RequestContext, caller: &User, part: &FormPart) -> Result<()> {
    let name = part.file_name.as_deref().unwrap_or_default();
    let filename = assets::parse_filename("filename", name)?;
    let content = assets::check_content(request.app, "file", &part.content)?;
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        assets::put_asset(tx, &org, &filename, &content).map(drop)
    })
}

impl RefusedFile {
    /// Describes why a file is not stored.
    ///
    /// # Errors
    /// Returns errors that do not concern the file.
    fn new(filename: String, error: Error) -> Result<Self> {
        let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let reason = match &error {
            Error::InvalidFields(errors) => {
                let text = errors.first().map_or("must be another file", |error| &error.message);
                let is_name = errors.first().is_some_and(|error| error.field == "filename");
                // The sources write messages in English.
                let key = match (is_name, text.starts_with("must ")) {
                    (true, _) => Some("assets.filenameProblem"),
                    (false, true) => Some("assets.fileProblem"),
                    (false, false) => None,
                };
                match key {
                    Some(key) => {
                        let problem = messages::translate(text);
                        language::fill(key).with("problem", problem).to_string()
                    }
                    None => form::sentence(text),
                }
            }
            Error::TooLarge(_) => {
                let size = labels::format_bytes(MAX_ASSET_BYTES as u64);
                language::fill("theme-editor.fileTooLarge").with("size", size).to_string()
            }
            Error::Busy
            | Error::Conflict(_)
            | Error::PaymentRequired(_)
            | Error::QuotaExceeded(_) => form::sentence(&error.to_string()),
            _ => return Err(error),
        };
        Ok(Self { filename, status, reason })
    }
}

/// Shows the page with the result of a form.
fn show_page(
    request: &RequestContext,
    caller: &User,
    result: &UploadResult,
    problem: &Problem,
) -> Result<Response> {
    frame::show(request, caller, Section::Assets, problem, |tx, view| {
        let references = themes::list_references(tx, &view.org.id)?;
        let all = assets::list_assets(tx, &view.org.id)?;
        let total: i64 = all.iter().map(|asset| asset.size).sum();
        let card = |asset: Asset| AssetCard::new(&view, asset, &references);
        Ok(AssetsPage {
            title: language::text("assets.title"),
            assets: all.into_iter().map(card).collect(),
            max_assets: assets::MAX_ASSETS,
            total_size: format_size(total),
            max_size: labels::format_bytes(MAX_ASSET_BYTES as u64),
            max_bytes: MAX_ASSET_BYTES,
            max_form_size: labels::format_bytes(MAX_FILES_BYTES as u64),
            refused: &result.refused,
            stored: result.stored,
            problem,
            frame: view.frame,
        })
    })
}

impl AssetCard {
    /// Describes an asset. `references` are those of all themes of the organization.
    fn new(view: &OrgView, asset: Asset, references: &[themes::ThemeReferences]) -> Self {
        let encoded = assets::encode_filename(&asset.filename);
        Self {
            url: assets::asset_url(&view.org, &asset.filename, ""),
            type_label: type_label(asset.asset_type),
            size: format_size(asset.size),
            used_by: assets::list_uses(&asset, references),
            delete_path: format!("{}/assets/{encoded}/delete", view.frame.home),
            is_italic: asset.is_italic,
            family: asset.family.unwrap_or_default(),
            filename: asset.filename,
        }
    }
}

/// Returns a type of assets for people.
fn type_label(asset_type: AssetType) -> &'static str {
    language::text(match asset_type {
        AssetType::Png => "assets.pngImage",
        AssetType::Jpeg => "assets.jpegImage",
        AssetType::Webp => "assets.webpImage",
        AssetType::Svg => "assets.svgImage",
        AssetType::Woff2 => "assets.woff2Font",
        AssetType::Ttf => "assets.trueTypeFont",
        AssetType::Otf => "assets.openTypeFont",
    })
}

/// Formats a size in bytes.
fn format_size(bytes: i64) -> String {
    labels::format_bytes(u64::try_from(bytes).unwrap_or(0))
}

/// Handles `GET /orgs/{org}/assets/{filename}/delete`, for brand managers and admins: asks before
/// the asset is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let filename = assets::normalize_filename(&request.param::<String>("filename")?);
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let asset = assets::find_asset(tx, &view.org, &filename)?;
        Ok(ConfirmPage {
            title: language::fill("assets.deleteTitle").with("filename", &filename).into(),
            consequences: describe_deletion(tx, &view.org, &asset)?,
            fields: Vec::new(),
            action: language::text("assets.deleteAction"),
            cancel: format!("{}/assets", view.frame.home),
            is_possible: view.frame.can_design,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show_for(request, caller, Section::Assets, Role::BrandManager, &problem, build)
}

/// Handles `POST /orgs/{org}/assets/{filename}/delete`, for brand managers and admins, also on a
/// full disk.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let filename = assets::normalize_filename(&request.param::<String>("filename")?);
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::BrandManager)?;
        assets::delete_asset(tx, &org, &filename)
    })?;
    frame::redirect(request, "/assets", "asset-deleted")
}

/// Describes the consequences of deleting an asset, one sentence each.
fn describe_deletion(tx: &Tx<'_>, org: &Org, asset: &Asset) -> Result<Vec<String>> {
    let used_by = assets::list_uses(asset, &themes::list_references(tx, &org.id)?);
    let use_sentence = match (&asset.family, used_by.is_empty()) {
        (_, true) => language::fill("assets.deleteUnused"),
        (Some(family), false) => language::fill("assets.deleteFont").with("family", family),
        (None, false) => language::fill("assets.deleteLogo"),
    };
    let use_sentence = use_sentence.with("count", used_by.len()).with("themes", used_by.join(", "));
    Ok(vec![use_sentence.into(), language::text("assets.deleteName").to_owned()])
}
