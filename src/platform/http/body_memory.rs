//! The memory of request bodies that the server is reading or handling.
//!
//! The bytes are counted as they arrive, for each account or client network and in total, so that slow or
//! unfinished bodies occupy only what was really received. Unknown senders cannot take the memory of
//! accounts, and large bodies cannot take that of small ones.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hyper::body::Bytes;

use super::caller_key::CallerKey;
use crate::memory_use::MemoryUse;

/// Maximum number of bytes of the bodies of all unknown senders. All bodies may have as many and those of
/// one owner, 112 MiB, so that an account can send its largest body although unknown senders have all
/// theirs.
const MAX_UNKNOWN_BYTES: usize = 64 << 20;
/// Maximum number of bytes of the bodies of one owner.
const MAX_OWNER_BYTES: usize = 48 << 20;
/// Declared size up to which a body is small and may exceed the limits, so that a sign-in does not wait for
/// large bodies.
const SMALL_BODY_BYTES: u64 = 16 << 10;
/// Numbers of bytes by which small bodies may exceed the limits of their owner, of all unknown senders and
/// of all bodies.
const SMALL_BODY_RESERVES: [usize; 3] = [4 << 20, 8 << 20, 16 << 20];
/// Size above which a body is large.
const LARGE_BODY_BYTES: usize = 1 << 20;
/// Maximum number of large bodies of one owner. With more, all could wait for memory that the others
/// hold.
const MAX_LARGE_BODIES: usize = 2;
/// Memory of the headers of a request that counts with the largest body.
const MAX_HEADER_MEMORY: usize = 64 << 10;

/// The bytes of all request bodies.
pub struct BodyMemory {
    max_body_bytes: usize,
    in_use: Arc<MemoryUse>,
    unknown: Arc<AtomicUsize>,
    owners: Mutex<HashMap<BodyOwner, Arc<OwnerBodies>>>,
}

/// The senders of bodies that count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum BodyOwner {
    /// Key of an account, in all networks.
    Account(u64),
    /// All senders of a client network without a known account.
    UnknownSenders(IpAddr),
}

/// The bodies of one owner.
#[derive(Default)]
struct OwnerBodies {
    bytes: AtomicUsize,
    /// Number of large bodies.
    large: AtomicUsize,
}

/// The counted bytes of one body. Dropping it frees them.
pub struct BodyShare {
    owner: Arc<OwnerBodies>,
    /// Bytes of all unknown senders. None for an account.
    unknown: Option<Arc<AtomicUsize>>,
    in_use: Arc<MemoryUse>,
    limits: [usize; 3],
    is_small: bool,
    bytes: usize,
    is_large: bool,
}

/// The reason why there is no memory for a part of a body.
#[derive(Debug, PartialEq, Eq)]
pub enum MemoryShortage {
    /// The body becomes large, and its owner has [`MAX_LARGE_BODIES`] already. They can go on.
    LargeBodies,
    /// The owner or all requests have too many bytes. All their bodies may be waiting.
    Bytes,
}

/// The received parts of a body.
pub struct BodyBuffer {
    /// The first part, as long as it is the only one. A body that arrives in one piece is not
    /// copied.
    first: Option<Bytes>,
    joined: Vec<u8>,
    declared_bytes: usize,
}

impl BodyBuffer {
    /// Creates an empty buffer for a body of at least `declared_bytes`. Allocates nothing until the
    /// second part arrives.
    pub fn new(declared_bytes: u64) -> Self {
        let declared_bytes = usize::try_from(declared_bytes).unwrap_or_default();
        Self { first: None, joined: Vec::new(), declared_bytes }
    }

    /// Returns the number of received bytes.
    pub fn len(&self) -> usize {
        self.first.as_ref().map_or(self.joined.len(), Bytes::len)
    }

    /// Appends a part. Keeps a single part without a copy, and copies all parts into one buffer
    /// from the second one on.
    pub fn push(&mut self, part: Bytes) {
        if self.len() == 0 {
            self.first = Some(part);
            return;
        }
        if let Some(first) = self.first.take() {
            self.joined.reserve(self.declared_bytes);
            self.joined.extend_from_slice(&first);
        }
        self.joined.extend_from_slice(&part);
    }

    /// Returns the whole body, which is empty if no part arrived.
    pub fn into_bytes(self) -> Bytes {
        self.first.unwrap_or_else(|| self.joined.into())
    }
}

impl BodyMemory {
    /// Creates the memory of a server that accepts bodies of at most `max_body_bytes`. The limits of an
    /// owner and of unknown senders are at least this size. The bytes count for `in_use`.
    pub fn new(max_body_bytes: usize, in_use: Arc<MemoryUse>) -> Self {
        Self { max_body_bytes, in_use, unknown: Arc::default(), owners: Mutex::default() }
    }

