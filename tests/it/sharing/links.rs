//! Tests of links: access, expiry, and the page behind them.

use serde_json::Value;
use serde_json::json;

use super::BASE_URL;
use super::SharingFixture;
use super::join_keys;
use super::link_token;
use crate::test_server::Response;

/// Sends a GET without credentials to a URL of the server.
fn visit_page(fixture: &SharingFixture, path: &str) -> Response {
    fixture.server.send("GET", path, &[("accept", "text/html")], "")
}

/// Returns the URLs in a page.
fn find_urls(page: &str) -> Vec<String> {
    let parts = page.split('"').filter(|part| part.starts_with('/'));
    parts.map(|url| url.replace("&amp;", "&").replace("&#38;", "&")).collect()
}

#[test]
fn guest_with_a_link_reads_only_the_shared_nodes() {
    let fixture = SharingFixture::new();
    let inside = fixture.create_document("Ann", "me", "/Plans/May");
    let outside = fixture.create_document("Ann", "me", "/Other");
    let ann = fixture.user_id("Ann");
    let ace = fixture.share("Ann", &json!({ "owner": ann, "folder": "/Plans" }));
    assert_eq!(join_keys(&ace), "id type owner folder mode link pending created");
    assert_eq!((&ace["type"], &ace["mode"]), (&json!("link"), &json!("r")));
    let token = link_token(&ace);
    assert!(token.len() >= 22, "at least 128 bits: {token}");
    let with_link = |path: &str| format!("{path}?share={token}");

    assert_eq!(fixture.get_json("", &with_link(&inside.path))["mode"], "r");
    let listed = fixture.get_json("", &with_link(&format!("/users/{ann}/list/Plans")));
    assert_eq!(listed["results"][0]["folder"]["name"], "/Plans/May");
    for hidden in
        [&outside.path, &format!("/users/{ann}/list"), &format!("/users/{ann}/list/Other")]
    {
        assert_eq!(fixture.get_status("", &with_link(hidden)), 404, "{hidden}");
    }
    assert_eq!(fixture.get_status("", &inside.path), 401);
    assert_eq!(fixture.patch_status("", &inside, &format!("?share={token}")), 403);
    // The database stores only the hash.
    let stored: i64 = fixture
        .server
        .app
        .db
        .read(|tx| {
            let sql = "select count(*) from access_entry where instr(token_hash, :token) > 0";
            tx.one(sql, &[(":token", &token)], |row| row.get(0))
        })
        .unwrap();
    assert_eq!(stored, 0);

    // A write link is a separate link.
    let write_link_body = json!({ "owner": ann, "folder": "/Plans", "mode": "w" });
    let write_token = super::link_token(&fixture.share("Ann", &write_link_body));
    assert_ne!(write_token, token);
    assert_eq!(fixture.patch_status("", &inside, &format!("?share={write_token}")), 200);
    assert_eq!(fixture.patch_status("", &outside, &format!("?share={write_token}")), 404);
    // Ben's account counts together with the link.
    assert_eq!(fixture.patch_status("Ben", &inside, &format!("?share={write_token}")), 200);
    // Writers see the addresses of links again, readers do not.
    let acl = fixture.get_json("Ann", &inside.path)["acl"].clone();
    assert_eq!(acl[0]["link"], ace["link"]);
    fixture.share("Ann", &inside.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    let acl = fixture.get_json("Ben", &inside.path)["acl"].clone();
    assert_eq!((acl.as_array().unwrap().len(), &acl[0]["type"]), (1, &json!("user")));
    assert_eq!(acl[0]["link"], Value::Null);
}

#[test]
fn link_can_be_rotated_expire_and_be_revoked() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let ace =
        fixture.share("Ann", &doc.share_body(json!({ "expires_at": "2999-01-01T00:00:00Z" })));
    let first_token = link_token(&ace);
    let status = |token: &str| fixture.get_status("", &format!("{}?share={token}", doc.path));
    let page_status = |token: &str| visit_page(&fixture, &format!("/s/{token}")).status;
    assert_eq!((status(&first_token), page_status(&first_token)), (200, 200));

    // The entry has the time of its last use.
    let acl = fixture.get_json("Ann", &doc.path)["acl"].clone();
    assert!(acl[0]["last_used_at"].is_string(), "{acl}");

    let rotate = doc.share_body(json!({ "link": ace["link"], "rotate": true, "mode": "w" }));
    let rotated = fixture.request("Ann", "PATCH", "/share", &rotate).json();
    let second_token = link_token(&rotated);
    assert_eq!((&rotated["id"], &rotated["mode"]), (&ace["id"], &json!("w")));
    assert_eq!(
        (&rotated["last_used_at"], &rotated["expires_at"]),
        (&Value::Null, &ace["expires_at"])
    );
    assert_eq!((status(&first_token), page_status(&first_token)), (404, 404));
    assert_eq!((status(&second_token), page_status(&second_token)), (200, 200));
    // The old link is unknown now.
    assert_eq!(fixture.share_status_and_text("Ann", "PATCH", &rotate).0, 404);

    fixture.execute_sql("update access_entry set expires = 1000 where node = ?1", &[&doc.id]);
    assert_eq!((status(&second_token), page_status(&second_token)), (404, 404));
    let without_expiry = doc.share_body(json!({ "link": second_token, "expires_at": null }));
    assert_eq!(fixture.request("Ann", "PATCH", "/share", &without_expiry).status, 200);
    assert_eq!(status(&second_token), 200);

    let recipient = doc.share_body(json!({ "link": rotated["link"] }));
    assert_eq!(fixture.request("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!((status(&second_token), page_status(&second_token)), (404, 404));
    assert_eq!(fixture.share_status_and_text("Ann", "DELETE", &recipient).0, 404);
}

#[test]
fn link_page_of_a_chart_shows_its_image_without_scripts() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/Plans");
    let title = json!({ "title": "<script>Sales & more" });
    assert_eq!(fixture.request("Ann", "PATCH", &doc.path, &title).status, 200);
    let token = link_token(&fixture.share("Ann", &doc.share_body(json!({}))));
    let page = visit_page(&fixture, &format!("/s/{token}"));
    assert_eq!(page.status, 200);
    assert!(
        page.text.contains("<h1 class=\"hidden\">&#60;script&#62;Sales &#38; more</h1>"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("<script"), "{}", page.text);
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("script-src"), "{policy}");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("referrer-policy"), "same-origin");
    // A guest can open everything that the page loads and links to.
    let share_query = format!("share={token}");
    let shared_urls: Vec<_> =
        find_urls(&page.text).into_iter().filter(|url| url.contains(&share_query)).collect();
    assert_eq!(shared_urls.len(), 6, "{shared_urls:?}");
    for address in &shared_urls {
        assert_eq!(visit_page(&fixture, address).status, 200, "{address}");
    }
    // A signed-in user sees the same.
    let authorization = &fixture.users[1].2;
    let headers = [("authorization", authorization.as_str())];
    let signed_in_page = fixture.server.send("GET", &format!("/s/{token}"), &headers, "");
    assert!(find_urls(&signed_in_page.text).contains(&shared_urls[0]), "{}", signed_in_page.text);
}

