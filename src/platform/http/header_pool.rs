//! A pool of empty header maps for responses.
//!
//! One thread creates the headers of a response and another one frees them after sending. A header
//! map is larger than the blocks that the C library caches per thread, so each allocation and each
//! release would take a lock of the allocator. The pool avoids both.

use std::sync::LazyLock;

use crossbeam_channel::Receiver;
use crossbeam_channel::Sender;
use hyper::HeaderMap;

/// Maximum number of maps in the pool: about the number of responses in progress under load.
const MAX_POOLED_MAPS: usize = 64;
/// Initial capacity of a new map. Most responses have fewer headers.
const INITIAL_CAPACITY: usize = 12;
/// Maps with a larger capacity are freed instead of pooled. A request may have a hundred headers.
const MAX_POOLED_CAPACITY: usize = 64;

static POOL: LazyLock<(Sender<HeaderMap>, Receiver<HeaderMap>)> =
    LazyLock::new(|| crossbeam_channel::bounded(MAX_POOLED_MAPS));

/// Returns an empty map for the headers of a response, from the pool if it has one.
pub fn take() -> HeaderMap {
    POOL.1.try_recv().unwrap_or_else(|_| HeaderMap::with_capacity(INITIAL_CAPACITY))
}

/// Clears the header map of a finished request and puts it into the pool.
///
/// The pool receives maps of requests because hyper keeps the maps of responses and reuses them for
/// later requests.
pub fn recycle(mut headers: HeaderMap) {
    headers.clear();
    if headers.capacity() <= MAX_POOLED_CAPACITY {
        // A full pool rejects the map, which is then freed.
        drop(POOL.0.try_send(headers));
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::ETAG;
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_recycled_map_is_empty() {
        let mut map = HeaderMap::with_capacity(MAX_POOLED_CAPACITY / 2);
        map.insert(ETAG, HeaderValue::from_static("x"));
        recycle(map);
        for _ in 0..=MAX_POOLED_MAPS {
            assert!(take().is_empty());
        }
    }
}
