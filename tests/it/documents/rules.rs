//! Rules of creating, copying and saving documents that no other page of these conversations tells.

use serde_json::Value;
use serde_json::json;

use super::World;
use super::path;

impl World {
    /// Makes an organization of which Ann and Ben are members.
    fn orchard(&self) {
        self.server.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
        self.server.sql(
            "insert into org (id, slug, name, plan, created)
             values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
        );
        self.server.sql(
            "insert into member (org_id, user_id, role, created)
             select 'Orchard1234', id, 'member', 0 from user",
        );
    }

    fn number(&self, sql: &str) -> i64 {
        self.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
    }

    /// How many thumbnails wait to be drawn (nothing draws them here).
    fn waiting(&self) -> i64 {
        // Those of ordinary saves wait some seconds, so that saves in a row are drawn once.
        let now = chartroom_platform::time::Timestamp::now().0 + 1000;
        self.number(&format!(
            "select count(*) from task where name = 'documents.thumbnail' and run_at <= {now}"
        ))
    }
}

#[test]
fn forks_and_duplicates_are_counted_apart() {
    let world = World::new();
    let document = world.bar();
    let act = |action: &str| {
        let body = json!({ "action": action }).to_string();
        let copy = world.ann("POST", &document, &body);
        assert_eq!(copy.status, 200, "{}", copy.text);
        copy
    };
    let fork = act("fork").json();
    act("fork");
    let twin = act("duplicate");
    let read = world.ann("GET", path(twin.json()["urls"]["endpoint"].as_str().unwrap()), "");
    assert_eq!(read.text, twin.text, "a copy is answered as GET answers it");
    let id = document.rsplit('/').next().unwrap();
    let count = |action: &str| {
        let of = format!("select count(*) from copy where source = '{id}' and action = '{action}'");
        world.number(&of)
    };
    assert_eq!((count("fork"), count("duplicate")), (2, 1));
    world.ann(
        "DELETE",
        &format!("{}?expunge=1", path(fork["urls"]["endpoint"].as_str().unwrap())),
        "",
    );
    assert_eq!(count("fork"), 1, "what is gone is not counted");
}

#[test]
fn a_template_may_be_any_document_that_one_may_read() {
    let world = World::new();
    let template = world.document(&json!({ "widget": "line", "layout": { "width": 500 } }));
    let id = template.rsplit('/').next().unwrap();
    let put = json!({
        "title": "Template", "data": [{ "label": "A", "value": 1.50 }], "theme": "dark",
        "custom_theme": { "text_color": "#123456" }, "settings": { "own": 1.0 }, "isPublic": true,
    });
    world.ann("PUT", &template, &put.to_string());
    let made = world.ben("POST", "/api/v1/create-document", &json!({ "template": id }).to_string());
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json();
    let copy = world.ben("GET", path(made["endpoint"].as_str().unwrap()), "").json();
    let original = world.get(&template);
    for same in ["plugin_id", "title", "data", "theme", "custom_theme", "settings", "style"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert_eq!((&copy["owner_name"], &copy["isPublic"]), (&json!("Ben"), &json!(false)));
    assert_eq!(copy["folder"], "/");

    let body = json!({ "template": id, "layout": { "height": 222, "margin": { "top": 3 } } });
    let made = world.ben("POST", "/api/v1/create-document", &body.to_string()).json();
    let style =
        world.ben("GET", path(made["endpoint"].as_str().unwrap()), "").json()["style"].clone();
    assert_eq!((&style["width"], &style["height"]), (&json!(500), &json!(222)));
    assert_eq!(style["margin"], json!({ "top": 3 }));
    world.ann("DELETE", &template, "");
    let gone = world.ben("POST", "/api/v1/create-document", &body.to_string());
    assert_eq!(
        (gone.status, gone.text.as_str()),
        (400, "template: does not exist, or you may not read it")
    );
}

#[test]
fn put_may_move_the_document_to_another_owner() {
    let world = World::new();
    world.orchard();
    let document = world.document(&json!({ "widget": "bar", "folder": "/Here" }));
    let id = document.rsplit('/').next().unwrap();
    let put = |owner: &str| {
        world.ann(
            "PUT",
            &format!("/api/v1/users/me/documents/{id}"),
            &json!({ "title": "T", "owner": owner }).to_string(),
        )
    };
    let refused = put("nobody");
    let want = "owner: must be an account to which you may add documents";
    assert_eq!((refused.status, refused.text.as_str()), (400, want));
    assert_eq!(put("ben").text, want);
    assert_eq!(world.get(&document)["folder"], "/Here");
    let moved = put("orchard");
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(moved.json()["path"], "/T");
    let endpoint = moved.json()["urls"]["endpoint"].clone();
    let endpoint = path(endpoint.as_str().unwrap()).to_owned();
    assert_eq!(endpoint, format!("/api/v1/users/Orchard1234/documents/{id}"));
    let seen = world.ben("GET", &endpoint, "").json();
    assert_eq!((&seen["owner"], &seen["folder"]), (&json!("Orchard1234"), &json!("/")));
    // Sent back by a member, the owner is no wish to move it.
    assert_eq!(world.ben("PUT", &endpoint, &seen.to_string()).status, 200);
    assert_eq!(world.ben("GET", &endpoint, "").json(), seen);
}

#[test]
fn closing_and_the_last_save_have_a_thumbnail_made() {
    let world = World::new();
    let document = world.bar();
    assert_eq!(world.waiting(), 0, "a new document's waits for the first changes");
    assert_eq!(world.number("select count(*) from task where name = 'documents.thumbnail'"), 1);
    let forget = || world.server.sql("delete from task");
    forget();
    let put = |body: Value| assert_eq!(world.ann("PUT", &document, &body.to_string()).status, 200);
    put(json!({ "title": "A", "isPublic": true }));
    put(json!({ "title": "B", "isPublic": true, "final_save": false }));
    assert_eq!(world.waiting(), 0, "an ordinary save does not at once");
    put(json!({ "title": "C", "isPublic": true, "final_save": true }));
    assert_eq!(world.waiting(), 1);
    forget();
    assert_eq!(world.ann("POST", &document, r#"{"action":"close"}"#).status, 204);
    assert_eq!(world.waiting(), 1);
    forget();
    assert_eq!(
        world.ben("POST", &document, r#"{"action":"close"}"#).status,
        204,
        "readers close too"
    );
    let before = world.get(&document);
    put(json!({ "version": 3, "title": "Ignored", "final_save": true }));
    let after = world.get(&document);
    assert_eq!((&after["version"], &after["title"]), (&json!(3), &before["title"]));
    assert_eq!(after["history_version"], before["history_version"]);
    assert_eq!(world.ann("PUT", &document, r#"{"version":-1}"#).status, 400);
    put(json!({ "title": "D" }));
    assert_eq!(world.get(&document)["version"], 0, "left out, it is reset with everything");
}
