//! A listing's entry as the pages show it: a picture, a name and a few words.

use super::Entry;
use crate::features::documents;

/// A chart or a folder among others.
pub struct Card {
    pub title: String,
    /// Address of its page.
    pub view: String,
    /// Address of its picture; empty for folders.
    pub picture: String,
    /// What it is, in a few words.
    pub note: String,
}

impl Card {
    /// The card of an entry, whose page is at `view`. `share` is what belongs in the query to open
    /// its picture: empty, or with an `&` at the end.
    pub fn of(entry: &Entry, view: String, share: &str) -> Self {
        if let Some(document) = &entry.document {
            let endpoint = documents::endpoint("", &document.owner, &document.id);
            return Self {
                title: shown_title(&document.title).to_owned(),
                view,
                picture: format!("{endpoint}/thumbnail.png?{share}v={}", document.history_version),
                note: format!("Changed {}", document.updated),
            };
        }
        let (title, inside) = entry.folder.as_ref().map_or_else(Default::default, |it| {
            (it.title.clone(), it.document_count + it.folder_count)
        });
        Self { title, view, picture: String::new(), note: format!("Folder · {inside} inside") }
    }
}

/// What a title looks like that may be blank.
pub fn shown_title(title: &str) -> &str {
    if title.trim().is_empty() { "Untitled" } else { title }
}
