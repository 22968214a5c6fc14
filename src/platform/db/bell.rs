//! A bell that one thread rings and others wait for; no ring between two waits is missed.

use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The bells of a database.
#[derive(Default)]
pub struct Bells {
    /// Rung after the commits of those who asked for it.
    pub asked: Bell,
    /// Touched after every commit.
    pub committed: Bell,
}

impl Bells {
    /// Tells that there was a commit, in which somebody asked for a ring or not.
    pub fn after_commit(&self, asked: bool) {
        self.committed.touch();
        if asked {
            self.asked.ring();
        }
    }
}

/// Counts its rings, so that a waiter says which ring it has already heard.
#[derive(Default)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
    /// Whether somebody looks only once it has rung.
    listening: AtomicBool,
}

impl Bell {
    /// Wakes all who wait.
    pub fn ring(&self) {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rung.notify_all();
    }

    /// Wakes those who listen, if any do: costs next to nothing while nobody listens.
    pub fn touch(&self) {
        if self.listening.load(Ordering::SeqCst) && self.listening.swap(false, Ordering::SeqCst) {
            self.ring();
        }
    }

    /// [`Bell::rings`], and from now on the next [`Bell::touch`] rings. What one looks for must be
    /// looked for after this.
    pub fn listen(&self) -> u64 {
        // Counted first: a ring between the two would take the mark away and then count as heard.
        let heard = self.rings();
        self.listening.store(true, Ordering::SeqCst);
        heard
    }

    /// How often it rang so far.
    pub fn rings(&self) -> u64 {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it rang more than `heard` times, or for `at_most`; returns the count.
    pub fn wait(&self, heard: u64, at_most: Duration) -> u64 {
        let rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        let (rings, _) = self
            .rung
            .wait_timeout_while(rings, at_most, |rings| *rings <= heard)
            .unwrap_or_else(PoisonError::into_inner);
        *rings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_rings_once_for_who_listens() {
        let bell = Bell::default();
        bell.touch();
        assert_eq!(bell.rings(), 0);
        let heard = bell.listen();
        bell.touch();
        bell.touch();
        assert_eq!(bell.wait(heard, Duration::from_secs(60)), heard + 1);
        assert_eq!(bell.wait(heard + 1, Duration::ZERO), heard + 1);
    }
}
