//! Each change has exactly one event, and a change without effect has none.

use chartroom::features::audit;
use chartroom::features::audit::EventTarget;
use chartroom::features::orgs;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;
use crate::idempotency::wait_until;
use crate::orgs::add_member;
use crate::orgs::create_org;

/// Returns the title of a document.
fn read_title(fixture: &AuditFixture, path: &str) -> String {
    text(&fixture.request("Ann", "GET", path, &Value::Null).json(), "/title").to_owned()
}

#[test]
fn creation_rename_and_publication_of_a_document_have_one_event() {
    let fixture = AuditFixture::new();
    let org = fixture.fixture.org.id.to_string();
    let body = json!({ "widget": "bar", "owner": "acme", "folder": "/Plans/2027" });
    let created = fixture.request("Ben", "POST", "/create-document", &body).json();
    let id = text(&created, "/id").to_owned();
    let path = format!("/users/{org}/documents/{id}");
    let title = read_title(&fixture, &path);
    let events = fixture.take_events();
    let found: Vec<_> = events
        .iter()
        .map(|event| (text(event, "/action"), text(event, "/target/name"), &event["details"]))
        .collect();
    let expected = [
        ("folder.create", "Plans", &json!({ "folder": "/" })),
        ("folder.create", "2027", &json!({ "folder": "/Plans" })),
        ("document.create", &title, &json!({ "kind": "bar", "folder": "/Plans/2027" })),
    ];
    assert_eq!(found, expected);
    let target = json!({ "type": "document", "id": id, "name": title });
    assert_eq!(events[2]["target"], target);

    let (_, events) = fixture.change(
        "Ben",
        ("PATCH", &path, json!({ "title": "Sales" })),
        &[("document.rename", "Sales")],
    );
    assert_eq!(events[0]["details"], json!({ "from": title, "to": "Sales" }));
    // The history has the changes of the content.
    fixture.change("Ben", ("PUT", &format!("{path}/data"), json!([{ "label": "a" }])), &[]);
    fixture.change("Ben", ("PATCH", &path, json!({ "title": "Sales" })), &[]);
    fixture.change("Ben", ("POST", &path, json!({ "action": "close" })), &[]);

    let publish = json!({ "title": "Sales", "isPublic": true });
    fixture.change("Ann", ("PUT", &path, publish.clone()), &[("document.publish", "Sales")]);
    fixture.change("Ann", ("PUT", &path, publish), &[]);
    let hide = json!({ "title": "Sales", "isPublic": false });
    fixture.change("Ann", ("PUT", &path, hide), &[("document.unpublish", "Sales")]);
}

#[test]
fn each_other_change_of_a_document_has_one_event() {
    let fixture = AuditFixture::new();
    let (path, id) = fixture.create_document("Ben", "/Plans/2027");
    let title = json!({ "title": "Sales" });
    fixture.change("Ben", ("PATCH", &path, title), &[("document.rename", "Sales")]);
    let to = ("POST", format!("{path}/move"), json!({ "folder": "/Plans" }));
    let (_, events) = fixture.change("Cid", (to.0, &to.1, to.2), &[("document.move", "Sales")]);
    let moved = json!({ "from": "/Plans/2027/Sales", "to": "/Plans/Sales" });
    assert_eq!(events[0]["details"], moved);

    let (copy, events) = fixture.change(
        "Cid",
        ("POST", &path, json!({ "action": "duplicate" })),
        &[("document.create", "Sales")],
    );
    assert_eq!(events[0]["details"], json!({ "copy_of": id, "folder": "/Plans" }));
    assert_ne!(text(&events[0], "/target/id"), id, "{}", copy.text);

    let token = ("POST", format!("{path}/token"), json!({ "type": "svg" }));
    let (token, events) =
        fixture.change("Ben", (token.0, &token.1, token.2), &[("document.export_link", "Sales")]);
    assert_eq!(events[0]["details"]["format"], "svg");
    assert!(!events[0].to_string().contains(text(&token.json(), "/token")));

    fixture.change("Ben", ("DELETE", &path, Value::Null), &[("document.delete", "Sales")]);
    fixture.change("Ben", ("DELETE", &path, Value::Null), &[]);
    let restore = json!({ "action": "restore" });
    fixture.change("Ben", ("POST", &path, restore.clone()), &[("document.restore", "Sales")]);
    fixture.change("Ben", ("POST", &path, restore), &[]);
    let (_, events) = fixture.change(
        "Ann",
        ("DELETE", &format!("{path}?expunge=1"), Value::Null),
        &[("document.expunge", "Sales")],
    );
    assert_eq!(text(&events[0], "/target/id"), id);
}

