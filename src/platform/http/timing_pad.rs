//! Delays responses that report a missing object, so that their timing does not reveal hidden ones.
//!
//! Looking up an object that exists but is hidden from the caller takes longer than looking up one
//! that does not exist. Without the delay a caller could measure the difference.

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

/// Delayed responses are sent a whole multiple of this time after their request arrived.
///
/// A small response takes 0.1 ms, and the difference to hide is a third of that.
const PAD_STEP: Duration = Duration::from_millis(5);

/// The thread that releases delayed responses at precise times.
///
/// Timers of the event loop are unsuitable: they count milliseconds from the moment when the loop
/// went to sleep. That is the moment when the work was done, which is the time to hide.
pub struct TimingPad(Sender<(Instant, oneshot::Sender<()>)>);

impl TimingPad {
    /// Starts the thread. It ends when the `TimingPad` is dropped.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start() -> Result<Self> {
        let (sender, requests) = crossbeam_channel::unbounded();
        thread::Builder::new()
            .name("timing-pad".to_owned())
            .spawn(move || release_when_due(&requests))?;
        Ok(Self(sender))
    }

    /// Returns a channel that resolves when a response with this status may be sent: at the next
    /// multiple of `PAD_STEP` after `received_at`, the arrival time of the request.
    ///
    /// Returns None if the response may be sent immediately, which is the case unless the status is
    /// 401 or 404.
    pub fn schedule_release(
        &self,
        status: StatusCode,
        received_at: Instant,
    ) -> Option<oneshot::Receiver<()>> {
        let release_at = compute_release_time(status, received_at)?;
        let (release, released) = oneshot::channel();
        // If the thread has ended, dropping the sender ends the wait at once.
        drop(self.0.send((release_at, release)));
        Some(released)
    }
}

/// Releases each delayed response at its time. Returns when the `TimingPad` is dropped, which
/// releases the remaining responses immediately.
fn release_when_due(requests: &Receiver<(Instant, oneshot::Sender<()>)>) {
    // The number distinguishes responses with the same release time.
    let mut delayed = BTreeMap::new();
    for number in 0_u64.. {
        let request = match delayed.first_key_value() {
            None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(((release_at, _), _)) => requests.recv_deadline(*release_at),
        };
        match request {
            Ok((release_at, release)) => drop(delayed.insert((release_at, number), release)),
            Err(RecvTimeoutError::Timeout) => {
                if let Some((_, release)) = delayed.pop_first() {
                    // Fails if the client has disconnected.
                    let _ = release.send(());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Returns the earliest time to send a response: the first multiple of `PAD_STEP` after
/// `received_at` that is later than now. None means immediately: the status is neither 401 nor 404.
fn compute_release_time(status: StatusCode, received_at: Instant) -> Option<Instant> {
    let is_padded = matches!(status, StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED);
    is_padded.then(|| received_at + PAD_STEP * count_steps(received_at.elapsed()))
}

/// Returns the smallest number of whole steps that together take longer than `elapsed`.
fn count_steps(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_millis() / PAD_STEP.as_millis()).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_responses_are_released_at_the_end_of_the_current_step() {
        let steps = [(0, 1), (4_999, 1), (5_000, 2), (23_000, 5)];
        for (micros, step) in steps {
            assert_eq!(count_steps(Duration::from_micros(micros)), step, "{micros}");
        }
        let now = Instant::now();
        assert_eq!(compute_release_time(StatusCode::OK, now), None);
        assert_eq!(compute_release_time(StatusCode::FORBIDDEN, now), None);
        assert!(compute_release_time(StatusCode::NOT_FOUND, now).unwrap() >= now + PAD_STEP);
        assert!(compute_release_time(StatusCode::UNAUTHORIZED, now).unwrap() >= now + PAD_STEP);
    }
}
