//! The people who have a document open, and the events about them and the document.

use std::collections::BTreeMap;

use hyper::body::Bytes;
use serde::Serialize;

use super::watcher::DocumentState;
use super::watcher::OpenDocument;
use super::watcher::Watcher;
use crate::features::access::AccessLevel;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::event_hub::format_event;
use chartroom_platform::id::AccountId;
use chartroom_platform::text;
use chartroom_platform::time::Timestamp;

/// Activity of a person in a document, by the access of their streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// May only read it.
    View,
    /// May change it. The page of such a person is the editor.
    Edit,
}

/// A person in the event `people`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Person {
    /// Account id.
    id: AccountId,
    name: String,
    /// URL of the avatar image, which has the initials unless the person has uploaded an image.
    avatar_url: String,
    activity: Activity,
    /// Time at which the person opened the document, in the tab that is open longest.
    since: Timestamp,
}

/// The people who have one document open, one for each account.
#[derive(Debug, Default)]
pub struct People(BTreeMap<AccountId, Person>);

impl People {
    /// Adds the caller of a stream, unless they see no people. A second stream of an account changes
    /// the entry of the first: the higher activity and the earlier time count.
    pub fn add(&mut self, base_url: &str, watcher: &Watcher, open: &OpenDocument) {
        if !open.sees_people {
            return;
        }
        let activity = match open.level {
            AccessLevel::Write => Activity::Edit,
            AccessLevel::Read | AccessLevel::None => Activity::View,
        };
        let person = self.0.entry(watcher.account.clone()).or_insert_with(|| Person {
            id: watcher.account.clone(),
            name: text::single_line_title(&open.user.name),
            avatar_url: accounts::avatar_url(base_url, &watcher.account),
            activity,
            since: watcher.since,
        });
        person.activity = person.activity.max(activity);
        person.since = person.since.min(watcher.since);
    }

    /// Returns the people except `viewer` as JSON, in the order in which they opened the document.
    ///
    /// # Errors
    /// If JSON cannot be written, which does not happen.
    pub fn list_others(&self, viewer: &AccountId) -> Result<String> {
        let mut others: Vec<&Person> =
            self.0.values().filter(|person| person.id != *viewer).collect();
        others.sort_by_key(|person| (person.since, &person.id));
        Ok(serde_json::to_string(&others)?)
    }
}

/// Data of the event `revision`.
#[derive(Serialize)]
struct RevisionView<'a> {
    /// Entity tag of the document. That of a representation may have an addition after `+`.
    etag: String,
    /// Number of changes of the document.
    revision: i64,
    updated: Timestamp,
    /// Account id of the author of the last change. Empty for a guest.
    updated_by: &'a str,
    /// Name of that author, for callers who see people.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_by_name: Option<String>,
}

/// Formats the event `revision` with the state of a document. `names_author` adds the name of the
/// author of the last change.
///
/// # Errors
/// If the author cannot be read.
pub fn revision_event(tx: &Tx<'_>, document: &DocumentState, names_author: bool) -> Result<Bytes> {
    let author = || accounts::display_name(tx, &AccountId::from_text(document.updated_by.as_str()));
    let tag = tree::entity_tag(tx.restore_epoch, &document.id, document.revision);
    let view = RevisionView {
        etag: format!("\"{tag}\""),
        revision: document.revision,
        updated: document.updated,
        updated_by: &document.updated_by,
        updated_by_name: names_author.then(author).transpose()?,
    };
    Ok(format_event("revision", &serde_json::to_string(&view)?))
}
