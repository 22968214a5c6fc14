//! Tests of the versions of a document as sequences of requests: keep, read, restore, name, compare
//! and thin out. Only accounts with access see them.

mod access;
mod difference;
mod folding;
mod model;
mod thinning;
mod together;

use chartroom::features::documents;
use chartroom_platform::crypto;
use chartroom_platform::doctor;
use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::talk::Server;

/// Token of the links of [`World::share_by_link`].
const LINK: &str = "a-token-of-a-link";

/// The server and its people. Ann owns the documents. Ann may share them with Ben and Cid, but not
/// with Dora.
struct World {
    server: Server,
    ann: String,
    ben: String,
    cid: String,
    dora: String,
    ann_id: String,
    ben_id: String,
    cid_id: String,
}

impl World {
    fn new() -> Self {
        let server = Server::new();
        let [ann, ben, cid, dora] = ["Ann", "Ben", "Cid", "Dora"].map(|it| server.person(it));
        let token = |it: &chartroom::features::accounts::User| server.token(&it.id);
        Self {
            ann: token(&ann),
            ben: token(&ben),
            cid: token(&cid),
            dora: token(&dora),
            ann_id: ann.id.to_string(),
            ben_id: ben.id.to_string(),
            cid_id: cid.id.to_string(),
            server,
        }
    }

