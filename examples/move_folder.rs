//! Measures operations on a whole folder: rename, move to the trash, restore, and transfer to
//! another owner.
//!
//! `cargo run --release --example move_folder [DOCUMENTS]` creates a folder with that many
//! documents (default 10,000) in 500 subfolders, next to a second folder of the same size. Prints
//! the median and the maximum of 15 transactions per operation in milliseconds, including the flush
//! to disk.

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

/// Number of subfolders of the measured folder.
const SUBFOLDER_COUNT: usize = 500;
/// Number of transactions per operation.
const TRANSACTION_COUNT: usize = 15;

/// Returns the placement of a node with this title at the root of an account.
fn root_placement(owner: &AccountId, title: String) -> NodePlacement {
    NodePlacement { owner: owner.clone(), parent: None, title }
}

fn main() -> Result<()> {
    let documents =
        std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(10_000);
    let dir = tempfile::tempdir_in(".")?;
    let db = Db::open(dir.path())?;
    let create_user = |name: &str| {
        let email = format!("{name}@example.org");
        let new = NewUser { email, name: name.to_owned(), ..NewUser::default() };
        db.write(move |tx| Ok(accounts::create_user(tx, &new)?.id))
    };
    let (ann, ben) = (create_user("ann")?, create_user("ben")?);
    let (owner, second_owner) = (ann.clone(), ann.clone());
    let folder = db.write(move |tx| create_folder_tree(tx, &owner, "/Here", documents))?;
    db.write(move |tx| create_folder_tree(tx, &second_owner, "/Other", documents))?;

    println!("{documents} documents in {SUBFOLDER_COUNT} subfolders");
    println!("{:<12} {:>10} {:>10}", "", "p50 ms", "max ms");
    measure_operation(&db, "rename", &folder, move |round, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        tree::move_folder(
            tx,
            &node,
            &node.owner,
            &root_placement(&node.owner, format!("Name {round}")),
        )
    })?;
    measure_operation(&db, "trash", &folder, move |round, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        match round % 2 {
            0 => tree::move_to_trash(tx, folder, &node.owner),
            _ => {
                let target = RestoreTarget { folder: None, missing_path: None };
                tree::restore(tx, &node, &target, &node.owner)
            }
        }
    })?;
    measure_operation(&db, "transfer", &folder, move |round, tx, folder| {
        let node = tree::find_node(tx, folder)?.or_not_found("folder")?;
        let node = match node.deleted {
            None => node,
            Some(_) => {
                let target = RestoreTarget { folder: None, missing_path: None };
                tree::restore(tx, &node, &target, &node.owner)?;
                tree::find_node(tx, folder)?.or_not_found("folder")?
            }
        };
        let new_owner = if round % 2 == 0 { &ben } else { &ann };
        tree::move_folder(tx, &node, new_owner, &root_placement(new_owner, node.title.clone()))
    })
}

/// Creates a folder with [`SUBFOLDER_COUNT`] subfolders, which share `documents` documents evenly.
/// Returns the id of the folder.
fn create_folder_tree(
    tx: &WriteTx<'_>,
    owner: &AccountId,
    name: &str,
    documents: usize,
) -> Result<NodeId> {
    let top_path = FolderPath::parse(name).map_err(Error::internal)?;
    for index in 0..SUBFOLDER_COUNT {
        let parent =
            tree::create_folders(tx, owner, owner, &top_path.child(&format!("Folder {index}")))?;
        for number in 0..documents / SUBFOLDER_COUNT {
            let title = format!("Document {number}");
            let placement = NodePlacement { owner: owner.clone(), parent: parent.clone(), title };
            tree::add_document(tx, &NodeId::new(), owner, &placement, 0)?;
        }
    }
    tree::create_folders(tx, owner, owner, &top_path)?.or_not_found("folder")
}

/// Runs an operation in [`TRANSACTION_COUNT`] transactions and prints the median and the maximum
/// time. The operation gets the number of the round and the id of the folder.
fn measure_operation(
    db: &Db,
    name: &str,
    folder: &NodeId,
    operation: impl Fn(usize, &WriteTx<'_>, &NodeId) -> Result<()> + Clone + Send + 'static,
) -> Result<()> {
    let mut times_ms = Vec::with_capacity(TRANSACTION_COUNT);
    for round in 0..TRANSACTION_COUNT {
        let (operation, folder) = (operation.clone(), folder.clone());
        let started = Instant::now();
        db.write(move |tx| operation(round, tx, &folder))?;
        times_ms.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    times_ms.sort_by(f64::total_cmp);
    println!(
        "{name:<12} {:>10.1} {:>10.1}",
        times_ms[TRANSACTION_COUNT / 2],
        times_ms[TRANSACTION_COUNT - 1]
    );
    Ok(())
}
