//! Actions on download tokens: create, find and verify them.

use std::time::Duration;

use serde_json::json;

use super::DocumentTarget;
use super::access_resource;
use super::event_node;
use super::find_readable;
use super::require_level;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::documents::download_token;
use crate::features::documents::download_token::DownloadGrant;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::download_token::TokenMaker;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::store::download_tokens;
use crate::features::tree;
use crate::features::tree::NodeAction;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Time within which the audit log has one event for the tokens of an actor for a document.
const TOKEN_EVENT_INTERVAL: Duration = Duration::from_hours(1);

/// Requested scope and lifetime of a download token.
#[derive(Debug, Clone, Copy)]
pub struct TokenRequest {
    /// Output format that the token allows. `None` allows all formats.
    pub format: Option<OutputFormat>,
    /// Whether the image is rendered without background.
    pub transparent: bool,
    pub lifetime: Duration,
}

impl Default for TokenRequest {
    /// Returns a request for all formats, with background and the default lifetime of one hour.
    fn default() -> Self {
        let lifetime = Duration::from_secs(download_token::DEFAULT_LIFETIME_SECONDS);
        Self { format: None, transparent: false, lifetime }
    }
}

/// Returns the grant of a new token on a document that `caller` may read. Its lifetime starts now.
/// Stores nothing.
pub fn create_grant(
    tx: &Tx<'_>,
    caller: &Caller,
    document: &Document,
    request: TokenRequest,
) -> DownloadGrant {
    DownloadGrant {
        maker: resolve_token_maker(tx, caller, document),
        format: request.format,
        transparent: request.transparent,
        expires: tx.now.saturating_add(request.lifetime),
    }
}

/// Resolves the identity that a token of `caller` uses for access.
///
/// This is the caller's account if it can read the document, else the share link of the request if
/// it can, else `Public`. Anyone can read a public document, so there the account or link is the
/// maker even if it has no access entry.
fn resolve_token_maker(tx: &Tx<'_>, caller: &Caller, document: &Document) -> TokenMaker {
    let account = caller.account_id().map(|id| TokenMaker::Account(id.clone()));
    let link = caller.share_token_hash.map(TokenMaker::Link);
    let can_read = |maker: &TokenMaker| {
        require_level(tx, &maker.as_caller(), document, AccessLevel::Read).is_ok()
    };
    account.into_iter().chain(link).find(can_read).unwrap_or(TokenMaker::Public)
}

/// Creates the grant of a token and stores it as the newest one of its maker on the document.
/// Returns it unsigned with the document. Earlier tokens stay valid until they expire.
///
/// # Errors
/// The errors of [`find_readable`]. `Conflict` if the document is in the trash, because tokens are
/// not valid there.
pub fn create_token(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    request: TokenRequest,
) -> Result<(Document, DownloadGrant)> {
    let document = find_token_document(tx, caller, target)?;
    let grant = create_grant(tx, caller, &document, request);
    let maker = grant.maker.to_string();
    download_tokens::upsert_token(tx, &document.id, &maker, &grant.to_string(), grant.expires)?;
    record_token(tx, &document, &grant)?;
    Ok((document, grant))
}

/// Records a new token, at most once per [`TOKEN_EVENT_INTERVAL`], document and actor, because pages
/// and scripts create tokens again and again. Records no token that gives only public access, because
/// everybody has it without a token.
fn record_token(tx: &WriteTx<'_>, document: &Document, grant: &DownloadGrant) -> Result<()> {
    let resource = Resource { is_public: false, ..access_resource(document) };
    if access::access_level(tx, &grant.maker.as_caller(), &resource)? == AccessLevel::None {
        return Ok(());
    }
    let format = grant.format.map(OutputFormat::extension);
    let details = json!({ "format": format, "expires_at": grant.expires });
    let (node, action) = (event_node(document), NodeAction::ExportLink);
    tree::record_event_once(tx, node, action, &details, TOKEN_EVENT_INTERVAL)
}

/// Returns the document and the newest stored token of the caller on it, as an unsigned grant.
/// `None` if there is none or it has expired.
///
/// # Errors
/// The errors of [`create_token`].
pub fn find_newest_token(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<Option<(Document, DownloadGrant)>> {
    let document = find_token_document(tx, caller, target)?;
    let text = download_tokens::find_valid_token(
        tx,
        &document.id,
        &resolve_token_maker(tx, caller, &document).to_string(),
    )?;
    Ok(text.and_then(|text| download_token::parse_grant(&text)).map(|grant| (document, grant)))
}

/// Returns a document for which the caller may create tokens: one that the caller may read.
/// `Conflict` if it is in the trash.
fn find_token_document(tx: &Tx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<Document> {
    let (document, _) = find_readable(tx, caller, target)?;
    document.check_not_in_trash()?;
    Ok(document)
}

/// Returns the document of `target` and the grant, if `token` allows to download the document in
/// `format`.
///
/// The maker of the token must still be able to read the document, and the document must not be in
/// the trash. Ignores `target.user`, so that the token stays valid if the document moves to another
/// account.
///
/// # Errors
/// `SignInRequired` with the same text for every reason, so that it does not reveal whether the
/// document exists.
pub fn authorize_download(
    tx: &Tx<'_>,
    key: &ServerKey,
    target: &DocumentTarget,
    token: &str,
    format: OutputFormat,
) -> Result<(Document, DownloadGrant)> {
    const INVALID_TOKEN: Error = Error::SignInRequired("the download URL is no longer valid");
    let grant =
        download_token::verify_token(key, &target.id, token, tx.now).ok_or(INVALID_TOKEN)?;
    let document = store::find_document(tx, &target.id)?.ok_or(INVALID_TOKEN)?;
    let allows_format = grant.format.is_none_or(|allowed| allowed == format);
    let is_enabled = match &grant.maker {
        TokenMaker::Account(id) => store::is_user_enabled(tx, id)?,
        TokenMaker::Link(_) | TokenMaker::Public => true,
    };
    if !allows_format || !is_enabled || document.deleted.is_some() {
        return Err(INVALID_TOKEN);
    }
    require_level(tx, &grant.maker.as_caller(), &document, AccessLevel::Read)
        .map_err(|_| INVALID_TOKEN)?;
    Ok((document, grant))
}

/// Deletes the stored tokens of all documents that have expired.
pub fn purge_expired_tokens(tx: &WriteTx<'_>) -> Result<()> {
    download_tokens::delete_expired_tokens(tx)
}
