//! What a feed took out stays out, and what it put in is there once.

use tantivy::merge_policy::NoMergePolicy;

use super::*;

fn entry(id: String) -> Entry {
    let (title, body) = (format!("Title of {id}"), String::new());
    Entry { id, owner: "ann".to_owned(), within: Vec::new(), title, body, updated: Timestamp(0) }
}

#[test]
fn the_first_thing_taken_out_after_a_kill_stays_out() {
    let dir = tempfile::tempdir().unwrap();
    let search = Search::new(dir.path());
    let source = Source { database: "here".to_owned(), last_change: 100 };
    let mut feed = Feed::anew(&search, &source).unwrap();
    // As many commits as are merged into one, which a kill keeps from happening.
    feed.writer().unwrap().set_merge_policy(Box::new(NoMergePolicy));
    for commit in 1..=10 {
        for letter in ["a", "b", "c"] {
            feed.put(&entry(format!("{letter}{commit}"))).unwrap();
        }
        if commit == 10 {
            feed.remove("a3").unwrap();
        }
        feed.commit(&search, commit, true).unwrap();
    }
    drop(feed);

    let mut feed = Feed::open(&search, &source).unwrap();
    feed.remove("b3").unwrap();
    feed.put(&entry("new".to_owned())).unwrap();
    feed.commit(&search, 11, false).unwrap();
    // Now they are merged.
    feed.rest().unwrap();
    let ids = ids(&feed.index).unwrap();
    assert!(feed.index.searchable_segments().unwrap().len() < 10, "nothing was merged");
    assert!(ids.contains("new") && ids.contains("c3") && !ids.contains("a3"), "{ids:?}");
    assert!(!ids.contains("b3"), "it is back");
}

#[test]
fn what_came_in_pieces_is_one_once_it_settles() {
    let dir = tempfile::tempdir().unwrap();
    let search = Search::new(dir.path());
    let source = Source { database: "here".to_owned(), last_change: 5 };
    let mut feed = Feed::anew(&search, &source).unwrap();
    for commit in 1..=5 {
        feed.put(&entry(format!("a{commit}"))).unwrap();
        feed.commit(&search, commit, commit == 5).unwrap();
    }
    assert_eq!(feed.index.searchable_segments().unwrap().len(), 5);
    while !feed.settle(&search).unwrap() {
        std::thread::yield_now();
    }
    feed.rest().unwrap();
    assert_eq!(feed.index.searchable_segments().unwrap().len(), 1);
    // Searches already look into the one.
    assert_eq!((feed.reader.searcher().segment_readers().len(), feed.count()), (1, 5));
    assert!(feed.settle(&search).unwrap() && feed.writer.is_none(), "it is merged over and over");
}
