//! Property test: after any sequence of saves, records and restores, each version has its exact
//! content.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use chartroom::features::documents;
use chartroom_platform::time::Timestamp;
use proptest::collection::vec;
use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prelude::prop;
use proptest::prop_oneof;
use proptest::test_runner::Config;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use serde_json::json;

use super::HistoryFixture;
use super::LINK_TOKEN;

/// A change of a document or of its history, or the passing of time.
#[derive(Debug, Clone)]
enum HistoryStep {
    /// A caller (0 Ann, 1 Ben, 2 a guest) saves the whole document.
    Save { caller: usize, body: Value },
    /// Ann replaces the records.
    ReplaceData(Vec<Value>),
    /// A caller appends a record.
    AddRecord { caller: usize, record: Value },
    /// Ann renames the document.
    Rename(String),
    /// Ann sets another schema version.
    SetSchemaVersion(u8),
    /// Ann closes the document.
    Close,
    /// Ann restores one of the versions.
    RestoreVersion(prop::sample::Index),
    /// Ann names one of the versions.
    NameVersion(prop::sample::Index),
    /// A minute passes.
    PassMinute,
    /// A day passes.
    PassDay,
    /// The task thins out old versions.
    ThinHistory,
}

fn text_strategy() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,6}", r#"["\\,{}\[\]é€😀 a]{0,8}"#, Just("x".repeat(400))]
}

fn record_strategy() -> impl Strategy<Value = Value> {
    (text_strategy(), any::<i32>(), any::<bool>()).prop_map(|(label, value, nested)| match nested {
        false => json!({ "label": label, "value": value }),
        true => json!({ "label": label, "value": null, "own": [{ "a,b": [label, {}] }, value] }),
    })
}

fn save_strategy() -> impl Strategy<Value = Value> {
    let optional_fields = (
        prop::option::of(Just(json!({ "subtitle": "s", "width": 300 }))),
        prop::option::of(Just("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")),
    );
    (
        text_strategy(),
        vec(record_strategy(), 0..12),
        text_strategy(),
        any::<(bool, bool)>(),
        optional_fields,
    )
        .prop_map(|(title, data, setting, (is_public, final_save), (style, svg))| {
            let mut body = json!({
                "title": title, "data": data, "settings": { "unit": setting, "n": [1.50, {}] },
                "isPublic": is_public, "final_save": final_save,
            });
            for (key, value) in [("style", style), ("svg", svg.map(Value::from))] {
                if let Some(value) = value {
                    body[key] = value;
                }
            }
            body
        })
}

fn step_strategy() -> impl Strategy<Value = HistoryStep> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        6 => (0..3usize, save_strategy()).prop_map(|(caller, body)| HistoryStep::Save { caller, body }),
        2 => vec(record_strategy(), 0..40).prop_map(HistoryStep::ReplaceData),
        8 => (0..3usize, record_strategy()).prop_map(|(caller, record)| HistoryStep::AddRecord { caller, record }),
        1 => text_strategy().prop_map(HistoryStep::Rename),
        1 => (1..9u8).prop_map(HistoryStep::SetSchemaVersion),
        1 => Just(HistoryStep::Close),
        3 => index().prop_map(HistoryStep::RestoreVersion),
        1 => index().prop_map(HistoryStep::NameVersion),
        3 => Just(HistoryStep::PassMinute),
        2 => Just(HistoryStep::PassDay),
        2 => Just(HistoryStep::ThinHistory),
    ]
}

/// Number of the guest among the callers.
const GUEST: usize = 2;

/// A document and the expected content of each of its versions.
struct HistoryModel<'a> {
    fixture: &'a HistoryFixture,
    path: String,
    /// Content of each version by number.
    contents: BTreeMap<i64, String>,
    /// Versions that earlier runs of thinning kept. A day that is more than 30 days ago normally
    /// gets no more versions, but in this test time also goes back.
    kept_by_thinning: BTreeSet<i64>,
}

impl<'a> HistoryModel<'a> {
    fn new(fixture: &'a HistoryFixture) -> Self {
        let path = fixture.create_document();
        fixture.share_with(&path, &fixture.ben_id, "w");
        fixture.share_by_link(&path, "w");
        let numbers = fixture.version_numbers(&path);
        let number_and_content =
            |number: &i64| (*number, fixture.get_content(&format!("{path}/history/{number}")));
        let versions = numbers.iter().map(number_and_content).collect();
        Self { fixture, path, contents: versions, kept_by_thinning: BTreeSet::new() }
    }

    /// Sends a request that must succeed. `caller` is 0 for Ann, 1 for Ben, and [`GUEST`] for a guest
    /// with a link.
    fn request(&self, caller: usize, method: &str, suffix: &str, body: &Value) {
        let (fixture, path) = (self.fixture, format!("{}{suffix}", self.path));
        let response = match caller {
            0 => fixture.send_as_ann(method, &path, &body.to_string()),
            1 => fixture.server.request(&fixture.ben_auth, method, &path, &body.to_string()),
            _ => {
                let headers = [("content-type", "application/json")];
                let path = format!("{path}?share={LINK_TOKEN}");
                fixture.server.send(method, &path, &headers, &body.to_string())
            }
        };
        assert!(matches!(response.status, 200 | 204), "{}: {}", response.status, response.text);
    }

    /// Returns the number of one of the expected versions.
    fn pick_version(&self, index: &prop::sample::Index) -> i64 {
        *index.get(&self.contents.keys().copied().collect::<Vec<_>>())
    }

