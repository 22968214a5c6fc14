//! Tests of `POST`, `PATCH` and `DELETE /share` with users, teams and links.

use serde_json::Value;
use serde_json::json;

use super::World;
use super::keys;
use super::token;

const ENTRY: &str = "id type owner document mode user_id name email avatar_url pending created";

#[test]
fn ann_lets_ben_read_then_write_then_nothing() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let ben = world.id("Ben");
    assert_eq!(world.reads("Ben", &doc.path), 404);

    let ace = world.share("Ann", &doc.with(json!({ "user_id": ben })));
    assert_eq!(keys(&ace), ENTRY);
    assert_eq!(
        (&ace["type"], &ace["mode"], &ace["user_id"], &ace["email"], &ace["pending"]),
        (&json!("user"), &json!("r"), &json!(ben), &json!("ben@example.org"), &json!(false))
    );
    assert_eq!(world.get("Ben", &doc.path)["mode"], "r");
    assert_eq!(world.writes("Ben", &doc, ""), 403);
    // Ben sees only Ben's own entry. Ann sees all entries.
    assert_eq!(world.get("Ben", &doc.path)["acl"][0]["user_id"], json!(ben));
    assert_eq!(world.get("Ann", &doc.path)["acl"][0]["id"], ace["id"]);
    assert_eq!(world.reads("Zoe", &doc.path), 404);

    // A second share changes the existing entry.
    let again = world.share("Ann", &doc.with(json!({ "user_id": "ben", "mode": "w" })));
    assert_eq!((&again["id"], &again["mode"]), (&ace["id"], &json!("w")));
    assert_eq!(world.writes("Ben", &doc, ""), 200);
    let change = doc.with(json!({ "user_id": ben, "mode": "r" }));
    let changed = world.ask("Ann", "PATCH", "/share", &change);
    assert_eq!((changed.status, &changed.json()["mode"]), (200, &json!("r")));
    assert_eq!(world.writes("Ben", &doc, ""), 403);

    let recipient = doc.with(json!({ "user_id": ben }));
    assert_eq!(world.ask("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!(world.reads("Ben", &doc.path), 404);
    assert_eq!(world.refused("Ann", "DELETE", &recipient), (404, "no such share".to_owned()));
    assert_eq!(world.refused("Ann", "PATCH", &recipient), (404, "no such share".to_owned()));
}

#[test]
fn who_may_not_change_it_does_not_share_it() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let wish = doc.with(json!({ "user_id": world.id("Cid") }));
    let absent = json!({ "owner": doc.owner, "document": "01900000-0000-7000-8000-000000000000" });
    for method in ["POST", "PATCH", "DELETE"] {
        assert_eq!(world.ask("", method, "/share", &wish).status, 401);
        let hidden = world.refused("Ben", method, &wish);
        assert_eq!(hidden, (404, "no such document".to_owned()));
        assert_eq!(hidden, world.refused("Ben", method, &absent));
    }
    // Readers see the document, but only writers may share it.
    world.share("Ann", &doc.with(json!({ "user_id": world.id("Ben") })));
    for method in ["POST", "PATCH", "DELETE"] {
        assert_eq!(world.refused("Ben", method, &wish).0, 403);
    }
    assert_eq!(world.reads("Cid", &doc.path), 404);
    world.share("Ann", &doc.with(json!({ "user_id": world.id("Ben"), "mode": "w" })));
    world.share("Ben", &wish);
    assert_eq!(world.reads("Cid", &doc.path), 200);
    // Readers of a public document may not share it either.
    let public = world.document("Ann", "me", "/");
    world.sql("update document set is_public = 1 where id = ?1", &[&public.id]);
    let wish = public.with(json!({ "user_id": world.id("Cid") }));
    assert_eq!(world.refused("Zoe", "POST", &wish).0, 403);
    // A guest with a write link has no account, so a guest may not share.
    let link = world.share("Ann", &doc.with(json!({ "mode": "w" })));
    let path = format!("/share?share={}", token(&link));
    assert_eq!(world.ask("", "POST", &path, &doc.with(json!({}))).status, 401);
}

