//! Saves that replace large content: the history keeps it compressed, and it is compressed before
//! the write transaction, because other writers wait for that.

use std::sync::Arc;

use super::DocumentTarget;
use super::find_writable;
use super::save;
use crate::app::App;
use crate::features::access::Caller;
use crate::features::documents::content_memory;
use crate::features::documents::history::writer;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::history::writer::ReplacedContent;
use crate::features::documents::history::writer::SaveOptions;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::Reservation;

/// Caller and document of a save, and its effect on the history.
#[derive(Debug, Clone)]
pub struct SaveContext {
    pub caller: Caller,
    pub target: DocumentTarget,
    /// Decides which version the save replaces.
    options: SaveOptions,
}

impl SaveContext {
    /// Returns the context of a save that may be merged into the newest version.
    pub fn new(caller: &Caller, target: DocumentTarget) -> Self {
        Self { options: save::save_options(caller, &target), caller: caller.clone(), target }
    }

    /// Returns the context of a save that starts a new version, such as [`save::restore_version`].
    ///
    /// This only decides which content is compressed beforehand. The save function decides by its
    /// own options whether it starts a version.
    pub fn starting_version(caller: &Caller, target: DocumentTarget) -> Self {
        let mut context = Self::new(caller, target);
        context.options.starts_version = true;
        context
    }

    /// Returns the size of the current content of the document in bytes, without compression. Fails
    /// if the caller may not write it.
    fn measure_content(&self, tx: &Tx<'_>) -> Result<usize> {
        let document = find_writable(tx, &self.caller, &self.target)?;
        Ok(usize::try_from(document.content_bytes()).unwrap_or(usize::MAX))
    }

    /// Reads the content that must be compressed for the history before the save replaces it.
    /// `None` if no version needs it. Fails if the caller may not write the document.
    fn load_replaced_content(&self, tx: &Tx<'_>) -> Result<Option<ReplacedContent>> {
        let document = find_writable(tx, &self.caller, &self.target)?;
        writer::load_replaced_content(tx, &document, self.options.clone())
    }
}

/// Maximum number of attempts to save with precompressed content. Afterwards the write transaction
/// compresses the content, and other writers wait for it.
const MAX_ATTEMPTS: usize = 3;

/// Runs `save` in a write transaction, repeatedly if it returns `None`, and returns its result.
///
/// Reserves memory before it compresses content, unless the request holds `reserved` already.
///
/// If `save` returns `None`, the replaced content is large and not compressed yet. Then this
/// function reads and compresses it without a write transaction, so that other writers need not
/// wait, and runs `save` again. After `MAX_ATTEMPTS` such runs, it tells `save` to compress within
/// the transaction.
pub fn write_with_precompression<T: Send + 'static>(
    app: &App,
    reserved: Option<&Reservation<'_>>,
    context: SaveContext,
    save: impl Fn(&WriteTx<'_>, &SaveContext, &Precompression) -> Result<Option<T>>
    + Send
    + Sync
    + 'static,
) -> Result<T> {
    let save = Arc::new((context, save));
    let mut precompression = Precompression::NotDone;
    for attempt in 1.. {
        let (shared, current) = (save.clone(), precompression);
        if let Some(result) = app.db.write(move |tx| (shared.1)(tx, &shared.0, &current))? {
            return Ok(result);
        }
        let _memory = match reserved {
            Some(_) => None,
            None => content_memory::reserve(app, app.db.read(|tx| save.0.measure_content(tx))?)?,
        };
        precompression = match app.db.read(|tx| save.0.load_replaced_content(tx))? {
            _ if attempt >= MAX_ATTEMPTS => Precompression::InTransaction,
            Some(content) => Precompression::Ready(Box::new(content.compress()?)),
            None => Precompression::NotDone,
        };
    }
    Err(Error::Busy)
}
