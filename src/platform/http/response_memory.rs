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

/// Number of unsent bytes above which a caller gets no further response. A response that has
/// started before may exceed it.
const MAX_CALLER_BYTES: usize = 32 << 20;
/// The same for all callers of a client network.
const MAX_NETWORK_BYTES: usize = 48 << 20;
/// Number of unsent bytes of all callers above which only callers with few unsent bytes get
/// responses.
const MAX_TOTAL_BYTES: usize = 96 << 20;
/// Number of unsent bytes of all callers above which connections that make no progress are closed
/// early.
const PRESSURE_BYTES: usize = 48 << 20;
/// Number of unsent bytes that a caller may have in any case.
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

/// A body that counts as unsent until all references to it are dropped.
struct CountedBody {
    bytes: Bytes,
    memory: Arc<CallerMemory>,
}

impl ResponseMemory {
    /// Returns the memory of a caller.
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

    /// Returns whether there are so many unsent bytes that clients must read them quickly.
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
    /// Returns whether the caller may get a further response now.
    pub fn may_produce(&self) -> bool {
        let own = self.own.load(Relaxed);
        own < SMALL_CALLER_BYTES
            || (own < MAX_CALLER_BYTES
                && self.network.load(Relaxed) < MAX_NETWORK_BYTES
                && self.total.load(Relaxed) < MAX_TOTAL_BYTES)
    }

    /// Returns the same bytes, which count as unsent until they are dropped.
    pub fn count(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        if bytes.len() < MIN_COUNTED_BYTES {
            return bytes;
        }
        for counter in [&self.own, &*self.network, &*self.total] {
            counter.fetch_add(bytes.len(), Relaxed);
        }
        Bytes::from_owner(CountedBody { bytes, memory: self.clone() })
    }
}

impl AsRef<[u8]> for CountedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBody {
    fn drop(&mut self) {
        let CallerMemory { own, network, total } = &*self.memory;
        for counter in [own, &**network, &**total] {
            counter.fetch_sub(self.bytes.len(), Relaxed);
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

    fn body(mebibytes: usize) -> Bytes {
        Bytes::from(vec![0; mebibytes << 20])
    }

    #[test]
    fn caller_with_too_many_unsent_bytes_gets_no_response_until_they_are_dropped() {
        let memory = ResponseMemory::default();
        let caller = memory.find_caller(key(1, 1));
        let first = caller.count(body(20));
        assert!(caller.may_produce());
        let second = caller.count(body(20));
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
        let bodies: Vec<Bytes> =
            (1..=2).map(|number| memory.find_caller(key(1, number)).count(body(30))).collect();
        let third = memory.find_caller(key(1, 3));
        let _large = third.count(body(1));
        assert!(!third.may_produce(), "the network has 61 MiB");
        assert!(memory.find_caller(key(1, 4)).may_produce());
        let other = memory.find_caller(key(2, 1));
        let _other_bodies = [other.count(body(31)), memory.find_caller(key(3, 1)).count(body(30))];
        assert!(!other.may_produce(), "all networks have 122 MiB");
        assert!(memory.is_under_pressure());
        drop(bodies);
        assert!(other.may_produce());
    }

    #[test]
    fn idle_callers_are_forgotten() {
        let memory = ResponseMemory::default();
        let kept = memory.find_caller(key(1, 1)).count(body(1));
        memory.find_caller(key(2, 1));
        memory.forget_idle_callers();
        memory.forget_idle_callers();
        assert_eq!(memory.callers.read().unwrap().len(), 1);
        assert_eq!(memory.networks.lock().unwrap().len(), 1);
        drop(kept);
    }
}
