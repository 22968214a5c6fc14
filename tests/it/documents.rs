//! Documents as conversations: made, read, changed, drawn, thrown away.

use serde_json::Value;
use serde_json::json;

use crate::talk::Server;

/// Ann and what she says; Ben is somebody else.
struct World {
    server: Server,
    ann: String,
    ann_id: String,
    ben: String,
}

impl World {
    fn new() -> Self {
        let server = Server::new();
        let (ann, ben) = (server.person("Ann"), server.person("Ben"));
        let (ann_token, ben_token) = (server.token(&ann.id), server.token(&ben.id));
        Self { server, ann: ann_token, ann_id: ann.id.to_string(), ben: ben_token }
    }

    /// The path of a new document of Ann's.
    fn document(&self, body: &Value) -> String {
        let made = self.ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!(made.status, 200, "{}", made.text);
        path(made.json()["endpoint"].as_str().unwrap()).to_owned()
    }

    fn bar(&self) -> String {
        self.document(&json!({ "widget": "bar" }))
    }

    fn ann(&self, method: &str, path: &str, body: &str) -> crate::talk::Answer {
        self.server.ask(&self.ann, method, path, body)
    }

    fn ben(&self, method: &str, path: &str, body: &str) -> crate::talk::Answer {
        self.server.ask(&self.ben, method, path, body)
    }