#[test]
fn tokens_have_one_event_per_hour_and_maker_and_none_with_public_access() {
    let fixture = AuditFixture::new();
    let (path, id) = fixture.create_document("Ann", "/");
    let body = json!({ "owner": "acme", "document": id });
    let link = fixture.request("Ann", "POST", "/share", &body).json();
    let link = text(&link, "/link").rsplit('/').next().unwrap().to_owned();
    let publish = json!({ "title": "Sales", "isPublic": true });
    assert_eq!(fixture.request("Ann", "PUT", &path, &publish).status, 200);
    fixture.take_events();
    let create_tokens = |name: &str, query: &str| -> Vec<String> {
        for format in ["svg", "png", "svg"] {
            let body = json!({ "type": format });
            let path = format!("{path}/token{query}");
            let created = fixture.request(name, "POST", &path, &body);
            assert_eq!(created.status, 200, "{}", created.text);
        }
        let name = |event: &Value| {
            assert_eq!(text(event, "/action"), "document.export_link");
            text(event, "/actor/name").to_owned()
        };
        fixture.take_events().iter().map(name).collect()
    };
    assert_eq!(create_tokens("Ben", ""), ["Ben"]);
    assert_eq!(create_tokens("Ben", ""), [""; 0]);
    assert_eq!(create_tokens("Cid", ""), ["Cid"]);
    for name in ["Dan", ""] {
        assert_eq!(create_tokens(name, ""), [""; 0], "{name} has only public access");
    }
    let with_link = format!("?share={link}");
    assert_eq!(create_tokens("", &with_link), [""]);
    assert_eq!(create_tokens("", &with_link), [""; 0]);
    let server = &fixture.fixture.server;
    server.execute_sql("update audit_event set created = created - 3600001");
    assert_eq!(create_tokens("Ben", ""), ["Ben"]);
}

#[test]
fn long_values_are_stored_in_part() {
    let fixture = AuditFixture::new();
    let org = fixture.fixture.org.id.clone();
    let write = move |tx: &WriteTx<'_>| {
        let long = "ü".repeat(16_000);
        let target = EventTarget::new("document", &long, &*long);
        let details = json!({ "from": long, "list": [{ "to": long }] });
        audit::record(tx, &org, "document.move", &target, &details)
    };
    fixture.fixture.server.app.db.write(write).unwrap();
    let events = fixture.take_events();
    let stored = format!("{}…", "ü".repeat(499));
    assert_eq!(text(&events[0], "/target/id"), stored);
    assert_eq!(text(&events[0], "/target/name"), stored);
    assert_eq!(events[0]["details"], json!({ "from": stored, "list": [{ "to": stored }] }));
}

