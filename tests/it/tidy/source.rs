//! Splits a Rust source file into code, comments and string literals for the rules.

/// A source file, split into code, comments and strings.
pub struct Source<'a> {
    /// Path relative to the root of the repository, such as `src/charts/scene.rs`.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The code without comments; string literals are empty.
    pub code: String,
    /// Contents of the string literals outside tests.
    pub strings: Vec<String>,
    /// Line comments in order, with their markers (`//`, `///`, `//!`).
    pub comments: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// Splits a file.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let mut code = String::with_capacity(text.len());
        let (mut strings, mut comments) = (Vec::new(), Vec::new());
        let (mut rest, mut in_tests) = (text, is_test_file(path));
        while let Some(first) = rest.chars().next() {
            let length_taken = if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                comments.push(&rest[..length]);
                length
            } else if rest.starts_with("/*") {
                block_comment_length(rest)
            } else if let Some((content, length)) = parse_string_literal(rest, &code) {
                if !in_tests {
                    strings.push(content);
                }
                code.push_str("\"\"");
                length
            } else if let Some(length) = char_literal_length(rest) {
                code.push_str("' '");
                length
            } else {
                code.push(first);
                first.len_utf8()
            };
            rest = &rest[length_taken..];
            in_tests |= rest.starts_with(TESTS_MARKER);
        }
        Self { path, text, code, strings, comments }
    }

    /// Returns the code without the tests at the end of the file.
    pub fn code_without_tests(&self) -> &str {
        if is_test_file(self.path) {
            ""
        } else {
            self.code.split(TESTS_MARKER).next().unwrap_or_default()
        }
    }

    /// Returns the identifiers, keywords and numbers of the code.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.code)
    }
}

/// Start of the tests at the end of a file.
const TESTS_MARKER: &str = "#[cfg(test)]\nmod tests";

/// Returns whether the whole file consists of tests.
fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.ends_with("tests.rs")
}

/// Returns the identifiers, keywords and numbers of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// Returns the length of the block comment at the start of `text`, including nested ones.
fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut position) = (0usize, 0);
    while position < text.len() {
        let rest = &text[position..];
        if rest.starts_with("/*") {
            depth += 1;
            position += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            position += 2;
            if depth == 0 {
                return position;
            }
        } else {
            position += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns content and length of the string literal at the start of `text`, or None if there is
/// none. `preceding_code` tells a prefix such as `r` from the end of an identifier.
fn parse_string_literal(text: &str, preceding_code: &str) -> Option<(String, usize)> {
    let in_word =
        preceding_code.ends_with(|character: char| character.is_alphanumeric() || character == '_');
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with('"')
                || (prefix.ends_with('r')
                    && rest.trim_start_matches('#').starts_with('"')
                    && rest.starts_with('#'))
        })
    })?;
    if in_word && !prefix.is_empty() {
        return None;
    }
    let rest = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let content = &rest[hashes + 1..];
        let length = content.find(&end)?;
        return Some((
            content[..length].to_owned(),
            prefix.len() + hashes + 1 + length + end.len(),
        ));
    }
    let mut escaped = false;
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((rest[1..index].to_owned(), prefix.len() + index + 1)),
            _ => {}
        }
    }
    None
}

/// Returns the length of the character literal at the start of `text`, or None if there is none. A
/// lifetime is not a literal.
fn char_literal_length(text: &str) -> Option<usize> {
    let content = text.strip_prefix('\'')?;
    let first = content.chars().next()?;
    if first == '\\' {
        // The escaped character may itself be a quote.
        return Some(content[2..].find('\'')? + 4);
    }
    let length = first.len_utf8();
    content[length..].starts_with('\'').then_some(length + 2)
}

#[test]
fn comments_and_strings_are_separated_from_code() {
    let text = r####"
        //! async
        let a = "await /* no */ \" \\"; // await
        let b = r#"x " y"#; /* async /* nested */ await */
        let c = 'x'; let d = '"'; let e = '\''; let f: &'static str = "end";
    "####;
    let source = Source::new("a.rs", text);
    assert_eq!(source.strings, [r#"await /* no */ \" \\"#, "x \" y", "end"]);
    let comments = ["//! async", "// await"];
    assert_eq!(source.comments, comments);
    let words: Vec<&str> = source.words().collect();
    assert_eq!(
        words,
        "let a let b let c let d let e let f static str".split(' ').collect::<Vec<_>>()
    );
}
