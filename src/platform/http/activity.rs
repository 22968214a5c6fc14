//! Watches one connection: what it is doing, and since when, so that no client can hold it idly.
//!
//! Without this a client could keep connections by sending headers byte by byte, by sending
//! nothing, or by not taking its answers.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;
use std::time::Instant;

use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;

/// Writes up to this size say nothing about the client: a ping of HTTP/2 has 17 bytes, within TLS
/// at most 39.
const PING_BYTES: usize = 64;

/// How long a connection may do what.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From the first byte of a request to the end of its headers.
    pub header: Duration,
    /// Between requests, or without taking a byte of an answer.
    pub idle: Duration,
}

/// What a connection does. Times are milliseconds since `start`, 0 for "not now".
pub struct Activity {
    start: Instant,
    requests: AtomicU32,
    http2: AtomicBool,
    /// Since when a request's headers are coming in.
    reading: AtomicU64,
    /// Since when the client takes nothing of what is to be written.
    writing: AtomicU64,
    /// Since when no request is under way.
    idle: AtomicU64,
}

/// What is to be done with a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may go on.
    Keep,
    /// Nothing is under way: it may be closed politely.
    Rest,
    /// It has been resting for too long.
    Tired,
    /// The client does not do its part.
    Stuck,
}

impl Activity {
    /// A fresh connection: its first request is expected now.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            requests: AtomicU32::new(0),
            http2: AtomicBool::new(false),
            reading: AtomicU64::new(1),
            writing: AtomicU64::new(0),
            idle: AtomicU64::new(1),
        })
    }

    /// A request's headers are complete. The connection is busy until the result is dropped.
    pub fn begin(self: &Arc<Self>, http2: bool) -> Busy {
        self.requests.fetch_add(1, Relaxed);
        self.reading.store(0, Relaxed);
        if http2 {
            self.http2.store(true, Relaxed);
        }
        Busy(self.clone())
    }

    /// What to do with the connection now.
    pub fn verdict(&self, patience: Patience) -> Verdict {
        let now = self.now();
        let longer = |since: &AtomicU64, time: Duration| {
            let since = since.load(Relaxed);
            since != 0 && u128::from(now.saturating_sub(since)) > time.as_millis()
        };
        if longer(&self.writing, patience.idle) {
            return Verdict::Stuck;
        }
        if self.requests.load(Relaxed) > 0 || self.writing.load(Relaxed) != 0 {
            return Verdict::Keep;
        }
        if longer(&self.reading, patience.header) {
            return Verdict::Stuck;
        }
        if longer(&self.idle, patience.idle * 2) {
            // Asked to close, and still here.
            return Verdict::Stuck;
        }
        if longer(&self.idle, patience.idle) {
            return Verdict::Tired;
        }
        // The first request counts as coming from the start, although nothing came yet.
        if self.reading.load(Relaxed) > 1 { Verdict::Keep } else { Verdict::Rest }
    }

    fn now(&self) -> u64 {
        // 0 and 1 have meanings of their own.
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(2)
    }

    /// Bytes came in. HTTP/2 also sends frames that belong to no request; there the idle time
    /// alone counts.
    fn read(&self) {
        if self.requests.load(Relaxed) == 0
            && self.reading.load(Relaxed) <= 1
            && !self.http2.load(Relaxed)
        {
            let since = if self.reading.load(Relaxed) == 1 { 2 } else { self.now() };
            self.reading.store(since, Relaxed);
        }
    }

    /// Bytes went out, or would have to wait.
    fn wrote(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => {
                if self.writing.load(Relaxed) == 0 {
                    self.writing.store(self.now(), Relaxed);
                }
            }
            Poll::Ready(Ok(bytes)) => {
                if self.writing.load(Relaxed) != 0 {
                    self.writing.store(0, Relaxed);
                }
                // What is left of an answer over HTTP/2 after its request has ended.
                if *bytes > PING_BYTES && self.requests.load(Relaxed) == 0 {
                    self.idle.store(self.now(), Relaxed);
                }
            }
            Poll::Ready(Err(_)) => {}
        }
    }
}

/// A request under way on a connection.
pub struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Relaxed) == 1 {
            self.0.idle.store(self.0.now(), Relaxed);
        }
    }
}

/// A socket that notes what happens on it.
pub struct Watched<S> {
    socket: S,
    activity: Arc<Activity>,
}

impl<S> Watched<S> {
    /// Notes on `activity` what happens on `socket`.
    pub fn new(socket: S, activity: Arc<Activity>) -> Self {
        Self { socket, activity }
    }

    fn noted(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.wrote(&written);
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.socket).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.read();
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, bytes);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Patience = Patience { header: Duration::ZERO, idle: Duration::from_secs(9) };
    const NONE: Patience = Patience { header: Duration::from_secs(9), idle: Duration::ZERO };

    fn later() {
        std::thread::sleep(Duration::from_millis(5));
    }

    #[test]
    fn the_first_request_must_come_soon() {
        let activity = Activity::new();
        later();
        assert_eq!(activity.verdict(SHORT), Verdict::Stuck);
        drop(activity.begin(false));
        assert_eq!(activity.verdict(SHORT), Verdict::Rest);
        activity.read();
        assert_eq!(activity.verdict(NONE), Verdict::Keep);
        later();
        assert_eq!(activity.verdict(SHORT), Verdict::Stuck);
    }

    #[test]
    fn a_busy_connection_is_kept_unless_the_client_takes_nothing() {
        let activity = Activity::new();
        let busy = activity.begin(false);
        later();
        assert_eq!(activity.verdict(NONE), Verdict::Keep);
        activity.wrote(&Poll::Pending);
        later();
        assert_eq!(activity.verdict(NONE), Verdict::Stuck);
        activity.wrote(&Poll::Ready(Ok(1)));
        assert_eq!(activity.verdict(NONE), Verdict::Keep);
        drop(busy);
    }

    #[test]
    fn frames_between_requests_are_no_request() {
        let activity = Activity::new();
        drop(activity.begin(true));
        activity.read();
        later();
        assert_eq!(activity.verdict(SHORT), Verdict::Rest);
    }
}
