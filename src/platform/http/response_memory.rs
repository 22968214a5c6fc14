//! The memory of response bodies that clients have not received yet.
//!
//! A client that requests large bodies and does not read them would otherwise fill the memory. A
//! large body is therefore written to a file if its caller has another one, see `spool.rs`. A caller
//! with too many unsent bytes gets no further response until it has read some of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use foldhash::fast::RandomState;
use hyper::body::Bytes;

use super::caller_key::CallerKey;
use crate::memory_use::MemoryUse;

/// Number of unsent bytes above which no further request of a caller starts. Those that have started
/// before may exceed it, up to [`MAX_HELD_BYTES`].
const MAX_CALLER_BYTES: usize = 32 << 20;
/// The same for all callers of a client network.
const MAX_NETWORK_BYTES: usize = 48 << 20;
/// Number of unsent bytes of all callers above which only callers with few unsent bytes get
/// responses.
const MAX_TOTAL_BYTES: usize = 96 << 20;
/// Number of unsent bytes of a caller, of a network and of all callers above which a finished large
/// response is replaced by an error.
///
/// Many requests can start before the first of them has a response, and a network has many callers if
/// somebody invents credentials.
const MAX_HELD_BYTES: [usize; 3] = [48 << 20, 64 << 20, 112 << 20];
/// Number of unsent bytes in memory of a caller, of a network and of all callers, without a large body
/// itself, above which this is written to a file.
const MAX_UNSPOOLED_BYTES: [usize; 3] = [1 << 20, 8 << 20, 24 << 20];
/// Size in bytes below which a body stays in memory, because a file is not worth its cost.
const MIN_SPOOLED_BYTES: usize = 1 << 20;
/// Maximum number of unsent bytes in files of a caller, of a network and of all callers.
const MAX_SPOOLED_BYTES: [usize; 3] = [128 << 20, 256 << 20, 512 << 20];
/// Space in files without which no further request starts: the size of the largest usual response.
const MIN_SPOOL_SPACE_BYTES: usize = 16 << 20;
/// Number of unsent bytes of all callers above which connections that make no progress are closed
/// early.
const PRESSURE_BYTES: usize = 48 << 20;
/// The same for unsent bytes in files.
const SPOOL_PRESSURE_BYTES: usize = 256 << 20;
/// Number of unsent bytes that a caller may have although the network or all callers have too many,
/// as long as all callers have fewer than in [`MAX_HELD_BYTES`].
const SMALL_CALLER_BYTES: usize = 256 << 10;
/// Size of a body below which it is not counted, because its headers need as much memory.
const MIN_COUNTED_BYTES: usize = 1 << 10;

/// The unsent bytes of all callers.
#[derive(Default)]
pub struct ResponseMemory {
    in_use: Arc<MemoryUse>,
    /// Number of unsent bytes in files.
    in_files: Arc<AtomicUsize>,
    // Almost every request finds its caller here, so that threads need not wait for each other.
    callers: RwLock<HashMap<CallerKey, Arc<CallerMemory>, RandomState>>,
    networks: Mutex<HashMap<IpAddr, Arc<UnsentBytes>>>,
}

/// Numbers of unsent bytes.
#[derive(Default)]
struct UnsentBytes {
    in_memory: AtomicUsize,
    in_files: AtomicUsize,
}

/// The unsent bytes of a caller.
#[derive(Default)]
pub struct CallerMemory {
    own: UnsentBytes,
    network: Arc<UnsentBytes>,
    in_use: Arc<MemoryUse>,
    /// Number of bytes in files of all callers.
    in_files: Arc<AtomicUsize>,
}

/// Bytes of a response in a file that count as unsent until this is dropped.
pub struct SpoolShare {
    memory: Arc<CallerMemory>,
    bytes: usize,
}

/// Bytes of a response that count as unsent until this is dropped.
#[must_use]
pub struct HeldMemory {
    memory: Arc<CallerMemory>,
    bytes: usize,
}

/// A body that counts as unsent until all references to it are dropped.
struct CountedBody {
    bytes: Bytes,
    _held: HeldMemory,
}

impl ResponseMemory {
    /// Creates the memory of a server. Unsent bytes in memory count for `in_use`.
    pub fn new(in_use: Arc<MemoryUse>) -> Self {
        Self { in_use, ..Self::default() }
    }

