//! Tests of folders: create, move, copy, remove and restore. Ann and Ben
//! have accounts. Cid has access to neither.

mod copies;
mod large_copies;
mod moving;
mod orgs;
mod trash;

use chartroom_platform::config::Config;
use chartroom_platform::db::WriteTx;
use serde_json::Value;
use serde_json::json;

use crate::test_server::Response;
use crate::test_server::TestServer;

/// A server with the users Ann, Ben and Cid.
struct FolderFixture {
    server: TestServer,
    /// Name, account id and `Authorization` header of each user.
    users: Vec<(&'static str, String, String)>,
}

impl FolderFixture {
    fn new() -> Self {
        Self::with_config(Config::default())
    }

    fn with_config(config: Config) -> Self {
        let server = TestServer::with_config(config);
        let users = ["Ann", "Ben", "Cid"].map(|name| {
            let id = server.create_user(name).id;
            (name, id.to_string(), server.create_bearer_token(&id))
        });
        Self { server, users: users.into() }
    }

    /// Returns the account id of a user.
    fn user_id(&self, name: &str) -> &str {
        &self.users.iter().find(|user| user.0 == name).unwrap().1
    }

    /// Sends a request as a user to a path below `/api/v1`. A null body is sent as an empty one.
    fn request(&self, name: &str, method: &str, path: &str, body: Value) -> Response {
        let token = &self.users.iter().find(|user| user.0 == name).unwrap().2;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.request(token, method, &format!("/api/v1{path}"), &body)
    }

    /// Reads a path and returns the JSON. Panics unless the status is 200.
    fn get_json(&self, name: &str, path: &str) -> Value {
        let response = self.request(name, "GET", path, Value::Null);
        assert_eq!(response.status, 200, "{name} {path}: {}", response.text);
        response.json()
    }

    /// Returns the status of a GET.
    fn get_status(&self, name: &str, path: &str) -> u16 {
        self.request(name, "GET", path, Value::Null).status
    }

    /// Sends a request that must succeed, checks the tree, and returns the response.
    fn request_ok(&self, name: &str, method: &str, path: &str, body: Value) -> Response {
        let response = self.request(name, method, path, body.clone());
        assert!(response.status / 100 == 2, "{name} {method} {path} {body}: {}", response.text);
        self.check_tree_invariants();
        response
    }

    /// Sends a request that must be refused without a change of the tree. Returns status and text.
    fn expect_refused(&self, name: &str, method: &str, path: &str, body: Value) -> (u16, String) {
        let before = self.dump_nodes();
        let response = self.request(name, method, path, body.clone());
        assert!(response.status >= 400, "{name} {method} {path} {body}: {}", response.text);
        assert_eq!(self.dump_nodes(), before, "{name} {method} {path} {body} changed something");
        (response.status, response.text)
    }

    /// Creates a document with a title and returns its path without the API prefix.
    fn create_document(&self, name: &str, owner: &str, folder: &str, title: &str) -> String {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let created = self.request_ok(name, "POST", "/create-document", body).json();
        let path = created["endpoint"].as_str().unwrap();
        let path = path.strip_prefix("http://127.0.0.1:8080/api/v1").unwrap().to_owned();
        self.request_ok(name, "PATCH", &path, json!({ "title": title }));
        path
    }

    /// Shares the only folder with a title with an account, directly in the database.
    fn share_folder(&self, folder: &'static str, user_id: &str, mode: &'static str) {
        let user_id = user_id.to_owned();
        let insert_entry = move |tx: &WriteTx<'_>| {
            tx.execute(
                "insert into access_entry (id, node, type, mode, user_id, created, created_by)
                 select ?1 || ?2 || ?3, id, 'user', ?3, ?2, 0, '' from node
                 where title = ?1 and type = 'folder'",
                (folder, &user_id, mode),
            )
        };
        assert_eq!(self.server.app.db.write(insert_entry).unwrap(), 1, "{folder}");
    }

