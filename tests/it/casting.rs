//! Tests of cast sessions. Ann is the admin of the organization. Ben and Cid are
//! members. Dan is a stranger. A screen has only its token.

mod pairing;
mod script;
pub mod streams;

use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Path of the cast sessions.
const SESSIONS_PATH: &str = "/api/v1/cast/sessions";

impl OrgFixture {
    /// Creates a bar chart in the root folder of an account and returns its id.
    pub(crate) fn create_chart(&self, name: &str, owner: &str) -> String {
        let body = json!({ "widget": "bar", "owner": owner });
        let created = self.request(name, "POST", "/api/v1/create-document", body);
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["id"].as_str().unwrap().to_owned()
    }

    /// Creates a cast session of a document and returns the response.
    pub(crate) fn create_cast(&self, name: &str, document: &str) -> Value {
        let body = json!({ "document_id": document, "device_name": "Lobby" });
        let created = self.request(name, "POST", SESSIONS_PATH, body);
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()
    }

    /// Returns the cast sessions of a document.
    fn list_casts(&self, name: &str, document: &str) -> Value {
        let response =
            self.request(name, "GET", &format!("{SESSIONS_PATH}/{document}"), Value::Null);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Sends a GET as a screen to a path below its token.
    pub(crate) fn get_as_screen(&self, cast: &Value, suffix: &str) -> Response {
        let token = cast["token"].as_str().unwrap();
        self.server.send("GET", &format!("/api/v1/cast/{token}{suffix}"), &[], "")
    }

    /// Changes the title of a document.
    fn set_title(&self, name: &str, document: &str, title: &str) {
        let path = format!("/api/v1/users/me/documents/{document}");
        let response = self.request(name, "PATCH", &path, json!({ "title": title }));
        assert!(response.status < 300, "{}", response.text);
    }

    /// Returns whether a screen learns that its session is valid.
    fn is_valid(&self, cast: &Value) -> bool {
        let check = self.get_as_screen(cast, "/check");
        assert_eq!(check.status, 200, "{}", check.text);
        check.json()["valid"] == true
    }
}

/// Returns the keys of an object, separated by spaces.
fn join_keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn owner_creates_lists_and_ends_cast_sessions() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let cast = fixture.create_cast("Ben", &document);
    assert_eq!(join_keys(&cast), "id token cast_url expires_at");
    let token = cast["token"].as_str().unwrap();
    assert_eq!(token.len(), 27, "160 bits: {token}");
    assert_eq!(cast["cast_url"], format!("http://127.0.0.1:8080/cast/{token}"));

    let listed = fixture.list_casts("Ben", &document);
    let entry = &listed[0];
    assert_eq!(
        join_keys(entry),
        "id document_id device_name created_at last_activity_at expires_at cast_url"
    );
    assert_eq!((&entry["id"], &entry["cast_url"]), (&cast["id"], &cast["cast_url"]));
    assert_eq!((&entry["document_id"], &entry["device_name"]), (&json!(document), &json!("Lobby")));
    let second = fixture.create_cast("Ben", &document);
    assert_eq!(fixture.list_casts("Ben", &document).as_array().unwrap().len(), 2);

    let path = format!("{SESSIONS_PATH}/{}", cast["id"].as_str().unwrap());
    assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 404);
    assert!(!fixture.is_valid(&cast) && fixture.is_valid(&second));
    assert_eq!(fixture.list_casts("Ben", &document).as_array().unwrap().len(), 1);
    // The database stores only the hash.
    let sql = "select count(*) from cast_session where instr(token_hash, :token) > 0";
    let rows_with_token = fixture
        .server
        .app
        .db
        .read(|tx| tx.one(sql, &[(":token", token)], |row| row.get::<_, i64>(0)));
    assert_eq!(rows_with_token.unwrap(), 0);
}

