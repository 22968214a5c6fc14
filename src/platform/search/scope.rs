//! The part of the index that a caller may search.

/// The nodes that a caller may find.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchScope {
    /// All nodes of these owners, except in their closed folders.
    pub owners: Vec<OwnerScope>,
    /// Ids of folders. The caller may find the folder and the nodes directly in it.
    pub folders: Vec<String>,
    /// Ids of single nodes.
    pub ids: Vec<String>,
    /// Ids and names of the owners of all these nodes, because the query can contain the name of
    /// the owner.
    pub names: Vec<(String, String)>,
}

/// The nodes of one owner that a caller may find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerScope {
    /// Account id of the owner.
    pub owner: String,
    /// Ids of folders that are closed to the caller, with the nodes directly in them.
    pub closed: Vec<String>,
}

impl SearchScope {
    /// Returns whether `owner` is one of the owners of the scope and neither the node `id` nor its
    /// parent folder is closed. Ignores the single folders and nodes of the scope. `parent` is None
    /// for a node without a parent folder.
    pub fn contains_through_owner(&self, owner: &str, id: &str, parent: Option<&str>) -> bool {
        let is_closed = |owner_scope: &OwnerScope| {
            owner_scope.closed.iter().any(|closed| closed == id || Some(closed.as_str()) == parent)
        };
        self.owners.iter().any(|owner_scope| owner_scope.owner == owner && !is_closed(owner_scope))
    }
}
