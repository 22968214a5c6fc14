//! Signed responses with wrong or unusual fields. Each rejection is caused by its own check, because
//! the signature is right.

use chartroom::features::sso::protocol::ReasonCode;
use chartroom_platform::time::Timestamp;

use super::test_idp::IDP;
use super::test_idp::NOW;
use super::test_idp::RESPONSE;
use super::test_idp::accept;
use super::test_idp::reject;
use super::test_idp::replace_all;
use super::test_idp::signed_response;
use super::test_idp::verify_at;

/// Checks that a signed response with changes is rejected.
fn reject_changed(changes: &[(&str, &str)], code: ReasonCode, reason: &str) {
    reject(&signed_response(changes), code, reason);
}

/// Returns the source of an attribute of the assertion.
fn attribute(name: &str, value: &str) -> String {
    format!(
        "<saml:AttributeStatement><saml:Attribute Name=\"{name}\"><saml:AttributeValue>{value}\
         </saml:AttributeValue></saml:Attribute>"
    )
}

/// Replaces the attribute `email` by another one.
fn with_attribute(name: &str, value: &str) -> String {
    let text = RESPONSE.replace("Name=\"email\"", "Name=\"other\"");
    let text = text.replace("<saml:AttributeStatement>", &attribute(name, value));
    IDP.sign(&text, "Assertion")
}

#[test]
fn an_honest_response_gives_all_fields() {
    let found = accept(&signed_response(&[]));
    assert_eq!(found.id, "_a1");
    assert_eq!(found.in_response_to.as_deref(), Some("_q1"));
    assert_eq!(found.replay_until, Timestamp(NOW.0 + 7 * 60_000));
    assert_eq!(found.session_not_on_or_after, Some(Timestamp(NOW.0 + 8 * 3_600_000)));
    assert_eq!(found.subject.sso_id, "ann-1");
    assert_eq!(found.subject.email, "ann@acme.example");
    assert_eq!(found.subject.name.as_deref(), Some("Ann Berg"));
    assert_eq!(found.subject.name_id.as_deref(), Some("ann-1"));
    assert!(found.subject.name_id_format.is_some_and(|format| format.ends_with("persistent")));
    assert_eq!(found.attributes[0], ("email".to_owned(), vec!["Ann@Acme.example".to_owned()]));
    let started_by_idp = signed_response(&[(" InResponseTo=\"_q1\"", "")]);
    assert_eq!(accept(&started_by_idp).in_response_to, None);
}

#[test]
fn facts_of_the_response_can_only_reject() {
    let success = "status:Success";
    reject_changed(&[(success, "status:Responder")], ReasonCode::Status, "status:Responder");
    reject_changed(&[(success, "status:success")], ReasonCode::Status, "reports a failure");
    let status = "<samlp:Status><samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/></samlp:Status>";
    reject_changed(&[(status, "")], ReasonCode::Format, "has no Status");
    reject_changed(&[(status, &status.repeat(2))], ReasonCode::Format, "more than one Status");
    reject_changed(&[(status, "<samlp:Status/>")], ReasonCode::Format, "exactly one StatusCode");
    let destination = "Destination=\"https://charts.example/sso/saml2\"";
    accept(&signed_response(&[(destination, "")]));
    for other in ["Destination=\"\"", "Destination=\"https://charts.example/sso/saml2/\""] {
        reject_changed(&[(destination, other)], ReasonCode::Recipient, "destination");
    }
    let honest = signed_response(&[]);
    reject(&honest.replacen("_q1", "_q2", 1), ReasonCode::Request, "different requests");
    reject(
        &honest.replacen(" InResponseTo=\"_q1\"", "", 1),
        ReasonCode::Request,
        "different requests",
    );
    let issuer = "<saml:Issuer>https://idp.example/metadata</saml:Issuer>";
    accept(&honest.replacen(issuer, "", 1));
    let other = honest.replacen("idp.example", "eve.example", 1);
    reject(&other, ReasonCode::Issuer, "response is issued by \"https://eve.example/metadata\"");
    let twice = honest.replacen(issuer, &issuer.repeat(2), 1);
    reject(&twice, ReasonCode::Format, "more than one Issuer");
    let late =
        honest.replacen("IssueInstant=\"2026-11-28T04:30", "IssueInstant=\"2026-11-28T04:33", 1);
    reject(&late, ReasonCode::Time, "response is issued in the future");
    reject(
        &honest.replacen("Version=\"2.0\"", "Version=\"1.1\"", 1),
        ReasonCode::Format,
        "version of the response",
    );
    // A failure without an assertion gives the reason of the identity provider.
    let start = RESPONSE.find("<saml:Assertion").unwrap();
    let end = RESPONSE.find("</samlp:Response>").unwrap();
    let failed = [&RESPONSE[..start], &RESPONSE[end..]].concat().replace(
        "Success\"/>",
        "Requester\"><samlp:StatusCode Value=\"urn:x\"/></samlp:StatusCode><samlp:StatusMessage>no\u{202e}\
         such user</samlp:StatusMessage>",
    );
    reject(&failed, ReasonCode::Status, "Requester\", \"urn:x\", \"no such user\"");
}