#[test]
fn screen_reads_only_its_document() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let cast = fixture.create_cast("Ben", &document);
    let check = fixture.get_as_screen(&cast, "/check").json();
    assert_eq!(check["valid"], true);
    assert_eq!((&check["document_id"], &check["device_name"]), (&json!(document), &json!("Lobby")));
    let path = format!("/api/v1/users/me/documents/{document}");
    let document_json = fixture.request("Ben", "GET", &path, Value::Null).json();
    assert_eq!(check["last_modified"], document_json["updated"]);

    let screen_json = fixture.get_as_screen(&cast, "/document").json();
    assert_eq!(join_keys(&screen_json), "document plugin");
    for (name, source) in
        [("id", "id"), ("title", "title"), ("updated", "updated"), ("data", "data")]
    {
        assert_eq!(screen_json["document"][name], document_json[source], "{name}");
    }
    assert_eq!(screen_json["document"]["settings"], document_json["settings"]);
    assert_eq!(screen_json["document"]["style"], document_json["style"]);
    assert_eq!(screen_json["document"]["customTheme"], document_json["custom_theme"]);
    assert_eq!(screen_json["plugin"]["slug"], "bar");

    fixture.set_title("Ben", &document, "Renamed");
    let later = fixture.get_as_screen(&cast, "/check").json();
    assert!(later["revision"].as_i64() > check["revision"].as_i64());
    assert_eq!(later["title"], "Renamed");
    let other = fixture.create_chart("Ben", "me");
    let token = cast["token"].as_str().unwrap();
    let other_path = format!("/api/v1/users/me/documents/{other}?token={token}&share={token}");
    assert_eq!(fixture.server.send("GET", &other_path, &[], "").status, 404);
}

#[test]
fn ended_session_is_invalid_and_grants_no_access() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let check_ended = |cast: &Value| {
        let check = fixture.get_as_screen(cast, "/check");
        assert_eq!(check.status, 200);
        assert_eq!(check.json()["valid"], false);
        assert_eq!(join_keys(&check.json()), "valid server");
        for rest in ["/document", "/document.svg", "/document.png", "/events"] {
            let response = fixture.get_as_screen(cast, rest);
            assert_eq!(response.status, 401, "{rest}");
            // A screen has no person who could type a password.
            assert_eq!(response.header("www-authenticate"), "Bearer", "{rest}");
        }
    };
    check_ended(&json!({ "token": "never-was" }));
    let cast = fixture.create_cast("Ben", &document);
    assert!(fixture.is_valid(&cast));
    fixture.server.execute_sql("update cast_session set last_activity = last_activity - 86400000");
    check_ended(&cast);
    assert_eq!(fixture.list_casts("Ben", &document), json!([]));
    fixture.server.execute_sql("update cast_session set last_activity = last_activity + 86400000");
    assert!(fixture.is_valid(&cast));
    let path = format!("/api/v1/users/me/documents/{document}");
    assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 204);
    check_ended(&cast);
    let body = json!({ "document_id": document, "device_name": "Lobby" });
    assert_eq!(fixture.request("Ben", "POST", SESSIONS_PATH, body).status, 409);
    let restored = fixture.request("Ben", "POST", &path, json!({ "action": "restore" }));
    assert_eq!(restored.status, 204, "{}", restored.text);
    assert!(fixture.is_valid(&cast));
    fixture.server.execute_sql("update user set disabled = 1 where name = 'Ben'");
    check_ended(&cast);
}

