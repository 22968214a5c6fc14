//! Detection of idle and stalled connections.
//!
//! Without it a client could occupy connections by sending headers byte by byte, by sending
//! nothing, or by not reading its responses.

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

/// Writes of at most this size do not show that the client receives a response, because they can be
/// HTTP/2 pings. A ping has 17 bytes, within TLS at most 39.
const MAX_PING_BYTES: usize = 64;

/// Time over which the speed of a client is measured. Sockets accept data in steps, which can take many
/// seconds for a slow client.
const SPEED_WINDOW: Duration = Duration::from_secs(20);
/// Number of windows in which a client must receive its unsent responses while the memory is scarce: 14 MiB
/// at 60 kB/s.
const MAX_SENDING_WINDOWS: u64 = 12;
/// Number of bytes of unsent responses that a client must receive in each window.
const MIN_WINDOW_BYTES: u64 = 16 << 10;

/// Timeouts of a connection.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionTimeouts {
    /// Maximum time from the first byte of a request to the end of its headers. For the first
    /// request it starts with the connection.
    pub header: Duration,
    /// Maximum time between requests.
    pub idle: Duration,
    /// Maximum time in which the client receives nothing of a response.
    pub receive: Duration,
    /// Whether the client must receive responses at the minimum speed, because others wait for the memory.
    pub requires_speed: bool,
}

/// A record of the current activity on a connection.
///
/// Times are in microseconds since `start`, which tell apart connections that became idle one after
/// the other. 0 means "not at present", 1 means "since the start".
pub struct ConnectionActivity {
    start: Instant,
    active_requests: AtomicU32,
    is_http2: AtomicBool,
    /// Time since which the headers of a request are incomplete.
    reading_since: AtomicU64,
    /// Time since which the socket accepts no data, because the client does not read.
    blocked_since: AtomicU64,
    /// Time since which no request is active.
    idle_since: AtomicU64,
    /// Number of responses that are not completely sent, except event streams.
    unsent_responses: AtomicU32,
    /// Size in bytes of these responses when their sending began.
    unsent_bytes: AtomicU64,
    /// Time of the last write that shows that the client receives something.
    received_at: AtomicU64,
    /// Number of bytes written, without pings.
    written: AtomicU64,
    /// Start of the present window in which the speed of the client is measured.
    window_start: AtomicU64,
    /// `written` at the start of the window.
    window_written: AtomicU64,
    /// Whether the client was too slow in the last window.
    is_slow: AtomicBool,
    /// Whether a request had the credentials of a known account.
    has_account: AtomicBool,
}

/// The state of a connection, which decides whether to close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    /// A request is active or arriving within its time limit.
    Active,
    /// No request is active. A server that shuts down may close the connection.
    Idle,
    /// Idle for longer than the timeout. The server should close the connection gracefully.
    IdleTooLong,
    /// The client neither sends nor reads in time. The server should drop the connection.
    Stalled,
}