#[test]
fn encrypted_parts_have_their_own_code() {
    let honest = signed_response(&[]);
    for name in ["EncryptedAssertion", "EncryptedAttribute", "EncryptedID"] {
        let part = format!("</samlp:Status><saml:{name}/>");
        let changed = honest.replace("</samlp:Status>", &part);
        reject(&changed, ReasonCode::Encrypted, "disable encryption at the identity provider");
    }
}

#[test]
fn issuer_audience_and_recipient_are_exact() {
    for other in [
        "https://idp.example/metadata/",
        "https://IDP.example/metadata",
        " https://idp.example/metadata",
        "",
    ] {
        let text = RESPONSE.replace(">https://idp.example/metadata<", &format!(">{other}<"));
        let text = text.replacen(&format!("<saml:Issuer>{other}</saml:Issuer>"), "", 1);
        reject_signed(&text, ReasonCode::Issuer, "the assertion is issued by");
    }
    let audience = "<saml:Audience>https://charts.example</saml:Audience>";
    for other in
        ["https://charts.example/", "https://eve.example", "https://charts.example.eve.example", ""]
    {
        let changed = format!("<saml:Audience>{other}</saml:Audience>");
        reject_changed(
            &[(audience, &changed)],
            ReasonCode::Audience,
            "must be \"https://charts.example\"",
        );
    }
    let two = format!("<saml:Audience>https://other.example</saml:Audience>{audience}");
    accept(&signed_response(&[(audience, &two)]));
    let restriction = format!("<saml:AudienceRestriction>{audience}</saml:AudienceRestriction>");
    accept(&signed_response(&[(&restriction, &restriction.repeat(2))]));
    let second = restriction.replace("charts", "eve");
    reject_changed(
        &[(&restriction, &[restriction.as_str(), &second].concat())],
        ReasonCode::Audience,
        "eve",
    );
    reject_changed(&[(&restriction, "")], ReasonCode::Audience, "has no audience");
    reject_changed(&[(audience, "")], ReasonCode::Audience, "is none");
    reject_changed(&[(audience, "<saml:x/>")], ReasonCode::Format, "only Audience");
    for (condition, is_known) in
        [("OneTimeUse", true), ("ProxyRestriction", true), ("Condition", false)]
    {
        let more = format!("{restriction}<saml:{condition}/>");
        let text = signed_response(&[(&restriction, &more)]);
        if is_known {
            accept(&text);
        } else {
            reject(&text, ReasonCode::Format, "is not known");
        }
    }
}

#[test]
fn the_recipient_is_exact() {
    let recipient = "Recipient=\"https://charts.example/sso/saml2\"";
    for other in ["Recipient=\"https://eve.example/sso/saml2\"", "Recipient=\"\"", ""] {
        reject_changed(&[(recipient, other)], ReasonCode::Recipient, "recipient of the assertion");
    }
}

/// Signs the assertion of a response, and checks that it is rejected.
fn reject_signed(text: &str, code: ReasonCode, reason: &str) {
    reject(&IDP.sign(text, "Assertion"), code, reason);
}

