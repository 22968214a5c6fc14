//! Tests of the versions of a document: keep, read, restore, name, compare and thin out. Only
//! accounts with access see them.

mod access;
mod difference;
mod save_merging;
mod model;
mod thinning;
mod concurrency;

use chartroom::features::documents;
use chartroom_platform::crypto;
use chartroom_platform::doctor;
use serde_json::Value;
use serde_json::json;

use crate::test_server::Response;
use crate::test_server::TestServer;

/// Token of the links of [`HistoryFixture::share_by_link`].
const LINK_TOKEN: &str = "a-token-of-a-link";

/// A server and its users. Ann owns the documents. Tests share them with Ben and Cid, but not with
/// Dora. Fields that end in `_auth` are `Authorization` headers.
struct HistoryFixture {
    server: TestServer,
    ann_auth: String,
    ben_auth: String,
    cid_auth: String,
    dora_auth: String,
    ann_id: String,
    ben_id: String,
    cid_id: String,
}

impl HistoryFixture {
    fn new() -> Self {
        let server = TestServer::new();
        let [ann, ben, cid, dora] =
            ["Ann", "Ben", "Cid", "Dora"].map(|name| server.create_user(name));
        let token_of =
            |user: &chartroom::features::accounts::User| server.create_bearer_token(&user.id);
        Self {
            ann_auth: token_of(&ann),
            ben_auth: token_of(&ben),
            cid_auth: token_of(&cid),
            dora_auth: token_of(&dora),
            ann_id: ann.id.to_string(),
            ben_id: ben.id.to_string(),
            cid_id: cid.id.to_string(),
            server,
        }
    }

    /// Creates a document of Ann without records, in its second version, and returns its path.
    fn create_document(&self) -> String {
        let created = self.send_as_ann("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
        assert_eq!(created.status, 200, "{}", created.text);
        let endpoint = created.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint[endpoint.find("/api/").unwrap()..].to_owned();
        self.save_as(&self.ann_auth, &path, &json!({ "title": "Empty", "final_save": true }));
        path
    }

    fn send_as_ann(&self, method: &str, path: &str, body: &str) -> Response {
        self.server.request(&self.ann_auth, method, path, body)
    }

    /// Reads a path as Ann and returns the JSON. Panics unless the status is 200.
    fn get_json(&self, path: &str) -> Value {
        let response = self.send_as_ann("GET", path, "");
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        response.json()
    }

    /// Saves as a user and returns the number of the newest version.
    fn save_as(&self, authorization: &str, path: &str, body: &Value) -> i64 {
        let saved = self.server.request(authorization, "PUT", path, &body.to_string());
        assert_eq!(saved.status, 200, "{}", saved.text);
        self.newest_version(path)
    }

    /// Saves as Ann as a separate version and returns its number.
    fn save_version(&self, path: &str, body: Value) -> i64 {
        let mut body = body;
        body["final_save"] = true.into();
        self.save_as(&self.ann_auth, path, &body)
    }

    /// Appends a record as a user.
    fn add_record(&self, authorization: &str, path: &str, record: &Value) {
        let added = self.server.request(
            authorization,
            "POST",
            &format!("{path}/add-record"),
            &record.to_string(),
        );
        assert_eq!(added.status, 204, "{}", added.text);
    }

    /// Returns the number of the newest version.
    fn newest_version(&self, path: &str) -> i64 {
        self.get_json(path)["history_version"].as_i64().unwrap()
    }

    /// Returns the numbers of all versions, newest first.
    fn version_numbers(&self, path: &str) -> Vec<i64> {
        let mut numbers = Vec::new();
        loop {
            let offset = numbers.len();
            let page = self.get_json(&format!("{path}/history?limit=100&offset={offset}"));
            let results = page["results"].as_array().unwrap();
            numbers
                .extend(results.iter().map(|version| version["history_version"].as_i64().unwrap()));
            if numbers.len() as i64 >= page["count"].as_i64().unwrap() {
                return numbers;
            }
        }
    }

    /// Returns the exact text of the content of a document or a version.
    fn get_content(&self, path: &str) -> String {
        let response = self.send_as_ann("GET", path, "");
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        let (content_start, content_end) =
            (response.text.find("\"plugin_id\""), response.text.find(",\"created\""));
        response.text[content_start.unwrap()..content_end.unwrap()].to_owned()
    }

    /// Grants a user access to a document.
    fn share_with(&self, path: &str, user_id: &str, mode: &'static str) {
        self.insert_access_entry(path, "user", mode, Some(user_id.to_owned()), None);
    }

    /// Creates a link to a document, with the token [`LINK_TOKEN`].
    fn share_by_link(&self, path: &str, mode: &'static str) {
        self.insert_access_entry(
            path,
            "link",
            mode,
            None,
            Some(crypto::sha256(LINK_TOKEN.as_bytes())),
        );
    }

    /// Inserts an access entry directly in the database.
    fn insert_access_entry(
        &self,
        path: &str,
        kind: &'static str,
        mode: &'static str,
        user: Option<String>,
        token: Option<crypto::Sha256Hash>,
    ) {
        let (node, creator) = (path.rsplit('/').next().unwrap().to_owned(), self.ann_id.clone());
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
                    rusqlite::params![id, node, kind, mode, user, token, tx.now, creator],
                )
            })
            .unwrap();
    }

    /// Moves all versions one minute into the past.
    fn age_versions_by_a_minute(&self) {
        self.server.execute_sql("update version set began = began - 60000, saved = saved - 60000");
    }

    /// Returns the failed checks of `doctor`, except those of file permissions.
    fn doctor_findings(&self) -> Vec<String> {
        let extra_checks = [documents::HISTORY_CHECK];
        let checks =
            doctor::run_checks(&self.server.app.config.data_dir, false, &extra_checks).unwrap();
        assert!(checks.iter().any(|check| check.name == "documents.history"));
        // The mode of test directories is open to others.
        let failed =
            checks.into_iter().filter(|check| !check.ok && check.name != "files.permissions");
        failed.map(|check| format!("{}: {}", check.name, check.detail)).collect()
    }
}

