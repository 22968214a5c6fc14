//! What names, addresses, usernames and passwords may be.

use unicode_normalization::UnicodeNormalization;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Most bytes of an e-mail address (RFC 5321 with its erratum 1690).
const MAX_EMAIL: usize = 254;
/// Most characters of a person's or an organization's name, and of a token's.
const MAX_NAME: usize = 200;
/// Most characters of a username.
const MAX_USERNAME: usize = 64;
/// Characters of a password: length is what protects it, so there is no other rule
/// (NIST SP 800-63B, 3.1.1.2); the upper bound only keeps requests small.
const PASSWORD: std::ops::RangeInclusive<usize> = 10..=1024;

/// An e-mail address as it was given, and the form in which two are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// As given, trimmed, in Unicode NFC.
    pub text: String,
    /// In lower case: one account an address.
    pub key: String,
}

/// Reads an e-mail address. Only its shape is checked; whether it exists, a mail must tell.
///
/// # Errors
/// `Fields` naming `email`.
pub fn email(text: &str) -> Result<Email> {
    let text: String = text.trim().nfc().collect();
    let refuse = |message: &str| Err(Error::field("email", message));
    if text.is_empty() {
        return refuse("must not be empty");
    }
    if text.len() > MAX_EMAIL {
        return refuse("is longer than 254 bytes");
    }
    let Some((local, domain)) = text.rsplit_once('@') else {
        return refuse("is not an e-mail address: it has no @");
    };
    let odd = |it: char| it.is_whitespace() || it.is_control() || "<>()[]\\,;:\"@".contains(it);
    let bad_label = |it: &str| it.is_empty() || it.starts_with('-') || it.ends_with('-');
    if local.is_empty() || local.contains(odd) {
        return refuse(
            "is not an e-mail address: what is before the @ is empty or has odd characters",
        );
    }
    if domain.contains(odd) || domain.split('.').any(bad_label) {
        return refuse("is not an e-mail address: what is after the @ is not a domain name");
    }
    Ok(Email { key: email_key(&text), text })
}

/// The form in which two addresses are compared.
pub fn email_key(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}

/// Where the picture of an account is, a user's or an organization's.
pub fn avatar_url(base_url: &str, id: &AccountId) -> String {
    format!("{base_url}/api/v1/users/{id}/avatar.svg")
}

/// Reads a name (of a person, an organization, a token): trimmed, in Unicode NFC.
///
/// # Errors
/// `Fields` naming `name`.
pub fn name(text: &str) -> Result<String> {
    let text: String = text.trim().nfc().collect();
    if text.is_empty() {
        return Err(Error::field("name", "must not be empty"));
    }
    if text.chars().count() > MAX_NAME {
        return Err(Error::field("name", format!("is longer than {MAX_NAME} characters")));
    }
    if text.contains(char::is_control) {
        return Err(Error::field("name", "must not have control characters"));
    }
    Ok(text)
}

/// Reads a username. It begins with a letter, so it is never taken for an id; it has no `@`, so it
/// is never taken for an address.
///
/// # Errors
/// `Fields` naming `username`.
pub fn username(text: &str) -> Result<String> {
    let refuse = |message: &str| Err(Error::field("username", message));
    let text = text.trim();
    if !(2..=MAX_USERNAME).contains(&text.len()) {
        return refuse("must have 2 to 64 characters");
    }
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) {
        return refuse("must begin with a letter from a to z");
    }
    if !text.bytes().all(in_username) {
        return refuse("may only have letters from a to z, digits, and . _ -");
    }
    if text == "me" {
        return refuse("must not be me: that names whoever asks");
    }
    Ok(text.to_owned())
}

fn in_username(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte)
}

/// The username that an address suggests; `attempt` 0 is the plain one, later ones are numbered.
pub fn suggested_username(email: &Email, attempt: u32) -> String {
    let local = email.key.rsplit_once('@').map_or("", |(local, _)| local);
    let plain: String = local
        .nfd()
        .filter(|it| u8::try_from(*it).is_ok_and(in_username))
        .skip_while(|it| !it.is_ascii_lowercase())
        // Room for a number of ten digits.
        .take(MAX_USERNAME - 10)
        .collect();
    let plain = if plain.len() < 2 || plain == "me" { "user".to_owned() } else { plain };
    if attempt == 0 { plain } else { format!("{plain}{}", attempt + 1) }
}

/// Checks a new password; `field` is what the caller calls it.
///
/// # Errors
/// `Fields` naming `field`.
pub fn password(field: &str, text: &str) -> Result<()> {
    let length = text.chars().count();
    if length < *PASSWORD.start() {
        let message = format!("must have at least {} characters", PASSWORD.start());
        return Err(Error::field(field, message));
    }
    if length > *PASSWORD.end() {
        let message = format!("must have at most {} characters", PASSWORD.end());
        return Err(Error::field(field, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_local_part_and_a_domain() {
        let check = |text: &str, fine: bool| assert_eq!(email(text).is_ok(), fine, "{text}");
        check("ann@example.org", true);
        check("  Ann.B+c@Example.Org ", true);
        check("ann@localhost", true);
        check("jürgen@bücher.example", true);
        check("", false);
        check("ann", false);
        check("@example.org", false);
        check("ann@", false);
        check("ann@ex ample.org", false);
        check("ann b@example.org", false);
        check("a@b@example.org", false);
        check("ann@example..org", false);
        check("ann@-example.org", false);
        check("ann\n@example.org", false);
        check(&format!("{}@example.org", "a".repeat(250)), false);
        assert_eq!(email(" Ann@Example.Org").unwrap().text, "Ann@Example.Org");
        assert_eq!(email(" Ann@Example.Org").unwrap().key, "ann@example.org");
    }

    #[test]
    fn a_username_is_no_id_no_address_and_not_me() {
        let check = |text: &str, fine: bool| assert_eq!(username(text).is_ok(), fine, "{text}");
        check("ann", true);
        check("ann.b-c_9", true);
        check("a", false);
        check("9ann", false);
        check("me", false);
        check("Ann", false);
        check("ann@example", false);
        check(&"a".repeat(65), false);
    }

    #[test]
    fn a_username_comes_from_the_address() {
        let check = |address: &str, attempt, want: &str| {
            let suggested = suggested_username(&email(address).unwrap(), attempt);
            assert_eq!(suggested, want);
            assert!(username(&suggested).is_ok());
        };
        check("Ann.Smith@example.org", 0, "ann.smith");
        check("Ann.Smith@example.org", 1, "ann.smith2");
        check("9ann@example.org", 0, "ann");
        check("me@example.org", 0, "user");
        check("élise@example.org", 0, "elise");
        check("王@example.org", 4, "user5");
        check(
            &format!("{}@example.org", "a".repeat(200)),
            4_000_000,
            &format!("{}4000001", "a".repeat(54)),
        );
    }

    #[test]
    fn only_the_length_of_a_password_counts() {
        let check =
            |text: &str, fine: bool| assert_eq!(password("p", text).is_ok(), fine, "{text}");
        check("short", false);
        check("123456789", false);
        check("aaaaaaaaaa", true);
        check("ééééééééé", false);
        check(&"x".repeat(1024), true);
        check(&"x".repeat(1025), false);
    }
}
