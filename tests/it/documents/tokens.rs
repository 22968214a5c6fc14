//! Tests of URLs that open rendered images without credentials: creation, use and expiry.

use chartroom_platform::time::Timestamp;
use serde_json::Value;
use serde_json::json;

use super::DocumentFixture;
use super::url_path;

impl DocumentFixture {
    /// Creates a download token as Ann and returns the response.
    fn create_download_token(&self, path: &str, body: &Value) -> Value {
        let created = self.send_as_ann("POST", &format!("{path}/token"), &body.to_string());
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()
    }

    /// Returns the status of a GET without credentials.
    fn status_as_guest(&self, url: &Value) -> u16 {
        self.send_as_guest("GET", url_path(url.as_str().unwrap())).status
    }
}

#[test]
fn token_opens_all_formats_or_the_requested_one() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let unrestricted = fixture.create_download_token(&document, &json!({}));
    for format in ["html", "svg", "png", "pdf"] {
        let url = unrestricted["urls"][format].as_str().unwrap();
        let expected =
            format!("{document}.{format}?token={}", unrestricted["token"].as_str().unwrap());
        assert_eq!(url_path(url), expected);
        assert_eq!(fixture.status_as_guest(&unrestricted["urls"][format]), 200, "{format}");
    }
    assert_eq!(fixture.send_as_guest("GET", &format!("{document}.svg")).status, 401);
    let token = unrestricted["token"].as_str().unwrap();
    let other = fixture.create_bar_chart();
    for refused_path in [
        format!("{document}?token={token}"),
        format!("{other}.svg?token={token}"),
        format!("{document}.svg?token={token}x"),
        format!("{document}.svg?token="),
    ] {
        assert_eq!(fixture.send_as_guest("GET", &refused_path).status, 401, "{refused_path}");
    }
    let png =
        fixture.create_download_token(&document, &json!({ "type": "png", "transparent": true }));
    let keys: Vec<_> = png["urls"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["png"]);
    let token = png["token"].as_str().unwrap();
    assert_eq!(fixture.send_as_guest("GET", &format!("{document}.png?token={token}")).status, 200);
    for refused in ["svg", "pdf"] {
        let path = format!("{document}.{refused}?token={token}");
        assert_eq!(fixture.send_as_guest("GET", &path).status, 401, "{refused}");
    }

    let transparent =
        fixture.create_download_token(&document, &json!({ "type": "svg", "transparent": true }));
    let background = r#"<rect width="100%" height="100%""#;
    let get_image =
        |url: &Value| fixture.send_as_guest("GET", url_path(url.as_str().unwrap())).body;
    assert!(get_image(&unrestricted["urls"]["svg"]).contains(background));
    assert!(!get_image(&transparent["urls"]["svg"]).contains(background));
}

#[test]
fn get_returns_the_newest_valid_token() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let address = format!("{document}/token");
    let get_token = || fixture.send_as_ann("GET", &address, "").json();
    let first = get_token();
    assert_eq!(get_token(), first);
    assert_eq!(fixture.status_as_guest(&first["urls"]["svg"]), 200);
    let created =
        fixture.create_download_token(&document, &json!({ "type": "svg", "expires_in_sec": 60 }));
    assert_eq!(get_token(), created);
    assert_eq!(fixture.status_as_guest(&first["urls"]["svg"]), 200, "an older token stays valid");
    fixture.server.execute_sql("update download_token set expires = 1");
    let renewed = get_token();
    assert!(renewed["urls"]["png"].is_string());
    assert_eq!(get_token(), renewed);
    // Every reader of a document gets separate tokens.
    fixture.send_as_ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let bens_token = fixture.send_as_ben("GET", &address, "").json();
    assert_ne!(bens_token["token"], renewed["token"]);
    let guest = fixture.send_as_guest("GET", &address);
    assert_eq!(guest.status, 200, "{}", guest.text);
    assert_eq!(fixture.status_as_guest(&guest.json()["urls"]["png"]), 200);

    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let count = || {
        let sql = "select count(*) from download_token where expires = 1";
        let read = fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0)));
        read.unwrap()
    };
    crate::idempotency::wait_until("expired tokens are removed", || count() == 0);
    assert_eq!(get_token(), renewed, "a valid token is kept");
}

