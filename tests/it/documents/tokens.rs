//! Tests of URLs that open rendered images without credentials: creation, use and expiry.

use chartroom_platform::time::Timestamp;
use serde_json::Value;
use serde_json::json;

use super::World;
use super::path;

impl World {
    fn token(&self, path: &str, body: &Value) -> Value {
        let made = self.ann("POST", &format!("{path}/token"), &body.to_string());
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()
    }

    /// Returns the status that a caller without credentials gets.
    fn opens(&self, url: &Value) -> u16 {
        self.nobody("GET", path(url.as_str().unwrap())).status
    }
}

#[test]
fn a_token_opens_all_forms_or_the_one_it_names() {
    let world = World::new();
    let document = world.bar();
    let all = world.token(&document, &json!({}));
    for form in ["html", "svg", "png"] {
        let url = all["urls"][form].as_str().unwrap();
        let want = format!("{document}.{form}?token={}", all["token"].as_str().unwrap());
        assert_eq!(path(url), want);
        assert_eq!(world.opens(&all["urls"][form]), 200, "{form}");
    }
    assert_eq!(world.nobody("GET", &format!("{document}.svg")).status, 401);
    let token = all["token"].as_str().unwrap();
    let other = world.bar();
    for foreign in [
        format!("{document}?token={token}"),
        format!("{other}.svg?token={token}"),
        format!("{document}.svg?token={token}x"),
        format!("{document}.svg?token="),
    ] {
        assert_eq!(world.nobody("GET", &foreign).status, 401, "{foreign}");
    }
    let png = world.token(&document, &json!({ "type": "png", "transparent": true }));
    let keys: Vec<_> = png["urls"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["png"]);
    let token = png["token"].as_str().unwrap();
    assert_eq!(world.nobody("GET", &format!("{document}.png?token={token}")).status, 200);
    assert_eq!(world.nobody("GET", &format!("{document}.svg?token={token}")).status, 401);

    let clear = world.token(&document, &json!({ "type": "svg", "transparent": true }));
    let ground = r#"<rect width="100%" height="100%""#;
    let drawn = |url: &Value| world.nobody("GET", path(url.as_str().unwrap())).body;
    assert!(drawn(&all["urls"]["svg"]).contains(ground));
    assert!(!drawn(&clear["urls"]["svg"]).contains(ground));
}

#[test]
fn get_gives_the_newest_token_again() {
    let world = World::new();
    let document = world.bar();
    let address = format!("{document}/token");
    let get = || world.ann("GET", &address, "").json();
    let first = get();
    assert_eq!(get(), first);
    assert_eq!(world.opens(&first["urls"]["svg"]), 200);
    let made = world.token(&document, &json!({ "type": "svg", "expires_in_sec": 60 }));
    assert_eq!(get(), made);
    assert_eq!(world.opens(&first["urls"]["svg"]), 200, "an older one is not over");
    world.server.sql("update download_token set expires = 1");
    let fresh = get();
    assert!(fresh["urls"]["png"].is_string());
    assert_eq!(get(), fresh);
    // Every reader of a document gets separate tokens.
    world.ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let bens = world.ben("GET", &address, "").json();
    assert_ne!(bens["token"], fresh["token"]);
    let guest = world.nobody("GET", &address);
    assert_eq!(guest.status, 200, "{}", guest.text);
    assert_eq!(world.opens(&guest.json()["urls"]["png"]), 200);

    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let count = || {
        let sql = "select count(*) from download_token where expires = 1";
        let read = world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0)));
        read.unwrap()
    };
    crate::idempotency::until("expired tokens are forgotten", || count() == 0);
    assert_eq!(get(), fresh, "a valid one is kept");
}

#[test]
fn a_token_dies_with_its_time() {
    let world = World::new();
    let document = world.bar();
    let check = |body: Value, want: &str| {
        let answer = world.ann("POST", &format!("{document}/token"), &body.to_string());
        assert_eq!(answer.status, 400);
        assert!(answer.text.starts_with(want), "{}", answer.text);
    };
    check(json!({ "type": "gif" }), "type: must be png, svg or html");
    for seconds in [0, 86_401] {
        check(json!({ "expires_in_sec": seconds }), "expires_in_sec: must be from 1 to 86400");
    }
    check(json!({ "expires_in_sec": "x" }), "expires_in_sec: ");
    check(json!({ "transparent": 1 }), "transparent: ");
    let life = |body: Value| {
        let made = world.token(&document, &body);
        let until = Timestamp::parse_rfc3339(made["expires_at"].as_str().unwrap()).unwrap();
        (until.0 - Timestamp::now().0) / 1000
    };
    assert!((3590..=3600).contains(&life(json!({}))));
    assert!((86_390..=86_400).contains(&life(json!({ "expires_in_sec": 86_400 }))));
    let brief = world.token(&document, &json!({ "expires_in_sec": 1 }));
    crate::idempotency::until("it is over", || world.opens(&brief["urls"]["svg"]) == 401);
}

