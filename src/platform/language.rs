//! The languages of the pages, and their texts.
//!
//! `assets/web/i18n` has a folder per language. The files in `pages` are for the server, those in
//! `scripts` also for the scripts of the pages, which load them together ([`assets::web_file`]). A file
//! is a JSON object. The key of a text is the name of the file, a period and the name in the object.
//! In a text, `{name}` stands for a value. A text with a number can have two forms, `one` and `other`,
//! which the value `count` decides: both languages use the first one only for 1, as in the plural rules
//! of Unicode. Other folders of a language belong to other modules, such as
//! [`messages`](super::messages).
//!
//! The language is a property of the thread while it handles a request ([`set_current`]), because
//! nearly every function that builds a part of a page needs it.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use askama::filters::Html;
use askama::filters::HtmlSafe;
use askama::filters::escape;
use hyper::HeaderMap;
use hyper::header::ACCEPT_LANGUAGE;
use include_dir::Dir;
use rusqlite::ToSql;
use rusqlite::types::FromSql;
use rusqlite::types::FromSqlError;
use rusqlite::types::FromSqlResult;
use rusqlite::types::ToSqlOutput;
use rusqlite::types::ValueRef;
use serde::Deserialize;

use super::assets;
use super::http::encoding;

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, the default.
    English,
    /// German.
    German,
}

impl Language {
    /// All languages, the default one first.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Returns the language tag (RFC 5646), such as `en`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the name of the language in this language.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Returns the language with this tag. None for other tags.
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    /// Returns the language that the client prefers, by `Accept-Language` (RFC 9110, 12.5.4). Only the
    /// primary subtag counts: `de-AT` is German. The first one wins among equals. English if the header
    /// names no language of the pages.
    pub fn negotiate(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|line| line.to_str().ok());
        let mut best = (0, Self::English);
        for item in lines.flat_map(|line| line.split(',')) {
            let (range, params) = item.split_once(';').unwrap_or((item, ""));
            let primary = range.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
            let quality = encoding::parse_quality(params);
            if let Some(language) = Self::from_tag(&primary).filter(|_| quality > best.0) {
                best = (quality, language);
            }
        }
        best.1
    }
}

impl ToSql for Language {
    /// Stores the tag.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.tag().into())
    }
}

impl FromSql for Language {
    /// Reads the tag.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::from_tag(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::English) };
}

/// Returns the language of the request that this thread handles. English outside of requests.
pub fn current() -> Language {
    CURRENT.get()
}

/// Sets the language of the request that this thread handles. The server calls it for each request
/// with the result of [`Language::negotiate`].
pub fn set_current(language: Language) {
    CURRENT.set(language);
}

/// A text in the files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    /// A text with one form.
    Single(String),
    /// A text with a number.
    Plural {
        /// Form for 1.
        one: String,
        /// Form for other numbers.
        other: String,
    },
}

/// The texts of a language by key.
type Texts = HashMap<String, Entry>;

/// The texts of each language, in the order of [`Language::ALL`].
static TEXTS: LazyLock<[Texts; 2]> = LazyLock::new(|| Language::ALL.map(read_texts));

/// Reads the embedded texts of a language. A test checks that all files are valid.
fn read_texts(language: Language) -> Texts {
    let mut texts = Texts::new();
    let find_folder = |part: &str| {
        let folder = format!("web/i18n/{}/{part}", language.tag());
        assets::ASSETS.get_dir(folder)
    };
    let folders = ["pages", "scripts"].into_iter().filter_map(find_folder);
    for file in folders.flat_map(Dir::files) {
        let area = file.path().file_stem().unwrap_or_default().to_string_lossy();
        let entries: HashMap<String, Entry> =
            serde_json::from_slice(file.contents()).unwrap_or_default();
        texts.extend(entries.into_iter().map(|(name, entry)| (format!("{area}.{name}"), entry)));
    }
    texts
}

/// Returns the text with this key in the language, or in English if the language has none. None if
/// there is no such text.
fn find_entry(language: Language, key: &str) -> Option<&'static Entry> {
    let [english, german] = &*TEXTS;
    match language {
        Language::English => english.get(key),
        Language::German => german.get(key).or_else(|| english.get(key)),
    }
}

