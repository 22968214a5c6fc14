//! Events of the people of an organization: through the routes and through the command line.

use chartroom::features::accounts::PasswordLink;
use chartroom::features::orgs;
use chartroom::features::orgs::Price;
use chartroom::features::orgs::Seats;
use chartroom::features::orgs::SubscriptionTerms;
use chartroom::features::people::invites;
use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;
use crate::server_process::ServerProcess;
use crate::test_server::PASSWORD;

/// Starts a server on which the organization has a verified domain.
fn start_with_verified_domain() -> AuditFixture {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql(
        "insert into domain (org_id, name, status, record_value, created)
         select id, 'acme.example', 'verified', 'x', 0 from org",
    );
    fixture
}

/// Creates or restores the managed account Man and returns it. The events must be these.
fn create_managed(fixture: &AuditFixture, expected: &[(&str, &str)]) -> Value {
    let mut body = json!({ "name": "Man", "email": "man@acme.example" });
    let check = ("POST", "/orgs/acme/users/check", body.clone());
    let (checked, _) = fixture.change("Ann", check, &[]);
    body["confirmation"] = checked.json()["confirmation"].clone();
    let (created, events) = fixture.change("Ann", ("POST", "/orgs/acme/users", body), expected);
    let details = json!({ "email": "man@acme.example", "role": "member" });
    assert_eq!(events.last().unwrap()["details"], details);
    created.json()
}

#[test]
fn each_change_of_a_managed_account_has_one_event() {
    let fixture = start_with_verified_domain();
    let user = create_managed(&fixture, &[("member.add", "Man"), ("user.create", "Man")]);
    let id = text(&user, "/id");
    let path = format!("/orgs/acme/users/{id}");
    let change = |body: Value, expected: &[(&str, &str)]| {
        fixture.change("Ann", ("PATCH", &path, body), expected).1
    };
    let events = change(json!({ "name": "Mano" }), &[("user.change", "Mano")]);
    assert_eq!(events[0]["details"], json!({ "name": { "from": "Man", "to": "Mano" } }));
    change(json!({ "name": "Mano" }), &[]);
    let events = change(json!({ "role": "admin" }), &[("member.change", "Mano")]);
    assert_eq!(events[0]["details"], json!({ "role": { "from": "member", "to": "admin" } }));
    // It sends a mail, for which the transaction runs twice.
    let send = format!("{path}/send");
    fixture.change("Ann", ("POST", &send, Value::Null), &[("user.password_link", "Mano")]);
    let removed = [("member.remove", "Mano"), ("user.remove", "Mano")];
    let (_, events) = fixture.change("Ann", ("DELETE", &path, Value::Null), &removed);
    let details = json!({ "role": "admin", "team_count": 0, "teams": [] });
    assert_eq!(events[0]["details"], details);
    let again = create_managed(&fixture, &[("member.add", "Man"), ("user.restore", "Man")]);
    assert_eq!(text(&again, "/id"), id);
}

#[test]
fn password_of_a_link_is_set_by_the_user() {
    let fixture = start_with_verified_domain();
    let user = create_managed(&fixture, &[("member.add", "Man"), ("user.create", "Man")]);
    let id = text(&user, "/id");
    let app = &fixture.fixture.server.app;
    let sql = "select subject from task where name = 'people.account-mail'";
    let subject: String = app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
    let nonce = subject.strip_prefix(&format!("{id}.")).unwrap().to_owned();
    let url = PasswordLink { nonce }.url(&app.server_key, "");
    let set = fixture.fixture.server.submit_form(&url, "password=correct+horse+battery");
    assert_eq!(set.status, 303, "{}", set.text);
    let events = fixture.take_events();
    let actions: Vec<&str> = events.iter().map(|event| text(event, "/action")).collect();
    assert_eq!(actions, ["user.change_password", "sign_in.success"]);
    assert!(events.iter().all(|event| text(event, "/actor/id") == id), "{events:?}");
}