#[test]
fn older_version_can_be_read_and_restored() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let record = |label: &str, value: i64| json!({ "label": label, "value": value });
    let first = json!({ "title": "Plan", "data": [record("a", 1)], "settings": { "unit": "EUR" } });
    let third_number = fixture.save_version(&path, first);
    let third_content = fixture.get_content(&path);
    fixture.save_version(&path, json!({ "title": "Worse", "isPublic": true }));
    assert_eq!(fixture.get_content(&format!("{path}/history/{third_number}")), third_content);
    let third_version = fixture.get_json(&format!("{path}/history/{third_number}"));
    assert_eq!(
        (&third_version["title"], &third_version["history_version"]),
        (&json!("Plan"), &json!(3))
    );
    assert_eq!(
        (&third_version["mode"], &third_version["updated_by"]),
        (&json!("w"), &json!(fixture.ann_id))
    );

    let restore = format!("{path}/history/{third_number}/restore");
    let restored = fixture.send_as_ann("POST", &restore, "");
    assert_eq!(restored.status, 200, "{}", restored.text);
    assert_eq!(restored.json()["path"], "/Plan");
    let current = fixture.send_as_ann("GET", &path, "");
    let tag = |tag: &str| tag.split(['+', '"']).nth(1).unwrap().to_owned();
    assert_eq!(tag(&current.header("etag")), tag(&restored.header("etag")));
    // A restore creates a new version and keeps the replaced one. It does not change the access to
    // the document.
    assert_eq!(current.json()["history_version"], 5);
    assert_eq!(current.json()["isPublic"], true);
    assert_eq!(
        fixture.get_content(&path).replace("\"isPublic\":true", "\"isPublic\":false"),
        third_content
    );
    assert_eq!(fixture.get_json(&format!("{path}/history/4"))["title"], "Worse");
    let list = fixture.get_json(&format!("{path}/history"));
    assert_eq!(list["results"][0]["channel"], "restore");
    assert_eq!(list["results"][1]["channel"], "api");
    // A restore of the current content changes nothing.
    assert_eq!(fixture.send_as_ann("POST", &format!("{path}/history/5/restore"), "").status, 200);
    assert_eq!(fixture.newest_version(&path), 5);

    let absent = fixture.send_as_ann("GET", &format!("{path}/history/9"), "");
    assert_eq!((absent.status, absent.text.as_str()), (404, "no such version"));
    let absent = fixture.send_as_ann("POST", &format!("{path}/history/0/restore"), "");
    assert_eq!((absent.status, absent.text.as_str()), (404, "no such version"));
    assert_eq!(fixture.send_as_ann("GET", &format!("{path}/history/x"), "").status, 404);
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
}

