//! Handlers of `/users/{user_id}/documents/{doc}/token`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::document_target;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::documents::Document;
use crate::features::documents::actions;
use crate::features::documents::actions::download_tokens;
use crate::features::documents::actions::download_tokens::TokenRequest;
use crate::features::documents::download_token;
use crate::features::documents::download_token::DownloadGrant;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::urls;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::MayConflict;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::time::Timestamp;

/// Maximum lifetime of a token: one day.
const MAX_LIFETIME_SECONDS: u64 = 86_400;

/// Request body of `POST …/token`.
#[derive(Deserialize, JsonSchema)]
pub struct TokenBody {
    /// Allowed format: `png`, `svg` or `html`; all formats when absent, also PDF.
    r#type: Option<String>,
    /// Whether images are rendered without background.
    transparent: Option<bool>,
    /// Lifetime in seconds, 1 to 86,400; 3,600 when absent.
    expires_in_sec: Option<u64>,
}

/// A download token.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DownloadToken")]
pub struct TokenView {
    /// Value of the query parameter `token`.
    token: String,
    /// Time from which the token is invalid.
    expires_at: Timestamp,
    urls: TokenUrls,
}

/// Download URLs that the token allows.
#[derive(Serialize, JsonSchema)]
pub struct TokenUrls {
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    png: Option<String>,
    /// Only of a token for all formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdf: Option<String>,
}

impl TokenBody {
    /// Validates the body and returns the requested scope and lifetime.
    ///
    /// # Errors
    /// `InvalidFields` about `type` or `expires_in_sec`.
    fn validate(self) -> Result<TokenRequest> {
        let format = match self.r#type.as_deref() {
            None => None,
            Some(word) => Some(
                OutputFormat::from_extension(word)
                    .filter(|format| *format != OutputFormat::Pdf)
                    .ok_or_else(|| Error::invalid_field("type", "must be png, svg or html"))?,
            ),
        };
        let seconds = self.expires_in_sec.unwrap_or(download_token::DEFAULT_LIFETIME_SECONDS);
        if !(1..=MAX_LIFETIME_SECONDS).contains(&seconds) {
            let text = format!("must be from 1 to {MAX_LIFETIME_SECONDS}");
            return Err(Error::invalid_field("expires_in_sec", text));
        }
        let transparent = self.transparent.unwrap_or(false);
        Ok(TokenRequest { format, transparent, lifetime: Duration::from_secs(seconds) })
    }
}

impl TokenView {
    /// Signs the token of a grant. Includes the URLs of the allowed formats.
    fn new(app: &App, document: &Document, grant: &DownloadGrant) -> Self {
        let url = |format: OutputFormat| {
            let is_allowed = grant.format.is_none_or(|allowed| allowed == format);
            is_allowed.then(|| download_url(app, document, grant, format))
        };
        Self {
            token: download_token::sign_token(&app.server_key, &document.id, grant),
            expires_at: grant.expires,
            urls: TokenUrls {
                html: url(OutputFormat::Html),
                svg: url(OutputFormat::Svg),
                png: url(OutputFormat::Png),
                pdf: url(OutputFormat::Pdf),
            },
        }
    }
}

/// Returns the absolute URL that downloads the image of a document in `format` without credentials,
/// with the signed token of `grant`. Does not check that the grant allows the format.
pub(super) fn download_url(
    app: &App,
    document: &Document,
    grant: &DownloadGrant,
    format: OutputFormat,
) -> String {
    let endpoint = urls::endpoint_url(&app.config.base_url, &document.owner, &document.id);
    let token = download_token::sign_token(&app.server_key, &document.id, grant);
    format!("{endpoint}.{}?token={token}", format.extension())
}

/// Handles `POST …/token`: creates and stores a download token for a caller with read access, and
/// returns it with its URLs. Earlier tokens stay valid.
pub fn create(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<TokenBody>),
) -> Result<RawJson<TokenView>> {
    let (token_request, target, scope) =
        (body.validate()?, document_target(request, caller)?, caller.identity_key());
    let (app, caller) = (request.app.clone(), caller.clone());
    let check_access = {
        let (caller, target) = (caller.clone(), target.clone());
        move |tx: &Tx<'_>| actions::check_access(tx, &caller, &target, AccessLevel::Read)
    };
    let response = request.write_idempotent(&key, &scope, check_access, move |tx| {
        let (document, grant) = download_tokens::create_token(tx, &caller, &target, token_request)?;
        Response::json(&TokenView::new(&app, &document, &grant))
    });
    response.map(RawJson::new)
}

/// Handles `GET …/token`: returns the caller's newest token on the document if it has not expired,
/// with any scope, else creates one with the default scope and lifetime.
pub fn get_or_create(
    request: &RequestContext,
    caller: &Caller,
    _: MayConflict,
) -> Result<Json<TokenView>> {
    let target = document_target(request, caller)?;
    let found =
        request.app.db.read(|tx| download_tokens::find_newest_token(tx, caller, &target))?;
    let (document, grant) = match found {
        Some(found) => found,
        None => {
            let caller = caller.clone();
            request.app.db.write(move |tx| {
                download_tokens::create_token(tx, &caller, &target, TokenRequest::default())
            })?
        }
    };
    Ok(Json(TokenView::new(request.app, &document, &grant)))
}
