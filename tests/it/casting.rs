//! Tests of casting as sequences of requests. Ann is the admin of the organization. Ben and Cid are
//! members. Dan is a stranger. A screen has only its token.

mod pairing;
mod script;
mod streams;

use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::teams::World;

const SESSIONS: &str = "/api/v1/cast/sessions";

impl World {
    /// Creates a bar chart in the root folder of a person and returns its id.
    pub(crate) fn chart(&self, name: &str, owner: &str) -> String {
        let body = json!({ "widget": "bar", "owner": owner });
        let made = self.anything(name, "POST", "/api/v1/create-document", body);
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// Casts a document of a person.
    fn cast(&self, name: &str, document: &str) -> Value {
        let body = json!({ "document_id": document, "device_name": "Lobby" });
        let made = self.anything(name, "POST", SESSIONS, body);
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()
    }

    /// Returns the cast sessions of a document.
    fn casts(&self, name: &str, document: &str) -> Value {
        let answer = self.anything(name, "GET", &format!("{SESSIONS}/{document}"), Value::Null);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Sends a request from a screen to a path below its token.
    fn screen(&self, cast: &Value, rest: &str) -> Answer {
        let token = cast["token"].as_str().unwrap();
        self.server.send("GET", &format!("/api/v1/cast/{token}{rest}"), &[], "")
    }

    fn retitle(&self, name: &str, document: &str, title: &str) {
        let path = format!("/api/v1/users/me/documents/{document}");
        let answer = self.anything(name, "PATCH", &path, json!({ "title": title }));
        assert!(answer.status < 300, "{}", answer.text);
    }

    fn is_valid(&self, cast: &Value) -> bool {
        let check = self.screen(cast, "/check");
        assert_eq!(check.status, 200, "{}", check.text);
        check.json()["valid"] == true
    }
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_owner_casts_lists_and_ends() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let cast = world.cast("Ben", &document);
    assert_eq!(keys(&cast), "id token cast_url expires_at");
    let token = cast["token"].as_str().unwrap();
    assert_eq!(token.len(), 27, "160 bits: {token}");
    assert_eq!(cast["cast_url"], format!("http://127.0.0.1:8080/cast/{token}"));

    let listed = world.casts("Ben", &document);
    let one = &listed[0];
    assert_eq!(
        keys(one),
        "id document_id device_name created_at last_activity_at expires_at cast_url"
    );
    assert_eq!((&one["id"], &one["cast_url"]), (&cast["id"], &cast["cast_url"]));
    assert_eq!((&one["document_id"], &one["device_name"]), (&json!(document), &json!("Lobby")));
    let second = world.cast("Ben", &document);
    assert_eq!(world.casts("Ben", &document).as_array().unwrap().len(), 2);

    let path = format!("{SESSIONS}/{}", cast["id"].as_str().unwrap());
    assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 404);
    assert!(!world.is_valid(&cast) && world.is_valid(&second));
    assert_eq!(world.casts("Ben", &document).as_array().unwrap().len(), 1);
    // The database stores only the hash.
    let sql = "select count(*) from cast_session where instr(token_hash, :token) > 0";
    let found = world
        .server
        .app
        .db
        .read(|tx| tx.one(sql, &[(":token", token)], |row| row.get::<_, i64>(0)));
    assert_eq!(found.unwrap(), 0);
}

#[test]
fn a_screen_reads_its_document_and_nothing_else() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let cast = world.cast("Ben", &document);
    let check = world.screen(&cast, "/check").json();
    assert_eq!(check["valid"], true);
    assert_eq!((&check["document_id"], &check["device_name"]), (&json!(document), &json!("Lobby")));
    let path = format!("/api/v1/users/me/documents/{document}");
    let own = world.anything("Ben", "GET", &path, Value::Null).json();
    assert_eq!(check["last_modified"], own["updated"]);

    let shown = world.screen(&cast, "/document").json();
    assert_eq!(keys(&shown), "document plugin");
    for (name, of) in [("id", "id"), ("title", "title"), ("updated", "updated"), ("data", "data")] {
        assert_eq!(shown["document"][name], own[of], "{name}");
    }
    assert_eq!(shown["document"]["settings"], own["settings"]);
    assert_eq!(shown["document"]["style"], own["style"]);
    assert_eq!(shown["document"]["customTheme"], own["custom_theme"]);
    assert_eq!(shown["plugin"]["slug"], "bar");

    world.retitle("Ben", &document, "Renamed");
    let later = world.screen(&cast, "/check").json();
    assert!(later["revision"].as_i64() > check["revision"].as_i64());
    assert_eq!(later["title"], "Renamed");
    let other = world.chart("Ben", "me");
    let token = cast["token"].as_str().unwrap();
    let elsewhere = format!("/api/v1/users/me/documents/{other}?token={token}&share={token}");
    assert_eq!(world.server.send("GET", &elsewhere, &[], "").status, 404);
}