#[test]
fn session_activity_is_stored_only_after_a_while() {
    let fixture = OrgFixture::new();
    let cast = fixture.create_cast("Ben", &fixture.create_chart("Ben", "me"));
    let activity = || {
        let sql = "select last_activity from cast_session";
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    let initial = activity();
    assert!(fixture.is_valid(&cast));
    assert_eq!(activity(), initial, "not with each request");
    fixture.server.execute_sql("update cast_session set last_activity = last_activity - 86300000");
    assert!(fixture.is_valid(&cast));
    assert!(activity() >= initial);
}

#[test]
fn only_owners_manage_cast_sessions() {
    let fixture = OrgFixture::new();
    let personal = fixture.create_chart("Ben", "me");
    let org_document = fixture.create_chart("Ben", fixture.org.id.as_str());
    let status = |name: &str, document: &str| {
        let body = json!({ "document_id": document, "device_name": "Lobby" });
        let created = fixture.request(name, "POST", SESSIONS_PATH, body).status;
        let path = format!("{SESSIONS_PATH}/{document}");
        assert_eq!(fixture.request(name, "GET", &path, Value::Null).status, created, "{name}");
        created
    };
    for (name, for_personal, for_org) in [("Ben", 200, 200), ("Cid", 404, 200), ("Dan", 404, 404)] {
        assert_eq!(
            (status(name, &personal), status(name, &org_document)),
            (for_personal, for_org),
            "{name}"
        );
    }
    let (ben, dan) = (fixture.user_id("Ben"), fixture.user_id("Dan"));
    let share = json!({ "owner": ben, "document": personal, "user_id": dan,
                        "mode": "w" });
    assert_eq!(fixture.request("Ben", "POST", "/api/v1/share", share).status, 200);
    assert_eq!(status("Dan", &personal), 403, "a writer by invitation does not own it");
    let cast = fixture.create_cast("Ben", &personal);
    let path = format!("{SESSIONS_PATH}/{}", cast["id"].as_str().unwrap());
    for name in ["Cid", "Dan"] {
        assert_eq!(fixture.request(name, "DELETE", &path, Value::Null).status, 404, "{name}");
    }
    assert!(fixture.is_valid(&cast));

    // A member who leaves the organization loses the cast sessions of its documents.
    let (bens_cast, cids_cast) =
        (fixture.create_cast("Ben", &org_document), fixture.create_cast("Cid", &org_document));
    crate::orgs::remove_member(
        &fixture.server,
        &fixture.org,
        &AccountId::from_text(fixture.user_id("Cid")),
    )
    .unwrap();
    assert!(fixture.is_valid(&bens_cast) && !fixture.is_valid(&cids_cast));
}

#[test]
fn invalid_request_names_the_field() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let check = |body: Value, status: u16, expected: &str| {
        let response = fixture.request("Ben", "POST", SESSIONS_PATH, body);
        assert_eq!(response.status, status, "{}", response.text);
        assert!(response.text.starts_with(expected), "{}", response.text);
    };
    check(json!({ "device_name": "Lobby" }), 400, "document_id: is required");
    check(json!({ "document_id": document }), 400, "device_name: is required");
    check(json!({ "document_id": document, "device_name": " " }), 400, "device_name: must not be");
    check(json!({ "document_id": "none", "device_name": "x" }), 404, "no such document");
    let cast = fixture.create_cast("Ben", &document);
    let get_image = |query: &str| fixture.get_as_screen(&cast, &format!("/document.svg?{query}"));
    for (query, field) in [
        ("width=0&height=5", "width: "),
        ("width=900&height=1e9", "height: "),
        ("density=99", "density: "),
        ("width=wide", "width: "),
    ] {
        let response = get_image(query);
        assert_eq!(response.status, 400, "{query}");
        assert!(response.text.starts_with(field), "{}", response.text);
    }
}

#[test]
fn image_fits_the_aspect_ratio_of_the_screen() {
    let fixture = OrgFixture::new();
    let cast = fixture.create_cast("Ben", &fixture.create_chart("Ben", "me"));
    let image_size = |query: &str| {
        let response = fixture.get_as_screen(&cast, &format!("/document.svg{query}"));
        assert_eq!(response.status, 200, "{}", response.text);
        assert!(!response.body.contains("<text"), "an image in a page cannot use our fonts");
        let root = response.body.split('>').next().unwrap().to_owned();
        let attribute = |name: &str| root.split(&format!(" {name}=\"")).nth(1).unwrap();
        let leading_number = |text: &str| text.split('"').next().unwrap().to_owned();
        (leading_number(attribute("width")), leading_number(attribute("height")))
    };
    let size = |width: &str, height: &str| (width.to_owned(), height.to_owned());
    assert_eq!(image_size(""), size("720", "405"));
    assert_eq!(image_size("?width=1728&height=972"), size("720", "405"));
    assert_eq!(image_size("?width=972&height=1728"), size("720", "1280"));
    assert_eq!(image_size("?width=922&height=691&density=2"), size("720", "540"));
    let png = fixture.get_as_screen(&cast, "/document.png?width=1728&height=972&density=1");
    assert_eq!((png.status, png.header("content-type").as_str()), (200, "image/png"));
    let image_path = format!("/api/v1/cast/{}/document.svg", cast["token"].as_str().unwrap());
    let tag = fixture.get_as_screen(&cast, "/document.svg").header("etag");
    let unchanged = fixture.server.send("GET", &image_path, &[("if-none-match", &tag)], "");
    assert_eq!(unchanged.status, 304);
}

