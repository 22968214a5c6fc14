//! How long what is done to a whole folder takes: moved, thrown away, brought back, given away.
//!
//! `cargo run --release --example move_folder [DOCUMENTS]`: a folder with that many documents
//! (default 10,000) in 500 folders below it, beside as many others. Prints the median and the worst
//! of 15 transactions each, flush to disk included.

use std::time::Instant;

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::tree;
use chartroom::features::tree::FolderPath;
use chartroom::features::tree::NodePlacement;
use chartroom::features::tree::RestoreTarget;
use chartroom_platform::db::Db;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Folders below the one that is moved.
const FOLDERS: usize = 500;
/// Transactions of each kind.
const TIMES: usize = 15;

fn place(owner: &AccountId, title: String) -> NodePlacement {
    NodePlacement { owner: owner.clone(), parent: None, title }
}

fn main() -> Result<()> {
    let documents = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(10_000);
    let dir = tempfile::tempdir_in(".")?;
    let db = Db::open(dir.path())?;
    let person = |name: &str| {
        let email = format!("{name}@example.org");
        let new = NewUser { email, name: name.to_owned(), ..NewUser::default() };
        db.write(move |tx| Ok(accounts::create_user(tx, &new)?.id))
    };
    let (ann, ben) = (person("ann")?, person("ben")?);
    let (owner, other) = (ann.clone(), ann.clone());
    let folder = db.write(move |tx| fill(tx, &owner, "/Here", documents))?;
    db.write(move |tx| fill(tx, &other, "/Other", documents))?;

    println!("{documents} documents in {FOLDERS} folders below");
    println!("{:<12} {:>10} {:>10}", "", "p50 ms", "max ms");
    measure(&db, "rename", &folder, move |at, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        tree::move_folder(tx, &node, &node.owner, &place(&node.owner, format!("Name {at}")))
    })?;
    measure(&db, "trash", &folder, move |at, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        match at % 2 {
            0 => tree::move_to_trash(tx, folder, &node.owner),
            _ => {
                let home = RestoreTarget { folder: None, missing_path: None };
                tree::restore(tx, &node, &home, &node.owner)
            }
        }
    })?;
    measure(&db, "give away", &folder, move |at, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        let node = match node.deleted {
            None => node,
            Some(_) => {
                tree::restore(
                    tx,
                    &node,
                    &RestoreTarget { folder: None, missing_path: None },
                    &node.owner,
                )?;
                tree::find_node(tx, folder)?.or_not_found("folder")?
            }
        };
        let to = if at % 2 == 0 { &ben } else { &ann };
        tree::move_folder(tx, &node, to, &place(to, node.title.clone()))
    })
}

/// A folder with documents, as many in each of the folders in it.
fn fill(tx: &WriteTx<'_>, owner: &AccountId, name: &str, documents: usize) -> Result<NodeId> {
    let top = FolderPath::parse(name).map_err(Error::internal)?;
    for at in 0..FOLDERS {
        let parent = tree::create_folders(tx, owner, owner, &top.child(&format!("Folder {at}")))?;
        for number in 0..documents / FOLDERS {
            let title = format!("Document {number}");
            let place = NodePlacement { owner: owner.clone(), parent: parent.clone(), title };
            tree::add_document(tx, &NodeId::new(), owner, &place)?;
        }
    }
    tree::create_folders(tx, owner, owner, &top)?.or_not_found("folder")
}

fn measure(
    db: &Db,
    name: &str,
    folder: &NodeId,
    run: impl Fn(usize, &WriteTx<'_>, &NodeId) -> Result<()> + Clone + Send + 'static,
) -> Result<()> {
    let mut times = Vec::with_capacity(TIMES);
    for at in 0..TIMES {
        let (run, folder) = (run.clone(), folder.clone());
        let began = Instant::now();
        db.write(move |tx| run(at, tx, &folder))?;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    println!("{name:<12} {:>10.1} {:>10.1}", times[TIMES / 2], times[TIMES - 1]);
    Ok(())
}
