//! Signatures outside of the profile: algorithms, transforms, references, keys.

use aws_lc_rs::digest;
use aws_lc_rs::hmac;
use aws_lc_rs::signature;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::features::sso::protocol::ReasonCode;
use chartroom_platform::xml;
use chartroom_platform::xml::XmlText;

use super::test_idp::Hashes;
use super::test_idp::IDP;
use super::test_idp::RESPONSE;
use super::test_idp::SIGNATURE;
use super::test_idp::STRANGER;
use super::test_idp::accept;
use super::test_idp::reject;
use super::test_idp::replace_all;

const ENVELOPED: &str =
    r#"<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>"#;
const EXCLUSIVE: &str = r#"<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>"#;

/// Signs the assertion with a changed signature element. The signature value is right.
fn signed_as(changes: &[(&str, &str)]) -> String {
    IDP.sign_as(RESPONSE, "Assertion", &replace_all(SIGNATURE, changes))
}

/// Checks that a changed signature element with a right signature value is rejected.
fn reject_signature(changes: &[(&str, &str)], reason: &str) {
    reject(&signed_as(changes), ReasonCode::Signature, reason);
}

#[test]
fn only_rsa_with_sha_2_is_accepted() {
    let method = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
    for other in [
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-md5",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
        "http://www.w3.org/2001/04/xmldsig-more#RSA-SHA256",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256 ",
        "none",
        "",
    ] {
        reject_signature(&[(method, other)], "signature algorithm must be RSA");
    }
    // The right name with another hash than that of the signature.
    for other in ["rsa-sha384", "rsa-sha512"] {
        reject_signature(&[("rsa-sha256", other)], "no configured certificate");
    }
    let digest = "http://www.w3.org/2001/04/xmlenc#sha256";
    for other in [
        "http://www.w3.org/2000/09/xmldsig#sha1",
        "http://www.w3.org/2001/04/xmldsig-more#md5",
        "http://www.w3.org/2001/04/xmldsig-more#sha224",
        "",
    ] {
        reject_signature(&[(digest, other)], "digest algorithm must be SHA-256");
    }
    let other = "http://www.w3.org/2001/04/xmlenc#sha512";
    reject_signature(&[(digest, other)], "was changed after it was signed");
    reject_signature(
        &[("#rsa-sha256\"/>", "#rsa-sha256\">x</ds:SignatureMethod>")],
        "only elements",
    );
    let length = "#rsa-sha256\"><ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>";
    reject_signature(&[("#rsa-sha256\"/>", length)], "SignatureMethod must be empty");
    reject_signature(
        &[("xmlenc#sha256\"/>", "xmlenc#sha256\"><x/></ds:DigestMethod>")],
        "DigestMethod must",
    );
}

#[test]
fn each_hash_function_of_sha_2_is_accepted() {
    let (rsa, base) = ("xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/");
    let digest = "http://www.w3.org/2001/04/xmlenc#sha256";
    let sha_384 = Hashes { digest: &digest::SHA384, signature: &signature::RSA_PKCS1_SHA384 };
    let sha_512 = Hashes { digest: &digest::SHA512, signature: &signature::RSA_PKCS1_SHA512 };
    for (bits, digest_name, hashes) in
        [("384", "xmldsig-more#sha384", sha_384), ("512", "xmlenc#sha512", sha_512)]
    {
        let changes = [
            (digest, [base, digest_name].concat()),
            (rsa, ["xmldsig-more#rsa-sha", bits].concat()),
        ];
        let changes = changes.each_ref().map(|(from, to)| (*from, to.as_str()));
        let element = replace_all(SIGNATURE, &changes);
        accept(&IDP.sign_with(RESPONSE, "Assertion", &element, hashes));
    }
}

#[test]
fn a_public_key_is_no_secret_for_hmac() {
    let method = ("rsa-sha256", "hmac-sha256");
    let text = IDP.sign_as(RESPONSE, "Assertion", &replace_all(SIGNATURE, &[method]));
    let source = XmlText::new(&text).unwrap();
    let document = source.parse().unwrap();
    let signed_info = document.descendants().find(|node| node.tag_name().name() == "SignedInfo");
    let bytes = xml::canonicalize(signed_info.unwrap(), &[], None).unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &IDP.public_der());
    let tag = STANDARD.encode(hmac::sign(&key, bytes.as_bytes()));
    let start = text.find("<ds:SignatureValue>").unwrap() + "<ds:SignatureValue>".len();
    let end = text.find("</ds:SignatureValue>").unwrap();
    let signed = [&text[..start], &tag, &text[end..]].concat();
    reject(&signed, ReasonCode::Signature, "signature algorithm must be RSA");
}

