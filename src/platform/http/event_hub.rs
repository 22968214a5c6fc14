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
    subject: String,
    /// State that the client knows, as a number that the caller of [`EventHub::open`] defines.
    state: i64,
    events: Sender<Bytes>,
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

    /// Opens a stream about `subject`, returns its response, and notifies
    /// [`EventHub::opened_signal`].
    ///
    /// The client receives the event `first` and then knows `state`.
    ///
    /// # Errors
    /// `Busy` if the subject has too many streams, or all subjects together have too many and none
    /// has at least two more than this one. Otherwise the oldest stream of the subject with the most
    /// is closed.
    pub fn open(&self, subject: &str, state: i64, first: Bytes) -> Result<Response> {
        let (events, chunks) = mpsc::channel(MAX_QUEUED_EVENTS);
        // Cannot fail: the queue is empty.
        drop(events.try_send(first));
        let mut streams = self.lock();
        make_room(&mut streams, subject, self.max_streams.load(Ordering::Relaxed))?;
        streams.push(Stream { subject: subject.to_owned(), state, events });
        drop(streams);
        self.opened.notify();
        let mut response = Response::bytes("text/event-stream", Bytes::new());
        response.body = Body::Stream(chunks);
        response.compress = false;
        response.with_header(CACHE_CONTROL, "no-store")?.with_header(X_ACCEL_BUFFERING, "no")
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

/// Makes room for another stream about `subject` among at most `max_streams`. Removes streams of
/// disconnected clients first, and then the oldest stream of the subject with the most, see
/// `EventHub::open`. `streams` is sorted by age, oldest first.
///
/// # Errors
/// `Busy` if there is no room.
fn make_room(streams: &mut Vec<Stream>, subject: &str, max_streams: usize) -> Result<()> {
    let count = |streams: &[Stream]| streams.iter().filter(|open| open.subject == subject).count();
    if streams.len() < max_streams && count(streams) < MAX_STREAMS_PER_SUBJECT {
        return Ok(());
    }
    streams.retain(|stream| !stream.events.is_closed());
    let own = count(streams);
    if own >= MAX_STREAMS_PER_SUBJECT {
        return Err(Error::Busy);
    }
    if streams.len() < max_streams {
        return Ok(());
    }
    // Number of streams and index of the oldest stream of each subject.
    let mut subjects: HashMap<&str, (usize, usize)> = HashMap::new();
    for (index, stream) in streams.iter().enumerate() {
        subjects.entry(&stream.subject).or_insert((0, index)).0 += 1;
    }
    let largest = subjects.into_values().max_by_key(|(count, oldest)| (*count, Reverse(*oldest)));
    match largest {
        // With one stream more, this subject still has no more than the other one.
        Some((count, oldest)) if count > own + 1 => {
            streams.remove(oldest);
            Ok(())
        }
        _ => Err(Error::Busy),
    }
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
            Body::Bytes(_) => panic!("no stream"),
        }
    }

    fn next_event(chunks: &mut mpsc::Receiver<Bytes>) -> String {
        String::from_utf8(chunks.try_recv().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn broadcast_reaches_the_right_streams_and_disconnected_clients_are_removed() {
        let hub = EventHub::default();
        let mut one = body_receiver(hub.open("a", 1, format_event("hello", "1")).unwrap());
        let mut other = body_receiver(hub.open("b", 1, format_event("hello", "2")).unwrap());
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
        let lazy = hub.open("a", 0, format_event("hello", "")).unwrap();
        for number in 0..MAX_QUEUED_EVENTS {
            assert!(hub.has_stream("a"), "{number}");
            hub.broadcast(|_, state| SseEvent::Update(state, format_event("beat", "")));
        }
        assert!(hub.is_empty());
        drop(lazy);
    }

    #[test]
    fn a_full_hub_makes_room_at_the_expense_of_the_subject_with_the_most_streams() {
        let receivers = std::cell::RefCell::new(Vec::new());
        let add = |streams: &mut Vec<Stream>, subject: &str| {
            make_room(streams, subject, 6)?;
            let (events, chunks) = mpsc::channel(1);
            receivers.borrow_mut().push(chunks);
            streams.push(Stream { subject: subject.to_owned(), state: 0, events });
            Ok::<_, Error>(())
        };
        let count = |streams: &[Stream], subject: &str| {
            streams.iter().filter(|stream| stream.subject == subject).count()
        };
        let mut streams = Vec::new();
        for _ in 0..6 {
            add(&mut streams, "large").unwrap();
        }
        assert!(matches!(add(&mut streams, "large"), Err(Error::Busy)));
        for expected in 1..=3 {
            add(&mut streams, "other").unwrap();
            assert_eq!((count(&streams, "other"), streams.len()), (expected, 6));
        }
        assert!(matches!(add(&mut streams, "other"), Err(Error::Busy)), "both have three");
        assert!(receivers.borrow()[0].is_closed(), "the oldest stream is closed");
        assert!(!receivers.borrow()[5].is_closed());
        receivers.borrow_mut().drain(3..6);
        add(&mut streams, "large").unwrap();
        assert_eq!((count(&streams, "large"), streams.len()), (1, 4), "closed streams make room");
    }

    #[test]
    fn a_subject_has_a_maximum_number_of_streams() {
        let hub = EventHub::default();
        let open: Vec<_> = (0..MAX_STREAMS_PER_SUBJECT)
            .map(|_| hub.open("a", 0, format_event("hello", "")).unwrap())
            .collect();
        assert!(matches!(hub.open("a", 0, format_event("hello", "")), Err(Error::Busy)));
        assert!(hub.open("b", 0, format_event("hello", "")).is_ok());
        drop(open);
        assert!(hub.open("a", 0, format_event("hello", "")).is_ok(), "closed streams make room");
    }
}
