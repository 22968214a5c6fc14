//! Invites: statuses of addresses, links, acceptance and refusal, automatic invites.

use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom::features::orgs;
use chartroom::features::orgs::Seats;
use chartroom::features::people::invites;
use chartroom::tasks;
use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::field_values;
use super::member_names;
use super::set_plan;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Returns the open invites, as Ann sees them.
fn list_invites(fixture: &OrgFixture) -> Vec<Value> {
    let invites = fixture.request_org("Ann", "GET", "/invites", Value::Null).json();
    invites["invites"].as_array().unwrap().clone()
}

/// Invites an address as Ann and returns the invite and the path of its page.
fn invite(fixture: &OrgFixture, email: &str, role: &str) -> (Value, String) {
    let created =
        fixture.request_org("Ann", "POST", "/invites", json!({ "emails": [email], "role": role }));
    assert_eq!(created.status, 204, "{}", created.text);
    let invite = list_invites(fixture).pop().unwrap();
    assert_eq!(invite["email"], email);
    assert!(invite.get("link").is_none(), "only the mail contains the link: {invite}");
    let path = link_path(fixture, &invite);
    (invite, path)
}

/// Returns the path of the page of an invite, which the mail and the command line contain.
fn link_path(fixture: &OrgFixture, invite: &Value) -> String {
    let app = &fixture.server.app;
    let org = fixture.org.clone();
    let all = app.db.read(move |tx| invites::list_invites(tx, &org)).unwrap();
    let found = all.iter().find(|found| found.id.as_str() == invite["id"]).unwrap();
    invites::invite_url(&app.server_key, "", found)
}

#[test]
fn the_status_of_each_address_is_checked_and_all_or_none_are_invited() {
    let fixture = start_with_verified_domain();
    assert_eq!(create_managed(&fixture, "Man").status, 200);
    invite(&fixture, "open@example.com", "member");
    crate::orgs::create_org(&fixture.server, "zorg", Seats::Unlimited);
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 0 from user, org where username = 'dan' and slug = 'zorg'",
    );
    let emails = json!([
        "new@example.com",
        "nothing",
        "ben@example.org",
        "MAN@acme.example",
        "open@example.com",
        "dan@example.org",
        "NEW@example.com",
    ]);
    let body = json!({ "emails": emails });
    let checked = fixture.request_org("Ann", "POST", "/invites/check", body.clone()).json();
    assert_eq!(
        field_values(&checked["emails"], "status"),
        ["ok", "invalid", "member", "member", "invited", "managed_elsewhere", "ok"]
    );
    assert!(checked.get("update_info").is_none() && checked.get("confirmation").is_none());
    let refused = fixture.request_org("Ann", "POST", "/invites", body);
    assert_eq!(refused.status, 400);
    for index in 1..=5 {
        assert!(refused.text.contains(&format!("emails[{index}]: ")), "{}", refused.text);
    }
    assert_eq!(list_invites(&fixture).len(), 1);

    // An address in two spellings is invited once.
    let body = json!({ "emails": ["new@example.com", "NEW@example.com"] });
    assert_eq!(fixture.request_org("Ann", "POST", "/invites", body).status, 204);
    let invites = list_invites(&fixture);
    assert_eq!(invites.len(), 2);
    assert_eq!(invites[1]["role"], "member");
    assert_eq!(invites[1]["invited_by"], fixture.user_id("Ann"));
    let days = |field: &str| {
        let time = |field: &str| {
            let text = invites[1][field].as_str().unwrap();
            chartroom_platform::time::Timestamp::parse_rfc3339(text).unwrap().0
        };
        (time(field) - time("created")) / 86_400_000
    };
    assert_eq!((days("last_sent_at"), days("expires_at")), (0, 30));
}

#[test]
fn addresses_role_and_message_are_checked() {
    let fixture = start_with_verified_domain();
    let many: Vec<String> = (0..101).map(|number| format!("u{number}@example.com")).collect();
    let check = |body: Value, want: &str| {
        let response = fixture.request_org("Ann", "POST", "/invites", body);
        assert_eq!(response.status, 400, "{}", response.text);
        assert!(response.text.starts_with(want), "{}", response.text);
    };
    check(json!({ "emails": many }), "emails: ");
    check(json!({ "emails": [] }), "emails: ");
    check(json!({ "emails": ["a@example.com"], "role": "boss" }), "role: ");
    check(json!({ "emails": ["a@example.com"], "message": "x".repeat(2001) }), "message: ");
    assert_eq!(fixture.request_org("Ben", "GET", "/invites", Value::Null).status, 403);
}

