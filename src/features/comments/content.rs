//! What a comment says: texts and mentions of people.

use std::borrow::Cow;

use serde::Deserialize;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Most parts of a comment: many times those that a page makes of the longest text.
const MOST_PARTS: usize = 1_000;

/// The name of somebody who is mentioned by a number only, and whom the author may not know.
const UNNAMED: &str = "…";

/// A part of a comment. As JSON it is what the database holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Part {
    /// Something written.
    Text { text: String },
    /// Somebody who is addressed, by the name that was known when it was written.
    User { id: AccountId, name: String },
}

impl Part {
    /// A text as it was sent: in Unicode NFC, with line feeds for line ends, and no other control
    /// characters but tabs.
    pub fn text(sent: &str) -> Self {
        let is_kept = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
        Self::Text { text: sent.replace("\r\n", "\n").nfc().filter(is_kept).collect() }
    }

    /// A mention as it was sent, whether or not there is such a user.
    pub fn mention(id: String, name: Option<&str>) -> Self {
        let name: String = name.unwrap_or_default().nfc().filter(|it| !it.is_control()).collect();
        let name = match name.trim() {
            "" => UNNAMED.to_owned(),
            name => name.to_owned(),
        };
        Self::User { id: AccountId::from_text(id), name }
    }

    /// How it reads: a mention is the name behind an `@`.
    fn plain(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::User { name, .. } => Cow::Owned(format!("@{name}")),
        }
    }
}

/// Checks what somebody wants to say.
///
/// # Errors
/// `Fields` naming `content` when it says nothing, has more characters than `most` or too many
/// parts.
pub fn check(parts: &[Part], most: usize) -> Result<()> {
    let refuse = |message: String| Err(Error::field("content", message));
    if parts.len() > MOST_PARTS {
        return refuse(format!("has more than {MOST_PARTS} parts"));
    }
    let text = plain(parts);
    if text.trim().is_empty() {
        return refuse("must not be empty".to_owned());
    }
    if text.chars().count() > most {
        return refuse(format!("has more than {most} characters"));
    }
    Ok(())
}

/// The parts with the names that `name` knows: mentions of anybody else become plain text, and texts
/// side by side become one.
pub fn with_names<'n>(parts: Vec<Part>, name: impl Fn(&AccountId) -> Option<&'n str>) -> Vec<Part> {
    let mut settled: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let known = match &part {
            Part::User { id, .. } => name(id).map(str::to_owned),
            Part::Text { .. } => None,
        };
        match (part, known, settled.last_mut()) {
            (Part::User { id, .. }, Some(name), _) => settled.push(Part::User { id, name }),
            (part, _, Some(Part::Text { text })) => text.push_str(&part.plain()),
            (part, ..) => settled.push(Part::Text { text: part.plain().into_owned() }),
        }
    }
    settled.retain(|it| !matches!(it, Part::Text { text } if text.is_empty()));
    settled
}

/// Who is mentioned, each once.
pub fn mentioned(parts: &[Part]) -> Vec<&AccountId> {
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

/// The whole as a text.
pub fn plain(parts: &[Part]) -> String {
    parts.iter().map(Part::plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str, name: Option<&str>) -> Part {
        Part::mention(id.to_owned(), name)
    }

    fn knows_ben(id: &AccountId) -> Option<&'static str> {
        (id.as_str() == "2").then_some("Ben")
    }

    #[test]
    fn mentions_of_strangers_become_text_and_texts_become_one() {
        let check = |parts: Vec<Part>, want: &str| {
            let settled = with_names(parts, knows_ben);
            assert_eq!(serde_json::to_string(&settled).unwrap(), want);
        };
        check(
            vec![Part::text("Hi "), user("2", Some("Benny")), Part::text("!")],
            r#"[{"type":"text","text":"Hi "},{"type":"user","id":"2","name":"Ben"},{"type":"text","text":"!"}]"#,
        );
        check(
            vec![Part::text("Hi "), user("3", Some("Cid")), Part::text(" "), user("4", None)],
            r#"[{"type":"text","text":"Hi @Cid @…"}]"#,
        );
        check(
            vec![Part::text(""), user("2", None), Part::text("")],
            r#"[{"type":"user","id":"2","name":"Ben"}]"#,
        );
    }

    #[test]
    fn texts_have_no_control_characters_but_line_feeds_and_tabs() {
        let check = |sent: &str, want: &str| {
            assert_eq!(Part::text(sent), Part::Text { text: want.to_owned() });
        };
        check("a\r\nb\tc\u{0}\u{1b}[31m", "a\nb\tc[31m");
        check("Cafe\u{301}", "Café");
        assert_eq!(user("9", Some(" \n")), user("9", None));
    }

    #[test]
    fn a_comment_says_something_and_not_too_much() {
        let message = |parts: &[Part]| match check(parts, 5) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(message(&[Part::text("fünf!")]), "");
        assert_eq!(message(&[user("2", Some("Benn"))]), "");
        let told = [
            (vec![], "must not be empty"),
            (vec![Part::text(" \n")], "must not be empty"),
            (vec![Part::text("sechs!")], "has more than 5 characters"),
            (vec![Part::text("a"), user("2", Some("Benn"))], "has more than 5 characters"),
            (vec![Part::text(""); MOST_PARTS + 1], "has more than 1000 parts"),
        ];
        for (parts, want) in told {
            assert!(message(&parts).contains(want), "{want}: {}", message(&parts));
        }
    }

    #[test]
    fn who_is_mentioned_twice_is_mentioned() {
        let parts = [user("2", None), Part::text(" and "), user("3", None), user("2", None)];
        let ids: Vec<&str> = mentioned(&parts).into_iter().map(AccountId::as_str).collect();
        assert_eq!(ids, ["2", "3"]);
        assert_eq!(plain(&[Part::text("Hi "), user("2", Some("Ben"))]), "Hi @Ben");
    }
}
