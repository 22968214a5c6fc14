//! Random changes of signed SAML responses, and the check that none of them changes the result.
//!
//! The example `saml_mutants` and the fuzz target `saml_response` include this file too. It uses the
//! public API only.

use chartroom::features::sso::protocol;
use chartroom::features::sso::protocol::IdentityProvider;
use chartroom::features::sso::protocol::ServiceProvider;
use chartroom::features::sso::protocol::VerifiedAssertion;
use chartroom_platform::time::Timestamp;

#[path = "mutable_tree.rs"]
mod mutable_tree;

use mutable_tree::Element;
use mutable_tree::Item;
pub use mutable_tree::Random;

/// Local names that matter to the verifier.
const NAMES: [&str; 18] = [
    "Response",
    "Assertion",
    "Signature",
    "SignedInfo",
    "Reference",
    "Transforms",
    "DigestValue",
    "SignatureValue",
    "KeyInfo",
    "Object",
    "Subject",
    "NameID",
    "SubjectConfirmation",
    "Conditions",
    "AttributeStatement",
    "AttributeValue",
    "Extensions",
    "Advice",
];
/// Prefixes of element names, also unknown ones.
const PREFIXES: [&str; 8] = ["", "saml:", "saml2:", "samlp:", "saml2p:", "ds:", "ns1:", ":"];
/// Attributes that matter to the verifier.
const ATTRIBUTES: [(&str, &str); 16] = [
    ("ID", "_a0123456789abcdef"),
    ("ID", "_r0123456789abcdef"),
    ("Id", "_a0123456789abcdef"),
    ("xml:id", "_a0123456789abcdef"),
    ("URI", ""),
    ("URI", "#_a0123456789abcdef"),
    ("Algorithm", "http://www.w3.org/2000/09/xmldsig#hmac-sha1"),
    ("Algorithm", "http://www.w3.org/TR/1999/REC-xpath-19991116"),
    ("PrefixList", "saml ds xs #default"),
    ("InResponseTo", "_other"),
    ("NotOnOrAfter", "2036-01-01T00:00:00Z"),
    ("Recipient", "https://eve.example/"),
    ("xmlns", "urn:oasis:names:tc:SAML:2.0:assertion"),
    ("xmlns", ""),
    ("xmlns:saml", "urn:oasis:names:tc:SAML:2.0:assertion"),
    ("a:xmlns", "urn:oasis:names:tc:SAML:2.0:assertion"),
];
/// Source that can split or replace a text.
const SOURCES: [&str; 12] = [
    "<!---->",
    "<!-- x -->",
    "<![CDATA[]]>",
    "<![CDATA[x]]>",
    "<?x y?>",
    "&#0;",
    "&#120;",
    "&amp;",
    "&x;",
    "\r\n",
    " ",
    "eve",
];

/// Changes the tree once.
fn change_tree(root: &mut Element, donor: &Element, random: &mut Random) {
    let focus = random.chance(60).then(|| random.pick(&NAMES));
    let path = root.random_path(random, focus);
    let target = root.random_path(random, None);
    match random.below(10) {
        0 => {
            if let Some(item) = root.remove(&path) {
                let target = root.random_path(random, None);
                root.insert(random, &target, item);
            }
        }
        1 => {
            if let Some(element) = root.at(&path).map(|element| element.clone()) {
                root.insert(random, &target, Item::Element(element));
            }
        }
        2 => {
            root.remove(&path);
        }
        3 => wrap(root, &path, random),
        4 => {
            if let Some(element) = root.at(&path) {
                element.name = [random.pick(&PREFIXES), random.pick(&NAMES)].concat();
            }
        }
        5 => {
            let mut donor = donor.clone();
            let from = donor.random_path(random, focus);
            if let Some(element) = donor.at(&from).map(|element| element.clone()) {
                root.insert(random, &target, Item::Element(element));
            }
        }
        6 => unwrap_element(root, &path),
        7 => forge_assertion(root, random),
        8 => change_attributes(root, &path, random),
        _ => change_text(root, &path, random),
    }
}

