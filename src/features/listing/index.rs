//! Keeps the search index in step with the documents: what changed is read and put in.

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
use chartroom_platform::search::Entry;
use chartroom_platform::search::Feed;
use chartroom_platform::search::Source;

/// About how many changed nodes go into one commit.
const BATCH: u32 = 2000;
/// Nodes that are read from one snapshot of the database: a long one would keep its log from being
/// emptied.
const AT_ONCE: usize = 100;

/// The database as the index must know it.
pub fn source(db: &Db) -> Result<Source> {
    db.read(|tx| Ok(Source { database: db::id(tx)?, last_change: tree::last_change(tx)? }))
}

/// Puts the next changes into the index and commits them. False: there was nothing to do.
///
/// `known` is the last change that there was when the index was begun: up to there, nodes are read
/// for the first time.
pub fn step(app: &App, feed: &mut Feed, known: i64) -> Result<bool> {
    let after = feed.cursor();
    let Some(until) = app.db.read(|tx| tree::next_changes(tx, after, BATCH))? else {
        if !feed.is_whole() {
            feed.commit(&app.search, after, true)?;
        }
        return Ok(false);
    };
    let mut waiting = app.db.read(|tx| tree::changed(tx, after, until))?;
    let mut seen: HashSet<NodeId> = waiting.iter().cloned().collect();
    while !waiting.is_empty() {
        let rest = waiting.split_off(waiting.len().min(AT_ONCE));
        let read = app.db.read(|tx| read(tx, &waiting, (until > known).then_some(after)))?;
        for (id, entry) in read.nodes {
            match entry {
                Some(entry) => feed.put(&entry)?,
                None => feed.remove(id.as_str())?,
            }
        }
        waiting = rest;
        waiting.extend(read.below.into_iter().filter(|id| seen.insert(id.clone())));
    }
    feed.commit(&app.search, until, false)?;
    Ok(true)
}

/// What was read of some nodes.
struct Read {
    /// With nothing for what is not to be found.
    nodes: Vec<(NodeId, Option<Entry>)>,
    /// What is below the folders among them: its path has changed with theirs.
    below: Vec<NodeId>,
}

/// Reads nodes, and, with `after`, what is below folders and has not changed itself since then.
fn read(tx: &Tx<'_>, ids: &[NodeId], after: Option<i64>) -> Result<Read> {
    let mut read = Read { nodes: Vec::with_capacity(ids.len()), below: Vec::new() };
    let mut paths = HashMap::new();
    for id in ids {
        let node = tree::find(tx, id)?;
        if let (Some(after), Some(Node { is_folder: true, .. })) = (after, &node) {
            read.below.extend(tree::unchanged_below(tx, id, after)?);
        }
        let entry = match node.filter(|it| it.deleted.is_none()) {
            Some(node) => entry(tx, node, &mut paths)?,
            None => None,
        };
        read.nodes.push((id.clone(), entry));
    }
    Ok(read)
}

/// A node as the index takes it in; `paths` are the folders' names that were read already.
fn entry(
    tx: &Tx<'_>,
    node: Node,
    paths: &mut HashMap<Option<NodeId>, String>,
) -> Result<Option<Entry>> {
    let mut body = String::new();
    if !node.is_folder {
        let Some(texts) = documents::texts(tx, &node.id)? else { return Ok(None) };
        for text in texts.around.iter().chain([&documents::data_texts(tx, &node.id)?, &texts.kind])
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
    let itself = node.is_folder.then(|| node.id.to_string());
    Ok(Some(Entry {
        id: node.id.to_string(),
        owner: node.owner.to_string(),
        within: node.parent.map(|it| it.to_string()).into_iter().chain(itself).collect(),
        title: node.title,
        body,
        updated: node.updated,
    }))
}

/// Builds the index anew. Nobody else may have it.
///
/// # Errors
/// When it cannot be written.
pub fn build(app: &App) -> Result<()> {
    let source = source(&app.db)?;
    let mut feed = Feed::anew(&app.search, &source)?;
    while step(app, &mut feed, source.last_change)? {}
    feed.close()
}