    /// Returns the memory of a caller, and creates it if the caller is new.
    pub fn find_caller(&self, key: CallerKey) -> Arc<CallerMemory> {
        let known = self.callers.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(memory) = known {
            return memory;
        }
        let mut callers = self.callers.write().unwrap_or_else(PoisonError::into_inner);
        let network = self
            .networks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(key.network)
            .or_default()
            .clone();
        let memory = CallerMemory {
            own: UnsentBytes::default(),
            network,
            in_use: self.in_use.clone(),
            in_files: self.in_files.clone(),
        };
        callers.entry(key).or_insert(Arc::new(memory)).clone()
    }

    /// Returns whether all callers together have more than `PRESSURE_BYTES` unsent bytes in memory or
    /// `SPOOL_PRESSURE_BYTES` in files, so that clients must read quickly.
    pub fn is_under_pressure(&self) -> bool {
        self.in_use.unsent_responses.load(Relaxed) > PRESSURE_BYTES
            || self.in_files.load(Relaxed) > SPOOL_PRESSURE_BYTES
    }

    /// Forgets callers and networks without requests and unsent bytes. Call it periodically.
    pub fn forget_idle_callers(&self) {
        let mut callers = self.callers.write().unwrap_or_else(PoisonError::into_inner);
        callers.retain(|_, memory| Arc::strong_count(memory) > 1);
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|_, bytes| Arc::strong_count(bytes) > 1);
    }
}

impl CallerMemory {
    /// Returns whether a further request of the caller may start now. Callers with few unsent bytes
    /// may go on longer if the network or all callers have too many. Reserves nothing.
    pub fn may_produce(&self) -> bool {
        let [own, network, total] = self.counters().map(|counter| counter.load(Relaxed));
        (own < SMALL_CALLER_BYTES && total < MAX_HELD_BYTES[2])
            || (own < MAX_CALLER_BYTES
                && network < MAX_NETWORK_BYTES
                && total < MAX_TOTAL_BYTES
                && self.has_spool_space(MIN_SPOOL_SPACE_BYTES))
    }

    /// Reserves space in files for `bytes` of a response. Returns None, and reserves nothing, if the
    /// caller, the network or all callers would have too many.
    pub fn reserve_spool(self: &Arc<Self>, bytes: usize) -> Option<SpoolShare> {
        if !self.has_spool_space(bytes) {
            return None;
        }
        for counter in self.file_counters() {
            counter.fetch_add(bytes, Relaxed);
        }
        Some(SpoolShare { memory: self.clone(), bytes })
    }

    /// Returns whether the caller, the network and all callers may have `bytes` more in files.
    /// Concurrent calls can exceed the limits by one response for each thread.
    fn has_spool_space(&self, bytes: usize) -> bool {
        let counters = self.file_counters();
        let mut pairs = counters.iter().zip(&MAX_SPOOLED_BYTES);
        pairs.all(|(counter, max)| counter.load(Relaxed) + bytes <= *max)
    }

    /// Counts `bytes` of a finished response as unsent. Returns None, and counts nothing, if they
    /// are more than `SMALL_CALLER_BYTES` and the caller, the network or all callers already have
    /// more than in `MAX_HELD_BYTES`.
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Option<HeldMemory> {
        let before = self.counters().map(|counter| counter.fetch_add(bytes, Relaxed));
        let held = HeldMemory { memory: self.clone(), bytes };
        let mut pairs = before.iter().zip(&MAX_HELD_BYTES);
        (bytes <= SMALL_CALLER_BYTES || pairs.all(|(before, max)| before <= max)).then_some(held)
    }

    /// Returns the counters of unsent bytes of the caller, of the network and of all callers, in
    /// this order.
    fn counters(&self) -> [&AtomicUsize; 3] {
        [&self.own.in_memory, &self.network.in_memory, &self.in_use.unsent_responses]
    }

    /// Returns the counters of unsent bytes in files, in the same order.
    fn file_counters(&self) -> [&AtomicUsize; 3] {
        [&self.own.in_files, &self.network.in_files, &self.in_files]
    }
}

impl SpoolShare {
    /// Returns a chunk of the response that counts as unsent memory of the caller until all references
    /// to it are dropped.
    pub fn count_chunk(&self, chunk: Bytes) -> Bytes {
        match self.memory.hold(chunk.len()) {
            Some(held) => held.attach(chunk),
            None => chunk,
        }
    }
}

impl Drop for SpoolShare {
    /// Stops counting the bytes as unsent.
    fn drop(&mut self) {
        for counter in self.memory.file_counters() {
            counter.fetch_sub(self.bytes, Relaxed);
        }
    }
}

