//! Waiting for bytes of a server in short parts.
//!
//! Linux rounds the timeout of a socket up by as much as an eighth, because long timers have a coarse resolution: a
//! server that stayed silent kept a request 47 s instead of 45 s. Short timeouts end close to the deadline.

use std::time::Duration;
use std::time::Instant;

use ureq::Error;
use ureq::unversioned::transport::Buffers;
use ureq::unversioned::transport::ConnectionDetails;
use ureq::unversioned::transport::Connector;
use ureq::unversioned::transport::NextTimeout;
use ureq::unversioned::transport::Transport;
use ureq::unversioned::transport::time;

/// Maximum timeout of a socket. It is rounded up by at most an eighth of it.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Connector that makes the connections of the one before it wait in short parts.
#[derive(Debug)]
pub(super) struct ShortWaits;

impl<In: Transport> Connector<In> for ShortWaits {
    type Out = ShortWaitTransport<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(ShortWaitTransport))
    }
}

/// A connection that waits for input in short parts.
#[derive(Debug)]
pub(super) struct ShortWaitTransport<T>(T);

impl<T: Transport> Transport for ShortWaitTransport<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    /// Waits until there is input or the timeout has passed.
    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let time::Duration::Exact(total) = timeout.after else {
            return self.0.await_input(timeout);
        };
        let start = Instant::now();
        loop {
            let left = total.saturating_sub(start.elapsed());
            let wait = left.min(MAX_WAIT);
            let part = NextTimeout { after: wait.into(), ..timeout };
            match self.0.await_input(part) {
                Err(Error::Timeout(_)) if wait < left => {}
                result => return result,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}
