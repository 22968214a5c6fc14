//! Tests of folders of an organization and of its teams. Ann is the admin. Ben is in the team. Dan
//! is another member. Cid is a stranger.

use chartroom::features::orgs;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use super::FolderFixture;
use super::subfolder_names;
use crate::orgs::add_member;
use crate::orgs::create_org;

/// Creates the organization with the team Sales, and adds Dan to it.
fn create_acme() -> (FolderFixture, Org) {
    let mut fixture = FolderFixture::new();
    let org = create_org(&fixture.server, "acme", Seats::Unlimited);
    let dan = fixture.server.create_user("Dan").id;
    fixture.users.push(("Dan", dan.to_string(), fixture.server.create_bearer_token(&dan)));
    for (name, role) in [("Ann", Role::Admin), ("Ben", Role::Member), ("Dan", Role::Member)] {
        add_member(&fixture.server, &org, &AccountId::from_text(fixture.user_id(name)), role)
            .unwrap();
    }
    fixture.request_ok(
        "Ann",
        "POST",
        "/orgs/acme/teams",
        json!({ "name": "Sales", "members": ["ben"] }),
    );
    (fixture, org)
}

#[test]
fn members_share_org_folders_except_those_of_other_teams() {
    let (fixture, _) = create_acme();
    let plan = fixture.create_document("Ben", "acme", "/Sales/2026", "Plan");
    fixture.request_ok("Dan", "PUT", "/users/acme/folders/Common/Plans", Value::Null);
    assert_eq!(
        subfolder_names(&fixture.get_json("Ben", "/users/acme/folders")),
        ["/Common", "/Sales"]
    );
    let as_dan = fixture.get_json("Dan", "/users/acme/folders");
    assert_eq!((subfolder_names(&as_dan), &as_dan["folder_count"]), (vec!["/Common"], &json!(1)));
    assert_eq!(fixture.get_status("Cid", "/users/acme/folders"), 404);
    for (method, path, body) in [
        ("GET", "Sales", Value::Null),
        ("GET", "Sales/2026", Value::Null),
        ("PUT", "Sales/2026", json!({ "title": "Mine" })),
        ("PUT", "Sales/New", Value::Null),
        ("DELETE", "Sales/2026", Value::Null),
        ("POST", "Sales/2026", json!({ "action": "duplicate" })),
    ] {
        let path = format!("/users/acme/folders/{path}");
        let refused = fixture.expect_refused("Dan", method, &path, body);
        assert_eq!(refused, (404, "no such folder".to_owned()), "{method} {path}");
    }
    // A move of other documents into the folder gives Dan no access either.
    let into = json!({ "name": "/Sales/Plans" });
    let refused =
        fixture.expect_refused("Dan", "PUT", "/users/acme/folders/Common/Plans", into.clone());
    assert_eq!(refused, (400, "name: must be in a folder that you may change".to_owned()));
    fixture.request_ok("Ben", "PUT", "/users/acme/folders/Common/Plans", into);
    assert_eq!(fixture.get_status("Dan", "/users/acme/folders/Sales/Plans"), 404);

    // A copy leaves out the folders of teams. A copy of a team folder goes to the personal account
    // of the caller, because next to the original it would be open to every member.
    fixture.request_ok(
        "Ann",
        "PUT",
        "/users/acme/folders/Sales",
        json!({ "name": "/Common/Sales" }),
    );
    fixture.create_document("Dan", "acme", "/Common", "Notes");
    let copy = json!({ "action": "duplicate" });
    for (name, number) in [("Dan", 2), ("Ben", 3)] {
        fixture.request_ok(name, "POST", "/users/acme/folders/Common", copy.clone());
        let listed = fixture.list_names("Ann", &format!("acme/list/Common%20{number}"));
        assert_eq!(listed, ["Notes"], "{name}");
    }
    let created =
        fixture.request_ok("Ben", "POST", "/users/acme/folders/Common/Sales", copy).json();
    assert_eq!(created["name"], "/Sales");
    assert_eq!(fixture.list_names("Ben", "me/list/Sales"), ["/Sales/2026", "/Sales/Plans"]);
    assert_eq!(fixture.get_status("Dan", &plan), 404);
}

