//! What was worked out of a state of the database, kept for who asks the same while it lasts.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::tx::Tx;
use crate::error::Result;

/// Most answers that are kept of a state: milliseconds of work.
const MOST: usize = 256;

/// A question and what it was asked of.
type Asked = (&'static str, Box<[u8]>);

#[derive(Default)]
struct Memo {
    /// Number of the state that the answers are of.
    state: u64,
    answers: HashMap<Asked, Rc<dyn Any>>,
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

impl Tx<'_> {
    /// What `find` gives, or gave a moment ago when the same `question` was asked of the same `key`
    /// and nothing was committed since. `find` must depend on nothing else but the time, and give
    /// something small. In a write transaction nothing is kept.
    ///
    /// # Errors
    /// Those of `find`; they are not kept.
    pub fn once<T: 'static>(
        &self,
        question: &'static str,
        key: &[u8],
        find: impl FnOnce() -> Result<T>,
    ) -> Result<Rc<T>> {
        let Some(state) = self.state else { return find().map(Rc::new) };
        let key = (question, Box::from(key));
        let kept = MEMO.with_borrow(|it| match it.state == state {
            true => it.answers.get(&key).cloned(),
            false => None,
        });
        if let Some(kept) = kept.and_then(|it| it.downcast().ok()) {
            return Ok(kept);
        }
        let found = Rc::new(find()?);
        MEMO.with_borrow_mut(|it| {
            if it.state != state || it.answers.len() >= MOST {
                it.answers.clear();
                it.state = state;
            }
            it.answers.insert(key, found.clone());
        });
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::db::Db;

    #[test]
    fn the_same_is_asked_once_of_a_snapshot_and_never_of_a_write() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let count = |question: &'static str, key: &str| {
            let sql = "select count(*) from meta";
            db.read(|tx| {
                tx.once(question, key.as_bytes(), || tx.one(sql, [], |row| row.get::<_, i64>(0)))
            })
            .unwrap()
        };
        let add = |key: &'static str| {
            let sql = "insert into meta (key, value) values (?1, 'x')";
            db.write(move |tx| tx.execute(sql, [key])).unwrap();
        };
        let before = db.read_once(|| {
            let first = count("rows", "a");
            assert!(std::rc::Rc::ptr_eq(&first, &count("rows", "a")));
            assert!(!std::rc::Rc::ptr_eq(&first, &count("rows", "b")));
            assert!(!std::rc::Rc::ptr_eq(&first, &count("lines", "a")));
            add("own");
            assert_eq!(*count("rows", "a"), *first + 1, "one's own write shows at once");
            *first
        });
        add("later");
        assert_eq!(*count("rows", "a"), before + 2, "the next snapshot is asked anew");
        db.write(|tx| {
            let number = |it: i64| tx.once("number", b"a", || Ok(it));
            assert_eq!((*number(1)?, *number(2)?), (1, 2));
            Ok(())
        })
        .unwrap();
    }
}