#[test]
fn a_folder_is_shared_with_all_that_is_below_it() {
    let world = World::new();
    let deep = world.document("Ann", "me", "/Plans/2026/May");
    let beside = world.document("Ann", "me", "/Other");
    let (ann, ben) = (world.id("Ann"), world.id("Ben"));
    let folder = json!({ "owner": ann, "folder": "/Plans", "user_id": ben });
    let ace = world.share("Ann", &folder);
    assert_eq!((&ace["folder"], &ace["document"]), (&json!("/Plans"), &Value::Null));
    assert_eq!(world.get("Ben", &deep.path)["mode"], "r");
    assert_eq!(world.reads("Ben", &beside.path), 404);
    assert_eq!(world.reads("Ben", &format!("/users/{ann}/list/Plans/2026")), 200);
    assert_eq!(world.reads("Ben", &format!("/users/{ann}/list/Other")), 404);
    assert_eq!(world.reads("Ben", &format!("/users/{ann}/list")), 404);

    // The strongest entry applies, on whichever ancestor it is.
    world.share("Ann", &deep.with(json!({ "user_id": ben, "mode": "w" })));
    assert_eq!(world.get("Ben", &deep.path)["mode"], "w");
    world.share("Ann", &deep.with(json!({ "user_id": ben, "mode": "r" })));
    let stronger = json!({ "owner": ann, "folder": "/Plans/2026", "user_id": ben, "mode": "w" });
    world.share("Ann", &stronger);
    assert_eq!(world.get("Ben", &deep.path)["mode"], "w");
    // Write access to a folder permits sharing its content, but not its surroundings.
    let cid = world.id("Cid");
    let below = json!({ "owner": ann, "folder": "/Plans/2026/May", "user_id": cid });
    world.share("Ben", &below);
    assert_eq!(world.reads("Cid", &deep.path), 200);
    let around = json!({ "owner": ann, "folder": "/Plans", "user_id": cid });
    assert_eq!(world.refused("Ben", "POST", &around).0, 403);
    assert_eq!(world.refused("Zoe", "POST", &around), (404, "no such folder".to_owned()));
    // In Ann's own list, an inherited entry names its folder.
    let acl = world.get("Ann", &deep.path)["acl"].clone();
    let on: Vec<&str> =
        acl.as_array().unwrap().iter().filter_map(|it| it["folder"].as_str()).collect();
    assert_eq!(on, ["/Plans", "/Plans/2026", "/Plans/2026/May"]);
}

#[test]
fn entries_end_at_their_time() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let ben = world.id("Ben");
    let until = json!({ "user_id": ben, "expires_at": "2999-01-01T00:00:00Z" });
    let ace = world.share("Ann", &doc.with(until));
    assert_eq!(ace["expires_at"], "2999-01-01T00:00:00.000Z");
    assert_eq!(world.reads("Ben", &doc.path), 200);
    world.sql("update access_entry set expires = 1000 where user_id = ?1", &[&ben]);
    assert_eq!(world.reads("Ben", &doc.path), 404);
    // The entry has no expiry again.
    let ever = doc.with(json!({ "user_id": ben, "expires_at": null }));
    assert_eq!(world.ask("Ann", "PATCH", "/share", &ever).json()["expires_at"], Value::Null);
    assert_eq!(world.reads("Ben", &doc.path), 200);
    let past = doc.with(json!({ "user_id": ben, "expires_at": "2001-01-01T00:00:00Z" }));
    let refused = (400, "expires_at: must be in the future".to_owned());
    assert_eq!(world.refused("Ann", "PATCH", &past), refused);
    assert_eq!(world.refused("Ann", "POST", &past), refused);
}

