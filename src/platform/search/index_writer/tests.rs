//! The index writer: removed entries stay removed, and idle segments are merged.

use std::collections::BTreeMap;

use tantivy::merge_policy::NoMergePolicy;

use super::*;

/// Returns an entry with the title `Title of {id}`, without a body and outside any folder.
fn entry(id: String) -> IndexEntry {
    let (title, body) = (format!("Title of {id}"), String::new());
    IndexEntry {
        id,
        owner: "ann".to_owned(),
        within: Vec::new(),
        title,
        body,
        updated: Timestamp(0),
    }
}

#[test]
fn the_first_removal_after_a_crash_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let search = SearchIndex::new(dir.path());
    let source = IndexSource { database: "here".to_owned(), last_change: 100 };
    let mut writer = SearchIndexWriter::create_empty(&search, &source).unwrap();
    // Enough commits for a merge. The merge does not happen, as in a process that was killed.
    writer.get_or_create_writer().unwrap().set_merge_policy(Box::new(NoMergePolicy));
    for commit in 1..=10 {
        for letter in ["a", "b", "c"] {
            writer.upsert(&entry(format!("{letter}{commit}"))).unwrap();
        }
        if commit == 10 {
            writer.remove("a3").unwrap();
        }
        writer.commit(&search, commit, true).unwrap();
    }
    drop(writer);

    let mut writer = SearchIndexWriter::open(&search, &source).unwrap();
    writer.remove("b3").unwrap();
    writer.upsert(&entry("new".to_owned())).unwrap();
    writer.commit(&search, 11, false).unwrap();
    // This waits for the merge.
    writer.release_writer().unwrap();
    let ids = read_ids(&writer.index).unwrap();
    assert!(writer.index.searchable_segments().unwrap().len() < 10, "no segments were merged");
    assert!(ids.contains("new") && ids.contains("c3") && !ids.contains("a3"), "{ids:?}");
    assert!(!ids.contains("b3"), "the removed entry is in the index again");
}

#[test]
fn small_segments_are_merged_into_one_when_idle() {
    let dir = tempfile::tempdir().unwrap();
    let search = SearchIndex::new(dir.path());
    let source = IndexSource { database: "here".to_owned(), last_change: 5 };
    let mut writer = SearchIndexWriter::create_empty(&search, &source).unwrap();
    for commit in 1..=5 {
        writer.upsert(&entry(format!("a{commit}"))).unwrap();
        writer.commit(&search, commit, commit == 5).unwrap();
    }
    assert_eq!(writer.index.searchable_segments().unwrap().len(), 5);
    while !writer.merge_segments(&search).unwrap() {
        std::thread::yield_now();
    }
    writer.release_writer().unwrap();
    assert_eq!(writer.index.searchable_segments().unwrap().len(), 1);
    // Searches already use the merged segment.
    assert_eq!((writer.reader.searcher().segment_readers().len(), writer.entry_count()), (1, 5));
    assert!(
        writer.merge_segments(&search).unwrap() && writer.writer.is_none(),
        "the same segments are merged repeatedly"
    );
}

/// Returns the names and contents of the files of a directory.
fn read_files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().into(), fs::read(path).unwrap())).collect()
}

/// Writes an index of two segments with removed entries, and returns its source.
fn write_index(dir: &Path) -> IndexSource {
    let source = IndexSource { database: "here".to_owned(), last_change: 3 };
    let search = SearchIndex::new(dir);
    let mut writer = SearchIndexWriter::create_empty(&search, &source).unwrap();
    for (change, ids) in [(1, ["a", "b"]), (2, ["c", "d"])] {
        ids.iter().for_each(|id| writer.upsert(&entry((*id).to_owned())).unwrap());
        writer.commit(&search, change, change == 2).unwrap();
    }
    writer.remove("a").unwrap();
    writer.commit(&search, 3, true).unwrap();
    writer.close().unwrap();
    source
}

/// Opens a damaged index, checks that it is either intact or empty and reported as unusable, and
/// that it then accepts and finds all entries.
fn check_recovery(dir: &Path, source: &IndexSource, damage: &str) {
    let search = SearchIndex::new(dir);
    let mut writer = SearchIndexWriter::open(&search, source)
        .unwrap_or_else(|error| panic!("{damage}: {error:?}"));
    assert_eq!(search.check_usable().is_ok(), writer.is_complete(), "{damage}");
    if !writer.is_complete() {
        assert_eq!(writer.cursor(), 0, "{damage}");
        ["b", "c", "d"].iter().for_each(|id| writer.upsert(&entry((*id).to_owned())).unwrap());
    }
    writer.upsert(&entry("e".to_owned())).unwrap();
    writer.commit(&search, 4, true).unwrap_or_else(|error| panic!("{damage}: {error:?}"));
    assert!(search.check_usable().is_ok(), "{damage}");
    let ids: Vec<String> = read_ids(&writer.index).unwrap().into_iter().collect();
    assert_eq!(ids, ["b", "c", "d", "e"], "{damage}");
    writer.close().unwrap_or_else(|error| panic!("{damage}: {error:?}"));
}

/// A way to damage a file, with its name in messages.
type Damage = (&'static str, fn(&Path));

/// Damages each file, and all files together, in every way. Pairs of files are only removed.
#[test]
fn an_index_recovers_from_the_damage_of_any_two_files() {
    let template = tempfile::tempdir().unwrap();
    let source = write_index(template.path());
    let files = read_files(&template.path().join(INDEX_DIR_NAME));
    assert!(files.len() > 15, "{:?}", files.keys());
    let names: Vec<&PathBuf> = files.keys().collect();
    let damages: [Damage; 4] = [
        ("removed", |path| fs::remove_file(path).unwrap()),
        ("emptied", |path| fs::write(path, "").unwrap()),
        ("cut", |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("overwritten", |path| {
            let length = fs::metadata(path).unwrap().len().max(64);
            fs::write(path, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
    ];
    let check = |damaged: &[&PathBuf], how: usize| {
        let dir = tempfile::tempdir().unwrap();
        let index_dir = dir.path().join(INDEX_DIR_NAME);
        fs::create_dir(&index_dir).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(index_dir.join(name), bytes).unwrap());
        damaged.iter().for_each(|name| damages[how].1(&index_dir.join(name)));
        check_recovery(dir.path(), &source, &format!("{} {damaged:?}", damages[how].0));
    };
    for (index, first) in names.iter().enumerate() {
        (0..damages.len()).for_each(|how| check(&[first], how));
        for second in &names[index + 1..] {
            check(&[first, second], 0);
        }
    }
    let all: Vec<&PathBuf> = names.clone();
    (0..damages.len()).for_each(|how| check(&all, how));
}

#[test]
fn a_file_in_place_of_the_index_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let source = IndexSource { database: "here".to_owned(), last_change: 4 };
    fs::write(dir.path().join(INDEX_DIR_NAME), "no directory").unwrap();
    check_recovery(dir.path(), &source, "a file");
}
