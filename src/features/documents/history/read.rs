//! Reading versions: out of the document, or out of bodies.

use super::content;
use super::content::Version;
use super::pack;
use super::store;
use super::store::Body;
use super::store::Entry;
use crate::features::documents::store as documents;
use crate::features::documents::store::Head;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

pub use super::content::split;

/// A version as it is stored: read within a transaction, to be opened after it.
pub struct Stored {
    head: Head,
    count: i64,
    text: Text,
}

enum Text {
    /// The document's own records.
    Records(String),
    /// A body, and the one that it is written against.
    Packed { body: Vec<u8>, base: Option<Vec<u8>> },
}

/// Reads version `number` of a document; none when there is no such version.
pub fn load(tx: &Tx<'_>, now: &Head, number: i64) -> Result<Option<Stored>> {
    let Some(entry) = entry(tx, now, number)? else { return Ok(None) };
    let mut head = now.clone();
    head.history_version = number;
    head.updated = entry.saved;
    head.updated_by = entry.author.to_string();
    let text = match store::source(tx, &now.id, number)? {
        None => Text::Records(records(tx, now)?),
        Some(Body { bytes, base, .. }) => {
            Text::Packed { body: bytes, base: base_bytes(tx, now, base)? }
        }
    };
    Ok(Some(Stored { head, count: entry.record_count, text }))
}

/// The entry of a version. The newest one is always there, even for a document that was stored
/// before there were versions.
pub fn entry(tx: &Tx<'_>, now: &Head, number: i64) -> Result<Option<Entry>> {
    let found = store::find(tx, &now.id, number)?;
    Ok(found.or_else(|| (number == now.history_version).then(|| Entry::of(now))))
}

fn base_bytes(tx: &Tx<'_>, now: &Head, base: Option<i64>) -> Result<Option<Vec<u8>>> {
    let Some(number) = base else { return Ok(None) };
    Ok(Some(store::own_body(tx, &now.id, number)?.found("version")?.bytes))
}

/// The records of a document as one text.
pub fn records(tx: &Tx<'_>, head: &Head) -> Result<String> {
    let mut out = Vec::with_capacity(usize::try_from(head.data_bytes).unwrap_or(0));
    documents::append_records(tx, &head.id, &mut out)?;
    String::from_utf8(out).map_err(|error| Error::Internal(Box::new(error)))
}

impl Stored {
    /// The version's number.
    pub fn number(&self) -> i64 {
        self.head.history_version
    }

    /// The version itself.
    ///
    /// # Errors
    /// Internal, when it is damaged.
    pub fn open(self) -> Result<Version> {
        match self.text {
            Text::Records(text) => {
                let records = content::first(&text, self.count)?.to_owned();
                let data_bytes = i64::try_from(records.len()).unwrap_or(i64::MAX);
                let head = Head { record_count: self.count, data_bytes, ..self.head };
                Ok(Version { head, records })
            }
            Text::Packed { body, base } => {
                let base = base.map(|it| pack::unpack(&it, None)).transpose()?;
                content::read(&pack::unpack(&body, base.as_deref())?, &self.head, self.count)
            }
        }
    }
}
