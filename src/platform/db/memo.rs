//! A cache of values computed from the current snapshot of the database, one per thread.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::tx::Tx;
use crate::error::Result;

/// Maximum number of cached values. Computing that many again takes milliseconds.
const MAX_ENTRIES: usize = 256;

/// The name of a computation and its arguments as bytes.
type MemoKey = (&'static str, Box<[u8]>);

/// The cached values of one snapshot.
#[derive(Default)]
struct Memo {
    /// Number of the snapshot from which the values were computed.
    snapshot_number: u64,
    values: HashMap<MemoKey, Rc<dyn Any>, RandomState>,
}

thread_local! {
    /// The cache of this thread.
    static MEMO: RefCell<Memo> = RefCell::default();
}

impl Tx<'_> {
    /// Returns the cached result of `compute` for `name` and `key`, or runs `compute` and caches
    /// the result.
    ///
    /// The cache belongs to this thread and to one snapshot number. A snapshot that begins after a
    /// commit of this process, or 20 ms after its number was assigned, has another number.
    /// `compute` may depend only on the database, `name`, `key` and the time, and its result should
    /// be small. A transaction without a snapshot number, such as a write transaction, runs
    /// `compute` and caches nothing.
    ///
    /// # Errors
    /// Returns the errors of `compute` and does not cache them.
    pub fn memoize<T: 'static>(
        &self,
        name: &'static str,
        key: &[u8],
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<Rc<T>> {
        let Some(snapshot_number) = self.snapshot_number else { return compute().map(Rc::new) };
        let key = (name, Box::from(key));
        let cached = MEMO.with_borrow(|memo| match memo.snapshot_number == snapshot_number {
            true => memo.values.get(&key).cloned(),
            false => None,
        });
        if let Some(cached) = cached.and_then(|value| value.downcast().ok()) {
            return Ok(cached);
        }
        let value = Rc::new(compute()?);
        MEMO.with_borrow_mut(|memo| {
            if memo.snapshot_number != snapshot_number || memo.values.len() >= MAX_ENTRIES {
                memo.values.clear();
                memo.snapshot_number = snapshot_number;
            }
            memo.values.insert(key, value.clone());
        });
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use crate::db::Db;

    #[test]
    fn memoize_computes_once_per_snapshot_and_always_in_a_write() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let count = |name: &'static str, key: &str| {
            let sql = "select count(*) from meta";
            db.read(|tx| {
                tx.memoize(name, key.as_bytes(), || tx.one(sql, [], |row| row.get::<_, i64>(0)))
            })
            .unwrap()
        };
        let add = |key: &'static str| {
            let sql = "insert into meta (key, value) values (?1, 'x')";
            db.write(move |tx| tx.execute(sql, [key])).unwrap();
        };
        let before = db.read_in_one_snapshot(|| {
            let first = count("rows", "a");
            assert!(std::rc::Rc::ptr_eq(&first, &count("rows", "a")));
            assert!(!std::rc::Rc::ptr_eq(&first, &count("rows", "b")));
            assert!(!std::rc::Rc::ptr_eq(&first, &count("lines", "a")));
            add("own");
            assert_eq!(*count("rows", "a"), *first + 1, "a read after the own write must see it");
            *first
        });
        add("later");
        assert_eq!(*count("rows", "a"), before + 2, "a new snapshot must compute the value again");
        db.write(|tx| {
            let number = |value: i64| tx.memoize("number", b"a", || Ok(value));
            assert_eq!((*number(1)?, *number(2)?), (1, 2));
            Ok(())
        })
        .unwrap();
    }
}