#[test]
fn each_change_of_a_folder_has_one_event() {
    let fixture = AuditFixture::new();
    let folder = |path: &str| format!("/users/{}/folders{path}", fixture.fixture.org.id);
    fixture.change("Ben", ("PUT", &folder("/Old"), json!({})), &[("folder.create", "Old")]);
    fixture.change("Ben", ("PUT", &folder("/Old"), json!({})), &[]);
    fixture.create_document("Ben", "/Old");
    fixture.create_document("Ben", "/Old/Deep");
    let rename = json!({ "title": "New" });
    fixture.change("Ben", ("PUT", &folder("/Old"), rename), &[("folder.rename", "New")]);
    let (_, events) = fixture.change(
        "Ben",
        ("PUT", &folder("/New"), json!({ "name": "/Archive/New" })),
        &[("folder.create", "Archive"), ("folder.move", "New")],
    );
    assert_eq!(events[1]["details"], json!({ "from": "/New", "to": "/Archive/New" }));
    // One event for the whole copy.
    let path = folder("/Archive/New");
    let copy = json!({ "action": "duplicate" });
    fixture.change("Ben", ("POST", &path, copy), &[("folder.create", "New 2")]);
    fixture.change("Ben", ("DELETE", &path, Value::Null), &[("folder.delete", "New")]);
    let restore = json!({ "action": "restore" });
    fixture.change("Ben", ("POST", &path, restore), &[("folder.restore", "New")]);
    fixture.change("Ben", ("DELETE", &path, Value::Null), &[("folder.delete", "New")]);
    let trash = format!("/users/{}/trash", fixture.fixture.org.id);
    let (_, events) =
        fixture.change("Ann", ("DELETE", &trash, Value::Null), &[("folder.expunge", "New")]);
    assert_eq!(events[0]["details"], json!({ "documents": 2 }));
}

#[test]
fn large_copy_in_steps_has_one_event() {
    let fixture = AuditFixture::new();
    let (_, id) = fixture.create_document("Ann", "/Many");
    let path = format!("/users/{}/documents/{id}", fixture.fixture.org.id);
    // More nodes than one step of a copy or of a removal.
    for _ in 0..110 {
        let copied = fixture.request("Ann", "POST", &path, &json!({ "action": "duplicate" }));
        assert_eq!(copied.status, 200, "{}", copied.text);
    }
    while !fixture.take_events().is_empty() {}
    let folder = format!("/users/{}/folders/Many", fixture.fixture.org.id);
    let copy = json!({ "action": "duplicate" });
    fixture.change("Ann", ("POST", &folder, copy), &[("folder.create", "Many 2")]);
    let (_, events) = fixture.change(
        "Ann",
        ("DELETE", &format!("{folder}?expunge=1"), Value::Null),
        &[("folder.expunge", "Many")],
    );
    assert_eq!(events[0]["details"], json!({ "documents": 111 }));
}

#[test]
fn each_change_of_a_share_has_one_event_without_its_token() {
    let fixture = AuditFixture::new();
    let (_, id) = fixture.create_document("Ann", "/");
    let dan = fixture.fixture.user_id("Dan").to_owned();
    let title = read_title(&fixture, &format!("/users/acme/documents/{id}"));
    let share = |more: Value| {
        let mut body = json!({ "owner": "acme", "document": id });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let event = |action: &'static str| [(action, title.clone())];
    let check = |request: (&str, Value), action: &'static str| {
        let expected = event(action);
        let expected: Vec<(&str, &str)> =
            expected.iter().map(|(action, title)| (*action, title.as_str())).collect();
        let expected = if action.is_empty() { &[][..] } else { &expected[..] };
        fixture.change("Ann", (request.0, "/share", request.1), expected)
    };
    let to_dan = share(json!({ "user_id": dan }));
    let (_, events) = check(("POST", to_dan.clone()), "document.share");
    let details = &events[0]["details"];
    assert_eq!((&details["recipient"], &details["user_id"]), (&json!("user"), &json!(dan)));
    assert_eq!((&details["mode"], &details["expires_at"]), (&json!("r"), &Value::Null));
    check(("POST", to_dan.clone()), "");
    let (_, events) =
        check(("PATCH", share(json!({ "user_id": dan, "mode": "w" }))), "document.change_share");
    assert_eq!(events[0]["details"]["mode"], "w");
    check(("PATCH", share(json!({ "user_id": dan, "mode": "w" }))), "");
    check(("DELETE", to_dan), "document.unshare");

    let (link, events) = check(("POST", share(json!({}))), "document.share");
    let url = text(&link.json(), "/link").to_owned();
    let token = url.rsplit('/').next().unwrap();
    assert!(!events[0].to_string().contains(token));
    let (rotated, events) =
        check(("PATCH", share(json!({ "link": url, "rotate": true }))), "document.change_share");
    assert_eq!(events[0]["details"]["rotated"], true);
    check(("DELETE", share(json!({ "link": text(&rotated.json(), "/link") }))), "document.unshare");

    // A recipient who leaves removes their access entry.
    check(("POST", share(json!({ "user_id": dan }))), "document.share");
    let leave = format!("/users/me/foreign-documents/acme/{id}");
    let (_, events) = fixture.change(
        "Dan",
        ("DELETE", &leave, Value::Null),
        &[("document.unshare", title.as_str())],
    );
    assert_eq!(events[0]["details"]["user_id"], json!(dan));
}

