//! The response body as hyper sends it.

use std::io;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use hyper::body::Body as HttpBody;
use hyper::body::Bytes;
use hyper::body::Frame;
use hyper::body::SizeHint;

use super::activity::RequestGuard;
use super::response::Body;

/// A future that resolves when the server shuts down.
pub type ShutdownFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A response body that keeps its connection active until it is sent.
pub struct OutgoingBody {
    body: Body,
    /// Ends an event stream, which has no end of its own.
    shutdown: Option<ShutdownFuture>,
    _guard: RequestGuard,
}

impl OutgoingBody {
    /// Wraps `body`. A stream ends early when `shutdown` resolves. A complete body counts as being
    /// sent from now on, so that a client that does not receive it loses the connection. Dropping
    /// the result ends the request of `guard`.
    pub fn new(body: Body, shutdown: Option<ShutdownFuture>, mut guard: RequestGuard) -> Self {
        match &body {
            Body::Bytes(bytes) => guard.begin_sending(bytes.len() as u64),
            Body::Spooled(body) => guard.begin_sending(body.remaining()),
            Body::Stream(_) => {}
        }
        Self { body, shutdown, _guard: guard }
    }
}

impl HttpBody for OutgoingBody {
    type Data = Bytes;
    type Error = io::Error;

    /// Returns the whole body in memory as one frame, or the next chunk of a file or a stream. Returns
    /// `Ready(None)` at the end and, for a stream, at the shutdown of the server.
    ///
    /// # Errors
    /// The file of the body cannot be read. The connection is then closed.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        match &mut this.body {
            Body::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::Spooled(body) => body.poll_chunk(context).map_ok(Frame::data),
            Body::Stream(chunks) => {
                let is_over = this
                    .shutdown
                    .as_mut()
                    .is_some_and(|shutdown| shutdown.as_mut().poll(context).is_ready());
                if is_over {
                    this.body = Body::Bytes(Bytes::new());
                    return Poll::Ready(None);
                }
                chunks.poll_recv(context).map(|chunk| chunk.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    /// Returns whether a complete body is empty or already returned. Always false for an open stream.
    fn is_end_stream(&self) -> bool {
        match &self.body {
            Body::Bytes(bytes) => bytes.is_empty(),
            Body::Spooled(body) => body.remaining() == 0,
            Body::Stream(_) => false,
        }
    }

    /// Returns the exact number of remaining bytes of a complete body, and no bounds for a stream.
    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Body::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Spooled(body) => SizeHint::with_exact(body.remaining()),
            Body::Stream(_) => SizeHint::default(),
        }
    }
}
