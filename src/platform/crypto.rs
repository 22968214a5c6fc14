//! Random tokens, their hashes, signatures with the server key, and password hashes.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::error::Result;
use crate::turns::Turns;

/// A SHA-256 digest, the form in which tokens are stored.
pub type Hash = [u8; 32];

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Fills `N` bytes from the operating system.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(error.to_string()))?;
    Ok(bytes)
}

/// `length` random base62 characters (5.95 bits each), without modulo bias.
pub fn random_base62(length: usize) -> Result<String> {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in random::<64>()? {
            // 248 is the largest multiple of 62 below 256.
            if byte < 248 && text.len() < length {
                text.push(char::from(BASE62[usize::from(byte % 62)]));
            }
        }
    }
    Ok(text)
}

/// SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// An entity tag of some bytes: 128 bits of their hash.
pub fn tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&sha256(bytes)[..16])
}

/// The first `length` base62 characters of a hash of `text`: a checksum against typing errors.
pub fn checksum62(text: &str, length: usize) -> String {
    sha256(text.as_bytes())
        .iter()
        .take(length)
        .map(|byte| char::from(BASE62[usize::from(byte % 62)]))
        .collect()
}

/// Compares without telling by its time where the difference is.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

/// Encrypts with AES-256-GCM; the random nonce goes before the result.
pub fn seal(key: &Hash, plain: Vec<u8>) -> Result<Vec<u8>> {
    let mut bytes = plain;
    let nonce = gcm(key)?
        .seal_in_place_append_tag(Aad::empty(), &mut bytes)
        .map_err(|_| Error::internal("encrypting failed"))?;
    Ok([nonce.as_ref(), &bytes[..]].concat())
}

/// What [`seal`] encrypted.
///
/// # Errors
/// Internal, when the key is another one or the bytes were changed.
pub fn open(key: &Hash, sealed: &[u8]) -> Result<Vec<u8>> {
    let odd = || Error::internal("what was encrypted does not fit the key");
    let (nonce, bytes) = sealed.split_at_checked(NONCE_LEN).ok_or_else(odd)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| odd())?;
    let mut bytes = bytes.to_vec();
    let plain = gcm(key)?.open_in_place(nonce, Aad::empty(), &mut bytes).map_err(|_| odd())?;
    let length = plain.len();
    bytes.truncate(length);
    Ok(bytes)
}

fn gcm(key: &Hash) -> Result<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, key).map_err(|_| Error::internal("no key of AES-256"))
}

/// The server's own secret: 32 random bytes in the data directory, readable by its owner only.
#[derive(Clone)]
pub struct ServerKey([u8; 32]);

impl ServerKey {
    /// Reads `server.key` in `dir`, or makes it (mode 0600).
    ///
    /// # Errors
    /// When the file cannot be read or made, or is not 32 bytes long.
    pub fn load(dir: &Path) -> Result<Self> {
        let path = dir.join("server.key");
        match fs::read(&path) {
            Ok(bytes) => {
                let key: [u8; 32] = bytes.try_into().map_err(|_| {
                    Error::Invalid(format!("{} is not a key of 32 bytes", path.display()))
                })?;
                Ok(Self(key))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::make(&path),
            Err(error) => Err(error.into()),
        }
    }

    fn make(path: &Path) -> Result<Self> {
        let key = random::<32>()?;
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(&key)?;
        file.sync_all()?;
        Ok(Self(key))
    }

    /// HMAC-SHA-256 of `message`; `purpose` keeps signatures of different uses apart.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Hash {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .expect("HMAC takes a key of any length, so 32 bytes cannot be refused");
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(message);
        mac.finalize().into_bytes().into()
    }
}

/// The computation of password hashes, of which only so many go on at once: each takes 19 MiB and a
/// core.
pub struct Passwords(Turns);

impl Passwords {
    /// At most `at_once` computations at a time.
    pub fn new(at_once: usize) -> Self {
        Self(Turns::new(at_once))
    }

    /// The Argon2id hash (19 MiB, t=2, p=1, the crate's default and OWASP's first choice), PHC form.
    pub fn hash(&self, password: &str) -> Result<String> {
        let salt = random::<16>()?;
        let hash = || -> argon2::password_hash::Result<PasswordHash> {
            let (argon2, salt) = (Argon2::default(), Salt::new(&salt)?);
            Ok(PasswordHash {
                algorithm: Algorithm::default().ident(),
                version: Some(Version::default().into()),
                params: ParamsString::try_from(argon2.params())?,
                hash: Some(output(&argon2, password, &salt)?),
                salt: Some(salt),
            })
        };
        let _turn = self.0.take();
        let made = hash().map_err(|error| Error::internal(error.to_string()))?;
        Ok(made.to_string())
    }

