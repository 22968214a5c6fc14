//! Excerpts of found texts around the hits, as HTML with `<mark>` around each hit.

use std::ops::Range;

use super::query::ParsedQuery;
use super::query::QueryTerm;
use super::query_plan::count_allowed_typos;
use super::tokenizer::WordToken;
use super::tokenizer::tokenize;

/// Maximum length of the text of an excerpt in bytes, about two lines.
const MAX_EXCERPT_BYTES: usize = 180;
/// Maximum length of the text before the first hit in bytes.
const MAX_BYTES_BEFORE_HIT: usize = 50;

/// Returns an excerpt of at most 180 bytes of text around the first hit of a query, as escaped HTML
/// with each hit in it in `<mark>`. Returns None if the text has no hit.
pub fn highlight_excerpt(query: &ParsedQuery, text: &str) -> Option<String> {
    let hits = find_hits(query, text);
    hits.first().map(|first| render_excerpt(text, first.start, &hits))
}

/// Returns the beginning of a text, at most 180 bytes, as escaped HTML without marks. A shortened
/// text ends in an ellipsis.
pub fn escape_beginning(text: &str) -> String {
    render_excerpt(text, 0, &[])
}

/// Returns the byte ranges of `text` that match the required terms of a query, in order. Each range
/// covers the longest match at its token. Overlapping ranges are merged.
fn find_hits(query: &ParsedQuery, text: &str) -> Vec<Range<usize>> {
    let mut hits: Vec<Range<usize>> = Vec::new();
    let tokens = tokenize(text);
    for (index, token) in tokens.iter().enumerate() {
        let rest = tokens.get(index..).unwrap_or_default();
        let lengths = query.required.iter().filter_map(|term| count_matching_tokens(term, rest));
        let Some(length) = lengths.max() else {
            continue;
        };
        let end = rest.get(length - 1).map_or(token.range.end, |last_token| last_token.range.end);
        match hits.last_mut() {
            Some(last) if last.end > token.range.start => last.end = last.end.max(end),
            _ => hits.push(token.range.start..end),
        }
    }
    hits
}

/// Returns the number of tokens at the start of `tokens` that match a term: the length of a phrase,
/// or 1 for a word. Returns None if they do not match it.
///
/// A phrase must match exactly. A word also matches with typing errors. If `is_prefix` is set, a
/// word and the last word of a phrase also match as the beginning of a token.
fn count_matching_tokens(term: &QueryTerm, tokens: &[WordToken]) -> Option<usize> {
    match term {
        QueryTerm::Phrase { texts, is_prefix } => {
            let (last, before) = texts.split_last()?;
            let mut tokens = tokens.iter().map(|token| &token.text);
            let is_start = tokens.by_ref().take(before.len()).eq(before);
            let end = tokens.next().filter(|_| is_start)?;
            let is_match = end == last || *is_prefix && end.starts_with(last);
            is_match.then_some(texts.len())
        }
        QueryTerm::Word { text, is_prefix } => {
            let word = &tokens.first()?.text;
            let is_similar = || {
                let max_typos = usize::from(count_allowed_typos(text));
                max_typos > 0 && strsim::osa_distance(word, text) <= max_typos
            };
            let is_match = word == text || *is_prefix && word.starts_with(text) || is_similar();
            is_match.then_some(1)
        }
    }
}

/// Renders the text around the byte `around` as escaped HTML with the hits marked.
///
/// The excerpt contains at most [`MAX_EXCERPT_BYTES`] bytes of text. It begins about
/// [`MAX_BYTES_BEFORE_HIT`] bytes before `around`, or later at the beginning of a word. An ellipsis
/// stands for omitted text at either end. `hits` must be in order and must not overlap.
fn render_excerpt(text: &str, around: usize, hits: &[Range<usize>]) -> String {
    let mut start = text.floor_char_boundary(around.saturating_sub(MAX_BYTES_BEFORE_HIT));
    // Start at the beginning of a word if possible.
    if start > 0 {
        let blank = text.get(start..around).and_then(|before| before.find(char::is_whitespace));
        start += blank.map_or(0, |index| index + 1);
        start = text.ceil_char_boundary(start);
    }
    let end = text.floor_char_boundary((start + MAX_EXCERPT_BYTES).min(text.len()));
    let mut html = String::new();
    if start > 0 {
        html.push('…');
    }
    let mut at = start;
    for hit in hits {
        let (from, to) = (hit.start.max(at), hit.end.min(end));
        if from >= to {
            continue;
        }
        append_escaped(text.get(at..from).unwrap_or_default(), &mut html);
        html.push_str("<mark>");
        append_escaped(text.get(from..to).unwrap_or_default(), &mut html);
        html.push_str("</mark>");
        at = to;
    }
    append_escaped(text.get(at..end).unwrap_or_default(), &mut html);
    if end < text.len() {
        html.push('…');
    }
    html
}

/// Appends a text to HTML with escaping. Control characters become spaces.
fn append_escaped(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ if letter.is_control() => html.push(' '),
            _ => html.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_marked_and_the_rest_is_escaped() {
        let check = |query: &str, text: &str, want: &str| {
            let excerpt = highlight_excerpt(&ParsedQuery::parse(query).unwrap(), text);
            assert_eq!(excerpt.as_deref(), Some(want), "{query}");
        };
        check("grosse", "Größe & <b>", "<mark>Größe</mark> &amp; &lt;b&gt;");
        check("quart", "by quarter", "by <mark>quarter</mark>");
        check("revenu", "Revenue", "<mark>Revenue</mark>");
        check("revneue plan", "Revenue", "<mark>Revenue</mark>");
        check("\"net sales\"", "sales, net sales", "sales, <mark>net sales</mark>");
        check("上高", "年間売上高の推移", "年間売<mark>上高</mark>の推移");
        check("売上高", "年間売上高の推移", "年間<mark>売上高</mark>の推移");
        check("\"car 日\"", "red car 日本", "red <mark>car 日本</mark>");
        assert_eq!(highlight_excerpt(&ParsedQuery::parse("nothing").unwrap(), "Title"), None);
        assert_eq!(escape_beginning("A & B"), "A &amp; B");
    }

    #[test]
    fn long_texts_are_cut_at_character_boundaries() {
        let text = format!("{}needle{}", "é ".repeat(300), "ü".repeat(300));
        let html = highlight_excerpt(&ParsedQuery::parse("needl").unwrap(), &text).unwrap();
        assert!(html.starts_with('…') && html.ends_with('…'), "{html}");
        assert!(html.contains("<mark>needle"), "{html}");
        assert!(html.len() < 250);
    }
}
