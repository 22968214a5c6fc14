//! Tests of links: access, expiry, and the page behind them.

use serde_json::Value;
use serde_json::json;

use super::BASE;
use super::World;
use super::keys;
use super::token;
use crate::talk::Answer;

/// Sends a GET without credentials to a URL of the server.
fn visit(world: &World, path: &str) -> Answer {
    world.server.send("GET", path, &[("accept", "text/html")], "")
}

/// Returns the URLs in a page.
fn addresses(page: &str) -> Vec<String> {
    let parts = page.split('"').filter(|it| it.starts_with('/'));
    parts.map(|it| it.replace("&amp;", "&").replace("&#38;", "&")).collect()
}

#[test]
fn a_guest_with_a_link_reads_what_it_is_for_and_nothing_else() {
    let world = World::new();
    let inside = world.document("Ann", "me", "/Plans/May");
    let outside = world.document("Ann", "me", "/Other");
    let ann = world.id("Ann");
    let ace = world.share("Ann", &json!({ "owner": ann, "folder": "/Plans" }));
    assert_eq!(keys(&ace), "id type owner folder mode link pending created");
    assert_eq!((&ace["type"], &ace["mode"]), (&json!("link"), &json!("r")));
    let token = token(&ace);
    assert!(token.len() >= 22, "at least 128 bits: {token}");
    let at = |path: &str| format!("{path}?share={token}");

    assert_eq!(world.get("", &at(&inside.path))["mode"], "r");
    let listed = world.get("", &at(&format!("/users/{ann}/list/Plans")));
    assert_eq!(listed["results"][0]["folder"]["name"], "/Plans/May");
    for hidden in
        [&outside.path, &format!("/users/{ann}/list"), &format!("/users/{ann}/list/Other")]
    {
        assert_eq!(world.reads("", &at(hidden)), 404, "{hidden}");
    }
    assert_eq!(world.reads("", &inside.path), 401);
    assert_eq!(world.writes("", &inside, &format!("?share={token}")), 403);
    // The database stores only the hash.
    let stored: i64 = world
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
    let wish = json!({ "owner": ann, "folder": "/Plans", "mode": "w" });
    let writes = super::token(&world.share("Ann", &wish));
    assert_ne!(writes, token);
    assert_eq!(world.writes("", &inside, &format!("?share={writes}")), 200);
    assert_eq!(world.writes("", &outside, &format!("?share={writes}")), 404);
    // Ben's account counts together with the link.
    assert_eq!(world.writes("Ben", &inside, &format!("?share={writes}")), 200);
    // Writers see the addresses of links again, readers do not.
    let acl = world.get("Ann", &inside.path)["acl"].clone();
    assert_eq!(acl[0]["link"], ace["link"]);
    world.share("Ann", &inside.with(json!({ "user_id": world.id("Ben") })));
    let acl = world.get("Ben", &inside.path)["acl"].clone();
    assert_eq!((acl.as_array().unwrap().len(), &acl[0]["type"]), (1, &json!("user")));
    assert_eq!(acl[0]["link"], Value::Null);
}

#[test]
fn links_are_rotated_limited_and_revoked() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let ace = world.share("Ann", &doc.with(json!({ "expires_at": "2999-01-01T00:00:00Z" })));
    let first = token(&ace);
    let status = |token: &str| world.reads("", &format!("{}?share={token}", doc.path));
    let page = |token: &str| visit(&world, &format!("/s/{token}")).status;
    assert_eq!((status(&first), page(&first)), (200, 200));

    // The entry has the time of its last use.
    let acl = world.get("Ann", &doc.path)["acl"].clone();
    assert!(acl[0]["last_used_at"].is_string(), "{acl}");

    let rotate = doc.with(json!({ "link": ace["link"], "rotate": true, "mode": "w" }));
    let rotated = world.ask("Ann", "PATCH", "/share", &rotate).json();
    let second = token(&rotated);
    assert_eq!((&rotated["id"], &rotated["mode"]), (&ace["id"], &json!("w")));
    assert_eq!(
        (&rotated["last_used_at"], &rotated["expires_at"]),
        (&Value::Null, &ace["expires_at"])
    );
    assert_eq!((status(&first), page(&first)), (404, 404));
    assert_eq!((status(&second), page(&second)), (200, 200));
    // The old link is unknown now.
    assert_eq!(world.refused("Ann", "PATCH", &rotate).0, 404);

    world.sql("update access_entry set expires = 1000 where node = ?1", &[&doc.id]);
    assert_eq!((status(&second), page(&second)), (404, 404));
    let ever = doc.with(json!({ "link": second, "expires_at": null }));
    assert_eq!(world.ask("Ann", "PATCH", "/share", &ever).status, 200);
    assert_eq!(status(&second), 200);

    let recipient = doc.with(json!({ "link": rotated["link"] }));
    assert_eq!(world.ask("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!((status(&second), page(&second)), (404, 404));
    assert_eq!(world.refused("Ann", "DELETE", &recipient).0, 404);
}

#[test]
fn the_page_of_a_chart_shows_its_picture_without_scripts() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/Plans");
    let title = json!({ "title": "<script>Sales & more" });
    assert_eq!(world.ask("Ann", "PATCH", &doc.path, &title).status, 200);
    let token = token(&world.share("Ann", &doc.with(json!({}))));
    let page = visit(&world, &format!("/s/{token}"));
    assert_eq!(page.status, 200);
    assert!(page.text.contains("<h1>&#60;script&#62;Sales &#38; more</h1>"), "{}", page.text);
    assert!(!page.text.contains("<script"), "{}", page.text);
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("script-src"), "{policy}");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("referrer-policy"), "same-origin");
    // A guest can open everything that the page loads and links to.
    let shared = format!("share={token}");
    let found: Vec<_> =
        addresses(&page.text).into_iter().filter(|it| it.contains(&shared)).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    for address in &found {
        assert_eq!(visit(&world, address).status, 200, "{address}");
    }
    // A signed-in user sees the same.
    let authorization = &world.people[1].2;
    let again = [("authorization", authorization.as_str())];
    let again = world.server.send("GET", &format!("/s/{token}"), &again, "");
    assert!(addresses(&again.text).contains(&found[0]), "{}", again.text);
}

