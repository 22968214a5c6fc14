//! Handler of `/users/{user_id}/documents/{doc}/presence`.

use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;

use super::people;
use super::people::People;
use super::watcher;
use super::watcher::OpenDocument;
use super::watcher::SUBJECT_PREFIX;
use super::watcher::Watcher;
use super::watcher::WatcherAccess;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::OpenCredential;
use crate::features::accounts::User;
use crate::features::documents::Channel;
use crate::features::documents::DocumentTarget;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::event_hub;
use chartroom_platform::http::event_hub::StreamLimit;

/// Maximum number of streams about one document. Each change of its people is sent to all of them.
const MAX_STREAMS_PER_DOCUMENT: usize = 100;
/// Maximum number of streams of one account about all documents. The pages use at most three per
/// browser.
const MAX_STREAMS_PER_ACCOUNT: usize = 20;
/// Number of characters of the random text in a subject.
const NONCE_CHARS: usize = 8;

/// Query of `GET /users/{user_id}/documents/{doc}/presence`.
#[derive(Deserialize, JsonSchema)]
pub struct PresenceQuery {
    /// `1`: returns the current people and revision, and ends. The caller is then not shown to others.
    once: Option<String>,
}

impl PresenceQuery {
    /// Returns whether the response ends after the current state.
    ///
    /// # Errors
    /// `InvalidFields` if the value is not a flag.
    fn is_once(&self) -> Result<bool> {
        match self.once.as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("" | "1" | "true") => Ok(true),
            Some(_) => Err(Error::invalid_field("once", "must be 1 or 0")),
        }
    }
}

/// Handles `GET /users/{user_id}/documents/{doc}/presence`: opens a stream of server-sent events.
///
/// Events: `revision` with the entity tag of the document at the start and after each change, `people`
/// with the other people who have the document open at the start and after each change of them, `end`
/// when the caller loses access or the document is deleted, and periodic `beat`. This function sends
/// only the first `revision`. The notifier thread sends the others.
///
/// The list of people of a caller with several streams is the same in each stream. At most
/// `MAX_STREAMS_PER_DOCUMENT` and `MAX_STREAMS_PER_ACCOUNT` streams are open, further ones are `Busy`.
pub fn stream(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PresenceQuery>,
) -> Result<Response> {
    let is_once = query.is_once()?;
    let target = DocumentTarget {
        user: request.param("user_id")?,
        id: request.param("doc")?,
        if_match: IfMatch::default(),
        channel: Channel::from_request(request, true),
    };
    let share_token_hash =
        request.query_value("share").map(|token| crypto::sha256(token.as_bytes()));
    let nonce = crypto::random_base62(NONCE_CHARS)?;
    let app = &request.app;
    let (watcher, first, revision) = app.db.read(|tx| {
        let viewer = Caller { user: Some(caller.clone()), share_token_hash };
        let open = watcher::open_document(tx, viewer, &target)?;
        let first = first_events(tx, request, &open, is_once)?;
        let credential = OpenCredential::of_request(tx, request, &caller.id)?
            .ok_or(Error::SignInRequired("sign-in required"))?;
        let watcher = Watcher {
            document: open.document.id,
            owner: open.document.owner,
            account: caller.id.clone(),
            since: tx.now,
            credential,
            share_token_hash,
            nonce: nonce.clone(),
        };
        Ok((watcher, first, open.document.revision))
    })?;
    if is_once {
        return event_hub::finite_response(first);
    }
    let account = watcher.account.as_str();
    let document_prefix = watcher::document_prefix(&watcher.document);
    let limits = [
        StreamLimit { prefix: &document_prefix, owner: None, max: MAX_STREAMS_PER_DOCUMENT },
        StreamLimit { prefix: SUBJECT_PREFIX, owner: Some(account), max: MAX_STREAMS_PER_ACCOUNT },
    ];
    let subject = watcher.to_subject();
    let response = app.event_hub.open_within(account, &subject, revision, first, &limits)?;
    // While other streams are open, the notifier waits for commits only.
    app.db.commit_signal().notify();
    Ok(response)
}

/// Returns the event `revision`, and with `with_people` also the event `people`.
fn first_events(
    tx: &Tx<'_>,
    request: &RequestContext,
    open: &OpenDocument,
    with_people: bool,
) -> Result<Bytes> {
    let mut events = people::revision_event(tx, &open.document, open.sees_people)?.to_vec();
    if with_people {
        let mut found = People::default();
        let prefix = watcher::document_prefix(&open.document.id);
        for (subject, _) in request.app.event_hub.stream_states() {
            if open.sees_people
                && subject.starts_with(&prefix)
                && let Some(watcher) = Watcher::from_subject(&subject)
                && let WatcherAccess::Open(other) = watcher.check_access(tx)?
            {
                found.add(&request.app.config.base_url, &watcher, &other);
            }
        }
        let data = found.list_others(&open.user.id)?;
        events.extend_from_slice(&event_hub::format_event("people", &data));
    }
    Ok(events.into())
}