    /// Starts to count a body of a caller, with 0 bytes so far. `max_bytes` is its declared size, None if
    /// it is unknown. The returned share belongs to this body only.
    pub fn begin_body(&self, caller: CallerKey, max_bytes: Option<u64>) -> BodyShare {
        let (owner, unknown) = match caller.is_account() {
            true => (BodyOwner::Account(caller.credentials), None),
            false => (BodyOwner::UnknownSenders(caller.network), Some(self.unknown.clone())),
        };
        let is_small = max_bytes.is_some_and(|max| max <= SMALL_BODY_BYTES);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        BodyShare {
            owner: owners.entry(owner).or_default().clone(),
            unknown,
            in_use: self.in_use.clone(),
            limits: self.limits(is_small),
            is_small,
            bytes: 0,
            is_large: false,
        }
    }

    /// Returns the limits of the owner, of all unknown senders and of all bodies, for a small body or another
    /// one.
    fn limits(&self, is_small: bool) -> [usize; 3] {
        let largest = self.max_body_bytes.saturating_add(MAX_HEADER_MEMORY);
        let (owner, unknown) = (MAX_OWNER_BYTES.max(largest), MAX_UNKNOWN_BYTES.max(largest));
        let mut limits = [owner, unknown, unknown.saturating_add(owner)];
        if is_small {
            for (limit, reserve) in limits.iter_mut().zip(SMALL_BODY_RESERVES) {
                *limit = limit.saturating_add(reserve);
            }
        }
        limits
    }

    /// Forgets owners without bodies. Call it periodically.
    pub fn forget_idle_owners(&self) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|_, bodies| Arc::strong_count(bodies) > 1);
    }
}

