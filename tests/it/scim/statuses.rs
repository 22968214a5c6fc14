//! Authentication, the resources that describe the service, and the status of every mistake.

use std::thread;

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::BASE;
use super::ScimFixture;
use super::new_user;
use super::path_of;
use crate::people::create_managed;
use crate::people::set_plan;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::basic_auth;

/// Asserts that a response is an error in one line of plain text.
fn expect_error(response: &Response, status: u16, reason: &str) {
    assert_eq!(response.status, status, "{}", response.text);
    assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
    assert!(response.text.starts_with(&format!("{status} ")), "{}", response.text);
    assert!(response.text.contains(reason), "{} has no {reason}", response.text);
    assert_eq!(response.text.lines().count(), 1, "{}", response.text);
}

#[test]
fn only_the_api_token_of_an_admin_opens_a_route() {
    let fixture = ScimFixture::new();
    let server = &fixture.orgs.server;
    let signed_in =
        server.sign_in(&json!({ "email": "ann@example.org", "password": PASSWORD }).to_string());
    let (basic, cookie) = (basic_auth("ann@example.org", PASSWORD), signed_in.cookie());
    let browser = [("accept", "text/html"), ("cookie", cookie.as_str())];
    for path in ["", "/", "/ServiceProviderConfig", "/Schemas", "/Groups", "/Users", "/Users/7"] {
        let path = format!("{BASE}{path}");
        for headers in [
            &[][..],
            &browser,
            &[("authorization", basic.as_str())],
            &[("authorization", "Bearer chartroom_none")],
            &[("authorization", "Token x")],
        ] {
            let refused = server.send("GET", &path, headers, "");
            expect_error(&refused, 401, "token");
            assert_eq!(refused.header("www-authenticate"), "Bearer");
        }
        for name in ["Ben", "Bea", "Dan"] {
            let headers = [("authorization", fixture.orgs.authorization(name))];
            expect_error(&server.send("GET", &path, &headers, ""), 403, "administrator");
        }
    }
    // The same text for an organization that does not exist.
    let headers = [("authorization", fixture.authorization.as_str())];
    let absent = server.send("GET", "/sso/scim/v2/orgs/none/Users", &headers, "");
    let headers = [("authorization", fixture.orgs.authorization("Dan"))];
    let foreign = server.send("GET", &format!("{BASE}/Users"), &headers, "");
    expect_error(&absent, 403, &foreign.text[4..]);
    let lower = fixture.authorization.replace("Bearer", "bearer");
    assert_eq!(server.send("GET", BASE, &[("authorization", &lower)], "").text, "Ok");
    let id = fixture.orgs.org.id.clone();
    let set = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        orgs::set_plan(tx, &id, Some(Plan::Team), None)
    };
    server.app.db.write(set).unwrap();
    expect_error(&fixture.get(""), 403, "administrator");
}

#[test]
fn the_service_describes_itself() {
    let fixture = ScimFixture::new();
    for path in ["", "/"] {
        let found = fixture.get(path);
        assert_eq!((found.status, found.text.as_str()), (200, "Ok"));
    }
    let config = fixture.read("/ServiceProviderConfig");
    for (feature, is_supported) in [
        ("patch", true),
        ("filter", true),
        ("bulk", false),
        ("changePassword", false),
        ("sort", false),
        ("etag", false),
    ] {
        assert_eq!(config[feature]["supported"], is_supported, "{feature}");
    }
    assert_eq!(config["filter"]["maxResults"], 100);
    assert_eq!(config["authenticationSchemes"][0]["type"], "oauthbearertoken");
    let schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    assert_eq!(fixture.read("/Schemas")["Resources"][0]["id"], schema);
    assert_eq!(fixture.read(&format!("/Schemas/{schema}"))["name"], "User");
    assert_eq!(fixture.read("/ResourceTypes")["Resources"][0]["endpoint"], "/Users");
    assert_eq!(fixture.read("/ResourceTypes/User")["schema"], schema);
    expect_error(&fixture.get("/ResourceTypes/Group"), 404, "resource type");
    expect_error(&fixture.get("/Schemas/none"), 404, "schema");
    let groups = fixture.read("/Groups?filter=displayName%20eq%20%22x%22&startIndex=1&count=100");
    assert_eq!((&groups["totalResults"], &groups["Resources"]), (&json!(0), &json!([])));
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        expect_error(&fixture.request(method, "/Groups", &json!({})), 404, "no such");
    }
    expect_error(&fixture.get("/Groups/7"), 404, "no such");
}

