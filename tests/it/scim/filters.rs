//! Filters and pages: each filter finds exactly the users that a simple evaluation finds, and an
//! unknown filter never gives the list.

use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prop_oneof;
use proptest::strategy::Union;
use proptest::test_runner::Config;
use proptest::test_runner::TestCaseError;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use serde_json::json;

use super::ScimFixture;
use super::encode;
use super::new_user;
use crate::people::create_managed;

/// Creates the users of the tests: Vera, Örjan, Max and an account without an identifier.
fn create_users() -> ScimFixture {
    let fixture = ScimFixture::new();
    for (name, id) in [("Vera", "vera"), ("Örjan 100%", "O_1"), ("Max \"M\" \\ +", "m+x")] {
        let email = format!("{}@acme.example", &name[..3].trim_end_matches('j').replace('Ö', "o"));
        let mut body = new_user(name);
        body["externalId"] = json!(id);
        body["emails"][0]["value"] = json!(email);
        assert_eq!(fixture.request("POST", "/Users", &body).status, 201);
    }
    assert_eq!(create_managed(&fixture.orgs, "Unlinked").status, 200);
    fixture
}

#[test]
fn supported_filters_find_the_users_that_they_describe() {
    let fixture = create_users();
    let all = fixture.find("active eq true");
    assert_eq!(all.len(), 4, "{all:?}");
    let (vera, orjan, max, unlinked) = (&all[0], &all[1], &all[2], &all[3]);
    for (filter, expected) in [
        ("userName eq \"VER@ACME.example\"", vec![vera]),
        ("USERNAME EQ \"ver@acme.example\"", vec![vera]),
        ("urn:ietf:params:scim:schemas:core:2.0:User:userName eq \"ver@acme.example\"", vec![vera]),
        ("emails eq \"ver@acme.example\"", vec![vera]),
        ("emails.value eq \"ver@acme.example\"", vec![vera]),
        ("emails[type eq \"work\"].value eq \"ver@acme.example\"", vec![vera]),
        ("Emails[Type Eq \"Work\"].Value Eq \"Ver@acme.example\"", vec![vera]),
        ("userName sw \"ver\" and emails.value co \"acme\"", vec![vera]),
        ("userName co \"_\"", vec![]),
        ("userName co \"%\"", vec![]),
        ("externalId eq \"vera\"", vec![vera]),
        ("externalId eq \"VERA\"", vec![]),
        ("externalId eq \"O_1\"", vec![orjan]),
        ("externalId eq \"O%1\"", vec![]),
        ("externalId eq \"m+x\"", vec![max]),
        ("externalId eq \"\"", vec![]),
        ("externalId pr", vec![vera, orjan, max]),
        ("not (externalId pr)", vec![unlinked]),
        ("not(externalId eq \"vera\")", vec![orjan, max, unlinked]),
        ("displayName eq \"örjan 100%\"", vec![orjan]),
        ("displayName eq \"ÖRJAN 100%\"", vec![orjan]),
        ("displayName eq \"Max \\\"M\\\" \\\\ +\"", vec![max]),
        ("displayName eq \"\\u0056era\"", vec![vera]),
        ("displayName sw \"ör\"", vec![orjan]),
        ("displayName eq \"' or 1=1 --\"", vec![]),
        ("active eq false", vec![]),
        ("active pr", vec![vera, orjan, max, unlinked]),
        ("userName eq \"none\" or externalId eq \"vera\" and active eq true", vec![vera]),
        ("(externalId eq \"vera\" or externalId eq \"O_1\") and userName sw \"ver\"", vec![vera]),
        ("externalId eq \"vera\" or externalId eq \"O_1\" and userName sw \"none\"", vec![vera]),
        ("  externalId   eq   \"vera\"  ", vec![vera]),
    ] {
        assert_eq!(
            fixture.find(filter),
            expected.into_iter().cloned().collect::<Vec<_>>(),
            "{filter}"
        );
    }
    let id = fixture.read("/Users")["Resources"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(fixture.find(&format!("id eq \"{id}\"")), [vera.as_str()]);
    // In a query, a plus is a space.
    let plus = fixture.read("/Users?filter=externalId+eq+%22m%2Bx%22");
    assert_eq!(plus["totalResults"], 1);
}

/// Filters outside of the supported syntax or with unsupported attributes.
const UNKNOWN_FILTERS: &[&str] = &[
    "",
    " ",
    "userName",
    "userName eq",
    "userName eq ",
    "eq \"x\"",
    "userName ne \"x\"",
    "userName gt \"a\"",
    "userName ge \"a\"",
    "userName lt \"z\"",
    "userName le \"z\"",
    "userName ew \"e\"",
    "userName xx \"e\"",
    "userName eq x",
    "userName eq 'x'",
    "userName eq \"x",
    "userName eq \"x\" and",
    "userName eq \"x\" or",
    "and",
    "not",
    "not userName pr",
    "not active eq true",
    "(userName pr",
    "userName pr)",
    "userName prx",
    "userName eq \"x\" \"y\"",
    "userName eq \"x\"and active eq true",
    "userName eq\"x\"",
    "userName eq null",
    "userName eq true",
    "userName eq 1",
    "userName eq \"\\x\"",
    "userName eq \"a\\u0000b\"",
    "userName co \"\"",
    "userName sw \"\"",
    "userName pr pr",
    "active eq \"true\"",
    "active co \"t\"",
    "active eq 1",
    "password pr",
    "name.givenName pr",
    "name pr",
    "groups pr",
    "meta.lastModified pr",
    "emails.type eq \"work\"",
    "emails.primary eq true",
    "emails[type eq \"home\"].value eq \"x\"",
    "emails[type eq \"work\"]",
    "emails[type eq \"work\"] pr",
    "emails[type eq \"work\" or value pr].value pr",
    "emails[].value pr",
    "emails[type].value pr",
    "emails[type eq \"work\"].type pr",
    "emails[emails[type eq \"work\"].value pr].value pr",
    "userName[type eq \"work\"] pr",
    "userName.value eq \"x\"",
    "userName. pr",
    ".userName pr",
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:userName pr",
    "urn:x:userName pr",
    "urn: pr",
    "user_name pr",
    "user name pr",
    "1=1",
    "true",
    "*",
    "userName pr;",
    "userName\tpr",
    "userName pr\nand active pr",
    "userName eq \"x\" -- y",
    "schemas eq \"x\"",
    "id gt \"0\"",
    "userName%20pr",
    "üserName pr",
];

#[test]
fn unknown_filters_are_errors() {
    let fixture = create_users();
    let deep = |depth: usize| format!("{}active eq true{}", "(".repeat(depth), ")".repeat(depth));
    let terms = |count: usize| vec!["active eq true"; count].join(" and ");
    assert_eq!(fixture.find(&deep(10)).len(), 4);
    assert_eq!(fixture.find(&terms(50)).len(), 4);
    let long = |length: usize| format!("userName eq \"{}\"", "x".repeat(length - 14));
    assert_eq!(fixture.find(&long(2_000)).len(), 0);
    let negations = format!("{}active eq true{}", "not (".repeat(11), ")".repeat(11));
    let (deep, terms, long) = (deep(11), terms(51), long(2_001));
    let fixed = UNKNOWN_FILTERS.iter().copied();
    for filter in fixed.chain([deep.as_str(), &terms, &long, &negations]) {
        let response = fixture.get(&format!("/Users?filter={}", encode(filter)));
        assert_eq!(response.status, 400, "{filter}: {}", response.text);
        assert!(response.text.starts_with("400 filter: "), "{filter}: {}", response.text);
    }
    for query in [
        "filter",
        "filter=",
        "FILTER=x",
        "filter=active+pr&filter=active+pr",
        "startIndex=x",
        "startIndex=1.5",
        "count=",
        "count=ten",
        "startIndex=1&startIndex=2",
        "count=-",
    ] {
        assert_eq!(fixture.get(&format!("/Users?{query}")).status, 400, "{query}");
    }
    // Unknown parameters are ignored, and so is sorting.
    for query in ["aadOptscim062020", "sortBy=userName&sortOrder=descending", "x=1", "count"] {
        let expected = if query == "count" { 400 } else { 200 };
        assert_eq!(fixture.get(&format!("/Users?{query}")).status, expected, "{query}");
    }
}

#[test]
fn pages_contain_every_user_once_in_the_order_of_creation() {
    let fixture = ScimFixture::new();
    let names: Vec<String> = (0..7).map(|number| format!("User{number}")).collect();
    for name in names.iter().rev() {
        fixture.create(name);
    }
    let page = |query: &str| fixture.read(&format!("/Users?{query}"));
    let all = super::user_names(&page(""));
    let expected: Vec<String> =
        (0..7).rev().map(|number| format!("user{number}@acme.example")).collect();
    assert_eq!(all, expected);
    let mut paged = Vec::new();
    for start in [1, 4, 7] {
        let list = page(&format!("startIndex={start}&count=3"));
        assert_eq!(list["totalResults"], 7);
        assert_eq!(list["startIndex"], start);
        let names = super::user_names(&list);
        assert_eq!(list["itemsPerPage"], names.len());
        paged.extend(names);
    }
    assert_eq!(paged, all);
    for (query, start, length) in [
        ("startIndex=0", 1, 7),
        ("startIndex=-5&count=2", 1, 2),
        ("count=0", 1, 0),
        ("count=-1", 1, 0),
        ("count=1000", 1, 7),
        ("startIndex=8", 8, 0),
        ("count=99999999999999999999999", 1, 7),
        ("startIndex=9223372036854775807", i64::MAX, 0),
        ("startIndex=99999999999999999999999", i64::MAX, 0),
    ] {
        let list = page(query);
        assert_eq!(list["startIndex"], start, "{query}");
        assert_eq!(list["totalResults"], 7, "{query}");
        assert_eq!(list["Resources"].as_array().unwrap().len(), length, "{query}");
    }
    let found = page("filter=userName+sw+%22user%22&startIndex=2&count=2");
    assert_eq!(
        (found["totalResults"].clone(), super::user_names(&found)),
        (json!(7), all[1..3].to_vec())
    );
}

/// A filter that a strategy has built, for a simple evaluation.
#[derive(Debug, Clone)]
enum Model {
    And(Box<Model>, Box<Model>),
    Or(Box<Model>, Box<Model>),
    Not(Box<Model>),
    Present(&'static str),
    Text(&'static str, &'static str, String),
    Active(bool),
}

/// Attributes with texts.
const TEXTS: [&str; 6] = [
    "userName",
    "externalId",
    "id",
    "displayName",
    "emails.value",
    "emails[type eq \"work\"].value",
];

impl Model {
    /// Returns the filter as text.
    fn text(&self) -> String {
        match self {
            Self::And(left, right) => format!("({}) and ({})", left.text(), right.text()),
            Self::Or(left, right) => format!("({}) or ({})", left.text(), right.text()),
            Self::Not(inner) => format!("not ({})", inner.text()),
            Self::Present(attribute) => format!("{attribute} pr"),
            Self::Text(attribute, operator, value) => {
                format!("{attribute} {operator} {}", Value::from(value.as_str()))
            }
            Self::Active(active) => format!("active eq {active}"),
        }
    }

    /// Returns whether a user of a response matches.
    fn matches(&self, user: &Value) -> bool {
        match self {
            Self::And(left, right) => left.matches(user) && right.matches(user),
            Self::Or(left, right) => left.matches(user) || right.matches(user),
            Self::Not(inner) => !inner.matches(user),
            Self::Active(active) => *active,
            Self::Present(attribute) => find_text(attribute, user).is_some(),
            Self::Text(attribute, operator, value) => {
                let Some(mut text) = find_text(attribute, user) else { return false };
                let mut value = value.clone();
                if !matches!(*attribute, "externalId" | "id") {
                    (text, value) = (text.to_lowercase(), value.to_lowercase());
                }
                match *operator {
                    "eq" => text == value,
                    "co" => text.contains(&value),
                    _ => text.starts_with(&value),
                }
            }
        }
    }
}

/// Returns the text of an attribute of a user.
fn find_text(attribute: &str, user: &Value) -> Option<String> {
    let value = match attribute {
        name if name.starts_with("emails") => &user["emails"][0]["value"],
        name => &user[name],
    };
    value.as_str().map(str::to_owned)
}

/// Returns a strategy for filters within the limits of depth and number of terms.
fn models() -> impl Strategy<Value = Model> {
    let attribute = || Union::new(TEXTS.map(Just));
    let value = prop_oneof![
        Union::new(
            ["vera", "VER", "ver@acme.example", "O_1", "örjan 100%", "\"M\"", "a", "%", "\\"]
                .map(Just)
        )
        .prop_map(str::to_owned),
        "[a-zA-ZöÖ0-9@. %_'\"\\\\+]{1,4}",
    ];
    let operator = Union::new(["eq", "co", "sw"].map(Just));
    let leaf = prop_oneof![
        6 => (attribute(), operator, value).prop_map(|(name, operator, value)| Model::Text(name, operator, value)),
        1 => attribute().prop_map(Model::Present),
        1 => any::<bool>().prop_map(Model::Active),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(left, right)| Model::And(Box::new(left), Box::new(right))),
            pair.prop_map(|(left, right)| Model::Or(Box::new(left), Box::new(right))),
            inner.prop_map(|inner| Model::Not(Box::new(inner))),
        ]
    })
}

