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

use super::LINK;
use super::World;

/// An event in the life of a document.
#[derive(Debug, Clone)]
enum Step {
    /// A caller (0 Ann, 1 Ben, 2 a guest) saves the whole document.
    Save {
        who: usize,
        body: Value,
    },
    /// Ann replaces the records.
    Data(Vec<Value>),
    /// A caller appends a record.
    Add {
        who: usize,
        record: Value,
    },
    /// Ann renames the document.
    Rename(String),
    /// Ann sets another schema version.
    Schema(u8),
    /// Ann closes the document.
    Close,
    /// Ann restores one of the versions.
    Restore(prop::sample::Index),
    /// Ann names one of the versions.
    Name(prop::sample::Index),
    /// Time passes.
    Minute,
    Day,
    /// The task thins out old versions.
    Thin,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,6}", r#"["\\,{}\[\]é€😀 a]{0,8}"#, Just("x".repeat(400))]
}

fn record() -> impl Strategy<Value = Value> {
    (text(), any::<i32>(), any::<bool>()).prop_map(|(label, value, nested)| match nested {
        false => json!({ "label": label, "value": value }),
        true => json!({ "label": label, "value": null, "own": [{ "a,b": [label, {}] }, value] }),
    })
}

fn save() -> impl Strategy<Value = Value> {
    let optional = (
        prop::option::of(Just(json!({ "subtitle": "s", "width": 300 }))),
        prop::option::of(Just("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")),
    );
    (text(), vec(record(), 0..12), text(), any::<(bool, bool)>(), optional).prop_map(
        |(title, data, setting, (public, last), (style, svg))| {
            let mut body = json!({
                "title": title, "data": data, "settings": { "unit": setting, "n": [1.50, {}] },
                "isPublic": public, "final_save": last,
            });
            for (key, value) in [("style", style), ("svg", svg.map(Value::from))] {
                if let Some(value) = value {
                    body[key] = value;
                }
            }
            body
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        6 => (0..3usize, save()).prop_map(|(who, body)| Step::Save { who, body }),
        2 => vec(record(), 0..40).prop_map(Step::Data),
        8 => (0..3usize, record()).prop_map(|(who, record)| Step::Add { who, record }),
        1 => text().prop_map(Step::Rename),
        1 => (1..9u8).prop_map(Step::Schema),
        1 => Just(Step::Close),
        3 => index().prop_map(Step::Restore),
        1 => index().prop_map(Step::Name),
        3 => Just(Step::Minute),
        2 => Just(Step::Day),
        2 => Just(Step::Thin),
    ]
}

/// A document and the expected content of each of its versions.
struct Model<'a> {
    world: &'a World,
    path: String,
    versions: BTreeMap<i64, String>,
    /// Versions that earlier runs kept. No day gets a version once it is 30 days past, but in this
    /// test time also goes back.
    kept: BTreeSet<i64>,
}

impl<'a> Model<'a> {
    fn new(world: &'a World) -> Self {
        let path = world.document();
        world.share(&path, &world.ben_id, "w");
        world.share_by_link(&path, "w");
        let numbers = world.numbers(&path);
        let content = |it: &i64| (*it, world.content(&format!("{path}/history/{it}")));
        let versions = numbers.iter().map(content).collect();
        Self { world, path, versions, kept: BTreeSet::new() }
    }

    fn ask(&self, who: usize, method: &str, rest: &str, body: &Value) {
        let (world, path) = (self.world, format!("{}{rest}", self.path));
        let answer = match who {
            0 => world.ann(method, &path, &body.to_string()),
            1 => world.server.ask(&world.ben, method, &path, &body.to_string()),
            _ => {
                let headers = [("content-type", "application/json")];
                let path = format!("{path}?share={LINK}");
                world.server.send(method, &path, &headers, &body.to_string())
            }
        };
        assert!(matches!(answer.status, 200 | 204), "{}: {}", answer.status, answer.text);
    }

