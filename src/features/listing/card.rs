//! A listing entry as the HTML pages present it: image, title and a short note.

use super::ListingEntry;
use crate::features::documents;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// A chart or a folder in a list on a page.
#[derive(Debug)]
pub struct Card {
    pub title: String,
    /// Path of the node's page; empty in the trash.
    pub view: String,
    /// Path of the thumbnail; empty for folders.
    pub picture: String,
    /// Short description of `stamp` or of the folder's size.
    pub note: String,
    /// Time of the last change or of the move to the trash.
    pub stamp: Option<DisplayTime>,
    /// Matching text of a search as HTML; empty otherwise.
    pub excerpt: String,
    /// Whether the scripts of the page load the thumbnail when it comes near the visible area.
    pub is_deferred: bool,
}

/// A time in the two forms that a page needs.
#[derive(Debug)]
pub struct DisplayTime {
    /// RFC 3339, which scripts convert to the local time zone.
    pub iso: String,
    /// Readable UTC time for browsers without scripts.
    pub text: String,
}

impl From<Timestamp> for DisplayTime {
    /// Formats a time as RFC 3339 and as readable UTC text to the minute.
    fn from(time: Timestamp) -> Self {
        Self { iso: time.to_string(), text: time.format_to_minute() }
    }
}

impl Card {
    /// Returns the card of an entry with its page at `view`. A document has its thumbnail and the
    /// time of its change or deletion. A folder has no thumbnail, and its number of items as note.
    ///
    /// `share` is the query prefix that opens the thumbnail through a share link: empty, or a
    /// parameter with a trailing `&`.
    pub fn from_entry(entry: &ListingEntry, view: String, share: &str) -> Self {
        let excerpt = entry.highlight.clone().unwrap_or_default();
        if let Some(document) = &entry.document {
            let endpoint = documents::endpoint_url("", &document.owner, &document.id);
            let version = document.history_version;
            return Self {
                title: display_title(&document.title).to_owned(),
                view,
                picture: format!("{endpoint}/thumbnail.png?{share}v={version}"),
                note: language::text(match document.deleted_at {
                    Some(_) => "library-page.deleted",
                    None => "library-page.changed",
                })
                .to_owned(),
                stamp: Some(document.deleted_at.unwrap_or(document.updated).into()),
                excerpt,
                is_deferred: false,
            };
        }
        let (title, item_count, deleted) = match &entry.folder {
            Some(folder) => (
                folder.title.clone(),
                folder.document_count + folder.folder_count,
                folder.deleted_at,
            ),
            None => (String::new(), 0, None),
        };
        let note = if deleted.is_some() {
            language::text("library-page.folderDeleted").to_owned()
        } else {
            format_item_count(item_count)
        };
        let (picture, stamp) = (String::new(), deleted.map(DisplayTime::from));
        Self { title, view, picture, note, stamp, excerpt, is_deferred: false }
    }
}

/// Returns the text for the number of nodes in a folder. 0 gives `Empty` in the current language.
fn format_item_count(count: i64) -> String {
    match count {
        0 => language::text("library-page.itemsNone").to_owned(),
        _ => language::fill("library-page.items").with("count", count).into(),
    }
}

/// Returns the title unchanged, or `Untitled` in the current language if it is empty or has only white
/// space.
pub fn display_title(title: &str) -> &str {
    if title.trim().is_empty() { language::text("common.untitled") } else { title }
}
