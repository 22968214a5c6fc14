//! The memory that all requests of a server take together.
//!
//! Request bodies, unsent responses and budgets have limits of their own. The sum of these is more than a
//! small server has. When all together take too much, budgets give no further parts, large bodies wait, and large
//! responses go to files.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Part of the maximum up to which the memory of all requests is small.
const SMALL_PART: u64 = 5;

/// Size of the bodies that a single job may have itself, in bytes: those of one account.
const OWN_BODY_BYTES: u64 = 48 << 20;

/// Numbers of bytes that requests take at present.
pub struct MemoryUse {
    /// Number of bytes above which only small requests go on.
    max_bytes: u64,
    /// Bodies that the server is reading or handling.
    pub request_bodies: AtomicUsize,
    /// Responses in memory that clients have not received.
    pub unsent_responses: AtomicUsize,
    /// Reserved parts of the budgets that belong to this use.
    pub reserved: AtomicUsize,
}

impl MemoryUse {
    /// Creates the counters of a server. Its requests should take at most `max_bytes` bytes together.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes,
            request_bodies: AtomicUsize::new(0),
            unsent_responses: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
        }
    }

    /// Returns whether requests may take `bytes` more bytes. Concurrent calls can exceed the maximum by what
    /// each of them takes.
    pub fn has_space(&self, bytes: u64) -> bool {
        self.total().saturating_add(bytes) <= self.max_bytes
    }

    /// Returns whether a single job may take `bytes` bytes although others run: the rest has space or is
    /// small. Leaves out bodies of up to 48 MiB, because the job belongs to one of them.
    pub fn has_space_for_one(&self, bytes: u64) -> bool {
        let bodies = self.request_bodies.load(Relaxed) as u64;
        let others = self.total().saturating_sub(bodies.min(OWN_BODY_BYTES));
        others.saturating_add(bytes) <= self.max_bytes || others <= self.max_bytes / SMALL_PART
    }

    /// Returns the sum of all bytes.
    pub fn total(&self) -> u64 {
        let parts = [&self.request_bodies, &self.unsent_responses, &self.reserved];
        parts.map(|bytes| bytes.load(Relaxed) as u64).iter().sum()
    }
}

/// Counters without a maximum.
impl Default for MemoryUse {
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}