    /// Creates a document of Ann without records, in its second version, and returns its path.
    fn document(&self) -> String {
        let made = self.ann("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
        assert_eq!(made.status, 200, "{}", made.text);
        let endpoint = made.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint[endpoint.find("/api/").unwrap()..].to_owned();
        self.save(&self.ann, &path, &json!({ "title": "Empty", "final_save": true }));
        path
    }

    fn ann(&self, method: &str, path: &str, body: &str) -> Answer {
        self.server.ask(&self.ann, method, path, body)
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.ann("GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }

    /// Saves as a person and returns the number of the newest version.
    fn save(&self, who: &str, path: &str, body: &Value) -> i64 {
        let saved = self.server.ask(who, "PUT", path, &body.to_string());
        assert_eq!(saved.status, 200, "{}", saved.text);
        self.newest(path)
    }

    /// Saves as a separate version.
    fn version(&self, path: &str, body: Value) -> i64 {
        let mut body = body;
        body["final_save"] = true.into();
        self.save(&self.ann, path, &body)
    }

    fn add(&self, who: &str, path: &str, record: &Value) {
        let added =
            self.server.ask(who, "POST", &format!("{path}/add-record"), &record.to_string());
        assert_eq!(added.status, 204, "{}", added.text);
    }

    fn newest(&self, path: &str) -> i64 {
        self.get(path)["history_version"].as_i64().unwrap()
    }

    /// Returns the numbers of all versions, newest first.
    fn numbers(&self, path: &str) -> Vec<i64> {
        let mut numbers = Vec::new();
        loop {
            let offset = numbers.len();
            let page = self.get(&format!("{path}/history?limit=100&offset={offset}"));
            let results = page["results"].as_array().unwrap();
            numbers.extend(results.iter().map(|it| it["history_version"].as_i64().unwrap()));
            if numbers.len() as i64 >= page["count"].as_i64().unwrap() {
                return numbers;
            }
        }
    }

    /// Returns the exact bytes of the content of a document or a version.
    fn content(&self, path: &str) -> String {
        let answer = self.ann("GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        let (from, to) = (answer.text.find("\"plugin_id\""), answer.text.find(",\"created\""));
        answer.text[from.unwrap()..to.unwrap()].to_owned()
    }

    /// Grants a person access to a document.
    fn share(&self, path: &str, person: &str, mode: &'static str) {
        self.entry(path, "user", mode, Some(person.to_owned()), None);
    }

    /// Creates a link to a document, with the token [`LINK`].
    fn share_by_link(&self, path: &str, mode: &'static str) {
        self.entry(path, "link", mode, None, Some(crypto::sha256(LINK.as_bytes())));
    }

    fn entry(
        &self,
        path: &str,
        kind: &'static str,
        mode: &'static str,
        user: Option<String>,
        token: Option<crypto::Sha256Hash>,
    ) {
        let (node, by) = (path.rsplit('/').next().unwrap().to_owned(), self.ann_id.clone());
        let id = format!("{kind} {user:?} {node}");
        self.server
            .app
            .db
            .write(move |tx| {
                // Only one link has this token. It opens the newest document.
                tx.execute("delete from access_entry where token_hash = ?1", [&token])?;
                tx.execute(
                    "insert into access_entry (id, node, type, mode, user_id, token_hash, created,
                         created_by)
                     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    rusqlite::params![id, node, kind, mode, user, token, tx.now, by],
                )
            })
            .unwrap();
    }

    /// Moves all versions one minute into the past.
    fn wait_a_minute(&self) {
        self.server.sql("update version set began = began - 60000, saved = saved - 60000");
    }

    /// Returns the findings of `doctor`.
    fn complaints(&self) -> Vec<String> {
        let looks = [documents::HISTORY_CHECK];
        let checks = doctor::run_checks(&self.server.app.config.data_dir, false, &looks).unwrap();
        assert!(checks.iter().any(|it| it.name == "documents.history"));
        // The mode of test directories is open to others.
        let bad = checks.into_iter().filter(|it| !it.ok && it.name != "files.permissions");
        bad.map(|it| format!("{}: {}", it.name, it.detail)).collect()
    }
}

#[test]
fn ann_reads_what_she_had_and_goes_back_to_it() {
    let world = World::new();
    let path = world.document();
    let row = |label: &str, value: i64| json!({ "label": label, "value": value });
    let first = json!({ "title": "Plan", "data": [row("a", 1)], "settings": { "unit": "EUR" } });
    let third = world.version(&path, first);
    let kept = world.content(&path);
    world.version(&path, json!({ "title": "Worse", "isPublic": true }));
    assert_eq!(world.content(&format!("{path}/history/{third}")), kept);
    let then = world.get(&format!("{path}/history/{third}"));
    assert_eq!((&then["title"], &then["history_version"]), (&json!("Plan"), &json!(3)));
    assert_eq!((&then["mode"], &then["updated_by"]), (&json!("w"), &json!(world.ann_id)));

    let restore = format!("{path}/history/{third}/restore");
    let restored = world.ann("POST", &restore, "");
    assert_eq!(restored.status, 200, "{}", restored.text);
    assert_eq!(restored.json()["path"], "/Plan");
    let now = world.ann("GET", &path, "");
    let tag = |it: &str| it.split(['+', '"']).nth(1).unwrap().to_owned();
    assert_eq!(tag(&now.header("etag")), tag(&restored.header("etag")));
    // A restore creates a new version and keeps the replaced one. It does not change the access to
    // the document.
    assert_eq!(now.json()["history_version"], 5);
    assert_eq!(now.json()["isPublic"], true);
    assert_eq!(world.content(&path).replace("\"isPublic\":true", "\"isPublic\":false"), kept);
    assert_eq!(world.get(&format!("{path}/history/4"))["title"], "Worse");
    let list = world.get(&format!("{path}/history"));
    assert_eq!(list["results"][0]["channel"], "restore");
    assert_eq!(list["results"][1]["channel"], "api");
    // A restore of the current content changes nothing.
    assert_eq!(world.ann("POST", &format!("{path}/history/5/restore"), "").status, 200);
    assert_eq!(world.newest(&path), 5);

    let absent = world.ann("GET", &format!("{path}/history/9"), "");
    assert_eq!((absent.status, absent.text.as_str()), (404, "no such version"));
    let absent = world.ann("POST", &format!("{path}/history/0/restore"), "");
    assert_eq!((absent.status, absent.text.as_str()), (404, "no such version"));
    assert_eq!(world.ann("GET", &format!("{path}/history/x"), "").status, 404);
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
}

#[test]
fn the_list_is_paged_newest_first_and_says_who() {
    let world = World::new();
    let path = world.document();
    world.share(&path, &world.ben_id, "w");
    for number in 3..=13 {
        let body = json!({ "title": format!("T{number}"), "data": [{ "label": "a" }] });
        let who = if number == 5 { &world.ben } else { &world.ann };
        let newest = world.save(who, &path, &body);
        world.wait_a_minute();
        assert_eq!(newest, number);
    }
    let answer = world.ann("GET", &format!("{path}/history"), "");
    let page = answer.json();
    assert_eq!(
        (&page["offset"], &page["limit"], &page["count"]),
        (&json!(0), &json!(10), &json!(13))
    );
    let results = page["results"].as_array().unwrap();
    let numbers: Vec<_> =
        results.iter().map(|it| it["history_version"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (4..=13).rev().collect::<Vec<_>>());
    assert!(answer.header("link").ends_with("/history?offset=10&limit=10>; rel=\"next\""));
    let ben = &results[8];
    assert_eq!((&ben["title"], &ben["record_count"]), (&json!("T5"), &json!(1)));
    assert_eq!(ben["author"], json!({ "id": world.ben_id, "name": "Ben" }));
    assert_eq!((&ben["channel"], &ben["name"]), (&json!("api"), &json!(null)));
    assert!(ben["saved_at"].as_str().unwrap().ends_with('Z'));

    let last = world.ann("GET", &format!("{path}/history?offset=10&limit=5"), "");
    assert_eq!(last.json()["results"].as_array().unwrap().len(), 3);
    assert!(last.header("link").ends_with("/history?offset=5&limit=5>; rel=\"prev\""));
    assert_eq!(world.get(&format!("{path}/history?limit=5000"))["limit"], 100);
    assert_eq!(world.get(&format!("{path}/history?limit=0"))["results"], json!([]));
    assert_eq!(world.get(&format!("{path}/history?offset=50"))["count"], 13);
    let refused = world.ann("GET", &format!("{path}/history?limit=-1"), "");
    assert!(refused.status == 400 && refused.text.starts_with("limit: "), "{}", refused.text);
}

#[test]
fn a_save_on_a_page_is_of_the_web() {
    let world = World::new();
    let path = world.document();
    let session = json!({ "email": "ann@example.org", "password": crate::talk::PASSWORD });
    let cookie = world.server.ask_session(&session.to_string()).cookie();
    let headers = [
        ("cookie", cookie.as_str()),
        ("origin", "http://127.0.0.1:8080"),
        ("content-type", "application/json"),
    ];
    let saved = world.server.send("PUT", &path, &headers, r#"{"title":"By hand"}"#);
    assert_eq!(saved.status, 200, "{}", saved.text);
    assert_eq!(world.get(&format!("{path}/history"))["results"][0]["channel"], "web");
}

#[test]
fn ann_names_a_version_and_takes_the_name_away() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Plan" }));
    let version = format!("{path}/history/2");
    let named = world.ann("PATCH", &version, r#"{"name":"As sent to the board"}"#);
    assert_eq!(named.status, 200, "{}", named.text);
    assert_eq!(named.json()["name"], "As sent to the board");
    let of = |number: usize| world.get(&format!("{path}/history"))["results"][number].clone();
    assert_eq!(of(1)["name"], "As sent to the board");
    assert_eq!(of(0)["name"], json!(null));
    // A version name changes nothing in the document.
    assert_eq!(world.newest(&path), 3);
    for (body, want) in [
        ("{}", "name: is required; null removes it"),
        (r#"{"name":""}"#, "name: must not be empty; null removes it"),
        (r#"{"name":"  "}"#, "name: must not be empty; null removes it"),
        (r#"{"name":7}"#, "name: "),
    ] {
        let refused = world.ann("PATCH", &version, body);
        assert!(refused.status == 400 && refused.text.starts_with(want), "{}", refused.text);
    }
    let long = json!({ "name": "x".repeat(501) });
    assert_eq!(world.ann("PATCH", &version, &long.to_string()).status, 400);
    assert_eq!(world.ann("PATCH", &version, r#"{"name":null}"#).json()["name"], json!(null));
    assert_eq!(of(1)["name"], json!(null));
    assert_eq!(world.ann("PATCH", &format!("{path}/history/9"), r#"{"name":"x"}"#).status, 404);
}

#[test]
fn a_copy_can_begin_at_an_older_version() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Then", "data": [{ "label": "a", "value": 1 }] }));
    let then = world.content(&path);
    world.version(&path, json!({ "title": "Now", "isPublic": true }));
    for action in ["fork", "duplicate"] {
        let body = json!({ "action": action, "history_version": 3 });
        let copy = world.ann("POST", &path, &body.to_string());
        assert_eq!(copy.status, 200, "{}", copy.text);
        let copy = copy.json();
        let place = copy["urls"]["endpoint"].as_str().unwrap();
        let place = &place[place.find("/api/").unwrap()..];
        assert_eq!(world.content(place), then);
        // The copy has a separate history.
        assert_eq!(world.numbers(place), [1]);
    }
    let body = json!({ "action": "fork", "history_version": 4 });
    assert_eq!(world.ann("POST", &path, &body.to_string()).json()["title"], "Now");
    for number in [0, -1, 5, i64::MAX] {
        let body = json!({ "action": "fork", "history_version": number });
        let refused = world.ann("POST", &path, &body.to_string());
        let found = (refused.status, refused.text.as_str());
        assert_eq!(found, (400, "history_version: there is no such version"));
    }
}

#[test]
fn a_version_is_drawn_as_it_was() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Then", "data": [{ "label": "a", "value": 1 }] }));
    world.version(&path, json!({ "title": "Now", "data": [{ "label": "a", "value": 1 }] }));
    let svg = world.ann("GET", &format!("{path}/history/3.svg"), "");
    assert_eq!((svg.status, svg.header("content-type")), (200, "image/svg+xml".to_owned()));
    assert!(svg.text.contains("Then") && !svg.text.contains("Now"), "{}", svg.text);
    let same = world.ann("GET", &format!("{path}.svg?history_version=3"), "");
    assert_eq!(same.text, svg.text);
    let newest = world.ann("GET", &format!("{path}/history/4.svg"), "");
    assert_eq!(newest.text, world.ann("GET", &format!("{path}.svg"), "").text);
    let png = world.ann("GET", &format!("{path}/history/3.png?scale=1"), "");
    assert_eq!((png.status, png.header("content-type")), (200, "image/png".to_owned()));
    // A rendered image of a version never changes.
    let tag = svg.header("etag");
    world.version(&path, json!({ "title": "Later" }));
    let headers = [("authorization", world.ann.as_str()), ("if-none-match", tag.as_str())];
    let again = world.server.send("GET", &format!("{path}/history/3.svg"), &headers, "");
    assert_eq!(again.status, 304);
    assert_eq!(world.ann("GET", &format!("{path}/history/9.svg"), "").status, 404);
    let none = world.ann("GET", &format!("{path}.svg?history_version=9"), "");
    assert_eq!(
        (none.status, none.text.as_str()),
        (400, "history_version: there is no such version")
    );
}

#[test]
fn a_document_that_is_gone_for_good_leaves_no_versions() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Secret" }));
    let rows = || {
        let sql = "select count(*) from version";
        world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert_eq!(rows(), 3);
    assert_eq!(world.ann("DELETE", &path, "").status, 204);
    // A document in the trash keeps its history, but the history is read-only.
    assert_eq!(world.numbers(&path), [3, 2, 1]);
    assert_eq!(world.ann("POST", &format!("{path}/history/2/restore"), "").status, 409);
    assert_eq!(world.ann("PATCH", &format!("{path}/history/2"), r#"{"name":"x"}"#).status, 409);
    assert_eq!(world.ann("DELETE", &format!("{path}?expunge=1"), "").status, 204);
    assert_eq!(rows(), 0);
    assert_eq!(world.ann("GET", &format!("{path}/history"), "").status, 404);
}
