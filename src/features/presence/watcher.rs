//! An open stream of a document, and the check that its caller still may have it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::OpenCredential;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::documents::Document;
use crate::features::documents::DocumentTarget;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// First word of the subjects of these streams in the event hub. Streams of other features have
/// subjects without spaces.
pub const SUBJECT_PREFIX: &str = "presence ";

/// Returns whether a subject in the event hub is that of a stream of this feature.
pub fn is_presence_subject(subject: &str) -> bool {
    subject.starts_with(SUBJECT_PREFIX)
}

/// Returns the beginning of the subjects of all streams about a document.
pub fn document_prefix(document: &NodeId) -> String {
    format!("{SUBJECT_PREFIX}{document} ")
}

/// The caller of an open stream. The subject of the stream has all fields, so that the event hub is
/// the only list of streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Watcher {
    pub document: NodeId,
    /// Account that owned the document when the stream was opened.
    pub owner: AccountId,
    /// Account of the caller.
    pub account: AccountId,
    /// Time at which the stream was opened.
    pub since: Timestamp,
    pub credential: OpenCredential,
    /// SHA-256 of the token of a share link in the request.
    pub share_token_hash: Option<Sha256Hash>,
    /// Random text that makes the subject unique.
    pub nonce: String,
}

/// The reason why a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The credential of the stream has ended.
    SignedOut,
    /// The document was deleted, or the caller may no longer read it. The reasons are not told
    /// apart, because hidden documents look absent.
    Gone,
}

impl EndReason {
    /// Returns the value of `reason` in the event `end`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::Gone => "gone",
        }
    }
}

/// The access of a watcher at the moment.
pub enum WatcherAccess {
    Open(OpenDocument),
    Ended(EndReason),
}

/// The state of a document, without its texts, which can be large.
#[derive(Debug, Clone)]
pub struct DocumentState {
    pub id: NodeId,
    /// Account that owns the document.
    pub owner: AccountId,
    /// Counter of changes. It is part of the entity tag.
    pub revision: i64,
    pub updated: Timestamp,
    /// Account id of the author of the last change. Empty for a guest.
    pub updated_by: String,
}

/// A document that a watcher may read.
pub struct OpenDocument {
    pub document: DocumentState,
    pub user: User,
    /// Access level of the watcher on the document.
    pub level: AccessLevel,
    /// Whether the watcher may read the document even if it were not public.
    pub sees_people: bool,
}

impl Watcher {
    /// Returns the subject of the stream: the fields, separated by spaces.
    pub fn to_subject(&self) -> String {
        let share = self.share_token_hash.map(|hash| URL_SAFE_NO_PAD.encode(hash));
        [
            &document_prefix(&self.document),
            self.owner.as_str(),
            " ",
            self.account.as_str(),
            " ",
            &self.since.0.to_string(),
            " ",
            &self.credential.to_text(),
            " ",
            share.as_deref().unwrap_or("-"),
            " ",
            &self.nonce,
        ]
        .concat()
    }

    /// Parses the result of [`Watcher::to_subject`]. Returns None for any other text.
    pub fn from_subject(subject: &str) -> Option<Self> {
        let mut fields = subject.strip_prefix(SUBJECT_PREFIX)?.split(' ');
        let watcher = Self {
            document: NodeId::from_text(fields.next()?),
            owner: AccountId::from_text(fields.next()?),
            account: AccountId::from_text(fields.next()?),
            since: Timestamp(fields.next()?.parse().ok()?),
            credential: OpenCredential::from_text(fields.next()?)?,
            share_token_hash: match fields.next()? {
                "-" => None,
                text => Some(Sha256Hash::try_from(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?),
            },
            nonce: fields.next()?.to_owned(),
        };
        fields.next().is_none().then_some(watcher)
    }

    /// Checks the credential and the access of the watcher, and loads the document.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn check_access(&self, tx: &Tx<'_>) -> Result<WatcherAccess> {
        let Some(user) = self.credential.find_user(tx, &self.account)? else {
            return Ok(WatcherAccess::Ended(EndReason::SignedOut));
        };
        let caller = Caller { user: Some(user), share_token_hash: self.share_token_hash };
        let target = DocumentTarget {
            user: self.owner.to_string(),
            id: self.document.clone(),
            if_match: IfMatch::default(),
            channel: Channel::Api,
        };
        match open_document(tx, caller, &target) {
            Ok(open) => Ok(WatcherAccess::Open(open)),
            Err(
                Error::NotFound(_)
                | Error::Forbidden(_)
                | Error::Conflict(_)
                | Error::SignInRequired(_),
            ) => Ok(WatcherAccess::Ended(EndReason::Gone)),
            Err(error) => Err(error),
        }
    }
}

/// Loads a document for a signed-in caller who may read it.
///
/// # Errors
/// `NotFound` if the caller may not read it, `Conflict` if it is in the trash, `SignInRequired` if
/// the caller is not signed in.
pub fn open_document(tx: &Tx<'_>, caller: Caller, target: &DocumentTarget) -> Result<OpenDocument> {
    let (document, level) = documents::find_shared(tx, &caller, target)?;
    document.check_not_in_trash()?;
    let resource = Resource {
        node: Some(&document.id),
        owner: &document.owner,
        is_public: false,
        in_trash: false,
    };
    let sees_people = access::access_level(tx, &caller, &resource)? != AccessLevel::None;
    let user = caller.user.ok_or(Error::SignInRequired("sign-in required"))?;
    let Document { id, owner, revision, updated, updated_by, .. } = document;
    let document = DocumentState { id, owner, revision, updated, updated_by };
    Ok(OpenDocument { document, user, level, sees_people })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_keeps_all_fields() {
        let watcher = Watcher {
            document: NodeId::from_text("0198c0de-0000-7000-8000-000000000001"),
            owner: AccountId::from_text("12ab"),
            account: AccountId::from_text("34"),
            since: Timestamp(1_795_000_000_123),
            credential: OpenCredential::Session([7; 32]),
            share_token_hash: Some([9; 32]),
            nonce: "Xy0".to_owned(),
        };
        let subject = watcher.to_subject();
        assert!(is_presence_subject(&subject));
        assert!(subject.starts_with(&document_prefix(&watcher.document)));
        assert_eq!(Watcher::from_subject(&subject), Some(watcher.clone()));
        let without_link = Watcher { share_token_hash: None, ..watcher };
        assert_eq!(Watcher::from_subject(&without_link.to_subject()), Some(without_link));
        for text in ["", "0198c0de", "presence a b", &format!("{subject} more")] {
            assert_eq!(Watcher::from_subject(text), None, "{text}");
        }
    }
}