#[test]
fn the_media_type_follows_the_accept_header() {
    let fixture = ScimFixture::new();
    for (accept, expected) in [
        ("", "application/scim+json; charset=utf-8"),
        ("*/*", "application/scim+json; charset=utf-8"),
        ("application/json, text/plain, */*", "application/scim+json; charset=utf-8"),
        ("application/scim+json", "application/scim+json; charset=utf-8"),
        ("application/json", "application/json"),
        ("Application/JSON; charset=utf-8", "application/json"),
    ] {
        let headers = [("accept", accept)];
        let headers = if accept.is_empty() { &[][..] } else { &headers };
        let found = fixture.send("GET", "/Users", headers, "");
        assert_eq!(found.header("content-type"), expected, "{accept}");
        assert!(!found.text.contains("null"), "{}", found.text);
    }
    for media_type in
        ["application/json", "application/json; charset=utf-8", "application/scim+json"]
    {
        let body = json!({}).to_string();
        let response = fixture.send("POST", "/Users", &[("content-type", media_type)], &body);
        expect_error(&response, 400, "externalId");
    }
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/xml"] {
        let response = fixture.send("POST", "/Users", &[("content-type", media_type)], "{}");
        expect_error(&response, 415, "content-type");
    }
}

#[test]
fn every_path_below_the_service_has_plain_errors() {
    let fixture = ScimFixture::with_config(Config { max_body_bytes: 70_000, ..Config::default() });
    let browser = [("accept", "text/html")];
    for path in ["/Unknown", "/Users/7/x", "/Me"] {
        expect_error(&fixture.send("GET", path, &browser, ""), 404, "no such");
        expect_error(&fixture.send("POST", path, &browser, "{}"), 404, "no such");
    }
    let server = &fixture.orgs.server;
    expect_error(&server.send("GET", "/sso/scim/v2", &browser, ""), 404, "no such");
    expect_error(&server.send("GET", "/sso/scim/v2/orgs/acme/Users/%FF", &browser, ""), 400, "id");
    let wrong_method = fixture.send("DELETE", "/Users", &browser, "");
    expect_error(&wrong_method, 405, "only");
    assert!(wrong_method.header("allow").contains("POST"));
    expect_error(&fixture.request("POST", "/Users/.search", &json!({})), 405, "only");
    let large = json!({ "displayName": "x".repeat(80_000) });
    expect_error(&fixture.request("POST", "/Users", &large), 413, "70000");
    let headers = [("content-type", "application/json")];
    for body in ["", "[]", "\"x\"", "null", "{", "{\"a\":1}}"] {
        expect_error(&fixture.send("POST", "/Users", &headers, body), 400, "");
    }
    for name in ["attributes", "excludedAttributes", "ATTRIBUTES"] {
        let path = format!("/Users?{name}=userName");
        expect_error(&fixture.get(&path), 400, "not supported");
        let path = format!("/ServiceProviderConfig?{name}=x");
        expect_error(&fixture.get(&path), 400, "not supported");
    }
}

#[test]
fn too_many_requests_get_a_plain_error() {
    let config = Config {
        rate_per_second: 1,
        rate_burst: 5,
        rate_limit_loopback: true,
        ..Config::default()
    };
    let fixture = ScimFixture::with_config(config);
    let mut responses = (0..20).map(|_| fixture.get(""));
    let refused = responses.find(|response| response.status == 429).unwrap();
    expect_error(&refused, 429, "too many requests");
    assert!(!refused.header("retry-after").is_empty());
}

#[test]
fn a_user_is_created_and_read() {
    let fixture = ScimFixture::new();
    let mut body = new_user("Vera");
    body["name"] = json!({ "givenName": "Vera", "familyName": "Vogt" });
    let created = fixture.request("POST", "/Users", &body);
    assert_eq!(created.status, 201, "{}", created.text);
    let user = created.json();
    let location = format!("http://127.0.0.1:8080{BASE}{}", path_of(&user));
    assert_eq!(created.header("location"), location);
    assert_eq!(fixture.read(&path_of(&user)), user);
    let (created, modified) = (&user["meta"]["created"], &user["meta"]["lastModified"]);
    assert!(created.is_string() && modified.is_string(), "{user}");
    let expected = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "id": user["id"],
        "externalId": "vera",
        "userName": "vera@acme.example",
        "displayName": "Vera",
        "name": { "formatted": "Vera", "givenName": "Vera", "familyName": "Vogt" },
        "emails": [{ "value": "vera@acme.example", "type": "work", "primary": true }],
        "active": true,
        "meta": {
            "resourceType": "User",
            "created": created,
            "lastModified": modified,
            "location": location,
        },
    });
    assert_eq!(user, expected);
    let managed = format!("/users/{}", user["id"].as_str().unwrap());
    let managed = fixture.orgs.request_org("Ann", "GET", &managed, Value::Null).json();
    assert_eq!(
        (&managed["role"], &managed["managed"], &managed["sso_id"]),
        (&json!("member"), &json!(true), &json!("vera"))
    );
    let log = fixture.orgs.request_org("Ann", "GET", "/audit-log?action=user.create", Value::Null);
    let log = log.json();
    assert_eq!(log["events"].as_array().unwrap().len(), 1, "{log}");
    let event = &log["events"][0];
    assert_eq!(event["actor"]["type"], "scim");
    assert_eq!(event["actor"]["id"], fixture.orgs.user_id("Ann"));
    assert_eq!(event["details"]["sso_id"], "vera");
}

