//! Verification of enveloped XML signatures with RSA: a narrow profile of XML Signature 1.1.
//!
//! Accepted are exclusive canonicalization without comments, RSA with PKCS#1 padding, SHA-256, 384
//! or 512, and one reference to the parent of the signature. The key information in a signature is
//! never read.

use std::collections::BTreeSet;
use std::fmt;

use aws_lc_rs::digest;
use aws_lc_rs::rsa::PublicKey;
use aws_lc_rs::signature as rsa;
use aws_lc_rs::signature::RsaParameters;
use aws_lc_rs::signature::UnparsedPublicKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roxmltree::Document;
use roxmltree::Node;

use super::c14n::canonicalize;
use super::lexical::is_space;
use super::tree::XmlText;
use super::tree::element_children;
use super::tree::text_content;
use super::xml_error::XmlError;
use crate::crypto::constant_time_eq;

/// Namespace of XML signatures.
pub const DSIG_NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
/// Exclusive canonicalization without comments, which is also the namespace of its parameters.
const EXCLUSIVE_C14N: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
/// The transform that removes the signature from the signed element.
const ENVELOPED_SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/// Maximum number of prefixes in a PrefixList.
const MAX_PREFIXES: usize = 16;
/// Range of key sizes in bits.
pub const RSA_KEY_BITS: std::ops::RangeInclusive<u32> = 2_048..=8_192;

/// An RSA public key of 2,048 to 8,192 bits.
#[derive(Clone, PartialEq, Eq)]
pub struct RsaPublicKey {
    /// The key as `RSAPublicKey` (RFC 8017) in DER.
    pkcs1_der: Vec<u8>,
}

/// Reason why a public key cannot verify signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// The bytes are not an RSA public key.
    NotRsa,
    /// The key has this number of bits, which is outside of [`RSA_KEY_BITS`].
    Size(u32),
}

impl RsaPublicKey {
    /// Reads a key from an `RSAPublicKey` (RFC 8017) or a `SubjectPublicKeyInfo` (RFC 5280) in DER.
    ///
    /// # Errors
    /// The bytes are not an RSA key, or its size is outside of [`RSA_KEY_BITS`].
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let key = PublicKey::from_der(der).map_err(|_| KeyError::NotRsa)?;
        let pkcs1_der = key.as_ref().to_vec();
        let bits = RsaParameters::public_modulus_len(&pkcs1_der).map_err(|_| KeyError::NotRsa)?;
        match RSA_KEY_BITS.contains(&bits) {
            true => Ok(Self { pkcs1_der }),
            false => Err(KeyError::Size(bits)),
        }
    }
}

impl fmt::Debug for RsaPublicKey {
    /// Writes the type alone, because the key is long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RsaPublicKey")
    }
}

/// Checks the identifiers of a document: values of the attribute `id_name` are unique, and no element
/// has another spelling of it, such as `xml:id`. Elements of signatures may have the attribute `Id`,
/// which nothing refers to.
///
/// # Errors
/// Two elements have the same identifier, or an element has an attribute that other programs could
/// take for an identifier.
pub fn check_ids(document: &Document<'_>, id_name: &str) -> Result<(), XmlError> {
    let mut ids = BTreeSet::new();
    for element in document.descendants().filter(Node::is_element) {
        let in_signature = element.tag_name().namespace() == Some(DSIG_NAMESPACE);
        for attribute in element.attributes() {
            if !attribute.name().eq_ignore_ascii_case("id") {
                continue;
            }
            let wanted = if in_signature { "Id" } else { id_name };
            if attribute.namespace().is_some() || attribute.name() != wanted {
                return Err(XmlError::new("an element has an identifier in an unusual spelling"));
            }
            if !in_signature && !ids.insert(attribute.value()) {
                return Err(XmlError::new("two elements have the same identifier"));
            }
        }
    }
    Ok(())
}

/// Verifies an enveloped signature of `element`. `signature` is one of its child elements, and
/// `id_name` the attribute with the identifier of `element`. One of the keys must have made the
/// signature.
///
/// Returns the signed bytes: the canonical form of `element` without the signature. Callers read
/// nothing else of the element.
///
/// # Errors
/// The signature is outside of the profile of this module, or is not valid.
pub fn verify_enveloped(
    element: Node<'_, '_>,
    signature: Node<'_, '_>,
    id_name: &str,
    keys: &[RsaPublicKey],
) -> Result<String, XmlError> {
    let parts = SignatureParts::read(element, signature)?;
    let prefixes = canonicalization_prefixes(parts.signed_info)?;
    let canonical = canonicalize(parts.signed_info, &prefixes, None)?;
    // Only these bytes are signed, so that nothing of the original element is used from here on.
    let text = XmlText::new(&canonical)?;
    let document = text.parse()?;
    let signed_info = SignedInfo::read(document.root_element())?;
    if signed_info.uri.strip_prefix('#') != element.attribute(id_name).filter(|id| !id.is_empty()) {
        return Err(XmlError::new("the signature refers to another element"));
    }
    let is_signed = keys.iter().any(|key| {
        let key = UnparsedPublicKey::new(signed_info.algorithm, &key.pkcs1_der);
        key.verify(canonical.as_bytes(), &parts.value).is_ok()
    });
    if !is_signed {
        return Err(XmlError::new("no configured certificate has made the signature"));
    }
    let signed = canonicalize(element, &signed_info.prefixes, Some(signature.id()))?;
    let digest = digest::digest(signed_info.digest_algorithm, signed.as_bytes());
    match constant_time_eq(digest.as_ref(), &signed_info.digest) {
        true => Ok(signed),
        false => Err(XmlError::new("the signed element was changed after it was signed")),
    }
}

