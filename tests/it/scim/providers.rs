//! The requests of Okta, Entra ID and OneLogin, with their bodies, media types and spellings.

use serde_json::Value;
use serde_json::json;

use super::ScimFixture;
use super::encode;
use super::path_of;
use crate::test_server::Response;

/// Sends a request with the headers of a provider.
fn send(fixture: &ScimFixture, media_type: &str, method: &str, path: &str, body: &str) -> Response {
    let headers = [
        ("content-type", media_type),
        ("accept", media_type),
        ("user-agent", "Okta SCIM Client 1.0.0"),
    ];
    fixture.send(method, path, &headers, body)
}

/// A new user of Okta.
const OKTA_USER: &str = r#"{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],
        "userName":"isaac.brock@acme.example","name":{"givenName":"Isaac","familyName":"Brock"},
        "emails":[{"primary":true,"value":"isaac.brock@acme.example","type":"work"}],
        "displayName":"Isaac Brock","locale":"en-US","externalId":"00ujl29u0le5T6Aj10h7",
        "groups":[],"password":"1mz050nq","active":true}"#;

#[test]
fn okta_provisions_changes_and_deactivates_a_user() {
    let fixture = ScimFixture::new();
    let okta = |method: &str, path: &str, body: &str| {
        send(&fixture, "application/scim+json; charset=utf-8", method, path, body)
    };
    let test = okta("GET", "/Users?startIndex=1&count=2", "");
    assert_eq!((test.status, &test.json()["totalResults"]), (200, &json!(0)));
    assert_eq!(okta("GET", "/Groups?startIndex=1&count=100", "").status, 200);
    let search =
        "/Users?filter=userName%20eq%20%22isaac.brock%40acme.example%22&startIndex=1&count=100";
    assert_eq!(okta("GET", search, "").json()["totalResults"], 0);

    let created = okta("POST", "/Users", OKTA_USER);
    assert_eq!(created.status, 201, "{}", created.text);
    let mut user = created.json();
    assert_eq!(user["name"]["familyName"], "Brock");
    assert!(user.get("password").is_none());
    assert_eq!(okta("GET", search, "").json()["Resources"], json!([user]));
    let path = path_of(&user);

    // The profile push reads the user, and replaces it with unknown keys kept.
    user = okta("GET", &path, "").json();
    user["name"] = json!({ "givenName": "Isaac", "familyName": "Brook", "middleName": "A" });
    user["displayName"] = json!("Isaac Brook");
    user["nickName"] = json!("Ike");
    let pushed = okta("PUT", &path, &user.to_string());
    assert_eq!(pushed.status, 200, "{}", pushed.text);
    let pushed = pushed.json();
    assert_eq!(
        (&pushed["displayName"], &pushed["name"]["familyName"]),
        (&json!("Isaac Brook"), &json!("Brook"))
    );
    assert_eq!(pushed["externalId"], "00ujl29u0le5T6Aj10h7");

    let patch = |value: &str| {
        let body = format!(
            r#"{{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations":[{{"op":"replace","value":{value}}}]}}"#
        );
        okta("PATCH", &path, &body)
    };
    assert_eq!(patch(r#"{"active":true}"#).json(), pushed, "nothing changes");
    assert_eq!(patch(r#"{"password":"t1meMa$heen"}"#).status, 200);
    let deactivated = patch(r#"{"active":false}"#);
    assert_eq!(deactivated.status, 200, "{}", deactivated.text);
    assert_eq!(deactivated.json()["id"], user["id"]);
    assert_eq!(okta("GET", &path, "").status, 404);
    assert_eq!(okta("GET", search, "").json()["totalResults"], 0);
    // Assigning the user again creates it again.
    let again = okta("POST", "/Users", OKTA_USER);
    assert_eq!((again.status, &again.json()["id"]), (201, &user["id"]));
    // An application of the wizard sends the deactivation as PUT.
    let mut inactive: Value = serde_json::from_str(OKTA_USER).unwrap();
    inactive["active"] = json!(false);
    assert_eq!(okta("PUT", &path, &inactive.to_string()).status, 200);
    assert_eq!(okta("GET", &path, "").status, 404);
}

/// Creates a user as Entra ID does and returns it.
fn create_as_entra(fixture: &ScimFixture, query: &str) -> Value {
    let body = r#"{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "externalId":"0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef","userName":"Test.User@acme.example","active":true,
        "emails":[{"primary":true,"type":"work","value":"Test.User@acme.example"}],
        "meta":{"resourceType":"User"},
        "name":{"formatted":"Test User","familyName":"User","givenName":"Test"},"roles":[],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Sales"}}"#;
    let created = send(fixture, "application/scim+json", "POST", &format!("/Users{query}"), body);
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.header("content-type"), "application/scim+json; charset=utf-8");
    created.json()
}

#[test]
fn entra_provisions_changes_and_disables_a_user() {
    let fixture = ScimFixture::new();
    let entra = |method: &str, path: &str, body: &str| {
        send(&fixture, "application/scim+json", method, path, body)
    };
    let find = |filter: &str| {
        let found = entra("GET", &format!("/Users?filter={}", encode(filter)), "");
        assert_eq!(found.status, 200, "{filter}: {}", found.text);
        found.json()["totalResults"].clone()
    };
    assert_eq!(find("userName eq \"7d3e6f3c-0d1c-4b8c-a4f6-1a2b3c4d5e6f\""), 0);
    let user = create_as_entra(&fixture, "");
    assert_eq!(user["displayName"], "Test User");
    for filter in [
        "userName eq \"Test.User@acme.example\"",
        "externalId eq \"0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef\"",
        "emails[type eq \"work\"].value eq \"test.user@acme.example\"",
        "userName eq \"Test.User@acme.example\" and externalId eq \"0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef\"",
    ] {
        assert_eq!(find(filter), 1, "{filter}");
    }
    let path = path_of(&user);
    let patch = |operations: &str| {
        let body = format!(
            r#"{{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{operations}]}}"#
        );
        entra("PATCH", &path, &body)
    };
    let changed = patch(
        r#"{"op":"Replace","path":"emails[type eq \"work\"].value","value":"updated@acme.example"},
        {"op":"Replace","path":"name.familyName","value":"Updated"},
        {"op":"Add","path":"phoneNumbers[type eq \"work\"].value","value":"+1"},
        {"op":"Add","path":"roles[primary eq \"True\"].value","value":"admin"},
        {"op":"Add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager","value":"7"},
        {"op":"Replace","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"IT"},
        {"op":"Remove","path":"title"},
        {"op":"Remove","path":"externalId"}"#,
    );
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json();
    assert_eq!(changed["userName"], "updated@acme.example");
    assert_eq!(changed["externalId"], user["externalId"]);
    assert_eq!(changed["name"]["familyName"], "Updated");
    assert_eq!(changed["displayName"], "Test Updated", "the full name consists of the parts");
    let disabled = patch(r#"{"op":"Replace","path":"active","value":"False"}"#);
    assert_eq!((disabled.status, disabled.json()), (200, changed));
    assert_eq!(entra("GET", &path, "").status, 404);
    assert_eq!(entra("DELETE", &path, "").status, 404, "thirty days later");
}

#[test]
fn entra_sends_other_forms_with_its_feature_flag() {
    let fixture = ScimFixture::new();
    let flag = "?aadOptscim062020";
    let user = create_as_entra(&fixture, flag);
    let path = format!("{}{flag}", path_of(&user));
    let patch = |operations: &str| {
        let body = format!(
            r#"{{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{operations}]}}"#
        );
        send(&fixture, "application/scim+json", "PATCH", &path, &body)
    };
    let changed = patch(
        r#"{"op":"replace","value":{"displayName":"Pvlo","name.givenName":"Given","name.familyName":"Name",
            "emails[type eq \"work\"].value":"pvlo@acme.example",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber":"345"}}"#,
    );
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json();
    assert_eq!(
        (&changed["displayName"], &changed["name"]),
        (
            &json!("Pvlo"),
            &json!({ "formatted": "Pvlo", "givenName": "Given", "familyName": "Name" })
        )
    );
    assert_eq!(changed["userName"], "pvlo@acme.example");
    let disabled = patch(r#"{"op":"replace","path":"active","value":false}"#);
    assert_eq!((disabled.status, disabled.json()), (200, changed));
    assert_eq!(fixture.get(&path).status, 404);
}

#[test]
fn onelogin_provisions_replaces_and_removes_a_user() {
    let fixture = ScimFixture::new();
    let onelogin = |method: &str, path: &str, body: &str| {
        let response = send(&fixture, "application/json", method, path, body);
        if response.status < 300 && !response.text.is_empty() {
            assert_eq!(response.header("content-type"), "application/json");
        }
        response
    };
    let search = |name: &str| {
        let filter = encode(&format!("userName eq \"{name}\""));
        onelogin("GET", &format!("/Users?filter={filter}"), "").json()["totalResults"].clone()
    };
    assert_eq!(search("test@onelogin.example"), 0);
    assert_eq!(onelogin("GET", "/Groups", "").status, 200);
    let body = r#"{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":null,"active":"true",
        "userName":"olga@acme.example","displayName":"Olga Oh","externalId":"10203",
        "name":{"formatted":null,"givenName":"Olga","familyName":"Oh"},
        "emails":[{"value":"olga@acme.example","type":"work","primary":true}]}"#;
    let without_id = body.replace(r#""externalId":"10203","#, "");
    let refused = onelogin("POST", "/Users", &without_id);
    assert_eq!((refused.status, refused.text.as_str()), (400, "400 externalId: is required"));
    let created = onelogin("POST", "/Users", body);
    assert_eq!(created.status, 201, "{}", created.text);
    let user = created.json();
    assert_eq!(search("olga@acme.example"), 1);
    let path = path_of(&user);
    // The old template has one address instead of an array, and schemas of SCIM 1.0.
    let old = r#"{"schemas":["urn:scim:schemas:core:1.0"],"userName":"olga@acme.example",
        "displayName":"Olga Ohm","name":{"givenName":"Olga","familyName":"Ohm"},
        "emails":{"value":"olga@acme.example","primary":true},"active":true}"#;
    let replaced = onelogin("PUT", &path, old);
    assert_eq!(replaced.status, 200, "{}", replaced.text);
    assert_eq!(
        (&replaced.json()["displayName"], &replaced.json()["externalId"]),
        (&json!("Olga Ohm"), &json!("10203"))
    );
    assert_eq!(onelogin("DELETE", &path, "").status, 204);
    assert_eq!(onelogin("DELETE", &path, "").status, 404);
    let new = old.replacen('{', r#"{"externalId":"10203","#, 1);
    assert_eq!(onelogin("POST", "/Users", &new).json()["id"], user["id"]);
    // A suspended user.
    let suspended = body.replace(r#""active":"true""#, r#""active":"false""#);
    assert_eq!(onelogin("PUT", &path, &suspended).status, 200);
    assert_eq!(onelogin("GET", &path, "").status, 404);
}
