//! Memory of the files that a provider has shown to a connection a moment ago.
//!
//! A cached thumbnail needs no request to the provider, but only callers who may still see the file get it.
//! The list of a folder shows all its files, so that the thumbnails in it need no further requests.

use std::time::Duration;
use std::time::Instant;

use super::place::Place;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;

/// Time after which the provider must show a file again. Within it, a caller may see the thumbnail of a file
/// although its owner has ended the access.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Notes that the provider has shown a file.
pub fn note(place: &Place<'_>, file: &str) {
    place.app.shown_files.insert(key(place, file), Instant::now());
}

/// Forgets that the provider has shown a file, after a request for it has failed.
pub fn forget(place: &Place<'_>, file: &str) {
    place.app.shown_files.remove(&key(place, file));
}

/// Returns whether the provider has shown a file within [`MAX_AGE`].
pub fn is_recent(place: &Place<'_>, file: &str) -> bool {
    let shown = place.app.shown_files.get(&key(place, file));
    shown.is_some_and(|shown| is_recent_at(shown, Instant::now()))
}

/// Returns whether a file that was shown at `shown` counts as visible at `now`.
fn is_recent_at(shown: Instant, now: Instant) -> bool {
    now.saturating_duration_since(shown) <= MAX_AGE
}

/// Returns the key of a file of a connection.
fn key(place: &Place<'_>, file: &str) -> Sha256Hash {
    crypto::sha256(format!("{} {file:?}", place.connection.id).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_counts_as_visible_for_a_minute() {
        let shown = Instant::now();
        assert!(is_recent_at(shown, shown + MAX_AGE));
        assert!(!is_recent_at(shown, shown + MAX_AGE + Duration::from_millis(1)));
    }
}
