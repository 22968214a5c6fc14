//! Open streams of server-sent events. Each stream is about one subject.
//!
//! No thread waits for a stream. A publisher puts an event into all streams that it concerns, and
//! the event loop sends it. An idle stream costs only its connection and an entry in the hub.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use hyper::body::Bytes;
use hyper::header::CACHE_CONTROL;
use hyper::header::HeaderName;
use tokio::sync::mpsc;
use tokio::sync::mpsc::Sender;

use super::response::Body;
use super::response::Response;
use crate::db::WakeSignal;
use crate::error::Error;
use crate::error::Result;

/// Maximum number of unsent events per stream. When the queue is full, the hub closes the stream.
/// The client, if it still exists, receives the current state when it connects again.
const MAX_QUEUED_EVENTS: usize = 8;

/// Maximum number of streams about one subject. A subject usually has one listener, for example the
/// screen of a cast session.
const MAX_STREAMS_PER_SUBJECT: usize = 64;

/// Maximum number of streams, because each takes memory and time for each event, and one HTTP/2
/// connection carries many.
const MAX_STREAMS: usize = 10_000;

/// Header that stops nginx from buffering the events.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// All open event streams of a server.
pub struct EventHub {
    streams: Mutex<Vec<Stream>>,
    /// Maximum number of streams.
    max_streams: AtomicUsize,
    /// Notified when a stream is opened.
    opened: WakeSignal,
}

struct Stream {
    /// Account to which the stream counts.
    owner: String,
    subject: String,
    /// State that the client knows, as a number that the caller of [`EventHub::open`] defines.
    state: i64,
    events: Sender<Bytes>,
}

/// A limit of the streams with certain subjects.
pub struct StreamLimit<'a> {
    /// Beginning of the subjects of the streams that count.
    pub prefix: &'a str,
    /// Account to which the streams count. None counts those of all accounts.
    pub owner: Option<&'a str>,
    /// Maximum number of these streams.
    pub max: usize,
}

impl StreamLimit<'_> {
    /// Returns whether one stream more would exceed the limit. Streams of disconnected clients do
    /// not count.
    fn is_reached(&self, streams: &[Stream]) -> bool {
        let counts = |stream: &&Stream| {
            self.owner.is_none_or(|owner| owner == stream.owner)
                && stream.subject.starts_with(self.prefix)
                && !stream.events.is_closed()
        };
        streams.iter().filter(counts).count() >= self.max
    }
}

/// The event that a broadcast sends to one stream.
pub enum SseEvent {
    /// Send no event.
    Unchanged,
    /// Send an event. Its client then knows this state.
    Update(i64, Bytes),
    /// Send an event and close the stream.
    Last(Bytes),
}

impl Default for EventHub {
    /// Creates a hub without streams that accepts `MAX_STREAMS`.
    fn default() -> Self {
        Self {
            streams: Mutex::default(),
            max_streams: AtomicUsize::new(MAX_STREAMS),
            opened: WakeSignal::default(),
        }
    }
}

impl EventHub {
    /// Limits the number of streams to `count`, but at least 1 and at most `MAX_STREAMS`. Closes no
    /// open stream.
    pub fn limit_streams(&self, count: usize) {
        self.max_streams.store(count.clamp(1, MAX_STREAMS), Ordering::Relaxed);
    }

    /// Opens a stream about `subject` that counts to the account `owner`, returns its response, and
    /// notifies [`EventHub::opened_signal`].
    ///
    /// The client receives the event `first` and then knows `state`. In a full hub, closes a stream
    /// of the owner with the most streams: the oldest one about its subject with the most streams.
    ///
    /// # Errors
    /// `Busy` if the subject has too many streams, or the hub is full and neither another owner nor
    /// another subject of this owner has at least two streams more.
    pub fn open(&self, owner: &str, subject: &str, state: i64, first: Bytes) -> Result<Response> {
        self.open_within(owner, subject, state, first, &[])
    }

