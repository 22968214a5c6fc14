//! The part of a text that shows why it was found, as HTML with the hits marked.

use std::ops::Range;

use super::plan::faults;
use super::wish::Part;
use super::wish::Wish;
use super::words::Word;
use super::words::words;

/// Most bytes of an excerpt's text, about two lines.
const LENGTH: usize = 180;
/// Bytes before the first hit.
const BEFORE: usize = 50;

/// A text around the first thing in it that was wished for, escaped, hits within `<mark>`; none when
/// there is nothing of it.
pub fn excerpt(wish: &Wish, text: &str) -> Option<String> {
    let hits = hits(wish, text);
    hits.first().map(|first| cut(text, first.start, &hits))
}

/// The beginning of a text, escaped.
pub fn beginning(text: &str) -> String {
    cut(text, 0, &[])
}

/// Where the words are that were wished for, in order, not overlapping.
fn hits(wish: &Wish, text: &str) -> Vec<Range<usize>> {
    let mut hits: Vec<Range<usize>> = Vec::new();
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        let rest = words.get(index..).unwrap_or_default();
        let Some(length) = wish.wanted.iter().filter_map(|it| length(it, rest)).max() else {
            continue;
        };
        let end = rest.get(length - 1).map_or(word.range.end, |it| it.range.end);
        match hits.last_mut() {
            Some(last) if last.end > word.range.start => last.end = last.end.max(end),
            _ => hits.push(word.range.start..end),
        }
    }
    hits
}

/// How many words at the beginning of `words` are what was wished for.
fn length(part: &Part, words: &[Word]) -> Option<usize> {
    match part {
        Part::Phrase(texts) => {
            let found = words.iter().map(|it| &it.text).take(texts.len()).eq(texts);
            found.then_some(texts.len())
        }
        Part::Word { text, is_beginning } => {
            let word = &words.first()?.text;
            let near = || {
                let most = usize::from(faults(text));
                most > 0 && strsim::osa_distance(word, text) <= most
            };
            let found = word == text || *is_beginning && word.starts_with(text) || near();
            found.then_some(1)
        }
    }
}

/// The text around a byte, with the hits marked.
fn cut(text: &str, around: usize, hits: &[Range<usize>]) -> String {
    let mut start = text.floor_char_boundary(around.saturating_sub(BEFORE));
    // Rather at the beginning of a word.
    if start > 0 {
        let blank = text.get(start..around).and_then(|it| it.find(char::is_whitespace));
        start += blank.map_or(0, |it| it + 1);
        start = text.ceil_char_boundary(start);
    }
    let end = text.floor_char_boundary((start + LENGTH).min(text.len()));
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
        escape(text.get(at..from).unwrap_or_default(), &mut html);
        html.push_str("<mark>");
        escape(text.get(from..to).unwrap_or_default(), &mut html);
        html.push_str("</mark>");
        at = to;
    }
    escape(text.get(at..end).unwrap_or_default(), &mut html);
    if end < text.len() {
        html.push('…');
    }
    html
}

/// Adds a text to HTML; signs for controlling become spaces.
fn escape(text: &str, html: &mut String) {
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
        let check = |typed: &str, text: &str, want: &str| {
            let found = excerpt(&Wish::parse(typed).unwrap(), text);
            assert_eq!(found.as_deref(), Some(want), "{typed}");
        };
        check("grosse", "Größe & <b>", "<mark>Größe</mark> &amp; &lt;b&gt;");
        check("quart", "by quarter", "by <mark>quarter</mark>");
        check("revenu", "Revenue", "<mark>Revenue</mark>");
        check("revneue plan", "Revenue", "<mark>Revenue</mark>");
        check("\"net sales\"", "sales, net sales", "sales, <mark>net sales</mark>");
        check("上高", "年間売上高の推移", "年間売<mark>上高</mark>の推移");
        check("売上高", "年間売上高の推移", "年間<mark>売上高</mark>の推移");
        assert_eq!(excerpt(&Wish::parse("nothing").unwrap(), "Title"), None);
        assert_eq!(beginning("A & B"), "A &amp; B");
    }

    #[test]
    fn long_texts_are_cut_at_letters() {
        let text = format!("{}needle{}", "é ".repeat(300), "ü".repeat(300));
        let html = excerpt(&Wish::parse("needl").unwrap(), &text).unwrap();
        assert!(html.starts_with('…') && html.ends_with('…'), "{html}");
        assert!(html.contains("<mark>needle"), "{html}");
        assert!(html.len() < 250);
    }
}
