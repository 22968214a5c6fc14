//! An identity provider that signs any text, also outside of the profile.

use std::sync::LazyLock;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use aws_lc_rs::signature::RsaEncoding;
use aws_lc_rs::signature::RsaKeyPair;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::features::sso::protocol::IdentityProvider;
use chartroom::features::sso::protocol::ReasonCode;
use chartroom::features::sso::protocol::Rejection;
use chartroom::features::sso::protocol::ServiceProvider;
use chartroom::features::sso::protocol::VerifiedAssertion;
use chartroom::features::sso::protocol::verify;
use chartroom_platform::time::Timestamp;
use chartroom_platform::xml;
use chartroom_platform::xml::RsaPublicKey;
use chartroom_platform::xml::XmlText;
use roxmltree::Node;

/// Entity id of the identity provider.
pub const ENTITY_ID: &str = "https://idp.example/metadata";
/// Time of all verifications: 2026-11-28T04:30:00Z.
pub const NOW: Timestamp = Timestamp(1_795_840_200_000);

/// A response without signatures.
pub const RESPONSE: &str = concat!(
    r#"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" "#,
    r#"xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r1" Version="2.0" "#,
    r#"IssueInstant="2026-11-28T04:30:00Z" Destination="https://charts.example/sso/saml2" "#,
    r#"InResponseTo="_q1"><saml:Issuer>https://idp.example/metadata</saml:Issuer><samlp:Status>"#,
    r#"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>"#,
    r#"<saml:Assertion ID="_a1" Version="2.0" IssueInstant="2026-11-28T04:30:00Z">"#,
    r#"<saml:Issuer>https://idp.example/metadata</saml:Issuer><saml:Subject>"#,
    r#"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">ann-1"#,
    r#"</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">"#,
    r#"<saml:SubjectConfirmationData InResponseTo="_q1" NotOnOrAfter="2026-11-28T04:35:00Z" "#,
    r#"Recipient="https://charts.example/sso/saml2"/></saml:SubjectConfirmation></saml:Subject>"#,
    r#"<saml:Conditions NotBefore="2026-11-28T04:29:00Z" NotOnOrAfter="2026-11-28T05:30:00Z">"#,
    r#"<saml:AudienceRestriction><saml:Audience>https://charts.example</saml:Audience>"#,
    r#"</saml:AudienceRestriction></saml:Conditions>"#,
    r#"<saml:AuthnStatement AuthnInstant="2026-11-28T04:30:00Z" "#,
    r#"SessionNotOnOrAfter="2026-11-28T12:30:00Z"/><saml:AttributeStatement>"#,
    r#"<saml:Attribute Name="email"><saml:AttributeValue>Ann@Acme.example</saml:AttributeValue>"#,
    r#"</saml:Attribute><saml:Attribute Name="displayName"><saml:AttributeValue>Ann Berg"#,
    r#"</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>"#,
    r#"</samlp:Response>"#
);

/// A signature. The signer fills in the reference, the digest and the value.
pub const SIGNATURE: &str = concat!(
    r#"<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>"#,
    r#"<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>"#,
    r#"<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>"#,
    r##"<ds:Reference URI="#{id}"><ds:Transforms><ds:Transform "##,
    r#"Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform "#,
    r#"Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod "#,
    r#"Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>{digest}"#,
    r#"</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>{value}"#,
    r#"</ds:SignatureValue></ds:Signature>"#
);

/// The hash functions of a signature.
#[derive(Clone, Copy)]
pub struct Hashes {
    /// Hash of the signed element.
    pub digest: &'static digest::Algorithm,
    /// Hash of the `SignedInfo` element.
    pub signature: &'static dyn RsaEncoding,
}

/// The hash functions of [`SIGNATURE`].
const SHA_256: Hashes = Hashes { digest: &digest::SHA256, signature: &RSA_PKCS1_SHA256 };

/// A key pair that signs responses.
pub struct TestIdp {
    key: RsaKeyPair,
}

/// The configured identity provider.
pub static IDP: LazyLock<TestIdp> = LazyLock::new(TestIdp::generate);
/// An identity provider that is not configured.
pub static STRANGER: LazyLock<TestIdp> = LazyLock::new(TestIdp::generate);

