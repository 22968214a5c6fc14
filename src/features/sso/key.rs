//! The key with which this server signs authentication requests, and its certificate.

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::encoding::Pkcs8V1Der;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use rcgen::CertificateParams;
use rcgen::DistinguishedName;
use rcgen::DnType;
use rcgen::PKCS_RSA_SHA256;
use rustls::pki_types::PrivatePkcs8KeyDer;
use std::time::Duration;
use std::time::SystemTime;

use super::protocol;
use super::store;
use super::store::StoredKey;
use crate::app::App;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Validity of the certificate. Identity providers compare the key only, so that a short validity would
/// only cause work.
const CERTIFICATE_LIFETIME: Duration = Duration::from_hours(3_652 * 24);
/// Time before its creation from which the certificate is valid, for identity providers with a clock
/// that is late.
const CLOCK_SKEW: Duration = Duration::from_hours(24);

/// The signing key of this server.
pub struct RequestKey {
    pair: KeyPair,
    /// Self-signed certificate in DER format, part of the metadata.
    pub certificate: Vec<u8>,
}

impl RequestKey {
    /// Returns the key of the database, or creates it. Must run outside a transaction, because the
    /// creation takes up to a second.
    ///
    /// # Errors
    /// `Internal` if the stored key cannot be decrypted, because the server key is another one.
    pub fn load_or_create(app: &App) -> Result<Self> {
        Self::open(app, Self::load_or_create_stored(app)?)
    }

    /// Returns the encrypted key of the database, or creates it.
    fn load_or_create_stored(app: &App) -> Result<StoredKey> {
        if let Some(stored) = app.db.read(store::find_key)? {
            return Ok(stored);
        }
        let created = Self::create(app)?;
        // Of two concurrent requests, one stores its key and both use it.
        app.db.write_with_reserve(move |tx| {
            store::insert_key(tx, &created)?;
            store::find_key(tx)?.ok_or_else(|| Error::internal("the signing key is missing"))
        })
    }

    /// Decrypts a stored key.
    fn open(app: &App, stored: StoredKey) -> Result<Self> {
        let private_key = crypto::decrypt(&encryption_key(app), &stored.private_key)?;
        let pair = KeyPair::from_pkcs8(&private_key)
            .map_err(|error| Error::internal(format!("the signing key is damaged: {error}")))?;
        Ok(Self { pair, certificate: stored.certificate })
    }

    /// Generates an RSA key of 2,048 bits with a self-signed certificate. Stores nothing.
    fn create(app: &App) -> Result<StoredKey> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a signing key cannot be created: {error}"))
        };
        let pair = KeyPair::generate(KeySize::Rsa2048).map_err(|error| failed(&error))?;
        let private_key: Pkcs8V1Der<'_> = pair.as_der().map_err(|error| failed(&error))?;
        let signer = rcgen::KeyPair::from_pkcs8_der_and_sign_algo(
            &PrivatePkcs8KeyDer::from(private_key.as_ref()),
            &PKCS_RSA_SHA256,
        )
        .map_err(|error| failed(&error))?;
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, app.config.base_url.as_str());
        let now = Timestamp::now();
        params.not_before = to_system_time(now.saturating_sub(CLOCK_SKEW)).into();
        params.not_after = to_system_time(now.saturating_add(CERTIFICATE_LIFETIME)).into();
        let certificate = params.self_signed(&signer).map_err(|error| failed(&error))?;
        Ok(StoredKey {
            private_key: crypto::encrypt(&encryption_key(app), private_key.as_ref().to_vec())?,
            certificate: certificate.der().to_vec(),
        })
    }

    /// Signs a text with RSASSA-PKCS1-v1_5 and SHA-256.
    ///
    /// # Errors
    /// `Internal` if the library cannot sign.
    pub fn sign(&self, text: &str) -> Result<Vec<u8>> {
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
            .map_err(|_| Error::internal("a request cannot be signed"))?;
        Ok(signature)
    }
}

/// Returns the certificate of the signing key as PEM. Creates the key if there is none. Must run outside
/// a transaction, like `RequestKey::load_or_create`.
pub fn load_certificate_pem(app: &App) -> Result<String> {
    let stored = RequestKey::load_or_create_stored(app)?;
    Ok(protocol::encode_pem(&stored.certificate))
}

/// Converts a time after 1970.
fn to_system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(time.0).unwrap_or_default())
}

/// Returns the key that encrypts the private key in the database.
fn encryption_key(app: &App) -> [u8; 32] {
    app.server_key.sign("sso signing key", b"")
}
