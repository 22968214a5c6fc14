//! Merges of index segments while no changes arrive. Every search has to visit each segment.
//!
//! While changes arrive, tantivy merges segments by its own policy, which leaves several segments
//! of similar size. When the index is idle, segments are merged until each one is at least
//! [`MIN_SIZE_RATIO`] times as large as all smaller ones together. So there are few segments, and
//! an entry is rewritten about once each time the index grows tenfold.

use std::thread;
use std::thread::JoinHandle;

use tantivy::Index;
use tantivy::IndexWriter;
use tantivy::index::SegmentId;

use crate::error::Result;

/// Minimum ratio between the size of a segment that is kept and the total size of all smaller ones.
const MIN_SIZE_RATIO: u64 = 10;

/// A merge that runs in the background.
pub struct BackgroundMerge(JoinHandle<std::result::Result<(), String>>);

impl BackgroundMerge {
    /// Starts a merge of committed segments.
    ///
    /// # Errors
    /// The thread that waits for the end of the merge cannot be started.
    pub fn start(writer: &mut IndexWriter, segments: &[SegmentId]) -> Result<Self> {
        let merged = writer.merge(segments);
        let wait = move || merged.wait().map(|_| ()).map_err(|error| error.to_string());
        Ok(Self(thread::Builder::new().name("index-merge".to_owned()).spawn(wait)?))
    }

    /// Returns whether the merge has ended, also if it failed. Does not wait.
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the end of the merge. A panic of the waiting thread is ignored.
    ///
    /// # Errors
    /// Returns the message of a failed merge.
    pub fn join(self) -> std::result::Result<(), String> {
        self.0.join().unwrap_or(Ok(()))
    }
}

/// Returns the committed segments to merge into one: at least two, the largest first, or none if no
/// merge is necessary. The size of a segment is its number of entries.
pub fn find_segments_to_merge(index: &Index) -> tantivy::Result<Vec<SegmentId>> {
    let metas = index.searchable_segment_metas()?;
    let mut segments: Vec<(u64, SegmentId)> =
        metas.iter().map(|meta| (u64::from(meta.num_docs()), meta.id())).collect();
    segments.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
    let sizes: Vec<u64> = segments.iter().map(|(size, _)| *size).collect();
    let ids: Vec<SegmentId> =
        segments.iter().skip(count_kept_segments(&sizes)).map(|(_, id)| *id).collect();
    Ok(if ids.len() < 2 { Vec::new() } else { ids })
}

/// Returns the number of segments that stay unmerged. `sizes` are in descending order.
///
/// These are the first segments that are each at least [`MIN_SIZE_RATIO`] times as large as all
/// smaller ones together.
fn count_kept_segments(sizes: &[u64]) -> usize {
    let mut smaller: u64 = sizes.iter().sum();
    let is_too_small = |size: &u64| {
        smaller -= size;
        *size < MIN_SIZE_RATIO * smaller
    };
    sizes.iter().position(is_too_small).unwrap_or(sizes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_much_larger_than_the_rest_are_kept() {
        let check = |sizes: &[u64], want: usize| {
            assert_eq!(count_kept_segments(sizes), want, "{sizes:?}");
        };
        check(&[], 0);
        check(&[5], 1);
        check(&[2000, 2000, 2000, 590], 0);
        check(&[30_000, 900, 800, 5], 1);
        check(&[30_000, 900, 70, 1], 4);
        check(&[30_000, 900, 70, 2, 1, 0], 3);
    }
}
