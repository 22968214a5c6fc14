//! Tests of presence: people who have a document open see each other and its changes. Ann owns the
//! document, Ben has a share, Cid is a stranger.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpStream;
use std::time::Duration;
use std::time::Instant;

use chartroom::tasks;
use chartroom::tasks::BackgroundWork;
use serde_json::Value;
use serde_json::json;

use crate::test_server::PASSWORD;
use crate::test_server::TestServer;

/// A server with a document of Ann.
struct Fixture {
    server: TestServer,
    _work: BackgroundWork,
    /// Account ids and `Authorization` headers of Ann, Ben and Cid.
    users: Vec<(String, String)>,
    document: String,
    /// Path of the document.
    path: String,
}

/// A user of the fixture.
#[derive(Clone, Copy)]
enum Name {
    Ann,
    Ben,
    Cid,
}

impl Fixture {
    fn new() -> Self {
        let server = TestServer::new();
        let work = tasks::start_background_work(&server.app).unwrap();
        let users: Vec<(String, String)> = ["Ann", "Ben", "Cid"]
            .map(|name| {
                let id = server.create_user(name).id;
                (id.to_string(), server.create_bearer_token(&id))
            })
            .into();
        let (owner, token) = users[0].clone();
        let created =
            server.request(&token, "POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
        let document = created.json()["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/users/{owner}/documents/{document}");
        Self { server, _work: work, users, document, path }
    }

    fn id(&self, name: Name) -> &str {
        &self.users[name as usize].0
    }

    fn token(&self, name: Name) -> &str {
        &self.users[name as usize].1
    }

    /// Sends a request as a user. Panics if it fails.
    fn request(&self, name: Name, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.server.request(self.token(name), method, path, &body);
        assert!(response.status < 300, "{method} {path}: {} {}", response.status, response.text);
        if response.text.is_empty() { Value::Null } else { response.json() }
    }

    /// Returns the body of a request about Ben's share of the document.
    fn share_body(&self, mode: &str) -> Value {
        json!({ "owner": self.id(Name::Ann), "document": self.document, "email": "ben@example.org", "mode": mode })
    }

    fn share_with_ben(&self, mode: &str) {
        self.request(Name::Ann, "POST", "/api/v1/share", &self.share_body(mode));
    }

    /// Opens the stream of a user.
    fn open(&self, name: Name) -> PresenceStream {
        self.open_with(&format!("{}/presence", self.path), "authorization", self.token(name))
    }

    fn open_with(&self, path: &str, header: &str, value: &str) -> PresenceStream {
        let stream = PresenceStream::try_open(&self.server, path, header, value);
        assert!(stream.head[0].contains(" 200 "), "{:?}", stream.head);
        stream
    }

    /// Returns the status of a request for the stream.
    fn status(&self, path: &str, token: &str) -> String {
        let stream = PresenceStream::try_open(&self.server, path, "authorization", token);
        stream.head[0].split(' ').nth(1).unwrap().to_owned()
    }
}

/// The response to a request for presence.
struct PresenceStream {
    reader: BufReader<TcpStream>,
    head: Vec<String>,
}

impl PresenceStream {
    fn try_open(server: &TestServer, path: &str, header: &str, value: &str) -> Self {
        let stream = server.open_get_with(path, header, value);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut opened = Self { reader: BufReader::new(stream), head: Vec::new() };
        opened.head = opened.read_lines_until_blank();
        opened
    }

    /// Reads lines up to the next blank line. Skips chunk sizes. Returns no lines at the end.
    fn read_lines_until_blank(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let length = self.reader.read_line(&mut line).unwrap();
            let text = line.trim_end();
            let is_last_chunk = text == "0" && lines.is_empty();
            if length == 0 || is_last_chunk || (text.is_empty() && !lines.is_empty()) {
                return lines;
            }
            if !text.is_empty() && u32::from_str_radix(text, 16).is_err() {
                lines.push(text.to_owned());
            }
        }
    }

    /// Reads the next event with this name. Panics if another one comes first.
    fn expect(&mut self, name: &str) -> Value {
        let lines = self.read_lines_until_blank();
        assert_eq!(
            lines.first().map(String::as_str),
            Some(format!("event: {name}").as_str()),
            "{lines:?}"
        );
        serde_json::from_str(lines[1].strip_prefix("data: ").unwrap()).unwrap()
    }

    /// Reads the next event `people` and returns names and activities.
    fn expect_people(&mut self) -> Vec<String> {
        let people = self.expect("people");
        let text = |person: &Value, key: &str| person[key].as_str().unwrap().to_owned();
        let describe = |person| [text(person, "name"), text(person, "activity")].join(" ");
        people.as_array().unwrap().iter().map(describe).collect()
    }

