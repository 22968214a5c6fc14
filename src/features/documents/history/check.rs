//! The check of `chartroom doctor`: whether every version can be read.

use super::content;
use super::pack;
use super::store;
use super::store::Entry;
use crate::features::documents::store as documents;
use crate::features::documents::store::Head;
use chartroom_platform::db::Tx;
use chartroom_platform::doctor::Check;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Stable name of the check.
pub const NAME: &str = "documents.history";

/// Unpacks every version, and compares the newest one with its document.
pub fn check(tx: &Tx<'_>) -> Result<Check> {
    let mut findings = Vec::new();
    for id in documents::ids(tx)? {
        let head = documents::find(tx, &id)?.found("document")?;
        look(tx, &head, &mut findings)?;
    }
    Ok(Check::of(NAME, &findings))
}

fn look(tx: &Tx<'_>, head: &Head, findings: &mut Vec<String>) -> Result<()> {
    let mut say = |text: String| findings.push(format!("document {}: {text}", head.id));
    let entries = store::all(tx, &head.id)?;
    match entries.last() {
        // Stored past the history, as by a program that fills a database: its first change begins it.
        None if head.history_version == 1 => return Ok(()),
        None => say(format!("no version {}", head.history_version)),
        Some(newest) => {
            if newest.number != head.history_version {
                let (found, said) = (newest.number, head.history_version);
                say(format!("the newest version is {found} where it says {said}"));
            }
            if newest.has_body || newest.record_count != head.record_count {
                say(format!("version {} is not the document", newest.number));
            }
        }
    }
    let mut bases = Bases::default();
    let mut from = 0;
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.has_body) {
        // Those before without a body are the first records of this one's.
        let most = entries[from..=index].iter().map(|it| it.record_count).max().unwrap_or(0);
        from = index + 1;
        if let Err(error) = bases.open(tx, head, entry, most) {
            say(format!("version {} cannot be read: {}", entry.number, error.full()));
        }
    }
    let most = entries[from..].iter().map(|it| it.record_count).max().unwrap_or(0);
    if most > head.record_count {
        say(format!("a version has {most} records, the document {}", head.record_count));
    }
    Ok(())
}

/// The content of the body that the next ones are written against.
#[derive(Default)]
struct Bases {
    last: Option<(i64, Vec<u8>)>,
}

impl Bases {
    fn open(&mut self, tx: &Tx<'_>, head: &Head, entry: &Entry, most: i64) -> Result<()> {
        let body = store::own_body(tx, &head.id, entry.number)?.found("version")?;
        let text = match body.base {
            None => pack::unpack(&body.bytes, None)?,
            Some(base) => {
                self.load(tx, &head.id, base)?;
                pack::unpack(&body.bytes, self.last.as_ref().map(|(_, text)| &text[..]))?
            }
        };
        content::read(&text, head, most)?;
        if body.base.is_none() {
            self.last = Some((entry.number, text));
        }
        Ok(())
    }

    fn load(&mut self, tx: &Tx<'_>, document: &NodeId, base: i64) -> Result<()> {
        if self.last.as_ref().is_some_and(|(number, _)| *number == base) {
            return Ok(());
        }
        let missing = || Error::internal(format!("there is no version {base} to read it with"));
        let body = store::own_body(tx, document, base)?.filter(|it| it.base.is_none());
        self.last = Some((base, pack::unpack(&body.ok_or_else(missing)?.bytes, None)?));
        Ok(())
    }
}