impl ConnectionActivity {
    /// Creates the record of a new connection, which must send its first request now.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            active_requests: AtomicU32::new(0),
            is_http2: AtomicBool::new(false),
            reading_since: AtomicU64::new(1),
            blocked_since: AtomicU64::new(0),
            idle_since: AtomicU64::new(1),
            unsent_responses: AtomicU32::new(0),
            unsent_bytes: AtomicU64::new(0),
            received_at: AtomicU64::new(1),
            written: AtomicU64::new(0),
            window_start: AtomicU64::new(1),
            window_written: AtomicU64::new(0),
            is_slow: AtomicBool::new(false),
            has_account: AtomicBool::new(false),
        })
    }

    /// Records that the headers of a request are complete, which ends its header timeout. The
    /// request counts as active until the returned guard is dropped.
    ///
    /// `is_http2` disables the header timeout for the later requests of the connection.
    pub fn begin_request(self: &Arc<Self>, is_http2: bool) -> RequestGuard {
        self.active_requests.fetch_add(1, Relaxed);
        self.reading_since.store(0, Relaxed);
        if is_http2 {
            self.is_http2.store(true, Relaxed);
        }
        RequestGuard { activity: self.clone(), is_sending: false, bytes: 0 }
    }

    /// Returns the time since the last request ended, or since the start of the connection before
    /// the first one. None if a request is active or partly received, or if the socket accepts no
    /// data.
    ///
    /// A write of more than `MAX_PING_BYTES` without an active request restarts the time.
    pub fn idle_time(&self) -> Option<Duration> {
        let is_idle = self.active_requests.load(Relaxed) == 0
            && self.blocked_since.load(Relaxed) == 0
            && self.reading_since.load(Relaxed) <= 1;
        let microseconds = self.now().saturating_sub(self.idle_since.load(Relaxed));
        is_idle.then(|| Duration::from_micros(microseconds))
    }

    /// Returns whether a request on the connection had the credentials of a known account.
    pub fn has_account(&self) -> bool {
        self.has_account.load(Relaxed)
    }

    /// Returns the present state of the connection.
    ///
    /// It is `Stalled`, even with active requests, if its socket is blocked or it receives nothing
    /// of an unsent response for the receive timeout or, if speed is required, too little, and without them
    /// if headers take too long or after twice the idle timeout. It is `IdleTooLong` after one idle timeout, `Active` while a
    /// request is active or arriving or the socket is blocked, else `Idle`.
    pub fn state(&self, timeouts: ConnectionTimeouts) -> ConnectionState {
        let now = self.now();
        let lasts_longer = |since: &AtomicU64, time: Duration| {
            let since = since.load(Relaxed);
            since != 0 && u128::from(now.saturating_sub(since)) > time.as_micros()
        };
        let is_slow = self.measure_speed(now);
        if lasts_longer(&self.blocked_since, timeouts.receive)
            || (self.unsent_responses.load(Relaxed) > 0
                && (lasts_longer(&self.received_at, timeouts.receive)
                    || (is_slow && timeouts.requires_speed)))
        {
            return ConnectionState::Stalled;
        }
        if self.active_requests.load(Relaxed) > 0 || self.blocked_since.load(Relaxed) != 0 {
            return ConnectionState::Active;
        }
        if lasts_longer(&self.reading_since, timeouts.header) {
            return ConnectionState::Stalled;
        }
        if lasts_longer(&self.idle_since, timeouts.idle * 2) {
            // The graceful close had no effect.
            return ConnectionState::Stalled;
        }
        if lasts_longer(&self.idle_since, timeouts.idle) {
            return ConnectionState::IdleTooLong;
        }
        // The value 1 means that the first request is awaited but nothing has arrived yet.
        if self.reading_since.load(Relaxed) > 1 {
            ConnectionState::Active
        } else {
            ConnectionState::Idle
        }
    }

    /// Returns whether the client received too little of unsent responses in the last complete window, and
    /// starts the next window if the present one is complete.
    fn measure_speed(&self, now: u64) -> bool {
        let elapsed = now.saturating_sub(self.window_start.load(Relaxed));
        if u128::from(elapsed) >= SPEED_WINDOW.as_micros() {
            let written = self.written.load(Relaxed);
            let received = written.saturating_sub(self.window_written.load(Relaxed));
            let needed = self.unsent_bytes.load(Relaxed) / MAX_SENDING_WINDOWS;
            self.is_slow.store(received < needed.max(MIN_WINDOW_BYTES), Relaxed);
            self.window_start.store(now, Relaxed);
            self.window_written.store(written, Relaxed);
        }
        self.is_slow.load(Relaxed)
    }

    /// Starts to measure the speed of the client when its first unsent response begins.
    fn begin_window(&self) {
        self.is_slow.store(false, Relaxed);
        self.window_start.store(self.now(), Relaxed);
        self.window_written.store(self.written.load(Relaxed), Relaxed);
    }

    /// Returns the microseconds since the start plus 2, because 0 and 1 have special meanings.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(2)
    }

    /// Records that bytes arrived. Between requests they start the header timeout of the next one.
    /// For the first request it runs from the start of the connection.
    ///
    /// HTTP/2 also has frames that belong to no request. Such connections are therefore limited
    /// only by the idle timeout after their first request.
    fn record_read(&self) {
        if self.active_requests.load(Relaxed) == 0
            && self.reading_since.load(Relaxed) <= 1
            && !self.is_http2.load(Relaxed)
        {
            let since = if self.reading_since.load(Relaxed) == 1 { 2 } else { self.now() };
            self.reading_since.store(since, Relaxed);
        }
    }

    /// Records the result of a write: bytes were sent, or the socket accepts no data. Ignores
    /// errors.
    ///
    /// A write of more than `MAX_PING_BYTES` restarts the receive timeout and, without an active
    /// request, the idle timeout.
    fn record_write(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => {
                if self.blocked_since.load(Relaxed) == 0 {
                    self.blocked_since.store(self.now(), Relaxed);
                }
            }
            Poll::Ready(Ok(bytes)) => {
                if self.blocked_since.load(Relaxed) != 0 {
                    self.blocked_since.store(0, Relaxed);
                }
                if *bytes > MAX_PING_BYTES {
                    self.written.fetch_add(*bytes as u64, Relaxed);
                    let now = self.now();
                    self.received_at.store(now, Relaxed);
                    // Over HTTP/2 the rest of a response may follow after its request has ended.
                    if self.active_requests.load(Relaxed) == 0 {
                        self.idle_since.store(now, Relaxed);
                    }
                }
            }
            Poll::Ready(Err(_)) => {}
        }
    }
}

