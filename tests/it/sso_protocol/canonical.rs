//! Exclusive canonicalization, compared with examples and with libxml2 on random documents.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::process::Command;
use std::process::Stdio;
use std::thread;

use chartroom_platform::xml;
use chartroom_platform::xml::XmlText;
use roxmltree::Node;
use serde_json::json;

use super::mutation::Random;

/// Number of random documents.
const DOCUMENTS: u64 = 100_000;
const PREFIXES: [&str; 5] = ["", "p", "q", "r", "xs"];
const NAMESPACES: [&str; 4] = ["urn:a", "urn:b", "http://c.example/?x=%20#y", "urn:b:c"];
const NAMES: [&str; 5] = ["a", "b", "ID", "x-1.y", "ü"];
const TEXTS: [&str; 20] = [
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "ä€😀",
    "&amp;",
    "&lt;",
    "&gt;",
    ">",
    "\"",
    "'",
    "&#13;",
    "&#x9;",
    "&#10;",
    "&quot;",
    "&apos;",
    "&#x1F600;",
    "]]&gt;",
];

/// Canonicalizes an element of a document, given by its number in document order.
fn canonicalize(text: &str, number: usize, excluded: Option<usize>, prefixes: &[&str]) -> String {
    let text = XmlText::new(text).unwrap();
    let document = text.parse().unwrap();
    let elements: Vec<_> = document.descendants().filter(Node::is_element).collect();
    let excluded = excluded.map(|number| elements[number].id());
    xml::canonicalize(elements[number], prefixes, excluded).unwrap()
}