#[test]
fn a_team_shares_and_its_members_come_and_go() {
    let world = World::new();
    let doc = world.document("Ann", "acme", "/Closed");
    let team = json!({ "name": "Growers", "members": [] });
    let team = world.ask("Ann", "POST", "/orgs/acme/teams", &team).json()["id"].clone();
    let team = team.as_str().unwrap();
    // A folder of another team, closed to Dan.
    world.sql(
        "insert into team (id, org_id, name, folder, created)
         select 'closed', owner, 'Closed', id, 0 from node where title = 'Closed'",
        &[],
    );
    assert_eq!(world.reads("Dan", &doc.path), 404);
    let ace = world.share("Ann", &doc.with(json!({ "team": team, "mode": "w" })));
    assert_eq!(
        (&ace["type"], &ace["team"], &ace["name"]),
        (&json!("team"), &json!(team), &json!("Growers"))
    );
    assert_eq!(world.reads("Dan", &doc.path), 404);
    let dan = format!("/orgs/acme/team/{team}/member/{}", world.id("Dan"));
    assert_eq!(world.ask("Ann", "PUT", &dan, &Value::Null).status, 204);
    assert_eq!(world.writes("Dan", &doc, ""), 200);
    assert_eq!(world.ask("Ann", "DELETE", &dan, &Value::Null).status, 204);
    assert_eq!(world.reads("Dan", &doc.path), 404);
    // A document may be shared only with teams of its owner.
    let hers = world.document("Ann", "me", "/");
    assert_eq!(
        world.refused("Ann", "POST", &hers.with(json!({ "team": team }))),
        (400, "team: no such team of the owner".to_owned())
    );
    let recipient = doc.with(json!({ "team": team }));
    assert_eq!(world.ask("Ann", "DELETE", "/share", &recipient).status, 204);
}

#[test]
fn mistakes_are_named() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    let check = |method: &str, body: Value, want: &str| {
        let (status, text) = world.refused("Ann", method, &body);
        assert_eq!((status, text.as_str()), (400, want), "{body}");
    };
    check("POST", json!({ "document": doc.id }), "owner: is required");
    check("POST", json!({ "owner": "me" }), "document: is required unless folder is given");
    check(
        "POST",
        doc.with(json!({ "folder": "/" })),
        "folder: must be absent if document is given",
    );
    check(
        "POST",
        json!({ "owner": "me", "folder": "/" }),
        "folder: must not be the root, which cannot be shared",
    );
    check("POST", doc.with(json!({ "mode": "rw" })), "mode: must be r or w");
    check("POST", doc.with(json!({ "user_id": "12345" })), "user_id: no such user");
    check(
        "POST",
        doc.with(json!({ "user_id": "me" })),
        "user_id: must not be the owner, who always has access",
    );
    check(
        "POST",
        doc.with(json!({ "user_id": "1", "email": "a@example.org" })),
        "email: must be absent if user_id is given",
    );
    check("POST", doc.with(json!({ "link": "x" })), "link: must be absent when creating a link");
    check("PATCH", doc.with(json!({})), "link: is required unless user_id, email or team is given");
    check(
        "DELETE",
        doc.with(json!({})),
        "link: is required unless user_id, email or team is given",
    );
    let (status, text) = world.refused("Ann", "POST", &doc.with(json!({ "email": "nobody" })));
    assert_eq!((status, &text[..7]), (400, "email: "));
    world.share("Ann", &doc.with(json!({ "user_id": world.id("Ben") })));
    check(
        "PATCH",
        doc.with(json!({ "user_id": world.id("Ben"), "rotate": true })),
        "rotate: must be false unless the share is a link or an invitation",
    );
}

#[test]
fn document_in_trash_cannot_be_shared() {
    let world = World::new();
    let doc = world.document("Ann", "me", "/");
    world.share("Ann", &doc.with(json!({ "user_id": world.id("Ben") })));
    assert_eq!(world.ask("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    let (status, text) = world.refused("Ann", "POST", &doc.with(json!({})));
    assert_eq!(
        (status, text.as_str()),
        (409, "the document or folder is in the trash; restore it first")
    );
    assert_eq!(world.reads("Ben", &doc.path), 404);
}
