//! Random tokens, hashes, encryption, signatures with the server key, and password hashing.

use std::fs;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::digest;
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::error::Result;
use crate::fair_semaphore::FairSemaphore;
use crate::fair_semaphore::Permit;

/// A SHA-256 digest. The database stores tokens only in this form.
pub type Sha256Hash = [u8; 32];

/// Characters of base62 in ASCII order.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns `N` cryptographically random bytes.
pub fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    // Not aws-lc-rs: its generator collects CPU jitter at first use, 80 ms at every start.
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(error.to_string()))?;
    Ok(bytes)
}

/// Returns `length` random base62 characters (5.95 bits each), without modulo bias.
pub fn random_base62(length: usize) -> Result<String> {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in random_bytes::<64>()? {
            // 248 is the largest multiple of 62 below 256.
            if byte < 248 && text.len() < length {
                text.push(char::from(BASE62[usize::from(byte % 62)]));
            }
        }
    }
    Ok(text)
}

/// Returns the SHA-256 digest of `bytes`, 32 bytes.
pub fn sha256(bytes: &[u8]) -> Sha256Hash {
    to_hash_array(digest::digest(&digest::SHA256, bytes).as_ref())
}

/// Returns the HMAC-SHA-1 of `message`. Only for protocols that require it, such as one-time passwords:
/// an HMAC does not need the collision resistance that SHA-1 has lost.
pub fn hmac_sha1(key: &[u8], message: &[u8]) -> [u8; 20] {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key);
    let mut tag = [0; 20];
    tag.copy_from_slice(hmac::sign(&key, message).as_ref());
    tag
}

/// Copies the output of a hash or a MAC into an array. Panics unless it has 32 bytes.
fn to_hash_array(output: &[u8]) -> Sha256Hash {
    let mut hash = Sha256Hash::default();
    hash.copy_from_slice(output);
    hash
}

/// Returns the value of an entity tag for `bytes`: the first 128 bits of their SHA-256 digest in
/// URL-safe Base64, without quotes.
pub fn content_hash_tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&sha256(bytes)[..16])
}

/// Returns a checksum of `text` against typing errors: `length` base62 characters of its SHA-256
/// digest (at most 32).
pub fn base62_checksum(text: &str, length: usize) -> String {
    sha256(text.as_bytes())
        .iter()
        .take(length)
        .map(|byte| char::from(BASE62[usize::from(byte % 62)]))
        .collect()
}

/// Returns bytes as lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether both slices are equal, in a time that does not depend on their content. Returns
/// false immediately for different lengths.
pub fn constant_time_eq(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

/// Encrypts `plain` with AES-256-GCM. The result is the random nonce, the encrypted bytes and the tag.
pub fn encrypt(key: &[u8; 32], plain: Vec<u8>) -> Result<Vec<u8>> {
    let mut bytes = plain;
    let nonce = create_encryption_key(key)?
        .seal_in_place_append_tag(Aad::empty(), &mut bytes)
        .map_err(|_| Error::internal("encryption failed"))?;
    Ok([nonce.as_ref(), &bytes[..]].concat())
}

/// Decrypts a result of [`encrypt`].
///
/// # Errors
/// `Internal` if the key is wrong or the bytes were changed.
pub fn decrypt(key: &[u8; 32], encrypted: &[u8]) -> Result<Vec<u8>> {
    let failure = || Error::internal("decryption failed: the key is wrong or the data was changed");
    let (nonce, bytes) = encrypted.split_at_checked(NONCE_LEN).ok_or_else(failure)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| failure())?;
    let mut bytes = bytes.to_vec();
    let plain = create_encryption_key(key)?
        .open_in_place(nonce, Aad::empty(), &mut bytes)
        .map_err(|_| failure())?;
    let length = plain.len();
    bytes.truncate(length);
    Ok(bytes)
}

/// Encrypts a value as JSON for a client that keeps it, in URL-safe Base64.
pub fn seal_json(key: &[u8; 32], value: &impl Serialize) -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(encrypt(key, serde_json::to_vec(value)?)?))
}

/// Decrypts a text of [`seal_json`]. None if it was changed, or encrypted with another key.
pub fn open_json<T: DeserializeOwned>(key: &[u8; 32], text: &str) -> Option<T> {
    let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
    serde_json::from_slice(&decrypt(key, &sealed).ok()?).ok()
}

/// Returns a key that generates a random nonce for each encryption.
fn create_encryption_key(key: &[u8; 32]) -> Result<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, key).map_err(|_| Error::internal("invalid AES-256 key"))
}

/// The secret key of the server: 32 random bytes in the data directory, readable only by the owner
/// of the file.
#[derive(Clone)]
pub struct ServerKey([u8; 32]);