/// Puts the element at a path into a new element.
fn wrap(root: &mut Element, path: &[usize], random: &mut Random) {
    let name = [random.pick(&PREFIXES), random.pick(&NAMES)].concat();
    let Some(element) = root.at(path) else { return };
    let inner = element.clone();
    *element = Element { name, attributes: Vec::new(), items: vec![Item::Element(inner)] };
    if random.chance(30) {
        element.attributes = vec![("xmlns".into(), "urn:x".into())];
    }
}

/// Replaces the element at a path by its content.
fn unwrap_element(root: &mut Element, path: &[usize]) {
    let Some((last, parent)) = path.split_last() else { return };
    let Some(parent) = root.at(parent) else { return };
    if let Some(Item::Element(element)) = parent.items.get(*last) {
        let items = element.items.clone();
        parent.items.splice(last..=last, items);
    }
}

/// Adds a forged copy of the assertion, or replaces the assertion by one that contains the original:
/// signature wrapping.
fn forge_assertion(root: &mut Element, random: &mut Random) {
    let name = if random.chance(80) { "Assertion" } else { "Response" };
    let path = root.random_path(random, Some(name));
    let Some(original) = root.at(&path).map(|element| element.clone()) else { return };
    let mut forged = original.clone();
    forged.forge(random);
    if random.chance(50) {
        forged.items.retain(
            |item| !matches!(item, Item::Element(child) if child.local_name() == "Signature"),
        );
    }
    if random.chance(50) {
        forged.attributes.retain(|(name, _)| name != "ID");
        if random.chance(70) {
            forged.attributes.push(("ID".into(), "_evil".into()));
        }
    }
    if random.chance(50) {
        let target = root.random_path(random, None);
        root.insert(random, &target, Item::Element(forged));
        return;
    }
    let place = forged.random_path(random, None);
    let wrapper = [random.pick(&PREFIXES), random.pick(&["Advice", "Object", "Extensions"])];
    let original = if random.chance(50) {
        let items = vec![Item::Element(original)];
        Element { name: wrapper.concat(), attributes: Vec::new(), items }
    } else {
        original
    };
    forged.insert(random, &place, Item::Element(original));
    if let Some(element) = root.at(&path) {
        *element = forged;
    }
}

/// Adds, removes, renames, copies or changes an attribute of the element at a path.
fn change_attributes(root: &mut Element, path: &[usize], random: &mut Random) {
    let (name, value) = ATTRIBUTES[random.below(ATTRIBUTES.len())];
    let Some(element) = root.at(path) else { return };
    let count = element.attributes.len();
    if count == 0 || random.chance(30) {
        element.attributes.push((name.to_owned(), value.to_owned()));
        return;
    }
    let index = random.below(count);
    match random.below(6) {
        0 => drop(element.attributes.remove(index)),
        1 => name.clone_into(&mut element.attributes[index].0),
        2 => value.clone_into(&mut element.attributes[index].1),
        3 => element.attributes[index].1.push_str(random.pick(&SOURCES)),
        4 => element.attributes.push(element.attributes[index].clone()),
        _ => element.attributes.swap(0, index),
    }
}

/// Changes or splits a text of the element at a path, or adds one.
fn change_text(root: &mut Element, path: &[usize], random: &mut Random) {
    let source = random.pick(&SOURCES);
    let Some(element) = root.at(path) else { return };
    let mut texts = element.items.iter_mut().filter_map(|item| match item {
        Item::Source(text) => Some(text),
        Item::Element(_) => None,
    });
    match texts.next() {
        None => element.items.push(Item::Source(source.to_owned())),
        Some(text) => {
            let place = random.below(text.len() + 1);
            if !text.is_char_boundary(place) {
                return;
            }
            match random.below(4) {
                0 => text.insert_str(place, source),
                1 => text.truncate(place),
                2 => *text = format!("<![CDATA[{text}]]>"),
                _ => {
                    let parts: Vec<String> =
                        text.chars().map(|char| format!("&#{};", u32::from(char))).collect();
                    *text = parts.concat();
                }
            }
        }
    }
}

