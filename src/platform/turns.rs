//! A bound on how many threads do the same costly thing at once: the others wait, the first first.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use crossbeam_channel::Sender;

/// As many turns as there may be at once.
pub struct Turns(Mutex<State>);

struct State {
    free: usize,
    /// Those who wait. A turn that ends is handed to the first: nobody who comes later gets it.
    waiting: VecDeque<Sender<()>>,
}

/// A turn. It ends when this is dropped, also by a panic.
pub struct Turn<'a>(&'a Turns);

impl Turns {
    /// At most `at_once` turns, and one at least.
    pub fn new(at_once: usize) -> Self {
        Self(Mutex::new(State { free: at_once.max(1), waiting: VecDeque::new() }))
    }

    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        let mut state = self.lock();
        if state.free > 0 {
            state.free -= 1;
            return Turn(self);
        }
        let (sender, handed) = crossbeam_channel::bounded(1);
        state.waiting.push_back(sender);
        drop(state);
        // The sender stays in the queue until it is used.
        let _ = handed.recv();
        Turn(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.waiting.pop_front() {
            // There is room for one, and who waits is there.
            Some(next) => {
                let _ = next.try_send(());
            }
            None => state.free += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_more_at_once_and_everybody_in_the_end() {
        let (turns, now, most, done) =
            (Turns::new(2), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|threads| {
            for number in 0..8 {
                let (turns, now, most, done) = (&turns, &now, &most, &done);
                threads.spawn(move || {
                    let work = std::panic::AssertUnwindSafe(|| {
                        let _turn = turns.take();
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::sleep(Duration::from_millis(5));
                        now.fetch_sub(1, SeqCst);
                        assert_ne!(number, 3, "on purpose");
                    });
                    // A turn that ends by a panic is given back too.
                    let _ = std::panic::catch_unwind(work);
                    done.fetch_add(1, SeqCst);
                });
            }
        });
        assert_eq!((most.load(SeqCst), done.load(SeqCst)), (2, 8));
    }
}