#[test]
fn a_new_person_accepts_with_name_and_password() {
    let fixture = start_with_verified_domain();
    let (_, path) = invite(&fixture, "new@example.com", "brand_manager");
    let server = &fixture.server;
    let page = server.send("GET", &path, &[], "");
    assert_eq!(page.status, 200);
    for part in ["Join The acme", "Ann invites you", "new@example.com", "name=\"password\""] {
        assert!(page.body.contains(part), "{part} is missing:\n{}", page.body);
    }
    assert_eq!(page.header("cache-control"), "no-store");
    let invalid = server.submit_form(&path, "name=+&password=short");
    assert_eq!(invalid.status, 400);
    assert!(invalid.body.contains("id=\"name-error\""), "{}", invalid.body);
    let invalid = server.submit_form(&path, "name=New+Person&password=short");
    assert!(invalid.body.contains("id=\"password-error\""), "{}", invalid.body);
    assert!(invalid.body.contains("value=\"New Person\""), "the form keeps the name");
    let evil = [("origin", "https://evil.example")];
    let form = "name=New+Person&password=correct+horse+battery";
    assert_eq!(server.send("POST", &path, &evil, form).status, 403);
    assert_eq!(member_names(&fixture).len(), 4);

    let joined = server.submit_form(&path, form);
    assert_eq!((joined.status, joined.header("location").as_str()), (303, "/"), "{}", joined.body);
    let cookie = joined.cookie();
    let user = server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").json();
    assert_eq!([&user["name"], &user["email"]], ["New Person", "new@example.com"]);
    let sessions = server.send("GET", "/api/v1/user/sessions", &[("cookie", &cookie)], "").json();
    assert_eq!(sessions[0]["method"], "invite");
    assert_eq!(user["orgs"][0]["role"], "brand_manager");
    assert!(list_invites(&fixture).is_empty());
    assert_eq!(server.submit_form(&path, form).status, 404, "the link works once");
    assert_eq!(server.send("GET", &path, &[], "").status, 404);
}

#[test]
fn an_existing_account_accepts_signed_in_or_after_signing_in() {
    let fixture = start_with_verified_domain();
    let (_, path) = invite(&fixture, "Dan@example.org", "member");
    let server = &fixture.server;
    // Not signed in: the page asks for the sign-in, and a form creates no second account.
    let page = server.send("GET", &path, &[], "");
    let next = path.replace('/', "%2F").replace('-', "%2D").replace('_', "%5F");
    assert!(page.body.contains(&format!("/sign-in?next={next}")), "{}", page.body);
    assert!(!page.body.contains("name=\"password\""));
    let form = "name=New+Person&password=correct+horse+battery";
    assert_eq!(server.submit_form(&path, form).status, 409);

    // Another signed-in person is refused with an explanation.
    let cid = [("authorization", fixture.authorization("Cid"))];
    let page = server.send("GET", &path, &cid, "");
    assert!(page.body.contains("You are signed in as Cid"), "{}", page.body);
    assert!(!page.body.contains("<form method=\"post\"><button"), "{}", page.body);
    let refused = server.send("POST", &path, &cid, "");
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("The invitation is for Dan@example.org."), "{}", refused.body);
    assert_eq!(list_invites(&fixture).len(), 1);

    let dan = [("authorization", fixture.authorization("Dan"))];
    assert!(server.send("GET", &path, &dan, "").body.contains("Join as Dan"));
    assert_eq!(server.send("POST", &path, &dan, "").status, 303);
    assert_eq!(member_names(&fixture).last().unwrap(), "Dan");
    assert_eq!(server.send("POST", &path, &dan, "").status, 404);
}

#[test]
fn sending_again_replaces_the_link_and_deleting_ends_it() {
    let fixture = start_with_verified_domain();
    let (invite, first) = invite(&fixture, "new@example.com", "member");
    let get = |path: &str| fixture.server.send("GET", path, &[], "").status;
    let id = invite["id"].as_str().unwrap();
    let send = format!("/invites/{id}/send");
    assert_eq!(fixture.request_org("Ben", "POST", &send, Value::Null).status, 403);
    assert_eq!(fixture.request_org("Ann", "POST", &send, Value::Null).status, 204);
    let second = link_path(&fixture, &list_invites(&fixture)[0]);
    assert_eq!((get(&first), get(&second)), (404, 200));
    // The invites of one organization are hidden from the admin of another.
    let other = crate::orgs::create_org(&fixture.server, "other", Seats::Unlimited);
    let dan = fixture.user_id("Dan").to_owned();
    let dan = chartroom_platform::id::AccountId::from_text(dan);
    crate::orgs::add_member(&fixture.server, &other, &dan, orgs::Role::Admin).unwrap();
    for (method, path) in [("DELETE", format!("/invite/{id}")), ("POST", send.clone())] {
        let path = format!("/api/v1/orgs/other{path}");
        assert_eq!(fixture.request("Dan", method, &path, Value::Null).status, 404);
    }
    let delete = format!("/invite/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &delete, Value::Null).status, 204);
    assert_eq!(get(&second), 404);
    assert_eq!(fixture.request_org("Ann", "DELETE", &delete, Value::Null).status, 404);
    assert_eq!(fixture.request_org("Ann", "POST", &send, Value::Null).status, 404);
}

#[test]
fn an_expired_invite_is_closed_and_its_address_can_be_invited_again() {
    let fixture = start_with_verified_domain();
    let (_, path) = invite(&fixture, "new@example.com", "member");
    fixture.server.execute_sql("update invite set expires = 1");
    assert!(list_invites(&fixture).is_empty());
    assert_eq!(fixture.server.send("GET", &path, &[], "").status, 404);
    invite(&fixture, "new@example.com", "member");
}

#[test]
fn external_invites_can_be_disabled() {
    let fixture = start_with_verified_domain();
    let org = fixture.org.id.clone();
    let disable = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        orgs::set_grants(tx, &org, Some(false), None)
    };
    fixture.server.app.db.write(disable).unwrap();
    let details = fixture.request_org("Ann", "GET", "", Value::Null).json();
    assert_eq!(details["external_invites"], false);
    for path in ["/invites", "/invites/check"] {
        let body = json!({ "emails": ["in@acme.example", "out@example.com"] });
        let refused = fixture.request_org("Ann", "POST", path, body);
        assert_eq!(refused.status, 400);
        assert!(refused.text.starts_with("emails[1]: is not on a verified"), "{}", refused.text);
    }
    invite(&fixture, "in@acme.example", "member");
}

