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

/// Returns names and contents of the font files of a data directory.
fn font_files(dir: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(dir.join("fonts")).into_iter().flatten();
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    entries.map(file).collect()
}

/// Creates the folder of the font files with these files.
fn write_fonts(dir: &Path, fonts: &[(&str, &str)]) -> BTreeMap<String, String> {
    let _ = fs::remove_dir_all(dir.join("fonts"));
    fs::create_dir(dir.join("fonts")).unwrap();
    for (name, content) in fonts {
        fs::write(dir.join("fonts").join(name), content).unwrap();
    }
    font_files(dir)
}

#[test]
fn fonts_are_restored_and_the_replaced_ones_are_kept() {
    let (dir, db) = open();
    let original = write_fonts(dir.path(), &[("brand.ttf", "one"), ("Größe.otf", "two")]);
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(outside.path(), "linked").unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("fonts/linked.ttf")).unwrap();
    let expected: BTreeMap<_, _> =
        original.clone().into_iter().chain([("linked.ttf".into(), "linked".into())]).collect();
    let backup = create(dir.path(), None).unwrap();
    assert_eq!(backup.manifest.fonts.as_ref().unwrap().len(), 3);
    assert_eq!(backup.manifest.fonts.as_ref().unwrap()["brand.ttf"].bytes, 3);
    drop(db);

    // Into an empty directory.
    let elsewhere = tempfile::tempdir().unwrap();
    let fresh = elsewhere.path().join("new");
    assert!(restore(&fresh, &backup.path).unwrap().kept.is_none());
    assert_eq!(font_files(&fresh), expected);
    // Over the same files, which stay in place.
    let kept = restore(dir.path(), &backup.path).unwrap().kept.unwrap();
    assert!(!kept.join("fonts").exists());
    assert!(dir.path().join("fonts/linked.ttf").is_symlink());
    // Over other files.
    let other = write_fonts(dir.path(), &[("brand.ttf", "ONE"), ("new.ttf", "three")]);
    let kept = restore(dir.path(), &backup.path).unwrap().kept.unwrap();
    assert_eq!(font_files(dir.path()), expected);
    assert_eq!(font_files(&kept), other);
}

#[test]
fn a_backup_without_fonts_removes_them_and_an_old_backup_leaves_them() {
    let (dir, db) = open();
    let backup = create(dir.path(), None).unwrap();
    drop(db);
    // The first format has no list of fonts.
    let copy = dir.path().join("copy.db");
    files::copy_database(&connection::open(&dir.path().join(DATABASE_FILE_NAME)).unwrap(), &copy)
        .unwrap();
    let old = dir.path().join("old.tar.zst");
    let manifest = build_manifest(&copy, Timestamp::now(), FontFiles::new()).unwrap();
    let manifest = Manifest { format: 1, fonts: None, ..manifest };
    write_archive(&manifest, b"key", &copy, &old).unwrap();

    let present = write_fonts(dir.path(), &[("brand.ttf", "one")]);
    restore(dir.path(), &old).unwrap();
    assert_eq!(font_files(dir.path()), present);
    let kept = restore(dir.path(), &backup.path).unwrap().kept.unwrap();
    assert_eq!(font_files(dir.path()), BTreeMap::new());
    assert_eq!(font_files(&kept), present);
}

#[test]
fn files_that_are_no_fonts_do_not_prevent_a_backup() {
    use std::os::unix::ffi::OsStrExt;
    let (dir, _db) = open();
    write_fonts(dir.path(), &[("a\\b.ttf", "one"), ("LICENSE", "text"), ("C.OTF", "two")]);
    let fonts = dir.path().join("fonts");
    fs::write(fonts.join(std::ffi::OsStr::from_bytes(b"\xff.ttf")), "name").unwrap();
    fs::create_dir(fonts.join("folder.ttf")).unwrap();
    std::os::unix::fs::symlink("absent", fonts.join("dangling.ttf")).unwrap();
    let backup = create(dir.path(), None).unwrap();
    let names: Vec<_> = backup.manifest.fonts.unwrap().into_keys().collect();
    assert_eq!(names, ["C.OTF", "a\\b.ttf"]);
    let elsewhere = tempfile::tempdir().unwrap();
    restore(&elsewhere.path().join("new"), &backup.path).unwrap();
    assert_eq!(font_files(&elsewhere.path().join("new"))["a\\b.ttf"], "one");
    // A file in the place of the folder.
    fs::remove_dir_all(&fonts).unwrap();
    fs::write(&fonts, "no folder").unwrap();
    let backup = create(dir.path(), Some(&dir.path().join("b.tar.zst"))).unwrap();
    assert!(backup.manifest.fonts.unwrap().is_empty());
}

