//! Messages of errors and imports in other languages than English.
//!
//! The sources write messages in English. `assets/web/i18n/de/messages` has objects from the English
//! to the German message. `{name}` in both stands for a value, which is translated too if it is a
//! message itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Serializer;

use super::assets;
use super::error::Error;
use super::error::FieldError;
use super::language;
use super::language::Language;
use super::text;

/// Maximum depth of messages within the values of others.
const MAX_DEPTH: u32 = 3;

/// Maximum length of a translated message in bytes. Longer ones quote much foreign text, and comparing it
/// with each pattern would take long.
const MAX_MESSAGE_BYTES: usize = 4096;

/// The messages of a language.
#[derive(Default)]
struct Catalogue {
    /// Messages without values.
    plain: HashMap<String, String>,
    /// Messages with values, those with the most literal text first.
    patterns: Vec<Pattern>,
}

/// A message with values.
struct Pattern {
    /// Literal texts before, between and after the values. At least two; may be empty.
    literals: Vec<String>,
    /// Names of the values, in their order in the English message.
    names: Vec<String>,
    /// Message in the other language, with the names in braces.
    translation: String,
}

impl Pattern {
    /// Parses an English message with at least one name in braces. None without one.
    fn parse(english: &str, translation: &str) -> Option<Self> {
        let (mut literals, mut names, mut rest) = (Vec::new(), Vec::new(), english);
        while let Some((literal, (name, after))) = split_placeholder(rest) {
            literals.push(literal.to_owned());
            names.push(name.to_owned());
            rest = after;
        }
        literals.push(rest.to_owned());
        (!names.is_empty()).then(|| Self { literals, names, translation: translation.to_owned() })
    }

    /// Returns the number of bytes of literal text.
    fn literal_length(&self) -> usize {
        self.literals.iter().map(String::len).sum()
    }

    /// Returns the values in `message`, in the order of the names. None if the message is another one.
    /// A value is the shortest text before the next literal; the last one reaches to the last literal.
    fn find_values<'a>(&self, message: &'a str) -> Option<Vec<&'a str>> {
        let (first, others) = self.literals.split_first()?;
        let (last, middle) = others.split_last()?;
        let mut rest = message.strip_prefix(first.as_str())?.strip_suffix(last.as_str())?;
        let mut values = Vec::with_capacity(self.names.len());
        for literal in middle {
            let (value, after) = rest.split_once(literal.as_str())?;
            values.push(value);
            rest = after;
        }
        values.push(rest);
        Some(values)
    }

    /// Returns the translation with the values, which are translated too.
    fn fill(&self, values: &[&str], catalogue: &Catalogue, depth: u32) -> String {
        let mut filled = String::with_capacity(self.translation.len() + 20);
        let mut rest = self.translation.as_str();
        while let Some((literal, (name, after))) = split_placeholder(rest) {
            filled.push_str(literal);
            let value = self.names.iter().position(|known| known == name);
            if let Some(value) = value.and_then(|index| values.get(index)) {
                filled.push_str(&catalogue.translate(value, depth + 1));
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

/// Splits a text at the first name in braces: the text before it, the name, and the text after it.
fn split_placeholder(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, rest) = text.split_once('{')?;
    Some((before, rest.split_once('}')?))
}

impl Catalogue {
    /// Builds the catalogue from pairs of an English message and its translation.
    fn new(messages: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut catalogue = Self::default();
        for (english, translation) in messages {
            match Pattern::parse(&english, &translation) {
                Some(pattern) => catalogue.patterns.push(pattern),
                None => {
                    catalogue.plain.insert(english, translation);
                }
            }
        }
        catalogue.patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.literal_length()));
        catalogue
    }

    /// Returns the message in this language, or unchanged if it has none.
    fn translate<'a>(&self, message: &'a str, depth: u32) -> Cow<'a, str> {
        if let Some(translation) = self.plain.get(message) {
            return Cow::Owned(translation.clone());
        }
        if depth >= MAX_DEPTH || message.len() > MAX_MESSAGE_BYTES {
            return Cow::Borrowed(message);
        }
        let found =
            self.patterns.iter().find_map(|pattern| Some((pattern, pattern.find_values(message)?)));
        match found {
            Some((pattern, values)) => Cow::Owned(pattern.fill(&values, self, depth)),
            None => Cow::Borrowed(message),
        }
    }
}