#[test]
fn link_page_of_a_folder_links_to_everything_below_it() {
    let fixture = SharingFixture::new();
    for _ in 0..3 {
        fixture.create_document("Ann", "me", "/Plans");
    }
    let deep = fixture.create_document("Ann", "me", "/Plans/May");
    let outside = fixture.create_document("Ann", "me", "/Other");
    let link = json!({ "owner": fixture.user_id("Ann"), "folder": "/Plans" });
    let token = link_token(&fixture.share("Ann", &link));
    let page = visit_page(&fixture, &format!("/s/{token}"));
    assert_eq!(page.status, 200);
    let urls = find_urls(&page.text);
    let thumbnails: Vec<_> = urls.iter().filter(|url| url.contains("thumbnail.png")).collect();
    assert_eq!(thumbnails.len(), 3, "{urls:?}");
    assert_eq!(visit_page(&fixture, thumbnails[0]).header("content-type"), "image/png");
    let items: Vec<_> = urls.iter().filter(|url| url.contains("?item=")).collect();
    assert_eq!(items.len(), 4, "{urls:?}");
    // The inner folder comes first. It contains the chart.
    let may = visit_page(&fixture, items[0]);
    assert!(may.text.contains("<h1>May</h1>"), "{}", may.text);
    let chart = format!("/s/{token}?item={}", deep.id);
    assert!(find_urls(&may.text).contains(&chart), "{}", may.text);
    assert_eq!(visit_page(&fixture, &chart).status, 200);
    // Nodes outside the shared folder look absent.
    let outside = visit_page(&fixture, &format!("/s/{token}?item={}", outside.id));
    let absent =
        visit_page(&fixture, &format!("/s/{token}?item=01900000-0000-7000-8000-000000000000"));
    assert_eq!((outside.status, &outside.body), (404, &absent.body));
}

