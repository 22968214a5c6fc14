//! Rules for e-mail addresses, names, usernames and passwords.

use unicode_normalization::UnicodeNormalization;

use super::common_passwords;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::language::Language;

/// Maximum length of an e-mail address in bytes (RFC 5321 with erratum 1690).
const MAX_EMAIL_BYTES: usize = 254;
/// Maximum number of characters in the name of a user, an organization or a token.
const MAX_NAME_CHARS: usize = 200;
/// Maximum number of characters in a username. They are all ASCII.
const MAX_USERNAME_CHARS: usize = 64;
/// Number of characters in a password. There is no rule about kinds of characters, because length is
/// what makes a password strong (NIST SP 800-63B, 3.1.1.2). The upper bound only keeps requests small.
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 10..=1024;

/// An e-mail address as entered, and its normalized form for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// Address as entered, trimmed, in Unicode NFC.
    pub text: String,
    /// Lower-case address. Unique among users.
    pub key: String,
}

/// Parses an e-mail address after trimming it. Checks only the syntax; whether the address exists
/// is unknown until a mail arrives.
///
/// # Errors
/// `InvalidFields` for `email`.
pub fn parse_email(text: &str) -> Result<Email> {
    let text: String = text.trim().nfc().collect();
    let invalid = |message: &str| Err(Error::invalid_field("email", message));
    if text.is_empty() {
        return invalid("must not be empty");
    }
    if text.len() > MAX_EMAIL_BYTES {
        return invalid("must have at most 254 bytes");
    }
    let Some((local, domain)) = text.rsplit_once('@') else {
        return invalid("must be an e-mail address: it has no @");
    };
    let is_invalid =
        |char: char| char.is_whitespace() || char.is_control() || "<>()[]\\,;:\"@".contains(char);
    let is_invalid_label =
        |label: &str| label.is_empty() || label.starts_with('-') || label.ends_with('-');
    if local.is_empty() || local.contains(is_invalid) {
        return invalid(
            "must be an e-mail address: the part before the @ is empty or has invalid characters",
        );
    }
    if domain.contains(is_invalid) || domain.split('.').any(is_invalid_label) {
        return invalid("must be an e-mail address: the part after the @ is not a domain name");
    }
    Ok(Email { key: email_key(&text), text })
}

/// Returns the normalized form in which two addresses are compared: trimmed, in Unicode NFC and in
/// lower case. Does not check the syntax.
pub fn email_key(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}

/// Returns the URL of the avatar image of a user or an organization. `base_url` has no trailing
/// slash.
pub fn avatar_url(base_url: &str, id: &AccountId) -> String {
    format!("{base_url}/api/v1/users/{id}/avatar.svg")
}

/// Maximum number of API tokens of a user, expired ones included.
pub const MAX_API_TOKENS: u32 = 100;

/// Parses the tag of the language that a user chooses for the pages. None lets the browser decide.
///
/// # Errors
/// `InvalidFields` for `language`.
pub fn parse_language(tag: Option<&str>) -> Result<Option<Language>> {
    let find = |tag| {
        Language::from_tag(tag)
            .ok_or_else(|| Error::invalid_field("language", "must be `en`, `de` or null"))
    };
    tag.map(find).transpose()
}

/// Parses the name of a user, an organization or a token: trims it and converts it to Unicode NFC.
/// It must have 1 to `MAX_NAME_CHARS` characters and no control character, also none for the direction
/// of text.
///
/// # Errors
/// `InvalidFields` for `name`.
pub fn parse_name(text: &str) -> Result<String> {
    let text: String = text.trim().nfc().collect();
    if text.is_empty() {
        return Err(Error::invalid_field("name", "must not be empty"));
    }
    if text.chars().count() > MAX_NAME_CHARS {
        return Err(Error::invalid_field(
            "name",
            format!("must have at most {MAX_NAME_CHARS} characters"),
        ));
    }
    if text.contains(|char: char| char.is_control() || is_bidi_control(char)) {
        return Err(Error::invalid_field("name", "must not contain control characters"));
    }
    Ok(text)
}