/// A document, the number of an element, that of an excluded element, a PrefixList, and the canonical
/// form.
type Example = (&'static str, usize, Option<usize>, &'static [&'static str], &'static str);

const EXAMPLES: &[Example] = &[
    ("<a/>", 0, None, &[], "<a></a>"),
    ("<a  b = 'c'\n a=\"d\" ></a >", 0, None, &[], "<a a=\"d\" b=\"c\"></a>"),
    ("<!-- x --><a>1<!-- x -->2</a><!-- x -->", 0, None, &[], "<a>12</a>"),
    ("<a><![CDATA[<&>]]>&gt;\r\n&#13;</a>", 0, None, &[], "<a>&lt;&amp;&gt;&gt;\n&#xD;</a>"),
    (
        "<a b='\"&#9;&#10;&#13;\t&lt;>&amp;'/>",
        0,
        None,
        &[],
        "<a b=\"&quot;&#x9;&#xA;&#xD; &lt;>&amp;\"></a>",
    ),
    (
        "<a xmlns='u' xmlns:p='v'><p:b/></a>",
        0,
        None,
        &[],
        "<a xmlns=\"u\"><p:b xmlns:p=\"v\"></p:b></a>",
    ),
    ("<a xmlns='u' xmlns:p='v'><p:b/></a>", 1, None, &[], "<p:b xmlns:p=\"v\"></p:b>"),
    (
        "<a xmlns='u' xmlns:p='v'><p:b/></a>",
        1,
        None,
        &["", "p"],
        "<p:b xmlns=\"u\" xmlns:p=\"v\"></p:b>",
    ),
    (
        "<a xmlns='u' xmlns:p='v'><b/></a>",
        0,
        None,
        &["p"],
        "<a xmlns=\"u\" xmlns:p=\"v\"><b></b></a>",
    ),
    ("<a xmlns='u'><b xmlns=''/></a>", 0, None, &[], "<a xmlns=\"u\"><b xmlns=\"\"></b></a>"),
    ("<a xmlns='u'><b xmlns=''/></a>", 1, None, &[], "<b></b>"),
    (
        "<p:a xmlns:p='u' xmlns:q='t' q:z='1' p:a='2' b='3'/>",
        0,
        None,
        &[],
        "<p:a xmlns:p=\"u\" xmlns:q=\"t\" b=\"3\" q:z=\"1\" p:a=\"2\"></p:a>",
    ),
    ("<a xml:lang='en'><b/></a>", 1, None, &[], "<b></b>"),
    ("<a>1<b/>2<c/></a>", 0, Some(1), &[], "<a>12<c></c></a>"),
    (
        "<p:a xmlns:p='u'><b><p:c/></b><p:c xmlns:p='w'/></p:a>",
        0,
        None,
        &[],
        "<p:a xmlns:p=\"u\"><b><p:c></p:c></b><p:c xmlns:p=\"w\"></p:c></p:a>",
    ),
    // The parser alone would keep these carriage returns.
    ("<a b='\r&#10;'>1\r&#10;2\r&#32;3\r</a>", 0, None, &[], "<a b=\" &#xA;\">1\n\n2\n 3\n</a>"),
    ("<a xmlns='u&amp;v'/>", 0, None, &[], "<a xmlns=\"u&amp;v\"></a>"),
];

#[test]
fn examples_have_their_canonical_form() {
    for (text, number, excluded, prefixes, want) in EXAMPLES {
        assert_eq!(canonicalize(text, *number, *excluded, prefixes), *want, "{text}");
    }
}

#[test]
fn the_canonical_form_is_bounded() {
    let namespace = "n".repeat(2_000);
    let children = "<p:b/>".repeat(1_000);
    let text = XmlText::new(&format!("<a xmlns:p='{namespace}'>{children}</a>")).unwrap();
    let document = text.parse().unwrap();
    let error = xml::canonicalize(document.root_element(), &[], None).unwrap_err();
    assert!(error.to_string().contains("longer than 1 MiB"), "{error}");
}

#[test]
fn the_canonical_form_of_a_canonical_form_is_the_same() {
    for seed in 0..500 {
        let document = RandomDocument::new(seed);
        let once = document.canonicalize();
        assert_eq!(canonicalize(&once, 0, None, &document.prefix_list), once);
    }
}

/// A random document, and the part of it to canonicalize.
struct RandomDocument {
    text: String,
    /// Number of elements.
    elements: usize,
    number: usize,
    excluded: Option<usize>,
    /// PrefixList.
    prefix_list: Vec<&'static str>,
}

impl RandomDocument {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut document = Self {
            text: String::new(),
            elements: 0,
            number: 0,
            excluded: None,
            prefix_list: Vec::new(),
        };
        if random.chance(20) {
            document.text.push_str("<?xml version=\"1.0\" encoding='utf-8'?>\r\n<!-- x -->");
        }
        document.write_element(&mut random, 0, &mut Vec::new());
        document.text.push_str(random.pick(&["", "\n", "<!-- x -->"]));
        document.number = if random.chance(50) { 0 } else { random.below(document.elements) };
        let excluded = 1 + document.number + random.below(document.elements);
        // Only a child of the part or a later element; those outside of the part change nothing.
        document.excluded = (random.chance(30) && excluded < document.elements).then_some(excluded);
        // lxml ignores `#default`. The response `default-prefix` of xmlsec1 covers it.
        let prefixes = ["p", "q", "r", "xs", "unknown"];
        let length = if random.chance(50) { 0 } else { random.below(4) };
        document.prefix_list = (0..length).map(|_| random.pick(&prefixes)).collect();
        document
    }

    /// Appends an element. `scope` has the declarations of its ancestors, the innermost last.
    fn write_element(
        &mut self,
        random: &mut Random,
        depth: usize,
        scope: &mut Vec<(usize, usize)>,
    ) {
        self.elements += 1;
        let length = scope.len();
        let mut declared: Vec<(usize, usize)> = Vec::new();
        let mut declare = |prefix: usize, namespace: usize, declared: &mut Vec<(usize, usize)>| {
            if declared.iter().all(|(known, _)| *known != prefix) {
                declared.push((prefix, namespace));
                scope.push((prefix, namespace));
            }
        };
        while random.chance(30) {
            // A prefix always has a namespace; the default namespace can be removed.
            let prefix = random.below(PREFIXES.len());
            let namespaces = NAMESPACES.len() + usize::from(prefix == 0);
            declare(prefix, random.below(namespaces), &mut declared);
        }
        let prefix = if random.chance(50) { 0 } else { random.below(PREFIXES.len()) };
        let mut used = vec![prefix];
        let mut attributes: Vec<(usize, usize)> = Vec::new();
        while random.chance(40) {
            let attribute = (random.below(PREFIXES.len()), random.below(NAMES.len()));
            // Two prefixes can have the same namespace, so that names must differ.
            if attributes.iter().all(|(_, name)| *name != attribute.1) {
                used.push(attribute.0);
                attributes.push(attribute);
            }
        }
        for prefix in used {
            if prefix > 0 && scope_namespace(scope, prefix).is_none() {
                let namespace = random.below(NAMESPACES.len());
                declared.push((prefix, namespace));
                scope.push((prefix, namespace));
            }
        }
        let name = qualified(prefix, random.below(NAMES.len()));
        self.text.extend(["<", &name]);
        self.write_attributes(random, &declared, &attributes);
        self.text.push('>');
        self.write_content(random, depth, scope);
        self.text.extend(["</", &name, random.pick(&["", " "]), ">"]);
        scope.truncate(length);
    }

    /// Appends the content of an element.
    fn write_content(
        &mut self,
        random: &mut Random,
        depth: usize,
        scope: &mut Vec<(usize, usize)>,
    ) {
        while depth < 6 && random.chance(60) {
            match random.below(5) {
                0 | 1 => self.write_element(random, depth + 1, scope),
                2 => self.text.push_str(random.pick(&["<!---->", "<!-- & < -->", "<![CDATA[]]>"])),
                3 => self.text.push_str(random.pick(&["<![CDATA[<&>]]>", "<![CDATA[\r\n\"]]>"])),
                _ => self.text.push_str(random.pick(&TEXTS)),
            }
        }
    }

    /// Appends declarations and attributes in a random order of both kinds.
    fn write_attributes(
        &mut self,
        random: &mut Random,
        declared: &[(usize, usize)],
        attributes: &[(usize, usize)],
    ) {
        let mut parts = Vec::new();
        for (prefix, namespace) in declared {
            let name = if *prefix == 0 { "xmlns" } else { "xmlns:" };
            let namespace = NAMESPACES.get(*namespace).copied().unwrap_or_default();
            parts.push(format!("{name}{}='{namespace}'", PREFIXES[*prefix]));
        }
        for (prefix, name) in attributes {
            let value: String = (0..random.below(4)).map(|_| random.pick(&TEXTS)).collect();
            let quote = random.pick(&["\"", "'"]);
            parts.push(format!(
                "{}={quote}{}{quote}",
                qualified(*prefix, *name),
                value.replace(quote, "")
            ));
        }
        if random.chance(5) {
            parts.push("xml:lang = 'en'".to_owned());
        }
        while !parts.is_empty() {
            let part = parts.swap_remove(random.below(parts.len()));
            self.text.extend([random.pick(&[" ", "\n", "  "]), &part]);
        }
    }

    fn canonicalize(&self) -> String {
        canonicalize(&self.text, self.number, self.excluded, &self.prefix_list)
    }
}

