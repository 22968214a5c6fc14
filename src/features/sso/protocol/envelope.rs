//! From the form field `SAMLResponse` to bytes with a verified signature.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roxmltree::Document;
use roxmltree::Node;

use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use super::response::ResponseFacts;
use super::schema;
use chartroom_platform::xml;
use chartroom_platform::xml::DSIG_NAMESPACE;
use chartroom_platform::xml::RsaPublicKey;
use chartroom_platform::xml::XmlError;
use chartroom_platform::xml::XmlText;

/// Maximum number of characters of the form field `SAMLResponse`. Responses have 5 to 50 KB.
const MAX_RESPONSE_CHARS: usize = 400 << 10;
/// Maximum number of characters of an entity id (SAML core, 8.3.6).
const MAX_ENTITY_ID_CHARS: usize = 1_024;
/// Attribute with the identifier of a response or an assertion.
const ID: &str = "ID";
/// Elements that contain an encrypted part of a response.
const ENCRYPTED_ELEMENTS: [&str; 4] =
    ["EncryptedAssertion", "EncryptedAttribute", "EncryptedData", "EncryptedID"];

/// Decodes the form field `SAMLResponse` to the XML text of a response. Ignores white space between
/// the base64 characters, and removes a byte order mark.
///
/// # Errors
/// `Format` if the field has more than 400 KiB, or is not the base64 of UTF-8 text.
pub fn decode_response(base64: &str) -> Result<String, Rejection> {
    if base64.len() > MAX_RESPONSE_CHARS {
        return Err(format_error("the response is longer than 400 KiB"));
    }
    let base64: String = base64.chars().filter(|char| !char.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(base64);
    let bytes = bytes.map_err(|_| format_error("the response is not base64"))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| format_error("the response is not UTF-8 text"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the issuer that a response claims: that of its assertion, otherwise that of the response.
/// It only selects the organization with the keys: [`verify`](super::verify) compares it again in
/// verified bytes.
///
/// # Errors
/// `Format` if the text is not a SAML response or has no issuer.
pub fn unverified_issuer(xml: &str) -> Result<String, Rejection> {
    let text = XmlText::new(xml).map_err(malformed)?;
    let document = text.parse().map_err(malformed)?;
    let response = find_response(&document)?;
    let is_assertion = |node: &Node<'_, '_>| schema::is_assertion(*node, "Assertion");
    let assertion = response.children().find(is_assertion);
    let issuers = [assertion, Some(response)].into_iter().flatten();
    let is_issuer = |node: &Node<'_, '_>| schema::is_assertion(*node, "Issuer");
    let issuer = issuers.flat_map(|element| element.children().filter(is_issuer)).next();
    let issuer = issuer.ok_or_else(|| format_error("the response has no issuer"))?;
    let issuer = xml::text_content(issuer).map_err(malformed)?;
    match issuer.is_empty() || issuer.chars().count() > MAX_ENTITY_ID_CHARS {
        true => Err(format_error("the issuer of the response is empty or too long")),
        false => Ok(issuer.to_owned()),
    }
}

/// The parts of a response that may be read after its signatures are verified.
pub struct VerifiedEnvelope {
    /// Facts of the response element. If only the assertion is signed, anybody can change them, so
    /// that they may cause a rejection but grant nothing.
    pub response: ResponseFacts,
    /// Canonical bytes of the innermost signed element: the assertion, or a response with an
    /// unsigned assertion.
    pub signed: String,
}

/// Checks the structure of a response and verifies all its signatures.
///
/// # Errors
/// `Format`, `Status`, `Encrypted` and `Signature`.
pub fn open(xml: &str, keys: &[RsaPublicKey]) -> Result<VerifiedEnvelope, Rejection> {
    let text = XmlText::new(xml).map_err(malformed)?;
    let document = text.parse().map_err(malformed)?;
    let response = find_response(&document)?;
    check_not_encrypted(&document)?;
    let facts = ResponseFacts::read(response)?;
    facts.check_status()?;
    let assertion = find_assertion(&document, response)?;
    xml::check_ids(&document, ID).map_err(malformed)?;
    let signatures = Signatures::find(&document, response, assertion)?;
    let verify = |element, signature| {
        xml::verify_enveloped(element, signature, ID, keys)
            .map_err(|error| Rejection::new(ReasonCode::Signature, error.to_string()))
    };
    // Each present signature must be valid, also that of a response with a signed assertion.
    let signed_response = signatures.response.map(|signature| verify(response, signature));
    let signed_response = signed_response.transpose()?;
    let signed_assertion = signatures.assertion.map(|signature| verify(assertion, signature));
    let signed_assertion = signed_assertion.transpose()?;
    let response = match &signed_response {
        None => facts,
        Some(canonical) => {
            let text = XmlText::new(canonical).map_err(malformed)?;
            let document = text.parse().map_err(malformed)?;
            ResponseFacts::read(find_response(&document)?)?
        }
    };
    response.check_status()?;
    let signed = signed_assertion.or(signed_response);
    let signed = signed.ok_or_else(|| signature_error("the response has no signature"))?;
    Ok(VerifiedEnvelope { response, signed })
}

/// Returns the root element, which must be a SAML 2.0 response.
fn find_response<'a, 'input>(
    document: &'a Document<'input>,
) -> Result<Node<'a, 'input>, Rejection> {
    let root = document.root_element();
    if !schema::is_protocol(root, "Response") {
        return Err(format_error("the document is not a SAML 2.0 response"));
    }
    match root.attribute("Version") {
        Some("2.0") => Ok(root),
        _ => Err(format_error("the version of the response must be 2.0")),
    }
}

/// Checks that no part of the response is encrypted.
fn check_not_encrypted(document: &Document<'_>) -> Result<(), Rejection> {
    let names = document.descendants().map(|node| node.tag_name().name());
    match names.into_iter().find(|name| ENCRYPTED_ELEMENTS.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Rejection::new(
            ReasonCode::Encrypted,
            format!("the response contains {name}; disable encryption at the identity provider"),
        )),
    }
}

/// Returns the only assertion. Checks that the response contains nothing unexpected, and that no
/// other assertion or response is anywhere in the document.
fn find_assertion<'a, 'input>(
    document: &'a Document<'input>,
    response: Node<'a, 'input>,
) -> Result<Node<'a, 'input>, Rejection> {
    let count =
        |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
    if count("Response") != 1 {
        return Err(format_error("the document must contain exactly one Response"));
    }
    if count("Assertion") != 1 {
        return Err(format_error("the document must contain exactly one Assertion"));
    }
    let children = schema::children_with_comments(response)?;
    for child in &children {
        let is_known = schema::is_protocol(*child, "Status")
            || schema::is_protocol(*child, "Extensions")
            || schema::is_assertion(*child, "Issuer")
            || schema::is_assertion(*child, "Assertion")
            || child.has_tag_name((DSIG_NAMESPACE, "Signature"));
        if !is_known {
            let name = quote(child.tag_name().name());
            return Err(format_error(format!("the response contains the unknown element {name}")));
        }
    }
    let assertion = children.into_iter().find(|node| schema::is_assertion(*node, "Assertion"));
    assertion.ok_or_else(|| format_error("the Assertion must be a child of the Response"))
}

/// The signature elements of a response.
struct Signatures<'a, 'input> {
    response: Option<Node<'a, 'input>>,
    assertion: Option<Node<'a, 'input>>,
}

impl<'a, 'input> Signatures<'a, 'input> {
    /// Finds the signatures. Checks that each is a child of the response or the assertion, at most
    /// one of each, and at least one in total.
    fn find(
        document: &'a Document<'input>,
        response: Node<'a, 'input>,
        assertion: Node<'a, 'input>,
    ) -> Result<Self, Rejection> {
        let mut signatures = Self { response: None, assertion: None };
        let is_signature = |node: &Node<'_, '_>| node.tag_name().name() == "Signature";
        for signature in document.descendants().filter(is_signature) {
            let place = match signature.parent() {
                parent if parent == Some(response) => &mut signatures.response,
                parent if parent == Some(assertion) => &mut signatures.assertion,
                _ => return Err(signature_error("a signature is in an unexpected place")),
            };
            if place.replace(signature).is_some() {
                return Err(signature_error("an element has more than one signature"));
            }
        }
        match signatures.response.or(signatures.assertion) {
            Some(_) => Ok(signatures),
            None => Err(signature_error(
                "neither the response nor the assertion is signed; enable signatures at the \
                 identity provider",
            )),
        }
    }
}

/// Returns a rejection with the code `Format` for an error of the XML.
fn malformed(error: XmlError) -> Rejection {
    format_error(error.to_string())
}

/// Returns a rejection with the code `Format`.
fn format_error(reason: impl AsRef<str>) -> Rejection {
    Rejection::new(ReasonCode::Format, reason)
}

/// Returns a rejection with the code `Signature`.
fn signature_error(reason: &str) -> Rejection {
    Rejection::new(ReasonCode::Signature, reason)
}
