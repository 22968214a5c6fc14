//! The body of a response, with the memory that it takes from a budget of all downloads.

use std::fmt;
use std::io;
use std::io::Read;
use std::ops::Deref;
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use super::deadline::Deadline;
use super::download_owner;
use super::failure::RemoteFailure;
use crate::memory_budget::MemoryBudget;
use crate::memory_budget::Reservation;
use crate::memory_budget::ReserveError;

/// Memory of all bodies together in bytes, apart from [`FREE_BYTES`] of each.
const MAX_TOTAL_BYTES: u64 = 96 << 20;
/// Size in bytes up to which a body needs no part of the budget, so that small responses never wait.
const FREE_BYTES: u64 = 1 << 20;
/// Size of the first allocation in bytes.
const FIRST_BYTES: u64 = 16 << 10;
/// Maximum size of a further allocation in bytes.
const MAX_STEP_BYTES: u64 = 4 << 20;
/// Maximum time that a download waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The budget of all downloads of the process.
static DOWNLOADS: MemoryBudget = MemoryBudget::new(MAX_TOTAL_BYTES);

/// Bytes from a remote server. Dropping them releases their part of the budget.
pub struct RemoteBody {
    bytes: Vec<u8>,
    /// Budget of the account that downloads them, if there is one, and that of all downloads.
    budgets: [Option<&'static MemoryBudget>; 2],
    /// Parts of the budgets for the capacity of `bytes`. None up to [`FREE_BYTES`].
    reserved: [Option<Reservation<'static>>; 2],
}

/// Reason why a body could not be read.
pub(super) enum ReadError {
    Io(io::Error),
    Failure(RemoteFailure),
}

impl RemoteBody {
    /// Reads at most `max_bytes + 1` bytes: one more shows that there are too many. `expected` is the size
    /// that the server declares. Reserves memory for them when the first bytes have arrived, so that a
    /// server that declares many and sends none does not take that of others.
    pub(super) fn read(
        mut reader: impl Read,
        (expected, max_bytes): (Option<u64>, u64),
        deadline: Deadline,
    ) -> Result<Self, ReadError> {
        Self::default().read_all(&mut reader, (expected, max_bytes), deadline)
    }

    /// Decompresses a gzip file (RFC 1952) with one or more members. The content takes a part of the same budgets in
    /// place of the compressed bytes, which could otherwise be what it waits for. None if the file is damaged.
    ///
    /// # Errors
    /// `TooLarge` if the content has more than `max_bytes`, `Failed` if other downloads do not release memory in time,
    /// and `Timeout` after the deadline.
    pub fn decompress_gzip(
        self,
        max_bytes: u64,
        deadline: Deadline,
    ) -> Result<Option<Self>, RemoteFailure> {
        let Self { bytes, reserved, .. } = self;
        drop(reserved);
        match Self::read(MultiGzDecoder::new(&*bytes), (None, max_bytes), deadline) {
            Ok(content) if content.len() as u64 > max_bytes => {
                Err(RemoteFailure::TooLarge { max_bytes })
            }
            Ok(content) => Ok(Some(content)),
            Err(ReadError::Io(_)) => Ok(None),
            Err(ReadError::Failure(failure)) => Err(failure),
        }
    }

    /// Reads a body as [`RemoteBody::read`] into this empty one.
    fn read_all(
        mut self,
        reader: &mut dyn Read,
        (expected, max_bytes): (Option<u64>, u64),
        deadline: Deadline,
    ) -> Result<Self, ReadError> {
        let max_bytes = max_bytes.saturating_add(1);
        let first = expected.map_or(FIRST_BYTES, |expected| expected.saturating_add(1));
        let mut next = first.min(FREE_BYTES);
        loop {
            let room = max_bytes.min(next).saturating_sub(self.len() as u64);
            if room == 0 {
                return Ok(self);
            }
            self.grow(room, deadline).map_err(ReadError::Failure)?;
            let read = (&mut *reader).take(room).read_to_end(&mut self.bytes);
            if (read.map_err(ReadError::Io)? as u64) < room {
                return Ok(self);
            }
            // All of a declared size at once, so that downloads do not wait for the rest with the first part.
            next = match next < first {
                true => first,
                false => next.saturating_add(next.min(MAX_STEP_BYTES)),
            };
        }
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// `Failed` if other downloads do not release memory in time.
    pub fn append(&mut self, bytes: &[u8], deadline: Deadline) -> Result<(), RemoteFailure> {
        let missing = (self.bytes.len() + bytes.len()).saturating_sub(self.bytes.capacity());
        if missing > 0 {
            let step = (self.bytes.len() as u64).clamp(FIRST_BYTES, MAX_STEP_BYTES);
            self.grow(step.max(bytes.len() as u64), deadline)?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Allocates space for `more` bytes after a part of the budget is reserved for it.
    fn grow(&mut self, more: u64, deadline: Deadline) -> Result<(), RemoteFailure> {
        let wanted = (self.bytes.len() as u64).saturating_add(more);
        if wanted > FREE_BYTES {
            let [owner, all] = self.budgets;
            let [of_owner, of_all] = &mut self.reserved;
            if let Some(owner) = owner {
                // A body above the share of the account takes all of it, so that only its other bodies
                // wait.
                reserve_total(owner, of_owner, wanted.min(owner.total()), deadline)?;
            }
            if let Some(all) = all {
                reserve_total(all, of_all, wanted, deadline)?;
            }
        }
        let more =
            usize::try_from(more).map_err(|_| RemoteFailure::TooLarge { max_bytes: more })?;
        self.bytes.reserve_exact(more);
        Ok(())
    }
}

/// Adds to a part of a budget until it has `wanted` bytes.
///
/// # Errors
/// `TooLarge` beyond the whole budget. `Failed` if other downloads do not release memory in time.
fn reserve_total(
    budget: &'static MemoryBudget,
    reserved: &mut Option<Reservation<'static>>,
    wanted: u64,
    deadline: Deadline,
) -> Result<(), RemoteFailure> {
    let held = reserved.as_ref().map_or(0, Reservation::bytes);
    if wanted <= held {
        return Ok(());
    }
    let wait = deadline.remaining().ok_or(RemoteFailure::Timeout)?.min(MAX_WAIT);
    let added = budget.reserve(wanted - held, wait).map_err(|error| match error {
        ReserveError::ExceedsTotal => RemoteFailure::TooLarge { max_bytes: budget.total() },
        ReserveError::Timeout => {
            RemoteFailure::Failed("this server has no free memory at present".to_owned())
        }
    })?;
    match reserved {
        Some(reserved) => reserved.merge(added),
        None => *reserved = Some(added),
    }
    Ok(())
}

/// An empty body.
impl Default for RemoteBody {
    fn default() -> Self {
        let budgets = [download_owner::current_budget(), Some(&DOWNLOADS)];
        Self { bytes: Vec::new(), budgets, reserved: [None, None] }
    }
}

impl Deref for RemoteBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that this process has created. They take no part of the budget.
impl From<Vec<u8>> for RemoteBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }
}

impl AsRef<[u8]> for RemoteBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Compares the bytes.
impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for RemoteBody {
    fn eq(&self, other: &T) -> bool {
        self.bytes == other.as_ref()
    }
}

impl Eq for RemoteBody {}

impl fmt::Debug for RemoteBody {
    /// Writes the size only, because the bytes can contain secrets of the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccountId;
    use crate::remote::DownloadOwner;
    use crate::remote::MAX_DOWNLOAD_BYTES;
    use crate::remote::download_owner::MAX_OWNER_BYTES;

    /// Size of the budget of the tests in bytes.
    const TOTAL: u64 = 8 << 20;

    /// Returns a budget for one test.
    fn new_budget() -> &'static MemoryBudget {
        Box::leak(Box::new(MemoryBudget::new(TOTAL)))
    }

    /// Reads a body of this size.
    fn read(
        budget: &'static MemoryBudget,
        size: u64,
        expected: Option<u64>,
        max_bytes: u64,
    ) -> Result<RemoteBody, RemoteFailure> {
        let deadline = Deadline::after(Duration::from_secs(1));
        let budgets = [download_owner::current_budget(), Some(budget)];
        let empty = RemoteBody { budgets, ..RemoteBody::default() };
        let body = empty.read_all(&mut io::repeat(1).take(size), (expected, max_bytes), deadline);
        body.map_err(|error| match error {
            ReadError::Failure(failure) => failure,
            ReadError::Io(error) => panic!("{error}"),
        })
    }

    #[test]
    fn bodies_have_all_bytes_up_to_the_limit() {
        let budget = new_budget();
        for size in [0, 1, FIRST_BYTES - 1, FIRST_BYTES, FIRST_BYTES + 1, 3 << 20] {
            for expected in [None, Some(size), Some(0), Some(2 * size)] {
                let body = read(budget, size, expected, 4 << 20).unwrap();
                assert_eq!(body.len() as u64, size, "{expected:?}");
            }
            // One byte more than the limit.
            let body = read(budget, size + 5, None, size).unwrap();
            assert_eq!(body.len() as u64, size + 1);
        }
    }

    #[test]
    fn large_bodies_share_the_budget_and_small_ones_do_not_need_it() {
        let budget = new_budget();
        let size = TOTAL / 2 - 100;
        let first = read(budget, size, Some(size), size).unwrap();
        let second = read(budget, size, None, size).unwrap();
        let refused = read(budget, 2 << 20, None, 2 << 20);
        assert!(matches!(refused, Err(RemoteFailure::Failed(_))), "{refused:?}");
        let small = read(budget, FREE_BYTES - 1, None, 2 << 20).unwrap();
        assert_eq!(small.len() as u64, FREE_BYTES - 1);
        drop(first);
        let mut third = read(budget, 2 << 20, None, 2 << 20).unwrap();
        let deadline = Deadline::after(Duration::from_secs(1));
        third.append(b"end", deadline).unwrap();
        assert!(third.ends_with(b"\x01end"));
        drop((second, third));
        assert!(read(budget, TOTAL + 1, None, TOTAL * 2).is_err());
        // A server that declares a large body and sends nothing takes no part.
        let stalled = read(budget, 0, Some(TOTAL), TOTAL).unwrap();
        assert!(stalled.reserved.iter().all(Option::is_none));
        // All is free again.
        assert!(read(budget, TOTAL - 1, Some(TOTAL - 1), TOTAL).is_ok());
    }

    #[test]
    fn the_downloads_of_one_account_leave_memory_to_others() {
        let budget = Box::leak(Box::new(MemoryBudget::new(MAX_TOTAL_BYTES)));
        let read_as = |account: &str, size: u64| {
            let _owner = DownloadOwner::begin(&AccountId::from_text(account));
            read(budget, size, Some(size), size)
        };
        let size = MAX_DOWNLOAD_BYTES;
        let first = [read_as("ann", size).unwrap(), read_as("ann", size).unwrap()];
        let third = read_as("ann", size);
        assert!(matches!(third, Err(RemoteFailure::Failed(_))), "{third:?}");
        drop(read_as("ann", FREE_BYTES - 1).unwrap());
        drop(read_as("ben", size).unwrap());
        drop(first);
        // The first body of an account may have more than the share of the account.
        let large = read_as("ann", MAX_OWNER_BYTES + size / 2).unwrap();
        assert!(read_as("ann", FREE_BYTES + 1).is_err());
        drop(read_as("ben", size).unwrap());
        drop(large);
        drop(read_as("ann", size).unwrap());
    }
}