/// Returns the namespace of a prefix. None if it is not declared.
fn scope_namespace(scope: &[(usize, usize)], prefix: usize) -> Option<usize> {
    scope.iter().rev().find(|(known, _)| *known == prefix).map(|(_, namespace)| *namespace)
}

/// Returns a qualified name.
fn qualified(prefix: usize, name: usize) -> String {
    match PREFIXES[prefix] {
        "" => NAMES[name].to_owned(),
        prefix => format!("{prefix}:{}", NAMES[name]),
    }
}

#[test]
#[ignore = "needs lxml, named by TEST_PYTHON"]
fn random_documents_have_the_canonical_form_of_libxml2() {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sso_protocol/canonicalize.py");
    let mut command = Command::new(python);
    let mut child =
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let writer = thread::spawn(move || {
        for seed in 0..DOCUMENTS {
            let document = RandomDocument::new(seed);
            let (number, excluded) = (document.number, document.excluded);
            let line = json!([document.text, number, excluded, document.prefix_list]);
            writeln!(input, "{line}").unwrap();
        }
    });
    let mut compared = 0;
    for (seed, line) in (0..DOCUMENTS).zip(output.lines()) {
        let want: String = serde_json::from_str(&line.unwrap()).unwrap();
        let document = RandomDocument::new(seed);
        let text = &document.text;
        assert_eq!(
            document.canonicalize(),
            want,
            "seed {seed}, {:?}: {text}",
            document.prefix_list
        );
        compared += 1;
    }
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(compared, DOCUMENTS);
}
