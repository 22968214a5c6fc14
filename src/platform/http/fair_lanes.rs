//! The waiting jobs of one caller, in lanes that are served in turn.
//!
//! Most callers have one lane. The unknown senders of a client network together are one caller, and
//! each of them waits in a lane that depends on its credentials.

use std::collections::VecDeque;

/// Jobs in numbered lanes.
pub struct FairLanes<J> {
    /// The lanes in the order in which they are served. Only a single lane can be empty. It keeps its
    /// memory, because a caller often has one job after the other.
    lanes: VecDeque<Lane<J>>,
    /// Number of jobs in all lanes.
    len: usize,
}

/// Jobs in FIFO order.
struct Lane<J> {
    number: u64,
    jobs: VecDeque<J>,
}

impl<J> FairLanes<J> {
    /// Creates lanes without jobs.
    pub fn new() -> Self {
        Self { lanes: VecDeque::new(), len: 0 }
    }

    /// Returns the number of jobs in all lanes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether no lane has a job.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the first job of a lane satisfies `may_run`.
    pub fn has_any(&self, may_run: impl Fn(&J) -> bool) -> bool {
        self.lanes.iter().any(|lane| lane.jobs.front().is_some_and(&may_run))
    }

    /// Appends a job to the lane with this number. A new lane is served after the others.
    pub fn push(&mut self, number: u64, job: J) {
        self.len += 1;
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.number == number) {
            lane.jobs.push_back(job);
            return;
        }
        match self.lanes.front_mut() {
            Some(lane) if lane.jobs.is_empty() => {
                lane.number = number;
                lane.jobs.push_back(job);
            }
            _ => self.lanes.push_back(Lane { number, jobs: VecDeque::from([job]) }),
        }
    }

    /// Removes and returns the first job of the next lane if it satisfies `may_run`, otherwise of the
    /// lanes after it. Returns None if no first job of a lane does.
    pub fn pop_if(&mut self, may_run: impl Fn(&J) -> bool) -> Option<J> {
        let next = self.lanes.iter().position(|lane| lane.jobs.front().is_some_and(&may_run))?;
        // The skipped lanes are served after the others.
        self.lanes.rotate_left(next);
        let lane = self.lanes.front_mut()?;
        let job = lane.jobs.pop_front()?;
        let is_empty = lane.jobs.is_empty();
        self.len -= 1;
        if self.lanes.len() > 1 {
            if is_empty {
                self.lanes.pop_front();
            } else {
                self.lanes.rotate_left(1);
            }
        }
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<J> FairLanes<J> {
        fn pop(&mut self) -> Option<J> {
            self.pop_if(|_| true)
        }
    }

    #[test]
    fn lanes_with_a_job_that_may_not_run_are_skipped() {
        let mut lanes = FairLanes::new();
        for (number, job) in [(1, "x1"), (1, "a2"), (2, "b1"), (3, "x3"), (4, "c1")] {
            lanes.push(number, job);
        }
        let may_run = |job: &&str| !job.starts_with('x');
        assert!(lanes.has_any(may_run));
        assert_eq!([lanes.pop_if(may_run), lanes.pop_if(may_run)], [Some("b1"), Some("c1")]);
        assert_eq!((lanes.pop_if(may_run), lanes.len()), (None, 3));
        assert!(!lanes.has_any(may_run));
        assert_eq!([lanes.pop(), lanes.pop(), lanes.pop()], [Some("x1"), Some("x3"), Some("a2")]);
    }

    #[test]
    fn lanes_take_turns_and_keep_the_order_of_their_jobs() {
        let mut lanes = FairLanes::new();
        for (number, job) in [(7, "a1"), (7, "a2"), (7, "a3"), (3, "b1"), (9, "c1"), (3, "b2")] {
            lanes.push(number, job);
        }
        assert_eq!(lanes.len(), 6);
        let order: Vec<_> = std::iter::from_fn(|| lanes.pop()).collect();
        assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
        assert!(lanes.is_empty() && !lanes.has_any(|_| true));
    }

    #[test]
    fn an_emptied_lane_is_reused() {
        let mut lanes = FairLanes::new();
        for number in [0, 0, 5, 1] {
            lanes.push(number, number);
            assert!(lanes.has_any(|job| *job == number) && lanes.len() == 1);
            assert_eq!(lanes.pop(), Some(number));
            assert_eq!((lanes.pop(), lanes.lanes.len()), (None, 1));
        }
        lanes.push(2, 2);
        lanes.push(4, 4);
        assert_eq!([lanes.pop(), lanes.pop(), lanes.pop()], [Some(2), Some(4), None]);
    }
}
