//! Complete sign-ins with pysaml2 as the identity provider.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::SsoFixture;
use super::requests;

/// Entity id of the identity provider.
const ENTITY_ID: &str = "https://pysaml2.example/idp";
/// Its sign-in URL.
const SIGN_IN_URL: &str = "https://pysaml2.example/login";

/// Lets pysaml2 answer the request in a URL. Returns the response in base64, or `refused`.
fn answer(folder: &Path, url: &str, signed: &str, name: &str) -> String {
    let python = std::env::var("TEST_PYTHON").expect("TEST_PYTHON names a Python with pysaml2");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sso/pysaml2_idp.py");
    let output = Command::new(python)
        .args([script])
        .arg(folder)
        .args([ENTITY_ID, url, signed, name])
        .output();
    let output = output.unwrap();
    let (text, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    eprint!("{errors}");
    text.trim().to_owned()
}

/// Checks with xmlsec1 that the metadata in `sp.xml` are signed by the key of their certificate, and that a
/// change is noticed.
fn check_metadata_signature(folder: &Path) {
    let metadata = fs::read_to_string(folder.join("sp.xml")).unwrap();
    let certificate = metadata.split("X509Certificate>").nth(1).unwrap();
    let certificate = certificate.strip_suffix("</ds:").unwrap();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n");
    fs::write(folder.join("sp.crt"), pem).unwrap();
    let changed = metadata.replace("index=\"0\"", "index=\"1\"");
    assert_ne!(changed, metadata);
    for (text, is_valid) in [(&metadata, true), (&changed, false)] {
        fs::write(folder.join("checked.xml"), text).unwrap();
        let verified = Command::new("xmlsec1")
            .args(["--verify", "--id-attr:ID", "EntityDescriptor", "--pubkey-cert-pem"])
            .args([folder.join("sp.crt"), folder.join("checked.xml")])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&verified.stderr);
        assert_eq!(verified.status.success(), is_valid, "{errors}");
    }
}

#[test]
#[ignore = "needs pysaml2, xmlsec1 and openssl"]
fn people_sign_in_with_pysaml2() {
    let fixture = SsoFixture::without_settings();
    let server = &fixture.orgs.server;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let created = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=i"])
        .args(["-keyout".as_ref(), file("idp.key").as_os_str()])
        .args(["-out".as_ref(), file("idp.crt").as_os_str()])
        .output();
    assert!(created.unwrap().status.success());
    let settings = json!({
        "entity_id": ENTITY_ID,
        "certificate": fs::read_to_string(file("idp.crt")).unwrap(),
        "sign_in_url": SIGN_IN_URL,
    });
    let stored = fixture.orgs.request_org("Ann", "PUT", "/sso", settings);
    assert_eq!(stored.status, 200, "{}", stored.text);
    fs::write(file("sp.xml"), server.send("GET", "/sso/saml2", &[], "").text).unwrap();

    check_metadata_signature(folder.path());

    for (signed, name) in [("assertion", "Vera"), ("response", "Mona"), ("both", "Nina")] {
        let begun = fixture.begin(&format!("{}@acme.example", name.to_lowercase()));
        let response = answer(folder.path(), &begun.url, signed, name);
        let accepted = fixture.post_base64(&response);
        let user = fixture.user(&fixture.finish(&accepted, &begun.cookie).cookie());
        assert_eq!(user["name"], name, "{signed}: {user}");
        // The same response again.
        fixture.assert_rejected(&fixture.post_base64(&response), 403, "replay");
    }

    // A request that was changed on its way has a wrong signature.
    let begun = fixture.begin("vera@acme.example");
    let tampered = requests::with_request(&begun.url, |xml| {
        xml.replace("AllowCreate=\"true\"", "AllowCreate=\"false\"")
    });
    assert_eq!(answer(folder.path(), &tampered, "both", "Vera"), "refused");
    let (unsigned, _) = begun.url.split_once("&Signature=").unwrap();
    let garbage = format!("{unsigned}&Signature=AAAA");
    assert_eq!(answer(folder.path(), &garbage, "both", "Vera"), "refused");
}
