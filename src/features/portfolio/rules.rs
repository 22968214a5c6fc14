//! Search in the catalogue, and the rules for reviews.

use super::catalogue::KindInfo;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::text;

/// Maximum number of characters in the text of a review.
const MAX_FEEDBACK_CHARS: usize = 5000;

/// A review to store.
pub struct NewReview {
    /// Rating, 1 (worst) to 5 (best).
    pub rating: i64,
    /// Text, may be empty.
    pub feedback: String,
    /// Whether other users may read the review.
    pub is_public: bool,
}

impl NewReview {
    /// Checks the range of the rating and the length of the text.
    ///
    /// # Errors
    /// `InvalidFields` for `rating` or `feedback`.
    pub fn check(&self) -> Result<()> {
        if !(1..=5).contains(&self.rating) {
            return Err(Error::invalid_field("rating", "must be a whole number from 1 to 5"));
        }
        if self.feedback.chars().count() > MAX_FEEDBACK_CHARS {
            let message = format!("must have at most {MAX_FEEDBACK_CHARS} characters");
            return Err(Error::invalid_field("feedback", message));
        }
        Ok(())
    }
}

/// Returns the kinds that match every word of `query`, best match first.
///
/// The last word matches as a prefix, because people search while they type. An empty query matches
/// all kinds.
pub fn search_kinds<'a>(kinds: &'a [KindInfo], query: &str) -> Vec<&'a KindInfo> {
    let words = text::fold_words(query);
    let mut found: Vec<(u32, &KindInfo)> =
        kinds.iter().filter_map(|kind| Some((score_kind(kind, &words)?, kind))).collect();
    // The sort is stable, so kinds with equal scores keep the order of the catalogue.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, kind)| kind).collect()
}

/// Returns the score of a kind for a search: the sum over all words of the highest weight of a text
/// with the word. None if a word has no match. Words must be equal; the last one matches as a
/// prefix. Without words, the score is 0.
fn score_kind(kind: &KindInfo, words: &[String]) -> Option<u32> {
    let mut sum = 0;
    for (index, word) in words.iter().enumerate() {
        let is_last = index + 1 == words.len();
        let is_match = |text: &String| text == word || (is_last && text.starts_with(word.as_str()));
        let best = kind.search_terms().iter().find(|(_, texts)| texts.iter().any(is_match));
        sum += best?.0;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::portfolio;

    #[test]
    fn search_folds_knows_aliases_and_completes_the_last_word() {
        let first = |query: &str| {
            search_kinds(portfolio::kinds(), query).first().map(|kind| &kind.slug[..])
        };
        assert_eq!(first("GANTT"), Some("gantt"));
        assert_eq!(first("gänt"), Some("gantt"));
        assert_eq!(first("project pl"), Some("gantt"));
        assert_eq!(first("bar graph"), Some("bar"));
        assert_eq!(first("proj plan"), None);
        assert_eq!(search_kinds(portfolio::kinds(), " ").len(), portfolio::kinds().len());
    }
}