impl ServerKey {
    /// Reads `server.key` in `dir`. Creates it with mode 0600 if it is absent.
    ///
    /// # Errors
    /// The file cannot be read or created, or is not 32 bytes long.
    pub fn load_or_create(dir: &Path) -> Result<Self> {
        let path = dir.join("server.key");
        match fs::read(&path) {
            Ok(bytes) => {
                let key: [u8; 32] = bytes.try_into().map_err(|_| {
                    Error::Invalid(format!("{} must contain exactly 32 bytes", path.display()))
                })?;
                Ok(Self(key))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::create(&path),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates the key file with a random key. Fails if the file exists.
    fn create(path: &Path) -> Result<Self> {
        let key = random_bytes::<32>()?;
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(&key)?;
        file.sync_all()?;
        Ok(Self(key))
    }

    /// Derives the secret of a link from `purpose` and `message`: 192 bits in URL-safe base64, so
    /// that the link can be built again although the secret is not stored. The same values always
    /// give the same secret.
    pub fn derive_token(&self, purpose: &str, message: &str) -> String {
        URL_SAFE_NO_PAD.encode(&self.sign(purpose, message.as_bytes())[..24])
    }

    /// Returns the HMAC-SHA-256 of `purpose` and `message`.
    ///
    /// A signature for one `purpose` is not valid for another one.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Sha256Hash {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &self.0));
        context.update(purpose.as_bytes());
        context.update(&[0]);
        context.update(message);
        to_hash_array(context.sign().as_ref())
    }
}

/// A password hasher with a limit on concurrent computations, because each takes 19 MiB and a core.
///
/// Client networks take turns, so that many sign-ins from one do not delay those from others. None
/// stands for this process.
pub struct PasswordHasher(FairSemaphore<Option<IpAddr>>);

impl PasswordHasher {
    /// Creates a hasher that runs at most `max_concurrent` computations at the same time.
    pub fn new(max_concurrent: usize) -> Self {
        Self(FairSemaphore::new(max_concurrent))
    }

    /// Returns the Argon2id hash of a password in PHC format, with a random salt.
    ///
    /// Parameters: 19 MiB, t=2, p=1, the default of the crate and the minimum that OWASP
    /// recommends. Waits if the maximum number of computations is running.
    pub fn hash(&self, client: Option<IpAddr>, password: &str) -> Result<String> {
        let salt = random_bytes::<16>()?;
        let hash = || -> argon2::password_hash::Result<PasswordHash> {
            let (argon2, salt) = (Argon2::default(), Salt::new(&salt)?);
            Ok(PasswordHash {
                algorithm: Algorithm::default().ident(),
                version: Some(Version::default().into()),
                params: ParamsString::try_from(argon2.params())?,
                hash: Some(compute_argon2(&argon2, password, &salt)?),
                salt: Some(salt),
            })
        };
        let _permit = self.0.acquire(client);
        let hash = hash().map_err(|error| Error::internal(error.to_string()))?;
        Ok(hash.to_string())
    }

    /// Waits until a computation may start and returns the permit for it.
    pub fn acquire(&self, client: Option<IpAddr>) -> PasswordVerifier<'_> {
        PasswordVerifier { _permit: self.0.acquire(client) }
    }
}

/// Returns whether [`PasswordHasher::hash`] computes stronger hashes than `hash`, so that the password
/// should be hashed again. False for a hash with other parameters of which one is larger than today's, and
/// for a text that is no PHC string.
pub fn is_outdated_password_hash(hash: &str) -> bool {
    let Ok(parsed) = PasswordHash::new(hash) else { return false };
    let Ok(params) = Params::try_from(&parsed) else { return false };
    let current = Params::default();
    let is_weaker = params.m_cost() <= current.m_cost()
        && params.t_cost() <= current.t_cost()
        && (params.m_cost(), params.t_cost()) != (current.m_cost(), current.t_cost());
    is_weaker || parsed.algorithm != Algorithm::default().ident()
}

/// A permit to verify a password. Dropping it lets the next computation start.
pub struct PasswordVerifier<'a> {
    _permit: Permit<'a, Option<IpAddr>>,
}

impl PasswordVerifier<'_> {
    /// Returns whether `hash` was computed from `password`. Returns false if `hash` is not a
    /// complete PHC string of Argon2, or if the computation fails.
    pub fn verify(&self, password: &str, hash: &str) -> bool {
        let verify = || -> argon2::password_hash::Result<bool> {
            let parsed = PasswordHash::new(hash)?;
            let algorithm = Algorithm::try_from(parsed.algorithm.as_str())?;
            let version = parsed.version.map(Version::try_from).transpose()?.unwrap_or_default();
            let argon2 = Argon2::new(algorithm, version, Params::try_from(&parsed)?);
            let (Some(salt), Some(hash)) = (parsed.salt, parsed.hash) else { return Ok(false) };
            // `Output` compares in constant time.
            Ok(compute_argon2(&argon2, password, &salt)? == hash)
        };
        verify().unwrap_or(false)
    }
}

