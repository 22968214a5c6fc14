//! Responses with a structure that an attacker has changed: signature wrapping, identifiers, syntax.

use chartroom::features::sso::protocol::ReasonCode;
use chartroom::features::sso::protocol::decode_response;
use chartroom::features::sso::protocol::unverified_issuer;

use super::test_idp::ENTITY_ID;
use super::test_idp::IDP;
use super::test_idp::RESPONSE;
use super::test_idp::SIGNATURE;
use super::test_idp::STRANGER;
use super::test_idp::accept;
use super::test_idp::reject;
use super::test_idp::replace_all;
use super::test_idp::signed_response;

/// Returns the source of the assertion in a response.
fn assertion_of(response: &str) -> &str {
    let start = response.find("<saml:Assertion").unwrap();
    let end = response.find("</saml:Assertion>").unwrap() + "</saml:Assertion>".len();
    &response[start..end]
}

/// Returns an unsigned assertion for another user.
fn forged() -> String {
    let changes = [("ann-1", "eve"), ("Ann@Acme.example", "eve@acme.example"), ("_a1", "_evil")];
    replace_all(assertion_of(RESPONSE), &changes)
}

/// Puts the parts into the place of the assertion.
fn with_content(response: &str, content: &str) -> String {
    response.replace(assertion_of(response), content)
}

#[test]
fn a_second_assertion_is_rejected_in_every_position() {
    for part in ["Assertion", "Response"] {
        let honest = IDP.sign(RESPONSE, part);
        accept(&honest);
        let signed = assertion_of(&honest);
        let forged = forged();
        let nested = |open: &str, close: &str| {
            forged.replace("</saml:Assertion>", &format!("{open}{signed}{close}</saml:Assertion>"))
        };
        let in_signature = |open: &str, close: &str| {
            let signature = SIGNATURE
                .replace("</ds:Signature>", &format!("{open}{signed}{close}</ds:Signature>"));
            forged.replace("</saml:Issuer>", &format!("</saml:Issuer>{signature}"))
        };
        for content in [
            format!("{forged}{signed}"),
            format!("{signed}{forged}"),
            format!("{forged}<samlp:Extensions>{signed}</samlp:Extensions>"),
            format!("<samlp:Extensions>{signed}</samlp:Extensions>{forged}"),
            format!("{forged}<x>{signed}</x>"),
            nested("", ""),
            nested("<saml:Advice>", "</saml:Advice>"),
            nested("<saml:AttributeStatement>", "</saml:AttributeStatement>"),
            in_signature("<ds:Object>", "</ds:Object>"),
            in_signature("<ds:KeyInfo>", "</ds:KeyInfo>"),
            format!("{signed}<saml:x><Assertion xmlns=\"\"/></saml:x>"),
            format!("{signed}{signed}"),
        ] {
            let changed = with_content(&honest, &content);
            reject(&changed, ReasonCode::Format, "exactly one Assertion");
        }
    }
}

#[test]
fn an_assertion_elsewhere_than_in_the_response_is_rejected() {
    let honest = signed_response(&[]);
    let signed = assertion_of(&honest);
    let moved = with_content(&honest, &format!("<samlp:Extensions>{signed}</samlp:Extensions>"));
    reject(&moved, ReasonCode::Format, "must be a child of the Response");
    let moved = with_content(&honest, &format!("<saml:Advice>{signed}</saml:Advice>"));
    reject(&moved, ReasonCode::Format, "unknown element \"Advice\"");
    let unknown = honest.replace("</samlp:Status>", "</samlp:Status><saml:Extensions/>");
    reject(&unknown, ReasonCode::Format, "unknown element \"Extensions\"");
    reject(&with_content(&honest, ""), ReasonCode::Format, "exactly one Assertion");
    let other = replace_all(&honest, &[("saml=\"urn:oasis:names:tc:SAML:2.0", "saml=\"urn:x")]);
    reject(&other, ReasonCode::Format, "unknown element \"Issuer\"");
}

#[test]
fn a_second_response_is_rejected() {
    let honest = IDP.sign(RESPONSE, "Response");
    let outer =
        with_content(RESPONSE, "<samlp:Extensions>{}</samlp:Extensions>").replace("_r1", "_o");
    reject(&outer.replace("{}", &honest), ReasonCode::Format, "exactly one Response");
    reject(&format!("<x>{honest}</x>"), ReasonCode::Format, "not a SAML 2.0 response");
    let logout = honest.replace("samlp:Response", "samlp:LogoutResponse");
    reject(&logout, ReasonCode::Format, "not a SAML 2.0 response");
    let other = honest.replace("xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0", "xmlns:samlp=\"urn:x");
    reject(&other, ReasonCode::Format, "not a SAML 2.0 response");
}