#[test]
fn parts_of_the_assertion_are_required_and_unique() {
    let part = |start: &str, end: &str| {
        let start = RESPONSE.find(start).unwrap();
        let end = start + RESPONSE[start..].find(end).unwrap() + end.len();
        &RESPONSE[start..end]
    };
    for (name, source) in [
        ("Subject", part("<saml:Subject>", "</saml:Subject>")),
        ("Conditions", part("<saml:Conditions", "</saml:Conditions>")),
    ] {
        reject_changed(&[(source, "")], ReasonCode::Format, &format!("no {name}"));
        let twice = source.repeat(2);
        reject_changed(&[(source, &twice)], ReasonCode::Format, &format!("more than one {name}"));
    }
    let statement = part("<saml:AuthnStatement", "/>");
    reject_changed(&[(statement, "")], ReasonCode::Format, "no AuthnStatement");
    let earlier = statement.replace("12:30", "11:30");
    let two = signed_response(&[(statement, &[statement, &earlier].concat())]);
    assert_eq!(accept(&two).session_not_on_or_after, Some(Timestamp(NOW.0 + 7 * 3_600_000)));
    let name_id = part("<saml:NameID", "</saml:NameID>");
    reject_changed(&[(name_id, &name_id.repeat(2))], ReasonCode::Format, "more than one NameID");
    reject_changed(&[("<saml:Subject>", "x<saml:Subject>")], ReasonCode::Format, "only elements");
    let version = "ID=\"_a1\" Version=\"2.0\"";
    reject_changed(&[(version, "ID=\"_a1\"")], ReasonCode::Format, "version of the assertion");
    reject_changed(&[("_a1", &"a".repeat(257))], ReasonCode::Format, "an ID is");
    reject_changed(&[("_a1", "a b")], ReasonCode::Format, "an ID is");
    reject_changed(&[("_q1", &"a".repeat(257))], ReasonCode::Format, "an ID is");
    reject_changed(
        &[("InResponseTo=\"_q1\"", "InResponseTo=\"\"")],
        ReasonCode::Format,
        "an ID is",
    );
    for (from, to) in [
        ("cm:bearer", "cm:holder-of-key"),
        (" Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"", ""),
    ] {
        reject_changed(&[(from, to)], ReasonCode::Format, "exactly one SubjectConfirmation");
    }
    let whole = part("<saml:SubjectConfirmation ", "</saml:SubjectConfirmation>");
    reject_changed(
        &[(whole, &whole.repeat(2))],
        ReasonCode::Format,
        "exactly one SubjectConfirmation",
    );
    let other = whole.replace("cm:bearer", "cm:sender-vouches");
    accept(&signed_response(&[(whole, &[whole, &other].concat())]));
    let data = part("<saml:SubjectConfirmationData", "/>");
    reject_changed(&[(data, "")], ReasonCode::Format, "no SubjectConfirmationData");
}

#[test]
fn times_are_checked_with_two_minutes_of_tolerance() {
    let honest = signed_response(&[]);
    let at = |seconds: i64| verify_at(&honest, Timestamp(NOW.0 + seconds * 1_000));
    // The earliest end is that of the confirmation, five minutes later.
    assert!(at(419).is_ok());
    let expired = at(420).unwrap_err();
    assert_eq!(
        (expired.code, expired.reason.as_str()),
        (ReasonCode::Time, "the assertion has expired")
    );
    assert_eq!(at(419).unwrap().replay_until, Timestamp(NOW.0 + 420_000));
    assert!(at(-120).is_ok());
    assert_eq!(at(-121).unwrap_err().code, ReasonCode::Time);
    let end = "NotOnOrAfter=\"2026-11-28T05:30:00Z\"";
    let earlier =
        |time: &str| signed_response(&[(end, &format!("NotOnOrAfter=\"2026-11-28T{time}\""))]);
    assert_eq!(accept(&earlier("04:31:00Z")).replay_until, Timestamp(NOW.0 + 180_000));
    reject(&earlier("04:28:00Z"), ReasonCode::Time, "has expired");
    accept(&earlier("04:28:00.001Z"));
    accept(&signed_response(&[(end, "")]));
    let start = "NotBefore=\"2026-11-28T04:29:00Z\"";
    accept(&signed_response(&[(start, "")]));
    accept(&signed_response(&[(start, "NotBefore=\"2026-11-28T04:32:00Z\"")]));
    reject_changed(
        &[(start, "NotBefore=\"2026-11-28T04:32:00.001Z\"")],
        ReasonCode::Time,
        "not valid yet",
    );
}

#[test]
fn an_assertion_is_valid_for_at_most_seven_days() {
    let issued = "Version=\"2.0\" IssueInstant=\"2026-11-28T04:30:00Z\"><saml:Issuer>";
    let at = |time: &str| issued.replace("2026-11-28T04:30:00Z", time);
    let future = at("2026-11-28T04:32:00.001Z");
    reject_changed(&[(issued, &future)], ReasonCode::Time, "the assertion is issued in the future");
    reject_changed(
        &[(issued, "Version=\"2.0\"><saml:Issuer>")],
        ReasonCode::Format,
        "no IssueInstant",
    );
    // Seven days between the creation and the later end.
    accept(&signed_response(&[(issued, &at("2026-11-21T05:30:00Z"))]));
    reject_changed(&[(issued, &at("2026-11-21T05:29:59Z"))], ReasonCode::Time, "more than 7 days");
    let session = "SessionNotOnOrAfter=\"2026-11-28T12:30:00Z\"";
    assert_eq!(accept(&signed_response(&[(session, "")])).session_not_on_or_after, None);
    reject_changed(
        &[(session, "SessionNotOnOrAfter=\"2026-11-28T04:30:00Z\"")],
        ReasonCode::Time,
        "session",
    );
    accept(&signed_response(&[(session, "SessionNotOnOrAfter=\"2026-11-28T04:30:00.0010000Z\"")]));
    let confirmed = "NotOnOrAfter=\"2026-11-28T04:35:00Z\"";
    reject_changed(&[(confirmed, "")], ReasonCode::Format, "no NotOnOrAfter");
    let both = format!("{confirmed} NotBefore=\"2026-11-28T04:29:00Z\"");
    reject_changed(&[(confirmed, &both)], ReasonCode::Format, "must not have NotBefore");
    for text in ["2026-11-28T04:35:00", "2026-11-28T04:35:00+00:00", "2026-11-28", "tomorrow", ""] {
        let other = format!("NotOnOrAfter=\"{text}\"");
        reject_changed(&[(confirmed, &other)], ReasonCode::Format, "must be a time in UTC");
    }
}

#[test]
fn the_identifier_is_uid_or_a_lasting_name_id() {
    let uid = |value: &str| {
        let text = RESPONSE.replace("<saml:AttributeStatement>", &attribute("uid", value));
        IDP.sign(&text, "Assertion")
    };
    assert_eq!(accept(&uid("u-1")).subject.sso_id, "u-1");
    let transient = ("nameid-format:persistent", "nameid-format:transient");
    reject_changed(&[transient], ReasonCode::Format, "NameID is transient");
    let with_uid = replace_all(RESPONSE, &[transient]);
    let with_uid = with_uid.replace("<saml:AttributeStatement>", &attribute("uid", "u-1"));
    assert_eq!(accept(&IDP.sign(&with_uid, "Assertion")).subject.sso_id, "u-1");
    for (value, reason) in [
        ("", "is empty"),
        (" u", "white space"),
        ("u ", "white space"),
        ("\n", "white space"),
        ("u&#13;1", "control character"),
        ("u\u{85}1", "control character"),
        ("\u{a0}u", "white space"),
    ] {
        reject(&uid(value), ReasonCode::Format, reason);
        reject_changed(&[("ann-1", value)], ReasonCode::Format, reason);
    }
    reject(&uid(&"u".repeat(257)), ReasonCode::Format, "more than 256 characters");
    assert_eq!(accept(&uid(&"ü".repeat(256))).subject.sso_id.chars().count(), 256);
    let two = "u</saml:AttributeValue><saml:AttributeValue>v";
    reject(&uid(two), ReasonCode::Format, "exactly one value");
    reject(&uid("<x/>"), ReasonCode::Format, "exactly one value");
    reject_changed(&[("ann-1", "<x/>")], ReasonCode::Format, "NameID must contain only text");
    let start = RESPONSE.find("<saml:NameID").unwrap();
    let end = RESPONSE.find("</saml:NameID>").unwrap() + "</saml:NameID>".len();
    reject_changed(&[(&RESPONSE[start..end], "")], ReasonCode::Format, "no NameID and no uid");
}

#[test]
fn addresses_come_from_known_attributes_and_are_ascii() {
    for name in [
        "email",
        "mail",
        "User.email",
        "emailAddress",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
        "urn:oid:0.9.2342.19200300.100.1.3",
    ] {
        assert_eq!(
            accept(&with_attribute(name, "ANN@ACME.example")).subject.email,
            "ann@acme.example"
        );
    }
}

#[test]
fn malformed_addresses_are_rejected() {
    for name in ["Email", "upn", "E-Mail", "urn:oid:0.9.2342.19200300.100.1.1"] {
        reject(
            &with_attribute(name, "ann@acme.example"),
            ReasonCode::Address,
            "no attribute email",
        );
    }
    for value in [
        "ann",
        "@acme.example",
        "ann@",
        "ann@acme",
        "ann@@acme.example",
        "ann@eve.example@acme.example",
        "ann @acme.example",
        " ann@acme.example",
        "ann@acme.example\n",
        "ann@acme.example&#9;",
        "ännie@acme.example",
        "ann@аcme.example",
        "ann@acme.example\u{200b}",
        "ann@acme..example",
        "ann@-acme.example",
        "ann@acme-.example",
        "ann@acme.example.",
        "\"ann\"@acme.example",
        "ann&lt;x&gt;@acme.example",
        "ann,eve@acme.example",
        "ann@acme_x.example",
        "ann&#127;@acme.example",
    ] {
        reject(&with_attribute("email", value), ReasonCode::Address, "is malformed");
    }
    let long = format!("{}@acme.example", "a".repeat(242));
    reject(&with_attribute("email", &long), ReasonCode::Address, "is malformed");
    assert_eq!(accept(&with_attribute("email", &long[1..])).subject.email.len(), 254);
}

#[test]
fn an_address_is_unambiguous() {
    let more =
        |value: &str| format!("ann@acme.example</saml:AttributeValue><saml:AttributeValue>{value}");
    accept(&with_attribute("email", &more("ANN@acme.example")));
    reject(
        &with_attribute("email", &more("eve@acme.example")),
        ReasonCode::Address,
        "more than one",
    );
}

#[test]
fn a_name_identifier_can_be_an_address() {
    // A name identifier is an address only without an attribute.
    let text = RESPONSE.replace("ann-1", "Eve@acme.example");
    let found = accept(&IDP.sign(&text, "Assertion")).subject;
    assert_eq!(
        (found.email.as_str(), found.sso_id.as_str()),
        ("ann@acme.example", "Eve@acme.example")
    );
    let text = text.replace("Name=\"email\"", "Name=\"other\"");
    assert_eq!(accept(&IDP.sign(&text, "Assertion")).subject.email, "eve@acme.example");
    for format in ["2.0:nameid-format:kerberos", "1.1:nameid-format:WindowsDomainQualifiedName"] {
        let text = text.replace("2.0:nameid-format:persistent", format);
        reject_signed(&text, ReasonCode::Address, "NameID is no address");
    }
    reject_changed(
        &[("Name=\"email\"", "Name=\"x\"")],
        ReasonCode::Address,
        "NameID is no address",
    );
}

#[test]
fn names_and_avatars_are_cleaned() {
    let with = |name: &str, value: &str| {
        let text = RESPONSE.replace("Name=\"displayName\"", "Name=\"other\"");
        let text = text.replace("<saml:AttributeStatement>", &attribute(name, value));
        accept(&IDP.sign(&text, "Assertion")).subject
    };
    let name = |name: &str, value: &str| with(name, value).name;
    assert_eq!(name("cn", " Ann\u{202e}&#10;Berg ").as_deref(), Some("Ann  Berg"));
    assert_eq!(name("displayName", " "), None);
    assert_eq!(name("displayName", &"ä".repeat(201)).map(|name| name.chars().count()), Some(200));
    let sn = "Ann</saml:AttributeValue></saml:Attribute><saml:Attribute Name=\"sn\"><saml:AttributeValue>Berg";
    let found = with("givenName", sn);
    assert_eq!(found.name.as_deref(), Some("Ann Berg"));
    assert_eq!(
        (found.given_name.as_deref(), found.family_name.as_deref()),
        (Some("Ann"), Some("Berg"))
    );
    let avatar = |value: &str| with("avatarUrl", value).avatar_url;
    let url = "https://pictures.example/ann.png?size=64&amp;x=1";
    assert_eq!(avatar(url).as_deref(), Some("https://pictures.example/ann.png?size=64&x=1"));
    for other in [
        "http://pictures.example/",
        "javascript:alert(1)",
        "data:image/png,x",
        "//pictures.example/",
        "https://",
        "https:///x",
        "https://.example/",
        "https://:443/",
        "https://ann@pictures.example/",
        "https://pictures.example/ x",
        "https://pictures.example/\"",
        "https://pictures.example/&lt;",
        "https://püctures.example/",
        "https://pictures.example/\\",
        "HTTPS:/pictures.example",
    ] {
        assert_eq!(avatar(other), None, "{other}");
    }
}

#[test]
fn attributes_are_bounded_and_well_formed() {
    let many: String = (0..150).map(|number| {
        format!("<saml:Attribute Name=\"a{number}\"><saml:AttributeValue>{}</saml:AttributeValue></saml:Attribute>", "x".repeat(600))
    }).collect();
    let statement = "</saml:AttributeStatement>";
    let text = RESPONSE.replace(statement, &[many.as_str(), statement].concat());
    let found = accept(&IDP.sign(&text, "Assertion")).attributes;
    assert_eq!(found.len(), 100);
    assert!(found.iter().flat_map(|(_, values)| values).all(|value| value.chars().count() <= 500));
    for (extra, reason) in [
        ("<saml:x/>", "unknown element"),
        ("<saml:Attribute/>", "unknown element"),
        ("<Attribute Name=\"x\" xmlns=\"urn:x\"/>", "unknown element"),
        ("<saml:Attribute Name=\"x\"><saml:x/></saml:Attribute>", "unknown element"),
        ("x", "only elements"),
    ] {
        reject_changed(&[(statement, &[extra, statement].concat())], ReasonCode::Format, reason);
    }
}
