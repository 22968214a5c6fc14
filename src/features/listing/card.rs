//! A listing's entry as the pages show it: a picture, a name and a few words.

use super::Entry;
use crate::features::documents;
use chartroom_platform::time::Timestamp;

/// A chart or a folder among others.
#[derive(Debug)]
pub struct Card {
    pub title: String,
    /// Address of its page; empty in the trash.
    pub view: String,
    /// Address of its picture; empty for folders.
    pub picture: String,
    /// What it is, in a few words.
    pub note: String,
    /// When that was.
    pub stamp: Option<Stamp>,
    /// Found by a search: the place that matches, as HTML.
    pub excerpt: String,
}

/// A moment as a page has it.
#[derive(Debug)]
pub struct Stamp {
    /// RFC 3339, for the browser's own clock.
    pub iso: String,
    /// For people whose browser runs no scripts.
    pub text: String,
}

impl From<Timestamp> for Stamp {
    fn from(time: Timestamp) -> Self {
        Self { iso: time.to_string(), text: time.readable() }
    }
}

impl Card {
    /// The card of an entry, whose page is at `view`. `share` is what belongs in the query to open
    /// its picture: empty, or with an `&` at the end.
    pub fn of(entry: &Entry, view: String, share: &str) -> Self {
        let excerpt = entry.highlight.clone().unwrap_or_default();
        if let Some(document) = &entry.document {
            let endpoint = documents::endpoint("", &document.owner, &document.id);
            let version = document.history_version;
            return Self {
                title: shown_title(&document.title).to_owned(),
                view,
                picture: format!("{endpoint}/thumbnail.png?{share}v={version}"),
                note: if document.deleted_at.is_some() { "Deleted" } else { "Changed" }.to_owned(),
                stamp: Some(document.deleted_at.unwrap_or(document.updated).into()),
                excerpt,
            };
        }
        let (title, inside, deleted) = match &entry.folder {
            Some(it) => (it.title.clone(), it.document_count + it.folder_count, it.deleted_at),
            None => (String::new(), 0, None),
        };
        let note =
            if deleted.is_some() { "Folder · deleted".to_owned() } else { inside_note(inside) };
        let (picture, stamp) = (String::new(), deleted.map(Stamp::from));
        Self { title, view, picture, note, stamp, excerpt }
    }
}

fn inside_note(count: i64) -> String {
    match count {
        0 => "Empty".to_owned(),
        1 => "1 item".to_owned(),
        _ => format!("{count} items"),
    }
}

/// What a title looks like that may be blank.
pub fn shown_title(title: &str) -> &str {
    if title.trim().is_empty() { "Untitled" } else { title }
}
