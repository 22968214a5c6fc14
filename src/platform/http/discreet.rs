//! How long an answer takes that says that something is not there, so that its time tells no more
//! than its text: what is hidden from the caller has been looked at, what is absent has not.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use crossbeam_channel::Receiver;
use crossbeam_channel::RecvTimeoutError;
use crossbeam_channel::Sender;
use hyper::StatusCode;
use tokio::sync::oneshot;

use crate::error::Result;

/// Such answers leave at whole multiples of this after the request came: a small answer takes a
/// tenth of a millisecond, and what tells the two apart a third of that.
const STEP: Duration = Duration::from_millis(5);

/// The thread that lets such answers go. Timers of the event loop count milliseconds from when it
/// went to sleep, which is when the work was done: the very time that is not to be told.
pub struct Discreet(Sender<(Instant, oneshot::Sender<()>)>);

impl Discreet {
    /// Starts it. It ends when this is dropped.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start() -> Result<Self> {
        let (sender, waiting) = crossbeam_channel::unbounded();
        thread::Builder::new().name("discreet".to_owned()).spawn(move || run(&waiting))?;
        Ok(Self(sender))
    }

    /// What to wait for before the answer to a request that came at `since` leaves; none when it may
    /// leave at once.
    pub fn holds(&self, status: StatusCode, since: Instant) -> Option<oneshot::Receiver<()>> {
        let instant = leaves(status, since)?;
        let (go, held) = oneshot::channel();
        // Without the thread it is let go at once.
        drop(self.0.send((instant, go)));
        Some(held)
    }
}

fn run(waiting: &Receiver<(Instant, oneshot::Sender<()>)>) {
    let mut held = BTreeMap::new();
    for number in 0_u64.. {
        let came = match held.first_key_value() {
            None => waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(((instant, _), _)) => waiting.recv_deadline(*instant),
        };
        match came {
            Ok((instant, go)) => drop(held.insert((instant, number), go)),
            Err(RecvTimeoutError::Timeout) => {
                if let Some((_, go)) = held.pop_first() {
                    // Nobody waits any more when the client has gone.
                    let _ = go.send(());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// When the answer to a request that came at `since` may leave; none is at once.
fn leaves(status: StatusCode, since: Instant) -> Option<Instant> {
    let is_told = !matches!(status, StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED);
    (!is_told).then(|| since + STEP * steps(since.elapsed()))
}

fn steps(taken: Duration) -> u32 {
    u32::try_from(taken.as_millis() / STEP.as_millis()).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leaves_at_the_end_of_the_step_that_it_is_in() {
        let steps = [(0, 1), (4_999, 1), (5_000, 2), (23_000, 5)];
        for (micros, step) in steps {
            assert_eq!(super::steps(Duration::from_micros(micros)), step, "{micros}");
        }
        let now = Instant::now();
        assert_eq!(leaves(StatusCode::OK, now), None);
        assert_eq!(leaves(StatusCode::FORBIDDEN, now), None);
        assert!(leaves(StatusCode::NOT_FOUND, now).unwrap() >= now + STEP);
        assert!(leaves(StatusCode::UNAUTHORIZED, now).unwrap() >= now + STEP);
    }
}
