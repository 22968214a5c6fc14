//! Authentication requests (SAML bindings 3.4, HTTP-Redirect).

use std::io::Write as _;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::key::RequestKey;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;
use chartroom_platform::xml;

/// Path of the assertion consumer service and of the metadata.
pub const ACS_PATH: &str = "/sso/saml2";

/// Time in which a request must get its response.
pub const REQUEST_LIFETIME: Duration = Duration::from_mins(10);

/// Random bytes in the id of a request.
const ID_BYTES: usize = 16;

/// Name of RSA-SHA256 (RFC 6931, 2.3.2).
const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

/// Characters to escape in the query: all but the unreserved characters of RFC 3986. Some identity
/// providers decode the query and encode it like this before they verify the signature.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns a new id for a request: an underscore, because the id of an XML element cannot begin with a
/// digit, and 32 hexadecimal digits.
pub fn new_id() -> Result<String> {
    Ok(format!("_{}", crypto::to_hex(&crypto::random_bytes::<ID_BYTES>()?)))
}

/// Returns the URL of the identity provider with a signed authentication request. `sign_in_url` may
/// contain a query already.
///
/// # Errors
/// `Internal` if the request cannot be compressed or signed.
pub fn build_redirect(
    key: &RequestKey,
    base_url: &str,
    sign_in_url: &str,
    (id, issued): (&str, Timestamp),
) -> Result<String> {
    let text = build_request(base_url, sign_in_url, id, issued);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    let request = STANDARD.encode(encoder.finish()?);
    // The identity provider returns the relay state also with a response that this server cannot read.
    let signed = format!(
        "SAMLRequest={}&RelayState={}&SigAlg={}",
        utf8_percent_encode(&request, ESCAPED),
        utf8_percent_encode(id, ESCAPED),
        utf8_percent_encode(RSA_SHA256, ESCAPED)
    );
    let signature = STANDARD.encode(key.sign(&signed)?);
    let separator = if sign_in_url.contains('?') { '&' } else { '?' };
    Ok(format!(
        "{sign_in_url}{separator}{signed}&Signature={}",
        utf8_percent_encode(&signature, ESCAPED)
    ))
}

/// Builds an authentication request.
fn build_request(base_url: &str, sign_in_url: &str, id: &str, issued: Timestamp) -> String {
    format!(
        "<samlp:AuthnRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"{id}\" Version=\"2.0\" \
         IssueInstant=\"{issued}\" Destination=\"{destination}\" \
         AssertionConsumerServiceURL=\"{base}{ACS_PATH}\" \
         ProtocolBinding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\">\
         <saml:Issuer>{base}</saml:Issuer>\
         <samlp:NameIDPolicy \
         Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\" AllowCreate=\"true\"/>\
         </samlp:AuthnRequest>",
        destination = escape(sign_in_url),
        base = escape(base_url),
    )
}

/// Escapes a URL for XML content and attribute values in double quotes.
pub fn escape(url: &str) -> String {
    let mut escaped = String::new();
    xml::escape_attribute(url, &mut escaped);
    escaped
}