#[test]
fn version_list_is_paged_newest_first_with_authors() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.share_with(&path, &fixture.ben_id, "w");
    for number in 3..=13 {
        let body = json!({ "title": format!("T{number}"), "data": [{ "label": "a" }] });
        let authorization = if number == 5 { &fixture.ben_auth } else { &fixture.ann_auth };
        let newest = fixture.save_as(authorization, &path, &body);
        fixture.age_versions_by_a_minute();
        assert_eq!(newest, number);
    }
    let response = fixture.send_as_ann("GET", &format!("{path}/history"), "");
    let page = response.json();
    assert_eq!(
        (&page["offset"], &page["limit"], &page["count"]),
        (&json!(0), &json!(10), &json!(13))
    );
    let results = page["results"].as_array().unwrap();
    let numbers: Vec<_> =
        results.iter().map(|version| version["history_version"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (4..=13).rev().collect::<Vec<_>>());
    assert!(response.header("link").ends_with("/history?offset=10&limit=10>; rel=\"next\""));
    let bens_version = &results[8];
    assert_eq!((&bens_version["title"], &bens_version["record_count"]), (&json!("T5"), &json!(1)));
    assert_eq!(bens_version["author"], json!({ "id": fixture.ben_id, "name": "Ben" }));
    assert_eq!((&bens_version["channel"], &bens_version["name"]), (&json!("api"), &json!(null)));
    assert!(bens_version["saved_at"].as_str().unwrap().ends_with('Z'));

    let last = fixture.send_as_ann("GET", &format!("{path}/history?offset=10&limit=5"), "");
    assert_eq!(last.json()["results"].as_array().unwrap().len(), 3);
    assert!(last.header("link").ends_with("/history?offset=5&limit=5>; rel=\"prev\""));
    assert_eq!(fixture.get_json(&format!("{path}/history?limit=5000"))["limit"], 100);
    assert_eq!(fixture.get_json(&format!("{path}/history?limit=0"))["results"], json!([]));
    assert_eq!(fixture.get_json(&format!("{path}/history?offset=50"))["count"], 13);
    let refused = fixture.send_as_ann("GET", &format!("{path}/history?limit=-1"), "");
    assert!(refused.status == 400 && refused.text.starts_with("limit: "), "{}", refused.text);
}

#[test]
fn save_with_a_session_cookie_has_the_web_channel() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let session = json!({ "email": "ann@example.org", "password": crate::test_server::PASSWORD });
    let cookie = fixture.server.sign_in(&session.to_string()).cookie();
    let headers = [
        ("cookie", cookie.as_str()),
        ("origin", "http://127.0.0.1:8080"),
        ("content-type", "application/json"),
    ];
    let saved = fixture.server.send("PUT", &path, &headers, r#"{"title":"By hand"}"#);
    assert_eq!(saved.status, 200, "{}", saved.text);
    assert_eq!(fixture.get_json(&format!("{path}/history"))["results"][0]["channel"], "web");
}

