//! The point in time at which a request of a user must be finished, with all requests that it causes.

use std::time::Duration;
use std::time::Instant;

/// A point in time after which nobody waits for a response.
///
/// Create it when the request of the user arrives and pass it on, so that the queue, locks, the lookup
/// of the name, redirects and the body share one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline `duration` from now.
    pub fn after(duration: Duration) -> Self {
        Self::since(Instant::now(), duration)
    }

    /// Returns the deadline `duration` after `start`, for example after the arrival of a request.
    pub fn since(start: Instant, duration: Duration) -> Self {
        Self(start + duration)
    }

    /// Returns the time until the deadline. None if it has passed.
    pub fn remaining(self) -> Option<Duration> {
        let remaining = self.0.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some(remaining)
    }

    /// Returns whether the deadline has passed.
    pub fn is_passed(self) -> bool {
        self.remaining().is_none()
    }
}