impl BodyShare {
    /// Counts `bytes` more bytes for the body, its owner and the server.
    ///
    /// # Errors
    /// Returns the reason if there is no memory for them, and does not count the bytes. The body
    /// may count as large from then on.
    pub fn try_grow(&mut self, bytes: usize) -> Result<(), MemoryShortage> {
        if self.bytes + bytes > LARGE_BODY_BYTES && !self.is_large {
            self.is_large = try_add(&self.owner.large, 1, MAX_LARGE_BODIES);
            if !self.is_large {
                return Err(MemoryShortage::LargeBodies);
            }
        }
        let owned = self.owner.bytes.load(Relaxed) + bytes;
        if !self.is_small && owned > LARGE_BODY_BYTES && !self.in_use.has_space(bytes as u64) {
            return Err(MemoryShortage::Bytes);
        }
        let counters = self.counters();
        for (index, counter) in counters.iter().enumerate() {
            if counter.is_some_and(|counter| !try_add(counter, bytes, self.limits[index])) {
                subtract(&counters[..index], bytes);
                return Err(MemoryShortage::Bytes);
            }
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Returns the counters of the owner, of all unknown senders if the body is of one, and of all bodies.
    fn counters(&self) -> [Option<&AtomicUsize>; 3] {
        [Some(&self.owner.bytes), self.unknown.as_deref(), Some(&self.in_use.request_bodies)]
    }
}

impl Drop for BodyShare {
    /// Subtracts the bytes of the body from those of its owner and of the server.
    fn drop(&mut self) {
        subtract(&self.counters(), self.bytes);
        self.owner.large.fetch_sub(usize::from(self.is_large), Relaxed);
    }
}

/// Subtracts `amount` from the counters.
fn subtract(counters: &[Option<&AtomicUsize>], amount: usize) {
    for counter in counters.iter().flatten() {
        counter.fetch_sub(amount, Relaxed);
    }
}

/// Adds `amount` to `counter` unless the sum exceeds `max`. Returns whether it was added.
fn try_add(counter: &AtomicUsize, amount: usize, max: usize) -> bool {
    let add = |value: usize| value.checked_add(amount).filter(|sum| *sum <= max);
    counter.fetch_update(Relaxed, Relaxed, add).is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::caller_key::MIN_ACCOUNT_KEY;
    use super::*;

    fn new_memory(max_body_bytes: usize) -> BodyMemory {
        BodyMemory::new(max_body_bytes, Arc::default())
    }

    /// Returns a caller without a known account in this network.
    fn unknown(network: u8) -> CallerKey {
        CallerKey { network: IpAddr::V4(Ipv4Addr::new(10, 0, 0, network)), credentials: 0 }
    }

    /// Returns an account that sends from this network.
    fn account(number: u64, network: u8) -> CallerKey {
        CallerKey { credentials: MIN_ACCOUNT_KEY + number, ..unknown(network) }
    }

    /// Returns bodies of 1 MiB of a caller, as many as it may have.
    fn fill(memory: &BodyMemory, caller: CallerKey) -> Vec<BodyShare> {
        let bodies = (0..200).map(|_| memory.begin_body(caller, None));
        bodies.map_while(|mut share| share.try_grow(1 << 20).is_ok().then_some(share)).collect()
    }

    #[test]
    fn a_network_has_bounded_bodies_and_does_not_affect_others() {
        let memory = new_memory(32 << 20);
        let mut held = fill(&memory, unknown(1));
        assert_eq!(held.len(), 48);
        let mut next = memory.begin_body(unknown(1), None);
        assert_eq!(next.try_grow(1), Err(MemoryShortage::Bytes));
        for other in [unknown(2), account(1, 1)] {
            assert_eq!(memory.begin_body(other, None).try_grow(1 << 20), Ok(()));
        }
        held.pop();
        assert_eq!(next.try_grow(1 << 20), Ok(()));
        drop((held, next));
        assert_eq!(
            [&memory.in_use.request_bodies, &*memory.unknown].map(|bytes| bytes.load(Relaxed)),
            [0, 0]
        );
        memory.forget_idle_owners();
        assert!(memory.owners.lock().unwrap().is_empty());
    }

    #[test]
    fn small_bodies_have_a_reserve_that_is_bounded_too() {
        let memory = new_memory(32 << 20);
        let _held = fill(&memory, unknown(1));
        let begin = |declared| memory.begin_body(unknown(1), Some(declared));
        assert_eq!(begin(SMALL_BODY_BYTES + 1).try_grow(1), Err(MemoryShortage::Bytes));
        let small: Vec<BodyShare> = (0..500)
            .map(|_| begin(SMALL_BODY_BYTES))
            .map_while(|mut share| share.try_grow(16 << 10).is_ok().then_some(share))
            .collect();
        assert_eq!(small.len(), 256, "4 MiB");
    }

    #[test]
    fn an_owner_has_two_large_bodies_at_once() {
        let memory = new_memory(32 << 20);
        for caller in [unknown(1), account(1, 1)] {
            let mut bodies: Vec<BodyShare> =
                (0..3).map(|_| memory.begin_body(caller, None)).collect();
            let grown: Vec<_> =
                bodies.iter_mut().map(|share| share.try_grow(LARGE_BODY_BYTES + 1)).collect();
            assert_eq!(grown, [Ok(()), Ok(()), Err(MemoryShortage::LargeBodies)]);
            bodies.remove(0);
            assert_eq!(bodies[1].try_grow(LARGE_BODY_BYTES + 1), Ok(()));
        }
    }

    #[test]
    fn an_account_has_one_share_in_all_networks() {
        let memory = new_memory(32 << 20);
        let held = fill(&memory, account(1, 1));
        assert_eq!(held.len(), 48);
        assert_eq!(
            memory.begin_body(account(1, 2), None).try_grow(1 << 20),
            Err(MemoryShortage::Bytes)
        );
        assert_eq!(memory.begin_body(account(2, 1), None).try_grow(1 << 20), Ok(()));
    }

    #[test]
    fn large_bodies_wait_for_the_memory_of_all_requests() {
        let memory = BodyMemory::new(32 << 20, Arc::new(MemoryUse::new(10 << 20)));
        memory.in_use.reserved.fetch_add(8 << 20, Relaxed);
        let begin = |number| memory.begin_body(account(number, 1), None);
        let mut large = begin(1);
        assert_eq!(large.try_grow(2 << 20), Ok(()));
        assert_eq!(large.try_grow(1), Err(MemoryShortage::Bytes));
        assert_eq!(begin(2).try_grow(1 << 20), Ok(()), "a usual save");
        let mut small = memory.begin_body(account(1, 1), Some(1000));
        assert_eq!(small.try_grow(1000), Ok(()), "a small body beside a large one");
        drop(small);
        memory.in_use.reserved.fetch_sub(1 << 20, Relaxed);
        assert_eq!(large.try_grow(1 << 20), Ok(()));
    }

    #[test]
    fn the_largest_body_of_a_route_fits() {
        let memory = new_memory(64 << 20);
        let mut share = memory.begin_body(account(1, 1), None);
        assert_eq!(share.try_grow(MAX_HEADER_MEMORY), Ok(()));
        assert_eq!(share.try_grow(64 << 20), Ok(()));
        assert_eq!(share.try_grow(1), Err(MemoryShortage::Bytes));
    }

    #[test]
    fn unknown_senders_leave_memory_for_the_largest_body_of_an_account() {
        for max_body_bytes in [32 << 20, 100 << 20, 160 << 20] {
            let memory = new_memory(max_body_bytes);
            let _unknown: Vec<BodyShare> =
                (0..5).flat_map(|network| fill(&memory, unknown(network))).collect();
            let mut largest = memory.begin_body(account(1, 1), None);
            assert_eq!(largest.try_grow(max_body_bytes), Ok(()), "{max_body_bytes}");
        }
    }

    #[test]
    fn parts_of_a_body_are_joined_in_their_order() {
        for parts in [&[][..], &["one"], &["one", "", "two"], &["", "one", "two", "three"]] {
            let mut buffer = BodyBuffer::new(3);
            parts.iter().for_each(|part| buffer.push(Bytes::from_static(part.as_bytes())));
            let text = parts.concat();
            assert_eq!(buffer.len(), text.len());
            assert_eq!(buffer.into_bytes(), text.as_bytes());
        }
    }

    #[test]
    fn all_networks_together_are_bounded_and_leave_memory_to_accounts() {
        let memory = new_memory(32 << 20);
        let unknown: Vec<BodyShare> =
            (0..5).flat_map(|network| fill(&memory, unknown(network))).collect();
        assert_eq!(unknown.len(), 64);
        let known: Vec<BodyShare> =
            (0..3).flat_map(|number| fill(&memory, account(number, 1))).collect();
        assert_eq!(known.len(), 48, "112 MiB of all");
    }
}
