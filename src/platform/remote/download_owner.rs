//! The account for which a thread downloads, so that one account does not take the memory of all downloads.

use std::cell::Cell;
use std::hash::DefaultHasher;
use std::hash::Hash;
use std::hash::Hasher;
use std::marker::PhantomData;

use super::MAX_DOWNLOAD_BYTES;
use crate::id::AccountId;
use crate::memory_budget::MemoryBudget;

/// Memory of the bodies of one account in bytes: two of the largest downloads of sources, about half of
/// the memory of all. A single body may have more, because documents can be larger.
pub(super) const MAX_OWNER_BYTES: u64 = 2 * (MAX_DOWNLOAD_BYTES + (1 << 20));
/// Number of budgets. Accounts with the same hash share one.
const LANES: usize = 64;

/// The budgets.
static BUDGETS: [MemoryBudget; LANES] = [const { MemoryBudget::new(MAX_OWNER_BYTES) }; LANES];

thread_local! {
    /// The budget of the account for which this thread downloads.
    static CURRENT: Cell<Option<&'static MemoryBudget>> = const { Cell::new(None) };
}

/// Marks the downloads of this thread as those of an account until it is dropped.
#[must_use]
pub struct DownloadOwner {
    before: Option<&'static MemoryBudget>,
    /// It belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl DownloadOwner {
    /// Begins to count downloads for an account.
    pub fn begin(account: &AccountId) -> Self {
        let mut hasher = DefaultHasher::new();
        account.as_str().hash(&mut hasher);
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
        let lane = (hasher.finish() % LANES as u64) as usize;
        Self { before: CURRENT.replace(Some(&BUDGETS[lane])), _not_send: PhantomData }
    }
}

impl Drop for DownloadOwner {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Returns the budget of the account for which this thread downloads. None for downloads of the server.
pub(super) fn current_budget() -> Option<&'static MemoryBudget> {
    CURRENT.get()
}