/// Returns the text with this key in the current language. Returns the key if there is no such text;
/// a test checks that the keys in the sources exist.
pub fn text(key: &'static str) -> &'static str {
    match find_entry(current(), key) {
        Some(Entry::Single(text) | Entry::Plural { other: text, .. }) => text,
        None => key,
    }
}

/// Returns the text with this key in the current language, to be filled with values. It shows the key
/// if there is no such text.
pub fn fill(key: &'static str) -> FilledText {
    FilledText { key, language: current(), values: Vec::new() }
}

/// Returns the text with this key, which is HTML, in the current language, to be filled with values,
/// which are not.
pub fn html(key: &'static str) -> FilledHtml {
    FilledHtml(fill(key))
}

/// A text with values.
#[derive(Debug, Clone)]
pub struct FilledText {
    key: &'static str,
    language: Language,
    values: Vec<(&'static str, String)>,
}

impl FilledText {
    /// Sets the value of `{name}`. The value `count` also decides the form of the text.
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Returns the form of the text that the values need.
    fn template(&self) -> &'static str {
        let is_one = || self.values.iter().any(|(name, value)| *name == "count" && value == "1");
        match find_entry(self.language, self.key) {
            Some(Entry::Plural { one, .. }) if is_one() => one,
            Some(Entry::Single(text) | Entry::Plural { other: text, .. }) => text,
            None => self.key,
        }
    }
}

impl From<FilledText> for String {
    /// Returns the text with its values.
    fn from(text: FilledText) -> Self {
        text.to_string()
    }
}

impl fmt::Display for FilledText {
    /// Writes the text with its values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_filled(f, self.template(), |name, f| write_value(f, &self.values, name))
    }
}

/// HTML with values, which it escapes.
#[derive(Debug, Clone)]
pub struct FilledHtml(FilledText);

impl FilledHtml {
    /// Sets the value of `{name}`, which is text. The value `count` also decides the form of the text.
    pub fn with(self, name: &'static str, value: impl fmt::Display) -> Self {
        Self(self.0.with(name, value))
    }
}

impl HtmlSafe for FilledHtml {}

impl fmt::Display for FilledHtml {
    /// Writes the HTML with its escaped values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_filled(f, self.0.template(), |name, f| {
            let Some((_, value)) = self.0.values.iter().find(|(known, _)| *known == name) else {
                return write!(f, "{{{name}}}");
            };
            match escape(value.as_str(), Html) {
                Ok(escaped) => write!(f, "{escaped}"),
                Err(error) => match error {},
            }
        })
    }
}

/// Writes a value by its name, or the name in braces if there is no such value.
fn write_value(
    f: &mut fmt::Formatter<'_>,
    values: &[(&'static str, String)],
    name: &str,
) -> fmt::Result {
    match values.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => f.write_str(value),
        None => write!(f, "{{{name}}}"),
    }
}

/// Writes `template` and calls `write_value` for each `{name}` in it.
fn write_filled(
    f: &mut fmt::Formatter<'_>,
    template: &str,
    write_value: impl Fn(&str, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        f.write_str(before)?;
        write_value(name, f)?;
        rest = after;
    }
    f.write_str(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiate(header: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, header.parse().unwrap());
        Language::negotiate(&headers)
    }

    #[test]
    fn the_preferred_language_of_the_pages_wins() {
        for (header, want) in [
            ("de-AT,de;q=0.9,en;q=0.5", Language::German),
            ("fr, de;q=0.4, en;q=0.3", Language::German),
            ("fr;q=1, en;q=0.8, de;q=0.8", Language::English),
            ("DE", Language::German),
            ("de;q=0", Language::English),
            ("fr, *", Language::English),
            ("deu, den-x", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(negotiate(header), want, "{header}");
        }
        assert_eq!(Language::negotiate(&HeaderMap::new()), Language::English);
    }

    #[test]
    fn values_fill_a_text_and_are_escaped_in_html() {
        let filled = |count: u32| {
            let values = |name: &str, f: &mut fmt::Formatter<'_>| match name {
                "count" => write!(f, "{count}"),
                other => write!(f, "{{{other}}}"),
            };
            fmt::from_fn(move |f| write_filled(f, "{count} of {all}, {", values)).to_string()
        };
        assert_eq!(filled(3), "3 of {all}, {");
        let html = html("a <b>{name}</b> {count}").with("name", "<i>").with("count", 1);
        assert_eq!(html.to_string(), "a <b>&#60;i&#62;</b> 1");
        assert_eq!(fill("{name}").with("name", "{count}").with("count", 2).to_string(), "{count}");
    }
}