    fn nobody(&self, method: &str, path: &str) -> crate::talk::Answer {
        self.server.send(method, path, &[], "")
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.ann("GET", path, "");
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// What PUT refuses, as text; the document must stay as it was.
    fn refuses(&self, path: &str, body: &str) -> String {
        let before = self.get(path);
        let answer = self.ann("PUT", path, body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!(self.get(path), before, "{body} was refused but changed something");
        answer.text
    }
}

/// The path of an address.
fn path(url: &str) -> &str {
    url.strip_prefix("http://127.0.0.1:8080").unwrap()
}

#[test]
fn a_new_document_shows_the_example_of_its_kind() {
    let world = World::new();
    let made = world.ann("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#).json();
    let document = world.get(path(made["endpoint"].as_str().unwrap()));
    assert_eq!(made["endpoint"], document["urls"]["endpoint"]);
    assert_eq!(made["document_view"], document["urls"]["document_view"]);
    assert_eq!(document["owner"], world.ann_id.as_str());
    assert_eq!(document["owner_name"], "Ann");
    assert_eq!(document["folder"], "/");
    assert_eq!(document["mode"], "w");
    assert_eq!(document["theme"], "light");
    assert_eq!(document["isPublic"], false);
    assert_eq!(document["history_version"], 1);
    assert_eq!(document["style"]["width"], 720);
    assert_eq!(document["style"]["margin"]["top"], 24);
    assert_eq!(document["data"][0]["label"], "North");
    assert_eq!(document["acl"], json!([]));
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(
        keys.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" "),
        "id owner owner_name folder plugin_id title settings data theme custom_theme style \
         isPublic version created updated updated_by history_version mode acl urls"
    );
}

#[test]
fn a_new_document_takes_folder_layout_and_template() {
    let world = World::new();
    let layout = json!({ "width": 300.5, "height": 200, "margin": { "left": 1 } });
    let first = world.document(&json!({
        "widget": "bar", "folder": "/Sales/2026", "layout": layout, "unknown": 1,
    }));
    let document = world.get(&first);
    assert_eq!(document["folder"], "/Sales/2026");
    assert_eq!(document["urls"]["parent_folder_title"], "2026");
    assert_eq!(document["style"]["width"], 300.5);
    assert_eq!(document["style"]["margin"], json!({ "left": 1 }));
    world.ann(
        "PUT",
        &first,
        r#"{"title":"Mine","data":[{"label":"A","value":1.50}],"svg":"<svg/>"}"#,
    );
    let second = world.document(&json!({ "template": document["id"], "folder": "/Sales/2026" }));
    let copy = world.ann("GET", &second, "");
    assert!(copy.text.contains(r#""data":[{"label":"A","value":1.50}]"#), "{}", copy.text);
    let copy = copy.json();
    assert_eq!(copy["title"], "Mine");
    assert_eq!(copy["svg"], "<svg/>");
    assert_ne!(copy["id"], document["id"]);
    assert_eq!(copy["history_version"], 1);
}

#[test]
fn create_names_what_is_wrong() {
    let world = World::new();
    let check = |body: Value, want: &str| {
        let answer = world.ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!((answer.status, answer.text.as_str()), (400, want), "{body}");
    };
    check(json!({}), "widget: is required when there is no template");
    check(json!({ "widget": "no" }), "widget: there is no chart kind \"no\"");
    check(
        json!({ "widget": "bar", "template": "x" }),
        "template: give either widget or template, not both",
    );
    check(json!({ "template": "x" }), "template: no such document");
    check(
        json!({ "widget": 5 }),
        "widget: invalid type: integer `5`, expected a string at line 1 column 11",
    );
    check(
        json!({ "widget": "bar", "folder": "a" }),
        "folder: must be an absolute path that begins with /",
    );
    check(
        json!({ "widget": "bar", "folder": "/a/../b" }),
        "folder: must not have . or .. as a name",
    );
    check(
        json!({ "widget": "bar", "provider": "box" }),
        "connection_id: provider and connection_id go together",
    );
    check(
        json!({ "widget": "bar", "provider": "box", "connection_id": "x" }),
        "connection_id: there is no such connection",
    );
    check(
        json!({ "widget": "bar", "layout": { "width": 9 } }),
        "layout.width: must be from 40 to 4096 points",
    );
    let nowhere = "owner: no account of this name where you may put documents";
    check(json!({ "widget": "bar", "owner": "ben" }), nowhere);
    check(json!({ "widget": "bar", "owner": "nobody" }), nowhere);
    let private = world.bar();
    let id = private.rsplit('/').next().unwrap();
    let answer =
        world.ben("POST", "/api/v1/create-document", &json!({ "template": id }).to_string());
    assert_eq!((answer.status, answer.text.as_str()), (400, "template: no such document"));
}

#[test]
fn an_organization_owns_documents_for_its_members() {
    let world = World::new();
    world.server.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
    world.server.sql(
        "insert into org (id, slug, name, plan, created) values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
    );
    world.server.sql(
        "insert into member (org_id, user_id, role, created)
         select 'Orchard1234', id, 'member', 0 from user where username = 'ann'",
    );
    let path = world.document(&json!({ "widget": "bar", "owner": "orchard" }));
    let document = world.get(&path);
    assert_eq!(document["owner"], "Orchard1234");
    assert_eq!(document["owner_name"], "Orchard");
    assert_eq!(world.get(&path.replace("Orchard1234", "orchard")), document);
    assert_eq!(world.ben("GET", &path, "").status, 404);
    let moved = world.ann("POST", &format!("{path}/move"), r#"{"owner":"me","folder":"/Own"}"#);
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(moved.json()["owner"], world.ann_id.as_str());
    assert_eq!(moved.json()["urls"]["parent_folder_title"], "Own");
}

#[test]
fn who_may_not_read_learns_nothing_and_who_may_only_read_changes_nothing() {
    let world = World::new();
    let path = world.bar();
    let absent =
        path.replace(path.rsplit('/').next().unwrap(), "01900000-0000-7000-8000-000000000000");
    assert_eq!(world.ben("GET", &path, "").status, 404);
    assert_eq!(world.ben("GET", &path, "").text, world.ben("GET", &absent, "").text);
    assert_eq!(world.ben("PUT", &path, "{}").status, 404);
    assert_eq!(world.ben("DELETE", &path, "").status, 404);
    assert_eq!(world.nobody("GET", &path).status, 401);
    assert_eq!(world.nobody("GET", &absent).status, 401);
    assert_eq!(world.nobody("GET", &format!("{path}.svg")).status, 401);

    world.ann("PUT", &path, r#"{"title":"Open","isPublic":true}"#);
    let seen = world.ben("GET", &path, "");
    assert_eq!(seen.status, 200);
    assert_eq!(seen.json()["mode"], "r");
    assert_eq!(world.nobody("GET", &path).status, 200);
    assert_eq!(world.nobody("GET", &format!("{path}.svg")).status, 200);
    for (method, suffix, body) in [
        ("PUT", "", "{}"),
        ("PATCH", "", r#"{"title":"x"}"#),
        ("DELETE", "", ""),
        ("POST", "/add-record", "{}"),
        ("POST", "/move", r#"{"folder":"/x"}"#),
        ("POST", "", r#"{"action":"restore"}"#),
        ("PUT", "/data", "[]"),
    ] {
        let answer = world.ben(method, &format!("{path}{suffix}"), body);
        assert_eq!(answer.status, 403, "{method} {suffix}: {}", answer.text);
    }
    let fork = world.ben("POST", &path, r#"{"action":"fork"}"#);
    assert_eq!(fork.status, 200, "{}", fork.text);
    assert_eq!(fork.json()["owner_name"], "Ben");
    assert_eq!(fork.json()["isPublic"], false);

    world.ann("DELETE", &path, "");
    assert_eq!(world.nobody("GET", &path).status, 401);
    assert_eq!(world.ben("GET", &path, "").status, 404);
}

#[test]
fn the_path_may_name_the_owner_or_the_caller_in_any_spelling() {
    let world = World::new();
    let path = world.bar();
    let id = path.rsplit('/').next().unwrap();
    for user in ["me", "ann", "ann%40example.org", &world.ann_id] {
        let answer = world.ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(answer.status, 200, "{user}: {}", answer.text);
    }
    for user in ["ben", "nobody"] {
        let answer = world.ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(answer.status, 404, "{user}");
    }
}

#[test]
fn put_resets_what_is_left_out_but_for_the_two_options() {
    let world = World::new();
    let path = world.bar();
    let before = world.get(&path);
    let put = world.ann("PUT", &path, r#"{"title":"New"}"#);
    assert_eq!(put.status, 200, "{}", put.text);
    let put = put.json();
    assert_eq!(put["path"], "/New");
    assert_eq!(put["urls"], before["urls"]);
    let after = world.get(&path);
    assert_eq!(put["timestamp"], after["updated"]);
    assert_eq!(after["title"], "New");
    assert_eq!(after["settings"], json!({}));
    assert_eq!(after["data"], json!([]));
    assert_eq!(after["theme"], "");
    assert_eq!(after["style"], before["style"]);
    assert_eq!(after["plugin_id"], before["plugin_id"]);
    assert_eq!(after["history_version"], 2);
    assert_eq!(after["updated_by"], world.ann_id.as_str());
    world.ann("PUT", &path, r##"{"custom_theme":{"background_color":"#123456"},"style":null}"##);
    let after = world.get(&path);
    assert_eq!(after["style"], Value::Null);
    assert_eq!(after["custom_theme"]["background_color"], "#123456");
    world.ann("PUT", &path, r#"{"custom_theme":null}"#);
    assert_eq!(world.get(&path)["custom_theme"], Value::Null);
}

#[test]
fn texts_of_json_come_back_as_they_were_sent() {
    let world = World::new();
    let path = world.bar();
    let body = r#"{ "title": "Numbers", "settings": {"b": 1.10, "a": [1e3, -0.0]}, "data": [
        {"value": 12345678901234567890.10, "label": "\u00e9\ud83d\ude00", "own": {"x": null}}, {}
    ], "style": {"own": 1.0, "width": 400.50}, "custom_theme": {"z": 2.0} }"#;
    assert_eq!(world.ann("PUT", &path, body).status, 200);
    let text = world.ann("GET", &path, "").text;
    for part in [
        r#""settings":{"b":1.10,"a":[1e3,-0.0]}"#,
        r#""data":[{"value":12345678901234567890.10,"label":"é😀","own":{"x":null}},{}]"#,
        r#""style":{"own":1.0,"width":400.50}"#,
        r#""custom_theme":{"z":2.0}"#,
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn a_round_trip_changes_nothing() {
    let world = World::new();
    let path = world.document(&json!({ "widget": "bar", "folder": "/A" }));
    world.ann("POST", &format!("{path}/add-record"), r#"{"label":"X","value":1}"#);
    let read = world.ann("GET", &path, "");
    for body in [read.text.clone(), serde_json::to_string_pretty(&read.json()).unwrap()] {
        let put = world.ann("PUT", &path, &body);
        assert_eq!(put.status, 200, "{}", put.text);
        assert_eq!(put.header("etag"), read.header("etag"));
        assert_eq!(world.ann("GET", &path, "").text, read.text);
    }
}

#[test]
fn a_version_is_written_alone() {
    let world = World::new();
    let path = world.bar();
    let before = world.get(&path);
    assert_eq!(world.ann("PUT", &path, r#"{"version":3,"title":"Lost"}"#).status, 200);
    let after = world.get(&path);
    assert_eq!(after["version"], 3);
    assert_eq!(after["title"], before["title"]);
    assert_eq!(after["data"], before["data"]);
    world.ann("PUT", &path, r#"{"title":"Whole","version":0}"#);
    assert_eq!(world.get(&path)["version"], 0);
    assert_eq!(world.get(&path)["title"], "Whole");
}

#[test]
fn put_migrates_to_another_kind() {
    let world = World::new();
    let path = world.bar();
    let mut document = world.get(&path);
    document["plugin_id"] = json!("line");
    assert_eq!(world.ann("PUT", &path, &document.to_string()).status, 200);
    let after = world.get(&path);
    assert_ne!(after["plugin_id"], json!("line"));
    assert_eq!(world.get("/api/v1/widgets/line")["id"], after["plugin_id"]);
    assert_eq!(after["data"], document["data"]);
}

#[test]
fn put_names_the_field_at_fault_and_stores_nothing() {
    let world = World::new();
    let path = world.bar();
    let check = |body: &str, want: &str| {
        let text = world.refuses(&path, body);
        assert!(text.starts_with(want), "{body}: {text}");
    };
    check(r#"{"title":5}"#, "title: ");
    check(r#"{"title":["x"]}"#, "title: ");
    check(&json!({ "title": "x".repeat(501) }).to_string(), "title: has more than 500 characters");
    check(r#"{"settings":[]}"#, "settings: must be an object");
    check(r#"{"settings":"x"}"#, "settings: must be an object");
    check(r#"{"data":{}}"#, "data: must be an array of objects");
    check(r#"{"data":[{},{},{},7]}"#, "data[3]: must be an object");
    check(r#"{"data":[{"a":"\ud800"}]}"#, "data[0]: has a \\u escape");
    check(r#"{"data":[{"a":1e999}]}"#, "data[0]: has a number that is out of range");
    check(r#"{"theme":"neon"}"#, "theme: there is no theme named \"neon\"");
    check(r#"{"theme":1}"#, "theme: ");
    check(r#"{"custom_theme":1}"#, "custom_theme: must be an object");
    check(r#"{"style":{"margin":{"top":"x"}}}"#, "style.margin.top: ");
    check(r#"{"isPublic":"yes"}"#, "isPublic: ");
    check(r#"{"version":"1"}"#, "version: ");
    check(r#"{"version":-1}"#, "version: must not be negative");
    check(r#"{"plugin_id":"nothing"}"#, "plugin_id: there is no chart kind");
    check(r#"{"owner":"ben"}"#, "owner: ");
    check("[]", "body: ");
    check("{", "body: ");
    check("nonsense", "body: ");
    let deep = format!(r#"{{"settings":{{"a":{}{}}}}}"#, "[".repeat(70), "]".repeat(70));
    check(&deep, "body: is nested deeper than 64");
}

#[test]
fn if_match_keeps_a_later_save_from_being_overwritten() {
    let world = World::new();
    let path = world.bar();
    let first = world.ann("GET", &path, "").header("etag");
    let put = |tag: &str, method: &str, body: &str| {
        let headers = [("authorization", world.ann.as_str()), ("if-match", tag)];
        world.server.send(method, &path, &headers, body)
    };
    let saved = put(&first, "PUT", r#"{"title":"One"}"#);
    assert_eq!(saved.status, 200, "{}", saved.text);
    assert_ne!(saved.header("etag"), first);
    for (method, body) in [("PUT", "{}"), ("PATCH", r#"{"title":"Two"}"#), ("DELETE", "")] {
        assert_eq!(put(&first, method, body).status, 412, "{method}");
    }
    assert_eq!(world.get(&path)["title"], "One");
    let linked = world.ann("GET", &format!("{path}?include_download_url=png"), "").header("etag");
    assert_ne!(linked, saved.header("etag"));
    assert_eq!(put(&linked, "PATCH", r#"{"title":"Two"}"#).status, 200);
}

#[test]
fn patch_moves_and_renames() {
    let world = World::new();
    let path = world.bar();
    let patched = world.ann("PATCH", &path, r#"{"folder":"/Sales/Q3","title":"North"}"#);
    assert_eq!(patched.status, 200, "{}", patched.text);
    assert_eq!(patched.json()["path"], "/Sales/Q3/North");
    let document = world.get(&path);
    assert_eq!(
        (document["folder"].as_str(), document["title"].as_str()),
        (Some("/Sales/Q3"), Some("North"))
    );
    let moved = world.ann("POST", &format!("{path}/move"), r#"{"folder":"/"}"#);
    assert_eq!(moved.json()["path"], "/North");
    assert_eq!(world.ann("POST", &format!("{path}/move"), "{}").status, 400);
    assert_eq!(world.ann("PATCH", &path, r#"{"title":7}"#).status, 400);
}

#[test]
fn delete_is_the_trash_and_expunge_is_the_end() {
    let world = World::new();
    let path = world.bar();
    assert_eq!(world.ann("DELETE", &path, "").status, 204);
    let trashed = world.get(&path);
    assert!(trashed["deleted_at"].is_string());
    assert_eq!(world.ann("DELETE", &path, "").status, 204);
    assert_eq!(world.get(&path), trashed);
    assert_eq!(world.ann("PUT", &path, "{}").status, 409);
    assert_eq!(world.ann("POST", &format!("{path}/add-record"), "{}").status, 409);
    assert_eq!(world.ann("POST", &path, r#"{"action":"restore"}"#).status, 204);
    assert_eq!(world.get(&path)["deleted_at"], Value::Null);
    assert_eq!(world.ann("DELETE", &format!("{path}?expunge=2"), "").status, 400);
    assert_eq!(world.ann("DELETE", &format!("{path}?expunge=1"), "").status, 204);
    assert_eq!(world.ann("GET", &path, "").status, 404);
    assert_eq!(world.ann("DELETE", &path, "").status, 404);
}

#[test]
fn add_record_appends_one_checked_object() {
    let world = World::new();
    let path = world.bar();
    let add = format!("{path}/add-record");
    let before = world.get(&path)["data"].as_array().unwrap().len();
    assert_eq!(world.ann("POST", &add, r#"{"label":"New","value":7.50,"own":true}"#).status, 204);
    let text = world.ann("GET", &path, "").text;
    assert!(text.contains(r#",{"label":"New","value":7.50,"own":true}],"theme""#), "{text}");
    assert_eq!(world.get(&path)["data"].as_array().unwrap().len(), before + 1);
    let check = |body: &str, want: &str| {
        let answer = world.ann("POST", &add, body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text.starts_with(want), "{body}: {}", answer.text);
    };
    check(r#"{"value":"7"}"#, "data.value: must be a number");
    check(r#"{"highlighted":1}"#, "data.highlighted: must be true or false");
    check("[]", "data: must be an object");
    check("7", "data: must be an object");
    check("", "body: must be one record");
    assert_eq!(world.get(&path)["data"].as_array().unwrap().len(), before + 1);
}

#[test]
fn many_records_come_back_whole_and_in_order() {
    let world = World::new();
    let path = world.bar();
    world.ann("PUT", &path, r#"{"data":[]}"#);
    for index in 0..300 {
        let record = json!({ "label": format!("Record {index}"), "value": index });
        let added = world.ann("POST", &format!("{path}/add-record"), &record.to_string());
        assert_eq!(added.status, 204, "{}", added.text);
    }
    let data = world.get(&path)["data"].clone();
    assert_eq!(data.as_array().unwrap().len(), 300);
    assert!((0..300).all(|it| data[it]["value"] == it));
    let mut shorter = data.clone();
    shorter.as_array_mut().unwrap().remove(200);
    world.ann("PUT", &format!("{path}/data"), &shorter.to_string());
    assert_eq!(world.get(&path)["data"], shorter);
    let records: Vec<&str> = vec!["{}"; 100_000];
    let full = format!("[{}]", records.join(","));
    assert_eq!(world.ann("PUT", &format!("{path}/data"), &full).status, 200);
    let over = world.ann("POST", &format!("{path}/add-record"), "{}");
    assert_eq!(over.status, 400);
    assert!(over.text.starts_with("data: has 100000 records already"), "{}", over.text);
    let text = world.refuses(&path, &format!(r#"{{"data":[{},{{}}]}}"#, records.join(",")));
    assert_eq!(text, "data: has more than 100000 records");
}

#[test]
fn csv_becomes_data() {
    let world = World::new();
    let path = world.bar();
    let title = world.get(&path)["title"].clone();
    let headers = [("authorization", world.ann.as_str()), ("content-type", "text/csv")];
    let table = "Region,Orders\nNorth,\"1,284\"\nSouth,640\n";
    let put = world.server.send("PUT", &format!("{path}/data"), &headers, table);
    assert_eq!(put.status, 200, "{}", put.text);
    let document = world.get(&path);
    assert_eq!(
        document["data"],
        json!([{ "label": "North", "value": 1284 }, { "label": "South", "value": 640 }])
    );
    assert_eq!(document["title"], title);
    let bad = world.server.send("PUT", &format!("{path}/data"), &headers, "a,b\n1,2,3\n");
    assert_eq!(
        (bad.status, bad.text.as_str()),
        (400, "body: has more cells than columns in line 2")
    );
    assert_eq!(world.get(&path)["data"], document["data"]);
}

#[test]
fn a_document_is_drawn_as_svg_png_and_page() {
    let world = World::new();
    let path = world.bar();
    let svg = world.ann("GET", &format!("{path}.svg?width=500&height=300&theme=dark"), "");
    assert_eq!(svg.status, 200, "{}", svg.text);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert_eq!(svg.header("cache-control"), "private, no-cache");
    assert!(svg.text.starts_with("<svg xmlns"), "{}", svg.text);
    assert!(svg.text.contains("width=\"500\" height=\"300\""));
    let png = world.ann("GET", &format!("{path}.png?scale=0.5"), "");
    assert_eq!(png.status, 200, "{}", png.text);
    assert_eq!(png.header("content-type"), "image/png");
    let page = world.ann("GET", &format!("{path}.html"), "");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").contains("frame-ancestors *"));
    assert!(page.text.contains("<svg xmlns") && page.text.contains("<td>North</td>"));
    let file = world.ann("GET", &format!("{path}.svg?download=1"), "");
    assert!(file.header("content-disposition").starts_with("attachment; filename=\""));
    let thumbnail = world.ann("GET", &format!("{path}/thumbnail.png"), "");
    assert_eq!(thumbnail.status, 200, "{}", thumbnail.text);
}

#[test]
fn odd_wishes_about_a_picture_are_refused_by_name() {
    let world = World::new();
    let path = world.bar();
    let check = |query: &str, want: &str| {
        let answer = world.ann("GET", &format!("{path}.png?{query}"), "");
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.text.starts_with(want), "{query}: {}", answer.text);
    };
    check("width=4097", "width: ");
    check("width=x", "width: ");
    check("height=0", "height: ");
    check("height=NaN", "height: ");
    check("scale=5", "scale: ");
    check("width=4096&scale=3", "scale: gives more than 8192 pixels");
    check("theme=neon", "theme: ");
    check("transparent=maybe", "transparent: ");
    check("history_version=7", "history_version: ");
}

#[test]
fn pictures_have_entity_tags_that_follow_the_document() {
    let world = World::new();
    let path = world.bar();
    for form in ["svg", "png", "html"] {
        let address = format!("{path}.{form}");
        let tag = world.ann("GET", &address, "").header("etag");
        let again = |tag: &str| {
            let headers = [("authorization", world.ann.as_str()), ("if-none-match", tag)];
            world.server.send("GET", &address, &headers, "").status
        };
        assert_eq!(again(&tag), 304, "{form}");
        assert_eq!(again("\"other\""), 200);
        assert_ne!(world.ann("GET", &format!("{address}?width=300"), "").header("etag"), tag);
        world.ann("PATCH", &path, &json!({ "title": form }).to_string());
        assert_eq!(again(&tag), 200, "{form} after a change");
    }
}

#[test]
fn a_download_address_opens_one_picture_for_a_while() {
    let world = World::new();
    let path = world.bar();
    let document = world.get(&format!("{path}?include_download_url=svg&transparent=1"));
    assert_eq!(document["background_color"], "#ffffff");
    assert_eq!(document["background_svg"], "");
    assert!(document["download_url_expires_at"].is_string());
    let address = crate::documents::path(document["download_url"].as_str().unwrap()).to_owned();
    let picture = world.nobody("GET", &address);
    assert_eq!(picture.status, 200, "{}", picture.text);
    let opaque = world.ann("GET", &format!("{path}.svg"), "").text;
    assert!(
        opaque.contains("<rect width=\"100%\"") && !picture.text.contains("<rect width=\"100%\"")
    );
    assert_eq!(world.nobody("GET", &address.replace(".svg", ".png")).status, 401);
    assert_eq!(world.nobody("GET", &format!("{address}x")).status, 401);
    assert_eq!(world.ann("GET", &format!("{path}?include_download_url=gif"), "").status, 400);

    world.server.sql("update user set disabled = 1 where username = 'ann'");
    assert_eq!(world.nobody("GET", &address).status, 401);
    world.server.sql("update user set disabled = 0 where username = 'ann'");
    assert_eq!(world.nobody("GET", &address).status, 200);
    world.server.sql("delete from node");
    assert_eq!(world.nobody("GET", &address).status, 401);
}

#[test]
fn actions_are_known_by_name() {
    let world = World::new();
    let path = world.document(&json!({ "widget": "bar", "folder": "/Here" }));
    assert_eq!(world.ann("POST", &path, r#"{"action":"close"}"#).status, 204);
    let copy = world.ann("POST", &path, r#"{"action":"duplicate"}"#);
    assert_eq!(copy.status, 200, "{}", copy.text);
    let (copy, original) = (copy.json(), world.get(&path));
    assert_ne!(copy["id"], original["id"]);
    for same in ["folder", "title", "data", "settings", "style", "plugin_id"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert_eq!(world.ann("POST", &path, r#"{"action":"explode"}"#).status, 400);
    assert_eq!(world.ann("POST", &path, r#"{"action":"fork","history_version":9}"#).status, 400);
}