#[test]
fn invalid_links_are_indistinguishable() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/Plans");
    let token = link_token(&fixture.share("Ann", &doc.share_body(json!({}))));
    let unknown_token = "A".repeat(token.len());
    let unknown_page = visit_page(&fixture, &format!("/s/{unknown_token}"));
    assert_eq!(unknown_page.status, 404);
    assert!(unknown_page.text.contains("This link is not valid"), "{}", unknown_page.text);
    let stable_parts = |response: &Response| {
        let is_stable =
            |header: &&(String, String)| !["date", "x-request-id"].contains(&header.0.as_str());
        let headers: Vec<_> = response.headers.iter().filter(is_stable).cloned().collect();
        (response.status, headers, response.body.clone())
    };
    let check_looks_unknown = || {
        let page = visit_page(&fixture, &format!("/s/{token}"));
        assert_eq!(stable_parts(&page), stable_parts(&unknown_page));
        let api = fixture.request("", "GET", &format!("{}?share={token}", doc.path), &Value::Null);
        let unknown_api = fixture.request(
            "",
            "GET",
            &format!("{}?share={unknown_token}", doc.path),
            &Value::Null,
        );
        assert_eq!((api.status, api.text), (unknown_api.status, unknown_api.text));
    };
    fixture.execute_sql("update access_entry set expires = 1000 where node = ?1", &[&doc.id]);
    check_looks_unknown();
    fixture.execute_sql("update access_entry set expires = null where node = ?1", &[&doc.id]);
    assert_eq!(visit_page(&fixture, &format!("/s/{token}")).status, 200);
    assert_eq!(fixture.request("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    check_looks_unknown();
    let restore = json!({ "action": "restore" });
    assert_eq!(fixture.request("Ann", "POST", &doc.path, &restore).status, 204);
    assert_eq!(visit_page(&fixture, &format!("/s/{token}")).status, 200);
    fixture.execute_sql("update user set disabled = 1 where id = ?1", &[&fixture.user_id("Ann")]);
    check_looks_unknown();
}

#[test]
fn organization_without_public_documents_has_no_links() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "acme", "/Shed");
    let token = link_token(&fixture.share("Ann", &doc.share_body(json!({}))));
    let path_with_link = format!("{}?share={token}", doc.path);
    assert_eq!(fixture.get_status("", &path_with_link), 200);
    fixture.execute_sql(
        r#"update org set settings = '{"disable_public_documents":true}' where slug = 'acme'"#,
        &[],
    );
    assert_eq!(fixture.get_status("", &path_with_link), 404);
    assert_eq!(visit_page(&fixture, &format!("/s/{token}")).status, 404);
    let (status, text) = fixture.share_status_and_text("Ann", "POST", &doc.share_body(json!({})));
    assert_eq!(status, 403, "{text}");
    // An access entry for a person is not public access.
    fixture.share("Ann", &doc.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    assert_eq!(fixture.get_status("Ben", &doc.path), 200);
    fixture.execute_sql("update org set settings = '{}' where slug = 'acme'", &[]);
    assert_eq!(fixture.get_status("", &path_with_link), 200);
    // Nobody can share documents of a suspended organization.
    fixture.execute_sql("update org set suspended = 1 where slug = 'acme'", &[]);
    assert_eq!(fixture.share_status_and_text("Ann", "POST", &doc.share_body(json!({}))).0, 402);
}

#[test]
fn link_url_starts_with_the_base_url() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let ace = fixture.share("Ann", &doc.share_body(json!({})));
    assert!(ace["link"].as_str().unwrap().starts_with(&format!("{BASE_URL}/s/")), "{ace}");
}

#[test]
fn page_of_a_shared_folder_shows_nothing_outside_of_it() {
    let fixture = SharingFixture::new();
    let inside = fixture.create_document("Ann", "me", "/Plans/May");
    let outside = fixture.create_document("Ann", "me", "/Other");
    let invitation = json!({ "owner": fixture.user_id("Ann"), "folder": "/Plans",
                             "email": "somebody@example.org" });
    let token = link_token(&fixture.share("Ann", &invitation));
    let ben = [("authorization", fixture.users[1].2.as_str()), ("origin", BASE_URL)];
    let page = format!("/s/{token}");
    assert_eq!(fixture.server.send("POST", &page, &ben, "").status, 303);
    fixture.share("Ann", &outside.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    let status =
        |item: &str| fixture.server.send("GET", &format!("{page}?item={item}"), &ben, "").status;
    assert_eq!(fixture.server.send("GET", &page, &ben, "").status, 200);
    assert_eq!(status(&inside.id), 200);
    // Ben may read the other chart, but it is not part of the shared folder.
    assert_eq!(status(&outside.id), 404);
}
