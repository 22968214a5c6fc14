//! Merges what has come into the index in many pieces: a search looks into each of them.
//!
//! While things are written, pieces are merged as the library sees fit, which leaves some of like
//! size. Once nothing is written, each is left more than [`LARGER`] times as large as all smaller
//! ones together. So there are few, and a thing is written anew about that often each time that
//! the index becomes ten times as large.

use std::thread;
use std::thread::JoinHandle;

use tantivy::index::SegmentId;

use super::Search;
use super::feed::Feed;
use super::feed::failure;
use crate::error::Result;

/// How many times as large as all smaller pieces together one is left.
const LARGER: u64 = 10;

/// A merge under way in the background. It waits for nothing but its own end.
pub struct Merge(JoinHandle<std::result::Result<(), String>>);

impl Feed {
    /// Merges what there is too much of, in the background. False: that is not done yet, ask again.
    /// Everything must be committed.
    ///
    /// # Errors
    /// When the index cannot be read, or no thread be started.
    pub fn settle(&mut self, search: &Search) -> Result<bool> {
        match self.merge.take() {
            Some(merge) if !merge.0.is_finished() => {
                self.merge = Some(merge);
                Ok(false)
            }
            Some(merge) => {
                if let Ok(Err(error)) = merge.0.join() {
                    // All is as it was: the next time, then.
                    tracing::warn!(error, "pieces of the search index were not merged");
                }
                if self.is_whole() {
                    self.publish(search)?;
                }
                Ok(true)
            }
            None => self.begin_merge(),
        }
    }

    /// True: there is nothing to merge.
    fn begin_merge(&mut self) -> Result<bool> {
        let metas = self.index.searchable_segment_metas().map_err(failure)?;
        let mut pieces: Vec<(u64, SegmentId)> =
            metas.iter().map(|it| (u64::from(it.num_docs()), it.id())).collect();
        pieces.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
        let sizes: Vec<u64> = pieces.iter().map(|(size, _)| *size).collect();
        let ids: Vec<SegmentId> = pieces.iter().skip(kept(&sizes)).map(|(_, id)| *id).collect();
        if ids.len() < 2 {
            return Ok(true);
        }
        let merged = self.writer()?.merge(&ids);
        let wait = move || merged.wait().map(|_| ()).map_err(|error| error.to_string());
        let thread = thread::Builder::new().name("index-merge".to_owned()).spawn(wait)?;
        self.merge = Some(Merge(thread));
        Ok(false)
    }
}

/// How many of some pieces, the largest first, are left as they are.
fn kept(sizes: &[u64]) -> usize {
    let mut smaller: u64 = sizes.iter().sum();
    let is_small = |size: &u64| {
        smaller -= size;
        *size < LARGER * smaller
    };
    sizes.iter().position(is_small).unwrap_or(sizes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_are_left_while_they_are_far_larger_than_the_rest() {
        let check = |sizes: &[u64], want: usize| assert_eq!(kept(sizes), want, "{sizes:?}");
        check(&[], 0);
        check(&[5], 1);
        check(&[2000, 2000, 2000, 590], 0);
        check(&[30_000, 900, 800, 5], 1);
        check(&[30_000, 900, 70, 1], 4);
        check(&[30_000, 900, 70, 2, 1, 0], 3);
    }
}
