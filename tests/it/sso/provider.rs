//! An identity provider for tests. It writes canonical XML, so that it needs no canonicalization.

use std::time::Duration;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::encoding::Pkcs8V1Der;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_platform::time::Timestamp;
use rustls::pki_types::PrivatePkcs8KeyDer;

use super::ACS_URL;
use super::BASE_URL;

/// An identity provider with its key.
pub struct TestProvider {
    pub entity_id: String,
    key: KeyPair,
    /// Certificate in DER format.
    certificate: Vec<u8>,
}

/// The statements of an assertion. Tests change single fields of [`TestProvider::statements`].
#[derive(Clone)]
pub struct Statements {
    pub id: String,
    pub issuer: String,
    pub audience: String,
    pub recipient: String,
    pub destination: String,
    pub name_id: String,
    pub in_response_to: Option<String>,
    /// Time from which the assertion is invalid.
    pub expires: Timestamp,
    /// End of the session at the identity provider.
    pub session_end: Option<Timestamp>,
    pub status: &'static str,
    pub attributes: Vec<(&'static str, String)>,
}

impl TestProvider {
    /// Creates a provider with a new key.
    pub fn new(entity_id: &str) -> Self {
        let key = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let private_key: Pkcs8V1Der<'_> = key.as_der().unwrap();
        let signer = rcgen::KeyPair::from_pkcs8_der_and_sign_algo(
            &PrivatePkcs8KeyDer::from(private_key.as_ref()),
            &rcgen::PKCS_RSA_SHA256,
        );
        let certificate = rcgen::CertificateParams::default().self_signed(&signer.unwrap());
        let certificate = certificate.unwrap().der().to_vec();
        Self { entity_id: entity_id.to_owned(), key, certificate }
    }

    /// Returns the certificate in PEM format.
    pub fn certificate_pem(&self) -> String {
        let text = STANDARD.encode(&self.certificate);
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
    }

    /// Returns the statements of an honest assertion about a person with this name in lower case as
    /// the local part of the address and as `uid`.
    pub fn statements(&self, name: &str, in_response_to: Option<&str>) -> Statements {
        let login = name.to_lowercase();
        let mut random = [0; 8];
        aws_lc_rs::rand::fill(&mut random).unwrap();
        Statements {
            id: format!("_{:016x}", u64::from_be_bytes(random)),
            issuer: self.entity_id.clone(),
            audience: BASE_URL.to_owned(),
            recipient: ACS_URL.to_owned(),
            destination: ACS_URL.to_owned(),
            name_id: format!("{login}-name-id"),
            in_response_to: in_response_to.map(str::to_owned),
            expires: Timestamp::now().saturating_add(Duration::from_mins(5)),
            session_end: None,
            status: "urn:oasis:names:tc:SAML:2.0:status:Success",
            attributes: vec![
                ("uid", format!("{login}-id")),
                ("email", format!("{login}@acme.example")),
                ("displayName", name.to_owned()),
            ],
        }
    }

    /// Returns the signed response with these statements in base64, as the form contains it.
    pub fn respond(&self, statements: &Statements) -> String {
        STANDARD.encode(self.respond_xml(statements))
    }

    /// Returns the signed response with these statements.
    pub fn respond_xml(&self, statements: &Statements) -> String {
        let (head, rest) = statements.assertion();
        let signature = self.sign(&statements.id, &format!("{head}{rest}"));
        let now = Timestamp::now();
        let in_response_to = statements.in_response_to_attribute();
        format!(
            "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
             Destination=\"{}\" ID=\"r{}\"{in_response_to} IssueInstant=\"{now}\" \
             Version=\"2.0\"><samlp:Status><samlp:StatusCode Value=\"{}\"></samlp:StatusCode>\
             </samlp:Status>{head}{signature}{rest}</samlp:Response>",
            statements.destination, statements.id, statements.status
        )
    }

    /// Returns the signature element of an element with this id and this canonical form.
    fn sign(&self, id: &str, canonical: &str) -> String {
        let digest = STANDARD.encode(digest::digest(&digest::SHA256, canonical.as_bytes()));
        let info = |namespace: &str| {
            format!(
                "<ds:SignedInfo{namespace}><ds:CanonicalizationMethod \
                 Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\">\
                 </ds:CanonicalizationMethod><ds:SignatureMethod \
                 Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\">\
                 </ds:SignatureMethod><ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform \
                 Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\">\
                 </ds:Transform><ds:Transform \
                 Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:Transform>\
                 </ds:Transforms><ds:DigestMethod \
                 Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod>\
                 <ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
            )
        };
        let signed = info(" xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"");
        let mut value = vec![0; self.key.public_modulus_len()];
        let random = SystemRandom::new();
        self.key.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut value).unwrap();
        format!(
            "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">{}\
             <ds:SignatureValue>{}</ds:SignatureValue></ds:Signature>",
            info(""),
            STANDARD.encode(value)
        )
    }
}

impl Statements {
    /// Returns the statements with another value of an attribute.
    pub fn with_attribute(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value.to_owned()));
        self
    }

    /// Returns the attribute `InResponseTo`, or nothing.
    fn in_response_to_attribute(&self) -> String {
        let attribute = |id: &String| format!(" InResponseTo=\"{id}\"");
        self.in_response_to.as_ref().map(attribute).unwrap_or_default()
    }

    /// Returns the canonical assertion in two parts: up to the place of the signature, and the rest.
    fn assertion(&self) -> (String, String) {
        let now = Timestamp::now();
        let head = format!(
            "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"{}\" \
             IssueInstant=\"{now}\" Version=\"2.0\"><saml:Issuer>{}</saml:Issuer>",
            self.id, self.issuer
        );
        let session_end = self.session_end.map(|end| format!(" SessionNotOnOrAfter=\"{end}\""));
        let attributes: String = self.attributes.iter().map(|(name, value)| format!(
            "<saml:Attribute Name=\"{name}\"><saml:AttributeValue>{value}</saml:AttributeValue>\
             </saml:Attribute>"
        )).collect();
        let rest = format!(
            "<saml:Subject><saml:NameID \
             Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\">{}</saml:NameID>\
             <saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\">\
             <saml:SubjectConfirmationData{} NotOnOrAfter=\"{expires}\" Recipient=\"{}\">\
             </saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>\
             <saml:Conditions NotBefore=\"{now}\" NotOnOrAfter=\"{expires}\">\
             <saml:AudienceRestriction><saml:Audience>{}</saml:Audience>\
             </saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement \
             AuthnInstant=\"{now}\"{}><saml:AuthnContext><saml:AuthnContextClassRef>\
             urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>\
             </saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>{attributes}\
             </saml:AttributeStatement></saml:Assertion>",
            self.name_id,
            self.in_response_to_attribute(),
            self.recipient,
            self.audience,
            session_end.unwrap_or_default(),
            expires = self.expires,
        );
        (head, rest)
    }
}
