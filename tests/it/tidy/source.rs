//! Rust source as the rules of shape see it: code without comments, and the texts in it.

/// One source file, taken apart.
pub struct Source<'a> {
    /// Its path below the repository's root: `src/charts/scene.rs`.
    pub path: &'a str,
    /// All of it.
    pub text: &'a str,
    /// The code: comments are gone, and the texts are empty.
    pub code: String,
    /// The contents of its string literals, without those of its tests.
    pub strings: Vec<String>,
}

impl<'a> Source<'a> {
    /// Takes a file apart.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let (mut code, mut strings) = (String::with_capacity(text.len()), Vec::new());
        let (mut rest, mut tests) = (text, is_test(path));
        while let Some(first) = rest.chars().next() {
            let taken = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                block_comment(rest)
            } else if let Some((content, length)) = string(rest, &code) {
                if !tests {
                    strings.push(content);
                }
                code.push_str("\"\"");
                length
            } else if let Some(length) = character(rest) {
                code.push_str("' '");
                length
            } else {
                code.push(first);
                first.len_utf8()
            };
            rest = &rest[taken..];
            tests |= rest.starts_with(TESTS);
        }
        Self { path, text, code, strings }
    }

    /// The code that is part of the program, not of its tests at the end of the file.
    pub fn program(&self) -> &str {
        if is_test(self.path) { "" } else { self.code.split(TESTS).next().unwrap_or_default() }
    }

    /// The words of the code: identifiers, keywords and numbers.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.code)
    }
}

/// What begins the tests at the end of a file.
const TESTS: &str = "#[cfg(test)]\nmod tests";

/// Whether all of a file is tests.
fn is_test(path: &str) -> bool {
    path.starts_with("tests/") || path.ends_with("tests.rs")
}

/// Identifiers, keywords and numbers.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty())
}

fn block_comment(text: &str) -> usize {
    let (mut open, mut at) = (0usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            open += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            open -= 1;
            at += 2;
            if open == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The content and the length of the string literal at the start of `text`, if there is one.
fn string(text: &str, before: &str) -> Option<(String, usize)> {
    let in_word = before.ends_with(|it: char| it.is_alphanumeric() || it == '_');
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

/// The length of the character literal at the start of `text`; a lifetime is none.
fn character(text: &str) -> Option<usize> {
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
fn comments_and_texts_are_told_from_code() {
    let text = r####"
        //! async
        let a = "await /* no */ \" \\"; // await
        let b = r#"x " y"#; /* async /* nested */ await */
        let c = 'x'; let d = '"'; let e = '\''; let f: &'static str = "end";
    "####;
    let source = Source::new("a.rs", text);
    assert_eq!(source.strings, [r#"await /* no */ \" \\"#, "x \" y", "end"]);
    let words: Vec<&str> = source.words().collect();
    assert_eq!(
        words,
        "let a let b let c let d let e let f static str".split(' ').collect::<Vec<_>>()
    );
}
