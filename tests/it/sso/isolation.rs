//! Two organizations with two identity providers: neither signs in, links or creates a user of the other.

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use super::SsoFixture;
use super::encode;
use super::provider::Statements;
use super::provider::TestProvider;
use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::people::create_managed;
use crate::test_server::Response;

/// A server with `acme` and `zenith`, which has verified `zenith.example` and has another provider.
struct TwoOrgs {
    acme: SsoFixture,
    zenith: TestProvider,
    /// `Authorization` header of Zoe, the admin of `zenith`.
    zoe: String,
}

impl TwoOrgs {
    fn new() -> Self {
        let acme = SsoFixture::new();
        let server = &acme.orgs.server;
        let org = create_org(server, "zenith", Seats::Unlimited);
        let zoe = server.create_user("Zoe").id;
        add_member(server, &org, &zoe, Role::Admin).unwrap();
        server.execute_sql("update org set plan = 'enterprise' where slug = 'zenith'");
        server.execute_sql(
            "insert into domain (org_id, name, status, record_value, created)
             select id, 'zenith.example', 'verified', 'y', 0 from org where slug = 'zenith'",
        );
        let zoe = server.create_bearer_token(&zoe);
        let zenith = TestProvider::new("https://zenith.example/idp");
        let this = Self { acme, zenith, zoe };
        let stored = this.put_zenith(&this.zenith);
        assert_eq!(stored.status, 200, "{}", stored.text);
        this
    }

    /// Sets the identity provider of `zenith`.
    fn put_zenith(&self, provider: &TestProvider) -> Response {
        let body = json!({
            "entity_id": provider.entity_id,
            "certificate": provider.certificate_pem(),
            "sign_in_url": "https://zenith.example/login",
        });
        let path = "/api/v1/orgs/zenith/sso";
        self.acme.orgs.server.request(&self.zoe, "PUT", path, &body.to_string())
    }

    /// Posts a response of the provider of `zenith`.
    fn post_zenith(&self, statements: &Statements) -> Response {
        self.acme.post_base64(&self.zenith.respond(statements))
    }

    /// Checks that a response is rejected with a code.
    #[track_caller]
    fn assert_rejected(&self, response: &Response, code: &str) {
        assert_eq!(response.status, 403, "{}", response.text);
        assert!(response.text.contains(&format!("Reason: {code}")), "{}", response.text);
    }
}

#[test]
fn a_provider_cannot_sign_in_people_of_another_organization() {
    let orgs = TwoOrgs::new();
    let vera = orgs.acme.user(&orgs.acme.sign_in("Vera"));
    // The address, the identifier and the name of Vera, asserted by the other provider.
    let statements = orgs.zenith.statements("Vera", None);
    orgs.assert_rejected(&orgs.post_zenith(&statements), "domain");
    let statements = statements.with_attribute("email", "vera@zenith.example");
    let mut again = orgs.zenith.statements("Vera", None);
    again.attributes = statements.attributes;
    let accepted = orgs.post_zenith(&again);
    let other = orgs.acme.user(&orgs.acme.finish(&accepted, "").cookie());
    assert_ne!(other["id"], vera["id"], "the same identifier names another person");
    // The account of the admin Ann is not managed.
    let statements = orgs.zenith.statements("Ann", None).with_attribute("email", "ann@example.org");
    orgs.assert_rejected(&orgs.post_zenith(&statements), "domain");
}

#[test]
fn a_provider_cannot_speak_for_another_one() {
    let orgs = TwoOrgs::new();
    let mut statements = orgs.zenith.statements("Vera", None);
    statements.issuer = orgs.acme.provider.entity_id.clone();
    orgs.assert_rejected(&orgs.post_zenith(&statements), "signature");
    let refused = orgs.put_zenith(&TestProvider::new(&orgs.acme.provider.entity_id));
    assert_eq!(refused.status, 409, "{}", refused.text);
    // An answer to a request of the other organization.
    let begun = orgs.acme.begin("vera@acme.example");
    let statements = orgs.zenith.statements("Zed", Some(&begun.id));
    let statements = statements.with_attribute("email", "zed@zenith.example");
    orgs.assert_rejected(&orgs.post_zenith(&statements), "request");
    // The request still works for its own provider.
    let statements = orgs.acme.provider.statements("Vera", Some(&begun.id));
    let accepted = orgs.acme.post(&statements);
    assert_eq!(orgs.acme.finish(&accepted, &begun.cookie).status, 303);
}

#[test]
fn a_provider_whose_organization_verifies_a_domain_later_gets_no_account_of_it() {
    let orgs = TwoOrgs::new();
    let vera = orgs.acme.user(&orgs.acme.sign_in("Vera"));
    assert_eq!(create_managed(&orgs.acme.orgs, "Mona").status, 200);
    let server = &orgs.acme.orgs.server;
    server.execute_sql("delete from domain where name = 'acme.example'");
    server.execute_sql(
        "insert into domain (org_id, name, status, record_value, created)
         select id, 'acme.example', 'verified', 'z', 0 from org where slug = 'zenith'",
    );
    for name in ["Vera", "Mona"] {
        orgs.assert_rejected(&orgs.post_zenith(&orgs.zenith.statements(name, None)), "account");
    }
    // The known identifier still signs in at its own organization, others do not.
    let again = orgs.acme.finish(&orgs.acme.post(&orgs.acme.provider.statements("Vera", None)), "");
    assert_eq!(orgs.acme.user(&again.cookie())["id"], vera["id"]);
    orgs.assert_rejected(&orgs.acme.post(&orgs.acme.provider.statements("Mona", None)), "domain");
    // The address leads to the organization that has verified the domain now.
    let path = format!("/sso/saml2/signin?email={}", encode("vera@acme.example"));
    let redirect = server.send("GET", &path, &[], "");
    assert!(redirect.header("location").starts_with("https://zenith.example/login?"));
    let users = orgs.acme.orgs.request_org("Ann", "GET", "/users", Value::Null).json();
    assert_eq!(users["users"].as_array().unwrap().len(), 2, "{users}");
}
