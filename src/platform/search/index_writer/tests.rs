//! The index writer: removed entries stay removed, and idle segments are merged.

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
