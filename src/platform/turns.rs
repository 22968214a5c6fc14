//! A bound on how many threads do the same costly thing at once: the others wait, the first first.

use crossbeam_channel::Receiver;
use crossbeam_channel::Sender;

/// As many turns as there may be at once.
pub struct Turns {
    free: Receiver<()>,
    back: Sender<()>,
}

/// A turn. It ends when this is dropped, also by a panic.
pub struct Turn<'a>(&'a Turns);

impl Turns {
    /// At most `at_once` turns, and one at least.
    pub fn new(at_once: usize) -> Self {
        let at_once = at_once.max(1);
        let (back, free) = crossbeam_channel::bounded(at_once);
        // There is room for as many as there are.
        for _ in 0..at_once {
            let _ = back.try_send(());
        }
        Self { free, back }
    }

    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        // Fails only when no sender is left, and we are one.
        let _ = self.free.recv();
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let _ = self.0.back.try_send(());
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