#[test]
fn accepted_invitation_has_one_event_of_the_recipient_or_of_the_system() {
    let fixture = AuditFixture::new();
    let (_, id) = fixture.create_document("Ann", "/");
    let invite = |email: &str| {
        let body = json!({ "owner": "acme", "document": id, "email": email });
        let invited = fixture.request("Ann", "POST", "/share", &body).json();
        fixture.take_events();
        text(&invited, "/link").rsplit('/').next().unwrap().to_owned()
    };
    let token = invite("dan@example.com");
    let server = &fixture.fixture.server;
    let dan = [
        ("authorization", fixture.fixture.authorization("Dan")),
        ("origin", "http://127.0.0.1:8080"),
    ];
    for _ in 0..2 {
        let accepted = server.send("POST", &format!("/s/{token}"), &dan, "");
        assert_eq!(accepted.status, 303, "{}", accepted.text);
    }
    let events = fixture.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["action"], "document.accept_share");
    assert_eq!(events[0]["actor"]["name"], "Dan");
    assert_eq!(events[0]["details"]["user_id"], fixture.fixture.user_id("Dan"));

    // An account with the invited address gets access without a request.
    invite("eve@example.org");
    let eve = server.create_user("Eve");
    let _tasks = chartroom::tasks::start_background_work(&server.app).unwrap();
    wait_until("the invitation is accepted", || {
        fixture.read_log("acme", "?action=document.accept_share").len() == 2
    });
    let events = fixture.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["action"], "document.accept_share");
    assert_eq!(events[0]["actor"]["type"], "system");
    assert_eq!(events[0]["details"]["user_id"], json!(eve.id));
}

#[test]
fn each_change_of_the_organization_has_one_event() {
    let fixture = AuditFixture::new();
    let org = "/orgs/acme";
    let (_, events) = fixture.change(
        "Bea",
        ("PATCH", org, json!({ "name": "Acme Ltd", "default_theme": "light" })),
        &[("org.change", "Acme Ltd")],
    );
    let details = json!({ "name": { "from": "The acme", "to": "Acme Ltd" } });
    assert_eq!(events[0]["details"], details);
    fixture.change("Bea", ("PATCH", org, json!({ "name": "Acme Ltd" })), &[]);

    let settings = format!("{org}/settings");
    let (_, events) = fixture.change(
        "Bea",
        ("PATCH", &settings, json!({ "disable_public_documents": true })),
        &[("settings.change", "Acme Ltd")],
    );
    let details = json!({ "disable_public_documents": { "from": false, "to": true } });
    assert_eq!(events[0]["details"], details);
    fixture.change("Bea", ("PATCH", &settings, json!({ "disable_public_documents": true })), &[]);
    let layout = json!({ "name": "Wide", "width": 800, "height": 400 });
    let layouts = format!("{settings}/layouts");
    let (_, events) =
        fixture.change("Bea", ("POST", &layouts, layout), &[("settings.change", "Acme Ltd")]);
    assert_eq!(events[0]["details"], json!({ "layouts": { "from": [], "to": ["Wide"] } }));
}

