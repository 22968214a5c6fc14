//! Tests of nodes that others share with the caller: lists, leaving a share, visible folders, and
//! the list of shares.

use serde_json::Value;
use serde_json::json;

use super::World;

/// Returns the titles or paths of a listing's entries.
fn names(listing: &Value) -> Vec<String> {
    let name = |entry: &Value| match entry["type"].as_str() {
        Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
        _ => entry["document"]["id"].as_str().unwrap().to_owned(),
    };
    listing["results"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn ben_sees_what_is_shared_with_him_and_leaves_it() {
    let world = World::new();
    let (ann, ben) = (world.id("Ann"), world.id("Ben"));
    let doc = world.document("Ann", "me", "/Hidden");
    world.document("Ann", "me", "/Plans/May");
    assert_eq!(world.get("Ben", "/users/me/foreign-documents")["count"], 0);
    world.share("Ann", &doc.with(json!({ "user_id": ben, "mode": "w" })));
    world.share("Ann", &json!({ "owner": ann, "folder": "/Plans", "user_id": ben }));

    let documents = world.get("Ben", "/users/me/foreign-documents");
    assert_eq!((&documents["count"], &documents["limit"]), (&json!(1), &json!(10)));
    let entry = &documents["results"][0];
    assert_eq!((&entry["document"]["id"], &entry["mode"]), (&json!(doc.id), &json!("w")));
    assert_eq!((&entry["owner"]["id"], &entry["owner"]["name"]), (&json!(ann), &json!("Ann")));
    assert!(entry["shared_at"].is_string() && entry["owner"]["avatar_url"].is_string(), "{entry}");
    let folders = world.get("Ben", "/users/me/foreign-folders");
    assert_eq!(names(&folders), ["/Plans"]);
    assert_eq!(folders["results"][0]["mode"], "r");
    // A caller gets no list of another account.
    for path in ["foreign-documents", "foreign-folders", "visible-folders", "shares"] {
        assert_eq!(world.reads("Ben", &format!("/users/{ann}/{path}")), 404, "{path}");
        assert_eq!(world.reads("Ben", &format!("/users/12345/{path}")), 404, "{path}");
        assert_eq!(world.reads("", &format!("/users/{ben}/{path}")), 401, "{path}");
    }
    assert_eq!(world.get("Ann", "/users/me/foreign-documents")["count"], 0);

    let leave = format!("/users/me/foreign-documents/{ann}/{}", doc.id);
    assert_eq!(world.ask("Cid", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(world.ask("Ben", "DELETE", &leave, &Value::Null).status, 204);
    assert_eq!(world.get("Ben", "/users/me/foreign-documents")["count"], 0);
    assert_eq!(world.reads("Ben", &doc.path), 404);
    assert_eq!(world.ask("Ben", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(world.get("Ann", &doc.path)["acl"], json!([]));
    let leave = "/users/me/foreign-folders/ann@example.org/Plans";
    assert_eq!(
        world.ask("Ben", "DELETE", "/users/me/foreign-folders/ann/Hidden", &Value::Null).status,
        404
    );
    assert_eq!(world.ask("Ben", "DELETE", leave, &Value::Null).status, 204);
    assert_eq!(world.get("Ben", "/users/me/foreign-folders")["count"], 0);
}

#[test]
fn only_what_is_open_now_is_listed_once_and_in_pages() {
    let world = World::new();
    let ben = world.id("Ben");
    let docs: Vec<_> = (0..4).map(|_| world.document("Ann", "me", "/")).collect();
    for doc in &docs {
        world.share("Ann", &doc.with(json!({ "user_id": ben })));
    }
    for (doc, at) in docs.iter().zip(["1", "2", "3", "4"]) {
        world.sql("update access_entry set created = ?1 where node = ?2", &[at, &doc.id]);
    }
    let list = |query: &str| world.get("Ben", &format!("/users/me/foreign-documents{query}"));
    let ids = |numbers: &[usize]| numbers.iter().map(|it| docs[*it].id.clone()).collect::<Vec<_>>();
    assert_eq!(names(&list("")), ids(&[3, 2, 1, 0]));
    let answer =
        world.ask("Ben", "GET", "/users/me/foreign-documents?limit=2&offset=1", &Value::Null);
    assert_eq!(names(&answer.json()), ids(&[2, 1]));
    assert_eq!((answer.json()["count"].clone(), answer.headers("link").len()), (json!(4), 2));
    // The list excludes expired entries, nodes in the trash and nodes of disabled users.
    world.sql("update access_entry set expires = 1000 where node = ?1", &[&docs[0].id]);
    assert_eq!(world.ask("Ann", "DELETE", &docs[1].path, &Value::Null).status, 204);
    let shown = list("");
    assert_eq!((names(&shown), &shown["count"]), (ids(&[3, 2]), &json!(2)));
    world.sql("update user set disabled = 1 where id = ?1", &[&world.id("Ann")]);
    assert_eq!(list("")["count"], 0);
}

#[test]
fn what_a_team_shares_is_left_by_one_member_only() {
    let world = World::new();
    let doc = world.document("Ann", "acme", "/Shed");
    let team = json!({ "name": "Growers", "members": [world.id("Dan"), world.id("Ann")] });
    let team = world.ask("Ann", "POST", "/orgs/acme/teams", &team).json()["id"].clone();
    world.share("Ann", &doc.with(json!({ "team": team })));
    let count = |name: &str| world.get(name, "/users/me/foreign-documents")["count"].clone();
    assert_eq!((count("Dan"), count("Ann"), count("Ben")), (json!(1), json!(1), json!(0)));
    let leave = format!("/users/me/foreign-documents/acme/{}", doc.id);
    assert_eq!(world.ask("Ben", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(world.ask("Dan", "DELETE", &leave, &Value::Null).status, 204);
    assert_eq!((count("Dan"), count("Ann")), (json!(0), json!(1)));
    assert_eq!(world.reads("Dan", &doc.path), 200);
    // A new share adds it to the list again.
    let recipient = doc.with(json!({ "team": team }));
    assert_eq!(world.ask("Ann", "DELETE", "/share", &recipient).status, 204);
    world.share("Ann", &recipient);
    assert_eq!(count("Dan"), 1);
}

#[test]
fn visible_folders_are_a_tree_of_places() {
    let world = World::new();
    let (ann, ben) = (world.id("Ann"), world.id("Ben"));
    world.document("Ben", "me", "/Own/Deep");
    world.document("Ann", "me", "/Plans/2026/May");
    world.document("Ann", "me", "/Other");
    world.document("Ann", "acme", "/Shed");
    world.document("Ann", "acme", "/Closed/In");
    world.sql(
        "insert into team (id, org_id, name, folder, created)
         select 'closed', owner, 'Closed', id, 0 from node where title = 'Closed'",
        &[],
    );
    let folders = |name: &str| {
        let all = world.get(name, "/users/me/visible-folders");
        let line = |account: &Value| {
            let owner = &account["owner"];
            let folders = account["folders"].as_array().unwrap().iter().map(|it| {
                format!(" {}:{}", it["name"].as_str().unwrap(), it["mode"].as_str().unwrap())
            });
            format!(
                "{} {}{}",
                owner["name"].as_str().unwrap(),
                owner["type"].as_str().unwrap(),
                folders.collect::<String>()
            )
        };
        all.as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(folders("Ben"), ["Ben user /:w /Own:w /Own/Deep:w"]);
    let share = |path: &str, mode: &str| {
        world.share("Ann", &json!({ "owner": ann, "folder": path, "user_id": ben, "mode": mode }));
    };
    share("/Plans", "r");
    share("/Plans/2026", "w");
    assert_eq!(
        folders("Ben"),
        ["Ben user /:w /Own:w /Own/Deep:w", "Ann user /Plans:r /Plans/2026:w /Plans/2026/May:w",]
    );
    // Dan is in the organization, but sees the folder only if it is shared with Dan.
    assert_eq!(folders("Dan"), ["Dan user /:w", "The acme org /:w /Shed:w"]);
    let shared = json!({ "owner": "acme", "folder": "/Closed", "user_id": world.id("Dan") });
    world.share("Ann", &shared);
    assert_eq!(folders("Dan"), ["Dan user /:w", "The acme org /:w /Closed:r /Closed/In:r /Shed:w"]);
    assert_eq!(folders("Ann")[1], "The acme org /:w /Closed:w /Closed/In:w /Shed:w");
}

#[test]
fn the_ledger_has_everything_that_is_shared() {
    let world = World::new();
    let (ann, ben, cid) = (world.id("Ann"), world.id("Ben"), world.id("Cid"));
    let doc = world.document("Ann", "me", "/Plans");
    let other = world.document("Ann", "acme", "/Shed");
    let first = world.share("Ann", &doc.with(json!({ "user_id": ben, "mode": "w" })));
    let link = world.share("Ann", &json!({ "owner": ann, "folder": "/Plans" }));
    let by_ben = world.share("Ben", &doc.with(json!({ "user_id": cid })));
    let of_acme = world.share("Ann", &other.with(json!({ "user_id": cid })));
    for (ace, at) in [(&first, "1"), (&link, "2"), (&by_ben, "3"), (&of_acme, "4")] {
        world.sql(
            "update access_entry set created = ?1 where id = ?2",
            &[at, ace["id"].as_str().unwrap()],
        );
    }
    let ledger = |name: &str, path: &str| world.get(name, &format!("/users/{path}"));
    let ids = |ledger: &Value| -> Vec<Value> {
        ledger["results"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
    };
    let of = |aces: &[&Value]| aces.iter().map(|it| it["id"].clone()).collect::<Vec<_>>();
    // Ann's list: entries that Ann made, and entries that others made on Ann's nodes.
    let anns = ledger("Ann", "me/shares");
    assert_eq!(ids(&anns), of(&[&of_acme, &by_ben, &link, &first]));
    assert_eq!(anns["count"], 4);
    let entry = &anns["results"][2];
    assert_eq!(
        (&entry["title"], &entry["folder"], &entry["link"]),
        (&json!("Plans"), &json!("/Plans"), &link["link"])
    );
    assert!(entry["urls"]["view"].is_string() && entry["urls"]["endpoint"].is_string(), "{entry}");
    assert_eq!(ids(&ledger("Ann", "me/shares?limit=1&offset=1")), of(&[&by_ben]));
    assert_eq!(ids(&ledger("Ben", "me/shares")), of(&[&by_ben]));
    // Only admins see the list of an organization.
    assert_eq!(ids(&ledger("Ann", "acme/shares")), of(&[&of_acme]));
    assert_eq!(world.reads("Dan", "/users/acme/shares"), 404);
    assert_eq!(world.reads("Ben", "/users/acme/shares"), 404);
    // The list excludes entries that Ben made on nodes that Ben can no longer see.
    let recipient = doc.with(json!({ "user_id": ben }));
    assert_eq!(world.ask("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!(ledger("Ben", "me/shares")["count"], 0);
    assert_eq!(ids(&ledger("Ann", "me/shares")), of(&[&of_acme, &by_ben, &link]));
    // The list also excludes nodes in the trash.
    assert_eq!(world.ask("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    assert_eq!(ids(&ledger("Ann", "me/shares")), of(&[&of_acme, &link]));
}
