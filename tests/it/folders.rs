//! Tests of folders as sequences of requests: create, move, copy, remove and restore. Ann and Ben
//! have accounts. Cid has access to neither.

mod copies;
mod moving;
mod orgs;
mod trash;

use chartroom_platform::config::Config;
use chartroom_platform::db::WriteTx;
use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::talk::Server;

struct World {
    server: Server,
    /// Name, id and credentials of each person.
    people: Vec<(&'static str, String, String)>,
}

impl World {
    fn new() -> Self {
        Self::with(Config::default())
    }

    fn with(config: Config) -> Self {
        let server = Server::with(config);
        let people = ["Ann", "Ben", "Cid"].map(|name| {
            let id = server.person(name).id;
            (name, id.to_string(), server.token(&id))
        });
        Self { server, people: people.into() }
    }

    fn id(&self, name: &str) -> &str {
        &self.people.iter().find(|it| it.0 == name).unwrap().1
    }

    fn ask(&self, name: &str, method: &str, path: &str, body: Value) -> Answer {
        let token = &self.people.iter().find(|it| it.0 == name).unwrap().2;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.ask(token, method, &format!("/api/v1{path}"), &body)
    }

    fn get(&self, name: &str, path: &str) -> Value {
        let answer = self.ask(name, "GET", path, Value::Null);
        assert_eq!(answer.status, 200, "{name} {path}: {}", answer.text);
        answer.json()
    }

    fn status(&self, name: &str, path: &str) -> u16 {
        self.ask(name, "GET", path, Value::Null).status
    }

    /// Sends a request that must succeed and returns the response.
    fn done(&self, name: &str, method: &str, path: &str, body: Value) -> Answer {
        let answer = self.ask(name, method, path, body.clone());
        assert!(answer.status / 100 == 2, "{name} {method} {path} {body}: {}", answer.text);
        self.check_tree();
        answer
    }

    /// Sends a request that must be refused and returns status and text.
    fn refused(&self, name: &str, method: &str, path: &str, body: Value) -> (u16, String) {
        let before = self.nodes();
        let answer = self.ask(name, method, path, body.clone());
        assert!(answer.status >= 400, "{name} {method} {path} {body}: {}", answer.text);
        assert_eq!(self.nodes(), before, "{name} {method} {path} {body} changed something");
        (answer.status, answer.text)
    }

    /// Creates a document with a title and returns its path without the API prefix.
    fn document(&self, name: &str, owner: &str, folder: &str, title: &str) -> String {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let made = self.done(name, "POST", "/create-document", body).json();
        let path = made["endpoint"].as_str().unwrap();
        let path = path.strip_prefix("http://127.0.0.1:8080/api/v1").unwrap().to_owned();
        self.done(name, "PATCH", &path, json!({ "title": title }));
        path
    }

    /// Shares the only folder of a name directly in the database.
    fn share(&self, folder: &'static str, with: &str, mode: &'static str) {
        let with = with.to_owned();
        let run = move |tx: &WriteTx<'_>| {
            tx.execute(
                "insert into access_entry (id, node, type, mode, user_id, created, created_by)
                 select ?1 || ?2 || ?3, id, 'user', ?3, ?2, 0, '' from node
                 where title = ?1 and type = 'folder'",
                (folder, &with, mode),
            )
        };
        assert_eq!(self.server.app.db.write(run).unwrap(), 1, "{folder}");
    }

    /// Returns the content of a folder as a caller sees it: folders by path, documents by title.
    fn list(&self, name: &str, path: &str) -> Vec<String> {
        let listing = self.get(name, &format!("/users/{path}?limit=100"));
        let name = |entry: &Value| match entry["type"].as_str() {
            Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
            _ => entry["document"]["title"].as_str().unwrap().to_owned(),
        };
        listing["results"].as_array().unwrap().iter().map(name).collect()
    }

