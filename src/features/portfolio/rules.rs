//! Which kinds a search finds and in what order; what a review may say.

use super::catalogue::KindInfo;
use chartroom_platform::text;

/// Most characters of a review's text.
pub const MAX_FEEDBACK: usize = 5000;

/// The kinds that have every word of `query`, best first. The last word may be the beginning of
/// one, as it is while somebody types. Without words all kinds are found.
pub fn search<'a>(kinds: &'a [KindInfo], query: &str) -> Vec<&'a KindInfo> {
    let words = text::words(query);
    let mut found: Vec<(u32, &KindInfo)> =
        kinds.iter().filter_map(|kind| Some((score(kind, &words)?, kind))).collect();
    // Stable: equal ones keep the order of the catalogue.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, kind)| kind).collect()
}

/// The sum of each word's best hit; nothing when a word is nowhere.
fn score(kind: &KindInfo, words: &[String]) -> Option<u32> {
    let mut sum = 0;
    for (index, word) in words.iter().enumerate() {
        let is_last = index + 1 == words.len();
        let hit = |text: &String| text == word || (is_last && text.starts_with(word.as_str()));
        let best = kind.words.iter().find(|(_, texts)| texts.iter().any(hit));
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
        let first = |query: &str| search(portfolio::kinds(), query).first().map(|it| &it.slug[..]);
        assert_eq!(first("GANTT"), Some("gantt"));
        assert_eq!(first("gänt"), Some("gantt"));
        assert_eq!(first("project pl"), Some("gantt"));
        assert_eq!(first("bar graph"), Some("bar"));
        assert_eq!(first("proj plan"), None);
        assert_eq!(search(portfolio::kinds(), " ").len(), portfolio::kinds().len());
    }
}
