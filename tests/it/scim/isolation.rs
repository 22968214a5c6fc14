//! Two organizations on one server cannot see or provision the users of the other.

use serde_json::Value;
use serde_json::json;

use super::ScimFixture;
use super::add_second_org;
use super::new_user;
use super::path_of;

#[test]
fn an_organization_cannot_reach_users_of_another() {
    let (acme, zoe) = add_second_org(ScimFixture::new());
    let vera = acme.create("Vera");
    let path = path_of(&vera);
    let base = "/sso/scim/v2/orgs/zenith".to_owned();
    let own_base = acme.base.clone();
    let zenith = ScimFixture { authorization: zoe.clone(), base, ..acme };
    for method in ["GET", "PUT", "PATCH", "DELETE"] {
        let body = match method {
            "PUT" => new_user("Vera"),
            "PATCH" => {
                super::patch_body(json!([{ "op": "replace", "value": { "active": false } }]))
            }
            _ => Value::Null,
        };
        let refused = zenith.request(method, &path, &body);
        assert_eq!((refused.status, refused.text.as_str()), (404, "404 no such user"));
    }
    for filter in [
        "userName eq \"vera@acme.example\"",
        "externalId eq \"vera\"",
        "active eq true",
        "not (externalId eq \"none\")",
        "externalId pr or userName pr",
    ] {
        assert_eq!(zenith.find(filter), [""; 0], "{filter}");
    }
    // The domain is verified by the other organization only.
    let refused = zenith.request("POST", "/Users", &new_user("Nina"));
    assert_eq!(refused.status, 400, "{}", refused.text);
    // Each token opens its own organization only.
    let foreign = ScimFixture { base: own_base, ..zenith };
    for (method, path) in [("GET", "/Users"), ("GET", path.as_str()), ("DELETE", path.as_str())] {
        assert_eq!(foreign.request(method, path, &Value::Null).status, 403);
    }
    assert_eq!(foreign.request("POST", "/Users", &new_user("Nina")).status, 403);
    let acme =
        ScimFixture { authorization: foreign.orgs.authorization("Ann").to_owned(), ..foreign };
    assert_eq!(acme.read(&path), vera);
}

#[test]
fn an_organization_that_verifies_a_domain_later_gets_no_account_of_it() {
    let (acme, zoe) = add_second_org(ScimFixture::new());
    let vera = acme.create("Vera");
    let removed = acme.create("Rita");
    assert_eq!(acme.request("DELETE", &path_of(&removed), &Value::Null).status, 204);
    // The domain changes hands: only the other organization has verified it now.
    acme.orgs.server.execute_sql("delete from domain");
    acme.orgs.server.execute_sql(
        "insert into domain (org_id, name, status, record_value, created)
         select id, 'acme.example', 'verified', 'y', 0 from org where slug = 'zenith'",
    );
    let (base, own_base) = ("/sso/scim/v2/orgs/zenith".to_owned(), acme.base.clone());
    let zenith = ScimFixture { authorization: zoe, base, ..acme };
    for name in ["Vera", "Rita"] {
        let refused = zenith.request("POST", "/Users", &new_user(name));
        assert_eq!(refused.status, 409, "{name}: {}", refused.text);
    }
    // The same identifier names another person in another organization.
    let mut body = new_user("Nina");
    body["externalId"] = json!("vera");
    let nina = zenith.request("POST", "/Users", &body);
    assert_eq!(nina.status, 201, "{}", nina.text);
    assert_ne!(nina.json()["id"], vera["id"]);
    let take = json!({ "userName": "vera@acme.example" });
    assert_eq!(zenith.request("PUT", &path_of(&nina.json()), &take).status, 409);
    let acme = ScimFixture {
        authorization: zenith.orgs.authorization("Ann").to_owned(),
        base: own_base,
        ..zenith
    };
    // The unchanged address stays possible, a new one on the lost domain does not.
    let path = path_of(&vera);
    assert_eq!(acme.request("PUT", &path, &new_user("Vera")).status, 200);
    let moved = json!({ "emails": [{ "value": "v@acme.example", "primary": true }] });
    assert_eq!(acme.request("PUT", &path, &moved).status, 400);
    assert_eq!(acme.request("POST", "/Users", &new_user("Rita")).status, 400, "no verified domain");
    assert_eq!(acme.read(&path)["userName"], "vera@acme.example");
    assert_eq!(acme.get(&path_of(&nina.json())).status, 404);
}
