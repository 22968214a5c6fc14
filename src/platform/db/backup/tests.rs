//! Backups: created during writes, rejected if damaged, restored without losing the old data.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::crypto::ServerKey;
use crate::db::Db;
use crate::db::unusable_data_message;

fn open() -> (tempfile::TempDir, Db) {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    ServerKey::load_or_create(dir.path()).unwrap();
    (dir, db)
}

fn add(db: &Db, key: impl Into<String>) {
    let key = key.into();
    db.write(move |tx| tx.execute("insert into meta (key, value) values (?1, 'x')", [&key]))
        .unwrap();
}

fn keys(db: &Db) -> Vec<String> {
    let sql = "select key from meta where key not in ('database_id', 'restore_epoch') order by key";
    db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap()
}

#[test]
fn a_backup_during_writes_is_one_snapshot_and_can_be_restored() {
    let (dir, db) = open();
    add(&db, "before");
    let backup = std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..300).for_each(|n| add(&db, format!("during-{n:03}"))));
        let backup = create(dir.path(), None).unwrap();
        writer.join().unwrap();
        backup
    });
    assert_eq!(fs::metadata(&backup.path).unwrap().permissions().mode() & 0o777, 0o600);
    verify(&backup.path).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let fresh = elsewhere.path().join("new");
    assert!(restore(&fresh, &backup.path).unwrap().kept.is_none());
    let restored = Db::open(&fresh).unwrap();
    let keys = keys(&restored);
    assert_eq!(i64::try_from(keys.len()).unwrap() + 1, backup.manifest.rows["meta"]);
    // One snapshot: all commits up to some moment, without a gap.
    let during = (0..keys.len() - 1).map(|n| format!("during-{n:03}"));
    assert_eq!(keys, std::iter::once("before".to_owned()).chain(during).collect::<Vec<_>>());
    assert_eq!(
        fs::read(fresh.join(KEY_NAME)).unwrap(),
        fs::read(dir.path().join(KEY_NAME)).unwrap()
    );
}

#[test]
fn a_restore_rejects_a_directory_in_use_and_keeps_the_old_database() {
    let (dir, db) = open();
    add(&db, "old");
    let backup = create(dir.path(), None).unwrap();
    add(&db, "newer");
    assert!(matches!(restore(dir.path(), &backup.path), Err(Error::Conflict(_))));
    assert_eq!(keys(&db), ["newer", "old"]);
    drop(db);
    let kept = restore(dir.path(), &backup.path).unwrap().kept.unwrap();
    assert_eq!(keys(&Db::open(dir.path()).unwrap()), ["old"]);
    assert_eq!(keys(&Db::open(&kept).unwrap()), ["newer", "old"]);
    assert!(kept.join(KEY_NAME).exists());
}

#[test]
fn a_restore_replaces_a_damaged_database() {
    let (dir, db) = open();
    add(&db, "good");
    let backup = create(dir.path(), None).unwrap();
    drop(db);
    fs::write(dir.path().join(DATABASE_FILE_NAME), b"this is not a database").unwrap();
    let error = Db::open(dir.path()).err().unwrap();
    assert!(unusable_data_message(&error).is_some());
    restore(dir.path(), &backup.path).unwrap();
    assert_eq!(keys(&Db::open(dir.path()).unwrap()), ["good"]);
}

#[test]
fn a_damaged_backup_is_detected_and_never_restored() {
    let (dir, db) = open();
    add(&db, "present");
    let backup = create(dir.path(), None).unwrap();
    drop(db);
    let whole = fs::read(&backup.path).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x40;
    for bytes in [&whole[..whole.len() / 2], &flipped, b"nothing of the kind"] {
        let file = dir.path().join("damaged.tar.zst");
        fs::write(&file, bytes).unwrap();
        assert!(verify(&file).is_err());
        assert!(restore(dir.path(), &file).is_err());
    }
    assert_eq!(keys(&Db::open(dir.path()).unwrap()), ["present"]);
    let leftovers: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".temporary") || name.starts_with("replaced"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn a_database_that_differs_from_the_manifest_is_detected() {
    let (dir, db) = open();
    let backup = create(dir.path(), None).unwrap();
    add(&db, "later");
    let copy = dir.path().join("copy.db");
    files::copy_database(&connection::open(&dir.path().join(DATABASE_FILE_NAME)).unwrap(), &copy)
        .unwrap();
    let forged = dir.path().join("forged.tar.zst");
    write_archive(&backup.manifest, b"key", &copy, &forged).unwrap();
    assert!(
        unusable_data_message(&verify(&forged).unwrap_err())
            .unwrap()
            .contains("differs from the manifest")
    );
}

#[test]
fn prune_keeps_the_newest_backups() {
    let (dir, _db) = open();
    let first = create(dir.path(), None).unwrap();
    let in_folder = |name: &str| backup_dir(dir.path()).join(name);
    let second = create(dir.path(), Some(&in_folder("chartroom-b.tar.zst"))).unwrap();
    fs::write(in_folder("notes.txt"), "not ours").unwrap();
    fs::write(in_folder("chartroom-x.tar.zst"), "not a backup").unwrap();
    assert!(matches!(create(dir.path(), Some(&second.path)), Err(Error::Conflict(_))));
    assert_eq!(list(dir.path()).unwrap().len(), 2);
    assert_eq!(prune(dir.path(), 1).unwrap(), [first.path]);
    assert_eq!(prune(dir.path(), 0).unwrap(), Vec::<PathBuf>::new());
    assert!(second.path.exists() && in_folder("notes.txt").exists());
}

#[test]
fn a_backup_without_a_key_is_created_only_if_there_is_no_key() {
    let (dir, _db) = open();
    let key = dir.path().join(KEY_NAME);
    fs::remove_file(&key).unwrap();
    create(dir.path(), Some(&dir.path().join("a.tar.zst"))).unwrap();
    // A directory cannot be read as a file.
    fs::create_dir(&key).unwrap();
    let backup = dir.path().join("b.tar.zst");
    assert!(create(dir.path(), Some(&backup)).is_err());
    assert!(!backup.exists());
}