    /// Performs a step on the server, and updates the expected contents.
    fn apply_step(&mut self, step: &HistoryStep) {
        match step {
            HistoryStep::Save { caller: GUEST, body } => {
                // Guests cannot change whether the document is public.
                let mut body = body.clone();
                body.as_object_mut().unwrap().remove("isPublic");
                self.request(GUEST, "PUT", "", &body);
            }
            HistoryStep::Save { caller, body } => self.request(*caller, "PUT", "", body),
            HistoryStep::ReplaceData(data) => self.request(0, "PUT", "/data", &json!(data)),
            HistoryStep::AddRecord { caller, record } => {
                self.request(*caller, "POST", "/add-record", record)
            }
            HistoryStep::Rename(title) => self.request(0, "PATCH", "", &json!({ "title": title })),
            HistoryStep::SetSchemaVersion(version) => {
                self.request(0, "PUT", "", &json!({ "version": version }))
            }
            HistoryStep::Close => self.request(0, "POST", "", &json!({ "action": "close" })),
            HistoryStep::RestoreVersion(index) => {
                let number = self.pick_version(index);
                self.fixture.send_as_ann(
                    "POST",
                    &format!("{}/history/{number}/restore", self.path),
                    "",
                );
                // Access is not part of the content.
                let restored_content =
                    self.contents[&number].replace("\"isPublic\":true", "\"isPublic\":false");
                let current_content = self.fixture.get_content(&self.path);
                assert_eq!(
                    current_content.replace("\"isPublic\":true", "\"isPublic\":false"),
                    restored_content
                );
            }
            HistoryStep::NameVersion(index) => {
                let suffix = format!("/history/{}", self.pick_version(index));
                self.request(0, "PATCH", &suffix, &json!({ "name": "N" }));
            }
            HistoryStep::PassMinute => self.fixture.age_versions_by_a_minute(),
            HistoryStep::PassDay => {
                let sql = "update version set began = began - 86400000, saved = saved - 86400000";
                self.fixture.server.execute_sql(sql);
            }
            HistoryStep::ThinHistory => self.thin_history(),
        }
        let newest = self.fixture.newest_version(&self.path);
        let last = *self.contents.keys().next_back().unwrap();
        assert!(newest == last || newest == last + 1, "{last} became {newest}");
        self.contents.insert(newest, self.fixture.get_content(&self.path));
    }

    /// Thins out the history as of 31 days later. Named versions, the last version of each day and
    /// the newest version stay.
    fn thin_history(&mut self) {
        const DAY: i64 = 86_400_000;
        let document = self.path.rsplit('/').next().unwrap().to_owned();
        let rows: Vec<(i64, i64, Option<String>)> = self
            .fixture
            .server
            .app
            .db
            .read(|tx| {
                let sql = "select number, began, name from version where document = ?1
                           order by number";
                tx.all(sql, [&document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            })
            .unwrap();
        let days: Vec<i64> = rows.iter().map(|(_, began, _)| began.div_euclid(DAY)).collect();
        let now = Timestamp(Timestamp::now().0 + 31 * DAY);
        let first_kept_day = now.0.div_euclid(DAY) - 30;
        for (index, (number, _, name)) in rows.iter().enumerate() {
            let is_last = days.get(index + 1) != Some(&days[index]);
            if days[index] >= first_kept_day || self.kept_by_thinning.contains(number) {
                continue;
            }
            if name.is_none() && !is_last {
                self.contents.remove(number);
            } else {
                self.kept_by_thinning.insert(*number);
            }
        }
        documents::thin_history_at(&self.fixture.server.app, now).unwrap();
    }

    /// Panics unless the server has exactly the expected versions.
    fn check_versions(&self) {
        let mut numbers = self.fixture.version_numbers(&self.path);
        numbers.reverse();
        assert_eq!(numbers, self.contents.keys().copied().collect::<Vec<_>>());
        for (number, content) in &self.contents {
            let content_on_server =
                self.fixture.get_content(&format!("{}/history/{number}", self.path));
            assert_eq!(&content_on_server, content, "version {number}");
        }
    }
}

#[test]
fn every_version_keeps_its_content_after_any_sequence_of_changes() {
    let fixture = HistoryFixture::new();
    let config = Config { cases: 24, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..config });
    let result = runner.run(&vec(step_strategy(), 1..40), |steps| {
        let mut model = HistoryModel::new(&fixture);
        for step in &steps {
            model.apply_step(step);
        }
        model.check_versions();
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
}

#[test]
fn versions_of_large_documents_are_stored_compactly() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    // Numbers without order, so that only other versions help to compress them.
    let pseudo_random = |seed: u64| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
    let mut data: Vec<Value> = (0..12_000)
        .map(|index| json!({ "label": pseudo_random(index).to_string(), "value": index }))
        .collect();
    let mut contents = BTreeMap::new();
    for round in 0..6 {
        data[round * 1500]["value"] = json!("other");
        let number = fixture.save_version(&path, json!({ "title": "Large", "data": data }));
        contents.insert(number, fixture.get_content(&path));
    }
    for (number, content) in &contents {
        assert_eq!(&fixture.get_content(&format!("{path}/history/{number}")), content);
    }
    let sql = "select sum(octet_length(body)) from version";
    let stored_bytes =
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap();
    let content_bytes = contents[&3].len() as i64;
    assert!(
        content_bytes > 400_000 && stored_bytes < content_bytes,
        "{stored_bytes} for five of {content_bytes} each"
    );
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
}