impl HeldMemory {
    /// Reserves space for `body` in files if it is large, and the caller, the network or all callers
    /// have other large bodies in memory, or all requests take too much. Returns None if the body
    /// should stay in memory, or the files have no space.
    pub fn reserve_spool(&self, body: &[u8]) -> Option<SpoolShare> {
        let mut pairs = self.memory.counters().into_iter().zip(&MAX_UNSPOOLED_BYTES);
        // The body counts already.
        let is_scarce = !self.memory.in_use.has_space(0);
        let must_spool = body.len() >= MIN_SPOOLED_BYTES
            && (is_scarce
                || pairs
                    .any(|(counter, max)| counter.load(Relaxed) > self.bytes.saturating_add(*max)));
        if must_spool { self.memory.reserve_spool(body.len()) } else { None }
    }

    /// Returns `body` such that its bytes count as unsent until all references to it are dropped.
    /// The count changes to the length of `body`, which can be less than in `hold` because of
    /// compression. A body below `MIN_COUNTED_BYTES` no longer counts.
    pub fn attach(mut self, body: Bytes) -> Bytes {
        if body.len() < MIN_COUNTED_BYTES {
            return body;
        }
        let previous = std::mem::replace(&mut self.bytes, body.len());
        if previous != body.len() {
            for counter in self.memory.counters() {
                counter.fetch_add(body.len(), Relaxed);
                counter.fetch_sub(previous, Relaxed);
            }
        }
        Bytes::from_owner(CountedBody { bytes: body, _held: self })
    }
}