    /// Reads the event `end`, checks its reason and that the stream ends, at most 5 s after `started`.
    fn expect_end(&mut self, reason: &str, started: Instant) {
        assert_eq!(self.expect("end"), json!({ "reason": reason }));
        assert!(self.read_lines_until_blank().is_empty());
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

#[test]
fn people_see_each_other_and_a_leaving_one_vanishes() {
    let fixture = Fixture::new();
    fixture.share_with_ben("r");
    let mut ann = fixture.open(Name::Ann);
    assert!(
        ann.head.iter().any(|line| line == "content-type: text/event-stream"),
        "{:?}",
        ann.head
    );
    assert!(ann.head.iter().any(|line| line == "cache-control: no-store"), "{:?}", ann.head);
    ann.expect("revision");
    assert!(ann.expect_people().is_empty());
    let mut ben = fixture.open(Name::Ben);
    ben.expect("revision");
    assert_eq!(ben.expect_people(), ["Ann edit"]);
    let person = &ann.expect("people")[0];
    let avatar = format!("/api/v1/users/{}/avatar.svg", fixture.id(Name::Ben));
    assert_eq!((&person["name"], &person["activity"]), (&json!("Ben"), &json!("view")));
    assert_eq!(person["id"], fixture.id(Name::Ben));
    assert!(person["avatar_url"].as_str().unwrap().ends_with(&avatar), "{person}");
    assert!(person["since"].as_str().unwrap().starts_with("20"), "{person}");
    // A second stream of an account adds no entry, and the first keeps it.
    let second = fixture.open(Name::Ben);
    let once = format!("{}/presence?once=1", fixture.path);
    let body = fixture.server.request(fixture.token(Name::Ann), "GET", &once, "").text;
    assert_eq!(body.matches(r#""name":"Ben""#).count(), 1, "{body}");
    drop(second);
    fixture.share_with_ben("w");
    assert_eq!(ann.expect_people(), ["Ben edit"]);
    let left = Instant::now();
    drop(ben);
    assert!(ann.expect_people().is_empty());
    assert!(left.elapsed() < Duration::from_secs(5), "{:?}", left.elapsed());
}

#[test]
fn each_change_is_announced_at_once_with_its_author() {
    let fixture = Fixture::new();
    fixture.share_with_ben("w");
    let mut ann = fixture.open(Name::Ann);
    let first = ann.expect("revision");
    let tag =
        fixture.server.request(fixture.token(Name::Ann), "GET", &fixture.path, "").header("etag");
    let plain_tag = tag.trim_matches('"').split('+').next().unwrap();
    assert_eq!(first["etag"], format!("\"{plain_tag}\""));
    ann.expect("people");
    // A change of another document causes no event.
    fixture.request(Name::Ann, "POST", "/api/v1/create-document", &json!({ "widget": "bar" }));
    let started = Instant::now();
    fixture.request(Name::Ben, "PATCH", &fixture.path, &json!({ "title": "Renamed" }));
    let second = ann.expect("revision");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(
        second["revision"].as_i64(),
        first["revision"].as_i64().map(|revision| revision + 1)
    );
    assert_eq!(
        (&second["updated_by"], &second["updated_by_name"]),
        (&json!(fixture.id(Name::Ben)), &json!("Ben"))
    );
}

#[test]
fn a_stream_ends_with_the_session_the_share_and_the_document() {
    let fixture = Fixture::new();
    fixture.share_with_ben("w");
    let path = format!("{}/presence", fixture.path);
    let sign_in = json!({ "email": "ben@example.org", "password": PASSWORD }).to_string();
    let cookie = fixture.server.sign_in(&sign_in).cookie();
    let basic = crate::test_server::basic_auth("ben@example.org", PASSWORD);
    let mut by_cookie = fixture.open_with(&path, "cookie", &cookie);
    let mut by_password = fixture.open_with(&path, "authorization", &basic);
    let mut by_token = fixture.open(Name::Ben);
    for stream in [&mut by_cookie, &mut by_password, &mut by_token] {
        stream.expect("revision");
        assert!(stream.expect_people().is_empty());
    }
    let started = Instant::now();
    fixture.server.execute_sql("delete from session");
    by_cookie.expect_end("signed_out", started);
    let started = Instant::now();
    fixture.server.execute_sql("update user set password_hash = 'other' where name = 'Ben'");
    by_password.expect_end("signed_out", started);
    let started = Instant::now();
    fixture.request(Name::Ann, "DELETE", "/api/v1/share", &fixture.share_body("w"));
    by_token.expect_end("gone", started);
    assert_eq!(fixture.status(&path, fixture.token(Name::Ben)), "404");

    let mut ann = fixture.open(Name::Ann);
    ann.expect("revision");
    assert!(ann.expect_people().is_empty());
    let started = Instant::now();
    fixture.request(Name::Ann, "DELETE", &fixture.path, &Value::Null);
    ann.expect_end("gone", started);
    assert_eq!(fixture.status(&path, fixture.token(Name::Ann)), "409", "in the trash");
}

#[test]
fn a_disabled_user_and_a_deleted_token_end_their_streams() {
    let fixture = Fixture::new();
    let mut ann = fixture.open(Name::Ann);
    ann.expect("revision");
    ann.expect("people");
    let started = Instant::now();
    fixture.server.execute_sql("update user set disabled = 1 where name = 'Ann'");
    ann.expect_end("signed_out", started);
    fixture.server.execute_sql("update user set disabled = 0 where name = 'Ann'");
    let mut ann = fixture.open(Name::Ann);
    ann.expect("revision");
    ann.expect("people");
    let started = Instant::now();
    fixture.server.execute_sql("delete from api_token");
    ann.expect_end("signed_out", started);
}

#[test]
fn strangers_get_404_and_readers_of_a_public_document_see_nobody() {
    let fixture = Fixture::new();
    let path = format!("{}/presence", fixture.path);
    let absent = path.replace(&fixture.document, "0198c0de-0000-7000-8000-000000000001");
    for path in [&path, &absent] {
        assert_eq!(fixture.status(path, fixture.token(Name::Cid)), "404");
        assert_eq!(fixture.server.send("GET", path, &[], "").status, 401);
    }
    assert_eq!(fixture.status(&format!("{path}?once=maybe"), fixture.token(Name::Ann)), "400");
    let mut ann = fixture.open(Name::Ann);
    ann.expect("revision");
    assert!(ann.expect_people().is_empty());
    let document = fixture.request(Name::Ann, "GET", &fixture.path, &Value::Null);
    let mut public = json!({ "isPublic": true });
    for key in ["title", "data", "settings", "plugin_id"] {
        public[key] = document[key].clone();
    }
    fixture.request(Name::Ann, "PUT", &fixture.path, &public);
    ann.expect("revision");
    let mut cid = fixture.open(Name::Cid);
    assert!(cid.expect("revision").get("updated_by_name").is_none());
    assert!(cid.expect_people().is_empty());
    let body =
        fixture.server.request(fixture.token(Name::Cid), "GET", &format!("{path}?once=1"), "");
    assert!(body.text.ends_with("event: people\ndata: []\n\n"), "{}", body.text);
    fixture.request(Name::Ann, "PATCH", &fixture.path, &json!({ "title": "Renamed" }));
    assert!(cid.expect("revision").get("updated_by_name").is_none());
    ann.expect("revision");
}

#[test]
fn streams_per_account_and_per_document_are_limited() {
    let fixture = Fixture::new();
    fixture.share_with_ben("r");
    let path = format!("{}/presence", fixture.path);
    let mut open: Vec<PresenceStream> = (0..20).map(|_| fixture.open(Name::Ann)).collect();
    assert_eq!(fixture.status(&path, fixture.token(Name::Ann)), "503");
    let mut ben = fixture.open(Name::Ben);
    ben.expect("revision");
    assert_eq!(ben.expect_people(), ["Ann edit"]);
    open.pop();
    crate::idempotency::wait_until("a closed stream makes room", || {
        fixture.status(&path, fixture.token(Name::Ann)) == "200"
    });
    drop(open);
    // Further accounts, until the document has its maximum.
    let mut streams = vec![ben];
    for number in 0..5 {
        let user = fixture.server.create_user(&format!("Reader{number}"));
        let token = fixture.server.create_bearer_token(&user.id);
        let share = json!({ "owner": fixture.id(Name::Ann), "document": fixture.document, "user_id": user.id, "mode": "r" });
        fixture.request(Name::Ann, "POST", "/api/v1/share", &share);
        for _ in 0..20 {
            let stream = PresenceStream::try_open(&fixture.server, &path, "authorization", &token);
            match streams.len() {
                100 => assert!(stream.head[0].contains(" 503 "), "{:?}", stream.head),
                _ => assert!(stream.head[0].contains(" 200 "), "{:?}", stream.head),
            }
            if stream.head[0].contains(" 200 ") {
                streams.push(stream);
            }
        }
    }
    assert_eq!(streams.len(), 100);
}

#[test]
fn streams_of_screens_and_of_presence_do_not_disturb_each_other() {
    let fixture = Fixture::new();
    let body = json!({ "document_id": fixture.document, "device_name": "Lobby" });
    let cast = fixture.request(Name::Ann, "POST", "/api/v1/cast/sessions", &body);
    let path = format!("/api/v1/cast/{}/events", cast["token"].as_str().unwrap());
    let mut screen = fixture.open_with(&path, "accept", "text/event-stream");
    screen.expect("hello");
    let mut ann = fixture.open(Name::Ann);
    ann.expect("revision");
    assert!(ann.expect_people().is_empty());
    // Both notifiers check at least twice.
    std::thread::sleep(Duration::from_secs(4));
    fixture.request(Name::Ann, "PATCH", &fixture.path, &json!({ "title": "Renamed" }));
    assert_eq!(screen.expect("updated")["title"], "Renamed");
    ann.expect("revision");
}
