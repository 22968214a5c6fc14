//! The memory of request bodies that the server is reading or handling.
//!
//! The bytes are counted as they arrive, for each client network and in total, so that slow or
//! unfinished bodies occupy only what was really received.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hyper::body::Bytes;

/// Maximum number of bytes of all bodies, or the maximum size of one body if that is larger.
const MAX_TOTAL_BYTES: usize = 128 << 20;
/// Maximum number of bytes of the bodies of one client network, or the maximum size of one body if
/// that is larger.
const MAX_NETWORK_BYTES: usize = 48 << 20;
/// Size above which a body is large.
const LARGE_BODY_BYTES: usize = 1 << 20;
/// Maximum number of large bodies of one client network. With more, all could wait for memory that
/// the others hold.
const MAX_LARGE_BODIES: usize = 2;

/// The bytes of all request bodies.
pub struct BodyMemory {
    total: Arc<AtomicUsize>,
    max_body_bytes: usize,
    networks: Mutex<HashMap<IpAddr, Arc<NetworkBodies>>>,
}

/// The bodies of one client network.
#[derive(Default)]
struct NetworkBodies {
    bytes: AtomicUsize,
    /// Number of large bodies.
    large: AtomicUsize,
}

/// The counted bytes of one body. Dropping it frees them.
pub struct BodyShare {
    total: Arc<AtomicUsize>,
    network: Arc<NetworkBodies>,
    max_body_bytes: usize,
    bytes: usize,
    is_large: bool,
}

/// The reason why there is no memory for a part of a body.
#[derive(Debug, PartialEq, Eq)]
pub enum MemoryShortage {
    /// The body becomes large, and the network has [`MAX_LARGE_BODIES`] already. They can go on.
    LargeBodies,
    /// The network or the server has too many bytes. All their bodies may be waiting.
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
    /// Creates the memory of a server that accepts bodies of at most `max_body_bytes`.
    pub fn new(max_body_bytes: usize) -> Self {
        Self { total: Arc::default(), max_body_bytes, networks: Mutex::default() }
    }

    /// Starts to count a body of a client network, with 0 bytes so far. The returned share belongs
    /// to this body only.
    pub fn begin_body(&self, network: IpAddr) -> BodyShare {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        let network = networks.entry(network).or_default();
        BodyShare {
            total: self.total.clone(),
            network: network.clone(),
            max_body_bytes: self.max_body_bytes,
            bytes: 0,
            is_large: false,
        }
    }

    /// Forgets networks without bodies. Call it periodically.
    pub fn forget_idle_networks(&self) {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|_, bodies| Arc::strong_count(bodies) > 1);
    }
}

impl BodyShare {
    /// Counts `bytes` more bytes for the body, its network and the server.
    ///
    /// # Errors
    /// Returns the reason if there is no memory for them, and does not count the bytes. The body
    /// may count as large from then on.
    pub fn try_grow(&mut self, bytes: usize) -> Result<(), MemoryShortage> {
        if self.bytes + bytes > LARGE_BODY_BYTES && !self.is_large {
            self.is_large = try_add(&self.network.large, 1, MAX_LARGE_BODIES);
            if !self.is_large {
                return Err(MemoryShortage::LargeBodies);
            }
        }
        let max_network_bytes = MAX_NETWORK_BYTES.max(self.max_body_bytes);
        if !try_add(&self.network.bytes, bytes, max_network_bytes) {
            return Err(MemoryShortage::Bytes);
        }
        if !try_add(&self.total, bytes, MAX_TOTAL_BYTES.max(self.max_body_bytes)) {
            self.network.bytes.fetch_sub(bytes, Relaxed);
            return Err(MemoryShortage::Bytes);
        }
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for BodyShare {
    /// Subtracts the bytes of the body from those of its network and of the server.
    fn drop(&mut self) {
        self.network.bytes.fetch_sub(self.bytes, Relaxed);
        self.total.fetch_sub(self.bytes, Relaxed);
        self.network.large.fetch_sub(usize::from(self.is_large), Relaxed);
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

    use super::*;

    fn network(number: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, number))
    }

    #[test]
    fn a_network_has_bounded_bodies_and_does_not_affect_others() {
        let memory = BodyMemory::new(32 << 20);
        let mut small: Vec<BodyShare> = (0..48).map(|_| memory.begin_body(network(1))).collect();
        assert!(small.iter_mut().all(|share| share.try_grow(1 << 20).is_ok()));
        let mut next = memory.begin_body(network(1));
        assert_eq!(next.try_grow(1), Err(MemoryShortage::Bytes), "48 MiB are in use");
        assert_eq!(memory.begin_body(network(2)).try_grow(1), Ok(()));
        small.pop();
        assert_eq!(next.try_grow(1), Ok(()));
        drop((small, next));
        assert_eq!(memory.total.load(Relaxed), 0);
        memory.forget_idle_networks();
        assert!(memory.networks.lock().unwrap().is_empty());
    }

    #[test]
    fn a_network_has_two_large_bodies_at_once() {
        let memory = BodyMemory::new(32 << 20);
        let mut bodies: Vec<BodyShare> = (0..3).map(|_| memory.begin_body(network(1))).collect();
        let grown: Vec<_> =
            bodies.iter_mut().map(|share| share.try_grow(LARGE_BODY_BYTES + 1)).collect();
        assert_eq!(grown, [Ok(()), Ok(()), Err(MemoryShortage::LargeBodies)]);
        bodies.remove(0);
        assert_eq!(bodies[1].try_grow(LARGE_BODY_BYTES + 1), Ok(()));
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
    fn all_networks_together_are_bounded() {
        let memory = BodyMemory::new(32 << 20);
        let mut bodies: Vec<BodyShare> =
            (0..4).flat_map(|number| [number; 2]).map(|n| memory.begin_body(network(n))).collect();
        let grown: usize =
            bodies.iter_mut().map(|share| usize::from(share.try_grow(20 << 20).is_ok())).sum();
        assert_eq!(grown, 6, "six bodies of 20 MiB fit into 128 MiB");
    }
}
