//! The users of recent requests, in memory, until a thread stores the times.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::id::AccountId;
use crate::time::Timestamp;

/// Resolution of the stored time: a later request within it changes nothing.
const RESOLUTION: Duration = Duration::from_secs(5 * 60);
/// Maximum number of users in memory. Beyond it, all are forgotten, so that one is stored more often
/// than needed.
const MAX_ACCOUNTS: usize = 100_000;

/// A user in memory.
struct Mark {
    /// Time of the request.
    time: Timestamp,
    /// Whether the time is in the database.
    is_stored: bool,
}

/// The users of recent requests.
#[derive(Default)]
pub struct UserActivity(Mutex<HashMap<AccountId, Mark>>);

impl UserActivity {
    /// Marks the user of a request. Does nothing if an earlier mark is younger than `RESOLUTION`.
    pub fn record(&self, user: &AccountId) {
        let now = Timestamp::now();
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mark) = marks.get_mut(user) {
            if mark.time.saturating_add(RESOLUTION) <= now {
                *mark = Mark { time: now, is_stored: false };
            }
            return;
        }
        if marks.len() >= MAX_ACCOUNTS {
            marks.clear();
        }
        marks.insert(user.clone(), Mark { time: now, is_stored: false });
    }

    /// Returns the marks that are not stored yet, which count as stored from now on.
    pub fn take_new(&self) -> Vec<(AccountId, Timestamp)> {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = marks.iter_mut().filter(|(_, mark)| !mark.is_stored);
        new.map(|(user, mark)| {
            mark.is_stored = true;
            (user.clone(), mark.time)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_stored_once_within_the_resolution() {
        let (activity, user) = (UserActivity::default(), AccountId::from_text("7"));
        activity.record(&user);
        activity.record(&user);
        assert_eq!(activity.take_new().len(), 1);
        activity.record(&user);
        assert!(activity.take_new().is_empty());
        let long_ago = Timestamp(Timestamp::now().0 - 400_000);
        activity.0.lock().unwrap().insert(user.clone(), Mark { time: long_ago, is_stored: true });
        activity.record(&user);
        assert!(activity.take_new()[0].1 > long_ago);
    }
}
