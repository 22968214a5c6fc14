//! Requests to the identity provider, and the metadata of the server.

use std::io::Read;
use std::io::Write;
use std::net::IpAddr;
use std::time::Duration;

use aws_lc_rs::signature::RSA_PKCS1_2048_8192_SHA256;
use aws_lc_rs::signature::UnparsedPublicKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::json;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use super::ACS_URL;
use super::BASE_URL;
use super::BegunSignIn;
use super::SIGN_IN_URL;
use super::SsoFixture;

/// Returns the XML of the request in the URL of an identity provider.
pub fn read_request(url: &str) -> String {
    let (_, query) = url.split_once('?').unwrap();
    let fields: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let (_, request) = fields.iter().find(|(name, _)| name == "SAMLRequest").unwrap();
    let mut xml = String::new();
    DeflateDecoder::new(&*STANDARD.decode(&**request).unwrap()).read_to_string(&mut xml).unwrap();
    xml
}

/// Returns the URL with a changed request. Its signature stays that of the original.
pub fn with_request(url: &str, change: impl Fn(&str) -> String) -> String {
    let xml = read_request(url);
    let changed = change(&xml);
    assert_ne!(changed, xml);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(changed.as_bytes()).unwrap();
    let request = super::encode(&STANDARD.encode(encoder.finish().unwrap()));
    let (head, rest) = url.split_once("SAMLRequest=").unwrap();
    let (_, rest) = rest.split_once('&').unwrap();
    format!("{head}SAMLRequest={request}&{rest}")
}

/// Returns whether the signature of a request verifies with the certificate of the metadata.
fn is_signed(fixture: &SsoFixture, url: &str) -> bool {
    let metadata = fixture.orgs.server.send("GET", "/sso/saml2", &[], "").text;
    let certificate = metadata.split("<ds:X509Certificate>").nth(1).unwrap();
    let certificate = certificate.split('<').next().unwrap();
    let certificate = Certificate::from_der(&STANDARD.decode(certificate).unwrap()).unwrap();
    let key = certificate.tbs_certificate().subject_public_key_info().subject_public_key.clone();
    let (signed, signature) = url.split_once("&Signature=").unwrap();
    // The sign-in URL of the fixture has a query.
    let signed = &signed[SIGN_IN_URL.len() + 1..];
    let signature = form_urlencoded::parse(format!("s={signature}").as_bytes())
        .map(|(_, value)| STANDARD.decode(&*value).unwrap())
        .next();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.raw_bytes())
        .verify(signed.as_bytes(), &signature.unwrap())
        .is_ok()
}

#[test]
fn a_request_is_signed_and_names_this_server() {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    assert!(begun.url.starts_with(&format!("{SIGN_IN_URL}&SAMLRequest=")), "{}", begun.url);
    assert!(is_signed(&fixture, &begun.url));
    // A changed character of the compressed request.
    let at = SIGN_IN_URL.len() + "&SAMLRequest=".len() + 40;
    let mut tampered = begun.url.clone();
    let other = if tampered.as_bytes()[at] == b'A' { "B" } else { "A" };
    tampered.replace_range(at..=at, other);
    assert!(!is_signed(&fixture, &tampered));

    let xml = read_request(&begun.url);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "AuthnRequest");
    let want = [
        ("ID", begun.id.as_str()),
        ("Version", "2.0"),
        ("Destination", SIGN_IN_URL),
        ("AssertionConsumerServiceURL", ACS_URL),
        ("ProtocolBinding", "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"),
    ];
    for (name, value) in want {
        assert_eq!(root.attribute(name), Some(value), "{name}");
    }
    assert_eq!(begun.id.len(), 33);
    assert!(begun.url.contains(&format!("&RelayState={}&SigAlg=", begun.id)), "{}", begun.url);
    let issuer = root.first_element_child().unwrap();
    assert_eq!((issuer.tag_name().name(), issuer.text()), ("Issuer", Some(BASE_URL)));
    // Each request has its own id, and the browser keeps its cookie.
    let headers = [("cookie", begun.cookie.as_str())];
    let path = "/sso/saml2/signin?email=vera@acme.example";
    let again = BegunSignIn::new(&fixture.orgs.server.send("GET", path, &headers, ""));
    assert_ne!(again.id, begun.id);
    assert_eq!(again.cookie, begun.cookie);
    assert_ne!(fixture.begin("vera@acme.example").cookie, begun.cookie);
}

#[test]
fn the_metadata_follow_the_profile_and_keep_their_key() {
    let fixture = SsoFixture::new();
    let metadata = fixture.orgs.server.send("GET", "/sso/saml2", &[], "");
    assert_eq!(metadata.status, 200);
    assert_eq!(metadata.header("content-type"), "application/samlmetadata+xml");
    let document = roxmltree::Document::parse(&metadata.text).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("entityID"), Some(BASE_URL));
    let (signature, service) =
        (root.first_element_child().unwrap(), root.last_element_child().unwrap());
    assert_eq!(signature.tag_name().name(), "Signature");
    assert_eq!(signature.next_sibling(), Some(service));
    assert_eq!(service.attribute("AuthnRequestsSigned"), Some("true"));
    assert_eq!(service.attribute("WantAssertionsSigned"), Some("true"));
    let children: Vec<_> = service.children().map(|child| child.tag_name().name()).collect();
    assert_eq!(children, ["KeyDescriptor", "NameIDFormat", "AssertionConsumerService"]);
    let consumer = service.last_element_child().unwrap();
    assert_eq!(consumer.attribute("Location"), Some(ACS_URL));
    let again = fixture.orgs.server.send("GET", "/sso/saml2", &[], "");
    assert_eq!(again.text, metadata.text);
}