    /// Returns the entries of a list as a user sees it: folders by path, documents by title.
    fn list_names(&self, name: &str, path: &str) -> Vec<String> {
        let listing = self.get_json(name, &format!("/users/{path}?limit=100"));
        let name = |entry: &Value| match entry["type"].as_str() {
            Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
            _ => entry["document"]["title"].as_str().unwrap().to_owned(),
        };
        listing["results"].as_array().unwrap().iter().map(name).collect()
    }

    /// Returns all rows of the nodes as text.
    fn dump_nodes(&self) -> Vec<String> {
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
    fn check_tree_invariants(&self) {
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

/// Returns the keys of an object, separated by spaces.
fn join_keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the paths of the subfolders in the JSON of a folder.
fn subfolder_names(value: &Value) -> Vec<&str> {
    value["folders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|folder| folder["name"].as_str().unwrap())
        .collect()
}

#[test]
fn put_creates_a_folder_and_missing_parents() {
    let fixture = FolderFixture::new();
    let created =
        fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales/2026/Q%201", Value::Null);
    let (ann, put) = (fixture.user_id("Ann"), created.json());
    let endpoint = format!("http://127.0.0.1:8080/api/v1/users/{ann}/folders/Sales/2026/Q%201");
    assert_eq!(join_keys(&put), "name endpoint view timestamp");
    assert_eq!(put["name"], "/Sales/2026/Q 1");
    assert_eq!(put["endpoint"], endpoint);
    assert_eq!(put["view"], format!("http://127.0.0.1:8080/f/{ann}/Sales/2026/Q%201"));

    let read = fixture.request("Ann", "GET", "/users/ann/folders/Sales/2026/Q%201", Value::Null);
    let folder = read.json();
    let folder_keys =
        "name title owner created updated mode acl document_count folder_count urls folders";
    assert_eq!(join_keys(&folder), folder_keys);
    assert_eq!((&folder["name"], &folder["title"]), (&json!("/Sales/2026/Q 1"), &json!("Q 1")));
    assert_eq!((&folder["owner"], &folder["mode"]), (&json!(ann), &json!("w")));
    assert_eq!(folder["urls"]["endpoint"], endpoint);
    assert_eq!(folder["updated"], put["timestamp"]);
    assert_eq!((&folder["acl"], &folder["folders"]), (&json!([]), &json!([])));

    // A repeated request and an unchanged response sent back change nothing.
    let before = fixture.dump_nodes();
    for body in [Value::Null, json!({}), folder.clone()] {
        let repeated = fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales/2026/Q%201", body);
        assert_eq!(
            (repeated.json(), repeated.header("etag")),
            (put.clone(), created.header("etag"))
        );
    }
    assert_eq!(fixture.dump_nodes(), before);

    fixture.create_document("Ann", "me", "/Sales", "Plan");
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Archive", Value::Null);
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales/2025", Value::Null);
    let sales = fixture.get_json("Ann", "/users/me/folders/Sales");
    assert_eq!(subfolder_names(&sales), ["/Sales/2025", "/Sales/2026"]);
    assert_eq!((&sales["document_count"], &sales["folder_count"]), (&json!(1), &json!(2)));
    assert_eq!(sales["folders"][1]["folder_count"], 1);
    let root = fixture.get_json("Ann", "/users/me/folders");
    assert_eq!(subfolder_names(&root), ["/Archive", "/Sales"]);
    assert_eq!((&root["name"], &root["title"]), (&json!("/"), &json!("")));
    assert_eq!((&root["document_count"], &root["folder_count"]), (&json!(0), &json!(2)));
}

#[test]
fn invalid_folder_paths_are_refused() {
    let fixture = FolderFixture::new();
    let refused_as_ann = |method: &str, path: &str, body: Value| {
        fixture.expect_refused("Ann", method, &format!("/users/me/folders/{path}"), body)
    };
    let long_name = "x".repeat(256);
    let deep_path = vec!["a"; 33].join("/");
    let too_deep = "path: must have at most 32 nested folders";
    let too_long = "path: must not contain a name of more than 255 characters";
    for (path, expected) in [
        (long_name.as_str(), too_long),
        (&deep_path, too_deep),
        ("a/%2E%2E/b", "path: must not contain . or .. as a name"),
        ("a%2F%2Fb", "path: must not contain an empty name between two slashes"),
        ("a%07", "path: must not contain control characters"),
    ] {
        assert_eq!(refused_as_ann("PUT", path, Value::Null), (400, expected.to_owned()), "{path}");
        for method in ["GET", "DELETE"] {
            let expected = (404, "no such folder".to_owned());
            assert_eq!(refused_as_ann(method, path, Value::Null), expected, "{method} {path}");
        }
    }
    fixture.request_ok(
        "Ann",
        "PUT",
        &format!("/users/me/folders/{}", "é".repeat(255)),
        Value::Null,
    );
    fixture.request_ok(
        "Ann",
        "PUT",
        &format!("/users/me/folders/{}", &deep_path[2..]),
        Value::Null,
    );
}

#[test]
fn invalid_folder_requests_are_refused_with_the_field() {
    let fixture = FolderFixture::new();
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales", Value::Null);
    let refused_as_ann = |method: &str, path: &str, body: Value| {
        fixture.expect_refused("Ann", method, &format!("/users/me/folders/{path}"), body)
    };
    let long_name = "x".repeat(256);
    for (body, expected) in [
        (json!({ "title": "" }), "title: must not be empty"),
        (json!({ "title": "a/b" }), "title: must not contain a slash"),
        (json!({ "title": ".." }), "title: must not contain . or .. as a name"),
        (
            json!({ "title": long_name }),
            "title: must not contain a name of more than 255 characters",
        ),
        (json!({ "name": "Sales" }), "name: must be an absolute path that starts with /"),
        (json!({ "name": "/" }), "name: must not be the root"),
        (
            json!({ "name": "/Other", "title": "Third" }),
            "title: must be the last name in `name` when both change",
        ),
        (json!({ "title": 1 }), "title: invalid type: integer `1`, expected a string"),
    ] {
        let (status, text) = refused_as_ann("PUT", "Sales", body.clone());
        assert_eq!(status, 400, "{body}");
        assert!(text.starts_with(expected), "{body}: {text}");
    }
    for action in ["fork", ""] {
        let (status, text) = refused_as_ann("POST", "Sales", json!({ "action": action }));
        assert_eq!((status, text.as_str()), (400, "action: must be duplicate or restore"));
    }
    assert_eq!(refused_as_ann("DELETE", "Sales?expunge=2", Value::Null).0, 400);
}

#[test]
fn folder_without_access_looks_absent() {
    let fixture = FolderFixture::new();
    fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    let ann = fixture.user_id("Ann").to_owned();
    let expect_refused = |name: &str, method: &str, path: &str, body: &Value| {
        fixture.expect_refused(name, method, &format!("/users/{ann}/folders/{path}"), body.clone())
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
        let [existing, absent] =
            ["Sales", "Nothing"].map(|path| expect_refused("Cid", method, path, body));
        assert_eq!(existing, absent, "{method} {body}");
        assert_eq!(existing, (404, "no such folder".to_owned()));
        let path = format!("/api/v1/users/{ann}/folders/Sales");
        let headers = [("content-type", "application/json")];
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let guest = fixture.server.send(method, &path, &headers, &text);
        assert_eq!(guest.status, 401, "{method} {body}");
    }
    let unknown_account =
        fixture.expect_refused("Cid", "PUT", "/users/nobody/folders/Sales", Value::Null);
    assert_eq!(unknown_account, (404, "no such folder".to_owned()));
    assert_eq!(fixture.get_status("Cid", &format!("/users/{ann}/folders")), 404);
    assert_eq!(
        fixture.expect_refused("Cid", "DELETE", &format!("/users/{ann}/trash"), Value::Null).0,
        404
    );
}

#[test]
fn reader_of_a_folder_sees_its_content_but_cannot_change_it() {
    let fixture = FolderFixture::new();
    fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    let ann = fixture.user_id("Ann").to_owned();
    fixture.share_folder("Sales", fixture.user_id("Ben"), "r");
    let as_ben = fixture.get_json("Ben", &format!("/users/{ann}/folders/Sales"));
    assert_eq!((&as_ben["mode"], subfolder_names(&as_ben)), (&json!("r"), vec!["/Sales/2026"]));
    assert_eq!(as_ben["folders"][0]["mode"], "r");
    assert_eq!(fixture.get_status("Ben", &format!("/users/{ann}/folders")), 404);
    let reader_error = "you may read this but not change it";
    for (method, path, body) in [
        ("PUT", "Sales", json!({ "title": "Mine" })),
        ("PUT", "Sales/2026/New", Value::Null),
        ("POST", "Sales", json!({ "action": "restore" })),
        ("DELETE", "Sales", Value::Null),
        ("DELETE", "Sales/2026?expunge=1", Value::Null),
    ] {
        let path = format!("/users/{ann}/folders/{path}");
        let refused = fixture.expect_refused("Ben", method, &path, body);
        assert_eq!(refused, (403, reader_error.to_owned()), "{method} {path}");
    }
    // An entry below may grant more, and the response says so.
    fixture.share_folder("2026", fixture.user_id("Ben"), "w");
    let as_ben = fixture.get_json("Ben", &format!("/users/{ann}/folders/Sales"));
    assert_eq!(as_ben["folders"][0]["mode"], "w");
    fixture.request_ok("Ben", "PUT", &format!("/users/{ann}/folders/Sales/2026/New"), Value::Null);
}

#[test]
fn folder_entity_tag_includes_the_content_but_guards_only_the_folder() {
    let fixture = FolderFixture::new();
    fixture.create_document("Ann", "me", "/Sales", "Plan");
    let folder_path = "/users/me/folders/Sales";
    let tag = || fixture.request("Ann", "GET", folder_path, Value::Null).header("etag");
    let send_with_tag = |header: &str, tag: &str, method: &str, path: &str, body: &str| {
        let token = &fixture.users[0].2;
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            (header, tag),
        ];
        fixture.server.send(method, &format!("/api/v1{path}"), &headers, body)
    };
    let first = tag();
    assert_eq!(send_with_tag("if-none-match", &first, "GET", folder_path, "").status, 304);
    fixture.create_document("Ann", "me", "/Sales", "Forecast");
    let second = tag();
    assert_ne!(first, second);
    assert_eq!(send_with_tag("if-none-match", &first, "GET", folder_path, "").status, 200);

    let renamed = send_with_tag("if-match", &first, "PUT", folder_path, r#"{"title":"Markets"}"#);
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    let renamed_path = "/users/me/folders/Markets";
    for (method, body) in
        [("PUT", r#"{"title":"X"}"#), ("DELETE", ""), ("POST", r#"{"action":"duplicate"}"#)]
    {
        let stale = send_with_tag("if-match", &second, method, renamed_path, body);
        assert_eq!(stale.status, 412, "{method}");
        let problem: Value = serde_json::from_str(&stale.body).unwrap();
        assert_eq!(problem["etag"], renamed.header("etag"));
    }
    // A conditional request must not create the folder again.
    assert_eq!(send_with_tag("if-match", &first, "PUT", folder_path, "").status, 404);
    assert_eq!(
        send_with_tag("if-match", &renamed.header("etag"), "DELETE", renamed_path, "").status,
        204
    );
}