#[test]
fn a_wrong_body_creates_no_user() {
    let fixture = ScimFixture::new();
    fixture.create("Vera");
    let post = |change: &dyn Fn(&mut Value), status: u16, reason: &str| {
        let mut body = new_user("New");
        change(&mut body);
        expect_error(&fixture.request("POST", "/Users", &body), status, reason);
    };
    let remove = |name: &'static str| {
        move |body: &mut Value| drop(body.as_object_mut().unwrap().shift_remove(name))
    };
    post(&remove("externalId"), 400, "externalId: ");
    post(&|body| body["externalId"] = json!(""), 400, "externalId: ");
    post(&|body| body["externalId"] = json!(7), 400, "externalId: ");
    post(&|body| body["externalId"] = json!("x".repeat(257)), 400, "externalId: ");
    let blank = "externalId: must not begin or end with white space";
    post(&|body| body["externalId"] = json!(" new"), 400, blank);
    post(&|body| body["externalId"] = json!("new\u{2003}"), 400, blank);
    post(&|body| body["externalId"] = json!(" "), 400, "externalId: ");
    post(&remove("emails"), 400, "emails: ");
    post(&|body| body["emails"] = json!([]), 400, "emails: ");
    post(&|body| body["emails"] = json!("new@acme.example"), 400, "emails: ");
    post(&|body| body["emails"][0]["primary"] = json!(false), 400, "emails: ");
    post(&|body| body["emails"][0]["value"] = json!("nothing"), 400, "emails: ");
    let ascii = "emails: must have only ASCII characters before the @";
    post(&|body| body["emails"][0]["value"] = json!("\u{fc}n\u{ef}@acme.example"), 400, ascii);
    post(&|body| body["emails"][0]["value"] = json!("new@other.example"), 400, "emails: ");
    post(&|body| body["emails"][0]["value"] = json!("new@sub.acme.example"), 400, "emails: ");
    let two = json!([{ "value": "a@acme.example" }, { "value": "b@acme.example" }]);
    post(&|body| body["emails"] = two.clone(), 400, "emails: ");
    post(&|body| body["active"] = json!(false), 400, "active: ");
    post(&|body| body["active"] = json!("False"), 400, "active: ");
    post(&|body| body["active"] = json!("no"), 400, "active: ");
    let nameless = |body: &mut Value| {
        remove("displayName")(body);
        remove("userName")(body);
    };
    post(&nameless, 400, "displayName: ");
    post(&|body| body["displayName"] = json!("x".repeat(201)), 400, "displayName: ");
    post(&|body| body["name"] = json!({ "givenName": "x".repeat(201) }), 400, "name.givenName: ");
    post(&|body| body["externalId"] = json!("vera"), 400, "externalId: is already in use");
    post(&|body| body["emails"][0]["value"] = json!("VERA@acme.example"), 409, "emails: ");
    // Both are in use.
    expect_error(&fixture.request("POST", "/Users", &new_user("Vera")), 400, "externalId: ");
    // Identifiers with other cases are different.
    let mut body = new_user("Other");
    body["externalId"] = json!("Vera");
    assert_eq!(fixture.request("POST", "/Users", &body).status, 201);
    assert_eq!(fixture.read("/Users")["totalResults"], 2);
}

#[test]
fn the_primary_address_and_the_name_come_from_several_attributes() {
    let fixture = ScimFixture::new();
    let check = |number: usize, changes: Value, email: &str, name: &str| {
        let mut body = json!({ "externalId": format!("id{number}") });
        for (attribute, value) in changes.as_object().unwrap() {
            body[attribute] = value.clone();
        }
        let created = fixture.request("POST", "/Users", &body);
        assert_eq!(created.status, 201, "{body}: {}", created.text);
        let user = created.json();
        assert_eq!((&user["userName"], &user["displayName"]), (&json!(email), &json!(name)));
    };
    let one = json!({ "value": "a@acme.example" });
    check(1, json!({ "emails": [one], "userName": "Ada" }), "a@acme.example", "Ada");
    let two =
        json!([{ "value": "x@else.example" }, { "value": "b@acme.example", "primary": "True" }]);
    let formatted = json!({ "formatted": "Bo Berg", "givenName": "B" });
    check(2, json!({ "emails": two, "name": formatted }), "b@acme.example", "Bo Berg");
    let parts = json!({ "givenName": "Cy", "familyName": "Cox" });
    let object = json!({ "value": "c@acme.example" });
    check(
        3,
        json!({ "emails": object, "name": parts, "userName": "c" }),
        "c@acme.example",
        "Cy Cox",
    );
    let mixed = json!({ "EMAILS": [{ "Value": "d@acme.example", "Primary": "true" }], "DisplayName": "Di" });
    check(4, mixed, "d@acme.example", "Di");
}