/// The German messages. A test checks that all files are valid.
static GERMAN: LazyLock<Catalogue> = LazyLock::new(|| {
    let folder = assets::ASSETS.get_dir("web/i18n/de/messages");
    let files = folder.into_iter().flat_map(|folder| folder.files());
    Catalogue::new(files.flat_map(|file| {
        serde_json::from_slice::<HashMap<String, String>>(file.contents()).unwrap_or_default()
    }))
});

/// Returns a message in the current language. Returns it unchanged if it is unknown.
pub fn translate(message: &str) -> Cow<'_, str> {
    match language::current() {
        Language::English => Cow::Borrowed(message),
        Language::German => GERMAN.translate(message, 0),
    }
}

/// Serializes a message in the current language, for `serialize_with` of serde.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(
    message: &impl AsRef<str>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&translate(message.as_ref()))
}

/// Returns the message of an error for the caller in the current language, like `Display` in English.
pub fn describe(error: &Error) -> String {
    let describe_field =
        |field: &FieldError| format!("{}: {}", field.field, translate(&field.message));
    match error {
        Error::InvalidFields(fields) => {
            fields.iter().map(describe_field).collect::<Vec<_>>().join("; ")
        }
        Error::FieldConflict(field) => describe_field(field),
        other => translate(&other.to_string()).into_owned(),
    }
}

/// Returns the message of an error like [`describe`], with a capital letter and a full stop.
pub fn describe_in_sentence(error: &Error) -> String {
    text::capitalize_first(&format!("{}.", describe(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let messages = [
            ("must not be empty", "darf nicht leer sein"),
            ("{name} is taken", "{name} ist vergeben"),
            ("must be from {least} to {most}", "muss zwischen {least} und {most} liegen"),
            ("{usage}, and {more} is too much", "{more} ist zu viel, denn {usage}"),
            ("you use {used} of {limit}", "Sie nutzen {used} von {limit}"),
            ("the name {name} is taken", "den Namen {name} gibt es schon"),
        ];
        Catalogue::new(messages.map(|(english, german)| (english.to_owned(), german.to_owned())))
    }

    #[test]
    fn values_keep_their_place_and_messages_within_messages_are_translated() {
        let catalogue = catalogue();
        for (english, want) in [
            ("must not be empty", "darf nicht leer sein"),
            ("must be from 1 to 20", "muss zwischen 1 und 20 liegen"),
            ("the name Ann is taken", "den Namen Ann gibt es schon"),
            ("a is taken is taken", "a ist vergeben ist vergeben"),
            ("you use 1 of 2, and 3 is too much", "3 ist zu viel, denn Sie nutzen 1 von 2"),
            ("is unknown", "is unknown"),
            ("", ""),
        ] {
            assert_eq!(catalogue.translate(english, 0), want, "{english}");
        }
    }

    #[test]
    fn english_messages_stay_and_an_error_names_its_field() {
        assert!(matches!(translate("must not be empty"), Cow::Borrowed("must not be empty")));
        let error = Error::invalid_field("name", "must not be empty");
        assert_eq!(describe(&error), error.to_string());
        let error = Error::field_conflict("slug", "acme is taken");
        assert_eq!(describe(&error), error.to_string());
    }

    #[test]
    fn a_long_message_of_placeholders_ends() {
        let catalogue = Catalogue::new([("{a} {b}".to_owned(), "{b} {a} {b}".to_owned())]);
        let message = "x ".repeat(1000);
        assert!(catalogue.translate(&message, 0).len() < 100_000);
        let message = "x ".repeat(MAX_MESSAGE_BYTES);
        assert_eq!(catalogue.translate(&message, 0), message);
    }
}