/// Invites an address as Ann. Returns the id of the invite and the path of its page.
fn invite(fixture: &AuditFixture, email: &str) -> (String, String) {
    let body = json!({ "emails": [email], "role": "member" });
    let expected = [("invite.create", email)];
    let (_, events) = fixture.change("Ann", ("POST", "/orgs/acme/invites", body), &expected);
    assert_eq!(events[0]["details"], json!({ "role": "member" }));
    let id = text(&events[0], "/target/id").to_owned();
    let path = find_link(fixture, &id);
    (id, path)
}

/// Returns the path of the page of an open invite.
fn find_link(fixture: &AuditFixture, id: &str) -> String {
    let (app, org) = (&fixture.fixture.server.app, fixture.fixture.org.clone());
    let all = app.db.read(move |tx| invites::list_invites(tx, &org)).unwrap();
    let found = all.iter().find(|found| found.id.as_str() == id).unwrap();
    invites::invite_url(&app.server_key, "", found)
}

#[test]
fn each_change_of_an_invite_has_one_event() {
    let fixture = start_with_verified_domain();
    let (id, _) = invite(&fixture, "dan@example.org");
    let send = format!("/orgs/acme/invites/{id}/send");
    let sent = [("invite.send", "dan@example.org")];
    fixture.change("Ann", ("POST", &send, Value::Null), &sent);
    let path = format!("/orgs/acme/invite/{id}");
    let deleted = [("invite.delete", "dan@example.org")];
    let (_, events) = fixture.change("Ann", ("DELETE", &path, Value::Null), &deleted);
    assert_eq!(text(&events[0], "/target/id"), id);

    // An account and a new person accept. They are the actors.
    let facts = || -> Vec<[String; 3]> {
        let pointers = ["/action", "/target/name", "/actor/name"];
        let fact = |event: &Value| pointers.map(|pointer| text(event, pointer).to_owned());
        fixture.take_events().iter().map(fact).collect()
    };
    let server = &fixture.fixture.server;
    let (_, page) = invite(&fixture, "dan@example.org");
    let dan = [("authorization", fixture.fixture.authorization("Dan"))];
    assert_eq!(server.send("POST", &page, &dan, "").status, 303);
    let accepted = [["member.add", "Dan", "Dan"], ["invite.accept", "dan@example.org", "Dan"]];
    assert_eq!(facts(), accepted);
    let (_, page) = invite(&fixture, "new@example.com");
    let form = "name=New+Person&password=correct+horse+battery";
    assert_eq!(server.submit_form(&page, form).status, 303);
    let accepted = [
        ["member.add", "New Person", "New Person"],
        ["invite.accept", "new@example.com", "New Person"],
    ];
    assert_eq!(facts(), accepted);

    // An invite that a managed account makes superfluous.
    let (id, _) = invite(&fixture, "man@acme.example");
    create_managed(
        &fixture,
        &[("invite.delete", "man@acme.example"), ("member.add", "Man"), ("user.create", "Man")],
    );
    let deleted = &fixture.read_log("acme", "?action=invite.delete&limit=1")[0];
    assert_eq!(text(deleted, "/target/id"), id);
}

#[test]
fn more_seats_have_one_event() {
    let fixture = start_with_verified_domain();
    let org = fixture.fixture.org.id.clone();
    let db = &fixture.fixture.server.app.db;
    let grant = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        orgs::set_plan(tx, &org, None, Some(Seats::Limited(4)))?;
        let mut terms = SubscriptionTerms::new(tx.now);
        terms.price = Price::PerSeat(700);
        orgs::set_grants(tx, &org, None, Some(Some(terms)))
    };
    db.write(grant).unwrap();
    let settings = json!({ "auto_update_seat_count": true, "auto_update_seat_count_limit": 6 });
    let response = fixture.request("Ann", "PATCH", "/orgs/acme/settings", &settings);
    assert_eq!(response.status, 204, "{}", response.text);
    fixture.take_events();
    let mut body = json!({ "emails": ["x@example.com"], "role": "member" });
    let check = ("POST", "/orgs/acme/invites/check", body.clone());
    let (checked, _) = fixture.change("Ann", check, &[]);
    body["confirmation"] = checked.json()["confirmation"].clone();
    let expected = [("subscription.change", "The acme"), ("invite.create", "x@example.com")];
    let (_, events) = fixture.change("Ann", ("POST", "/orgs/acme/invites", body), &expected);
    assert_eq!(events[0]["details"], json!({ "seats": { "from": 4, "to": 5 } }));
}

