//! Handlers of `/users/{user_id}/documents/{doc}/token`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::target;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::actions::lend;
use crate::features::documents::actions::lend::Wish;
use crate::features::documents::address;
use crate::features::documents::download;
use crate::features::documents::download::Format;
use crate::features::documents::download::Grant;
use crate::features::documents::store::Head;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Clashing;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::time::Timestamp;

/// Longest life of a token: a day.
const LONGEST_SECONDS: u64 = 86_400;

/// What a token shall open.
#[derive(Deserialize, JsonSchema)]
pub struct TokenBody {
    /// `png`, `svg` or `html`; all three when absent.
    r#type: Option<String>,
    /// Whether the picture comes without its background.
    transparent: Option<bool>,
    /// 1 to 86,400; 3,600 when absent.
    expires_in_sec: Option<u64>,
}

/// A download token.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DownloadToken")]
pub struct TokenView {
    /// The value of the query parameter `token`.
    token: String,
    /// From then on it opens nothing.
    expires_at: Timestamp,
    urls: TokenUrls,
}

/// What it opens.
#[derive(Serialize, JsonSchema)]
pub struct TokenUrls {
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    png: Option<String>,
}

impl TokenBody {
    fn read(self) -> Result<Wish> {
        let format = match self.r#type.as_deref() {
            None => None,
            Some(word) => Some(
                Format::of_suffix(word)
                    .ok_or_else(|| Error::field("type", "must be png, svg or html"))?,
            ),
        };
        let seconds = self.expires_in_sec.unwrap_or(download::LIFETIME_SECONDS);
        if !(1..=LONGEST_SECONDS).contains(&seconds) {
            let text = format!("must be from 1 to {LONGEST_SECONDS}");
            return Err(Error::field("expires_in_sec", text));
        }
        let transparent = self.transparent.unwrap_or(false);
        Ok(Wish { format, transparent, lifetime: Duration::from_secs(seconds) })
    }
}

impl TokenView {
    fn of(app: &App, head: &Head, grant: &Grant) -> Self {
        let url = |format: Format| {
            let opens = grant.format.is_none_or(|it| it == format);
            opens.then(|| address(app, head, grant, format))
        };
        Self {
            token: download::token(&app.key, &head.id, grant),
            expires_at: grant.expires,
            urls: TokenUrls {
                html: url(Format::Html),
                svg: url(Format::Svg),
                png: url(Format::Png),
            },
        }
    }
}

/// The address that opens a document in one of its forms without credentials.
pub(super) fn address(app: &App, head: &Head, grant: &Grant, format: Format) -> String {
    let endpoint = address::endpoint(&app.config.base_url, &head.owner, &head.id);
    let token = download::token(&app.key, &head.id, grant);
    format!("{endpoint}.{}?token={token}", format.suffix())
}

/// `POST …/token`: a fresh one.
pub fn make(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<TokenBody>),
) -> Result<Raw<TokenView>> {
    let (wish, target, who) = (body.read()?, target(request, caller)?, caller.scope());
    let (app, caller) = (request.app.clone(), caller.clone());
    let response = request.write_once(&key, &who, move |tx| {
        let (head, grant) = lend::make(tx, &caller, &target, wish)?;
        Response::json(&TokenView::of(&app, &head, &grant))
    });
    response.map(Raw::new)
}

/// `GET …/token`: the newest of the caller's that is valid, or else a fresh one.
pub fn newest(request: &RequestContext, caller: &Caller, _: Clashing) -> Result<Json<TokenView>> {
    let target = target(request, caller)?;
    let found = request.app.db.read(|tx| lend::newest(tx, caller, &target))?;
    let (head, grant) = match found {
        Some(found) => found,
        None => {
            let caller = caller.clone();
            request.app.db.write(move |tx| lend::make(tx, &caller, &target, Wish::default()))?
        }
    };
    Ok(Json(TokenView::of(&request.app, &head, &grant)))
}
