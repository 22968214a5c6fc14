//! Signing certificates of identity providers, as administrators paste them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;
use x509_cert::Certificate;
use x509_cert::TbsCertificate;
use x509_cert::der::Decode;
use x509_cert::time::Time;

use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;
use chartroom_platform::xml::KeyError;
use chartroom_platform::xml::RsaPublicKey;

/// Maximum number of certificates: during a change of keys, the old and the new one.
const MAX_CERTIFICATES: usize = 2;
/// Maximum length of the text in bytes. A certificate with a key of 8,192 bits has 4 KB.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Maximum number of characters of a subject; longer ones are cut.
const MAX_SUBJECT_CHARS: usize = 500;
/// White space of pages that PEM and base64 do not know.
const NO_BREAK_SPACE: char = '\u{a0}';
/// Object identifier of RSA keys for PKCS#1 padding.
const RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.1";
/// Length of the lines of a PEM block in characters (RFC 7468).
const PEM_LINE_CHARS: usize = 64;

/// A certificate of an identity provider. Only its key counts: neither its signature nor its validity
/// period is checked, because the administrator configured the key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SsoCertificate")]
pub struct IdpCertificate {
    /// Distinguished name of the subject, such as `CN=idp.example,O=Example`. Can be empty.
    pub subject: String,
    /// Start of the validity period. For display only.
    pub not_before: Timestamp,
    /// End of the validity period. For display and warnings only.
    pub not_after: Timestamp,
    /// SHA-256 of the DER encoding, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Key that verifies signatures of the identity provider.
    #[serde(skip)]
    pub key: RsaPublicKey,
    /// DER encoding of the certificate.
    #[serde(skip)]
    der: Vec<u8>,
}

/// Parses one or two certificates: PEM blocks, or one certificate as bare base64. Text around the
/// blocks is ignored, and so are further copies of the same certificate. No-break spaces, which a copied
/// page can contain, count as white space.
///
/// # Errors
/// `InvalidFields` for the field `certificate`.
pub fn parse_certificates(text: &str) -> Result<Vec<IdpCertificate>> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Error::invalid_field("certificate", "must have at most 64 KiB"));
    }
    if text.trim().is_empty() {
        return Err(Error::invalid_field("certificate", "must not be empty"));
    }
    if text.contains("PRIVATE KEY-----") {
        return Err(Error::invalid_field(
            "certificate",
            "contains a private key: replace this key at the identity provider, and paste only the \
             certificate",
        ));
    }
    let text = text.replace(NO_BREAK_SPACE, " ");
    let blocks = if text.contains("-----BEGIN") { pem_blocks(&text)? } else { vec![&*text] };
    let mut certificates: Vec<IdpCertificate> = Vec::new();
    for block in blocks {
        let certificate = IdpCertificate::decode(block)?;
        if certificates.iter().any(|known| known.der == certificate.der) {
            continue;
        }
        if certificates.len() == MAX_CERTIFICATES {
            let text = "must contain at most two certificates";
            return Err(Error::invalid_field("certificate", text));
        }
        certificates.push(certificate);
    }
    Ok(certificates)
}

/// Returns the certificates as PEM blocks, the form that the database stores.
pub fn to_pem(certificates: &[IdpCertificate]) -> String {
    certificates.iter().map(|certificate| encode_pem(&certificate.der)).collect()
}

/// Returns the DER encoding of a certificate as a PEM block.
pub fn encode_pem(der: &[u8]) -> String {
    let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
    let mut base64 = STANDARD.encode(der);
    while !base64.is_empty() {
        let rest = base64.split_off(base64.len().min(PEM_LINE_CHARS));
        pem.extend([&base64, "\n"]);
        base64 = rest;
    }
    pem.push_str("-----END CERTIFICATE-----\n");
    pem
}

/// Returns the base64 of the PEM blocks, which must all be certificates.
fn pem_blocks(text: &str) -> Result<Vec<&str>> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, block)) = rest.split_once("-----BEGIN") {
        let parts = block
            .strip_prefix(" CERTIFICATE-----")
            .and_then(|block| block.split_once("-----END CERTIFICATE-----"));
        let (block, after) = parts.ok_or_else(not_a_certificate)?;
        blocks.push(block);
        rest = after;
    }
    Ok(blocks)
}

impl IdpCertificate {
    /// Decodes a certificate from the base64 of its DER encoding. Ignores white space.
    fn decode(base64: &str) -> Result<Self> {
        let base64: String = base64.chars().filter(|char| !char.is_ascii_whitespace()).collect();
        let der = STANDARD.decode(base64).map_err(|_| not_a_certificate())?;
        let certificate = Certificate::from_der(&der).map_err(|_| not_a_certificate())?;
        let content = certificate.tbs_certificate();
        Ok(Self {
            subject: content.subject().to_string().chars().take(MAX_SUBJECT_CHARS).collect(),
            not_before: to_timestamp(content.validity().not_before),
            not_after: to_timestamp(content.validity().not_after),
            sha256: crypto::to_hex(&crypto::sha256(&der)),
            key: read_key(content)?,
            der,
        })
    }
}

/// Returns the RSA key of a certificate.
fn read_key(content: &TbsCertificate) -> Result<RsaPublicKey> {
    let not_rsa = || Error::invalid_field("certificate", "must contain an RSA key");
    let info = content.subject_public_key_info();
    if info.algorithm.oid.to_string() != RSA_ENCRYPTION {
        return Err(not_rsa());
    }
    let key = info.subject_public_key.as_bytes().ok_or_else(not_rsa)?;
    RsaPublicKey::from_der(key).map_err(|error| match error {
        KeyError::NotRsa => not_rsa(),
        KeyError::Size(bits) => Error::invalid_field(
            "certificate",
            format!("must contain a key of 2048 to 8192 bits; this one has {bits}"),
        ),
    })
}

/// Returns the error for a text that is not a certificate.
fn not_a_certificate() -> Error {
    Error::invalid_field(
        "certificate",
        "must be an X.509 certificate as PEM, or the base64 of one certificate",
    )
}

/// Converts a time of a certificate, which has seconds.
fn to_timestamp(time: Time) -> Timestamp {
    let millis = time.to_unix_duration().as_millis();
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}
