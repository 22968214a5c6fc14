//! Tests of event streams: screens are notified of edits and of the end of their session.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpStream;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::SESSIONS_PATH;
use crate::teams::OrgFixture;

/// The event stream of a screen.
pub struct EventStream(BufReader<TcpStream>);

impl EventStream {
    /// Opens the event stream of a cast session.
    pub fn open(fixture: &OrgFixture, cast: &Value) -> Self {
        let path = format!("/api/v1/cast/{}/events", cast["token"].as_str().unwrap());
        let stream = fixture.server.open_get(&path);
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut events = Self(BufReader::new(stream));
        let head = events.read_lines_until_blank();
        assert!(head[0].contains(" 200 "), "{head:?}");
        assert!(head.iter().any(|line| line == "content-type: text/event-stream"), "{head:?}");
        assert!(head.iter().any(|line| line == "cache-control: no-store"), "{head:?}");
        events
    }

    /// Reads lines up to the next blank line. Skips chunk sizes. Returns no lines at the end of the
    /// stream.
    fn read_lines_until_blank(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let length = self.0.read_line(&mut line).unwrap();
            let text = line.trim_end();
            if length == 0 || (text.is_empty() && !lines.is_empty()) {
                return lines;
            }
            if !text.is_empty() && u32::from_str_radix(text, 16).is_err() {
                lines.push(text.to_owned());
            }
        }
    }

    /// Reads the next event and returns its name and data.
    pub fn next_event(&mut self) -> (String, Value) {
        let lines = self.read_lines_until_blank();
        let field = |name: &str| {
            let found = lines.iter().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_else(|| panic!("no {name} in {lines:?}")).to_owned()
        };
        (field("event: "), serde_json::from_str(&field("data: ")).unwrap())
    }

    /// Returns whether the stream has ended.
    fn is_closed(&mut self) -> bool {
        self.read_lines_until_blank().is_empty()
    }
}

#[test]
fn screen_gets_an_event_right_after_an_edit() {
    let fixture = OrgFixture::new();
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let document = fixture.create_chart("Ben", "me");
    let cast = fixture.create_cast("Ben", &document);
    let mut events = EventStream::open(&fixture, &cast);
    let (name, first) = events.next_event();
    assert_eq!((name.as_str(), &first), ("hello", &fixture.get_as_screen(&cast, "/check").json()));
    // Changes of other documents cause no event.
    fixture.create_chart("Ben", "me");
    let started = Instant::now();
    fixture.set_title("Ben", &document, "Renamed");
    let (name, second) = events.next_event();
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!((name.as_str(), &second["title"]), ("updated", &json!("Renamed")));
    assert_eq!(
        second["revision"].as_i64(),
        first["revision"].as_i64().map(|revision| revision + 1)
    );
    assert_ne!(second["last_modified"], first["last_modified"]);
}

#[test]
fn screen_gets_an_event_right_after_the_session_ends() {
    let fixture = OrgFixture::new();
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let document = fixture.create_chart("Ben", "me");
    let path = format!("/api/v1/users/me/documents/{document}");
    let end_session = |cast: &Value| {
        let id = cast["id"].as_str().unwrap();
        let path = format!("{SESSIONS_PATH}/{id}");
        assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 204);
    };
    let check_event = |change: &dyn Fn(&Value), expected: &str| {
        let cast = fixture.create_cast("Ben", &document);
        let mut events = EventStream::open(&fixture, &cast);
        assert_eq!(events.next_event().0, "hello");
        let started = Instant::now();
        change(&cast);
        assert_eq!(events.next_event().0, expected);
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert!(events.is_closed());
    };
    check_event(&end_session, "revoked");
    let expire = "update cast_session set last_activity = last_activity - 86400000";
    check_event(&|_| fixture.server.execute_sql(expire), "expired");
    // These changes send no signal. The notifier must detect them.
    check_event(&|_| fixture.server.execute_sql("delete from cast_session"), "revoked");
    check_event(
        &|_| {
            fixture.server.execute_sql("update user set disabled = 1 where name = 'Ben'");
        },
        "revoked",
    );
    fixture.server.execute_sql("update user set disabled = 0 where name = 'Ben'");
    check_event(
        &|_| {
            assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 204);
        },
        "revoked",
    );
}

#[test]
fn open_stream_keeps_its_session_active_and_closed_stream_is_removed() {
    let fixture = OrgFixture::new();
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let document = fixture.create_chart("Ben", "me");
    let cast = fixture.create_cast("Ben", &document);
    let mut events = EventStream::open(&fixture, &cast);
    assert_eq!(events.next_event().0, "hello");
    fixture.server.execute_sql("update cast_session set last_activity = last_activity - 86300000");
    let activity_since_creation = || {
        let sql = "select last_activity - created from cast_session";
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    crate::idempotency::wait_until("the activity of the screen is stored", || {
        activity_since_creation() >= 0
    });
    let listed = fixture.list_casts("Ben", &document);
    assert!(listed[0]["last_activity_at"].as_str() > listed[0]["created_at"].as_str());
    let event_hub = &fixture.server.app.event_hub;
    assert!(event_hub.has_stream(cast["id"].as_str().unwrap()));
    drop(events);
    crate::idempotency::wait_until("the stream is removed", || event_hub.is_empty());
}