#[test]
fn each_change_of_a_team_has_one_event() {
    let fixture = AuditFixture::new();
    let (ben, cid) = (fixture.fixture.user_id("Ben"), fixture.fixture.user_id("Cid"));
    let body = json!({ "name": "Sales", "members": [ben] });
    let (team, events) = fixture.change(
        "Ann",
        ("POST", "/orgs/acme/teams", body),
        &[("folder.create", "Sales"), ("team.create", "Sales")],
    );
    assert_eq!(events[1]["details"]["members"], json!([ben]));
    let path = format!("/orgs/acme/team/{}", text(&team.json(), "/id"));
    let body = json!({ "name": "Field", "members": [cid] });
    let (_, events) = fixture.change(
        "Ann",
        ("PUT", &path, body.clone()),
        &[("team.rename", "Sales"), ("team.remove_member", "Sales"), ("team.add_member", "Sales")],
    );
    assert_eq!(events[1]["details"], json!({ "user_id": ben, "name": "Ben" }));
    assert_eq!(events[2]["details"], json!({ "user_id": cid, "name": "Cid" }));
    fixture.change("Ann", ("PUT", &path, body), &[]);
    let member = format!("{path}/member/{ben}");
    let added = [("team.add_member", "Field")];
    fixture.change("Ann", ("PUT", &member, Value::Null), &added);
    fixture.change("Ann", ("PUT", &member, Value::Null), &[]);
    fixture.change("Ann", ("DELETE", &member, Value::Null), &[("team.remove_member", "Field")]);
    fixture.change("Ann", ("DELETE", &member, Value::Null), &[]);
    let (_, events) =
        fixture.change("Ann", ("DELETE", &path, Value::Null), &[("team.delete", "Field")]);
    assert_eq!(events[0]["target"]["type"], "team");
}

#[test]
fn casts_have_events_without_their_token() {
    let fixture = AuditFixture::new();
    let (_, id) = fixture.create_document("Ann", "/");
    let body = json!({ "document_id": id, "device_name": "Lobby" });
    let (cast, events) =
        fixture.change("Ann", ("POST", "/cast/sessions", body), &[("cast.create", "Lobby")]);
    let cast = cast.json();
    assert_eq!(events[0]["details"]["document"], json!(id));
    assert_eq!(events[0]["target"]["id"], cast["id"]);
    assert!(!events[0].to_string().contains(text(&cast, "/token")));
    let path = format!("/cast/sessions/{}", text(&cast, "/id"));
    fixture.change("Ann", ("DELETE", &path, Value::Null), &[("cast.revoke", "Lobby")]);
}

/// Creates the organization `other` with the plan `enterprise` and the admin Ann.
fn create_other_org(fixture: &AuditFixture) -> Org {
    let server = &fixture.fixture.server;
    let org = create_org(server, "other", Seats::Unlimited);
    let ann = fixture.fixture.user_id("Ann").parse().unwrap();
    add_member(server, &org, &ann, Role::Admin).unwrap();
    let id = org.id.clone();
    let plan = Some(Plan::Enterprise);
    server.app.db.write(move |tx| orgs::set_plan(tx, &id, plan, None)).unwrap()
}