    /// Opens a stream like [`EventHub::open`], within further limits.
    ///
    /// # Errors
    /// The errors of `open`. `Busy` if one of `limits` is reached.
    pub fn open_within(
        &self,
        owner: &str,
        subject: &str,
        state: i64,
        first: Bytes,
        limits: &[StreamLimit<'_>],
    ) -> Result<Response> {
        let (events, chunks) = mpsc::channel(MAX_QUEUED_EVENTS);
        // Cannot fail: the queue is empty.
        drop(events.try_send(first));
        let mut streams = self.lock();
        if limits.iter().any(|limit| limit.is_reached(&streams)) {
            return Err(Error::Busy);
        }
        make_room(&mut streams, owner, subject, self.max_streams.load(Ordering::Relaxed))?;
        let (owner, subject) = (owner.to_owned(), subject.to_owned());
        streams.push(Stream { owner, subject, state, events });
        drop(streams);
        self.opened.notify();
        stream_response(Body::Stream(chunks))
    }

    /// Returns the signal that is notified when a stream is opened.
    pub fn opened_signal(&self) -> &WakeSignal {
        &self.opened
    }

    /// Returns whether the hub has no stream. The stream of a disconnected client counts until the
    /// hub removes it.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Returns whether the hub has a stream with a subject that starts with `prefix`. The stream of a
    /// disconnected client counts until the hub removes it.
    pub fn has_subjects(&self, prefix: &str) -> bool {
        self.lock().iter().any(|stream| stream.subject.starts_with(prefix))
    }

    /// Returns whether a connected client listens to events about `subject`.
    pub fn has_stream(&self, subject: &str) -> bool {
        self.lock().iter().any(|stream| stream.subject == subject && !stream.events.is_closed())
    }

    /// Returns subject and state of each stream, oldest first. First removes streams of
    /// disconnected clients.
    pub fn stream_states(&self) -> Vec<(String, i64)> {
        let mut streams = self.lock();
        streams.retain(|stream| !stream.events.is_closed());
        streams.iter().map(|stream| (stream.subject.clone(), stream.state)).collect()
    }

    /// Sends to each stream the event that `event_for` returns for its subject and state.
    ///
    /// Stores the new state of an `Update` and closes the stream after a `Last`. If an event cannot
    /// be sent because the queue is full or the client has disconnected, closes the stream without
    /// it. `event_for` must not use the hub, which is locked during the call.
    pub fn broadcast(&self, event_for: impl Fn(&str, i64) -> SseEvent) {
        self.lock().retain_mut(|stream| match event_for(&stream.subject, stream.state) {
            SseEvent::Unchanged => true,
            SseEvent::Update(state, event) => {
                stream.state = state;
                stream.events.try_send(event).is_ok()
            }
            SseEvent::Last(event) => {
                drop(stream.events.try_send(event));
                false
            }
        });
    }

    /// Locks the list of streams, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, Vec<Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a response with these events and no others, for clients that ask once.
///
/// # Errors
/// If the headers are not valid, which does not happen.
pub fn finite_response(events: Bytes) -> Result<Response> {
    stream_response(Body::Bytes(events))
}

/// Returns a response of type `text/event-stream` with this body, which no cache stores.
fn stream_response(body: Body) -> Result<Response> {
    let mut response = Response::bytes("text/event-stream", Bytes::new());
    response.body = body;
    response.compress = false;
    response.with_header(CACHE_CONTROL, "no-store")?.with_header(X_ACCEL_BUFFERING, "no")
}

/// Makes room for another stream of `owner` about `subject` among at most `max_streams`, see
/// `EventHub::open`. Removes streams of disconnected clients first. `streams` is sorted by age, oldest
/// first.
///
/// # Errors
/// `Busy` if there is no room.
fn make_room(
    streams: &mut Vec<Stream>,
    owner: &str,
    subject: &str,
    max_streams: usize,
) -> Result<()> {
    let count = |streams: &[Stream]| streams.iter().filter(|open| open.subject == subject).count();
    if streams.len() < max_streams && count(streams) < MAX_STREAMS_PER_SUBJECT {
        return Ok(());
    }
    streams.retain(|stream| !stream.events.is_closed());
    if count(streams) >= MAX_STREAMS_PER_SUBJECT {
        return Err(Error::Busy);
    }
    if streams.len() < max_streams {
        return Ok(());
    }
    let index = find_stream_to_close(streams, owner, subject).ok_or(Error::Busy)?;
    streams.remove(index);
    Ok(())
}

/// Returns the index of the stream that gives its place to a new one of `owner` about `subject`.
/// None if neither another owner nor another subject of `owner` has at least two streams more.
///
/// It is the oldest stream of its subject, which has the most streams of its owner.
fn find_stream_to_close(streams: &[Stream], owner: &str, subject: &str) -> Option<usize> {
    let owners = count_streams(streams.iter().enumerate(), |stream| &stream.owner);
    let largest_owner = find_largest(&owners)?;
    // With one stream more, an owner or a subject must not have more than the one that loses a stream.
    let has_more = |counts: &StreamCounts, other: &str, own: &str| {
        let count = |key| counts.get(key).map_or(0, |(count, _)| *count);
        count(other) > count(own) + 1
    };
    let is_other = has_more(&owners, largest_owner, owner);
    let loser = if is_other { largest_owner } else { owner };
    let streams_of_loser = streams.iter().enumerate().filter(|(_, stream)| stream.owner == loser);
    let subjects = count_streams(streams_of_loser, |stream| &stream.subject);
    let largest = find_largest(&subjects)?;
    let may_close = is_other || has_more(&subjects, largest, subject);
    may_close.then(|| subjects.get(largest).map(|(_, oldest)| *oldest)).flatten()
}

/// Number of streams and index of the oldest one, by owner or by subject.
type StreamCounts<'a> = HashMap<&'a str, (usize, usize)>;

/// Counts streams, given with their indexes in ascending order, by the result of `key`.
fn count_streams<'a>(
    streams: impl Iterator<Item = (usize, &'a Stream)>,
    key: impl Fn(&'a Stream) -> &'a str,
) -> StreamCounts<'a> {
    let mut counts = HashMap::new();
    for (index, stream) in streams {
        counts.entry(key(stream)).or_insert((0, index)).0 += 1;
    }
    counts
}

/// Returns the key with the most streams. Of several, the one with the oldest stream.
fn find_largest<'a>(counts: &StreamCounts<'a>) -> Option<&'a str> {
    let largest = counts.iter().max_by_key(|(_, (count, oldest))| (*count, Reverse(*oldest)));
    largest.map(|(key, _)| *key)
}

