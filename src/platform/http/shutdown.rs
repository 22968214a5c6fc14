//! The signal that tells a running server to shut down.

use std::sync::Arc;

use tokio::sync::watch;

/// A signal that starts the graceful shutdown of a server. All clones share one signal.
#[derive(Clone, Default)]
pub struct ShutdownSignal(Arc<watch::Sender<bool>>);

impl ShutdownSignal {
    /// Starts the shutdown: the server finishes running requests and accepts no new ones. Does not
    /// wait for the end. Further calls have no effect.
    pub fn trigger(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether the shutdown has started.
    pub fn is_triggered(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver. Its value becomes true when the shutdown starts.
    pub fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}
