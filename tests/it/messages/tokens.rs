//! Tokens of a Rust source, for patterns of code around literals.

use crate::tidy::source::Source;

/// A part of the code of a source.
#[derive(Debug, PartialEq)]
pub enum Token<'a> {
    /// Text of a literal in double quotes, without its escapes.
    Literal(String),
    /// Name, keyword or number.
    Word(&'a str),
    /// Any other character.
    Mark(char),
}

/// Returns the tokens of a source without its tests.
pub fn tokenize<'a>(source: &'a Source<'_>) -> Vec<Token<'a>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let mut literals = source.strings.iter();
    let mut tokens = Vec::new();
    let mut rest = source.code_without_tests().trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\"\"") {
            tokens.extend(literals.next().map(|text| Token::Literal(remove_escapes(text))));
            rest = after;
        } else {
            let length = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
            let (token, length) = match length {
                0 => (Token::Mark(first), first.len_utf8()),
                _ => (Token::Word(&rest[..length]), length),
            };
            tokens.push(token);
            rest = &rest[length..];
        }
        rest = rest.trim_start();
    }
    tokens
}

/// Returns the text of a literal. Also removes the escapes in a raw literal, which messages never
/// use.
fn remove_escapes(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let first = escape.chars().next().unwrap_or_default();
        rest = escape.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\n' => rest = rest.trim_start(),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'u' => {
                let (digits, after) = rest.split_once('}').unwrap_or_default();
                let digits = digits.trim_start_matches('{');
                text.extend(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32));
                rest = after;
            }
            other => text.push(other),
        }
    }
    text + rest
}

#[test]
fn tokens_include_the_texts_of_literals() {
    let text = r##"
        let a = f("say \"hi\" \
            {name:?}\u{2009}%", 'c'); // "comment"
        let b = r#"raw "{x}""#;
        #[cfg(test)]
        mod tests { "test" }
    "##;
    let text = text.replace("\n        ", "\n");
    let source = Source::new("src/a.rs", &text);
    let literal = |text: &str| Token::Literal(text.to_owned());
    let want = [
        [Token::Word("let"), Token::Word("a"), Token::Mark('='), Token::Word("f")],
        [
            Token::Mark('('),
            literal("say \"hi\" {name:?}\u{2009}%"),
            Token::Mark(','),
            Token::Mark('\''),
        ],
        [Token::Mark('\''), Token::Mark(')'), Token::Mark(';'), Token::Word("let")],
        [Token::Word("b"), Token::Mark('='), literal("raw \"{x}\""), Token::Mark(';')],
    ];
    assert_eq!(tokenize(&source), want.into_iter().flatten().collect::<Vec<_>>());
}