#[test]
fn accounts_outside_of_provisioning_are_hidden_but_their_addresses_are_in_use() {
    let fixture = ScimFixture::new();
    for name in ["Ann", "Ben", "Dan"] {
        let path = format!("/Users/{}", fixture.orgs.user_id(name));
        for (method, body) in
            [("GET", Value::Null), ("PUT", new_user(name)), ("DELETE", Value::Null)]
        {
            expect_error(&fixture.request(method, &path, &body), 404, "no such user");
        }
        let disable = json!([{ "op": "replace", "path": "active", "value": false }]);
        expect_error(&fixture.patch(&path, disable), 404, "no such user");
    }
    assert_eq!(fixture.read("/Users")["totalResults"], 0);
    fixture.orgs.server.execute_sql(
        "update user set email = 'dan@acme.example', email_key = 'dan@acme.example' where username = 'dan'",
    );
    expect_error(&fixture.request("POST", "/Users", &new_user("Dan")), 409, "emails: ");
    // An account that an admin has created can be read and linked.
    let managed = create_managed(&fixture.orgs, "Man").json();
    let path = path_of(&managed);
    assert!(fixture.read(&path).get("externalId").is_none());
    let link = json!([{ "op": "add", "path": "externalId", "value": "man" }]);
    assert_eq!(fixture.patch(&path, link).json()["externalId"], "man");
}

#[test]
fn seats_and_suspension_stop_changes_but_not_the_end_of_access() {
    let fixture = ScimFixture::new();
    let vera = fixture.create("Vera");
    set_plan(&fixture.orgs, Seats::Limited(5));
    expect_error(&fixture.request("POST", "/Users", &new_user("New")), 402, "seats");
    fixture.orgs.set_suspended(true);
    set_plan(&fixture.orgs, Seats::Unlimited);
    expect_error(&fixture.request("POST", "/Users", &new_user("New")), 402, "suspended");
    let path = path_of(&vera);
    expect_error(&fixture.request("PUT", &path, &json!({ "displayName": "V" })), 402, "suspended");
    let rename = json!([{ "op": "replace", "path": "displayName", "value": "V" }]);
    expect_error(&fixture.patch(&path, rename), 402, "suspended");
    assert_eq!(fixture.read(&path), vera);
    assert_eq!(fixture.request("DELETE", &path, &Value::Null).status, 204);
}

#[test]
fn the_last_admin_and_operators_stay() {
    let fixture = ScimFixture::new();
    let vera = fixture.create("Vera");
    let path = path_of(&vera);
    let server = &fixture.orgs.server;
    server.execute_sql("update user set operator = 1 where email_key = 'vera@acme.example'");
    expect_error(&fixture.request("DELETE", &path, &Value::Null), 409, "operates");
    expect_error(&fixture.request("PUT", &path, &json!({ "displayName": "V" })), 409, "operates");
    server.execute_sql("update user set operator = 0");
    let role = json!({ "role": "admin" });
    let managed = format!("/users/{}", vera["id"].as_str().unwrap());
    assert_eq!(fixture.orgs.request_org("Ann", "PATCH", &managed, role).status, 204);
    server.execute_sql(
        "update member set role = 'member' where user_id = (select id from user where username = 'ann')",
    );
    let vera_client = ScimFixture {
        authorization: crate::people::new_token(&fixture.orgs, vera["id"].as_str().unwrap()),
        ..fixture
    };
    expect_error(&vera_client.request("DELETE", &path, &Value::Null), 409, "admin");
    assert_eq!(vera_client.get(&path).status, 200);
}

#[test]
fn of_concurrent_equal_requests_one_creates_the_account() {
    let fixture = ScimFixture::new();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let post = || fixture.request("POST", "/Users", &new_user("Vera")).status;
        let threads: Vec<_> = (0..50).map(|_| scope.spawn(post)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 201 | 400 | 409)), "{statuses:?}");
    assert_eq!(fixture.find("externalId eq \"vera\""), ["vera@acme.example"]);
}