/// Returns whether a character embeds, overrides or isolates a text direction. In a name, it could
/// change the order of the text around the name.
fn is_bidi_control(char: char) -> bool {
    matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Parses a username of 2 to 64 characters after trimming it.
///
/// It starts with a letter, so that it cannot be confused with an account id, and contains no `@`,
/// so that it cannot be confused with an e-mail address. Upper-case letters and the name `me` are
/// errors.
///
/// # Errors
/// `InvalidFields` for `username`.
pub fn parse_username(text: &str) -> Result<String> {
    let invalid = |message: &str| Err(Error::invalid_field("username", message));
    let text = text.trim();
    if !(2..=MAX_USERNAME_CHARS).contains(&text.len()) {
        return invalid("must have 2 to 64 characters");
    }
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) {
        return invalid("must begin with a letter from a to z");
    }
    if !text.bytes().all(is_username_byte) {
        return invalid("must contain only letters from a to z, digits, and . _ -");
    }
    if text == "me" {
        return invalid("must not be \"me\", which names the caller");
    }
    Ok(text.to_owned())
}

/// Returns whether a byte may occur in a username: a to z, 0 to 9, `.`, `_` or `-`.
fn is_username_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte)
}

/// Derives a username from an e-mail address. `attempt` 0 gives the plain name; later attempts
/// append a number, starting with 2.
///
/// The plain name consists of the valid characters of the local part, from the first letter on,
/// without accents, and at most 54. It is `user` if fewer than two characters remain or the result
/// is `me`.
pub fn suggest_username(email: &Email, attempt: u32) -> String {
    let local = email.key.rsplit_once('@').map_or("", |(local, _)| local);
    let plain: String = local
        .nfd()
        .filter(|char| u8::try_from(*char).is_ok_and(is_username_byte))
        .skip_while(|char| !char.is_ascii_lowercase())
        // Leaves space for a number of ten digits.
        .take(MAX_USERNAME_CHARS - 10)
        .collect();
    let plain = if plain.len() < 2 || plain == "me" { "user".to_owned() } else { plain };
    if attempt == 0 { plain } else { format!("{plain}{}", attempt + 1) }
}

/// Checks the length of a new password, and that it is no common one (NIST SP 800-63B, 3.1.1.2).
/// `field` is its name in the request.
///
/// # Errors
/// `InvalidFields` for `field`.
pub fn check_password(field: &str, text: &str) -> Result<()> {
    let length = text.chars().count();
    if length < *PASSWORD_CHARS.start() {
        let message = format!("must have at least {} characters", PASSWORD_CHARS.start());
        return Err(Error::invalid_field(field, message));
    }
    if length > *PASSWORD_CHARS.end() {
        let message = format!("must have at most {} characters", PASSWORD_CHARS.end());
        return Err(Error::invalid_field(field, message));
    }
    if common_passwords::is_common(text) {
        return Err(Error::invalid_field(field, "must not be easy to guess"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_has_local_part_and_domain() {
        let check = |text: &str, want: bool| assert_eq!(parse_email(text).is_ok(), want, "{text}");
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
        assert_eq!(parse_email(" Ann@Example.Org").unwrap().text, "Ann@Example.Org");
        assert_eq!(parse_email(" Ann@Example.Org").unwrap().key, "ann@example.org");
    }

    #[test]
    fn name_has_no_control_characters() {
        let check = |text: &str, want: bool| assert_eq!(parse_name(text).is_ok(), want, "{text:?}");
        check("Ann Ångström", true);
        check("\u{5d0}\u{5d1} \u{628}", true);
        check("A\tB", false);
        for char in ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'] {
            check(&format!("Ann{char}B"), false);
        }
    }

    #[test]
    fn username_is_not_an_id_not_an_address_and_not_me() {
        let check =
            |text: &str, want: bool| assert_eq!(parse_username(text).is_ok(), want, "{text}");
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
    fn username_is_derived_from_the_address() {
        let check = |address: &str, attempt, want: &str| {
            let suggested = suggest_username(&parse_email(address).unwrap(), attempt);
            assert_eq!(suggested, want);
            assert!(parse_username(&suggested).is_ok());
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
    fn password_is_long_and_not_common() {
        let check =
            |text: &str, want: bool| assert_eq!(check_password("p", text).is_ok(), want, "{text}");
        check("short", false);
        check("123456789", false);
        check("aaaaaaaaaa", false);
        check("amazement4", true);
        check("éèéêëéñéó", false);
        check(&"word ".repeat(205)[..1024], true);
        check(&"word ".repeat(205), false);
    }
}