/// Changes the source once, without regard to its structure.
fn change_source(text: &mut Vec<u8>, random: &mut Random) {
    let start = random.below(text.len());
    let length = random.below(40).min(text.len() - start);
    match random.below(5) {
        0 => text[start] = u8::try_from(random.below(256)).unwrap_or(0),
        1 => text
            .insert(start, random.pick(&["<", ">", "/", "\"", "=", " ", "&", "\r"]).as_bytes()[0]),
        2 => drop(text.drain(start..start + length)),
        3 => {
            let part = text[start..start + length].to_vec();
            let place = random.below(text.len());
            text.splice(place..place, part);
        }
        _ => {
            let source = random.pick(&SOURCES).bytes();
            text.splice(start..start, source);
        }
    }
}

/// A response that an independent program signed.
struct Honest {
    xml: String,
    tree: Element,
    want: VerifiedAssertion,
}

/// Signed responses, and the parameters with which they are valid.
pub struct Corpus {
    service_provider: ServiceProvider,
    identity_provider: IdentityProvider,
    now: Timestamp,
    honest: Vec<Honest>,
}

/// Time at which the responses of the corpus were signed.
pub const NOW: &str = include_str!("fixtures/now.txt");
/// Certificate of the identity provider that signed the responses of the corpus.
pub const CERTIFICATE: &str = include_str!("fixtures/certificate.pem");
/// Responses in the styles of several providers, with each combination of signed elements.
pub const RESPONSES: [&str; 7] = [
    include_str!("fixtures/okta-xmlsec.xml"),
    include_str!("fixtures/entra-signxml.xml"),
    include_str!("fixtures/google-response.xml"),
    include_str!("fixtures/keycloak-both.xml"),
    include_str!("fixtures/shibboleth.xml"),
    include_str!("fixtures/pysaml2-assertion.xml"),
    include_str!("fixtures/pysaml2-both.xml"),
];

impl Corpus {
    /// Verifies the responses. Panics if one is rejected.
    pub fn load() -> Self {
        let certificates =
            protocol::parse_certificates(CERTIFICATE).expect("the certificate is valid");
        let mut corpus = Self {
            service_provider: ServiceProvider {
                audience: "https://charts.example".into(),
                acs_url: "https://charts.example/sso/saml2".into(),
            },
            identity_provider: IdentityProvider {
                entity_id: "https://idp.example/metadata".into(),
                keys: certificates.into_iter().map(|certificate| certificate.key).collect(),
            },
            now: Timestamp::parse_rfc3339(NOW.trim()).expect("the time is valid"),
            honest: Vec::new(),
        };
        for xml in RESPONSES {
            let want = corpus.verify(xml).expect("an honest response is accepted");
            let start = xml.find("<s").or_else(|| xml.find("<ns0:")).expect("a root element");
            let (tree, _) = Element::parse(&xml[start..]).expect("the response is well-formed");
            corpus.honest.push(Honest { xml: xml.to_owned(), tree, want });
        }
        corpus
    }

    /// Verifies a response with the parameters of the corpus.
    fn verify(&self, xml: &str) -> Result<VerifiedAssertion, protocol::Rejection> {
        protocol::verify(xml, &self.service_provider, &self.identity_provider, self.now)
    }

    /// Returns a response of the corpus with one to four random changes.
    pub fn mutate(&self, random: &mut Random) -> String {
        let honest = &self.honest[random.below(self.honest.len())];
        let donor = &self.honest[random.below(self.honest.len())];
        let changes = 1 + random.below(4);
        if random.chance(25) {
            let mut text = honest.xml.clone().into_bytes();
            (0..changes).for_each(|_| change_source(&mut text, random));
            return String::from_utf8_lossy(&text).into_owned();
        }
        let mut tree = honest.tree.clone();
        (0..changes).for_each(|_| change_tree(&mut tree, &donor.tree, random));
        let mut text = String::new();
        tree.write(&mut text);
        text
    }

    /// Verifies a changed response. Returns whether it is accepted with the result of an honest
    /// response.
    ///
    /// # Errors
    /// The response is accepted with another result.
    pub fn check(&self, xml: &str) -> Result<bool, String> {
        // A search for panics. It costs as much as the verification, so that only some pay for it.
        if xml.len().is_multiple_of(8) {
            let _ = protocol::unverified_issuer(xml);
        }
        match self.verify(xml) {
            Err(_) => Ok(false),
            Ok(found) if self.honest.iter().any(|honest| honest.want == found) => Ok(true),
            Ok(found) => Err(format!("accepted as {found:?}:\n{xml}")),
        }
    }
}