#[test]
fn token_expires_after_the_requested_time() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let check = |body: Value, expected: &str| {
        let response = fixture.send_as_ann("POST", &format!("{document}/token"), &body.to_string());
        assert_eq!(response.status, 400);
        assert!(response.text.starts_with(expected), "{}", response.text);
    };
    // A PDF needs a token for all formats.
    for unknown in ["gif", "pdf"] {
        check(json!({ "type": unknown }), "type: must be png, svg or html");
    }
    for seconds in [0, 86_401] {
        check(json!({ "expires_in_sec": seconds }), "expires_in_sec: must be from 1 to 86400");
    }
    check(json!({ "expires_in_sec": "x" }), "expires_in_sec: ");
    check(json!({ "transparent": 1 }), "transparent: ");
    let lifetime_seconds = |body: Value| {
        let created = fixture.create_download_token(&document, &body);
        let expires_at = Timestamp::parse_rfc3339(created["expires_at"].as_str().unwrap()).unwrap();
        (expires_at.0 - Timestamp::now().0) / 1000
    };
    assert!((3590..=3600).contains(&lifetime_seconds(json!({}))));
    assert!((86_390..=86_400).contains(&lifetime_seconds(json!({ "expires_in_sec": 86_400 }))));
    let short_lived = fixture.create_download_token(&document, &json!({ "expires_in_sec": 1 }));
    crate::idempotency::wait_until("the token expires", || {
        fixture.status_as_guest(&short_lived["urls"]["svg"]) == 401
    });
}

#[test]
fn token_ends_with_the_document_and_with_the_access_of_its_creator() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let anns_token = fixture.create_download_token(&document, &json!({}));
    fixture.send_as_ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let bens_token = fixture.send_as_ben("POST", &format!("{document}/token"), "{}").json();
    let guest_token = fixture.server.send("POST", &format!("{document}/token"), &[], "").json();
    let png_status = |created: &Value| fixture.status_as_guest(&created["urls"]["png"]);
    assert_eq!(
        (png_status(&anns_token), png_status(&bens_token), png_status(&guest_token)),
        (200, 200, 200)
    );
    fixture.send_as_ann("PUT", &document, r#"{"title":"Closed"}"#);
    assert_eq!(
        (png_status(&anns_token), png_status(&bens_token), png_status(&guest_token)),
        (200, 401, 401)
    );
    for (method, authorization) in [("POST", &fixture.ben_auth), ("GET", &fixture.ben_auth)] {
        assert_eq!(
            fixture.server.request(authorization, method, &format!("{document}/token"), "").status,
            404
        );
    }
    assert_eq!(fixture.send_as_guest("GET", &format!("{document}/token")).status, 401);

    fixture.send_as_ann("DELETE", &document, "");
    assert_eq!(png_status(&anns_token), 401, "in the trash");
    let for_trashed = fixture.send_as_ann("POST", &format!("{document}/token"), "{}");
    assert_eq!(for_trashed.status, 409, "{}", for_trashed.text);
    fixture.send_as_ann("POST", &document, r#"{"action":"restore"}"#);
    assert_eq!(png_status(&anns_token), 200);
    fixture.server.execute_sql("update user set disabled = 1 where username = 'ann'");
    assert_eq!(png_status(&anns_token), 401, "a token of a disabled user is invalid");
    fixture.server.execute_sql("update user set disabled = 0 where username = 'ann'");
    assert_eq!(png_status(&anns_token), 200);
    fixture.send_as_ann("DELETE", &format!("{document}?expunge=1"), "");
    assert_eq!(png_status(&anns_token), 401);
    let count = "select count(*) from download_token";
    let token_count =
        fixture.server.app.db.read(|tx| tx.one(count, [], |row| row.get::<_, i64>(0)));
    assert_eq!(token_count.unwrap(), 0);
}

#[test]
fn token_from_a_share_link_works_as_long_as_the_link() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let id = document.rsplit('/').next().unwrap().to_owned();
    let hash = chartroom_platform::crypto::sha256(b"secret-link");
    let insert_entry = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        tx.execute(
            "insert into access_entry (id, node, type, mode, token_hash, created, created_by)
             values ('link', ?1, 'link', 'r', ?2, ?3, 'x')",
            (&id, &hash, tx.now),
        )
    };
    fixture.server.app.db.write(insert_entry).unwrap();
    let by_link =
        fixture.server.send("POST", &format!("{document}/token?share=secret-link"), &[], "");
    assert_eq!(by_link.status, 200, "{}", by_link.text);
    let created = by_link.json();
    assert!(!by_link.text.contains("secret-link"));
    assert_eq!(fixture.status_as_guest(&created["urls"]["svg"]), 200);
    // Ben opens the document by link. The account alone has no access.
    let bens_token =
        fixture.send_as_ben("POST", &format!("{document}/token?share=secret-link"), "{}").json();
    assert_eq!(fixture.status_as_guest(&bens_token["urls"]["svg"]), 200);
    let read = fixture
        .send_as_guest("GET", &format!("{document}?share=secret-link&include_download_url=png"));
    assert_eq!(fixture.status_as_guest(&read.json()["download_url"]), 200);

    fixture.server.execute_sql("delete from access_entry");
    for created in
        [&created["urls"]["svg"], &bens_token["urls"]["svg"], &read.json()["download_url"]]
    {
        assert_eq!(fixture.status_as_guest(created), 401);
    }
}

