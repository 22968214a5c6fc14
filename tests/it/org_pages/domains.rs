//! The page of the domains, with a scripted name server.

use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use crate::domains::name_server::Answer;
use crate::domains::name_server::NameServer;

/// Returns the only domain.
fn read_domain(fixture: &PagesFixture) -> Value {
    fixture.api("GET", "/domains", Value::Null)["verifications"][0].clone()
}

#[test]
fn a_domain_is_added_checked_and_deleted() {
    let names = NameServer::start();
    let config = Config { dns: vec![names.address], ..Config::default() };
    let fixture = PagesFixture::with_config(config);
    let added = [("domain", " Acme.Example ")];
    let page = fixture.submit_ok("/domains", &added, "The domain is added.");
    let domain = read_domain(&fixture);
    let value = domain["record_value"].as_str().unwrap();
    let record = format!("<code data-copy=\"the TXT record of acme.example\">{value}</code>");
    assert_contains(&page, &[&record, "Pending", "<dt>Last check</dt><dd>Never</dd>"]);

    // The name servers fail: nothing changes.
    let check = "/domains/acme.example/check";
    names.set("acme.example", Answer::ServerFailure);
    let failed = fixture.submit("Ann", check, &[]);
    assert_eq!(failed.status, 504, "{}", failed.text);
    assert_contains(&failed.body, &["class=\"error\" role=\"alert\""]);
    assert_eq!(read_domain(&fixture)["status"], "pending");

    names.set("acme.example", Answer::texts(&["v=spf1 <none>"]));
    let page = fixture.submit_ok(check, &[], "The name servers have no matching TXT record.");
    assert_contains(&page, &["Failed", "<li><code>v=spf1 &#60;none&#62;</code></li>"]);
    assert_eq!(read_domain(&fixture)["status"], "failed");

    names.set("acme.example", Answer::texts(&[value]));
    let page = fixture.submit_ok(check, &[], "The TXT record was found.");
    assert_contains(&page, &["Keep the TXT record published."]);
    assert_eq!(read_domain(&fixture)["status"], "verified");

    let user = [("name", "Man"), ("email", "man@acme.example"), ("role", "member")];
    fixture.submit_ok("/members/new", &user, "The account is created.");
    let page = fixture.page("/domains/acme.example/delete");
    assert_contains(
        &page,
        &[
            "Delete the domain acme.example?",
            "1 managed account with an address on the domain can still sign in",
        ],
    );
    let page = fixture.submit_ok("/domains/acme.example/delete", &[], "The domain is deleted.");
    assert_contains(&page, &["There is no domain yet."]);
    assert_eq!(fixture.api("GET", "/domains", Value::Null)["verifications"], json!([]));
}

#[test]
fn a_domain_that_cannot_be_verified_is_refused_at_its_field() {
    let fixture = PagesFixture::new();
    let refused = fixture.submit("Ann", "/domains", &[("domain", "gmail.com")]);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_contains(
        &refused.body,
        &[
            "id=\"domain-error\">Domain must not be a domain of a public mail provider.",
            "value=\"gmail.com\"",
        ],
    );
    assert_eq!(fixture.api("GET", "/domains", Value::Null)["verifications"], json!([]));
    assert_eq!(fixture.get("Ann", "/domains/absent.example/delete").status, 404);
    assert_eq!(fixture.submit("Ann", "/domains/absent.example/check", &[]).status, 404);
}

#[test]
fn the_plan_team_has_no_domains() {
    let fixture = PagesFixture::new();
    fixture.set_plan(Plan::Team, Seats::Unlimited);
    let refused = fixture.get("Ann", "/domains");
    assert_eq!(refused.status, 403);
    assert_contains(&refused.body, &["Domains need the plan enterprise or education."]);
    assert_eq!(fixture.submit("Ann", "/domains", &[("domain", "acme.example")]).status, 403);
    // A domain from before the change of the plan can be deleted.
    fixture.set_plan(Plan::Enterprise, Seats::Unlimited);
    fixture.api("POST", "/domains", json!({ "domain": "acme.example" }));
    fixture.set_plan(Plan::Team, Seats::Unlimited);
    let page = fixture.page("/domains");
    assert_contains(&page, &["acme.example", "has no domains any more"]);
    assert!(!page.contains("Add a domain") && !page.contains("/check\""), "{page}");
    assert_contains(&fixture.page("/domains/acme.example/delete"), &["Delete the domain"]);
    let deleted = fixture.submit("Ann", "/domains/acme.example/delete", &[]);
    assert_eq!(deleted.status, 303, "{}", deleted.text);
    assert_eq!(fixture.get("Ann", "/domains").status, 403, "no domain is left");
}