#[test]
fn exactly_the_two_transforms_are_accepted() {
    accept(&signed_as(&[]));
    let both = [ENVELOPED, EXCLUSIVE].concat();
    let transform = |algorithm: &str| format!("<ds:Transform Algorithm=\"{algorithm}\"/>");
    let xpath = transform("http://www.w3.org/TR/1999/REC-xpath-19991116");
    let xslt = transform("http://www.w3.org/TR/1999/REC-xslt-19991116");
    let base64 = transform("http://www.w3.org/2000/09/xmldsig#base64");
    let inclusive = transform("http://www.w3.org/TR/2001/REC-xml-c14n-20010315");
    let with_comments = transform("http://www.w3.org/2001/10/xml-exc-c14n#WithComments");
    for (transforms, reason) in [
        (String::new(), "Transforms has missing"),
        (ENVELOPED.to_owned(), "Transforms has missing"),
        (EXCLUSIVE.to_owned(), "Transforms has missing"),
        ([EXCLUSIVE, ENVELOPED].concat(), "first transform must be enveloped-signature"),
        ([ENVELOPED, ENVELOPED].concat(), "must be exclusive"),
        ([EXCLUSIVE, EXCLUSIVE].concat(), "first transform must be enveloped-signature"),
        ([both.as_str(), EXCLUSIVE].concat(), "Transforms has missing"),
        ([both.as_str(), &xpath].concat(), "Transforms has missing"),
        (both.repeat(500), "Transforms has missing"),
        ([ENVELOPED, &inclusive].concat(), "must be exclusive"),
        ([ENVELOPED, &with_comments].concat(), "must be exclusive"),
        ([ENVELOPED, &xpath].concat(), "must be exclusive"),
        ([ENVELOPED, &xslt].concat(), "must be exclusive"),
        ([ENVELOPED, &base64].concat(), "must be exclusive"),
        ([&xpath, EXCLUSIVE].concat(), "first transform must be enveloped-signature"),
    ] {
        reject_signature(&[(&both, &transforms)], reason);
    }
    let without = format!("<ds:Transforms>{both}</ds:Transforms>");
    reject_signature(&[(&without, "")], "Reference has missing");
    let filled = ENVELOPED.replace("/>", "><ds:XPath>1</ds:XPath></ds:Transform>");
    reject_signature(&[(ENVELOPED, &filled)], "Transform must be empty");
}

#[test]
fn parameters_of_the_canonicalization_are_checked() {
    let namespaces = |name: &str, list: &str| {
        EXCLUSIVE.replace(
            "/>",
            &format!(
                "><e:{name} xmlns:e=\"http://www.w3.org/2001/10/xml-exc-c14n#\" {list}/></ds:Transform>"
            ),
        )
    };
    // No prefix of the list is declared, so that the digest stays the same.
    let sixteen = format!("PrefixList=\"{}\"", "x ".repeat(16));
    accept(&signed_as(&[(EXCLUSIVE, &namespaces("InclusiveNamespaces", &sixteen))]));
    let seventeen = format!("PrefixList=\"{}\"", "x ".repeat(17));
    for (name, list, reason) in [
        ("InclusiveNamespaces", seventeen.as_str(), "more than 16"),
        ("InclusiveNamespaces", "", "InclusiveNamespaces has missing"),
        ("InclusiveNamespaces", "PrefixList=\"\" x=\"\"", "InclusiveNamespaces has missing"),
        ("Other", "PrefixList=\"\"", "unknown parameter"),
    ] {
        reject_signature(&[(EXCLUSIVE, &namespaces(name, list))], reason);
    }
    let one = namespaces("InclusiveNamespaces", "PrefixList=\"x\"");
    let inner = &one[one.find("<e:").unwrap()..one.find("</ds:").unwrap()];
    let two = one.replace(inner, &inner.repeat(2));
    reject_signature(&[(EXCLUSIVE, &two)], "several parameters");
    // A prefix of the list that is declared changes the bytes.
    let declared = namespaces("InclusiveNamespaces", "PrefixList=\"samlp\"");
    reject_signature(&[(EXCLUSIVE, &declared)], "was changed after it was signed");
    let method = "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#";
    for (from, to) in [
        (method, method.replace("2001/10/xml-exc-c14n#", "TR/2001/REC-xml-c14n-20010315")),
        (method, method.replace("c14n#", "c14n#WithComments")),
        (method, method.replace("http://www.w3.org/2001/10/xml-exc-c14n#", "")),
    ] {
        reject_signature(&[(from, &to)], "must be exclusive");
    }
    let whole = format!("{method}\"/>");
    reject_signature(&[(&whole, "")], "CanonicalizationMethod is missing");
    reject_signature(&[(&whole, &whole.repeat(2))], "SignedInfo has missing");
}