#[test]
fn removal_of_a_member_names_the_lost_teams_and_shares() {
    let fixture = start_with_verified_domain();
    let ben = fixture.fixture.user_id("Ben").to_owned();
    let (_, document) = fixture.create_document("Ann", "/");
    let team = json!({ "name": "Sales", "members": [ben] });
    let team = fixture.request("Ann", "POST", "/orgs/acme/teams", &team).json();
    let team_id = text(&team, "/id");
    for recipient in [json!({ "user_id": ben }), json!({ "team": team_id })] {
        let mut share = json!({ "owner": "acme", "document": document });
        share.as_object_mut().unwrap().extend(recipient.as_object().unwrap().clone());
        let shared = fixture.request("Ann", "POST", "/share", &share);
        assert_eq!(shared.status, 200, "{}", shared.text);
    }
    let cast = json!({ "document_id": document, "device_name": "Lobby" });
    assert_eq!(fixture.request("Ben", "POST", "/cast/sessions", &cast).status, 200);
    fixture.take_events();
    let path = format!("/orgs/acme/members/remove?id={ben}");
    let expected = [("member.remove", "Ben"), ("member.revoke_access", "Ben")];
    let (_, events) = fixture.change("Ann", ("POST", &path, Value::Null), &expected);
    let teams = json!([{ "id": team_id, "name": "Sales" }]);
    let details = json!({ "role": "member", "team_count": 1, "teams": teams });
    assert_eq!(events[0]["details"], details);
    let details = json!({ "shares": 1, "nodes": [document], "casts": 1 });
    assert_eq!(events[1]["details"], details);
    let path = format!("/orgs/acme/team/{team_id}");
    let (_, events) =
        fixture.change("Ann", ("DELETE", &path, Value::Null), &[("team.delete", "Sales")]);
    assert_eq!(events[0]["details"]["shares"], 1);
}

#[test]
fn commands_about_people_have_one_event_each() {
    let mut server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme"];
    server.run_json(&[&create[..], &["--plan", "enterprise", "--seats", "9"]].concat());
    let (ben, cid) = (server.ben().id.clone(), server.cid().id.clone());
    server.stop();
    server.run_json(&["org", "member", "add", "acme", &ben]);
    let path = server.data_dir().join("chartroom.db");
    let sql = "insert into managed_user (user_id, org_id, created) select ?, org.id, 1 from org";
    rusqlite::Connection::open(path).unwrap().execute(sql, [&ben]).unwrap();
    let invites = server.run_json(&["org", "invite", "add", "acme", "cid@example.org"]);
    let id = text(&invites, "/0/id");
    for arguments in [
        &["org", "invite", "send", "acme", id][..],
        &["org", "invite", "delete", "acme", id],
        &["org", "invite", "add", "acme", "cid@example.org"],
        &["org", "member", "add", "acme", &cid],
        &["org", "member", "password-link", "acme", &ben],
        &["org", "member", "remove", "acme", &ben],
        &["org", "member", "remove", "acme", &cid],
    ] {
        server.run_json(arguments);
    }
    let log = server.run_json(&["org", "audit", "acme"]);
    let events = log["events"].as_array().unwrap();
    let facts: Vec<(&str, &str)> = events
        .iter()
        .rev()
        .map(|event| (text(event, "/action"), text(event, "/target/name")))
        .collect();
    let expected = [
        ("org.create", "Acme"),
        ("member.add", "Ben"),
        ("invite.create", "cid@example.org"),
        ("invite.send", "cid@example.org"),
        ("invite.delete", "cid@example.org"),
        ("invite.create", "cid@example.org"),
        ("invite.delete", "cid@example.org"),
        ("member.add", "Cid"),
        ("user.password_link", "Ben"),
        ("member.remove", "Ben"),
        ("user.remove", "Ben"),
        ("member.remove", "Cid"),
    ];
    assert_eq!(facts, expected);
    assert!(events.iter().all(|event| event["actor"]["type"] == "operator"));
    assert!(!log.to_string().contains(PASSWORD));
}
