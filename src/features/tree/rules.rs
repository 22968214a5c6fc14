//! Rules for titles and folder paths, and the types of a node.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Maximum number of characters in the title of a document.
pub const MAX_TITLE_CHARS: usize = 500;
/// Maximum number of characters in a folder name, as in common file systems.
const MAX_SEGMENT_CHARS: usize = 255;
/// Maximum number of nested folders.
pub const MAX_FOLDER_DEPTH: usize = 32;

/// An absolute folder path in Unicode NFC. `/` is the root, `/Sales/2026` is a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderPath(Vec<String>);

impl FolderPath {
    /// Parses an absolute path from a request and converts its names to Unicode NFC. The empty
    /// string is the root, and one trailing slash is allowed.
    ///
    /// # Errors
    /// A message without the name of the field, if the path is not absolute, has an invalid folder
    /// name or more than `MAX_FOLDER_DEPTH` names.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        if matches!(text, "" | "/") {
            return Ok(Self::default());
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err("must be an absolute path that starts with /".to_owned());
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let segments: Vec<String> =
            rest.split('/').map(|name| name.nfc().collect::<String>()).collect();
        for segment in &segments {
            check_segment(segment)?;
        }
        if segments.len() > MAX_FOLDER_DEPTH {
            return Err(format!("must have at most {MAX_FOLDER_DEPTH} nested folders"));
        }
        Ok(Self(segments))
    }

    /// Builds a path from stored folder names without checking them. They start at the root, or
    /// below the folder path `above` if it is present.
    ///
    /// # Errors
    /// `Internal` if `above` is not a valid path.
    pub(super) fn from_stored(above: Option<&str>, names: Vec<String>) -> Result<Self> {
        let Some(above) = above else { return Ok(Self(names)) };
        let mut path = Self::parse(above).map_err(Error::internal)?;
        path.0.extend(names);
        Ok(path)
    }

    /// Returns the folder names, starting at the root.
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// Returns the last folder name, or an empty string for the root.
    pub fn name(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Returns the path of the parent folder, or None for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        Some(Self(above.to_vec()))
    }

    /// Returns the path of the first `depth` folders: the root for 0, and the whole path if it has no
    /// more.
    pub(super) fn ancestor_at_depth(&self, depth: usize) -> Self {
        Self(self.0.iter().take(depth).cloned().collect())
    }

    /// Returns the path of the folder `name` in this folder. Does not check the name.
    pub fn child(&self, name: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(name.to_owned());
        Self(segments)
    }

    /// Returns the path of an item named `name` in this folder as text. Escapes nothing.
    pub fn join(&self, name: &str) -> String {
        if self.0.is_empty() { format!("/{name}") } else { format!("{self}/{name}") }
    }
}

impl fmt::Display for FolderPath {
    /// Writes the path with a slash before each name, and `/` for the root.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|segment| write!(f, "/{segment}"))
    }
}

/// A document or folder as the tree stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Node id. A document has the same id.
    pub id: NodeId,
    /// Whether the node is a folder. Otherwise it is a document.
    pub is_folder: bool,
    /// Account that owns the node.
    pub owner: AccountId,
    /// Folder that contains the node. None is the root of the owner.
    pub parent: Option<NodeId>,
    /// Title of a document, or name of a folder.
    pub title: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Account id of the last author. Empty for a guest with a share link.
    pub updated_by: String,
    /// Time at which the node was put in the trash.
    pub deleted: Option<Timestamp>,
    /// Node that was put in the trash and took this node along: the node itself or a folder above.
    pub trash_root: Option<NodeId>,
    /// Absolute path of the former parent folder. Present only on a trash root.
    pub trash_path: Option<String>,
    /// Counter of changes to this node.
    pub revision: i64,
}

impl Node {
    /// Returns the owner, the parent folder and the title as stored.
    pub fn placement(&self) -> NodePlacement {
        NodePlacement {
            owner: self.owner.clone(),
            parent: self.parent.clone(),
            title: self.title.clone(),
        }
    }
}

/// Owner, parent folder and title of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePlacement {
    /// Account that owns the node.
    pub owner: AccountId,
    /// Folder that contains the node. None is the root of the owner.
    pub parent: Option<NodeId>,
    /// Title of a document, or name of a folder.
    pub title: String,
}

/// Parses the name of a folder and converts it to Unicode NFC.
///
/// # Errors
/// A message without the name of the field, if the name is empty, `.`, `..` or too long, or
/// contains a slash or a control character.
pub fn parse_folder_name(text: &str) -> std::result::Result<String, String> {
    let name: String = text.nfc().collect();
    match name.contains('/') {
        true => Err("must not contain a slash".to_owned()),
        false if name.is_empty() => Err("must not be empty".to_owned()),
        false => check_segment(&name).map(|()| name),
    }
}

