//! Tests of thinning out old versions, and of `doctor` on damaged versions.

use chartroom::features::documents;
use chartroom_platform::crypto;
use chartroom_platform::time::Timestamp;
use serde_json::json;

use super::HistoryFixture;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

impl HistoryFixture {
    /// Moves a version to an hour of a day in the past.
    fn backdate_version(&self, number: i64, days_ago: i64, hour: i64) {
        let today = Timestamp::now().0.div_euclid(DAY_MS) * DAY_MS;
        let saved_at = today - days_ago * DAY_MS + hour * DAY_MS / 24;
        self.server
            .app
            .db
            .write(move |tx| {
                let sql = "update version set began = ?1, saved = ?1 where number = ?2";
                tx.execute(sql, (saved_at, number))
            })
            .unwrap();
    }

    /// Thins out old versions now and returns the number of removed ones.
    fn thin_history(&self) -> usize {
        documents::thin_history_at(&self.server.app, Timestamp::now()).unwrap()
    }
}

#[test]
fn thinning_keeps_named_versions_and_the_last_of_each_day() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    for number in 3..=12 {
        fixture.save_version(&path, json!({ "title": number.to_string() }));
    }
    let days = [60, 60, 60, 59, 59, 58, 31, 31, 30, 30, 1, 1];
    for (number, days_ago) in (1..).zip(days) {
        fixture.backdate_version(number, days_ago, number);
    }
    assert_eq!(
        fixture.send_as_ann("PATCH", &format!("{path}/history/1"), r#"{"name":"A"}"#).status,
        200
    );
    assert_eq!(fixture.thin_history(), 3);
    assert_eq!(fixture.version_numbers(&path), [12, 11, 10, 9, 8, 6, 5, 3, 1]);
    for number in [12, 11, 10, 9, 8, 6, 5, 3] {
        let title = fixture.get_json(&format!("{path}/history/{number}"))["title"].clone();
        assert_eq!(title, number.to_string());
    }
    assert_eq!(fixture.get_json(&format!("{path}/history/1"))["history_version"], 1);
    // A second run keeps the same versions. A version without its name is not kept any more.
    assert_eq!(fixture.thin_history(), 0);
    assert_eq!(
        fixture.send_as_ann("PATCH", &format!("{path}/history/1"), r#"{"name":null}"#).status,
        200
    );
    assert_eq!(fixture.thin_history(), 1);
    assert_eq!(fixture.version_numbers(&path), [12, 11, 10, 9, 8, 6, 5, 3]);
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
}

#[test]
fn thinning_keeps_the_newest_version() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture
        .server
        .execute_sql("update version set began = began - 8640000000, saved = saved - 8640000000");
    assert_eq!(fixture.thin_history(), 1);
    assert_eq!(fixture.version_numbers(&path), [2]);
    assert_eq!(fixture.save_version(&path, json!({ "title": "Now" })), 3);
    assert_eq!(fixture.get_json(&format!("{path}/history/2"))["title"], "Empty");
}

#[test]
fn doctor_finds_damaged_versions_and_others_stay_readable() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let text: String = (0..4000).map(|number| format!("{} ", number * 7919 % 9973)).collect();
    for number in 3..=6 {
        let body = json!({ "title": number.to_string(), "settings": { "text": text } });
        fixture.save_version(&path, body);
    }
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
    for (damage_sql, finding) in [
        (
            "update version set body = substr(body, 1, 20) where number = 3",
            "version 3 cannot be read",
        ),
        (
            "delete from version where number = 6",
            "the newest version is 5, but the document says 6",
        ),
    ] {
        fixture.server.execute_sql(damage_sql);
        let findings = fixture.doctor_findings().join("\n");
        assert!(findings.contains(finding), "{damage_sql}: {findings}");
    }
    let damaged = fixture.send_as_ann("GET", &format!("{path}/history/3"), "");
    assert_eq!(damaged.status, 500);
    // The document and versions that do not depend on the damaged one stay readable.
    assert_eq!(fixture.get_json(&path)["title"], "6");
    assert_eq!(fixture.get_json(&format!("{path}/history/2"))["title"], "Empty");
    // Thinning out keeps versions that it cannot read.
    fixture
        .server
        .execute_sql("update version set began = began - 8640000000, saved = saved - 8640000000");
    fixture.thin_history();
    assert!(fixture.version_numbers(&path).contains(&3));
}

#[test]
fn thinning_goes_on_after_a_document_that_would_exceed_the_storage_limit() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let random_text = |seed: u8| -> String {
        let hashes = (0..1000_u32)
            .flat_map(|number| crypto::sha256(&[&[seed][..], &number.to_be_bytes()].concat()));
        hashes.map(|byte| format!("{byte:02x}")).collect()
    };
    let (first, second) = (random_text(1), random_text(2));
    // Without version 3, the second text is stored for both version 5 and version 6.
    let texts = [format!("{first}{second}"), first, second.clone(), second + "6", String::new()];
    for text in texts {
        fixture.save_version(&path, json!({ "settings": { "text": text } }));
    }
    for (number, days_ago, hour) in
        [(1, 62, 1), (2, 61, 1), (3, 60, 1), (4, 60, 2), (5, 59, 1), (6, 58, 1), (7, 1, 1)]
    {
        fixture.backdate_version(number, days_ago, hour);
    }
    let full = "update storage_usage set bytes = 2147483648 where owner = ?1";
    let owner = fixture.ann_id.clone();
    fixture.server.app.db.write(move |tx| tx.execute(full, [&owner])).unwrap();
    // A document of another account, which the task examines later.
    let created = r#"{"widget":"bar"}"#;
    let created =
        fixture.server.request(&fixture.ben_auth, "POST", "/api/v1/create-document", created);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let other = format!("/api/v1/users/{}/documents/{id}", fixture.ben_id);
    for title in ["2", "3"] {
        let body = json!({ "title": title, "final_save": true }).to_string();
        let saved = fixture.server.request(&fixture.ben_auth, "PUT", &other, &body);
        assert_eq!(saved.status, 200, "{}", saved.text);
    }
    let old = "update version set began = began - 4320000000 where document = ?1";
    fixture.server.app.db.write(move |tx| tx.execute(old, [&id])).unwrap();
    assert_eq!(fixture.thin_history(), 2);
    assert_eq!(fixture.version_numbers(&path), [7, 6, 5, 4, 3, 2, 1]);
    for number in 1..=6 {
        fixture.get_json(&format!("{path}/history/{number}"));
    }
    assert_eq!(fixture.thin_history(), 0);
}