    /// Returns all nodes as text.
    fn nodes(&self) -> Vec<String> {
        let read = |row: &rusqlite::Row<'_>| row.get(0);
        self.server
            .app
            .db
            .read(|tx| {
                tx.all(
                    "select concat_ws(' ', id, type, owner, parent, title, deleted, trash_root,
                                      trash_path, revision, change)
                     from node order by id",
                    [],
                    read,
                )
            })
            .unwrap()
    }

    /// Checks the invariants of the tree. Every node in the trash belongs to a root in the trash.
    /// No node outside the trash has a parent in it. All ancestors have the same owner. Every node
    /// has a path to the root.
    fn check_tree(&self) {
        let count = |sql: &str| -> i64 {
            self.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
        };
        for sql in [
            "select count(*) from node where (deleted is null) <> (trash_root is null)",
            "select count(*) from node where ifnull(trash_root = id, 0) <> (trash_path is not null)",
            "select count(*) from node join node as up on up.id = node.parent
             where up.deleted is not null and node.deleted is null",
            "select count(*) from node join node as up on up.id = node.parent
             where node.trash_path is null and node.trash_root is not up.trash_root",
            "select count(*) from node join node as up on up.id = node.parent
             where up.owner <> node.owner or up.type <> 'folder'",
            "with recursive down (id) as (
                 select id from node where parent is null
                 union all
                 select node.id from down join node on node.parent = down.id)
             select (select count(*) from node) - (select count(*) from down)",
            "select count(*) from node left join document on document.id = node.id
             where (type = 'document') <> (document.id is not null)",
            "select count(*) from node join gone on gone.id = node.id",
        ] {
            assert_eq!(count(sql), 0, "{sql}");
        }
    }
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn folders(value: &Value) -> Vec<&str> {
    value["folders"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn put_makes_a_folder_and_those_above_it() {
    let world = World::new();
    let made = world.done("Ann", "PUT", "/users/me/folders/Sales/2026/Q%201", Value::Null);
    let (ann, put) = (world.id("Ann"), made.json());
    let here = format!("http://127.0.0.1:8080/api/v1/users/{ann}/folders/Sales/2026/Q%201");
    assert_eq!(keys(&put), "name endpoint view timestamp");
    assert_eq!(put["name"], "/Sales/2026/Q 1");
    assert_eq!(put["endpoint"], here);
    assert_eq!(put["view"], format!("http://127.0.0.1:8080/f/{ann}/Sales/2026/Q%201"));

    let read = world.ask("Ann", "GET", "/users/ann/folders/Sales/2026/Q%201", Value::Null);
    let folder = read.json();
    let all = "name title owner created updated mode acl document_count folder_count urls folders";
    assert_eq!(keys(&folder), all);
    assert_eq!((&folder["name"], &folder["title"]), (&json!("/Sales/2026/Q 1"), &json!("Q 1")));
    assert_eq!((&folder["owner"], &folder["mode"]), (&json!(ann), &json!("w")));
    assert_eq!(folder["urls"]["endpoint"], here);
    assert_eq!(folder["updated"], put["timestamp"]);
    assert_eq!((&folder["acl"], &folder["folders"]), (&json!([]), &json!([])));

    // A repeated request and an unchanged response sent back change nothing.
    let before = world.nodes();
    for body in [Value::Null, json!({}), folder.clone()] {
        let again = world.done("Ann", "PUT", "/users/me/folders/Sales/2026/Q%201", body);
        assert_eq!((again.json(), again.header("etag")), (put.clone(), made.header("etag")));
    }
    assert_eq!(world.nodes(), before);

    world.document("Ann", "me", "/Sales", "Plan");
    world.done("Ann", "PUT", "/users/me/folders/Archive", Value::Null);
    world.done("Ann", "PUT", "/users/me/folders/Sales/2025", Value::Null);
    let sales = world.get("Ann", "/users/me/folders/Sales");
    assert_eq!(folders(&sales), ["/Sales/2025", "/Sales/2026"]);
    assert_eq!((&sales["document_count"], &sales["folder_count"]), (&json!(1), &json!(2)));
    assert_eq!(sales["folders"][1]["folder_count"], 1);
    let root = world.get("Ann", "/users/me/folders");
    assert_eq!(folders(&root), ["/Archive", "/Sales"]);
    assert_eq!((&root["name"], &root["title"]), (&json!("/"), &json!("")));
    assert_eq!((&root["document_count"], &root["folder_count"]), (&json!(0), &json!(2)));
}

#[test]
fn names_that_cannot_be_are_refused_and_say_where() {
    let world = World::new();
    let ann = |method: &str, path: &str, body: Value| {
        world.refused("Ann", method, &format!("/users/me/folders/{path}"), body)
    };
    let long = "x".repeat(256);
    let deep = vec!["a"; 33].join("/");
    let too_deep = "path: must have at most 32 nested folders";
    let too_long = "path: must not contain a name of more than 255 characters";
    for (path, want) in [
        (long.as_str(), too_long),
        (&deep, too_deep),
        ("a/%2E%2E/b", "path: must not contain . or .. as a name"),
        ("a%2F%2Fb", "path: must not contain an empty name between two slashes"),
        ("a%07", "path: must not contain control characters"),
    ] {
        assert_eq!(ann("PUT", path, Value::Null), (400, want.to_owned()), "{path}");
        for method in ["GET", "DELETE"] {
            let want = (404, "no such folder".to_owned());
            assert_eq!(ann(method, path, Value::Null), want, "{method} {path}");
        }
    }
    world.done("Ann", "PUT", &format!("/users/me/folders/{}", "é".repeat(255)), Value::Null);
    world.done("Ann", "PUT", &format!("/users/me/folders/{}", &deep[2..]), Value::Null);

    world.done("Ann", "PUT", "/users/me/folders/Sales", Value::Null);
    for (body, want) in [
        (json!({ "title": "" }), "title: must not be empty"),
        (json!({ "title": "a/b" }), "title: must not contain a slash"),
        (json!({ "title": ".." }), "title: must not contain . or .. as a name"),
        (json!({ "title": long }), "title: must not contain a name of more than 255 characters"),
        (json!({ "name": "Sales" }), "name: must be an absolute path that starts with /"),
        (json!({ "name": "/" }), "name: must not be the root"),
        (
            json!({ "name": "/Other", "title": "Third" }),
            "title: must be the last name in `name` when both change",
        ),
        (json!({ "title": 1 }), "title: invalid type: integer `1`, expected a string"),
    ] {
        let (status, text) = ann("PUT", "Sales", body.clone());
        assert_eq!(status, 400, "{body}");
        assert!(text.starts_with(want), "{body}: {text}");
    }
    for action in ["fork", ""] {
        let (status, text) = ann("POST", "Sales", json!({ "action": action }));
        assert_eq!((status, text.as_str()), (400, "action: must be duplicate or restore"));
    }
    assert_eq!(ann("DELETE", "Sales?expunge=2", Value::Null).0, 400);
}

#[test]
fn what_is_not_for_somebody_looks_absent() {
    let world = World::new();
    world.document("Ann", "me", "/Sales/2026", "Plan");
    let ann = world.id("Ann").to_owned();
    let ask = |name: &str, method: &str, path: &str, body: &Value| {
        world.refused(name, method, &format!("/users/{ann}/folders/{path}"), body.clone())
    };
    let requests = [
        ("GET", Value::Null),
        ("PUT", Value::Null),
        ("PUT", json!({ "title": "Mine" })),
        ("POST", json!({ "action": "duplicate" })),
        ("POST", json!({ "action": "restore" })),
        ("DELETE", Value::Null),
    ];
    for (method, body) in &requests {
        let [there, absent] = ["Sales", "Nothing"].map(|path| ask("Cid", method, path, body));
        assert_eq!(there, absent, "{method} {body}");
        assert_eq!(there, (404, "no such folder".to_owned()));
        let path = format!("/api/v1/users/{ann}/folders/Sales");
        let headers = [("content-type", "application/json")];
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let nobody = world.server.send(method, &path, &headers, &text);
        assert_eq!(nobody.status, 401, "{method} {body}");
    }
    let nobodys = world.refused("Cid", "PUT", "/users/nobody/folders/Sales", Value::Null);
    assert_eq!(nobodys, (404, "no such folder".to_owned()));
    assert_eq!(world.status("Cid", &format!("/users/{ann}/folders")), 404);
    assert_eq!(world.refused("Cid", "DELETE", &format!("/users/{ann}/trash"), Value::Null).0, 404);

    // A reader sees the folder and nothing around it. A reader may copy it, but not change it.
    world.share("Sales", world.id("Ben"), "r");
    let seen = world.get("Ben", &format!("/users/{ann}/folders/Sales"));
    assert_eq!((&seen["mode"], folders(&seen)), (&json!("r"), vec!["/Sales/2026"]));
    assert_eq!(seen["folders"][0]["mode"], "r");
    assert_eq!(world.status("Ben", &format!("/users/{ann}/folders")), 404);
    let readers = "you may read this but not change it";
    for (method, path, body) in [
        ("PUT", "Sales", json!({ "title": "Mine" })),
        ("PUT", "Sales/2026/New", Value::Null),
        ("POST", "Sales", json!({ "action": "restore" })),
        ("DELETE", "Sales", Value::Null),
        ("DELETE", "Sales/2026?expunge=1", Value::Null),
    ] {
        assert_eq!(ask("Ben", method, path, &body), (403, readers.to_owned()), "{method} {path}");
    }
    // An entry below may grant more, and the response says so.
    world.share("2026", world.id("Ben"), "w");
    let seen = world.get("Ben", &format!("/users/{ann}/folders/Sales"));
    assert_eq!(seen["folders"][0]["mode"], "w");
    world.done("Ben", "PUT", &format!("/users/{ann}/folders/Sales/2026/New"), Value::Null);
}

#[test]
fn entity_tags_follow_what_is_in_a_folder_but_guard_the_folder_alone() {
    let world = World::new();
    world.document("Ann", "me", "/Sales", "Plan");
    let here = "/users/me/folders/Sales";
    let tag = || world.ask("Ann", "GET", here, Value::Null).header("etag");
    let with = |header: &str, tag: &str, method: &str, path: &str, body: &str| {
        let token = &world.people[0].2;
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            (header, tag),
        ];
        world.server.send(method, &format!("/api/v1{path}"), &headers, body)
    };
    let first = tag();
    assert_eq!(with("if-none-match", &first, "GET", here, "").status, 304);
    world.document("Ann", "me", "/Sales", "Forecast");
    let second = tag();
    assert_ne!(first, second);
    assert_eq!(with("if-none-match", &first, "GET", here, "").status, 200);

    let renamed = with("if-match", &first, "PUT", here, r#"{"title":"Markets"}"#);
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    let there = "/users/me/folders/Markets";
    for (method, body) in
        [("PUT", r#"{"title":"X"}"#), ("DELETE", ""), ("POST", r#"{"action":"duplicate"}"#)]
    {
        let stale = with("if-match", &second, method, there, body);
        assert_eq!(stale.status, 412, "{method}");
        let problem: Value = serde_json::from_str(&stale.body).unwrap();
        assert_eq!(problem["etag"], renamed.header("etag"));
    }
    // A conditional request must not create the folder again.
    assert_eq!(with("if-match", &first, "PUT", here, "").status, 404);
    assert_eq!(with("if-match", &renamed.header("etag"), "DELETE", there, "").status, 204);
}