/// Formats an event in the syntax of server-sent events, without escaping. `data` must be a single
/// line.
pub fn format_event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_receiver(response: Response) -> mpsc::Receiver<Bytes> {
        match response.body {
            Body::Stream(chunks) => chunks,
            Body::Bytes(_) | Body::Spooled(_) => panic!("no stream"),
        }
    }

    fn next_event(chunks: &mut mpsc::Receiver<Bytes>) -> String {
        String::from_utf8(chunks.try_recv().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn broadcast_reaches_the_right_streams_and_disconnected_clients_are_removed() {
        let hub = EventHub::default();
        let mut one = body_receiver(hub.open("ann", "a", 1, format_event("hello", "1")).unwrap());
        let mut other = body_receiver(hub.open("ann", "b", 1, format_event("hello", "2")).unwrap());
        assert_eq!(next_event(&mut one), "event: hello\ndata: 1\n\n");
        assert_eq!(next_event(&mut other), "event: hello\ndata: 2\n\n");
        hub.broadcast(|subject, state| match (subject, state) {
            ("a", 1) => SseEvent::Update(2, format_event("updated", "{}")),
            _ => SseEvent::Unchanged,
        });
        assert_eq!(next_event(&mut one), "event: updated\ndata: {}\n\n");
        assert_eq!(hub.stream_states(), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert!(other.try_recv().is_err());
        hub.broadcast(|subject, state| match (subject, state) {
            ("a", 2) => SseEvent::Last(format_event("end", "")),
            _ => SseEvent::Unchanged,
        });
        assert_eq!(next_event(&mut one), "event: end\ndata: \n\n");
        assert!(one.is_closed() && !hub.has_stream("a") && hub.has_stream("b"));
        drop(other);
        assert!(!hub.has_stream("b") && !hub.is_empty());
        assert!(hub.stream_states().is_empty() && hub.is_empty());
    }

    #[test]
    fn a_stream_with_a_full_queue_is_closed() {
        let hub = EventHub::default();
        let lazy = hub.open("ann", "a", 0, format_event("hello", "")).unwrap();
        for number in 0..MAX_QUEUED_EVENTS {
            assert!(hub.has_stream("a"), "{number}");
            hub.broadcast(|_, state| SseEvent::Update(state, format_event("beat", "")));
        }
        assert!(hub.is_empty());
        drop(lazy);
    }

    /// Streams, with the receivers that keep them open.
    #[derive(Default)]
    struct OpenStreams {
        streams: Vec<Stream>,
        receivers: Vec<mpsc::Receiver<Bytes>>,
    }

    impl OpenStreams {
        /// Adds a stream among at most six.
        fn add(&mut self, owner: &str, subject: &str) -> Result<()> {
            make_room(&mut self.streams, owner, subject, 6)?;
            let (events, chunks) = mpsc::channel(1);
            self.receivers.push(chunks);
            let (owner, subject) = (owner.to_owned(), subject.to_owned());
            self.streams.push(Stream { owner, subject, state: 0, events });
            Ok(())
        }

        fn count(&self, subject: &str) -> usize {
            self.streams.iter().filter(|stream| stream.subject == subject).count()
        }
    }

    #[test]
    fn a_full_hub_makes_room_at_the_expense_of_the_subject_with_the_most_streams() {
        let mut open = OpenStreams::default();
        for _ in 0..6 {
            open.add("ann", "large").unwrap();
        }
        assert!(matches!(open.add("ann", "large"), Err(Error::Busy)));
        for expected in 1..=3 {
            open.add("ann", "other").unwrap();
            assert_eq!((open.count("other"), open.streams.len()), (expected, 6));
        }
        assert!(matches!(open.add("ann", "other"), Err(Error::Busy)), "both have three");
        assert!(open.receivers[0].is_closed(), "the oldest stream is closed");
        assert!(!open.receivers[5].is_closed());
        open.receivers.drain(3..6);
        open.add("ann", "large").unwrap();
        assert_eq!((open.count("large"), open.streams.len()), (1, 4), "closed streams make room");
    }

    #[test]
    fn an_owner_of_many_subjects_loses_streams_to_other_owners() {
        let mut open = OpenStreams::default();
        for subject in ["a1", "a2", "a2", "a3", "a4", "a5"] {
            open.add("ann", subject).unwrap();
        }
        // Ann's subject with the most streams comes first, then the oldest one.
        open.add("ben", "b1").unwrap();
        assert_eq!((open.count("a1"), open.count("a2")), (1, 1));
        open.add("ben", "b1").unwrap();
        assert_eq!((open.count("a1"), open.count("a2")), (0, 1));
        open.add("cem", "c1").unwrap();
        assert_eq!((open.count("a2"), open.count("b1"), open.count("c1")), (0, 2, 1));
        open.add("cem", "c2").unwrap();
        // All owners have two, so that each only takes from itself.
        open.add("ben", "b2").unwrap();
        assert_eq!((open.count("b1"), open.count("b2")), (1, 1));
        assert!(matches!(open.add("ann", "a6"), Err(Error::Busy)), "a4 and a5 have one each");
    }

    #[test]
    fn further_limits_count_connected_streams_by_subject_and_owner() {
        let hub = EventHub::default();
        let limits = [
            StreamLimit { prefix: "a ", owner: None, max: 3 },
            StreamLimit { prefix: "", owner: Some("ann"), max: 2 },
        ];
        let open = |owner: &str, subject: &str| {
            let own_limit = StreamLimit { owner: Some(owner), ..limits[1] };
            let first = format_event("hello", "");
            hub.open_within(owner, subject, 0, first, &[StreamLimit { ..limits[0] }, own_limit])
        };
        let first = open("ann", "a 1").unwrap();
        let _second = open("ann", "b 1").unwrap();
        assert!(matches!(open("ann", "a 2"), Err(Error::Busy)), "ann has two");
        let _others = [open("ben", "a 3").unwrap(), open("cem", "a 4").unwrap()];
        assert!(matches!(open("dan", "a 5"), Err(Error::Busy)), "the subject has three");
        drop(first);
        assert!(open("dan", "a 6").is_ok(), "a closed stream makes room");
        assert!(hub.has_subjects("b ") && !hub.has_subjects("c"));
    }

    #[test]
    fn a_subject_has_a_maximum_number_of_streams() {
        let hub = EventHub::default();
        let open: Vec<_> = (0..MAX_STREAMS_PER_SUBJECT)
            .map(|_| hub.open("ann", "a", 0, format_event("hello", "")).unwrap())
            .collect();
        assert!(matches!(hub.open("ann", "a", 0, format_event("hello", "")), Err(Error::Busy)));
        assert!(hub.open("ann", "b", 0, format_event("hello", "")).is_ok());
        drop(open);
        assert!(
            hub.open("ann", "a", 0, format_event("hello", "")).is_ok(),
            "closed streams make room"
        );
    }
}