#[test]
fn signatures_must_be_where_they_belong() {
    let honest = signed_response(&[]);
    let start = honest.find("<ds:Signature ").unwrap();
    let end = honest.find("</ds:Signature>").unwrap() + "</ds:Signature>".len();
    let signature = honest[start..end].to_owned();
    let unsigned = honest.replace(&signature, "");
    reject(&unsigned, ReasonCode::Signature, "neither the response nor the assertion is signed");
    let extensions = format!("</samlp:Status><samlp:Extensions>{signature}</samlp:Extensions>");
    for moved in [
        unsigned.replace("<saml:Subject>", &format!("<saml:Subject>{signature}")),
        unsigned.replace("</saml:Conditions>", &format!("{signature}</saml:Conditions>")),
        unsigned.replace("</samlp:Status>", &extensions),
        honest.replace("</samlp:Status>", &extensions),
    ] {
        reject(&moved, ReasonCode::Signature, "in an unexpected place");
    }
    let moved = unsigned.replacen("</saml:Issuer>", &format!("</saml:Issuer>{signature}"), 1);
    reject(&moved, ReasonCode::Signature, "refers to another element");
    let twice = honest.replace(&signature, &signature.repeat(2));
    reject(&twice, ReasonCode::Signature, "more than one signature");
    let empty = honest
        .replace(&signature, "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"/>");
    reject(&empty, ReasonCode::Signature, "missing or unexpected parts");
    let other = honest.replace("http://www.w3.org/2000/09/xmldsig#\"", "urn:x\"");
    reject(&other, ReasonCode::Signature, "not a child of the signed element");
}

#[test]
fn every_signature_must_be_valid() {
    let assertion = signed_response(&[]);
    let both = IDP.sign(&assertion, "Response");
    accept(&both);
    let by_stranger = STRANGER.sign(&assertion, "Response");
    reject(&by_stranger, ReasonCode::Signature, "no configured certificate");
    let by_stranger = IDP.sign(&STRANGER.sign(RESPONSE, "Assertion"), "Response");
    reject(&by_stranger, ReasonCode::Signature, "no configured certificate");
    let by_stranger = STRANGER.sign(RESPONSE, "Assertion");
    reject(&by_stranger, ReasonCode::Signature, "no configured certificate");
    for (from, to) in [("ann-1", "eve-1"), ("ann-1", ""), ("Ann Berg", "Ann  Berg"), ("_q1", "_q2")]
    {
        reject(&both.replace(from, to), ReasonCode::Signature, "was changed after it was signed");
        reject(
            &assertion.replace(from, to),
            ReasonCode::Signature,
            "was changed after it was signed",
        );
    }
    let changed = IDP.sign(RESPONSE, "Response").replace("ann-1", "eve-1");
    reject(&changed, ReasonCode::Signature, "was changed after it was signed");
}

#[test]
fn identifiers_are_unique_and_have_one_spelling() {
    let honest = signed_response(&[]);
    let extended = |element: &str| {
        let extensions = format!("</samlp:Status><samlp:Extensions>{element}</samlp:Extensions>");
        honest.replace("</samlp:Status>", &extensions)
    };
    accept(&extended("<x/>"));
    accept(&extended("<x ID=\"_x\"/>"));
    accept(&honest.replace("<ds:Signature ", "<ds:Signature Id=\"_a1\" "));
    for id in ["_a1", "_r1"] {
        let changed = extended(&format!("<x ID=\"{id}\"/>"));
        reject(&changed, ReasonCode::Format, "the same identifier");
    }
    for spelling in ["Id", "id", "iD", "xml:id", "samlp:ID"] {
        let changed = extended(&format!("<x {spelling}=\"_x\"/>"));
        reject(&changed, ReasonCode::Format, "unusual spelling");
    }
    for spelling in ["ID", "id", "xml:id"] {
        let changed =
            honest.replace("<ds:Signature ", &format!("<ds:Signature {spelling}=\"_x\" "));
        reject(&changed, ReasonCode::Format, "unusual spelling");
    }
    let none = IDP.sign(&RESPONSE.replace("ID=\"_a1\" ", ""), "Assertion");
    reject(&none, ReasonCode::Signature, "refers to another element");
    let empty = IDP.sign(&RESPONSE.replace("ID=\"_a1\" ", "ID=\"\" "), "Assertion");
    reject(&empty, ReasonCode::Signature, "refers to another element");
}

#[test]
fn comments_and_references_do_not_split_texts() {
    let honest = signed_response(&[]);
    let want = accept(&honest);
    assert_eq!(want.subject.email, "ann@acme.example");
    for (from, to) in [
        ("ann-1", "ann<!-- -->-1"),
        ("ann-1", "<!---->ann-1"),
        ("ann-1", "<![CDATA[ann]]>-1"),
        ("ann-1", "&#97;nn&#x2d;1"),
        ("Ann@Acme.example", "Ann@Acme<!---->.example"),
        ("Ann@Acme.example", "Ann@<![CDATA[Acme]]>.example"),
    ] {
        assert_eq!(accept(&honest.replace(from, to)), want);
    }
    // A reader that stops at the comment would find another address.
    let signed = signed_response(&[("Ann@Acme.example", "ann@acme.example.eve.example")]);
    let split = signed.replace("ann@acme.example.eve", "ann@acme.example<!---->.eve");
    assert_eq!(accept(&split).subject.email, "ann@acme.example.eve.example");
    for (from, to, reason) in [
        ("ann-1", "ann<?x?>-1", "processing instructions"),
        ("ann-1", "&ann;", "not well-formed"),
        ("ann-1", "ann<x/>-1", "was changed"),
        ("ann-1", "ann&#0;-1", "not well-formed"),
        ("ann-1", "ann&#xD800;-1", "has no character"),
    ] {
        let code = if reason == "was changed" { ReasonCode::Signature } else { ReasonCode::Format };
        reject(&honest.replace(from, to), code, reason);
    }
    let changed = honest.replace("<ds:DigestValue>", "<ds:DigestValue><!-- x -->");
    reject(&changed, ReasonCode::Signature, "contains a comment");
    let issuer = honest.replacen("metadata<", "metadata<!-- x --><", 1);
    reject(&issuer, ReasonCode::Format, "Issuer must contain only text");
    let text = honest.replace("</samlp:Status>", "</samlp:Status>x");
    reject(&text, ReasonCode::Format, "Response contains text");
}

#[test]
fn documents_outside_the_limits_are_rejected() {
    let honest = signed_response(&[]);
    let with = |content: &str| {
        let extensions = format!("</samlp:Status><samlp:Extensions>{content}</samlp:Extensions>");
        honest.replace("</samlp:Status>", &extensions)
    };
    let attributes = |count: usize, start: &str| -> String {
        (0..count).map(|number| format!(" {start}{number}=\"x\"")).collect()
    };
    // The extension is at depth 3.
    accept(&with(&format!("{}{}", "<x>".repeat(28), "</x>".repeat(28))));
    accept(&with(&format!("<x{}{}/>", attributes(32, "a"), attributes(32, "xmlns:n"))));
    accept(&with(&"<x/>".repeat(4_900)));
    for (content, reason) in [
        (format!("{}{}", "<x>".repeat(29), "</x>".repeat(29)), "nested deeper"),
        (format!("{}<x/>{}", "<x>".repeat(28), "</x>".repeat(28)), "nested deeper"),
        (format!("<x{}/>", attributes(33, "a")), "more than 32 attributes"),
        (format!("<x{}/>", attributes(33, "xmlns:n")), "more than 32 attributes"),
        (format!("<x{}/>", attributes(20_000, "a")), "too many attributes"),
        ("<x/>".repeat(5_000), "nodes limit"),
        ("<x/>".repeat(21_000), "too many elements"),
        ("=".repeat(50_001), "too many elements or attributes"),
        (
            format!(
                "<x{0}><x{1}><x{1}/></x></x>",
                attributes(30, "xmlns:n"),
                attributes(30, "xmlns:m")
            ),
            "too many namespaces",
        ),
        (format!("<{}/>", "x".repeat(257)), "a name is not allowed"),
    ] {
        reject(&with(&content), ReasonCode::Format, reason);
    }
}

#[test]
fn ambiguous_syntax_is_rejected() {
    let honest = signed_response(&[]);
    accept(&format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes'?>\r\n{honest}\r\n"
    ));
    let before = |text: &str| format!("{text}{honest}");
    let root = |text: &str| honest.replacen(" ID=\"_r1\"", &format!(" ID=\"_r1\" {text}"), 1);
    for (changed, reason) in [
        (before("<!DOCTYPE x>"), "document type"),
        (before("<!DOCTYPE x [<!ENTITY a 'b'>]>"), "document type"),
        (before("<!DOCTYPE x SYSTEM \"http://127.0.0.1/\">"), "document type"),
        (before("<?xml-stylesheet href=\"x\"?>"), "processing instructions"),
        (before("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"), "XML 1.0 in UTF-8"),
        (before("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"), "XML 1.0 in UTF-8"),
        (before("<?xml version=\"1.0\" encoding=\"utf-7\"?>"), "XML 1.0 in UTF-8"),
        (before("<?xml version=\"1.1\"?>"), "XML 1.0 in UTF-8"),
        (before("<?xml encoding=\"UTF-8\"?>"), "declaration is malformed"),
        (before("<?xml version=\"1.0\"encoding=\"UTF-8\"?>"), "declaration is malformed"),
        (before("<?xml version=\"1.0\" x=\"y\"?>"), "declaration is malformed"),
        (before("<?xml\tversion=\"1.0\"?>"), "processing instructions"),
        (before(" <?xml version=\"1.0\"?>"), "processing instructions"),
        (format!("{honest}<x/>"), "not well-formed"),
        (format!("{honest}x"), "not well-formed"),
        (format!("{honest}&#xD800;"), "has no character"),
        (honest[..honest.len() - 1].to_owned(), "ends in the middle"),
        (root("xmlns=\"urn:a\" xmlns=\"urn:b\""), "an attribute twice"),
        (root("xmlns:a=\"urn:a\" xmlns:a=\"urn:a\""), "an attribute twice"),
        (root("Version=\"2.0\""), "an attribute twice"),
        (root("xmlns:a=\"urn:a\" xmlns:b=\"urn:a\" a:x=\"1\" b:x=\"2\""), "not well-formed"),
        (root("samlp:xmlns=\"urn:oasis:names:tc:SAML:2.0:assertion\""), "a name is not allowed"),
        (root("xmlns:xml=\"http://www.w3.org/XML/1998/namespace\""), "a name is not allowed"),
        (root("xmlns:a=\"\""), "has no namespace"),
        (root("xmlns:xmlns=\"urn:a\""), "a name is not allowed"),
        (root(":x=\"1\""), "a name is not allowed"),
        (root("=\"1\""), "a name is not allowed"),
        (root("u:x=\"1\""), "not well-formed"),
        (root("x=\"<\""), "not well-formed"),
        (root("x=y"), "in quotation marks"),
        (root("x"), "has no value"),
        (root("x=\"&#x110000;\""), "has no character"),
        (honest.replace("<samlp:Status>", "<:Status>"), "a name is not allowed"),
        (honest.replace("</samlp:Status>", "</saml:Status>"), "not well-formed"),
        (String::new(), "not well-formed"),
        ("\0".to_owned(), "not well-formed"),
    ] {
        reject(&changed, ReasonCode::Format, reason);
    }
}

