//! A bell that one thread rings and others wait for; no ring between two waits is missed.

use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

/// Counts its rings, so that a waiter says which ring it has already heard.
#[derive(Default)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Bell {
    /// Wakes all who wait.
    pub fn ring(&self) {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rung.notify_all();
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