#[test]
fn a_token_dies_with_the_document_and_with_its_makers_access() {
    let world = World::new();
    let document = world.bar();
    let hers = world.token(&document, &json!({}));
    world.ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let bens = world.ben("POST", &format!("{document}/token"), "{}").json();
    let guests = world.server.send("POST", &format!("{document}/token"), &[], "").json();
    let opens = |made: &Value| world.opens(&made["urls"]["png"]);
    assert_eq!((opens(&hers), opens(&bens), opens(&guests)), (200, 200, 200));
    world.ann("PUT", &document, r#"{"title":"Closed"}"#);
    assert_eq!((opens(&hers), opens(&bens), opens(&guests)), (200, 401, 401));
    for (method, who) in [("POST", &world.ben), ("GET", &world.ben)] {
        assert_eq!(world.server.ask(who, method, &format!("{document}/token"), "").status, 404);
    }
    assert_eq!(world.nobody("GET", &format!("{document}/token")).status, 401);

    world.ann("DELETE", &document, "");
    assert_eq!(opens(&hers), 401, "in the trash");
    let none = world.ann("POST", &format!("{document}/token"), "{}");
    assert_eq!(none.status, 409, "{}", none.text);
    world.ann("POST", &document, r#"{"action":"restore"}"#);
    assert_eq!(opens(&hers), 200);
    world.server.sql("update user set disabled = 1 where username = 'ann'");
    assert_eq!(opens(&hers), 401, "a disabled maker lends nothing");
    world.server.sql("update user set disabled = 0 where username = 'ann'");
    assert_eq!(opens(&hers), 200);
    world.ann("DELETE", &format!("{document}?expunge=1"), "");
    assert_eq!(opens(&hers), 401);
    let count = "select count(*) from download_token";
    let left = world.server.app.db.read(|tx| tx.one(count, [], |row| row.get::<_, i64>(0)));
    assert_eq!(left.unwrap(), 0);
}

#[test]
fn a_share_link_lends_its_own_access_as_long_as_it_opens() {
    let world = World::new();
    let document = world.bar();
    let id = document.rsplit('/').next().unwrap().to_owned();
    let hash = chartroom_platform::crypto::sha256(b"secret-link");
    let entry = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        tx.execute(
            "insert into access_entry (id, node, type, mode, token_hash, created, created_by)
             values ('link', ?1, 'link', 'r', ?2, ?3, 'x')",
            (&id, &hash, tx.now),
        )
    };
    world.server.app.db.write(entry).unwrap();
    let by_link =
        world.server.send("POST", &format!("{document}/token?share=secret-link"), &[], "");
    assert_eq!(by_link.status, 200, "{}", by_link.text);
    let made = by_link.json();
    assert!(!by_link.text.contains("secret-link"));
    assert_eq!(world.opens(&made["urls"]["svg"]), 200);
    // Ben opens the document by link. The account alone has no access.
    let bens = world.ben("POST", &format!("{document}/token?share=secret-link"), "{}").json();
    assert_eq!(world.opens(&bens["urls"]["svg"]), 200);
    let read =
        world.nobody("GET", &format!("{document}?share=secret-link&include_download_url=png"));
    assert_eq!(world.opens(&read.json()["download_url"]), 200);

    world.server.sql("delete from access_entry");
    for made in [&made["urls"]["svg"], &bens["urls"]["svg"], &read.json()["download_url"]] {
        assert_eq!(world.opens(made), 401);
    }
}

#[test]
fn a_document_carries_an_address_of_its_picture_when_asked() {
    let world = World::new();
    let document = world.bar();
    for (form, query) in [("png", ""), ("svg", "text=embedded&")] {
        let seen = world.get(&format!("{document}?include_download_url={form}"));
        let url = path(seen["download_url"].as_str().unwrap());
        assert!(url.starts_with(&format!("{document}.{form}?{query}token=")), "{url}");
        let drawn = world.nobody("GET", url);
        let kind = if form == "png" { "image/png" } else { "image/svg+xml" };
        assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, kind));
        assert!(seen["download_url_expires_at"].is_string());
    }
    assert_eq!(world.get(&document).get("download_url"), None);
    let odd = world.ann("GET", &format!("{document}?include_download_url=html"), "");
    assert_eq!((odd.status, odd.text.as_str()), (400, "include_download_url: must be png or svg"));

    let clear = world.get(&format!("{document}?include_download_url=svg&transparent=1"));
    assert_eq!(clear["background_color"], "#ffffff");
    let drawn = world.nobody("GET", path(clear["download_url"].as_str().unwrap()));
    assert!(!drawn.body.contains(r#"<rect width="100%" height="100%""#));
    world.ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let public = world.nobody("GET", &format!("{document}?include_download_url=png")).json();
    assert_eq!(world.opens(&public["download_url"]), 200);
}

#[test]
fn a_token_goes_with_the_document_to_another_owner() {
    let world = World::new();
    world.server.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
    world.server.sql(
        "insert into org (id, slug, name, plan, created)
         values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
    );
    world.server.sql(
        "insert into member (org_id, user_id, role, created)
         select 'Orchard1234', id, 'member', 0 from user where username = 'ann'",
    );
    let document = world.bar();
    let made = world.token(&document, &json!({}));
    let moved = world.ann("PATCH", &document, r#"{"owner":"orchard"}"#);
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(world.opens(&made["urls"]["svg"]), 200);
    world.server.sql("delete from member");
    assert_eq!(world.opens(&made["urls"]["svg"]), 401);
}