#[test]
fn version_name_can_be_set_and_removed() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Plan" }));
    let version = format!("{path}/history/2");
    let named = fixture.send_as_ann("PATCH", &version, r#"{"name":"As sent to the board"}"#);
    assert_eq!(named.status, 200, "{}", named.text);
    assert_eq!(named.json()["name"], "As sent to the board");
    let list_entry =
        |number: usize| fixture.get_json(&format!("{path}/history"))["results"][number].clone();
    assert_eq!(list_entry(1)["name"], "As sent to the board");
    assert_eq!(list_entry(0)["name"], json!(null));
    // A version name changes nothing in the document.
    assert_eq!(fixture.newest_version(&path), 3);
    for (body, expected) in [
        ("{}", "name: is required; null removes it"),
        (r#"{"name":""}"#, "name: must not be empty; null removes it"),
        (r#"{"name":"  "}"#, "name: must not be empty; null removes it"),
        (r#"{"name":7}"#, "name: "),
    ] {
        let refused = fixture.send_as_ann("PATCH", &version, body);
        assert!(refused.status == 400 && refused.text.starts_with(expected), "{}", refused.text);
    }
    let long = json!({ "name": "x".repeat(501) });
    assert_eq!(fixture.send_as_ann("PATCH", &version, &long.to_string()).status, 400);
    assert_eq!(
        fixture.send_as_ann("PATCH", &version, r#"{"name":null}"#).json()["name"],
        json!(null)
    );
    assert_eq!(list_entry(1)["name"], json!(null));
    assert_eq!(
        fixture.send_as_ann("PATCH", &format!("{path}/history/9"), r#"{"name":"x"}"#).status,
        404
    );
}

#[test]
fn copy_can_start_from_an_older_version() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Then", "data": [{ "label": "a", "value": 1 }] }));
    let old_content = fixture.get_content(&path);
    fixture.save_version(&path, json!({ "title": "Now", "isPublic": true }));
    for action in ["fork", "duplicate"] {
        let body = json!({ "action": action, "history_version": 3 });
        let copy = fixture.send_as_ann("POST", &path, &body.to_string());
        assert_eq!(copy.status, 200, "{}", copy.text);
        let copy = copy.json();
        let copy_path = copy["urls"]["endpoint"].as_str().unwrap();
        let copy_path = &copy_path[copy_path.find("/api/").unwrap()..];
        assert_eq!(fixture.get_content(copy_path), old_content);
        // The copy has a separate history.
        assert_eq!(fixture.version_numbers(copy_path), [1]);
    }
    let body = json!({ "action": "fork", "history_version": 4 });
    assert_eq!(fixture.send_as_ann("POST", &path, &body.to_string()).json()["title"], "Now");
    for number in [0, -1, 5, i64::MAX] {
        let body = json!({ "action": "fork", "history_version": number });
        let refused = fixture.send_as_ann("POST", &path, &body.to_string());
        let status_and_text = (refused.status, refused.text.as_str());
        assert_eq!(status_and_text, (400, "history_version: there is no such version"));
    }
}

#[test]
fn older_version_is_rendered_with_its_content() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Then", "data": [{ "label": "a", "value": 1 }] }));
    fixture.save_version(&path, json!({ "title": "Now", "data": [{ "label": "a", "value": 1 }] }));
    let svg = fixture.send_as_ann("GET", &format!("{path}/history/3.svg"), "");
    assert_eq!((svg.status, svg.header("content-type")), (200, "image/svg+xml".to_owned()));
    assert!(svg.text.contains("Then") && !svg.text.contains("Now"), "{}", svg.text);
    let by_query = fixture.send_as_ann("GET", &format!("{path}.svg?history_version=3"), "");
    assert_eq!(by_query.text, svg.text);
    let newest = fixture.send_as_ann("GET", &format!("{path}/history/4.svg"), "");
    assert_eq!(newest.text, fixture.send_as_ann("GET", &format!("{path}.svg"), "").text);
    let png = fixture.send_as_ann("GET", &format!("{path}/history/3.png?scale=1"), "");
    assert_eq!((png.status, png.header("content-type")), (200, "image/png".to_owned()));
    // A rendered image of a version never changes.
    let tag = svg.header("etag");
    fixture.save_version(&path, json!({ "title": "Later" }));
    let headers = [("authorization", fixture.ann_auth.as_str()), ("if-none-match", tag.as_str())];
    let again = fixture.server.send("GET", &format!("{path}/history/3.svg"), &headers, "");
    assert_eq!(again.status, 304);
    assert_eq!(fixture.send_as_ann("GET", &format!("{path}/history/9.svg"), "").status, 404);
    let absent = fixture.send_as_ann("GET", &format!("{path}.svg?history_version=9"), "");
    assert_eq!(
        (absent.status, absent.text.as_str()),
        (400, "history_version: there is no such version")
    );
}

#[test]
fn expunge_removes_all_versions() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Secret" }));
    let count_versions = || {
        let sql = "select count(*) from version";
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert_eq!(count_versions(), 3);
    assert_eq!(fixture.send_as_ann("DELETE", &path, "").status, 204);
    // A document in the trash keeps its history, but the history is read-only.
    assert_eq!(fixture.version_numbers(&path), [3, 2, 1]);
    assert_eq!(fixture.send_as_ann("POST", &format!("{path}/history/2/restore"), "").status, 409);
    assert_eq!(
        fixture.send_as_ann("PATCH", &format!("{path}/history/2"), r#"{"name":"x"}"#).status,
        409
    );
    assert_eq!(fixture.send_as_ann("DELETE", &format!("{path}?expunge=1"), "").status, 204);
    assert_eq!(count_versions(), 0);
    assert_eq!(fixture.send_as_ann("GET", &format!("{path}/history"), "").status, 404);
}
