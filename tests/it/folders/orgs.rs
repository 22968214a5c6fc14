//! Tests of folders of an organization and of its teams. Ann is the admin. Ben is in the team. Dan
//! is another member. Cid is a stranger.

use chartroom::features::orgs;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use super::World;
use super::folders;
use crate::orgs::add;
use crate::orgs::make;

/// Creates the organization with the team Sales, and adds Dan to it.
fn acme() -> (World, Org) {
    let mut world = World::new();
    let org = make(&world.server, "acme", Seats::Unlimited);
    let dan = world.server.person("Dan").id;
    world.people.push(("Dan", dan.to_string(), world.server.token(&dan)));
    for (name, role) in [("Ann", Role::Admin), ("Ben", Role::Member), ("Dan", Role::Member)] {
        add(&world.server, &org, &AccountId::from_text(world.id(name)), role).unwrap();
    }
    world.done("Ann", "POST", "/orgs/acme/teams", json!({ "name": "Sales", "members": ["ben"] }));
    (world, org)
}

#[test]
fn members_share_the_organizations_folders_and_keep_their_teams_apart() {
    let (world, _) = acme();
    let plan = world.document("Ben", "acme", "/Sales/2026", "Plan");
    world.done("Dan", "PUT", "/users/acme/folders/Common/Plans", Value::Null);
    assert_eq!(folders(&world.get("Ben", "/users/acme/folders")), ["/Common", "/Sales"]);
    let dans = world.get("Dan", "/users/acme/folders");
    assert_eq!((folders(&dans), &dans["folder_count"]), (vec!["/Common"], &json!(1)));
    assert_eq!(world.status("Cid", "/users/acme/folders"), 404);
    for (method, path, body) in [
        ("GET", "Sales", Value::Null),
        ("GET", "Sales/2026", Value::Null),
        ("PUT", "Sales/2026", json!({ "title": "Mine" })),
        ("PUT", "Sales/New", Value::Null),
        ("DELETE", "Sales/2026", Value::Null),
        ("POST", "Sales/2026", json!({ "action": "duplicate" })),
    ] {
        let path = format!("/users/acme/folders/{path}");
        let refused = world.refused("Dan", method, &path, body);
        assert_eq!(refused, (404, "no such folder".to_owned()), "{method} {path}");
    }
    // A move of other documents into the folder gives Dan no access either.
    let into = json!({ "name": "/Sales/Plans" });
    let refused = world.refused("Dan", "PUT", "/users/acme/folders/Common/Plans", into);
    assert_eq!(refused, (400, "name: must be in a folder that you may change".to_owned()));
    world.done("Ben", "PUT", "/users/acme/folders/Common/Plans", json!({ "name": "/Sales/Plans" }));
    assert_eq!(world.status("Dan", "/users/acme/folders/Sales/Plans"), 404);

    // A copy leaves out the folders of teams. A copy of a team folder goes to the personal account
    // of the caller, because next to the original it would be open to every member.
    world.done("Ann", "PUT", "/users/acme/folders/Sales", json!({ "name": "/Common/Sales" }));
    world.document("Dan", "acme", "/Common", "Notes");
    let copy = json!({ "action": "duplicate" });
    for (name, number) in [("Dan", 2), ("Ben", 3)] {
        world.done(name, "POST", "/users/acme/folders/Common", copy.clone());
        let listed = world.list("Ann", &format!("acme/list/Common%20{number}"));
        assert_eq!(listed, ["Notes"], "{name}");
    }
    let made = world.done("Ben", "POST", "/users/acme/folders/Common/Sales", copy).json();
    assert_eq!(made["name"], "/Sales");
    assert_eq!(world.list("Ben", "me/list/Sales"), ["/Sales/2026", "/Sales/Plans"]);
    assert_eq!(world.status("Dan", &plan), 404);
}