/// Appends a space and a number to a folder name that is in use, as in `Sales 2`. Shortens the name so
/// that the result has the maximum length or less.
pub fn append_number(name: &str, number: u32) -> String {
    let number = format!(" {number}");
    let max_chars = MAX_SEGMENT_CHARS - number.chars().count();
    name.chars().take(max_chars).chain(number.chars()).collect()
}

/// Checks that one folder name of a path is not empty, `.` or `..`, and has no control character
/// and at most `MAX_SEGMENT_CHARS` characters. The caller checks that it has no slash.
///
/// # Errors
/// A message such as `must not contain control characters`. The caller adds the name of the field.
fn check_segment(segment: &str) -> std::result::Result<(), String> {
    match segment {
        "" => Err("must not contain an empty name between two slashes".to_owned()),
        "." | ".." => Err("must not contain . or .. as a name".to_owned()),
        _ if segment.chars().any(char::is_control) => {
            Err("must not contain control characters".to_owned())
        }
        _ if segment.chars().count() > MAX_SEGMENT_CHARS => {
            Err(format!("must not contain a name of more than {MAX_SEGMENT_CHARS} characters"))
        }
        _ => Ok(()),
    }
}

/// Parses the title of a document and converts it to Unicode NFC. It may be empty. Only its length
/// is checked.
///
/// # Errors
/// A message without the name of the field, if the title has more than [`MAX_TITLE_CHARS`]
/// characters.
pub fn parse_title(text: &str) -> std::result::Result<String, String> {
    let title: String = text.nfc().collect();
    if title.chars().count() > MAX_TITLE_CHARS {
        return Err(format!("must have at most {MAX_TITLE_CHARS} characters"));
    }
    Ok(title)
}

/// Returns the strong entity tag of a document or folder, without quotes: its id, revision and
/// `restore_epoch`, joined by hyphens. The tag of a folder does not change with its contents.
///
/// `restore_epoch` is that of the database, because a restore sets revisions back. If it is empty, it
/// is left out.
pub fn entity_tag(restore_epoch: &str, id: &NodeId, revision: i64) -> String {
    let separator = if restore_epoch.is_empty() { "" } else { "-" };
    [id.as_str(), "-", &revision.to_string(), separator, restore_epoch].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_absolute_with_valid_names() {
        let ok = |text: &str, want: &str| {
            assert_eq!(FolderPath::parse(text).unwrap().to_string(), want, "{text:?}");
        };
        ok("", "/");
        ok("/", "/");
        ok("/Sales", "/Sales");
        ok("/Sales/2026/", "/Sales/2026");
        ok("/Cafe\u{301}", "/Café");
        let deep = "/a".repeat(MAX_FOLDER_DEPTH);
        ok(&deep, &deep);

        let bad = |text: &str, want: &str| {
            let error = FolderPath::parse(text).unwrap_err();
            assert!(error.contains(want), "{text:?}: {error}");
        };
        bad("Sales", "starts with /");
        bad("//", "empty name");
        bad("/a//b", "empty name");
        bad("/a/../b", "..");
        bad("/a\u{7}", "control");
        bad(&format!("/{}", "x".repeat(256)), "255");
        bad(&"/a".repeat(MAX_FOLDER_DEPTH + 1), "32");
    }

    #[test]
    fn folder_name_is_one_segment() {
        assert_eq!(parse_folder_name("Cafe\u{301} 2").as_deref(), Ok("Café 2"));
        for (text, want) in [("", "empty"), ("a/b", "slash"), ("..", ".."), ("a\n", "control")] {
            let error = parse_folder_name(text).unwrap_err();
            assert!(error.contains(want), "{text:?}: {error}");
        }
    }

    #[test]
    fn numbered_name_keeps_the_maximum_length() {
        assert_eq!(append_number("Report 2026", 2), "Report 2026 2");
        let long = append_number(&"é".repeat(255), 12);
        assert_eq!((long.chars().count(), long.ends_with("é 12")), (255, true));
    }

    #[test]
    fn path_joins_a_title_with_one_slash() {
        assert_eq!(FolderPath::default().join("Plan"), "/Plan");
        let path = FolderPath::parse("/a/b").unwrap();
        assert_eq!(path.join("Plan"), "/a/b/Plan");
        assert_eq!(path.child("Plan").to_string(), "/a/b/Plan");
        assert_eq!(path.child("Plan").parent(), Some(path));
        assert_eq!(FolderPath::default().parent(), None);
    }
}