#[test]
fn the_page_of_a_folder_leads_to_everything_below_it() {
    let world = World::new();
    for _ in 0..3 {
        world.document("Ann", "me", "/Plans");
    }
    let deep = world.document("Ann", "me", "/Plans/May");
    let outside = world.document("Ann", "me", "/Other");
    let link = json!({ "owner": world.id("Ann"), "folder": "/Plans" });
    let token = token(&world.share("Ann", &link));
    let page = visit(&world, &format!("/s/{token}"));
    assert_eq!(page.status, 200);
    let found = addresses(&page.text);
    let pictures: Vec<_> = found.iter().filter(|it| it.contains("thumbnail.png")).collect();
    assert_eq!(pictures.len(), 3, "{found:?}");
    assert_eq!(visit(&world, pictures[0]).header("content-type"), "image/png");
    let items: Vec<_> = found.iter().filter(|it| it.contains("?item=")).collect();
    assert_eq!(items.len(), 4, "{found:?}");
    // The inner folder comes first. It contains the chart.
    let may = visit(&world, items[0]);
    assert!(may.text.contains("<h1>May</h1>"), "{}", may.text);
    let chart = format!("/s/{token}?item={}", deep.id);
    assert!(addresses(&may.text).contains(&chart), "{}", may.text);
    assert_eq!(visit(&world, &chart).status, 200);
    // Nodes outside the shared folder look absent.
    let outside = visit(&world, &format!("/s/{token}?item={}", outside.id));
    let absent = visit(&world, &format!("/s/{token}?item=01900000-0000-7000-8000-000000000000"));
    assert_eq!((outside.status, &outside.body), (404, &absent.body));
}

#[test]
fn links_that_open_nothing_all_look_the_same() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/Plans");
    let token = token(&world.share("Ann", &doc.with(json!({}))));
    let never = "A".repeat(token.len());
    let dead = visit(&world, &format!("/s/{never}"));
    assert_eq!(dead.status, 404);
    assert!(dead.text.contains("This link is not valid"), "{}", dead.text);
    let face = |answer: &Answer| {
        let plain = |it: &&(String, String)| !["date", "x-request-id"].contains(&it.0.as_str());
        let headers: Vec<_> = answer.headers.iter().filter(plain).cloned().collect();
        (answer.status, headers, answer.body.clone())
    };
    let looks_dead = || {
        let page = visit(&world, &format!("/s/{token}"));
        assert_eq!(face(&page), face(&dead));
        let api = world.ask("", "GET", &format!("{}?share={token}", doc.path), &Value::Null);
        let other = world.ask("", "GET", &format!("{}?share={never}", doc.path), &Value::Null);
        assert_eq!((api.status, api.text), (other.status, other.text));
    };
    world.sql("update access_entry set expires = 1000 where node = ?1", &[&doc.id]);
    looks_dead();
    world.sql("update access_entry set expires = null where node = ?1", &[&doc.id]);
    assert_eq!(visit(&world, &format!("/s/{token}")).status, 200);
    assert_eq!(world.ask("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    looks_dead();
    let restore = json!({ "action": "restore" });
    assert_eq!(world.ask("Ann", "POST", &doc.path, &restore).status, 204);
    assert_eq!(visit(&world, &format!("/s/{token}")).status, 200);
    world.sql("update user set disabled = 1 where id = ?1", &[&world.id("Ann")]);
    looks_dead();
}

#[test]
fn an_organization_that_lets_nothing_be_public_has_no_links() {
    let world = World::new();
    let doc = world.document("Ann", "acme", "/Shed");
    let token = token(&world.share("Ann", &doc.with(json!({}))));
    let shared = format!("{}?share={token}", doc.path);
    assert_eq!(world.reads("", &shared), 200);
    world.sql(
        r#"update org set settings = '{"disable_public_documents":true}' where slug = 'acme'"#,
        &[],
    );
    assert_eq!(world.reads("", &shared), 404);
    assert_eq!(visit(&world, &format!("/s/{token}")).status, 404);
    let (status, text) = world.refused("Ann", "POST", &doc.with(json!({})));
    assert_eq!(status, 403, "{text}");
    // An access entry for a person is not public access.
    world.share("Ann", &doc.with(json!({ "user_id": world.id("Ben") })));
    assert_eq!(world.reads("Ben", &doc.path), 200);
    world.sql("update org set settings = '{}' where slug = 'acme'", &[]);
    assert_eq!(world.reads("", &shared), 200);
    // Nobody can share documents of a suspended organization.
    world.sql("update org set suspended = 1 where slug = 'acme'", &[]);
    assert_eq!(world.refused("Ann", "POST", &doc.with(json!({}))).0, 402);
}

#[test]
fn links_are_told_under_the_address_of_the_server() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let ace = world.share("Ann", &doc.with(json!({})));
    assert!(ace["link"].as_str().unwrap().starts_with(&format!("{BASE}/s/")), "{ace}");
}