    /// Whether `password` is the one that `hash` was made from.
    pub fn verify(&self, password: &str, hash: &str) -> bool {
        let verify = || -> argon2::password_hash::Result<bool> {
            let parsed = PasswordHash::new(hash)?;
            let algorithm = Algorithm::try_from(parsed.algorithm.as_str())?;
            let version = parsed.version.map(Version::try_from).transpose()?.unwrap_or_default();
            let argon2 = Argon2::new(algorithm, version, Params::try_from(&parsed)?);
            let (Some(salt), Some(hash)) = (parsed.salt, parsed.hash) else { return Ok(false) };
            // Outputs are compared in constant time.
            Ok(output(&argon2, password, &salt)? == hash)
        };
        let _turn = self.0.take();
        verify().unwrap_or(false)
    }
}

/// Blocks (of 1 KiB) that are asked for at least: above 32 MiB the C library maps memory for one
/// allocation alone and takes it back at once. When it takes back less than that, it keeps such sizes
/// for later ones from then on, and the program stays so much larger for good. What is not used of a
/// mapping takes no memory.
const APART: usize = 33 << 10;

/// What Argon2 makes of a password, in memory that goes back to the system.
fn output(
    argon2: &Argon2<'_>,
    password: &str,
    salt: &Salt,
) -> argon2::password_hash::Result<Output> {
    let (params, mut blocks) = (argon2.params(), Vec::new());
    blocks
        .try_reserve_exact(params.block_count().max(APART))
        .map_err(|_| argon2::Error::OutOfMemory)?;
    blocks.resize(params.block_count(), Block::new());
    let mut bytes = [0; Output::MAX_LENGTH];
    let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let bytes = bytes.get_mut(..length).ok_or(argon2::password_hash::Error::OutputSize)?;
    argon2.hash_password_into_with_memory(password.as_bytes(), salt, bytes, &mut blocks[..])?;
    Ok(Output::new(bytes)?)
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::{PasswordHasher, PasswordVerifier};

    use super::*;

    #[test]
    fn a_password_verifies_only_against_its_own_hash() {
        let passwords = Passwords::new(1);
        let hash = passwords.hash("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(passwords.verify("correct horse", &hash));
        assert!(!passwords.verify("wrong horse", &hash));
        assert!(!passwords.verify("correct horse", "not a hash"));
        assert!(!passwords.verify("correct horse", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ"));
    }

    #[test]
    fn hashes_are_those_of_the_crate() {
        let passwords = Passwords::new(1);
        let crates = Argon2::default().hash_password(b"correct horse").unwrap();
        assert!(passwords.verify("correct horse", &crates.to_string()));
        // Other parameters than ours.
        let small = Argon2::from(Params::new(64, 3, 2, Some(24)).unwrap());
        let crates = small.hash_password(b"correct horse").unwrap();
        assert!(passwords.verify("correct horse", &crates.to_string()));
        assert!(!passwords.verify("correct hors", &crates.to_string()));
        let ours = PasswordHash::new(&passwords.hash("correct horse").unwrap()).unwrap();
        Argon2::default().verify_password(b"correct horse", &ours).unwrap();
    }

    #[test]
    fn what_is_encrypted_opens_with_its_own_key_only() {
        let (key, other) = (sha256(b"a"), sha256(b"b"));
        for plain in [&b""[..], b"text"] {
            let sealed = seal(&key, plain.to_vec()).unwrap();
            assert_ne!(sealed, seal(&key, plain.to_vec()).unwrap());
            assert_eq!(open(&key, &sealed).unwrap(), plain);
            assert!(open(&other, &sealed).is_err());
            for at in 0..sealed.len() {
                let mut changed = sealed.clone();
                changed[at] ^= 1;
                assert!(open(&key, &changed).is_err(), "byte {at}");
            }
        }
        assert!(open(&key, b"short").is_err());
    }

    #[test]
    fn the_server_key_is_made_once_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let first = ServerKey::load(dir.path()).unwrap();
        let second = ServerKey::load(dir.path()).unwrap();
        assert_eq!(first.sign("a", b"x"), second.sign("a", b"x"));
        assert_ne!(first.sign("a", b"x"), first.sign("b", b"x"));
    }
}