#[test]
fn an_address_without_single_sign_on_shows_the_form_again() {
    let fixture = SsoFixture::new();
    let server = &fixture.orgs.server;
    let form = server.send("GET", "/sso/saml2/signin", &[], "");
    assert_eq!(form.status, 200);
    assert!(form.text.contains("action=\"/sso/saml2/signin\""), "{}", form.text);
    for address in ["vera@other.example", "vera", "", "vera@", "@acme.example.evil", "%00@x"] {
        let refused = server.submit_form("/sso/saml2/signin", &format!("email={address}"));
        assert_eq!(refused.status, 400, "{address}");
        assert!(refused.text.contains("No organization with single sign-on"), "{}", refused.text);
        assert_eq!(refused.headers("set-cookie"), [""; 0]);
    }
    let redirect = server.submit_form("/sso/saml2/signin", "email=VERA%40Acme.Example");
    assert_eq!(redirect.status, 303, "{}", redirect.text);
    // A page of another site cannot begin a sign-in with its own address.
    let headers =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let body = "email=vera%40acme.example";
    assert_eq!(server.send("POST", "/sso/saml2/signin", &headers, body).status, 403);
    // Neither a downgraded plan nor a removed domain leads to the identity provider.
    server.execute_sql("update org set plan = 'team'");
    assert_eq!(server.submit_form("/sso/saml2/signin", body).status, 400);
    server.execute_sql("update org set plan = 'education'");
    assert_eq!(server.submit_form("/sso/saml2/signin", body).status, 303);
    server.execute_sql("update domain set status = 'pending'");
    assert_eq!(server.submit_form("/sso/saml2/signin", body).status, 400);
}

#[test]
fn only_an_admin_can_test_the_settings() {
    let fixture = SsoFixture::new();
    let server = &fixture.orgs.server;
    let path = "/sso/saml2/signin?test=acme";
    let status = |user: &str| {
        let authorization = fixture.orgs.authorization(user);
        server.send("GET", path, &[("authorization", authorization)], "").status
    };
    assert_eq!(server.send("GET", path, &[], "").status, 401);
    assert_eq!([status("Ann"), status("Ben"), status("Dan")], [303, 403, 404]);
    server.execute_sql("update org set plan = 'team'");
    assert_eq!(status("Ann"), 403, "a plan without single sign-on");
    server.execute_sql("update org set plan = 'enterprise'");

    let headers = [("authorization", fixture.orgs.authorization("Ann"))];
    let begun = BegunSignIn::new(&server.send("GET", path, &headers, ""));
    let statements = fixture.provider.statements("Vera", Some(&begun.id));
    let tested = fixture.post(&statements.with_attribute("department", "R&amp;D <1>".trim()));
    // The value above is not well-formed.
    assert_eq!(tested.status, 400, "{}", tested.text);
    let statements = fixture.provider.statements("Vera", Some(&begun.id));
    let tested = fixture.post(&statements.with_attribute("department", "R&amp;D"));
    assert_eq!(tested.status, 200, "{}", tested.text);
    for text in ["vera-id", "vera@acme.example", "department", "R&#38;D"] {
        assert!(tested.text.contains(text), "{text}: {}", tested.text);
    }
    assert_eq!(tested.headers("set-cookie"), [""; 0]);
    let people = fixture.orgs.request_org("Ann", "GET", "/users?q=vera", json!(null));
    assert!(!people.text.contains("vera@"), "{}", people.text);
    let settings = fixture.orgs.request_org("Ann", "GET", "/sso", json!(null)).json();
    assert!(settings["last_sign_in"].is_string(), "{settings}");
}

#[test]
fn unfinished_sign_ins_are_bounded_and_shared_fairly() {
    const MAX_REQUESTS: usize = 4096;
    let fixture = SsoFixture::new();
    let limits = &fixture.orgs.server.app.rate_limits;
    let reserve = |ip: [u8; 4], id: &str| {
        limits
            .reserve_sso_request(IpAddr::from(ip), id.to_owned(), Duration::from_mins(10))
            .unwrap()
    };
    // Another client has most unfinished sign-ins. The oldest of them is stored.
    let first = fixture.begin("vera@acme.example");
    limits.release_sso_request(IpAddr::from([127, 0, 0, 1]), &first.id);
    let other_client = [10, 0, 0, 1];
    assert_eq!(reserve(other_client, &first.id), None);
    for number in 1..MAX_REQUESTS {
        assert_eq!(reserve(other_client, &number.to_string()), None);
    }
    let second = fixture.begin("vera@acme.example");
    let respond =
        |begun: &BegunSignIn| fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    fixture.assert_rejected(&respond(&first), 403, "request");
    assert_eq!(respond(&second).status, 303);
    // The finished sign-in has freed its slot.
    assert_eq!(reserve([10, 0, 0, 2], "other"), None);
    assert_eq!(reserve([10, 0, 0, 3], "other"), Some("1".to_owned()));
}

#[test]
fn a_client_with_most_unfinished_sign_ins_waits() {
    let fixture = SsoFixture::new();
    let limits = &fixture.orgs.server.app.rate_limits;
    let ip = IpAddr::from([127, 0, 0, 1]);
    while limits.reserve_sso_request(ip, String::new(), Duration::from_mins(10)).is_ok() {}
    let path = "/sso/saml2/signin?email=vera@acme.example";
    let refused = fixture.orgs.server.send("GET", path, &[], "");
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
}
