//! Time-based one-time passwords (RFC 6238): SHA-1, six digits, steps of 30 seconds.
//!
//! All authenticator apps support these parameters, and many ignore others.

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Number of bytes in a secret: 160 bits, the length of the HMAC (RFC 4226, 4).
pub const SECRET_BYTES: usize = 20;

/// Milliseconds in a step.
const STEP_MS: i64 = 30_000;

/// Steps before and after the present one that are accepted, because clocks differ (RFC 6238, 5.2).
const WINDOW_STEPS: i64 = 1;

/// Number of digits in a code.
const CODE_DIGITS: usize = 6;

/// Name of the service that apps show with a code.
const ISSUER: &str = "Chartroom";

/// Characters of base 32 (RFC 4648).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Generates a random secret.
pub fn generate_secret() -> Result<[u8; SECRET_BYTES]> {
    crypto::random_bytes()
}

/// Returns the step that contains a time.
fn step_at(time: Timestamp) -> i64 {
    time.0.div_euclid(STEP_MS)
}

/// Computes the code of a step (RFC 4226, 5.3).
fn compute_code(secret: &[u8], step: i64) -> String {
    let bytes = crypto::hmac_sha1(secret, &step.to_be_bytes());
    let offset = usize::from(bytes[bytes.len() - 1] & 0xf);
    let value = bytes[offset..offset + 4].iter().fold(0, |all, byte| all << 8 | u32::from(*byte));
    format!("{:06}", (value & 0x7fff_ffff) % 1_000_000)
}

/// Returns the first step after `last_step` in the window around `now` that has this code. None if
/// there is none. Compares in constant time.
pub fn find_step(secret: &[u8], code: &str, last_step: i64, now: Timestamp) -> Option<i64> {
    let present = step_at(now);
    let mut found = None;
    for step in (present - WINDOW_STEPS..=present + WINDOW_STEPS).rev() {
        let is_equal =
            crypto::constant_time_eq(compute_code(secret, step).as_bytes(), code.as_bytes());
        if is_equal && step > last_step {
            found = Some(step);
        }
    }
    found
}

/// Parses a code as people enter it: digits, also with white space between them. Returns None for
/// anything else.
pub fn parse_code(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let is_valid = code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit());
    is_valid.then_some(code)
}

/// Returns a secret in base 32 without padding, for people who cannot scan the QR code.
pub fn format_secret(secret: &[u8; SECRET_BYTES]) -> String {
    let groups = secret
        .chunks_exact(5)
        .map(|chunk| chunk.iter().fold(0_u64, |all, byte| all << 8 | u64::from(*byte)));
    let digit = |group: u64, index: u32| {
        let digit = usize::try_from(group >> (35 - 5 * index) & 31).unwrap_or_default();
        char::from(BASE32[digit])
    };
    groups.flat_map(|group| (0..8).map(move |index| digit(group, index))).collect()
}

/// Returns the URL that the QR code contains. `secret` is the result of [`format_secret`].
pub fn format_url(secret: &str, email: &str) -> String {
    let account = utf8_percent_encode(email, NON_ALPHANUMERIC);
    format!(
        "otpauth://totp/{ISSUER}:{account}?secret={secret}&issuer={ISSUER}&algorithm=SHA1\
         &digits={CODE_DIGITS}&period={}",
        STEP_MS / 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of the test vectors.
    const SECRET: &[u8; SECRET_BYTES] = b"12345678901234567890";

    #[test]
    fn codes_match_the_vectors_of_rfc_6238() {
        // Appendix B has eight digits. The last six are the code with six digits.
        for (seconds, code) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            let step = step_at(Timestamp(seconds * 1000));
            assert_eq!(compute_code(SECRET, step), code[2..], "{seconds}");
        }
    }

    #[test]
    fn window_has_one_step_in_each_direction_after_the_last_used_one() {
        let now = Timestamp(1_111_111_109_000);
        let present = step_at(now);
        let find = |step: i64, last: i64| find_step(SECRET, &compute_code(SECRET, step), last, now);
        for step in [present - 1, present, present + 1] {
            assert_eq!(find(step, 0), Some(step));
            assert_eq!(find(step, step - 1), Some(step));
            assert_eq!(find(step, step), None, "used before");
        }
        assert_eq!((find(present - 2, 0), find(present + 2, 0)), (None, None));
        assert_eq!(find(present - 1, present), None, "older than the last used one");
        assert_eq!(find_step(SECRET, "", 0, now), None);
    }

    #[test]
    fn codes_may_contain_white_space() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(parse_code(text).as_deref(), want, "{text}");
        };
        check("012345", Some("012345"));
        check(" 012 345\n", Some("012345"));
        check("12345", None);
        check("1234567", None);
        check("12345a", None);
        check("١٢٣٤٥٦", None);
        check("", None);
    }

    #[test]
    fn secret_is_base_32() {
        assert_eq!(format_secret(SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(format_secret(&[0xff; SECRET_BYTES]), "7".repeat(32));
        assert_eq!(
            format_url("GEZDGNBV", "ann+b@example.org"),
            "otpauth://totp/Chartroom:ann%2Bb%40example%2Eorg?secret=GEZDGNBV&issuer=Chartroom\
             &algorithm=SHA1&digits=6&period=30"
        );
    }
}