impl AsRef<[u8]> for CountedBody {
    /// Returns the bytes of the body.
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for HeldMemory {
    /// Stops counting the bytes as unsent.
    fn drop(&mut self) {
        for counter in self.memory.counters() {
            counter.fetch_sub(self.bytes, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn key(network: u8, credentials: u64) -> CallerKey {
        CallerKey { network: IpAddr::V4(Ipv4Addr::new(10, 0, 0, network)), credentials }
    }

    /// Returns a body that counts for a caller. None if that is refused.
    fn try_count(caller: &Arc<CallerMemory>, mebibytes: usize) -> Option<Bytes> {
        let bytes = mebibytes << 20;
        caller.hold(bytes).map(|held| held.attach(Bytes::from(vec![0; bytes])))
    }

    fn count(caller: &Arc<CallerMemory>, mebibytes: usize) -> Bytes {
        try_count(caller, mebibytes).expect("memory for the body")
    }

    #[test]
    fn caller_with_too_many_unsent_bytes_gets_no_response_until_they_are_dropped() {
        let memory = ResponseMemory::default();
        let caller = memory.find_caller(key(1, 1));
        let first = count(&caller, 20);
        assert!(caller.may_produce());
        let second = count(&caller, 20);
        let part_of_second = second.slice(..10);
        assert!(!caller.may_produce());
        drop(second);
        assert!(!caller.may_produce(), "a slice keeps the whole body in memory");
        drop(part_of_second);
        assert!(caller.may_produce());
        drop(first);
        assert_eq!(memory.in_use.unsent_responses.load(Relaxed), 0);
    }

    #[test]
    fn network_and_total_bound_callers_with_large_bodies_but_not_those_with_small_ones() {
        let memory = ResponseMemory::default();
        let bodies = [1, 2].map(|number| count(&memory.find_caller(key(1, number)), 30));
        let third = memory.find_caller(key(1, 3));
        let _large = count(&third, 1);
        assert!(!third.may_produce(), "the network has 61 MiB");
        assert!(memory.find_caller(key(1, 4)).may_produce());
        let other = memory.find_caller(key(2, 1));
        let _other_body = count(&other, 31);
        let _third_network = count(&memory.find_caller(key(3, 1)), 20);
        assert!(!other.may_produce(), "all networks have 112 MiB");
        assert!(memory.is_under_pressure());
        drop(bodies);
        assert!(other.may_produce());
    }

    #[test]
    fn large_responses_of_many_callers_are_refused_at_the_limit() {
        let memory = ResponseMemory::default();
        let hold = |network, number| try_count(&memory.find_caller(key(network, number)), 14);
        let bodies: Vec<Bytes> = (0..40).filter_map(|number| hold(1, number)).collect();
        assert_eq!(bodies.len(), 5, "70 MiB of one network");
        let small = memory.find_caller(key(1, 50));
        assert!(small.may_produce() && small.hold(200 << 10).is_some());
        let more: Vec<Bytes> = (0..40).filter_map(|network| hold(2 + network, 1)).collect();
        assert_eq!(more.len(), 4, "126 MiB of all");
        assert!(!small.may_produce());
        drop((bodies, more));
        assert_eq!(memory.in_use.unsent_responses.load(Relaxed), 0);
        let one: Vec<Bytes> = (0..40).filter_map(|_| hold(1, 1)).collect();
        assert_eq!(one.len(), 4, "56 MiB of one caller that sends many requests at once");
    }

    #[test]
    fn compressed_bodies_count_with_their_final_length() {
        let memory = ResponseMemory::default();
        let caller = memory.find_caller(key(1, 1));
        let held = caller.hold(20 << 20).unwrap();
        assert_eq!(caller.own.in_memory.load(Relaxed), 20 << 20);
        let body = held.attach(Bytes::from(vec![0; 5000]));
        assert_eq!(caller.own.in_memory.load(Relaxed), 5000);
        drop(body);
        let held = caller.hold(20 << 20).unwrap();
        drop(held.attach(Bytes::from_static(b"short")));
        assert_eq!(
            [caller.own.in_memory.load(Relaxed), memory.in_use.unsent_responses.load(Relaxed)],
            [0, 0]
        );
    }

    #[test]
    fn only_large_bodies_beyond_the_first_one_go_to_files() {
        let memory = ResponseMemory::new(Arc::new(MemoryUse::new(110 << 20)));
        let caller = memory.find_caller(key(1, 1));
        let hold = |mebibytes: usize| {
            let body = Bytes::from(vec![0; mebibytes << 20]);
            (caller.hold(body.len()).unwrap(), body)
        };
        let (first, body) = hold(14);
        assert!(first.reserve_spool(&body).is_none(), "the only body");
        let first = first.attach(body);
        let (second, body) = hold(14);
        assert!(second.reserve_spool(&body[..MIN_SPOOLED_BYTES - 1]).is_none(), "a small body");
        let share = second.reserve_spool(&body).unwrap();
        drop((second, body));
        let counts = |bytes: &UnsentBytes| {
            [&bytes.in_memory, &bytes.in_files].map(|counter| counter.load(Relaxed) >> 20)
        };
        let all = || {
            [&memory.in_use.unsent_responses, &*memory.in_files]
                .map(|counter| counter.load(Relaxed) >> 20)
        };
        assert_eq!([counts(&caller.own), counts(&caller.network), all()], [[14, 14]; 3]);
        let chunk = share.count_chunk(Bytes::from(vec![0; 1 << 20]));
        assert_eq!(counts(&caller.own), [15, 14]);
        drop((first, share, chunk));
        memory.in_use.reserved.fetch_add(100 << 20, Relaxed);
        let (only, body) = hold(14);
        assert!(only.reserve_spool(&body).is_some(), "other requests take the memory");
        memory.in_use.reserved.fetch_sub(100 << 20, Relaxed);
        assert!(only.reserve_spool(&body).is_none());
        drop((only, body));
        assert_eq!(all(), [0, 0]);
    }

    #[test]
    fn bodies_in_files_are_bounded_and_their_callers_wait() {
        let memory = ResponseMemory::default();
        let reserve = |network, number| {
            let caller = memory.find_caller(key(network, number));
            std::iter::from_fn(|| caller.reserve_spool(14 << 20)).collect::<Vec<_>>()
        };
        let shares = [reserve(1, 1), reserve(1, 2), reserve(2, 1), reserve(3, 1), reserve(4, 1)];
        assert_eq!(shares.each_ref().map(Vec::len), [9, 9, 9, 9, 0], "504 MiB");
        assert!(memory.is_under_pressure());
        let greedy = memory.find_caller(key(1, 1));
        assert!(greedy.may_produce(), "small responses do not need files");
        let body = count(&greedy, 14);
        assert!(!greedy.may_produce(), "126 of 128 MiB are in files");
        drop((body, shares));
        assert!(!memory.is_under_pressure());
        assert_eq!(memory.in_files.load(Relaxed), 0);
    }

    #[test]
    fn idle_callers_are_forgotten() {
        let memory = ResponseMemory::default();
        let kept = count(&memory.find_caller(key(1, 1)), 1);
        memory.find_caller(key(2, 1));
        memory.forget_idle_callers();
        memory.forget_idle_callers();
        assert_eq!(memory.callers.read().unwrap().len(), 1);
        assert_eq!(memory.networks.lock().unwrap().len(), 1);
        drop(kept);
    }
}
