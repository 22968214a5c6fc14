//! What titles and folder paths may look like.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Most characters of a document's title.
pub const MAX_TITLE: usize = 500;
/// Most characters of one segment of a folder's path, as file systems have it.
const MAX_SEGMENT: usize = 255;
/// Most folders within each other.
pub const MAX_DEPTH: usize = 32;

/// An absolute folder path in Unicode's composed form: `/` is the root, `/Sales/2026` is a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderPath(Vec<String>);

impl FolderPath {
    /// Reads a path as a caller wrote it. The empty text is the root, and one slash at the end is
    /// allowed.
    ///
    /// # Errors
    /// A text that says what is wrong.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        if matches!(text, "" | "/") {
            return Ok(Self::default());
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err("must be an absolute path that begins with /".to_owned());
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let segments: Vec<String> =
            rest.split('/').map(|it| it.nfc().collect::<String>()).collect();
        for segment in &segments {
            check_segment(segment)?;
        }
        if segments.len() > MAX_DEPTH {
            return Err(format!("has more than {MAX_DEPTH} folders within each other"));
        }
        Ok(Self(segments))
    }

    /// A path as it is stored: names from the root down, or from the folder at `above`, of which
    /// only the path is known.
    pub(super) fn stored(above: Option<&str>, names: Vec<String>) -> Result<Self> {
        let Some(above) = above else { return Ok(Self(names)) };
        let mut path = Self::parse(above).map_err(Error::internal)?;
        path.0.extend(names);
        Ok(path)
    }

    /// The names from the root down.
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// The last name; empty for the root.
    pub fn title(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The path of the folder that this one is in; none for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        Some(Self(above.to_vec()))
    }

    /// The path of the folder above that is this many folders deep.
    pub(super) fn upper(&self, depth: usize) -> Self {
        Self(self.0.iter().take(depth).cloned().collect())
    }

    /// The path of the folder named `title` in this one.
    pub fn child(&self, title: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(title.to_owned());
        Self(segments)
    }

    /// The path of something named `title` in this folder.
    pub fn join(&self, title: &str) -> String {
        if self.0.is_empty() { format!("/{title}") } else { format!("{self}/{title}") }
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|segment| write!(f, "/{segment}"))
    }
}

/// A document or folder as the tree knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: NodeId,
    /// A folder; else a document.
    pub is_folder: bool,
    /// Whose it is.
    pub owner: AccountId,
    /// The folder it is in; none is the owner's root.
    pub parent: Option<NodeId>,
    /// A document's title or a folder's name.
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id; empty for a guest with a share link.
    pub updated_by: String,
    /// In the trash since.
    pub deleted: Option<Timestamp>,
    /// What was put into the trash and took this along: itself, or a folder above.
    pub trash_root: Option<NodeId>,
    /// Absolute path of the folder that a trash root was in.
    pub trash_path: Option<String>,
    /// Counts its changes.
    pub revision: i64,
}

/// Where a node is and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose it is.
    pub owner: AccountId,
    /// The folder it is in; none is the owner's root.
    pub parent: Option<NodeId>,
    /// A document's title or a folder's name.
    pub title: String,
}

/// A folder's name in Unicode's composed form.
///
/// # Errors
/// A text that says what is wrong.
pub fn clean_name(text: &str) -> std::result::Result<String, String> {
    let name: String = text.nfc().collect();
    match name.contains('/') {
        true => Err("must not have a slash".to_owned()),
        false if name.is_empty() => Err("must not be empty".to_owned()),
        false => check_segment(&name).map(|()| name),
    }
}

/// A folder's name with a number behind it, for when the name is taken.
pub fn numbered(name: &str, number: u32) -> String {
    let number = format!(" {number}");
    let room = MAX_SEGMENT - number.chars().count();
    name.chars().take(room).chain(number.chars()).collect()
}

fn check_segment(segment: &str) -> std::result::Result<(), String> {
    match segment {
        "" => Err("has an empty name between two slashes".to_owned()),
        "." | ".." => Err("must not have . or .. as a name".to_owned()),
        _ if segment.chars().any(char::is_control) => {
            Err("must not have control characters".to_owned())
        }
        _ if segment.chars().count() > MAX_SEGMENT => {
            Err(format!("has a name of more than {MAX_SEGMENT} characters"))
        }
        _ => Ok(()),
    }
}

/// A document's title in Unicode's composed form. An empty one is allowed.
///
/// # Errors
/// A text that says what is wrong.
pub fn clean_title(text: &str) -> std::result::Result<String, String> {
    let title: String = text.nfc().collect();
    if title.chars().count() > MAX_TITLE {
        return Err(format!("has more than {MAX_TITLE} characters"));
    }
    Ok(title)
}

/// The strong entity tag of a document or a folder, without quotes: of its own state, not of what
/// is in it.
pub fn tag(id: &NodeId, revision: i64) -> String {
    [id.as_str(), "-", &revision.to_string()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_their_names_are_plain() {
        let ok = |text: &str, want: &str| {
            assert_eq!(FolderPath::parse(text).unwrap().to_string(), want, "{text:?}");
        };
        ok("", "/");
        ok("/", "/");
        ok("/Sales", "/Sales");
        ok("/Sales/2026/", "/Sales/2026");
        ok("/Cafe\u{301}", "/Café");
        let deep = "/a".repeat(MAX_DEPTH);
        ok(&deep, &deep);

        let bad = |text: &str, want: &str| {
            let error = FolderPath::parse(text).unwrap_err();
            assert!(error.contains(want), "{text:?}: {error}");
        };
        bad("Sales", "begins with /");
        bad("//", "empty name");
        bad("/a//b", "empty name");
        bad("/a/../b", "..");
        bad("/a\u{7}", "control");
        bad(&format!("/{}", "x".repeat(256)), "255");
        bad(&"/a".repeat(MAX_DEPTH + 1), "32");
    }

    #[test]
    fn a_name_is_one_segment() {
        assert_eq!(clean_name("Cafe\u{301} 2").as_deref(), Ok("Café 2"));
        for (text, want) in [("", "empty"), ("a/b", "slash"), ("..", ".."), ("a\n", "control")] {
            let error = clean_name(text).unwrap_err();
            assert!(error.contains(want), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_number_behind_a_name_leaves_it_as_long_as_names_may_be() {
        assert_eq!(numbered("Report 2026", 2), "Report 2026 2");
        let long = numbered(&"é".repeat(255), 12);
        assert_eq!((long.chars().count(), long.ends_with("é 12")), (255, true));
    }

    #[test]
    fn a_path_joins_a_title_with_one_slash() {
        assert_eq!(FolderPath::default().join("Plan"), "/Plan");
        let path = FolderPath::parse("/a/b").unwrap();
        assert_eq!(path.join("Plan"), "/a/b/Plan");
        assert_eq!(path.child("Plan").to_string(), "/a/b/Plan");
        assert_eq!(path.child("Plan").parent(), Some(path));
        assert_eq!(FolderPath::default().parent(), None);
    }
}
