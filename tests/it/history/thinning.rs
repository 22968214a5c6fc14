//! Tests of thinning out old versions, and of `doctor` on damaged versions.

use chartroom::features::documents;
use chartroom_platform::time::Timestamp;
use serde_json::json;

use super::World;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

impl World {
    /// Moves a version to an hour of a day in the past.
    fn date(&self, number: i64, days_ago: i64, hour: i64) {
        let today = Timestamp::now().0.div_euclid(DAY) * DAY;
        let began = today - days_ago * DAY + hour * DAY / 24;
        self.server
            .app
            .db
            .write(move |tx| {
                let sql = "update version set began = ?1, saved = ?1 where number = ?2";
                tx.execute(sql, (began, number))
            })
            .unwrap();
    }

    fn thin(&self) -> usize {
        documents::thin_history_at(&self.server.app, Timestamp::now()).unwrap()
    }
}

#[test]
fn after_a_month_the_named_ones_stay_and_the_last_of_each_day() {
    let world = World::new();
    let path = world.document();
    for number in 3..=12 {
        world.version(&path, json!({ "title": number.to_string() }));
    }
    let days = [60, 60, 60, 59, 59, 58, 31, 31, 30, 30, 1, 1];
    for (number, days_ago) in (1..).zip(days) {
        world.date(number, days_ago, number);
    }
    assert_eq!(world.ann("PATCH", &format!("{path}/history/1"), r#"{"name":"A"}"#).status, 200);
    assert_eq!(world.thin(), 3);
    assert_eq!(world.numbers(&path), [12, 11, 10, 9, 8, 6, 5, 3, 1]);
    for number in [12, 11, 10, 9, 8, 6, 5, 3] {
        let title = world.get(&format!("{path}/history/{number}"))["title"].clone();
        assert_eq!(title, number.to_string());
    }
    assert_eq!(world.get(&format!("{path}/history/1"))["history_version"], 1);
    // A second run keeps the same versions. A version without its name is not kept any more.
    assert_eq!(world.thin(), 0);
    assert_eq!(world.ann("PATCH", &format!("{path}/history/1"), r#"{"name":null}"#).status, 200);
    assert_eq!(world.thin(), 1);
    assert_eq!(world.numbers(&path), [12, 11, 10, 9, 8, 6, 5, 3]);
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
}

#[test]
fn the_newest_version_of_a_document_that_nobody_touches_stays() {
    let world = World::new();
    let path = world.document();
    world.server.sql("update version set began = began - 8640000000, saved = saved - 8640000000");
    assert_eq!(world.thin(), 1);
    assert_eq!(world.numbers(&path), [2]);
    assert_eq!(world.version(&path, json!({ "title": "Now" })), 3);
    assert_eq!(world.get(&format!("{path}/history/2"))["title"], "Empty");
}

#[test]
fn damage_is_found_and_nothing_else_is_lost() {
    let world = World::new();
    let path = world.document();
    let text: String = (0..4000).map(|it| format!("{} ", it * 7919 % 9973)).collect();
    for number in 3..=6 {
        let body = json!({ "title": number.to_string(), "settings": { "text": text } });
        world.version(&path, body);
    }
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
    for (harm, complaint) in [
        (
            "update version set body = substr(body, 1, 20) where number = 3",
            "version 3 cannot be read",
        ),
        (
            "delete from version where number = 6",
            "the newest version is 5, but the document says 6",
        ),
    ] {
        world.server.sql(harm);
        let found = world.complaints().join("\n");
        assert!(found.contains(complaint), "{harm}: {found}");
    }
    let damaged = world.ann("GET", &format!("{path}/history/3"), "");
    assert_eq!(damaged.status, 500);
    // The document and versions that do not depend on the damaged one stay readable.
    assert_eq!(world.get(&path)["title"], "6");
    assert_eq!(world.get(&format!("{path}/history/2"))["title"], "Empty");
    // Thinning out keeps versions that it cannot read.
    world.server.sql("update version set began = began - 8640000000, saved = saved - 8640000000");
    world.thin();
    assert!(world.numbers(&path).contains(&3));
}
