//! An authenticator app: computes codes from the secret that the server shows.

use chartroom_platform::crypto;
use chartroom_platform::time::Timestamp;

/// An app with one secret.
#[derive(Clone)]
pub struct TotpApp {
    secret: Vec<u8>,
}

impl TotpApp {
    /// Creates an app from a secret in base 32. Panics if it has other characters.
    pub fn new(secret: &str) -> Self {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let digits = secret.chars().map(|char| alphabet.find(char).unwrap());
        let bits: String = digits.map(|digit| format!("{digit:05b}")).collect();
        let byte = |at: usize| u8::from_str_radix(&bits[8 * at..8 * at + 8], 2).unwrap();
        Self { secret: (0..bits.len() / 8).map(byte).collect() }
    }

    /// Returns the code of the present time, or of a time that is `steps` steps later.
    pub fn code(&self, steps: i64) -> String {
        let step = Timestamp::now().0 / 30_000 + steps;
        let tag = crypto::hmac_sha1(&self.secret, &step.to_be_bytes());
        let start = usize::from(tag[19] % 16);
        let number = u32::from_be_bytes(tag[start..start + 4].try_into().unwrap()) % (1 << 31);
        format!("{:06}", number % 1_000_000)
    }

    /// Returns a code that is not valid within some minutes.
    pub fn wrong_code(&self) -> String {
        let near: Vec<String> = (-10..=10).map(|steps| self.code(steps)).collect();
        let mut codes = (0..100).map(|number| format!("{number:06}"));
        codes.find(|code| !near.contains(code)).unwrap()
    }
}