#[test]
fn the_reference_names_the_parent_of_the_signature() {
    let uri = "URI=\"#{id}\"";
    for other in [
        "URI=\"\"",
        "URI=\"#\"",
        "URI=\"#_r1\"",
        "URI=\"{id}\"",
        "URI=\"#xpointer(id('{id}'))\"",
        "URI=\"#xpointer(/)\"",
        "URI=\"file:///etc/passwd\"",
        "URI=\"http://127.0.0.1/#{id}\"",
        "URI=\"#{id} \"",
        "URI=\"#{id}&#10;\"",
    ] {
        reject_signature(&[(uri, other)], "refers to another element");
    }
    reject_signature(&[(uri, "")], "Reference has missing");
    let typed = "URI=\"#{id}\" Type=\"http://www.w3.org/2000/09/xmldsig#Object\"";
    reject_signature(&[(uri, typed)], "Reference has missing");
    let start = SIGNATURE.find("<ds:Reference").unwrap();
    let end = SIGNATURE.find("</ds:SignedInfo>").unwrap();
    let reference = &SIGNATURE[start..end];
    reject_signature(&[(reference, &reference.repeat(2))], "SignedInfo has missing");
    reject_signature(&[(reference, "")], "SignedInfo has missing");
    let value = "<ds:DigestValue>{digest}</ds:DigestValue>";
    for (other, reason) in [
        ("", "Reference has missing"),
        ("<ds:DigestValue/>", "was changed after"),
        ("<ds:DigestValue>AAAA</ds:DigestValue>", "was changed after"),
        ("<ds:DigestValue>{digest}AAAA</ds:DigestValue>", "is not base64"),
        ("<ds:DigestValue>{digest}<x/></ds:DigestValue>", "DigestValue must contain only text"),
        ("<ds:DigestValue a=\"b\">{digest}</ds:DigestValue>", "DigestValue has missing"),
    ] {
        reject_signature(&[(value, other)], reason);
    }
}

#[test]
fn the_parts_of_a_signature_are_exact() {
    let end = "</ds:Signature>";
    let with = |part: &str| [part, end].concat();
    accept(&signed_as(&[(end, &with("<ds:KeyInfo><ds:KeyName>x</ds:KeyName></ds:KeyInfo>"))]));
    for part in
        ["<ds:Object/>", "<ds:KeyInfo/><ds:KeyInfo/>", "<ds:SignatureValue/>", "<x/>", "<KeyInfo/>"]
    {
        reject_signature(&[(end, &with(part))], "missing or unexpected parts");
    }
    reject_signature(&[(end, &with("x"))], "Signature must contain only elements");
    reject_signature(&[("<ds:SignedInfo>", "<ds:SignedInfo a=\"b\">")], "SignedInfo has missing");
    reject_signature(&[("<ds:SignedInfo>", "<ds:SignedInfo>x")], "SignedInfo must contain only");
    reject_signature(&[("<ds:Signature ", "<ds:Signature a=\"b\" ")], "Signature has missing");
    let honest = signed_as(&[]);
    let value = honest.find("<ds:SignatureValue>").unwrap();
    let end = honest.find("</ds:SignatureValue>").unwrap();
    let with =
        |text: &str| [&honest[..value], "<ds:SignatureValue>", text, &honest[end..]].concat();
    reject(&with(""), ReasonCode::Signature, "no configured certificate");
    reject(&with("AAAA"), ReasonCode::Signature, "no configured certificate");
    reject(&with("!"), ReasonCode::Signature, "not base64");
    reject(&with("<x/>"), ReasonCode::Signature, "SignatureValue must contain only text");
    // Line breaks in base64 are usual.
    let broken = honest.replace("<ds:SignatureValue>", "<ds:SignatureValue>\r\n ");
    accept(&broken);
}