#[test]
fn what_is_over_is_told_and_opens_nothing() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let check_over = |cast: &Value| {
        let check = world.screen(cast, "/check");
        assert_eq!(check.status, 200);
        assert_eq!(check.json()["valid"], false);
        assert_eq!(keys(&check.json()), "valid server");
        for rest in ["/document", "/document.svg", "/document.png", "/events"] {
            let answer = world.screen(cast, rest);
            assert_eq!(answer.status, 401, "{rest}");
            // A screen has no person who could type a password.
            assert_eq!(answer.header("www-authenticate"), "Bearer", "{rest}");
        }
    };
    check_over(&json!({ "token": "never-was" }));
    let cast = world.cast("Ben", &document);
    assert!(world.is_valid(&cast));
    world.server.sql("update cast_session set last_activity = last_activity - 86400000");
    check_over(&cast);
    assert_eq!(world.casts("Ben", &document), json!([]));
    world.server.sql("update cast_session set last_activity = last_activity + 86400000");
    assert!(world.is_valid(&cast));
    let path = format!("/api/v1/users/me/documents/{document}");
    assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 204);
    check_over(&cast);
    let body = json!({ "document_id": document, "device_name": "Lobby" });
    assert_eq!(world.anything("Ben", "POST", SESSIONS, body).status, 409);
    let restored = world.anything("Ben", "POST", &path, json!({ "action": "restore" }));
    assert_eq!(restored.status, 204, "{}", restored.text);
    assert!(world.is_valid(&cast));
    world.server.sql("update user set disabled = 1 where name = 'Ben'");
    check_over(&cast);
}

#[test]
fn a_screen_that_is_heard_of_stays_and_that_is_written_now_and_then() {
    let world = World::new();
    let cast = world.cast("Ben", &world.chart("Ben", "me"));
    let activity = || {
        let sql = "select last_activity from cast_session";
        world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    let at_first = activity();
    assert!(world.is_valid(&cast));
    assert_eq!(activity(), at_first, "not with each question");
    world.server.sql("update cast_session set last_activity = last_activity - 86300000");
    assert!(world.is_valid(&cast));
    assert!(activity() >= at_first);
}

#[test]
fn only_who_owns_a_document_decides_about_its_screens() {
    let world = World::new();
    let own = world.chart("Ben", "me");
    let orgs = world.chart("Ben", world.org.id.as_str());
    let status = |name: &str, document: &str| {
        let body = json!({ "document_id": document, "device_name": "Lobby" });
        let made = world.anything(name, "POST", SESSIONS, body).status;
        let path = format!("{SESSIONS}/{document}");
        assert_eq!(world.anything(name, "GET", &path, Value::Null).status, made, "{name}");
        made
    };
    for (name, on_own, on_orgs) in [("Ben", 200, 200), ("Cid", 404, 200), ("Dan", 404, 404)] {
        assert_eq!((status(name, &own), status(name, &orgs)), (on_own, on_orgs), "{name}");
    }
    let share = json!({ "owner": world.id("Ben"), "document": own, "user_id": world.id("Dan"),
                        "mode": "w" });
    assert_eq!(world.anything("Ben", "POST", "/api/v1/share", share).status, 200);
    assert_eq!(status("Dan", &own), 403, "a writer by invitation does not own it");
    let cast = world.cast("Ben", &own);
    let path = format!("{SESSIONS}/{}", cast["id"].as_str().unwrap());
    for name in ["Cid", "Dan"] {
        assert_eq!(world.anything(name, "DELETE", &path, Value::Null).status, 404, "{name}");
    }
    assert!(world.is_valid(&cast));

    // A member who leaves the organization loses the cast sessions of its documents.
    let (bens, cids) = (world.cast("Ben", &orgs), world.cast("Cid", &orgs));
    crate::orgs::remove(&world.server, &world.org, &AccountId::from_text(world.id("Cid"))).unwrap();
    assert!(world.is_valid(&bens) && !world.is_valid(&cids));
}

#[test]
fn what_is_wrong_is_named() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let check = |body: Value, status: u16, want: &str| {
        let answer = world.anything("Ben", "POST", SESSIONS, body);
        assert_eq!(answer.status, status, "{}", answer.text);
        assert!(answer.text.starts_with(want), "{}", answer.text);
    };
    check(json!({ "device_name": "Lobby" }), 400, "document_id: is required");
    check(json!({ "document_id": document }), 400, "device_name: is required");
    check(json!({ "document_id": document, "device_name": " " }), 400, "device_name: must not be");
    check(json!({ "document_id": "none", "device_name": "x" }), 404, "no such document");
    let cast = world.cast("Ben", &document);
    let drawn = |query: &str| world.screen(&cast, &format!("/document.svg?{query}"));
    for (query, field) in [
        ("width=0&height=5", "width: "),
        ("width=900&height=1e9", "height: "),
        ("density=99", "density: "),
        ("width=wide", "width: "),
    ] {
        let answer = drawn(query);
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.text.starts_with(field), "{}", answer.text);
    }
}

