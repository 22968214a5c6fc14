//! Feeds changed nodes into the search index.

use std::collections::HashMap;
use std::collections::HashSet;

use crate::app::App;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db;
use chartroom_platform::db::Db;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::search::IndexEntry;
use chartroom_platform::search::IndexSource;
use chartroom_platform::search::SearchIndexWriter;

/// Approximate number of changed nodes per commit of the index.
const TARGET_CHANGES_PER_COMMIT: u32 = 2000;
/// Number of nodes read from one snapshot of the database. A long snapshot would prevent
/// checkpoints, so the write-ahead log would grow.
const NODES_PER_SNAPSHOT: usize = 100;

/// Returns the identity and the last change number of the database.
pub fn read_source(db: &Db) -> Result<IndexSource> {
    db.read(|tx| {
        Ok(IndexSource {
            database: db::database_id(tx)?,
            last_change: tree::last_change_number(tx)?,
        })
    })
}

/// Indexes the next batch of changes, commits, and returns true. If there is none, marks the index
/// as complete and returns false.
///
/// `initial_change` is the last change number of the database when the index was created. Changes
/// up to it are read for the first time, so their descendants need no update.
pub fn index_next_changes(
    app: &App,
    writer: &mut SearchIndexWriter,
    initial_change: i64,
) -> Result<bool> {
    let after = writer.cursor();
    let Some(until) =
        app.db.read(|tx| tree::next_batch_end(tx, after, TARGET_CHANGES_PER_COMMIT))?
    else {
        if !writer.is_complete() {
            writer.commit(&app.search, after, true)?;
        }
        return Ok(false);
    };
    let mut pending = app.db.read(|tx| tree::list_changed(tx, after, until))?;
    let mut seen: HashSet<NodeId> = pending.iter().cloned().collect();
    while !pending.is_empty() {
        let rest = pending.split_off(pending.len().min(NODES_PER_SNAPSHOT));
        let batch = app
            .db
            .read(|tx| read_nodes(tx, &pending, (until > initial_change).then_some(after)))?;
        for (id, entry) in batch.nodes {
            match entry {
                Some(entry) => writer.upsert(&entry)?,
                None => writer.remove(id.as_str())?,
            }
        }
        pending = rest;
        pending.extend(batch.below.into_iter().filter(|id| seen.insert(id.clone())));
    }
    writer.commit(&app.search, until, false)?;
    Ok(true)
}

/// Index entries of a batch of nodes.
struct NodeBatch {
    /// Index entry of each node; None removes the node from the index.
    nodes: Vec<(NodeId, Option<IndexEntry>)>,
    /// Descendants of changed folders. They need an update because the entry contains the path.
    below: Vec<NodeId>,
}

/// Reads the index entry of each node. It is None if the node does not exist, is in the trash, or
/// is a document without content.
///
/// With the change number `after`, also collects the descendants of each folder in `ids`, except
/// those with a change after that number. They are not among the changes, but their paths may
/// differ.
fn read_nodes(tx: &Tx<'_>, ids: &[NodeId], after: Option<i64>) -> Result<NodeBatch> {
    let mut batch = NodeBatch { nodes: Vec::with_capacity(ids.len()), below: Vec::new() };
    let mut paths = HashMap::new();
    for id in ids {
        let node = tree::find_node(tx, id)?;
        if let (Some(after), Some(Node { is_folder: true, .. })) = (after, &node) {
            batch.below.extend(tree::list_unchanged_below(tx, id, after)?);
        }
        let entry = match node.filter(|node| node.deleted.is_none()) {
            Some(node) => build_index_entry(tx, node, &mut paths)?,
            None => None,
        };
        batch.nodes.push((id.clone(), entry));
    }
    Ok(batch)
}

/// Builds the index entry of a node. Its body has the captions, the data and the names of the kind
/// of a document, and the path of the parent folder. `within` has the parent folder and, for a
/// folder, the folder itself.
///
/// Returns None for a document that has no content. `paths` caches the paths of parent folders.
fn build_index_entry(
    tx: &Tx<'_>,
    node: Node,
    paths: &mut HashMap<Option<NodeId>, String>,
) -> Result<Option<IndexEntry>> {
    let mut body = String::new();
    if !node.is_folder {
        let Some(texts) = documents::load_search_texts(tx, &node.id)? else { return Ok(None) };
        for text in texts
            .captions
            .iter()
            .chain([&documents::load_data_search_text(tx, &node.id)?, &texts.kind_names])
        {
            body.push_str(text);
            body.push('\n');
        }
    }
    if !paths.contains_key(&node.parent) {
        let path = tree::folder_path(tx, node.parent.as_ref())?;
        paths.insert(node.parent.clone(), path.to_string());
    }
    body.push_str(paths.get(&node.parent).map_or("", String::as_str));
    let own_id = node.is_folder.then(|| node.id.to_string());
    Ok(Some(IndexEntry {
        id: node.id.to_string(),
        owner: node.owner.to_string(),
        within: node.parent.map(|id| id.to_string()).into_iter().chain(own_id).collect(),
        title: node.title,
        body,
        updated: node.updated,
    }))
}

/// Deletes the index and builds a new one with all changes. The caller must hold the server lock,
/// because only one process may write the index.
///
/// # Errors
/// If the database cannot be read or the index cannot be written. The old index may already be gone
/// then, and the new one incomplete.
pub fn rebuild(app: &App) -> Result<()> {
    let source = read_source(&app.db)?;
    let mut writer = SearchIndexWriter::create_empty(&app.search, &source)?;
    while index_next_changes(app, &mut writer, source.last_change)? {}
    writer.close()
}
