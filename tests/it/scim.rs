//! Tests of user provisioning with SCIM. Ann is the admin of `acme`, which has verified the domain
//! `acme.example`; see [`OrgFixture`].

mod access;
mod client;
mod filters;
mod isolation;
mod patches;
mod providers;
mod statuses;

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::people::start_with_config;
use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Address of the service for `acme`.
const BASE: &str = "/sso/scim/v2/orgs/acme";

/// A server with `acme`, which Ann's token provisions.
struct ScimFixture {
    orgs: OrgFixture,
    /// `Authorization` header of Ann, or of another client.
    authorization: String,
    /// Address of the service.
    base: String,
}

impl ScimFixture {
    fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts a server with other settings.
    fn with_config(config: Config) -> Self {
        let orgs = start_with_config(config);
        let authorization = orgs.authorization("Ann").to_owned();
        Self { orgs, authorization, base: BASE.to_owned() }
    }

    /// Sends a request below the address of the service with the media type of SCIM.
    fn request(&self, method: &str, path: &str, body: &Value) -> Response {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, path, &[("content-type", "application/scim+json; charset=utf-8")], &body)
    }

    /// Sends a request below the address of the service with these headers and the token.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let headers = [&[("authorization", self.authorization.as_str())], headers].concat();
        self.orgs.server.send(method, &format!("{}{path}", self.base), &headers, body)
    }

    fn get(&self, path: &str) -> Response {
        self.request("GET", path, &Value::Null)
    }

    /// Creates a user with this name in lower case as identifier and as address. Returns the user.
    fn create(&self, name: &str) -> Value {
        let created = self.request("POST", "/Users", &new_user(name));
        assert_eq!(created.status, 201, "{}", created.text);
        created.json()
    }

    /// Returns the user with this path below the address of the service.
    fn read(&self, path: &str) -> Value {
        let found = self.get(path);
        assert_eq!(found.status, 200, "{}", found.text);
        found.json()
    }

    /// Returns the user names that a filter finds, in their order.
    fn find(&self, filter: &str) -> Vec<String> {
        let found = self.get(&format!("/Users?filter={}", encode(filter)));
        assert_eq!(found.status, 200, "{filter}: {}", found.text);
        user_names(&found.json())
    }

    /// Returns the body of PATCH with these operations.
    fn patch(&self, path: &str, operations: Value) -> Response {
        self.request("PATCH", path, &patch_body(operations))
    }
}

/// Starts `zenith` on the same server with the admin Zoe. Returns a fixture that provisions it.
fn add_second_org(first: ScimFixture) -> (ScimFixture, String) {
    let server = &first.orgs.server;
    let zenith = create_org(server, "zenith", Seats::Unlimited);
    let zoe = server.create_user("Zoe");
    add_member(server, &zenith, &zoe.id, Role::Admin).unwrap();
    server.execute_sql("update org set plan = 'enterprise' where slug = 'zenith'");
    let authorization = server.create_bearer_token(&zoe.id);
    (first, authorization)
}

/// Returns the body of POST for a user with this name.
fn new_user(name: &str) -> Value {
    let id = name.to_lowercase();
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "externalId": id,
        "userName": format!("{id}@acme.example"),
        "displayName": name,
        "emails": [{ "value": format!("{id}@acme.example"), "type": "work", "primary": true }],
        "active": true,
    })
}

/// Returns the body of PATCH with these operations.
fn patch_body(operations: Value) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": operations,
    })
}

/// Returns the path of a user below the address of the service.
fn path_of(user: &Value) -> String {
    format!("/Users/{}", user["id"].as_str().unwrap())
}

/// Returns the user names of a list.
fn user_names(list: &Value) -> Vec<String> {
    let resources = list["Resources"].as_array().unwrap();
    resources.iter().map(|user| user["userName"].as_str().unwrap().to_owned()).collect()
}

/// Percent-encodes all bytes of a query value except letters and digits.
fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