#[test]
fn a_picture_is_drawn_for_the_screen() {
    let world = World::new();
    let cast = world.cast("Ben", &world.chart("Ben", "me"));
    let sized = |query: &str| {
        let answer = world.screen(&cast, &format!("/document.svg{query}"));
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(!answer.body.contains("<text"), "a picture within a page has no fonts of ours");
        let root = answer.body.split('>').next().unwrap().to_owned();
        let side = |name: &str| root.split(&format!(" {name}=\"")).nth(1).unwrap();
        let number = |text: &str| text.split('"').next().unwrap().to_owned();
        (number(side("width")), number(side("height")))
    };
    let want = |width: &str, height: &str| (width.to_owned(), height.to_owned());
    assert_eq!(sized(""), want("720", "405"));
    assert_eq!(sized("?width=1728&height=972"), want("720", "405"));
    assert_eq!(sized("?width=972&height=1728"), want("720", "1280"));
    assert_eq!(sized("?width=922&height=691&density=2"), want("720", "540"));
    let png = world.screen(&cast, "/document.png?width=1728&height=972&density=1");
    assert_eq!((png.status, png.header("content-type").as_str()), (200, "image/png"));
    let again = format!("/api/v1/cast/{}/document.svg", cast["token"].as_str().unwrap());
    let tag = world.screen(&cast, "/document.svg").header("etag");
    let unchanged = world.server.send("GET", &again, &[("if-none-match", &tag)], "");
    assert_eq!(unchanged.status, 304);
}

#[test]
fn a_screen_tells_what_it_shows() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let cast = world.cast("Ben", &document);
    let path = format!("/api/v1/cast/{}/seen", cast["token"].as_str().unwrap());
    let seen = |revision: i64| {
        let body = json!({ "revision": revision }).to_string();
        world.server.send("POST", &path, &[("content-type", "application/json")], &body)
    };
    let first = world.screen(&cast, "/check").json();
    let revision = first["revision"].as_i64().unwrap();
    assert_eq!(seen(revision).status, 204);
    assert_eq!(world.casts("Ben", &document)[0]["last_drawn"], first["last_modified"]);
    world.retitle("Ben", &document, "Renamed");
    assert_eq!(seen(revision).status, 204);
    assert_eq!(world.casts("Ben", &document)[0]["last_drawn"], first["last_modified"]);
    assert_eq!(seen(revision + 1).status, 204);
    let second = world.screen(&cast, "/check").json();
    assert_eq!(world.casts("Ben", &document)[0]["last_drawn"], second["last_modified"]);
    let early = seen(revision + 2);
    assert_eq!(early.status, 400);
    assert!(early.text.starts_with("revision: "), "{}", early.text);
    let other = json!({ "revision": 1 }).to_string();
    let nobody = world.server.send("POST", "/api/v1/cast/none/seen", &[], &other);
    assert_eq!(nobody.status, 401);
}

#[test]
fn other_sites_may_read_two_routes_only() {
    let world = World::new();
    let cast = world.cast("Ben", &world.chart("Ben", "me"));
    let token = cast["token"].as_str().unwrap();
    let origin = [("origin", "https://signage.example.org")];
    let allowed = |method: &str, path: &str| {
        let answer = world.server.send(method, path, &origin, "");
        (answer.status, answer.header("access-control-allow-origin"))
    };
    let star = |status: u16| (status, "*".to_owned());
    let none = |status: u16| (status, String::new());
    for rest in ["check", "document"] {
        let path = format!("/api/v1/cast/{token}/{rest}");
        assert_eq!(allowed("GET", &path), star(200));
        assert_eq!(allowed("OPTIONS", &path), star(204));
        let leave = world.server.send("OPTIONS", &path, &origin, "");
        assert_eq!(leave.header("access-control-allow-methods"), "GET, HEAD, OPTIONS");
    }
    assert_eq!(allowed("GET", "/api/v1/cast/none/document"), star(401), "a refusal is readable");
    for rest in ["document.svg", "document.png", "events"] {
        let path = format!("/api/v1/cast/none/{rest}");
        assert_eq!(allowed("GET", &path), none(401), "{rest}");
        assert_eq!(allowed("OPTIONS", &path), none(204), "{rest}");
    }
    assert_eq!(allowed("GET", "/api/v1/user"), none(401));
}

#[test]
fn what_is_over_is_removed_in_the_end() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let (kept, old) = (world.cast("Ben", &document), world.cast("Ben", &document));
    world.server.send("POST", "/api/v1/cast/pair", &[], "");
    world.server.sql("update cast_pairing set expires = 1");
    world.server.sql(
        "update cast_session set last_activity = 1 where id = (select max(id) from cast_session)",
    );
    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let count = |table: &str| {
        let sql = format!("select count(*) from {table}");
        world.server.app.db.read(|tx| tx.one(&sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    crate::idempotency::until("they are gone", || {
        (count("cast_session"), count("cast_pairing")) == (1, 0)
    });
    assert!(world.is_valid(&kept) && !world.is_valid(&old));
}