#[test]
fn transfer_between_organizations_is_recorded_in_both() {
    let fixture = AuditFixture::new();
    let other = create_other_org(&fixture);
    let (path, id) = fixture.create_document("Ann", "/Plans");
    let title = read_title(&fixture, &path);
    let body = json!({ "owner": "other", "folder": "/" });
    let expected = [("document.move", title.as_str())];
    let to_other = format!("{path}/move");
    let (_, events) = fixture.change("Ann", ("POST", &to_other, body), &expected);
    let details = json!({
        "from": format!("/Plans/{title}"),
        "to": format!("/{title}"),
        "from_owner": fixture.fixture.org.id,
        "to_owner": other.id,
    });
    assert_eq!(events[0]["details"], details);
    let received = &fixture.read_log("other", "?limit=1")[0];
    assert_eq!((&received["action"], &received["details"]), (&json!("document.move"), &details));

    let path = format!("/users/other/documents/{id}/move");
    let body = json!({ "owner": "me", "folder": "/" });
    assert_eq!(fixture.request("Ann", "POST", &path, &body).status, 200);
    assert_eq!(
        fixture.read_log("other", "?limit=1")[0]["details"]["to_owner"],
        json!(fixture.fixture.user_id("Ann"))
    );
}

#[test]
fn public_document_that_moves_into_the_organization_has_an_event_of_its_publication() {
    let fixture = AuditFixture::new();
    let body = json!({ "widget": "bar", "folder": "/" });
    let created = fixture.request("Ann", "POST", "/create-document", &body).json();
    let path = format!("/users/me/documents/{}", text(&created, "/id"));
    let publish = json!({ "title": "Sales", "isPublic": true });
    assert_eq!(fixture.request("Ann", "PUT", &path, &publish).status, 200);
    let to_org = json!({ "owner": "acme", "folder": "/" });
    let expected = [("document.move", "Sales"), ("document.publish", "Sales")];
    fixture.change("Ann", ("POST", &format!("{path}/move"), to_org), &expected);
}

#[test]
fn personal_documents_have_no_events() {
    let fixture = AuditFixture::new();
    let db = &fixture.fixture.server.app.db;
    let count = || -> i64 {
        db.read(|tx| tx.one("select count(*) from audit_event", [], |row| row.get(0))).unwrap()
    };
    let before = count();
    let body = json!({ "widget": "bar", "folder": "/Mine" });
    let created = fixture.request("Ann", "POST", "/create-document", &body).json();
    let path = format!("/users/me/documents/{}", text(&created, "/id"));
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({ "title": "Mine" })),
        ("POST", format!("{path}/token"), json!({})),
        ("DELETE", path.clone(), Value::Null),
        ("DELETE", format!("{path}?expunge=1"), Value::Null),
    ] {
        let response = fixture.request("Ann", method, &path, &body);
        assert!(response.status < 300, "{method} {path}: {}", response.text);
    }
    assert_eq!(count(), before);
}

#[test]
fn failed_change_has_no_event_and_a_repeated_request_has_one() {
    let fixture = AuditFixture::new();
    // It fails after the folder of the team is created and recorded.
    let body = json!({ "name": "Sales", "members": [fixture.fixture.user_id("Dan")] });
    assert_eq!(fixture.request("Ann", "POST", "/orgs/acme/teams", &body).status, 400);
    let body = json!({ "name": "Sales" });
    assert_eq!(fixture.request("Ben", "POST", "/orgs/acme/teams", &body).status, 403);
    let target = EventTarget::new("org", "1", "Nothing");
    let org = fixture.fixture.org.id.clone();
    let failed: Result<()> = fixture.fixture.server.app.db.write(move |tx| {
        audit::record(tx, &org, "org.change", &target, &json!({}))?;
        Err(Error::Busy)
    });
    assert!(failed.is_err());
    assert_eq!(fixture.take_events(), Vec::<Value>::new());

    let key = [("idempotency-key", "team-1")];
    for _ in 0..3 {
        let created = fixture.send("Ann", "POST", "/orgs/acme/teams", &body, &key);
        assert_eq!(created.status, 200, "{}", created.text);
    }
    let events = fixture.take_events();
    let actions: Vec<&str> = events.iter().map(|event| text(event, "/action")).collect();
    assert_eq!(actions, ["folder.create", "team.create"]);
}