#[test]
fn the_form_field_is_decoded_strictly() {
    assert_eq!(decode_response("PHgv\r\n Pg==").unwrap(), "<x/>");
    assert_eq!(decode_response("77u/PHgvPg==").unwrap(), "<x/>");
    for (field, reason) in [
        ("PHgvPg", "not base64"),
        ("PHgv-g==", "not base64"),
        ("%3Cx/%3E", "not base64"),
        ("//5BAA==", "not UTF-8"),
        ("eJwDAAAAAAE=", "not UTF-8"),
    ] {
        let rejection = decode_response(field).unwrap_err();
        assert_eq!(rejection.code, ReasonCode::Format);
        assert!(rejection.reason.contains(reason), "{field}: {rejection}");
    }
    assert!(decode_response(&"A".repeat(400 << 10)).is_ok());
    assert!(decode_response(&"A".repeat((400 << 10) + 4)).is_err());
}

#[test]
fn the_unverified_issuer_is_that_of_the_assertion() {
    let response = RESPONSE.replacen("idp.example", "other.example", 1);
    assert_eq!(unverified_issuer(&response).unwrap(), ENTITY_ID);
    let start = RESPONSE.find("<saml:Assertion").unwrap();
    let end = RESPONSE.find("</samlp:Response>").unwrap();
    let without = [&RESPONSE[..start], &RESPONSE[end..]].concat();
    assert_eq!(unverified_issuer(&without).unwrap(), ENTITY_ID);
    for text in [
        "",
        "<x/>",
        "x",
        &RESPONSE.replace(ENTITY_ID, ""),
        &RESPONSE.replace(ENTITY_ID, &"x".repeat(1_025)),
    ] {
        assert_eq!(unverified_issuer(text).unwrap_err().code, ReasonCode::Format);
    }
    let without_issuer = without.replace(&format!("<saml:Issuer>{ENTITY_ID}</saml:Issuer>"), "");
    assert_eq!(unverified_issuer(&without_issuer).unwrap_err().code, ReasonCode::Format);
}
