//! The account that a sign-in finds, links or creates.

use serde_json::Value;
use serde_json::json;

use super::SsoFixture;
use super::provider::Statements;
use crate::people::create_managed;
use crate::people::new_token;
use crate::people::set_plan;
use chartroom::features::orgs::Seats;

/// Posts a response, and returns the user that it signs in.
#[track_caller]
fn signed_in(fixture: &SsoFixture, statements: &Statements) -> Value {
    let accepted = fixture.post(statements);
    fixture.user(&fixture.finish(&accepted, "").cookie())
}

#[test]
fn a_known_identifier_updates_name_and_address() {
    let fixture = SsoFixture::new();
    let vera = signed_in(&fixture, &fixture.provider.statements("Vera", None));
    let changed = fixture
        .provider
        .statements("Vera", None)
        .with_attribute("email", "vera.new@acme.example")
        .with_attribute("displayName", "Vera New")
        .with_attribute("avatarUrl", "https://pictures.example/vera.png");
    let after = signed_in(&fixture, &changed);
    assert_eq!(after["id"], vera["id"]);
    assert_eq!(after["name"], "Vera New");
    assert_eq!(after["email"], "vera.new@acme.example");
    assert_eq!(after["avatar_url"], "https://pictures.example/vera.png");
    let events = fixture.events("user.change").len();
    // The same statements again change nothing.
    let mut again = fixture.provider.statements("Vera", None);
    again.attributes = changed.attributes;
    assert_eq!(signed_in(&fixture, &again)["id"], vera["id"]);
    assert_eq!(fixture.events("user.change").len(), events);
}

#[test]
fn a_managed_account_without_identifier_is_linked_by_its_address() {
    let fixture = SsoFixture::new();
    let mona = create_managed(&fixture.orgs, "Mona").json();
    let user = signed_in(&fixture, &fixture.provider.statements("Mona", None));
    assert_eq!(user["id"], mona["id"]);
    let path = format!("/users/{}", mona["id"].as_str().unwrap());
    let managed = fixture.orgs.request_org("Ann", "GET", &path, Value::Null).json();
    assert_eq!(managed["sso_id"], "mona-id", "{managed}");
}

#[test]
fn another_identifier_replaces_the_linked_one_only_if_allowed() {
    let fixture = SsoFixture::new();
    let accepted = fixture.post(&fixture.provider.statements("Vera", None));
    let old_cookie = fixture.finish(&accepted, "").cookie();
    let vera = fixture.user(&old_cookie);
    let old_token = new_token(&fixture.orgs, vera["id"].as_str().unwrap());
    let other = || fixture.provider.statements("Vera", None).with_attribute("uid", "vera-2");
    fixture.put_settings(json!({ "allow_relink": false }));
    fixture.assert_rejected(&fixture.post(&other()), 403, "account");
    fixture.user(&old_cookie);
    fixture.put_settings(json!({ "allow_relink": true }));
    assert_eq!(signed_in(&fixture, &other())["id"], vera["id"]);
    let server = &fixture.orgs.server;
    let status =
        |name: &str, value: &str| server.send("GET", "/api/v1/user", &[(name, value)], "").status;
    assert_eq!(status("cookie", &old_cookie), 401, "the sessions of the old identifier end");
    assert_eq!(status("authorization", &old_token), 401, "and so do its tokens");
    // The old identifier is unknown now, and takes the account back by its address.
    assert_eq!(signed_in(&fixture, &fixture.provider.statements("Vera", None))["id"], vera["id"]);
}

#[test]
fn accounts_that_the_organization_does_not_manage_are_never_linked() {
    let fixture = SsoFixture::new();
    let server = &fixture.orgs.server;
    server.execute_sql(
        "update user set email = 'ben@acme.example', email_key = 'ben@acme.example'
         where name = 'Ben'",
    );
    let refused = fixture.post(&fixture.provider.statements("Ben", None));
    fixture.assert_rejected(&refused, 403, "account");
    // An operator of the server, also if the account is managed.
    assert_eq!(create_managed(&fixture.orgs, "Olga").status, 200);
    server.execute_sql("update user set operator = 1 where name = 'Olga'");
    let refused = fixture.post(&fixture.provider.statements("Olga", None));
    fixture.assert_rejected(&refused, 403, "account");
}

#[test]
fn a_removed_account_stays_removed() {
    let fixture = SsoFixture::new();
    let vera = signed_in(&fixture, &fixture.provider.statements("Vera", None));
    let path = format!("/users/{}", vera["id"].as_str().unwrap());
    let removed = fixture.orgs.request_org("Ann", "DELETE", &path, Value::Null);
    assert_eq!(removed.status, 204, "{}", removed.text);
    let refused = fixture.post(&fixture.provider.statements("Vera", None));
    fixture.assert_rejected(&refused, 403, "account");
}

#[test]
fn without_a_seat_nobody_new_signs_in() {
    let fixture = SsoFixture::new();
    let vera = signed_in(&fixture, &fixture.provider.statements("Vera", None));
    set_plan(&fixture.orgs, Seats::Limited(5));
    let refused = fixture.post(&fixture.provider.statements("Nina", None));
    fixture.assert_rejected(&refused, 403, "seat");
    let again = signed_in(&fixture, &fixture.provider.statements("Vera", None));
    assert_eq!(again["id"], vera["id"]);
    // A suspended organization gets no new people either. Its members sign in to read and export.
    set_plan(&fixture.orgs, Seats::Unlimited);
    fixture.orgs.server.execute_sql("update org set suspended = 1");
    fixture.assert_rejected(&fixture.post(&fixture.provider.statements("Nina", None)), 403, "seat");
    let again = signed_in(&fixture, &fixture.provider.statements("Vera", None));
    assert_eq!(again["id"], vera["id"]);
}