/// A guard that counts a request as active until it is dropped.
pub struct RequestGuard {
    activity: Arc<ConnectionActivity>,
    is_sending: bool,
    /// Size of the response in bytes when its sending began.
    bytes: u64,
}

impl RequestGuard {
    /// Records that the request has the credentials of a known account.
    pub fn note_account(&self) {
        self.activity.has_account.store(true, Relaxed);
    }

    /// Records that the response of `bytes` bytes is complete and its sending begins. From now on, the
    /// connection is stalled if the client receives nothing for the receive timeout, or too little if speed
    /// is required. Further calls do nothing.
    pub fn begin_sending(&mut self, bytes: u64) {
        if !self.is_sending {
            (self.is_sending, self.bytes) = (true, bytes);
            self.activity.received_at.store(self.activity.now(), Relaxed);
            self.activity.unsent_bytes.fetch_add(bytes, Relaxed);
            if self.activity.unsent_responses.fetch_add(1, Relaxed) == 0 {
                self.activity.begin_window();
            }
        }
    }
}

impl Drop for RequestGuard {
    /// Ends the request. The idle time of the connection starts if no other request is active.
    fn drop(&mut self) {
        if self.is_sending {
            self.activity.unsent_responses.fetch_sub(1, Relaxed);
            self.activity.unsent_bytes.fetch_sub(self.bytes, Relaxed);
        }
        if self.activity.active_requests.fetch_sub(1, Relaxed) == 1 {
            self.activity.idle_since.store(self.activity.now(), Relaxed);
        }
    }
}

/// A socket that records its reads and writes.
pub struct MonitoredSocket<S> {
    socket: S,
    activity: Arc<ConnectionActivity>,
}

impl<S> MonitoredSocket<S> {
    /// Wraps `socket`; reads and writes are recorded in `activity`.
    pub fn new(socket: S, activity: Arc<ConnectionActivity>) -> Self {
        Self { socket, activity }
    }

