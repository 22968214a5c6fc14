//! An answer's body on its way to the client.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use hyper::body::Body as HttpBody;
use hyper::body::Bytes;
use hyper::body::Frame;
use hyper::body::SizeHint;

use super::activity::Busy;
use super::response::Body;

/// Resolves when the server is to stop.
pub type Stopping = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body, and the sign that its connection is busy until it is sent.
pub struct Sending {
    body: Body,
    /// Ends an event stream, which would not end by itself.
    until: Option<Stopping>,
    _busy: Busy,
}

impl Sending {
    /// Sends `body`; a stream ends early when `until` resolves.
    pub fn new(body: Body, until: Option<Stopping>, busy: Busy) -> Self {
        Self { body, until, _busy: busy }
    }
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        match &mut this.body {
            Body::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::Stream(pieces) => {
                let over =
                    this.until.as_mut().is_some_and(|it| it.as_mut().poll(context).is_ready());
                if over {
                    this.body = Body::Bytes(Bytes::new());
                    return Poll::Ready(None);
                }
                pieces.poll_recv(context).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.body, Body::Bytes(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Body::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Stream(_) => SizeHint::default(),
        }
    }
}
