//! Content of a comment: text parts and mentions of users.

use std::borrow::Cow;

use serde::Deserialize;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Maximum number of parts of a comment, far more than the page creates for the longest text.
const MAX_PARTS: usize = 1_000;

/// Name in a mention from a request that contains no name.
const UNKNOWN_NAME: &str = "…";

/// A part of a comment. Its JSON form is stored in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Part {
    /// Plain text.
    Text { text: String },
    /// A mention of a user, with the name at the time of writing.
    User { id: AccountId, name: String },
}

impl Part {
    /// Returns a text part from user input in Unicode NFC. CRLF becomes a line feed. Control
    /// characters other than line feeds and tabs are removed, also a single CR.
    pub fn new_text(sent: &str) -> Self {
        let is_kept = |char: &char| !char.is_control() || matches!(char, '\n' | '\t');
        Self::Text { text: sent.replace("\r\n", "\n").nfc().filter(is_kept).collect() }
    }

    /// Returns a mention from user input, whether or not the user exists. The name is converted to
    /// NFC, trimmed, and loses its control characters. If nothing remains, the name is `…`.
    pub fn new_mention(id: String, name: Option<&str>) -> Self {
        let name: String =
            name.unwrap_or_default().nfc().filter(|char| !char.is_control()).collect();
        let name = match name.trim() {
            "" => UNKNOWN_NAME.to_owned(),
            name => name.to_owned(),
        };
        Self::User { id: AccountId::from_text(id), name }
    }

    /// Returns the plain text of the part: a mention is `@` and the name.
    fn plain_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::User { name, .. } => Cow::Owned(format!("@{name}")),
        }
    }
}

/// Checks the content of a new or edited comment.
///
/// # Errors
/// `InvalidFields` naming `content` if its plain text, including the names in mentions, is blank or
/// has more than `max_chars` characters, or if it has too many parts.
pub fn check_content(parts: &[Part], max_chars: usize) -> Result<()> {
    let invalid = |message: String| Err(Error::invalid_field("content", message));
    if parts.len() > MAX_PARTS {
        return invalid(format!("must have at most {MAX_PARTS} parts"));
    }
    let text = plain_text(parts);
    if text.trim().is_empty() {
        return invalid("must not be empty".to_owned());
    }
    if text.chars().count() > max_chars {
        return invalid(format!("must have at most {max_chars} characters"));
    }
    Ok(())
}

/// Resolves mentions with the names that `name` returns. If `name` returns None, the mention
/// becomes plain text: `@` and the name that it had. Adjacent texts are merged, empty texts are
/// removed.
pub fn resolve_mentions<'n>(
    parts: Vec<Part>,
    name: impl Fn(&AccountId) -> Option<&'n str>,
) -> Vec<Part> {
    let mut resolved: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let known = match &part {
            Part::User { id, .. } => name(id).map(str::to_owned),
            Part::Text { .. } => None,
        };
        match (part, known, resolved.last_mut()) {
            (Part::User { id, .. }, Some(name), _) => resolved.push(Part::User { id, name }),
            (part, _, Some(Part::Text { text })) => text.push_str(&part.plain_text()),
            (part, ..) => resolved.push(Part::Text { text: part.plain_text().into_owned() }),
        }
    }
    resolved.retain(|part| !matches!(part, Part::Text { text } if text.is_empty()));
    resolved
}

/// Returns the ids of the mentioned users without duplicates, in the order of their first mentions.
pub fn mentioned_users(parts: &[Part]) -> Vec<&AccountId> {
    let mut ids = Vec::new();
    for part in parts {
        if let Part::User { id, .. } = part
            && !ids.contains(&id)
        {
            ids.push(id);
        }
    }
    ids
}

/// Returns the content as plain text: the parts without a separator, a mention as `@` and its name.
pub fn plain_text(parts: &[Part]) -> String {
    parts.iter().map(Part::plain_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str, name: Option<&str>) -> Part {
        Part::new_mention(id.to_owned(), name)
    }

    fn knows_ben(id: &AccountId) -> Option<&'static str> {
        (id.as_str() == "2").then_some("Ben")
    }

    #[test]
    fn unknown_mentions_become_text_and_adjacent_texts_are_merged() {
        let check = |parts: Vec<Part>, want: &str| {
            let resolved = resolve_mentions(parts, knows_ben);
            assert_eq!(serde_json::to_string(&resolved).unwrap(), want);
        };
        check(
            vec![Part::new_text("Hi "), user("2", Some("Benny")), Part::new_text("!")],
            r#"[{"type":"text","text":"Hi "},{"type":"user","id":"2","name":"Ben"},{"type":"text","text":"!"}]"#,
        );
        check(
            vec![
                Part::new_text("Hi "),
                user("3", Some("Cid")),
                Part::new_text(" "),
                user("4", None),
            ],
            r#"[{"type":"text","text":"Hi @Cid @…"}]"#,
        );
        check(
            vec![Part::new_text(""), user("2", None), Part::new_text("")],
            r#"[{"type":"user","id":"2","name":"Ben"}]"#,
        );
    }

    #[test]
    fn control_characters_are_removed_except_line_feeds_and_tabs() {
        let check = |sent: &str, want: &str| {
            assert_eq!(Part::new_text(sent), Part::Text { text: want.to_owned() });
        };
        check("a\r\nb\tc\u{0}\u{1b}[31m", "a\nb\tc[31m");
        check("Cafe\u{301}", "Café");
        assert_eq!(user("9", Some(" \n")), user("9", None));
    }

    #[test]
    fn content_must_not_be_empty_or_too_long() {
        let message = |parts: &[Part]| match check_content(parts, 5) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(message(&[Part::new_text("fünf!")]), "");
        assert_eq!(message(&[user("2", Some("Benn"))]), "");
        let cases = [
            (vec![], "must not be empty"),
            (vec![Part::new_text(" \n")], "must not be empty"),
            (vec![Part::new_text("sechs!")], "must have at most 5 characters"),
            (vec![Part::new_text("a"), user("2", Some("Benn"))], "must have at most 5 characters"),
            (vec![Part::new_text(""); MAX_PARTS + 1], "must have at most 1000 parts"),
        ];
        for (parts, want) in cases {
            assert!(message(&parts).contains(want), "{want}: {}", message(&parts));
        }
    }

    #[test]
    fn mentioned_users_are_listed_once() {
        let parts = [user("2", None), Part::new_text(" and "), user("3", None), user("2", None)];
        let ids: Vec<&str> = mentioned_users(&parts).into_iter().map(AccountId::as_str).collect();
        assert_eq!(ids, ["2", "3"]);
        assert_eq!(plain_text(&[Part::new_text("Hi "), user("2", Some("Ben"))]), "Hi @Ben");
    }
}
