//! Paths of Dropbox: `/folder/name`, `id:…` and `id:…/name`.

use crate::tree::Node;
use crate::tree::Tree;

/// Object that a path names.
pub(super) enum Target<'a> {
    Root,
    Node(&'a Node),
}

impl Target<'_> {
    /// Returns the id of the object. `root` for the root folder.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Root => "root".to_owned(),
            Self::Node(node) => node.id.clone(),
        }
    }
}

/// Place for a file or folder.
pub(super) struct Place {
    /// Id of the folder.
    pub(super) parent: String,
    pub(super) name: String,
    /// Id of the file or folder that has this name in any case.
    pub(super) existing: Option<String>,
}

/// Returns the path of a file or folder.
pub(super) fn display_path(tree: &Tree, node: &Node) -> String {
    let parent = tree.find(&node.parent).map(|parent| display_path(tree, parent));
    format!("{}/{}", parent.unwrap_or_default(), node.name)
}

/// Returns whether Dropbox accepts a name: no backslash, no DEL, no white space at its end.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name != "."
        && name != ".."
        && name.trim_end() == name
        && !name.contains(['\\', '\u{7f}'])
}

/// Finds the object with a path. The path `""` is the root folder.
///
/// # Errors
/// The tag of the error.
pub(super) fn find<'a>(tree: &'a Tree, path: &str) -> Result<Target<'a>, &'static str> {
    let (mut target, rest) = split_base(tree, path).ok_or("malformed_path")??;
    for name in rest {
        if !is_name(name) {
            return Err("malformed_path");
        }
        target = Target::Node(tree.find_child(&target.id(), name).ok_or("not_found")?);
    }
    Ok(target)
}

/// Object at which a path begins, and the names below it; or the tag of the error.
type Base<'a, 'b> = Result<(Target<'a>, Vec<&'b str>), &'static str>;

/// Returns the object at which a path begins, and the names below it. None for a malformed path.
fn split_base<'a, 'b>(tree: &'a Tree, path: &'b str) -> Option<Base<'a, 'b>> {
    let mut names = path.split('/');
    let base = match names.next().unwrap_or_default() {
        "" => Ok(Target::Root),
        id if id.starts_with("id:") => tree.find(id).map(Target::Node).ok_or("not_found"),
        _ => return None,
    };
    Some(base.map(|base| (base, names.collect())))
}

/// Finds the place for a write. Creates the folders of the path that are missing, as Dropbox does.
///
/// # Errors
/// The tags of the error.
pub(super) fn find_place(tree: &mut Tree, path: &str) -> Result<Place, &'static [&'static str]> {
    const MALFORMED: &[&str] = &["malformed_path"];
    if let Some(node) = tree.nodes.iter().find(|node| node.id == path) {
        // The file may be in the trash. A write without precondition creates it again.
        let existing = tree.find(path).map(|node| node.id.clone());
        return Ok(Place { parent: node.parent.clone(), name: node.name.clone(), existing });
    }
    let base = split_base(tree, path).ok_or(MALFORMED)?;
    let (base, names) = base.map_err(|_| MALFORMED)?;
    let (name, folders) = names.split_last().ok_or(MALFORMED)?;
    if !names.iter().all(|name| is_name(name)) {
        return Err(MALFORMED);
    }
    if matches!(&base, Target::Node(node) if node.content.is_some()) {
        return Err(&["conflict", "file_ancestor"]);
    }
    let mut parent = base.id();
    for folder in folders {
        parent = match tree.find_child(&parent, folder) {
            Some(node) if node.content.is_some() => return Err(&["conflict", "file_ancestor"]),
            Some(node) => node.id.clone(),
            None => tree.add_folder(&parent, folder),
        };
    }
    let existing = tree.find_child(&parent, name).map(|node| node.id.clone());
    Ok(Place { parent, name: (*name).to_owned(), existing })
}