/// The parts of a signature element.
struct SignatureParts<'a, 'input> {
    signed_info: Node<'a, 'input>,
    /// Decoded signature value.
    value: Vec<u8>,
}

impl<'a, 'input> SignatureParts<'a, 'input> {
    /// Reads the parts of a signature of `element`.
    fn read(element: Node<'a, 'input>, signature: Node<'a, 'input>) -> Result<Self, XmlError> {
        if signature.parent() != Some(element) || !is_named(signature, "Signature") {
            return Err(XmlError::new("the signature is not a child of the signed element"));
        }
        if signature.descendants().any(|node| node.is_comment()) {
            return Err(XmlError::new("the signature contains a comment"));
        }
        check_attributes(signature, &[], &["Id"])?;
        let children = element_children(signature)?;
        let (signed_info, value) = match children[..] {
            [signed_info, value] => (signed_info, value),
            [signed_info, value, key_info] if is_named(key_info, "KeyInfo") => (signed_info, value),
            _ => return Err(XmlError::new("the signature has missing or unexpected parts")),
        };
        if !is_named(signed_info, "SignedInfo") || !is_named(value, "SignatureValue") {
            return Err(XmlError::new("the signature has missing or unexpected parts"));
        }
        check_attributes(value, &[], &["Id"])?;
        Ok(Self { signed_info, value: decode_base64(value)? })
    }
}

/// The content of a `SignedInfo` element.
struct SignedInfo<'a> {
    algorithm: &'static RsaParameters,
    /// Reference to the signed element: `#` and its identifier.
    uri: &'a str,
    /// PrefixList of the canonicalization of the signed element.
    prefixes: Vec<&'a str>,
    digest_algorithm: &'static digest::Algorithm,
    digest: Vec<u8>,
}

impl<'a> SignedInfo<'a> {
    /// Reads a `SignedInfo` element with exactly the parts of the profile.
    fn read(signed_info: Node<'a, '_>) -> Result<Self, XmlError> {
        check_attributes(signed_info, &[], &["Id"])?;
        canonicalization_prefixes(signed_info)?;
        let [_, method, reference] = named_children(
            signed_info,
            ["CanonicalizationMethod", "SignatureMethod", "Reference"],
        )?;
        let algorithm = signature_algorithm(read_algorithm(method)?)?;
        check_empty(method)?;
        check_attributes(reference, &["URI"], &["Id"])?;
        let [transforms, method, value] =
            named_children(reference, ["Transforms", "DigestMethod", "DigestValue"])?;
        let digest_algorithm = digest_algorithm(read_algorithm(method)?)?;
        check_empty(method)?;
        check_attributes(value, &[], &[])?;
        Ok(Self {
            algorithm,
            uri: reference.attribute("URI").unwrap_or_default(),
            prefixes: transform_prefixes(transforms)?,
            digest_algorithm,
            digest: decode_base64(value)?,
        })
    }
}

/// Returns the PrefixList of the canonicalization of a `SignedInfo` element itself.
fn canonicalization_prefixes<'a>(signed_info: Node<'a, '_>) -> Result<Vec<&'a str>, XmlError> {
    let method = element_children(signed_info)?.into_iter().next();
    let method = method.filter(|method| is_named(*method, "CanonicalizationMethod"));
    let method = method.ok_or_else(|| XmlError::new("CanonicalizationMethod is missing"))?;
    exclusive_c14n_prefixes(method)
}

/// Returns the PrefixList of the transforms, which must be those of the profile in its order.
fn transform_prefixes<'a>(transforms: Node<'a, '_>) -> Result<Vec<&'a str>, XmlError> {
    check_attributes(transforms, &[], &[])?;
    let [enveloped, exclusive] = named_children(transforms, ["Transform", "Transform"])?;
    check_empty(enveloped)?;
    if read_algorithm(enveloped)? != ENVELOPED_SIGNATURE {
        return Err(XmlError::new("the first transform must be enveloped-signature"));
    }
    exclusive_c14n_prefixes(exclusive)
}