/// Minimum number of blocks (of 1 KiB) to allocate for one computation.
///
/// glibc serves an allocation above 32 MiB with its own memory mapping and always unmaps it when it
/// is freed. After freeing a smaller mapping, glibc raises its threshold and keeps memory of that
/// size in the heap, so that the process stays larger permanently. Untouched pages of the mapping
/// take no memory.
const MIN_ALLOCATED_BLOCKS: usize = 33 << 10;

/// Computes the Argon2 hash of a password with the parameters of `argon2`. The memory for it is
/// returned to the system afterwards.
fn compute_argon2(
    argon2: &Argon2<'_>,
    password: &str,
    salt: &Salt,
) -> argon2::password_hash::Result<Output> {
    let (params, mut blocks) = (argon2.params(), Vec::new());
    blocks
        .try_reserve_exact(params.block_count().max(MIN_ALLOCATED_BLOCKS))
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
    use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

    use super::*;

    #[test]
    fn a_password_verifies_only_against_its_own_hash() {
        let passwords = PasswordHasher::new(1);
        let hash = passwords.hash(None, "correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(passwords.acquire(None).verify("correct horse", &hash));
        assert!(!passwords.acquire(None).verify("wrong horse", &hash));
        assert!(!passwords.acquire(None).verify("correct horse", "not a hash"));
        assert!(
            !passwords
                .acquire(None)
                .verify("correct horse", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ")
        );
    }

    #[test]
    fn only_hashes_with_weaker_parameters_are_outdated() {
        let with = |params: &str| format!("{params}$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA");
        let check = |params: &str, want: bool| {
            assert_eq!(is_outdated_password_hash(&with(params)), want, "{params}");
        };
        check("$argon2id$v=19$m=19456,t=2,p=1", false);
        check("$argon2id$v=19$m=9216,t=2,p=1", true);
        check("$argon2id$v=19$m=19456,t=1,p=1", true);
        check("$argon2i$v=19$m=19456,t=2,p=1", true);
        check("$argon2id$v=19$m=65536,t=2,p=1", false);
        check("$argon2id$v=19$m=65536,t=1,p=1", false);
        check("$scrypt$ln=16,r=8,p=1", false);
        assert!(!is_outdated_password_hash("plain"));
    }

    #[test]
    fn hashes_are_compatible_with_the_argon2_crate() {
        let passwords = PasswordHasher::new(1);
        let crates = Argon2::default().hash_password(b"correct horse").unwrap();
        assert!(passwords.acquire(None).verify("correct horse", &crates.to_string()));
        // Verification must use the parameters of the hash, not the defaults.
        let small = Argon2::from(Params::new(64, 3, 2, Some(24)).unwrap());
        let crates = small.hash_password(b"correct horse").unwrap();
        assert!(passwords.acquire(None).verify("correct horse", &crates.to_string()));
        assert!(!passwords.acquire(None).verify("correct hors", &crates.to_string()));
        let ours = PasswordHash::new(&passwords.hash(None, "correct horse").unwrap()).unwrap();
        Argon2::default().verify_password(b"correct horse", &ours).unwrap();
    }

    #[test]
    fn decryption_requires_the_same_key_and_unchanged_bytes() {
        let (key, other) = (sha256(b"a"), sha256(b"b"));
        for plain in [&b""[..], b"text"] {
            let encrypted = encrypt(&key, plain.to_vec()).unwrap();
            assert_ne!(encrypted, encrypt(&key, plain.to_vec()).unwrap());
            assert_eq!(decrypt(&key, &encrypted).unwrap(), plain);
            assert!(decrypt(&other, &encrypted).is_err());
            for at in 0..encrypted.len() {
                let mut changed = encrypted.clone();
                changed[at] ^= 1;
                assert!(decrypt(&key, &changed).is_err(), "byte {at}");
            }
        }
        assert!(decrypt(&key, b"short").is_err());
    }

    #[test]
    fn sealed_json_opens_with_its_key_only() {
        let sealed = seal_json(&[1; 32], &(1, "a")).unwrap();
        assert_eq!(open_json(&[1; 32], &sealed), Some((1, "a".to_owned())));
        assert_eq!(open_json::<(u32, String)>(&[2; 32], &sealed), None);
        let other = if sealed.as_bytes()[9] == b'A' { "B" } else { "A" };
        let changed = format!("{}{other}{}", &sealed[..9], &sealed[10..]);
        for changed in ["", "!", &sealed[1..], &changed] {
            assert_eq!(open_json::<(u32, String)>(&[1; 32], changed), None, "{changed}");
        }
        assert_eq!(to_hex(&[0, 10, 255]), "000aff");
    }

    #[test]
    fn the_server_key_is_created_once_and_then_reused() {
        let dir = tempfile::tempdir().unwrap();
        let first = ServerKey::load_or_create(dir.path()).unwrap();
        let second = ServerKey::load_or_create(dir.path()).unwrap();
        assert_eq!(first.sign("a", b"x"), second.sign("a", b"x"));
        assert_ne!(first.sign("a", b"x"), first.sign("b", b"x"));
    }
}