impl TestIdp {
    fn generate() -> Self {
        Self { key: RsaKeyPair::generate(KeySize::Rsa2048).unwrap() }
    }

    /// Returns the public key.
    pub fn public_key(&self) -> RsaPublicKey {
        RsaPublicKey::from_der(&self.public_der()).unwrap()
    }

    /// Returns the public key in DER.
    pub fn public_der(&self) -> Vec<u8> {
        AsDer::as_der(self.key.public_key()).unwrap().as_ref().to_vec()
    }

    /// Signs the only element with this local name, `Assertion` or `Response`.
    pub fn sign(&self, text: &str, name: &str) -> String {
        self.sign_as(text, name, SIGNATURE)
    }

    /// Signs with another signature element. The digest is that of the profile, without a PrefixList.
    pub fn sign_as(&self, text: &str, name: &str, signature: &str) -> String {
        self.sign_with(text, name, signature, SHA_256)
    }

    /// Signs like [`TestIdp::sign_as`] with other hash functions.
    pub fn sign_with(&self, text: &str, name: &str, signature: &str, hashes: Hashes) -> String {
        let source = XmlText::new(text).unwrap();
        let document = source.parse().unwrap();
        let element = document.descendants().find(|node| node.tag_name().name() == name).unwrap();
        let canonical = xml::canonicalize(element, &[], None).unwrap();
        let digest = STANDARD.encode(digest::digest(hashes.digest, canonical.as_bytes()));
        let id = element.attribute("ID").unwrap_or_default();
        let signature = signature.replace("{id}", id).replace("{digest}", &digest);
        let place = element.first_element_child().unwrap().range().end;
        let text = [&text[..place], &signature, &text[place..]].concat();
        self.fill_value(&text, hashes)
    }

    /// Replaces `{value}` by the signature of the `SignedInfo` before it.
    fn fill_value(&self, text: &str, hashes: Hashes) -> String {
        let source = XmlText::new(text).unwrap();
        let document = source.parse().unwrap();
        let is_open = |node: &Node<'_, '_>| node.is_text() && node.text() == Some("{value}");
        let value = document.descendants().find(is_open).unwrap().parent_element().unwrap();
        let signed_info = value.prev_sibling_element().unwrap();
        let bytes = xml::canonicalize(signed_info, &[], None).unwrap();
        let mut signature = vec![0; self.key.public_modulus_len()];
        let random = SystemRandom::new();
        self.key.sign(hashes.signature, &random, bytes.as_bytes(), &mut signature).unwrap();
        text.replace("{value}", &STANDARD.encode(signature))
    }
}

/// Returns a response with a signed assertion, after replacements in the unsigned text. Each text to
/// replace must occur.
pub fn signed_response(replacements: &[(&str, &str)]) -> String {
    IDP.sign(&replace_all(RESPONSE, replacements), "Assertion")
}

/// Replaces texts that must occur.
pub fn replace_all(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} does not occur");
        text.replace(from, to)
    })
}

/// Verifies a response with the configured identity provider.
pub fn verify_at(xml: &str, now: Timestamp) -> Result<VerifiedAssertion, Rejection> {
    let service_provider = ServiceProvider {
        audience: "https://charts.example".to_owned(),
        acs_url: "https://charts.example/sso/saml2".to_owned(),
    };
    let keys = vec![IDP.public_key()];
    let identity_provider = IdentityProvider { entity_id: ENTITY_ID.to_owned(), keys };
    verify(xml, &service_provider, &identity_provider, now)
}

/// Returns the assertion of a response that must be accepted.
pub fn accept(xml: &str) -> VerifiedAssertion {
    verify_at(xml, NOW).unwrap_or_else(|rejection| panic!("{rejection}:\n{xml}"))
}

/// Checks that a response is rejected with this code, and that the reason contains a text. The text
/// shows which check has rejected it.
pub fn reject(xml: &str, code: ReasonCode, reason: &str) {
    match verify_at(xml, NOW) {
        Ok(found) => panic!("accepted, expected {reason}: {found:?}\n{xml}"),
        Err(rejection) => {
            assert_eq!(rejection.code, code, "{rejection}, expected {reason}\n{xml}");
            assert!(rejection.reason.contains(reason), "{rejection}, expected {reason}\n{xml}");
        }
    }
}