#[test]
fn team_folder_cannot_be_removed_before_the_team() {
    let (fixture, _) = create_acme();
    fixture.create_document("Ben", "acme", "/Sales", "Plan");
    fixture.request_ok("Ben", "PUT", "/users/acme/folders/Sales", json!({ "title": "Markets" }));
    fixture.request_ok(
        "Ann",
        "PUT",
        "/users/acme/folders/Markets",
        json!({ "name": "/All/Markets" }),
    );
    let error =
        (409, "the folder is or contains the folder of a team; remove the team first".to_owned());
    for path in ["All/Markets", "All"] {
        let path = format!("/users/acme/folders/{path}");
        for (method, request_path, body) in [
            ("DELETE", path.clone(), Value::Null),
            ("DELETE", format!("{path}?expunge=1"), Value::Null),
            ("PUT", path.clone(), json!({ "owner": "me" })),
        ] {
            assert_eq!(
                fixture.expect_refused("Ann", method, &request_path, body),
                error,
                "{method} {request_path}"
            );
        }
    }
    let teams = fixture.get_json("Ann", "/orgs/acme/teams");
    assert_eq!(teams["teams"][0]["folder"], "/All/Markets");
    let team = teams["teams"][0]["id"].as_str().unwrap();
    fixture.request_ok("Ann", "DELETE", &format!("/orgs/acme/team/{team}"), Value::Null);
    fixture.request_ok("Ann", "DELETE", "/users/acme/folders/Markets", Value::Null);
    fixture.request_ok(
        "Dan",
        "POST",
        "/users/acme/folders/Markets",
        json!({ "action": "restore" }),
    );
}

#[test]
fn trashed_nodes_of_a_team_are_visible_only_to_the_team() {
    let (fixture, _) = create_acme();
    let plan = fixture.create_document("Ben", "acme", "/Sales/2026", "Plan");
    let notes = fixture.create_document("Dan", "acme", "/", "Notes");
    for path in [&plan, &notes] {
        fixture.request_ok("Ann", "DELETE", path, Value::Null);
    }
    assert_eq!(fixture.list_names("Dan", "acme/trash"), ["Notes"]);
    // Without its folder, the team of a document is unknown. Only admins see the document.
    fixture.request_ok("Ben", "DELETE", "/users/acme/folders/Sales/2026?expunge=1", Value::Null);
    assert_eq!(fixture.list_names("Dan", "acme/trash"), ["Notes"]);
    assert_eq!(fixture.get_status("Dan", &plan), 404);
    fixture.request_ok("Dan", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(fixture.list_names("Ann", "acme/trash"), ["Plan"]);
    fixture.request_ok("Ann", "POST", &plan, json!({ "action": "restore" }));
    assert_eq!(fixture.list_names("Ben", "acme/list/Sales/2026"), ["Plan"]);
    assert_eq!(fixture.get_status("Dan", &plan), 404);
    fixture.request_ok("Ben", "DELETE", "/users/acme/folders/Sales/2026", Value::Null);
    fixture.request_ok("Dan", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(fixture.list_names("Ben", "acme/trash"), ["/Sales/2026"]);
    assert_eq!(fixture.list_names("Dan", "acme/trash"), [""; 0]);
    fixture.request_ok("Ben", "DELETE", "/users/acme/trash", Value::Null);
    assert_eq!(fixture.list_names("Ann", "acme/trash"), [""; 0]);
}

#[test]
fn folders_of_a_suspended_organization_are_read_only() {
    let (fixture, org) = create_acme();
    let plan = fixture.create_document("Dan", "acme", "/Common", "Plan");
    fixture.request_ok("Dan", "DELETE", &plan, Value::Null);
    let set_suspended = |suspended| {
        let id = org.id.clone();
        fixture.server.app.db.write(move |tx| orgs::set_suspended(tx, &id, suspended)).unwrap();
    };
    set_suspended(true);
    let common_path = "/users/acme/folders/Common";
    for (method, path, body) in [
        ("PUT", common_path, json!({ "title": "X" })),
        ("PUT", "/users/acme/folders/New", Value::Null),
        ("POST", common_path, json!({ "action": "duplicate" })),
        ("POST", &plan, json!({ "action": "restore" })),
        ("DELETE", common_path, Value::Null),
        ("DELETE", "/users/acme/trash", Value::Null),
        ("DELETE", &plan, Value::Null),
    ] {
        assert_eq!(fixture.expect_refused("Dan", method, path, body).0, 402, "{method} {path}");
    }
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Mine", Value::Null);
    let transfer = json!({ "owner": "acme" });
    assert_eq!(
        fixture.expect_refused("Ann", "PUT", "/users/me/folders/Mine", transfer.clone()).0,
        402
    );
    assert_eq!(fixture.get_json("Dan", common_path)["mode"], "w");
    set_suspended(false);
    // An organization without document storage refuses new documents, but allows restores and
    // removals.
    fixture.server.execute_sql("update org set settings = '{\"disable_document_storage\":true}'");
    assert_eq!(fixture.expect_refused("Ann", "PUT", "/users/me/folders/Mine", transfer).0, 403);
    assert_eq!(fixture.expect_refused("Dan", "PUT", "/users/acme/folders/New", Value::Null).0, 403);
    let copy = json!({ "action": "duplicate" });
    assert_eq!(fixture.expect_refused("Dan", "POST", common_path, copy).0, 403);
    fixture.request_ok("Dan", "POST", &plan, json!({ "action": "restore" }));
    // The personal account of a member refuses new documents too, because of the organization.
    assert_eq!(fixture.expect_refused("Dan", "PUT", common_path, json!({ "owner": "me" })).0, 403);
    fixture.request_ok("Dan", "DELETE", common_path, Value::Null);
}