#[test]
fn each_part_of_a_signature_has_its_name() {
    for (name, reason) in [
        ("SignedInfo", "the signature has missing or unexpected parts"),
        ("SignatureValue", "the signature has missing or unexpected parts"),
        ("CanonicalizationMethod", "CanonicalizationMethod is missing"),
        ("SignatureMethod", "SignedInfo has missing"),
        ("Reference", "SignedInfo has missing"),
        ("Transforms", "Reference has missing"),
        ("Transform", "Transforms has missing"),
        ("DigestMethod", "Reference has missing"),
        ("DigestValue", "Reference has missing"),
    ] {
        let rename = |text: String, end: char| {
            text.replace(&format!("ds:{name}{end}"), &format!("ds:Other{end}"))
        };
        let renamed = [' ', '>'].into_iter().fold(SIGNATURE.to_owned(), rename);
        assert_ne!(renamed, SIGNATURE);
        let changed = IDP.sign_as(RESPONSE, "Assertion", &renamed);
        reject(&changed, ReasonCode::Signature, reason);
    }
}

#[test]
fn the_attributes_of_a_signature_are_exact() {
    for name in ["SignatureValue", "Transforms"] {
        let (from, to) = (format!("<ds:{name}>"), format!("<ds:{name} a=\"b\">"));
        reject_signature(&[(&from, &to)], &format!("{name} has missing"));
    }
    for name in ["CanonicalizationMethod", "SignatureMethod", "Transform", "DigestMethod"] {
        for attribute in ["a", "ds:Algorithm"] {
            let (from, to) = (format!("<ds:{name} "), format!("<ds:{name} {attribute}=\"b\" "));
            reject_signature(&[(&from, &to)], &format!("{name} has missing"));
        }
    }
    let list = |namespace: &str, content: &str| {
        let parameters = format!(
            "><e:InclusiveNamespaces xmlns:e=\"{namespace}\" PrefixList=\"x\">{content}\
             </e:InclusiveNamespaces></ds:Transform>"
        );
        EXCLUSIVE.replace("/>", &parameters)
    };
    let namespace = "http://www.w3.org/2001/10/xml-exc-c14n#";
    accept(&signed_as(&[(EXCLUSIVE, &list(namespace, ""))]));
    reject_signature(&[(EXCLUSIVE, &list("urn:x", ""))], "unknown parameter");
    reject_signature(&[(EXCLUSIVE, &list(namespace, "<x/>"))], "InclusiveNamespaces must be empty");
}

#[test]
fn a_signature_belongs_to_its_parent() {
    let text = XmlText::new(&signed_as(&[])).unwrap();
    let document = text.parse().unwrap();
    let name = (xml::DSIG_NAMESPACE, "Signature");
    let signature = document.descendants().find(|node| node.has_tag_name(name)).unwrap();
    let keys = [IDP.public_key()];
    let verify = |element| xml::verify_enveloped(element, signature, "ID", &keys);
    assert!(verify(signature.parent().unwrap()).is_ok());
    let error = verify(document.root_element()).unwrap_err();
    assert!(error.to_string().contains("not a child of the signed element"), "{error}");
}

#[test]
fn keys_in_a_signature_are_ignored() {
    let stranger = STRANGER.sign(RESPONSE, "Assertion");
    let key_info = "<ds:KeyInfo><ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AQAB</ds:Modulus>\
                    </ds:RSAKeyValue></ds:KeyValue><ds:X509Data><ds:X509Certificate>AAAA\
                    </ds:X509Certificate></ds:X509Data><ds:RetrievalMethod \
                    URI=\"http://127.0.0.1/\"/></ds:KeyInfo></ds:Signature>";
    let with_key = stranger.replace("</ds:Signature>", key_info);
    reject(&with_key, ReasonCode::Signature, "no configured certificate");
    accept(&signed_as(&[]).replace("</ds:Signature>", key_info));
}
