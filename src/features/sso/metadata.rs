//! The signed metadata of this server as a service provider.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::key::RequestKey;
use super::request;
use super::request::ACS_PATH;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::xml::DSIG_NAMESPACE;

/// Value of the attribute `ID` of the root element, which the signature refers to.
const ID: &str = "metadata";
const EXCLUSIVE_C14N: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// Builds the metadata (SAML metadata 2.4.4) with an enveloped signature (RSA with SHA-256).
///
/// # Errors
/// `Internal` if the metadata cannot be signed.
pub fn build(key: &RequestKey, base_url: &str) -> Result<String> {
    let certificate = STANDARD.encode(&key.certificate);
    let (start, content) = build_descriptor(base_url, &certificate);
    let digest = STANDARD.encode(crypto::sha256(format!("{start}{content}").as_bytes()));
    let signed_info = build_signed_info(&digest);
    let signature = STANDARD.encode(key.sign(&signed_info)?);
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{start}\
         <ds:Signature xmlns:ds=\"{DSIG_NAMESPACE}\">{signed_info}\
         <ds:SignatureValue>{signature}</ds:SignatureValue>\
         <ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate>\
         </ds:X509Data></ds:KeyInfo></ds:Signature>{content}\n"
    ))
}

/// Returns the start tag of the root element, and the rest of the element. Together they are already
/// canonical as of [`EXCLUSIVE_C14N`]: sorted attributes, no empty-element tags, and each namespace
/// declared where it is used.
fn build_descriptor(base_url: &str, certificate: &str) -> (String, String) {
    let base = request::escape(base_url);
    let start = format!(
        "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" ID=\"{ID}\" \
         entityID=\"{base}\">"
    );
    let content = format!(
        "<md:SPSSODescriptor AuthnRequestsSigned=\"true\" WantAssertionsSigned=\"true\" \
         protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">\
         <md:KeyDescriptor use=\"signing\"><ds:KeyInfo xmlns:ds=\"{DSIG_NAMESPACE}\"><ds:X509Data>\
         <ds:X509Certificate>{certificate}</ds:X509Certificate>\
         </ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\
         <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>\
         <md:AssertionConsumerService \
         Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" \
         Location=\"{base}{ACS_PATH}\" index=\"0\" isDefault=\"true\"></md:AssertionConsumerService>\
         </md:SPSSODescriptor></md:EntityDescriptor>"
    );
    (start, content)
}

/// Returns the signed part of the signature, also in its canonical form.
fn build_signed_info(digest: &str) -> String {
    format!(
        "<ds:SignedInfo xmlns:ds=\"{DSIG_NAMESPACE}\">\
         <ds:CanonicalizationMethod Algorithm=\"{EXCLUSIVE_C14N}\"></ds:CanonicalizationMethod>\
         <ds:SignatureMethod \
         Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"></ds:SignatureMethod>\
         <ds:Reference URI=\"#{ID}\"><ds:Transforms>\
         <ds:Transform \
         Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>\
         <ds:Transform Algorithm=\"{EXCLUSIVE_C14N}\"></ds:Transform></ds:Transforms>\
         <ds:DigestMethod \
         Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod>\
         <ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
    )
}
