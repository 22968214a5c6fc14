//! Recovery codes: ten random codes of 50 bits, each of which replaces a code of the app once.

use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Number of codes.
pub const CODE_COUNT: usize = 10;

/// Number of digits in a code. A code has digits only, so that the keyboard for the codes of the app
/// can enter it.
const CODE_DIGITS: usize = 16;

/// Number of digits between two hyphens.
const GROUP_DIGITS: usize = 4;

/// Generates random codes, in the form in which people see them: `0123-4567-8901-2345`.
pub fn generate_codes() -> Result<Vec<String>> {
    (0..CODE_COUNT).map(|_| generate_code()).collect()
}

/// Generates a random code.
fn generate_code() -> Result<String> {
    // 50 bits are less than 16 digits.
    let number = u64::from_be_bytes(crypto::random_bytes()?) >> 14;
    let digits = format!("{number:016}");
    let groups: Vec<&str> =
        (0..CODE_DIGITS).step_by(GROUP_DIGITS).map(|at| &digits[at..at + GROUP_DIGITS]).collect();
    Ok(groups.join("-"))
}

/// Parses a code as people enter it, with or without hyphens and white space. Returns None for anything
/// that is not a code.
pub fn parse_code(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|char| !char.is_whitespace() && *char != '-').collect();
    let is_valid = code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit());
    is_valid.then_some(code)
}

/// Returns the hash of a code for the database. `code` is a result of [`parse_code`].
///
/// The server key is part of it, because a stolen database would otherwise allow an attacker to try
/// all codes of 50 bits.
pub fn hash_code(key: &ServerKey, user: &AccountId, code: &str) -> Sha256Hash {
    key.sign("recovery code", format!("{user}\0{code}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_parse() {
        let codes = generate_codes().unwrap();
        assert_eq!(codes.len(), CODE_COUNT);
        for (index, code) in codes.iter().enumerate() {
            let groups: Vec<usize> = code.split('-').map(str::len).collect();
            assert_eq!(groups, [4; 4], "{code}");
            assert_eq!(parse_code(code), Some(code.replace('-', "")));
            assert!(!codes[..index].contains(code));
        }
    }

    #[test]
    fn codes_may_be_entered_in_other_forms() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(parse_code(text).as_deref(), want, "{text}");
        };
        check("0123-4567-8901-2345", Some("0123456789012345"));
        check(" 01234567 89012345\n", Some("0123456789012345"));
        check("0123-4567-8901-234", None);
        check("0123-4567-8901-23456", None);
        check("0123-4567-8901-234a", None);
        check("123456", None);
        check("", None);
    }
}