    fn pick(&self, index: &prop::sample::Index) -> i64 {
        *index.get(&self.versions.keys().copied().collect::<Vec<_>>())
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Save { who, body } => self.ask(*who, "PUT", "", body),
            Step::Data(data) => self.ask(0, "PUT", "/data", &json!(data)),
            Step::Add { who, record } => self.ask(*who, "POST", "/add-record", record),
            Step::Rename(title) => self.ask(0, "PATCH", "", &json!({ "title": title })),
            Step::Schema(version) => self.ask(0, "PUT", "", &json!({ "version": version })),
            Step::Close => self.ask(0, "POST", "", &json!({ "action": "close" })),
            Step::Restore(index) => {
                let number = self.pick(index);
                self.world.ann("POST", &format!("{}/history/{number}/restore", self.path), "");
                // Access is not part of the content.
                let then =
                    self.versions[&number].replace("\"isPublic\":true", "\"isPublic\":false");
                let now = self.world.content(&self.path);
                assert_eq!(now.replace("\"isPublic\":true", "\"isPublic\":false"), then);
            }
            Step::Name(index) => {
                let rest = format!("/history/{}", self.pick(index));
                self.ask(0, "PATCH", &rest, &json!({ "name": "N" }));
            }
            Step::Minute => self.world.wait_a_minute(),
            Step::Day => {
                let sql = "update version set began = began - 86400000, saved = saved - 86400000";
                self.world.server.sql(sql);
            }
            Step::Thin => self.thin(),
        }
        let newest = self.world.newest(&self.path);
        let last = *self.versions.keys().next_back().unwrap();
        assert!(newest == last || newest == last + 1, "{last} became {newest}");
        self.versions.insert(newest, self.world.content(&self.path));
    }

    /// Thins out as 31 days later: named versions, the last version of each day and the newest
    /// version stay.
    fn thin(&mut self) {
        const DAY: i64 = 86_400_000;
        let document = self.path.rsplit('/').next().unwrap().to_owned();
        let rows: Vec<(i64, i64, Option<String>)> = self
            .world
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
        let before = now.0.div_euclid(DAY) - 30;
        for (at, (number, _, name)) in rows.iter().enumerate() {
            let is_last = days.get(at + 1) != Some(&days[at]);
            if days[at] >= before || self.kept.contains(number) {
                continue;
            }
            if name.is_none() && !is_last {
                self.versions.remove(number);
            } else {
                self.kept.insert(*number);
            }
        }
        documents::thin_history_at(&self.world.server.app, now).unwrap();
    }

    fn check(&self) {
        let mut numbers = self.world.numbers(&self.path);
        numbers.reverse();
        assert_eq!(numbers, self.versions.keys().copied().collect::<Vec<_>>());
        for (number, content) in &self.versions {
            let found = self.world.content(&format!("{}/history/{number}", self.path));
            assert_eq!(&found, content, "version {number}");
        }
    }
}

#[test]
fn any_sequence_of_changes_gives_back_each_version() {
    let world = World::new();
    let config = Config { cases: 24, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..config });
    let run = runner.run(&vec(step(), 1..40), |steps| {
        let mut model = Model::new(&world);
        for step in &steps {
            model.take(step);
        }
        model.check();
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
}

#[test]
fn large_documents_are_kept_and_take_little_room() {
    let world = World::new();
    let path = world.document();
    // Numbers without order, so that only other versions help to compress them.
    let value = |seed: u64| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
    let mut data: Vec<Value> =
        (0..12_000).map(|it| json!({ "label": value(it).to_string(), "value": it })).collect();
    let mut contents = BTreeMap::new();
    for round in 0..6 {
        data[round * 1500]["value"] = json!("other");
        let number = world.version(&path, json!({ "title": "Large", "data": data }));
        contents.insert(number, world.content(&path));
    }
    for (number, content) in &contents {
        assert_eq!(&world.content(&format!("{path}/history/{number}")), content);
    }
    let sql = "select sum(octet_length(body)) from version";
    let bytes = world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap();
    let one = contents[&3].len() as i64;
    assert!(one > 400_000 && bytes < one, "{bytes} for five of {one} each");
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
}
