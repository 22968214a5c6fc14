//! Keeping versions: what each change of a document writes.

use std::time::Duration;

use super::channel::Channel;
use super::content;
use super::pack;
use super::read;
use super::store;
use super::store::Body;
use super::store::Entry;
use crate::features::documents::store::Head;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// How long saves of one author fold into one version.
const FOLDING: Duration = Duration::from_secs(60);
/// Most bodies of a group, however little they differ: damage to one that stands for itself must
/// not take more with it.
const GROUP: i64 = 64;
/// Content of more bytes than this is compressed before the write transaction, so that nobody
/// waits for it.
const LARGE: i64 = 256 << 10;

/// Who saves, which way, and how.
#[derive(Debug, Clone)]
pub struct Save {
    pub author: AccountId,
    pub channel: Channel,
    /// No later save folds into the version.
    pub closes: bool,
    /// It does not fold into an earlier version either.
    pub alone: bool,
}

/// What a save does to the versions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// A version of its own.
    New,
    /// It folds into the newest one.
    Fold,
    /// The newest version stays what it is, though the document changes.
    Amend,
}

/// What a save will do to the versions.
#[derive(Debug, Clone)]
pub struct Plan {
    save: Save,
    step: Step,
    newest: Entry,
    /// Whether there is no row of the newest version.
    missing: bool,
    /// The version whose content is the document, and will not be after the save.
    loses: Option<Entry>,
    /// Its body, compressed beforehand.
    ready: Option<Ready>,
}

/// A body that was compressed outside the transaction that writes it.
#[derive(Debug, Clone)]
pub struct Ready {
    document: NodeId,
    /// Of the document, when its content was read.
    revision: i64,
    body: Body,
}

/// How far the content that a save replaces has been prepared.
#[derive(Debug, Clone, Default)]
pub enum Prepared {
    /// Not at all: large content must be, then the save must be tried again.
    #[default]
    No,
    /// It has been compressed, but may have changed since.
    Ready(Box<Ready>),
    /// It changes too fast to be prepared: others have to wait for it.
    Never,
}

impl Entry {
    /// The entry of the newest version of a document that has none.
    pub fn of(head: &Head) -> Self {
        Self {
            number: head.history_version,
            began: head.updated,
            saved: head.updated,
            author: AccountId::from_text(head.updated_by.as_str()),
            channel: Channel::Api,
            title: head.title.clone(),
            name: None,
            record_count: head.record_count,
            closed: true,
            has_body: false,
            base: None,
        }
    }

    /// Whether a change folds into this version.
    fn takes(&self, now: Timestamp, author: &AccountId, channel: Channel) -> bool {
        let is_fresh = now < self.began.after(FOLDING);
        !self.closed && is_fresh && self.author == *author && self.channel == channel
    }
}

/// Makes the first version of a new document. No save folds into it, so that what a document began
/// with (the original of a copy, a template) can be gone back to.
pub fn begin(tx: &WriteTx<'_>, head: &Head, author: &AccountId, channel: Channel) -> Result<()> {
    let first =
        Entry { began: tx.now, saved: tx.now, author: author.clone(), channel, ..Entry::of(head) };
    store::insert(tx, &head.id, &first)
}

/// Notes that a record is appended to a document, given as it was before; returns the number of the
/// newest version then. Its cost does not grow with the document: the versions before are the first
/// records of the new one.
pub fn append(tx: &WriteTx<'_>, old: &Head, author: &AccountId, channel: Channel) -> Result<i64> {
    let found = store::find(tx, &old.id, old.history_version)?;
    let count = old.record_count + 1;
    if let Some(newest) = &found
        && newest.takes(tx.now, author, channel)
    {
        let to = Entry { saved: tx.now, record_count: count, ..newest.clone() };
        store::fold(tx, &old.id, &to)?;
        return Ok(newest.number);
    }
    if found.is_none() {
        store::insert(tx, &old.id, &Entry::of(old))?;
    }
    let next = Entry {
        number: old.history_version + 1,
        began: tx.now,
        saved: tx.now,
        author: author.clone(),
        channel,
        record_count: count,
        closed: false,
        ..Entry::of(old)
    };
    store::insert(tx, &old.id, &next)?;
    Ok(next.number)
}

/// Ends the editing session of a person: no later save folds into the version that is his.
pub fn close(tx: &WriteTx<'_>, head: &Head, author: &AccountId) -> Result<()> {
    let newest = store::find(tx, &head.id, head.history_version)?;
    match newest.filter(|it| it.author == *author && !it.closed) {
        Some(newest) => store::close(tx, &head.id, newest.number),
        None => Ok(()),
    }
}

/// What a save would do to the versions of a document, given as it is before. None: the content
/// that it replaces is large and not prepared; [`replaced`] reads it for [`Replaced::pack`].
pub fn plan(tx: &Tx<'_>, old: &Head, save: Save, prepared: &Prepared) -> Result<Option<Plan>> {
    let mut plan = Plan::new(tx, old, save)?;
    let Some(loses) = plan.loses.as_ref().filter(|_| size(old) > LARGE) else {
        return Ok(Some(plan));
    };
    match prepared {
        Prepared::Never => Ok(Some(plan)),
        Prepared::Ready(ready) if ready.fits(tx, old, loses)? => {
            plan.ready = Some((**ready).clone());
            Ok(Some(plan))
        }
        Prepared::Ready(_) | Prepared::No => Ok(None),
    }
}

/// Keeps the versions before the newest one as they are when the document changes in a way that
/// makes no version.
pub fn amend(tx: &WriteTx<'_>, old: &Head) -> Result<()> {
    let newest = read::entry(tx, old, old.history_version)?.unwrap_or_else(|| Entry::of(old));
    match loses(tx, old, Step::Amend, &newest)? {
        Some(loses) => store::set_body(tx, &old.id, &replaced_by(tx, old, &loses)?.pack()?.body),
        None => Ok(()),
    }
}

