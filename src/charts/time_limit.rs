//! A limit on the time that a render takes.
//!
//! The limits on records and characters bound the work of a render, but some layouts take long for
//! unusual data. A server therefore runs renders with a limit. Measuring a text, and adding or writing
//! a shape, call `check`. Other work, such as parsing or compressing, is bounded by its input only. The
//! clock only decides whether a render ends early: it never changes an image.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::panic::resume_unwind;
use std::time::Duration;

/// Number of calls of `check` between two looks at the clock, which cost much more.
const CHECKS_PER_LOOK: u32 = 64;

/// Error of [`run_with_time_limit`]: the work took longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimitExceeded;

/// The limit of the current thread.
#[derive(Clone, Copy)]
struct Limit {
    clock: fn() -> Duration,
    /// Reading of the clock at which the work ends.
    end: Duration,
    /// Number of calls of `check` until the next look at the clock.
    checks_until_look: u32,
}

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
}

/// Restores the previous limit on drop, also after a panic.
struct RestoreLimit(Option<Limit>);

impl Drop for RestoreLimit {
    fn drop(&mut self) {
        LIMIT.set(self.0);
    }
}

/// Runs `work`, which draws or writes a chart, for at most `limit` on this thread.
///
/// `clock` returns a time that only increases, such as the processor time of the thread. The work
/// ends by unwinding, without a call of the panic hook, so that a program compiled with
/// `panic = "abort"` must not use it. A call inside of `work` replaces the limit until it returns.
///
/// # Errors
/// [`TimeLimitExceeded`] if the work did not end in time. It ends at the first `check` after that.
///
/// # Panics
/// If `work` panics, with the same payload.
pub fn run_with_time_limit<T>(
    limit: Duration,
    clock: fn() -> Duration,
    work: impl FnOnce() -> T,
) -> Result<T, TimeLimitExceeded> {
    let end = clock().saturating_add(limit);
    let limit = Limit { clock, end, checks_until_look: CHECKS_PER_LOOK };
    let _guard = RestoreLimit(LIMIT.replace(Some(limit)));
    // The work has no shared state that it could leave half changed: its results are dropped, and its
    // thread-local state has guards.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        match payload.downcast::<TimeLimitExceeded>() {
            Ok(error) => *error,
            Err(payload) => resume_unwind(payload),
        }
    })
}

/// Ends the work of the surrounding [`run_with_time_limit`] if its time is over. Does nothing
/// without one.
///
/// Call it in each round of a loop that takes more than a microsecond per round.
#[inline]
pub(crate) fn check() {
    let Some(mut limit) = LIMIT.get() else { return };
    if limit.checks_until_look > 0 {
        limit.checks_until_look -= 1;
        LIMIT.set(Some(limit));
        return;
    }
    limit.checks_until_look = CHECKS_PER_LOOK;
    LIMIT.set(Some(limit));
    if (limit.clock)() > limit.end {
        resume_unwind(Box::new(TimeLimitExceeded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }

    /// A clock that advances by a second with each reading.
    fn clock() -> Duration {
        NOW.set(NOW.get() + 1);
        Duration::from_secs(NOW.get())
    }

    #[test]
    fn work_ends_soon_after_its_limit() {
        let mut rounds = 0;
        let result = run_with_time_limit(Duration::from_secs(3), clock, || {
            for _ in 0..1_000_000 {
                check();
                rounds += 1;
            }
        });
        assert_eq!(result, Err(TimeLimitExceeded));
        assert!((64 * 3..64 * 6).contains(&rounds), "{rounds}");
        // The thread has no limit any more.
        (0..1000).for_each(|_| check());
    }

    #[test]
    fn work_within_its_limit_returns_its_value() {
        let limit = Duration::from_secs(1000);
        let value = run_with_time_limit(limit, clock, || {
            (0..1000).for_each(|_| check());
            7
        });
        assert_eq!(value, Ok(7));
    }

    #[test]
    fn a_panic_of_the_work_stays_a_panic() {
        let result = catch_unwind(|| {
            run_with_time_limit(Duration::from_secs(1), clock, || panic!("on purpose"))
        });
        let payload = result.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
        (0..1000).for_each(|_| check());
    }
}
