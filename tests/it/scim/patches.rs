//! All forms of PATCH and PUT: each changes the named attributes or nothing.

use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prop_oneof;
use proptest::strategy::Union;
use proptest::test_runner::Config;
use proptest::test_runner::TestCaseError;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use serde_json::json;

use super::ScimFixture;
use super::path_of;

/// Returns the parts of a user that requests change.
fn values_of(user: &Value) -> Value {
    let address = user["userName"].clone();
    assert_eq!(user["emails"], json!([{ "value": address, "type": "work", "primary": true }]));
    assert_eq!(user["name"]["formatted"], user["displayName"]);
    json!([
        user["externalId"],
        address,
        user["displayName"],
        user["name"]["givenName"],
        user["name"]["familyName"]
    ])
}

/// Operations, and the identifier, the part of the address before the @, the full name, the given name and
/// the family name that the user has afterwards.
const FORMS: &[(&str, &str)] = &[
    (r#"{"op":"replace","path":"displayName","value":"A"}"#, r#"["vera","vera","A",null,null]"#),
    (r#"{"op":"ADD","path":"DISPLAYNAME","value":"B"}"#, r#"["vera","vera","B",null,null]"#),
    (
        r#"{"Op":"Replace","Path":"urn:ietf:params:scim:schemas:core:2.0:User:displayName","Value":"C"}"#,
        r#"["vera","vera","C",null,null]"#,
    ),
    (r#"{"op":"add","path":"name.givenName","value":"G"}"#, r#"["vera","vera","C","G",null]"#),
    (
        r#"{"op":"replace","path":"urn:ietf:params:scim:schemas:core:2.0:User:name.familyName","value":"F"}"#,
        r#"["vera","vera","C","G","F"]"#,
    ),
    (
        r#"{"op":"replace","path":"name.formatted","value":"G F"}"#,
        r#"["vera","vera","G F","G","F"]"#,
    ),
    (
        r#"{"op":"replace","path":"name.familyName","value":"H"}"#,
        r#"["vera","vera","G H","G","H"]"#,
    ),
    (r#"{"op":"remove","path":"name.familyName"}"#, r#"["vera","vera","G","G",null]"#),
    (
        r#"{"op":"replace","path":"name","value":{"givenName":"X","FamilyName":"Y"}}"#,
        r#"["vera","vera","X Y","X","Y"]"#,
    ),
    (r#"{"op":"remove","path":"name"}"#, r#"["vera","vera","X Y",null,null]"#),
    (
        r#"{"op":"replace","path":"emails","value":[{"value":"a@acme.example"}]}"#,
        r#"["vera","a","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails","value":{"value":"b@acme.example","primary":"true"}}"#,
        r#"["vera","b","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails[type eq \"work\"].value","value":"c@acme.example"}"#,
        r#"["vera","c","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails[primary eq true].value","value":"d@acme.example"}"#,
        r#"["vera","d","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails[Primary eq \"True\"]","value":{"value":"e@acme.example"}}"#,
        r#"["vera","e","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails[type eq \"work\" and primary eq true].value","value":"i@acme.example"}"#,
        r#"["vera","i","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"emails.value","value":"f@acme.example"}"#,
        r#"["vera","f","X Y",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"userName","value":"g@acme.example"}"#,
        r#"["vera","g","X Y",null,null]"#,
    ),
    (r#"{"op":"replace","path":"externalId","value":"new"}"#, r#"["new","g","X Y",null,null]"#),
    (
        r#"{"op":"replace","value":{"displayName":"Z","externalId":"vera","urn:ietf:params:scim:schemas:core:2.0:User:userName":"h@acme.example"}}"#,
        r#"["vera","h","Z",null,null]"#,
    ),
    (
        r#"{"op":"add","value":{"urn:ietf:params:scim:schemas:core:2.0:User":{"displayName":"Q"}}}"#,
        r#"["vera","h","Q",null,null]"#,
    ),
    (
        r#"{"op":"replace","path":"displayName","value":"1"},{"op":"replace","path":"displayName","value":"2"}"#,
        r#"["vera","h","2",null,null]"#,
    ),
    (r#"{"op":"replace","path":"active","value":"True"}"#, r#"["vera","h","2",null,null]"#),
];

#[test]
fn each_form_of_an_operation_changes_the_named_attributes() {
    let fixture = ScimFixture::new();
    let path = path_of(&fixture.create("Vera"));
    for (operations, expected) in FORMS {
        let list = serde_json::from_str(&format!("[{operations}]")).unwrap();
        let patched = fixture.patch(&path, list);
        assert_eq!(patched.status, 200, "{operations}: {}", patched.text);
        let mut expected: Value = serde_json::from_str(expected).unwrap();
        expected[1] = json!(format!("{}@acme.example", expected[1].as_str().unwrap()));
        assert_eq!(values_of(&patched.json()), expected, "{operations}");
        assert_eq!(patched.json(), fixture.read(&path));
    }
}

#[test]
fn attributes_that_are_not_stored_and_required_ones_to_remove_are_ignored() {
    let fixture = ScimFixture::new();
    let user = fixture.create("Vera");
    let path = path_of(&user);
    let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    for operation in [
        json!({ "op": "add", "path": "nickName", "value": "x" }),
        json!({ "op": "add", "path": "title", "value": null }),
        json!({ "op": "add", "path": "id", "value": "7" }),
        json!({ "op": "add", "path": "meta.created", "value": 7 }),
        json!({ "op": "add", "path": "emails[type eq \"home\"].value", "value": "x@acme.example" }),
        json!({ "op": "add", "path": "emails[value eq \"none@acme.example\"].value", "value": "x@acme.example" }),
        json!({ "op": "add", "path": "emails[type eq \"work\" and value pr].value", "value": "x@acme.example" }),
        json!({ "op": "add", "path": "emails[not (type eq \"home\")].value", "value": "x@acme.example" }),
        json!({ "op": "add", "path": "emails[primary eq false].value", "value": "x@acme.example" }),
        json!({ "op": "add", "path": "emails[type eq \"work\"].display", "value": "x" }),
        json!({ "op": "add", "path": "emails", "value": [{ "type": "home", "value": "x@else.example" }] }),
        json!({ "op": "replace", "path": "emails", "value": [] }),
        json!({ "op": "add", "path": "displayName[type eq \"work\"]", "value": "x" }),
        json!({ "op": "add", "path": format!("{enterprise}:displayName"), "value": "x" }),
        json!({ "op": "add", "path": format!("{enterprise}:manager"), "value": "x" }),
        json!({ "op": "add", "path": enterprise, "value": { "displayName": "x" } }),
        json!({ "op": "add", "path": "urn:other:active", "value": "False" }),
        json!({ "op": "replace", "value": { enterprise: { "active": false }, "x": 1, "password": "y" } }),
        json!({ "op": "replace", "value": {} }),
        json!({ "op": "remove", "path": "externalId" }),
        json!({ "op": "remove", "path": "userName" }),
        json!({ "op": "remove", "path": "emails" }),
        json!({ "op": "remove", "path": "emails[type eq \"work\"]", "value": [] }),
        json!({ "op": "remove", "path": "displayName" }),
        json!({ "op": "remove", "path": "active" }),
        json!({ "op": "remove", "path": "addresses[type eq \"work\"].street" }),
        json!({ "op": "add", "path": "addresses[type ne \"home\"].streetAddress", "value": "x" }),
        json!({ "op": "replace", "path": "addresses[type NE \"home\" and primary ne false]", "value": {} }),
        json!({ "op": "remove", "path": "addresses[not (type ew \"e\") or type co \"\"]" }),
        json!({ "op": "add", "path": "roles[value eq null].display", "value": "x" }),
        json!({ "op": "add", "path": "x509Certificates[a gt 1 and b le -2.5e3 and c ge \"2026\" and d lt 0]", "value": "x" }),
        json!({ "op": "add", "path": format!("{enterprise}:emails[type ne \"x\"].value"), "value": "x" }),
        json!({ "op": "add", "value": { "addresses[type ne \"home\"].region": "x" } }),
        json!({ "op": "replace", "path": "displayName", "value": null }),
        json!({ "op": "replace", "path": "active", "value": null }),
    ] {
        let patched = fixture.patch(&path, json!([operation]));
        assert_eq!(patched.status, 200, "{operation}: {}", patched.text);
        assert_eq!(values_of(&patched.json()), values_of(&user), "{operation}");
    }
    let put = json!({ "id": null, "meta": { "x": 1 }, "groups": [1], "": 1, "a b": 2, "emails[": 3, "emails": [] });
    let replaced = fixture.request("PUT", &path, &put);
    assert_eq!((replaced.status, values_of(&replaced.json())), (200, values_of(&user)));
}

/// Wrong operations, and the status and the beginning of the reason.
const WRONG: &[(&str, u16, &str)] = &[
    (r#"{ "op": "replace", "path": "userName", "value": "ben" }"#, 400, "userName: "),
    (r#"{ "op": "move", "path": "displayName", "value": "x" }"#, 400, "op: "),
    (r#"{ "path": "displayName", "value": "x" }"#, 400, "op: "),
    (r#"{ "op": 1, "path": "displayName", "value": "x" }"#, 400, "op: "),
    (r#"{ "op": "replace", "path": "displayName" }"#, 400, "value: "),
    (r#"{ "op": "replace", "value": "x" }"#, 400, "value: "),
    (r#"{ "op": "replace", "path": 7, "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "emails[", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "emails[type]", "value": "x" }"#, 400, "path: "),
    (
        r#"{ "op": "replace", "path": "emails[type eq \"work\"]value", "value": "x" }"#,
        400,
        "path: ",
    ),
    (r#"{ "op": "replace", "path": "emails[type ne \"x\"].value", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "name..givenName", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "displayName eq \"x\"", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "value": { "a b": "x" } }"#, 400, "path: "),
    (r#"{ "op": "remove" }"#, 400, "path: "),
    (r#"{ "op": "remove", "path": "a[" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "displayName", "value": 7 }"#, 400, "displayName: "),
    (r#"{ "op": "replace", "path": "displayName", "value": "" }"#, 400, "displayName: "),
    (r#"{ "op": "replace", "path": "displayName", "value": ["x"] }"#, 400, "displayName: "),
    (r#"{ "op": "replace", "path": "name", "value": "x" }"#, 400, "name: "),
    (r#"{ "op": "replace", "path": "active", "value": "no" }"#, 400, "active: "),
    (r#"{ "op": "replace", "path": "active", "value": 0 }"#, 400, "active: "),
    (r#"{ "op": "replace", "path": "externalId", "value": "" }"#, 400, "externalId: "),
    (
        r#"{ "op": "replace", "path": "externalId", "value": "max" }"#,
        400,
        "externalId: is already in use",
    ),
    (r#"{ "op": "replace", "path": "userName", "value": "x@other.example" }"#, 400, "userName: "),
    (
        r#"{ "op": "replace", "path": "userName", "value": "ünï@acme.example" }"#,
        400,
        "userName: must have only ASCII characters before the @",
    ),
    (r#"{ "op": "replace", "path": "userName", "value": "max@acme.example" }"#, 409, "userName: "),
    (r#"{ "op": "replace", "path": "emails.value", "value": "nothing" }"#, 400, "emails: "),
    (
        r#"{ "op": "replace", "path": "emails.value", "value": "ünï@acme.example" }"#,
        400,
        "emails: must have only ASCII characters before the @",
    ),
    (
        r#"{ "op": "replace", "path": "externalId", "value": " v" }"#,
        400,
        "externalId: must not begin or end with white space",
    ),
    (
        r#"{ "op": "replace", "path": "externalId", "value": "v\u00a0" }"#,
        400,
        "externalId: must not begin or end with white space",
    ),
    (r#"{ "op": "replace", "path": "addresses[type ne].street", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "addresses[type xx \"a\"]", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "addresses[type ne \"a\"", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "replace", "path": "addresses[type ne a]", "value": "x" }"#, 400, "path: "),
    (r#"{ "op": "remove", "path": "addresses[type gt 1e]" }"#, 400, "path: "),
    (
        r#"{ "op": "replace", "path": "urn:ietf:params:scim:schemas:core:2.0:User:emails[type ne \"x\"].value", "value": "x" }"#,
        400,
        "path: ",
    ),
    (
        r#"{ "op": "replace", "path": "emails.value", "value": "MAX@acme.example" }"#,
        409,
        "emails: ",
    ),
    (r#"{ "op": "replace", "path": "emails", "value": [{ "primary": true }] }"#, 400, "emails: "),
    (r#""x""#, 400, "Operations: "),
];

#[test]
fn a_wrong_operation_changes_nothing() {
    let fixture = ScimFixture::new();
    fixture.create("Max");
    let user = fixture.create("Vera");
    let path = path_of(&user);
    let rename = json!({ "op": "replace", "path": "displayName", "value": "New" });
    let long = json!({ "op": "replace", "path": "x".repeat(2_001), "value": "x" }).to_string();
    for (operation, status, reason) in WRONG.iter().chain([&(long.as_str(), 400, "path: ")]) {
        let wrong: Value = serde_json::from_str(operation).unwrap();
        let patched = fixture.patch(&path, json!([rename, wrong]));
        assert_eq!(patched.status, *status, "{operation}: {}", patched.text);
        assert!(
            patched.text.starts_with(&format!("{status} {reason}")),
            "{operation}: {}",
            patched.text
        );
        assert_eq!(fixture.read(&path), user, "{operation}");
    }
    let many = |count: usize| Value::Array(vec![rename.clone(); count]);
    for operations in [json!([]), json!({}), Value::Null, many(101)] {
        assert_eq!(fixture.patch(&path, operations).status, 400);
    }
    assert_eq!(fixture.request("PATCH", &path, &json!({ "displayName": "New" })).status, 400);
    assert_eq!(fixture.read(&path), user);
    assert_eq!(fixture.patch(&path, many(100)).json()["displayName"], "New");
}

#[test]
fn changes_are_recorded_with_the_provider_as_the_actor() {
    let fixture = ScimFixture::new();
    let path = path_of(&fixture.create("Vera"));
    let change = json!({ "displayName": "V", "externalId": "v", "name": { "givenName": "G" }, "userName": "v@acme.example" });
    assert_eq!(fixture.request("PUT", &path, &change).status, 200);
    assert_eq!(fixture.request("PUT", &path, &change).status, 200, "records nothing");
    let log =
        fixture.orgs.request_org("Ann", "GET", "/audit-log?action=user.change", Value::Null).json();
    assert_eq!(log["events"].as_array().unwrap().len(), 1, "{log}");
    assert_eq!(log["events"][0]["actor"]["type"], "scim");
    let changed = |from: Value, to: &str| json!({ "from": from, "to": to });
    let expected = json!({
        "name": changed(json!("Vera"), "V"),
        "email": changed(json!("vera@acme.example"), "v@acme.example"),
        "sso_id": changed(json!("vera"), "v"),
        "given_name": changed(Value::Null, "G"),
    });
    assert_eq!(log["events"][0]["details"], expected);
}

#[test]
fn arbitrary_paths_change_the_user_only_if_they_name_an_attribute() {
    let fixture = ScimFixture::new();
    let user = fixture.create("Vera");
    let path = path_of(&user);
    let pieces = [
        "displayName",
        "nickName",
        "emails",
        "name",
        "[",
        "]",
        "(",
        ")",
        " ",
        ".",
        "\"work\"",
        "type eq \"work\"",
        "type ne \"work\"",
        "gt 1",
        "null",
        "eq",
        "pr",
        "and",
        "urn:",
        "urn:ietf:params:scim:schemas:core:2.0:User",
        ":",
        "value",
        "\\",
        "ö",
    ];
    let text = prop_oneof![
        ".{0,40}",
        proptest::collection::vec(Union::new(pieces.map(Just)), 0..10)
            .prop_map(|parts| parts.concat()),
    ];
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&text, |text| {
        // No attribute has this value, so that only ignored paths succeed.
        let patched = fixture.patch(&path, json!([{ "op": "replace", "path": text, "value": 7 }]));
        match patched.status {
            400 => Ok(()),
            200 if values_of(&patched.json()) == values_of(&user) => Ok(()),
            _ => Err(TestCaseError::fail(format!("{text:?}: {} {}", patched.status, patched.text))),
        }
    });
    outcome.unwrap();
}