#[test]
fn a_filter_finds_the_users_that_a_simple_evaluation_finds() {
    let fixture = create_users();
    let all = fixture.read("/Users")["Resources"].as_array().unwrap().clone();
    let mut runner =
        TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&models(), |model| {
        let matching: Vec<&Value> = all.iter().filter(|user| model.matches(user)).collect();
        let expected: Vec<String> =
            matching.iter().map(|user| user["userName"].as_str().unwrap().to_owned()).collect();
        let text = model.text();
        let found = fixture.get(&format!("/Users?filter={}", encode(&text)));
        match (found.status, super::user_names(&found.json())) {
            (200, found) if found == expected => Ok(()),
            (status, found) => {
                Err(TestCaseError::fail(format!("{text}: {status} {found:?}, not {expected:?}")))
            }
        }
    });
    outcome.unwrap();
}

#[test]
fn arbitrary_text_is_an_error_or_a_filter_but_never_a_fault() {
    let fixture = create_users();
    let pieces = [
        "userName", "active", "emails", "[", "]", "(", ")", " ", ".", "\"", "\\", "eq", "pr",
        "and", "or", "not", "true", "urn:", ":", "type", "\"x\"", "\u{0}", "ö",
    ];
    let text = prop_oneof![
        ".{0,40}",
        proptest::collection::vec(Union::new(pieces.map(Just)), 0..14)
            .prop_map(|parts| parts.concat()),
    ];
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&text, |text| {
        let found = fixture.get(&format!("/Users?filter={}", encode(&text)));
        match found.status {
            400 if found.text.starts_with("400 filter: ") => Ok(()),
            // Only a text with a comparison can be a filter.
            200 if ["pr", "eq", "co", "sw"]
                .iter()
                .any(|word| text.to_lowercase().contains(word)) =>
            {
                Ok(())
            }
            status => Err(TestCaseError::fail(format!("{text:?}: {status} {}", found.text))),
        }
    });
    outcome.unwrap();
}
