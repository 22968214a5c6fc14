//! The page of the invites: check, confirmation, sending again, deletion.

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use super::hidden_value;

/// Returns the addresses with an open invite.
fn list_invited(fixture: &PagesFixture) -> Vec<String> {
    let invites = fixture.api("GET", "/invites", Value::Null);
    let invites = invites["invites"].as_array().unwrap().iter();
    invites.map(|invite| invite["email"].as_str().unwrap().to_owned()).collect()
}

/// Returns the fields of a form for the step `invite` that repeats those of a checked page.
fn confirm_fields(page: &str) -> Vec<(&'static str, String)> {
    let fields = ["emails", "role", "message", "confirmation"];
    let mut fields: Vec<_> = fields.map(|name| (name, hidden_value(page, name))).into();
    fields.push(("step", "invite".to_owned()));
    fields
}

/// Sends the form of a checked page.
fn confirm(fixture: &PagesFixture, page: &str) -> crate::test_server::Response {
    let fields = confirm_fields(page);
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fixture.submit("Ann", "/invites", &fields)
}

#[test]
fn a_pasted_list_is_checked_before_people_are_invited() {
    let fixture = PagesFixture::new();
    let pasted =
        "new@example.com; <other@example.com>,\r\nben@example.org  nothing NEW@example.com";
    let fields =
        [("step", "check"), ("emails", pasted), ("role", "brand_manager"), ("message", "Hi")];
    let checked = fixture.submit("Ann", "/invites", &fields);
    assert_eq!(checked.status, 200, "{}", checked.text);
    assert_contains(
        &checked.body,
        &[
            "Invite 2 people?",
            "Belongs to a member of the organization.",
            "Is not an e-mail address.",
            "Role: Brand manager.",
        ],
    );
    assert_eq!(hidden_value(&checked.body, "emails"), "new@example.com\nother@example.com");
    assert!(list_invited(&fixture).is_empty(), "the check invites nobody");

    // The list can be changed again, with all addresses as they were typed.
    let edit = [("step", "edit"), ("emails", "new@example.com"), ("typed", pasted)];
    assert_contains(&fixture.submit("Ann", "/invites", &edit).body, &["nothing NEW@example.com<"]);

    let invited = confirm(&fixture, &checked.body);
    assert_eq!(invited.header("location"), "/orgs/acme/invites?done=invited");
    assert_eq!(list_invited(&fixture), ["new@example.com", "other@example.com"]);
    let page = fixture.page("/invites?done=invited");
    assert_contains(
        &page,
        &["The people are invited.", "4 members and 2 open invites", "This server sends no mail."],
    );
    let invite = &fixture.api("GET", "/invites", Value::Null)["invites"][0];
    assert_eq!(invite["role"], "brand_manager");
    assert!(!page.contains("/invite/"), "only the mail contains the link");
    let again = confirm(&fixture, &checked.body);
    assert_eq!(again.status, 400, "{}", again.text);
    assert_contains(&again.body, &["new@example.com has an open invite, which can be sent again."]);
}

#[test]
fn further_seats_are_confirmed_with_their_price() {
    let fixture = PagesFixture::new();
    fixture.set_plan(Plan::Enterprise, Seats::Limited(4));
    fixture.set_price(500);
    let fields = [("step", "check"), ("emails", "a@example.com b@example.com"), ("role", "member")];
    let full = fixture.submit("Ann", "/invites", &fields);
    assert_eq!(full.status, 402, "{}", full.text);
    assert_contains(&full.body, &["counting open invites, and this needs 2."]);

    fixture.api("PATCH", "/settings", json!({ "auto_update_seat_count": true }));
    let checked = fixture.submit("Ann", "/invites", &fields).body;
    assert_contains(
        &checked,
        &[
            "<dt>Seats to add</dt><dd>2</dd>",
            "<dd>30.00 EUR per month</dd>",
            "Add seats and invite",
        ],
    );
    fixture.set_price(600);
    let outdated = confirm(&fixture, &checked);
    assert_eq!(outdated.status, 409, "{}", outdated.text);
    assert_contains(&outdated.body, &["<dd>36.00 EUR per month</dd>"]);
    assert!(list_invited(&fixture).is_empty());
    assert_eq!(confirm(&fixture, &outdated.body).status, 303);
    assert_eq!(list_invited(&fixture).len(), 2);
    let seats = fixture.api("GET", "/subscription", Value::Null);
    assert_eq!(seats["max_member_count"], 6);
}

#[test]
fn an_open_invite_is_sent_again_and_deleted() {
    let fixture = PagesFixture::new();
    fixture.api("POST", "/invites", json!({ "emails": ["new@example.com"] }));
    let read = || fixture.api("GET", "/invites", Value::Null)["invites"][0].clone();
    let before = read();
    let path = format!("/invites/{}", before["id"].as_str().unwrap());
    fixture.submit_ok(&format!("{path}/send"), &[], "The invite has a new link");
    assert!(read()["last_sent_at"].as_str() > before["last_sent_at"].as_str());

    let page = fixture.page(&format!("{path}/delete"));
    assert_contains(&page, &["Delete the invite of new@example.com?", "the seat of the invite"]);
    assert_eq!(list_invited(&fixture).len(), 1);
    fixture.submit_ok(&format!("{path}/delete"), &[], "The invite is deleted.");
    assert!(list_invited(&fixture).is_empty());
    assert_eq!(fixture.submit("Ann", &format!("{path}/send"), &[]).status, 404);
}

#[test]
fn disabled_external_invites_are_explained() {
    let fixture = PagesFixture::new();
    let id = fixture.orgs.org.id.clone();
    let disable = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        orgs::set_grants(tx, &id, Some(false), None)
    };
    fixture.orgs.server.app.db.write(disable).unwrap();
    assert_contains(
        &fixture.page("/invites"),
        &["External invites are disabled. No address can be invited"],
    );
    fixture.verify_domain();
    assert_contains(
        &fixture.page("/invites"),
        &["Only addresses on verified domains can be invited: acme.example."],
    );
    let fields = [("step", "check"), ("emails", "in@acme.example out@example.com")];
    let refused = fixture.submit("Ann", "/invites", &fields);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_contains(&refused.body, &["out@example.com is not on a verified domain"]);
    assert!(!refused.body.contains("in@acme.example is not"), "{}", refused.body);
}

#[test]
fn too_many_mails_are_refused_with_the_time_to_wait() {
    let fixture = PagesFixture::with_config(Config { mail_burst: 1, ..Config::default() });
    let invite = |email: &str| {
        let fields = [("step", "invite"), ("emails", email), ("role", "member")];
        fixture.submit("Ann", "/invites", &fields)
    };
    assert_eq!(invite("a@example.com").status, 303);
    let refused = invite("b@example.com");
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    assert_contains(
        &refused.body,
        &["Too many requests; try again in", ">b@example.com</textarea>"],
    );
    assert_eq!(list_invited(&fixture), ["a@example.com"]);
}