/// The version that will have lost the document as its content.
fn loses(tx: &Tx<'_>, old: &Head, step: Step, newest: &Entry) -> Result<Option<Entry>> {
    match step {
        Step::New => Ok(Some(newest.clone())),
        // The newest version changes with the document; what was before it shares its content if
        // only records were appended since.
        Step::Fold | Step::Amend => {
            Ok(store::before(tx, &old.id, newest.number)?.filter(|it| !it.has_body))
        }
    }
}

impl Plan {
    fn new(tx: &Tx<'_>, old: &Head, save: Save) -> Result<Self> {
        let found = store::find(tx, &old.id, old.history_version)?;
        let missing = found.is_none();
        let newest = found.unwrap_or_else(|| Entry::of(old));
        // Guests are not told apart, so one could fold away what another one saved.
        let is_guest = save.author.as_str().is_empty();
        let folds = !save.alone && !is_guest && newest.takes(tx.now, &save.author, save.channel);
        let step = if folds { Step::Fold } else { Step::New };
        let loses = loses(tx, old, step, &newest)?;
        Ok(Self { save, step, newest, missing, loses, ready: None })
    }

    /// Ends the editing session of a save that changed nothing.
    pub fn close(&self, tx: &WriteTx<'_>, old: &Head) -> Result<()> {
        if self.save.closes { close(tx, old, &self.save.author) } else { Ok(()) }
    }

    /// Keeps what the document holds now; to be called before it is replaced.
    pub fn keep(&mut self, tx: &WriteTx<'_>, old: &Head) -> Result<()> {
        if self.missing {
            store::insert(tx, &old.id, &self.newest)?;
        }
        let Some(loses) = &self.loses else { return Ok(()) };
        let body = match self.ready.take() {
            Some(ready) => ready.body,
            None => replaced_by(tx, old, loses)?.pack()?.body,
        };
        store::set_body(tx, &old.id, &body)
    }

    /// Writes the version that the document is now, and notes its number in it.
    pub fn note(self, tx: &WriteTx<'_>, new: &mut Head) -> Result<()> {
        let save = self.save;
        let mut entry = Entry {
            saved: tx.now,
            title: new.title.clone(),
            record_count: new.record_count,
            closed: save.closes,
            ..self.newest
        };
        match self.step {
            Step::Amend => Ok(()),
            Step::Fold => store::fold(tx, &new.id, &entry),
            Step::New => {
                new.history_version += 1;
                entry.number = new.history_version;
                entry.began = tx.now;
                entry.author = save.author;
                entry.channel = save.channel;
                entry.name = None;
                store::insert(tx, &new.id, &entry)
            }
        }
    }
}

impl Ready {
    /// Whether it still is the body of that version.
    fn fits(&self, tx: &Tx<'_>, old: &Head, loses: &Entry) -> Result<bool> {
        let is_same = self.document == old.id
            && self.revision == old.revision
            && self.body.number == loses.number;
        match self.body.base {
            Some(base) if is_same => store::is_base(tx, &old.id, base),
            _ => Ok(is_same),
        }
    }
}

/// Bytes of a document's content, but for its title.
fn size(head: &Head) -> i64 {
    let texts =
        [Some(&head.settings), head.style.as_ref(), head.custom_theme.as_ref(), head.svg.as_ref()];
    let texts: usize = texts.into_iter().flatten().map(String::len).sum();
    head.data_bytes.saturating_add(i64::try_from(texts).unwrap_or(i64::MAX))
}

/// Content that a save replaces, and what its body can be written against.
pub struct Replaced {
    document: NodeId,
    revision: i64,
    number: i64,
    content: Vec<u8>,
    base: Option<Group>,
}

/// Bodies that follow from one that stands for itself.
struct Group {
    first: Body,
    count: i64,
    bytes: i64,
}

/// Reads what a save would replace; none when that is kept by nothing.
pub fn replaced(tx: &Tx<'_>, old: &Head, save: Save) -> Result<Option<Replaced>> {
    let loses = Plan::new(tx, old, save)?.loses;
    loses.map(|loses| replaced_by(tx, old, &loses)).transpose()
}

fn replaced_by(tx: &Tx<'_>, old: &Head, loses: &Entry) -> Result<Replaced> {
    let records = read::records(tx, old)?;
    let content = content::write(old, content::first(&records, loses.record_count)?)?;
    let base = match store::base_before(tx, &old.id, loses.number)? {
        None => None,
        Some(first) => {
            let (count, bytes) = store::group(tx, &old.id, first.number)?;
            Some(Group { first, count, bytes })
        }
    };
    let (document, revision) = (old.id.clone(), old.revision);
    Ok(Replaced { document, revision, number: loses.number, content, base })
}

impl Replaced {
    /// Its body: against the group's first one, as long as that takes less than the group's bodies
    /// do on average; else one that stands for itself and begins a group.
    pub fn pack(self) -> Result<Ready> {
        let mut body = Body { number: self.number, bytes: Vec::new(), base: None };
        if let Some(group) = self.base.filter(|it| it.count < GROUP) {
            let base = pack::unpack(&group.first.bytes, None)?;
            let bytes = pack::pack(&self.content, Some(&base))?;
            if i64::try_from(bytes.len()).unwrap_or(i64::MAX) <= group.bytes / group.count {
                (body.bytes, body.base) = (bytes, Some(group.first.number));
            }
        }
        if body.base.is_none() {
            body.bytes = pack::pack(&self.content, None)?;
        }
        Ok(Ready { document: self.document, revision: self.revision, body })
    }
}
