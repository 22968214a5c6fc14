//! Limits of the fields of signed responses, and repeated and empty fields.

use chartroom::features::sso::protocol::ReasonCode;
use chartroom_platform::xml::XmlText;
use chartroom_platform::xml::element_children;

use super::test_idp::IDP;
use super::test_idp::RESPONSE;
use super::test_idp::accept;
use super::test_idp::reject;
use super::test_idp::replace_all;
use super::test_idp::signed_response;

/// Signs a response with more attributes before those of the original.
fn with_attributes(response: &str, attributes: &[(&str, &[&str])]) -> String {
    let mut source = "<saml:AttributeStatement>".to_owned();
    for (name, values) in attributes {
        source.push_str(&format!("<saml:Attribute Name=\"{name}\">"));
        for value in *values {
            source.push_str(&format!("<saml:AttributeValue>{value}</saml:AttributeValue>"));
        }
        source.push_str("</saml:Attribute>");
    }
    let text = replace_all(response, &[("<saml:AttributeStatement>", &source)]);
    IDP.sign(&text, "Assertion")
}

#[test]
fn attributes_with_the_same_name_are_joined() {
    let groups = with_attributes(RESPONSE, &[("group", &["a"]), ("group", &["b", "a"])]);
    let want = ("group".to_owned(), vec!["a".to_owned(), "b".to_owned(), "a".to_owned()]);
    assert_eq!(accept(&groups).attributes[0], want);
    let second_address = with_attributes(RESPONSE, &[("email", &["eve@acme.example"])]);
    reject(&second_address, ReasonCode::Address, "more than one address");
    let second_id = with_attributes(RESPONSE, &[("uid", &["u-1"]), ("uid", &["u-2"])]);
    reject(&second_id, ReasonCode::Format, "exactly one value");
    let unnamed = with_attributes(RESPONSE, &[("", &["x"])]);
    reject(&unnamed, ReasonCode::Format, "AttributeStatement contains an unknown element");
}

#[test]
fn empty_values_are_no_addresses_and_names() {
    let empty = with_attributes(RESPONSE, &[("email", &["", " "]), ("displayName", &[""])]);
    let found = accept(&empty).subject;
    assert_eq!(
        (found.email.as_str(), found.name.as_deref()),
        ("ann@acme.example", Some("Ann Berg"))
    );
}

#[test]
fn a_name_identifier_has_at_most_256_characters_even_if_uid_replaces_it() {
    let format = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
    for text in ["ann-1", format] {
        let with = |length: usize| {
            let response = replace_all(RESPONSE, &[(text, &"ä".repeat(length))]);
            with_attributes(&response, &[("uid", &["u-1"])])
        };
        assert_eq!(accept(&with(256)).subject.sso_id, "u-1");
        reject(&with(257), ReasonCode::Format, "NameID has more than 256 characters");
    }
}

#[test]
fn attributes_names_and_urls_are_bounded() {
    let (name, values) = ("n".repeat(501), vec!["v"; 101]);
    let found = accept(&with_attributes(RESPONSE, &[(&name, &values)])).attributes;
    assert_eq!((found[0].0.len(), found[0].1.len()), (500, 100));
    let named = [("displayName", [&"n".repeat(199), " Berg"].concat())];
    let response = replace_all(RESPONSE, &[("Name=\"displayName\"", "Name=\"other\"")]);
    let found = accept(&with_attributes(&response, &[(named[0].0, &[&named[0].1])])).subject;
    assert_eq!(found.name, Some("n".repeat(199)));
    let url = format!("https://pictures.example/{}", "x".repeat(2_048 - 25));
    let avatar =
        |url: &str| accept(&with_attributes(RESPONSE, &[("avatarUrl", &[url])])).subject.avatar_url;
    assert_eq!(avatar(&url), Some(url.clone()));
    assert_eq!(avatar(&[&url, "x"].concat()), None);
}

#[test]
fn a_status_has_one_code() {
    let code = "<samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/>";
    let twice = [code, &code.replace("Success", "Responder")].concat();
    reject(&signed_response(&[(code, &twice)]), ReasonCode::Format, "exactly one StatusCode");
    // Only the outer code counts.
    let outer = "<samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Responder\">";
    let nested = [outer, code, "</samlp:StatusCode>"].concat();
    reject(&signed_response(&[(code, &nested)]), ReasonCode::Status, "reports a failure");
    let message = [
        &code.replace("Success", "Responder"),
        "<samlp:StatusMessage>urn:oasis:names:tc:SAML:2.0:status:Success</samlp:StatusMessage>",
    ];
    let failed = signed_response(&[(code, &message.concat())]);
    reject(&failed, ReasonCode::Status, "reports a failure");
}

#[test]
fn elements_that_hold_elements_hold_no_comments() {
    let children = |source: &str| {
        let text = XmlText::new(source).unwrap();
        let document = text.parse().unwrap();
        element_children(document.root_element()).map(|children| children.len())
    };
    assert_eq!(children("<x> <a/>\n<b/> </x>").unwrap(), 2);
    for source in ["<x><a/><!-- b --></x>", "<x>b<a/></x>", "<x><a/>&#160;</x>"] {
        let error = children(source).unwrap_err().to_string();
        assert!(error.contains("x must contain only elements"), "{source}: {error}");
    }
}

#[test]
fn messages_of_the_parser_are_bounded() {
    let text = XmlText::new(&format!("<x></{}>", "ä".repeat(1_000))).unwrap();
    let error = text.parse().unwrap_err().to_string();
    assert!(error.starts_with("the document is not well-formed"), "{error}");
    assert_eq!(error.chars().count(), 200);
}