/// Returns the PrefixList of an element that selects exclusive canonicalization.
fn exclusive_c14n_prefixes<'a>(method: Node<'a, '_>) -> Result<Vec<&'a str>, XmlError> {
    if read_algorithm(method)? != EXCLUSIVE_C14N {
        return Err(XmlError::new("the canonicalization must be exclusive and without comments"));
    }
    let children = element_children(method)?;
    let parameters = match children[..] {
        [] => return Ok(Vec::new()),
        [parameters] => parameters,
        _ => return Err(XmlError::new("the canonicalization has several parameters")),
    };
    if !parameters.has_tag_name((EXCLUSIVE_C14N, "InclusiveNamespaces")) {
        return Err(XmlError::new("the canonicalization has an unknown parameter"));
    }
    check_attributes(parameters, &["PrefixList"], &[])?;
    check_empty(parameters)?;
    let list = parameters.attribute("PrefixList").unwrap_or_default();
    let prefixes = list.split(is_space).filter(|prefix| !prefix.is_empty());
    let prefixes: Vec<&str> =
        prefixes.map(|prefix| if prefix == "#default" { "" } else { prefix }).collect();
    match prefixes.len() > MAX_PREFIXES {
        true => Err(XmlError::new(format!("a PrefixList has more than {MAX_PREFIXES} prefixes"))),
        false => Ok(prefixes),
    }
}

/// Returns the algorithm of `SignatureMethod`.
fn signature_algorithm(uri: &str) -> Result<&'static RsaParameters, XmlError> {
    match uri {
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" => Ok(&rsa::RSA_PKCS1_2048_8192_SHA256),
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384" => Ok(&rsa::RSA_PKCS1_2048_8192_SHA384),
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" => Ok(&rsa::RSA_PKCS1_2048_8192_SHA512),
        _ => Err(XmlError::new(format!(
            "the signature algorithm must be RSA with SHA-256, SHA-384 or SHA-512, not {uri}"
        ))),
    }
}

/// Returns the algorithm of `DigestMethod`.
fn digest_algorithm(uri: &str) -> Result<&'static digest::Algorithm, XmlError> {
    match uri {
        "http://www.w3.org/2001/04/xmlenc#sha256" => Ok(&digest::SHA256),
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => Ok(&digest::SHA384),
        "http://www.w3.org/2001/04/xmlenc#sha512" => Ok(&digest::SHA512),
        _ => Err(XmlError::new(format!(
            "the digest algorithm must be SHA-256, SHA-384 or SHA-512, not {uri}"
        ))),
    }
}

/// Checks that an element contains nothing but white space.
fn check_empty(element: Node<'_, '_>) -> Result<(), XmlError> {
    match element_children(element)?.is_empty() {
        true => Ok(()),
        false => Err(XmlError::new(format!("{} must be empty", element.tag_name().name()))),
    }
}

/// Returns the attribute `Algorithm`, which must be the only attribute.
fn read_algorithm<'a>(element: Node<'a, '_>) -> Result<&'a str, XmlError> {
    check_attributes(element, &["Algorithm"], &[])?;
    Ok(element.attribute("Algorithm").unwrap_or_default())
}

/// Checks that an element has the required attributes and no others than the optional ones.
fn check_attributes(
    element: Node<'_, '_>,
    required: &[&str],
    optional: &[&str],
) -> Result<(), XmlError> {
    let is_known = element.attributes().all(|attribute| {
        let name = attribute.name();
        attribute.namespace().is_none() && (required.contains(&name) || optional.contains(&name))
    });
    match is_known && required.iter().all(|name| element.has_attribute(*name)) {
        true => Ok(()),
        false => Err(XmlError::new(format!(
            "{} has missing or unexpected attributes",
            element.tag_name().name()
        ))),
    }
}

/// Returns the child elements, which must have exactly these names in the namespace of signatures.
fn named_children<'a, 'input, const N: usize>(
    element: Node<'a, 'input>,
    names: [&str; N],
) -> Result<[Node<'a, 'input>; N], XmlError> {
    let children = element_children(element)?;
    let is_expected = children.iter().zip(names).all(|(child, name)| is_named(*child, name));
    let children = <[Node<'a, 'input>; N]>::try_from(children).ok().filter(|_| is_expected);
    children.ok_or_else(|| {
        XmlError::new(format!("{} has missing or unexpected parts", element.tag_name().name()))
    })
}

/// Returns whether an element has this name in the namespace of signatures.
fn is_named(element: Node<'_, '_>, name: &str) -> bool {
    element.has_tag_name((DSIG_NAMESPACE, name))
}

/// Decodes the text of an element as base64. Ignores white space.
fn decode_base64(element: Node<'_, '_>) -> Result<Vec<u8>, XmlError> {
    let text: String = text_content(element)?.chars().filter(|char| !is_space(*char)).collect();
    STANDARD
        .decode(text)
        .map_err(|_| XmlError::new(format!("{} is not base64", element.tag_name().name())))
}