#[test]
fn document_contains_a_download_url_on_request() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    for (format, query) in [("png", ""), ("svg", "text=embedded&")] {
        let with_url = fixture.get_json(&format!("{document}?include_download_url={format}"));
        let url = url_path(with_url["download_url"].as_str().unwrap());
        assert!(url.starts_with(&format!("{document}.{format}?{query}token=")), "{url}");
        let image = fixture.send_as_guest("GET", url);
        let content_type = if format == "png" { "image/png" } else { "image/svg+xml" };
        assert_eq!((image.status, image.header("content-type").as_str()), (200, content_type));
        assert!(with_url["download_url_expires_at"].is_string());
    }
    assert_eq!(fixture.get_json(&document).get("download_url"), None);
    let invalid = fixture.send_as_ann("GET", &format!("{document}?include_download_url=html"), "");
    assert_eq!(
        (invalid.status, invalid.text.as_str()),
        (400, "include_download_url: must be png or svg")
    );

    let transparent =
        fixture.get_json(&format!("{document}?include_download_url=svg&transparent=1"));
    assert_eq!(transparent["background_color"], "#ffffff");
    let image =
        fixture.send_as_guest("GET", url_path(transparent["download_url"].as_str().unwrap()));
    assert!(!image.body.contains(r#"<rect width="100%" height="100%""#));
    fixture.send_as_ann("PUT", &document, r#"{"title":"Open","isPublic":true}"#);
    let public =
        fixture.send_as_guest("GET", &format!("{document}?include_download_url=png")).json();
    assert_eq!(fixture.status_as_guest(&public["download_url"]), 200);
}

#[test]
fn token_stays_valid_if_the_owner_changes() {
    let fixture = DocumentFixture::new();
    fixture
        .server
        .execute_sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
    fixture.server.execute_sql(
        "insert into org (id, slug, name, plan, created)
         values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
    );
    fixture.server.execute_sql(
        "insert into member (org_id, user_id, role, created)
         select 'Orchard1234', id, 'member', 0 from user where username = 'ann'",
    );
    let document = fixture.create_bar_chart();
    let created = fixture.create_download_token(&document, &json!({}));
    let moved = fixture.send_as_ann("PATCH", &document, r#"{"owner":"orchard"}"#);
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(fixture.status_as_guest(&created["urls"]["svg"]), 200);
    fixture.server.execute_sql("delete from member");
    assert_eq!(fixture.status_as_guest(&created["urls"]["svg"]), 401);
}