#[test]
fn acceptance_needs_a_seat() {
    let fixture = start_with_verified_domain();
    set_plan(&fixture, Seats::Limited(5));
    let (_, path) = invite(&fixture, "new@example.com", "member");
    // The operator takes the seat away.
    fixture.server.execute_sql("update org set seats = 4");
    let form = "name=New+Person&password=correct+horse+battery";
    let refused = fixture.server.submit_form(&path, form);
    assert_eq!(refused.status, 402, "{}", refused.body);
    assert_eq!(list_invites(&fixture).len(), 1, "the invite stays open");
    fixture.server.execute_sql("update org set seats = 5");
    assert_eq!(fixture.server.submit_form(&path, form).status, 303, "the address is still free");
}

#[test]
fn a_user_on_a_verified_domain_is_invited_automatically() {
    let fixture = start_with_verified_domain();
    let new_user = |name: &str| {
        let email = format!("{}@acme.example", name.to_lowercase());
        let new = chartroom::features::accounts::NewUser {
            email,
            name: name.to_owned(),
            ..chartroom::features::accounts::NewUser::default()
        };
        let create = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            chartroom::features::accounts::create_user(tx, &new)
        };
        fixture.server.app.db.write(create).unwrap();
    };
    let background = tasks::start_background_work(&fixture.server.app).unwrap();
    let wait_until_handled = || {
        let start = Instant::now();
        let is_waiting = || -> bool {
            let sql = "select exists (select 1 from task where name = 'accounts.arrived')";
            fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
        };
        while is_waiting() {
            assert!(start.elapsed() < Duration::from_secs(60), "the task did not run");
            thread::sleep(Duration::from_millis(20));
        }
    };
    new_user("Early");
    wait_until_handled();
    assert!(list_invites(&fixture).is_empty(), "off by default");
    let on = json!({ "auto_invite_domain_users": true });
    assert_eq!(fixture.request_org("Ann", "PATCH", "/settings", on).status, 204);
    new_user("Late");
    wait_until_handled();
    background.stop();
    let invites = list_invites(&fixture);
    assert_eq!(invites.len(), 1);
    assert_eq!(invites[0]["email"], "late@acme.example");
    assert_eq!(invites[0]["invited_by"], Value::Null);
}

#[test]
fn a_suspended_organization_accepts_nobody() {
    let fixture = start_with_verified_domain();
    let (_, path) = invite(&fixture, "new@example.com", "member");
    fixture.set_suspended(true);
    let form = "name=New+Person&password=correct+horse+battery";
    let refused = fixture.server.submit_form(&path, form);
    assert_eq!(refused.status, 402, "{}", refused.body);
    assert!(refused.body.contains("suspended"), "{}", refused.body);
    fixture.set_suspended(false);
    assert_eq!(fixture.server.submit_form(&path, form).status, 303);
}

#[test]
fn an_organization_with_managed_accounts_only_invites_nobody() {
    let fixture = start_with_verified_domain();
    let only_managed = json!({ "disable_unmanaged_accounts": true });
    assert_eq!(fixture.request_org("Ann", "PATCH", "/settings", only_managed).status, 204);
    let refused =
        fixture.request_org("Ann", "POST", "/invites", json!({ "emails": ["a@acme.example"] }));
    assert_eq!(refused.status, 400);
    assert!(refused.text.starts_with("emails: cannot be invited"), "{}", refused.text);
    assert_eq!(create_managed(&fixture, "Man").status, 200);
}