    /// Records the result of a write in the activity and returns it unchanged.
    fn record(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.record_write(&written);
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MonitoredSocket<S> {
    /// Reads from the socket and records that bytes arrived, if any did.
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.socket).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.record_read();
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MonitoredSocket<S> {
    /// Writes to the socket and records the result.
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.record(written)
    }

    /// Writes several slices to the socket and records the result.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, bytes);
        self.record(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Flushes the socket. Records nothing.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    /// Shuts down the socket for writing. Records nothing.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(9);
    const LONG_TIMEOUTS: ConnectionTimeouts =
        ConnectionTimeouts { header: LONG, idle: LONG, receive: LONG, requires_speed: true };
    const SHORT_HEADER_TIMEOUT: ConnectionTimeouts =
        ConnectionTimeouts { header: Duration::ZERO, ..LONG_TIMEOUTS };
    const NO_IDLE_TIME: ConnectionTimeouts =
        ConnectionTimeouts { idle: Duration::ZERO, receive: Duration::ZERO, ..LONG_TIMEOUTS };

    fn sleep_5_ms() {
        std::thread::sleep(Duration::from_millis(5));
    }

    #[test]
    fn a_connection_without_its_first_request_is_stalled_after_the_header_timeout() {
        let activity = ConnectionActivity::new();
        sleep_5_ms();
        assert_eq!(activity.state(SHORT_HEADER_TIMEOUT), ConnectionState::Stalled);
        drop(activity.begin_request(false));
        assert_eq!(activity.state(SHORT_HEADER_TIMEOUT), ConnectionState::Idle);
        activity.record_read();
        assert_eq!(activity.state(LONG_TIMEOUTS), ConnectionState::Active);
        sleep_5_ms();
        assert_eq!(activity.state(SHORT_HEADER_TIMEOUT), ConnectionState::Stalled);
    }

    #[test]
    fn an_active_connection_is_stalled_only_if_the_client_does_not_read() {
        let activity = ConnectionActivity::new();
        let guard = activity.begin_request(false);
        sleep_5_ms();
        assert_eq!(activity.state(NO_IDLE_TIME), ConnectionState::Active);
        activity.record_write(&Poll::Pending);
        sleep_5_ms();
        assert_eq!(activity.state(NO_IDLE_TIME), ConnectionState::Stalled);
        activity.record_write(&Poll::Ready(Ok(1)));
        assert_eq!(activity.state(NO_IDLE_TIME), ConnectionState::Active);
        drop(guard);
    }

    #[test]
    fn a_client_that_receives_nothing_of_a_response_is_stalled_although_its_socket_is_free() {
        let activity = ConnectionActivity::new();
        let mut guard = activity.begin_request(true);
        guard.begin_sending(14 << 20);
        activity.record_write(&Poll::Ready(Ok(1000)));
        sleep_5_ms();
        assert_eq!(activity.state(NO_IDLE_TIME), ConnectionState::Stalled);
        assert_eq!(activity.state(SHORT_HEADER_TIMEOUT), ConnectionState::Active);
        drop(guard);
        assert_eq!(activity.unsent_responses.load(Relaxed), 0);
        assert_eq!(activity.unsent_bytes.load(Relaxed), 0);
    }

    /// Lets the present window of an activity end.
    fn end_window(activity: &ConnectionActivity) {
        let window = u64::try_from(SPEED_WINDOW.as_micros()).unwrap();
        assert!(activity.measure_speed(activity.now()) == activity.is_slow.load(Relaxed));
        activity.measure_speed(activity.window_start.load(Relaxed) + window);
    }

    #[test]
    fn a_client_that_receives_a_response_slowly_is_stalled_while_the_memory_is_scarce() {
        let usual = ConnectionTimeouts { requires_speed: false, ..LONG_TIMEOUTS };
        let activity = ConnectionActivity::new();
        let mut guard = activity.begin_request(false);
        guard.begin_sending(14 << 20);
        let state_after = |writes: usize| {
            for _ in 0..writes {
                activity.record_write(&Poll::Ready(Ok(2048)));
            }
            end_window(&activity);
            [LONG_TIMEOUTS, usual].map(|timeouts| activity.state(timeouts))
        };
        // 14 MiB in 12 windows are 597 writes of 2 KiB in each.
        assert_eq!(state_after(600), [ConnectionState::Active; 2]);
        assert_eq!(state_after(590), [ConnectionState::Stalled, ConnectionState::Active]);
        assert_eq!(state_after(600), [ConnectionState::Active; 2]);
        drop(guard);
        // The measurement starts again with the next response.
        assert_eq!(state_after(0), [ConnectionState::Idle; 2]);
        let mut guard = activity.begin_request(false);
        guard.begin_sending(1000);
        assert_eq!(activity.state(LONG_TIMEOUTS), ConnectionState::Active);
        assert_eq!(state_after(1), [ConnectionState::Stalled, ConnectionState::Active]);
    }

    #[test]
    fn http2_frames_between_requests_do_not_start_the_header_timeout() {
        let activity = ConnectionActivity::new();
        drop(activity.begin_request(true));
        activity.record_read();
        sleep_5_ms();
        assert_eq!(activity.state(SHORT_HEADER_TIMEOUT), ConnectionState::Idle);
    }
}
