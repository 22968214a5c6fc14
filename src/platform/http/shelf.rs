//! Header maps of answers that were sent, kept for the next ones.
//!
//! An answer is made by one thread and given back by another, and its map is larger than what the C
//! library keeps for each thread: both would go to a lock for each.

use std::sync::LazyLock;

use crossbeam_channel::Receiver;
use crossbeam_channel::Sender;
use hyper::HeaderMap;

/// Maps that are kept at most: about as many as are on their way when the server is busy.
const MOST: usize = 64;
/// Headers that a map has room for at first: most answers have fewer.
const ROOM: usize = 12;
/// A map with more room is not kept: a request may have a hundred headers.
const MOST_ROOM: usize = 64;

static MAPS: LazyLock<(Sender<HeaderMap>, Receiver<HeaderMap>)> =
    LazyLock::new(|| crossbeam_channel::bounded(MOST));

/// An empty map for the headers of an answer.
pub fn headers() -> HeaderMap {
    MAPS.1.try_recv().unwrap_or_else(|_| HeaderMap::with_capacity(ROOM))
}

/// Keeps a request's map: the HTTP library makes them of those of answers.
pub fn give_back(mut headers: HeaderMap) {
    headers.clear();
    if headers.capacity() <= MOST_ROOM {
        // A full shelf takes no more.
        drop(MAPS.0.try_send(headers));
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::ETAG;
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_map_comes_back_empty() {
        let mut map = HeaderMap::with_capacity(MOST_ROOM / 2);
        map.insert(ETAG, HeaderValue::from_static("x"));
        give_back(map);
        for _ in 0..=MOST {
            assert!(headers().is_empty());
        }
    }
}