#[test]
fn screen_reports_the_displayed_revision() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let cast = fixture.create_cast("Ben", &document);
    let path = format!("/api/v1/cast/{}/seen", cast["token"].as_str().unwrap());
    let report_revision = |revision: i64| {
        let body = json!({ "revision": revision }).to_string();
        fixture.server.send("POST", &path, &[("content-type", "application/json")], &body)
    };
    let first = fixture.get_as_screen(&cast, "/check").json();
    let revision = first["revision"].as_i64().unwrap();
    assert_eq!(report_revision(revision).status, 204);
    assert_eq!(fixture.list_casts("Ben", &document)[0]["last_drawn"], first["last_modified"]);
    fixture.set_title("Ben", &document, "Renamed");
    assert_eq!(report_revision(revision).status, 204);
    assert_eq!(fixture.list_casts("Ben", &document)[0]["last_drawn"], first["last_modified"]);
    assert_eq!(report_revision(revision + 1).status, 204);
    let second = fixture.get_as_screen(&cast, "/check").json();
    assert_eq!(fixture.list_casts("Ben", &document)[0]["last_drawn"], second["last_modified"]);
    let too_new = report_revision(revision + 2);
    assert_eq!(too_new.status, 400);
    assert!(too_new.text.starts_with("revision: "), "{}", too_new.text);
    let body = json!({ "revision": 1 }).to_string();
    let unknown_session = fixture.server.send("POST", "/api/v1/cast/none/seen", &[], &body);
    assert_eq!(unknown_session.status, 401);
}

#[test]
fn cross_origin_reads_are_allowed_on_two_routes_only() {
    let fixture = OrgFixture::new();
    let cast = fixture.create_cast("Ben", &fixture.create_chart("Ben", "me"));
    let token = cast["token"].as_str().unwrap();
    let origin = [("origin", "https://signage.example.org")];
    let status_and_origin = |method: &str, path: &str| {
        let response = fixture.server.send(method, path, &origin, "");
        (response.status, response.header("access-control-allow-origin"))
    };
    let any_origin = |status: u16| (status, "*".to_owned());
    let no_origin = |status: u16| (status, String::new());
    for rest in ["check", "document"] {
        let path = format!("/api/v1/cast/{token}/{rest}");
        assert_eq!(status_and_origin("GET", &path), any_origin(200));
        assert_eq!(status_and_origin("OPTIONS", &path), any_origin(204));
        let preflight = fixture.server.send("OPTIONS", &path, &origin, "");
        assert_eq!(preflight.header("access-control-allow-methods"), "GET, HEAD, OPTIONS");
    }
    assert_eq!(
        status_and_origin("GET", "/api/v1/cast/none/document"),
        any_origin(401),
        "the error is readable"
    );
    for rest in ["document.svg", "document.png", "events"] {
        let path = format!("/api/v1/cast/none/{rest}");
        assert_eq!(status_and_origin("GET", &path), no_origin(401), "{rest}");
        assert_eq!(status_and_origin("OPTIONS", &path), no_origin(204), "{rest}");
    }
    assert_eq!(status_and_origin("GET", "/api/v1/user"), no_origin(401));
}

#[test]
fn expired_sessions_and_pairings_are_removed() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let (active, expired) =
        (fixture.create_cast("Ben", &document), fixture.create_cast("Ben", &document));
    fixture.server.send("POST", "/api/v1/cast/pair", &[], "");
    fixture.server.execute_sql("update cast_pairing set expires = 1");
    fixture.server.execute_sql(
        "update cast_session set last_activity = 1 where id = (select max(id) from cast_session)",
    );
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let count = |table: &str| {
        let sql = format!("select count(*) from {table}");
        fixture.server.app.db.read(|tx| tx.one(&sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    crate::idempotency::wait_until("they are gone", || {
        (count("cast_session"), count("cast_pairing")) == (1, 0)
    });
    assert!(fixture.is_valid(&active) && !fixture.is_valid(&expired));
}