#[test]
fn fonts_in_a_linked_folder_are_replaced_in_place() {
    let (dir, db) = open();
    let original = write_fonts(dir.path(), &[("brand.ttf", "one"), ("b.otf", "two")]);
    let backup = create(dir.path(), None).unwrap();
    drop(db);
    // A relative link, which would lead nowhere from the directory of the kept files.
    fs::rename(dir.path().join("fonts"), dir.path().join("shared")).unwrap();
    std::os::unix::fs::symlink("shared", dir.path().join("fonts")).unwrap();
    let shared = dir.path().join("shared");
    fs::write(shared.join("brand.ttf"), "ONE").unwrap();
    fs::write(shared.join("new.ttf"), "three").unwrap();
    fs::write(shared.join("LICENSE"), "text").unwrap();
    let kept = restore(dir.path(), &backup.path).unwrap().kept.unwrap();
    assert!(dir.path().join("fonts").is_symlink());
    assert_eq!(fs::read_to_string(shared.join("LICENSE")).unwrap(), "text");
    fs::remove_file(shared.join("LICENSE")).unwrap();
    let mut expected = original;
    expected.insert("new.ttf".to_owned(), "three".to_owned());
    assert_eq!(font_files(dir.path()), expected, "fonts of a shared folder stay");
    let replaced = [("b.otf", "two"), ("brand.ttf", "ONE"), ("new.ttf", "three")];
    let replaced = replaced.map(|(name, content)| (name.to_owned(), content.to_owned()));
    assert_eq!(font_files(&kept), replaced.into());
}

#[test]
fn a_folder_that_cannot_be_replaced_keeps_the_database() {
    let (dir, db) = open();
    add(&db, "old");
    write_fonts(dir.path(), &[("brand.ttf", "one")]);
    let backup = create(dir.path(), None).unwrap();
    add(&db, "newer");
    drop(db);
    fs::remove_dir_all(dir.path().join("fonts")).unwrap();
    // Nobody can create files there, not even root.
    std::os::unix::fs::symlink("/proc/self/fd", dir.path().join("fonts")).unwrap();
    let error = restore(dir.path(), &backup.path).err().unwrap();
    let Error::Internal(cause) = &error else { panic!("{error}") };
    assert!(cause.to_string().contains("/fonts: "), "{cause}");
    assert_eq!(keys(&Db::open(dir.path()).unwrap()), ["newer", "old"]);
}

#[test]
fn changed_and_dangerous_fonts_are_detected() {
    let (dir, db) = open();
    write_fonts(dir.path(), &[("brand.ttf", "one")]);
    let backup = create(dir.path(), None).unwrap();
    drop(db);
    let database = dir.path().join(DATABASE_FILE_NAME);
    let forge = |path: &str, content: &str| {
        let file = dir.path().join("forged.tar.zst");
        let _ = fs::remove_file(&file);
        let copy = dir.path().join("copy.db");
        let _ = fs::remove_file(&copy);
        files::copy_database(&connection::open(&database).unwrap(), &copy).unwrap();
        let digests = backup.manifest.fonts.clone().unwrap();
        let manifest = build_manifest(&copy, Timestamp::now(), digests).unwrap();
        let mut tar =
            tar::Builder::new(zstd::Encoder::new(File::create(&file).unwrap(), 1).unwrap());
        let text = serde_json::to_vec(&manifest).unwrap();
        let database = fs::read(&copy).unwrap();
        let entries = [
            (MANIFEST_NAME, &text[..]),
            (DATABASE_FILE_NAME, &database[..]),
            (path, content.as_bytes()),
        ];
        for (path, bytes) in entries {
            let mut header = build_header(bytes.len() as u64);
            // The crate refuses to write dangerous paths, other programs do not.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            tar.append(&header, bytes).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap();
        verify(&file).map_err(|error| unusable_data_message(&error).unwrap_or_default().to_owned())
    };
    assert!(forge("fonts/brand.ttf", "one").is_ok());
    for (path, content, message) in [
        ("fonts/brand.ttf", "two", "its fonts differ"),
        ("fonts/other.ttf", "one", "its fonts differ"),
        ("fonts/../../brand.ttf", "one", "unknown entry"),
        ("fonts/..", "one", "unknown entry"),
        ("fonts/a/brand.ttf", "one", "unknown entry"),
        ("/fonts/brand.ttf", "one", "unknown entry"),
        ("other/brand.ttf", "one", "unknown entry"),
    ] {
        let error = forge(path, content).unwrap_err();
        assert!(error.contains(message), "{path}: {error}");
    }
}
