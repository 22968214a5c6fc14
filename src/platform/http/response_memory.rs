//! The memory of response bodies that clients have not received yet.
//!
//! A client that requests large bodies and does not read them would otherwise fill the memory. A
//! caller with too many unsent bytes gets no further response until it has read some of them.

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
/// Number of unsent bytes of all callers above which connections that make no progress are closed
/// early.
const PRESSURE_BYTES: usize = 48 << 20;
/// Number of unsent bytes that a caller may have although the network or all callers have too many,
/// as long as all callers have fewer than in [`MAX_HELD_BYTES`].
const SMALL_CALLER_BYTES: usize = 256 << 10;
/// Size of a body below which it is not counted, because its headers need as much memory.
const MIN_COUNTED_BYTES: usize = 1 << 10;

/// The unsent bytes of all callers.
#[derive(Default)]
pub struct ResponseMemory {
    total: Arc<AtomicUsize>,
    // Almost every request finds its caller here, so that threads need not wait for each other.
    callers: RwLock<HashMap<CallerKey, Arc<CallerMemory>, RandomState>>,
    networks: Mutex<HashMap<IpAddr, Arc<AtomicUsize>>>,
}

/// The unsent bytes of a caller.
#[derive(Default)]
pub struct CallerMemory {
    own: AtomicUsize,
    network: Arc<AtomicUsize>,
    total: Arc<AtomicUsize>,
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
        let memory = CallerMemory { own: AtomicUsize::new(0), network, total: self.total.clone() };
        callers.entry(key).or_insert(Arc::new(memory)).clone()
    }

    /// Returns whether all callers together have more than `PRESSURE_BYTES` unsent bytes, so that
    /// clients must read quickly.
    pub fn is_under_pressure(&self) -> bool {
        self.total.load(Relaxed) > PRESSURE_BYTES
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
        let own = self.own.load(Relaxed);
        let total = self.total.load(Relaxed);
        (own < SMALL_CALLER_BYTES && total < MAX_HELD_BYTES[2])
            || (own < MAX_CALLER_BYTES
                && self.network.load(Relaxed) < MAX_NETWORK_BYTES
                && total < MAX_TOTAL_BYTES)
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
        [&self.own, &self.network, &self.total]
    }
}

impl HeldMemory {
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
        assert_eq!(memory.total.load(Relaxed), 0);
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
        assert_eq!(memory.total.load(Relaxed), 0);
        let one: Vec<Bytes> = (0..40).filter_map(|_| hold(1, 1)).collect();
        assert_eq!(one.len(), 4, "56 MiB of one caller that sends many requests at once");
    }

    #[test]
    fn compressed_bodies_count_with_their_final_length() {
        let memory = ResponseMemory::default();
        let caller = memory.find_caller(key(1, 1));
        let held = caller.hold(20 << 20).unwrap();
        assert_eq!(caller.own.load(Relaxed), 20 << 20);
        let body = held.attach(Bytes::from(vec![0; 5000]));
        assert_eq!(caller.own.load(Relaxed), 5000);
        drop(body);
        let held = caller.hold(20 << 20).unwrap();
        drop(held.attach(Bytes::from_static(b"short")));
        assert_eq!([caller.own.load(Relaxed), memory.total.load(Relaxed)], [0, 0]);
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