#[test]
fn a_teams_folder_stays_as_long_as_the_team() {
    let (world, _) = acme();
    world.document("Ben", "acme", "/Sales", "Plan");
    world.done("Ben", "PUT", "/users/acme/folders/Sales", json!({ "title": "Markets" }));
    world.done("Ann", "PUT", "/users/acme/folders/Markets", json!({ "name": "/All/Markets" }));
    let stays =
        (409, "the folder is or contains the folder of a team; remove the team first".to_owned());
    for path in ["All/Markets", "All"] {
        let path = format!("/users/acme/folders/{path}");
        for (method, ask, body) in [
            ("DELETE", path.clone(), Value::Null),
            ("DELETE", format!("{path}?expunge=1"), Value::Null),
            ("PUT", path.clone(), json!({ "owner": "me" })),
        ] {
            assert_eq!(world.refused("Ann", method, &ask, body), stays, "{method} {ask}");
        }
    }
    let teams = world.get("Ann", "/orgs/acme/teams");
    assert_eq!(teams["teams"][0]["folder"], "/All/Markets");
    let team = teams["teams"][0]["id"].as_str().unwrap();
    world.done("Ann", "DELETE", &format!("/orgs/acme/team/{team}"), Value::Null);
    world.done("Ann", "DELETE", "/users/acme/folders/Markets", Value::Null);
    world.done("Dan", "POST", "/users/acme/folders/Markets", json!({ "action": "restore" }));
}

#[test]
fn the_trash_of_a_team_stays_the_teams() {
    let (world, _) = acme();
    let plan = world.document("Ben", "acme", "/Sales/2026", "Plan");
    let notes = world.document("Dan", "acme", "/", "Notes");
    for path in [&plan, &notes] {
        world.done("Ann", "DELETE", path, Value::Null);
    }
    assert_eq!(world.list("Dan", "acme/trash"), ["Notes"]);
    // Without its folder, the team of a document is unknown. Only admins see the document.
    world.done("Ben", "DELETE", "/users/acme/folders/Sales/2026?expunge=1", Value::Null);
    assert_eq!(world.list("Dan", "acme/trash"), ["Notes"]);
    assert_eq!(world.status("Dan", &plan), 404);
    world.done("Dan", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(world.list("Ann", "acme/trash"), ["Plan"]);
    world.done("Ann", "POST", &plan, json!({ "action": "restore" }));
    assert_eq!(world.list("Ben", "acme/list/Sales/2026"), ["Plan"]);
    assert_eq!(world.status("Dan", &plan), 404);
    world.done("Ben", "DELETE", "/users/acme/folders/Sales/2026", Value::Null);
    world.done("Dan", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(world.list("Ben", "acme/trash"), ["/Sales/2026"]);
    assert_eq!(world.list("Dan", "acme/trash"), [""; 0]);
    world.done("Ben", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(world.list("Ann", "acme/trash"), [""; 0]);
}

#[test]
fn a_suspended_organization_is_read_and_not_changed() {
    let (world, org) = acme();
    let plan = world.document("Dan", "acme", "/Common", "Plan");
    world.done("Dan", "DELETE", &plan, Value::Null);
    let suspend = |suspended| {
        let id = org.id.clone();
        world.server.app.db.write(move |tx| orgs::set_suspended(tx, &id, suspended)).unwrap();
    };
    suspend(true);
    let here = "/users/acme/folders/Common";
    for (method, path, body) in [
        ("PUT", here, json!({ "title": "X" })),
        ("PUT", "/users/acme/folders/New", Value::Null),
        ("POST", here, json!({ "action": "duplicate" })),
        ("POST", &plan, json!({ "action": "restore" })),
        ("DELETE", here, Value::Null),
        ("DELETE", "/users/acme/trash", Value::Null),
        ("DELETE", &plan, Value::Null),
    ] {
        assert_eq!(world.refused("Dan", method, path, body).0, 402, "{method} {path}");
    }
    world.done("Ann", "PUT", "/users/me/folders/Mine", Value::Null);
    let give = json!({ "owner": "acme" });
    assert_eq!(world.refused("Ann", "PUT", "/users/me/folders/Mine", give.clone()).0, 402);
    assert_eq!(world.get("Dan", here)["mode"], "w");
    suspend(false);
    // An organization without document storage refuses new documents, but allows restores and
    // removals.
    world.server.sql("update org set settings = '{\"disable_document_storage\":true}'");
    assert_eq!(world.refused("Ann", "PUT", "/users/me/folders/Mine", give).0, 403);
    assert_eq!(world.refused("Dan", "PUT", "/users/acme/folders/New", Value::Null).0, 403);
    let copy = json!({ "action": "duplicate" });
    assert_eq!(world.refused("Dan", "POST", here, copy).0, 403);
    world.done("Dan", "POST", &plan, json!({ "action": "restore" }));
    // The personal account of a member refuses new documents too, because of the organization.
    assert_eq!(world.refused("Dan", "PUT", here, json!({ "owner": "me" })).0, 403);
    world.done("Dan", "DELETE", here, Value::Null);
}
