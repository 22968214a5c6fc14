//! Event streams that are open (server-sent events), each about one subject.
//!
//! No thread waits for a stream: whoever has something to say puts it into all that it concerns, and
//! the event loop sends it. What a stream costs at rest is its connection and an entry here.

use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use hyper::body::Bytes;
use hyper::header::CACHE_CONTROL;
use hyper::header::HeaderName;
use tokio::sync::mpsc;
use tokio::sync::mpsc::Sender;

use super::response::Body;
use super::response::Response;
use crate::db::Bell;
use crate::error::Result;

/// Events that may wait for a client to take them. One that takes none of so many has gone, or will
/// be told the present state when it comes back.
const WAITING: usize = 8;

/// Tells nginx, which would hold events back, to pass them on.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// All streams of a server.
#[derive(Default)]
pub struct Streams {
    open: Mutex<Vec<Stream>>,
    /// Rung when one was opened.
    opened: Bell,
}

/// One of them.
struct Stream {
    subject: String,
    /// What its client was told last, in a number of whoever opened it.
    state: i64,
    events: Sender<Bytes>,
}

/// What a stream is told.
pub enum Word {
    /// Nothing.
    Nothing,
    /// An event, with which its client knows this state.
    Event(i64, Bytes),
    /// An event after which nothing comes.
    Last(Bytes),
}

impl Streams {
    /// Opens a stream about `subject`, whose client is told `first` and then knows `state`.
    ///
    /// # Errors
    /// None in practice: the headers are fixed.
    pub fn open(&self, subject: &str, state: i64, first: Bytes) -> Result<Response> {
        let (events, pieces) = mpsc::channel(WAITING);
        // There is room for the first.
        drop(events.try_send(first));
        self.lock().push(Stream { subject: subject.to_owned(), state, events });
        self.opened.ring();
        let mut response = Response::bytes("text/event-stream", Bytes::new());
        response.body = Body::Stream(pieces);
        response.compress = false;
        response.with(CACHE_CONTROL, "no-store")?.with(BUFFERING, "no")
    }

    /// Rung when a stream was opened.
    pub fn opened(&self) -> &Bell {
        &self.opened
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Whether a stream about `subject` is open.
    pub fn is_open(&self, subject: &str) -> bool {
        self.lock().iter().any(|it| it.subject == subject && !it.events.is_closed())
    }

    /// Subject and state of each stream. Those whose clients have gone are forgotten.
    pub fn states(&self) -> Vec<(String, i64)> {
        let mut open = self.lock();
        open.retain(|it| !it.events.is_closed());
        open.iter().map(|it| (it.subject.clone(), it.state)).collect()
    }

    /// Tells each stream what `word` has for its subject and state. One that takes nothing is closed.
    pub fn tell(&self, word: impl Fn(&str, i64) -> Word) {
        self.lock().retain_mut(|stream| match word(&stream.subject, stream.state) {
            Word::Nothing => true,
            Word::Event(state, event) => {
                stream.state = state;
                stream.events.try_send(event).is_ok()
            }
            Word::Last(event) => {
                drop(stream.events.try_send(event));
                false
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Stream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event as it is sent: its name, and data of one line.
pub fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(response: Response) -> mpsc::Receiver<Bytes> {
        match response.body {
            Body::Stream(pieces) => pieces,
            Body::Bytes(_) => panic!("no stream"),
        }
    }

    fn next(pieces: &mut mpsc::Receiver<Bytes>) -> String {
        String::from_utf8(pieces.try_recv().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn each_stream_is_told_what_concerns_it_and_forgotten_when_its_client_has_gone() {
        let streams = Streams::default();
        let mut one = pieces(streams.open("a", 1, event("hello", "1")).unwrap());
        let mut other = pieces(streams.open("b", 1, event("hello", "2")).unwrap());
        assert_eq!(next(&mut one), "event: hello\ndata: 1\n\n");
        assert_eq!(next(&mut other), "event: hello\ndata: 2\n\n");
        streams.tell(|subject, state| match (subject, state) {
            ("a", 1) => Word::Event(2, event("updated", "{}")),
            _ => Word::Nothing,
        });
        assert_eq!(next(&mut one), "event: updated\ndata: {}\n\n");
        assert_eq!(streams.states(), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert!(other.try_recv().is_err());
        streams.tell(|subject, state| match (subject, state) {
            ("a", 2) => Word::Last(event("end", "")),
            _ => Word::Nothing,
        });
        assert_eq!(next(&mut one), "event: end\ndata: \n\n");
        assert!(one.is_closed() && !streams.is_open("a") && streams.is_open("b"));
        drop(other);
        assert!(!streams.is_open("b") && !streams.is_empty());
        assert!(streams.states().is_empty() && streams.is_empty());
    }

    #[test]
    fn who_takes_nothing_is_let_go() {
        let streams = Streams::default();
        let lazy = streams.open("a", 0, event("hello", "")).unwrap();
        for number in 0..WAITING {
            assert!(streams.is_open("a"), "{number}");
            streams.tell(|_, state| Word::Event(state, event("beat", "")));
        }
        assert!(streams.is_empty());
        drop(lazy);
    }
}
