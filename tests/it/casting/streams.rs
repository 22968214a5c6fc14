//! Event streams: an edit reaches a screen at once, and so does its end.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpStream;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::SESSIONS;
use crate::teams::World;

/// A screen's stream, read event by event.
struct Events(BufReader<TcpStream>);

impl Events {
    fn open(world: &World, cast: &Value) -> Self {
        let path = format!("/api/v1/cast/{}/events", cast["token"].as_str().unwrap());
        let stream = world.server.begin(&path);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut events = Self(BufReader::new(stream));
        let head = events.lines_until_blank();
        assert!(head[0].contains(" 200 "), "{head:?}");
        assert!(head.iter().any(|it| it == "content-type: text/event-stream"), "{head:?}");
        assert!(head.iter().any(|it| it == "cache-control: no-store"), "{head:?}");
        events
    }

    fn lines_until_blank(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let length = self.0.read_line(&mut line).unwrap();
            let text = line.trim_end();
            // Sizes of chunks stand between.
            if length == 0 || (text.is_empty() && !lines.is_empty()) {
                return lines;
            }
            if !text.is_empty() && u32::from_str_radix(text, 16).is_err() {
                lines.push(text.to_owned());
            }
        }
    }

    /// The next event: its name and data.
    fn next(&mut self) -> (String, Value) {
        let lines = self.lines_until_blank();
        let field = |name: &str| {
            let found = lines.iter().find_map(|it| it.strip_prefix(name));
            found.unwrap_or_else(|| panic!("no {name} in {lines:?}")).to_owned()
        };
        (field("event: "), serde_json::from_str(&field("data: ")).unwrap())
    }

    /// Whether nothing more comes.
    fn is_closed(&mut self) -> bool {
        self.lines_until_blank().is_empty()
    }
}

#[test]
fn an_edit_reaches_a_screen_at_once() {
    let world = World::new();
    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let document = world.chart("Ben", "me");
    let cast = world.cast("Ben", &document);
    let mut events = Events::open(&world, &cast);
    let (name, first) = events.next();
    assert_eq!((name.as_str(), &first), ("hello", &world.screen(&cast, "/check").json()));
    // What concerns another document is not told.
    world.chart("Ben", "me");
    let since = Instant::now();
    world.retitle("Ben", &document, "Renamed");
    let (name, second) = events.next();
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!((name.as_str(), &second["title"]), ("updated", &json!("Renamed")));
    assert_eq!(second["revision"].as_i64(), first["revision"].as_i64().map(|it| it + 1));
    assert_ne!(second["last_modified"], first["last_modified"]);
}

#[test]
fn the_end_reaches_a_screen_at_once() {
    let world = World::new();
    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let document = world.chart("Ben", "me");
    let path = format!("/api/v1/users/me/documents/{document}");
    let end = |cast: &Value| {
        let id = cast["id"].as_str().unwrap();
        let path = format!("{SESSIONS}/{id}");
        assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 204);
    };
    let told = |change: &dyn Fn(&Value), want: &str| {
        let cast = world.cast("Ben", &document);
        let mut events = Events::open(&world, &cast);
        assert_eq!(events.next().0, "hello");
        let since = Instant::now();
        change(&cast);
        assert_eq!(events.next().0, want);
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        assert!(events.is_closed());
    };
    told(&end, "revoked");
    let expire = "update cast_session set last_activity = last_activity - 86400000";
    told(&|_| world.server.sql(expire), "expired");
    // Nobody tells that these concern a screen: it is found out.
    told(&|_| world.server.sql("delete from cast_session"), "revoked");
    told(
        &|_| {
            world.server.sql("update user set disabled = 1 where name = 'Ben'");
        },
        "revoked",
    );
    world.server.sql("update user set disabled = 0 where name = 'Ben'");
    told(
        &|_| {
            assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 204);
        },
        "revoked",
    );
}

#[test]
fn an_open_stream_keeps_its_session_and_a_closed_one_is_forgotten() {
    let world = World::new();
    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let document = world.chart("Ben", "me");
    let cast = world.cast("Ben", &document);
    let mut events = Events::open(&world, &cast);
    assert_eq!(events.next().0, "hello");
    world.server.sql("update cast_session set last_activity = last_activity - 86300000");
    let activity = || {
        let sql = "select last_activity - created from cast_session";
        world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    crate::idempotency::until("it is noted that the screen is there", || activity() >= 0);
    let listed = world.casts("Ben", &document);
    assert!(listed[0]["last_activity_at"].as_str() > listed[0]["created_at"].as_str());
    let streams = &world.server.app.event_hub;
    assert!(streams.has_stream(cast["id"].as_str().unwrap()));
    drop(events);
    crate::idempotency::until("the stream is forgotten", || streams.is_empty());
}
