//! Tests of nodes that others share with the caller: lists, leaving a share, visible folders, and
//! the list of shares.

use serde_json::Value;
use serde_json::json;

use super::SharingFixture;

/// Returns the titles or paths of a listing's entries.
fn entry_names(listing: &Value) -> Vec<String> {
    let name = |entry: &Value| match entry["type"].as_str() {
        Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
        _ => entry["document"]["id"].as_str().unwrap().to_owned(),
    };
    listing["results"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn recipient_lists_shared_nodes_and_can_leave_them() {
    let fixture = SharingFixture::new();
    let (ann, ben) = (fixture.user_id("Ann"), fixture.user_id("Ben"));
    let doc = fixture.create_document("Ann", "me", "/Hidden");
    fixture.create_document("Ann", "me", "/Plans/May");
    assert_eq!(fixture.get_json("Ben", "/users/me/foreign-documents")["count"], 0);
    fixture.share("Ann", &doc.share_body(json!({ "user_id": ben, "mode": "w" })));
    fixture.share("Ann", &json!({ "owner": ann, "folder": "/Plans", "user_id": ben }));

    let documents = fixture.get_json("Ben", "/users/me/foreign-documents");
    assert_eq!((&documents["count"], &documents["limit"]), (&json!(1), &json!(10)));
    let entry = &documents["results"][0];
    assert_eq!((&entry["document"]["id"], &entry["mode"]), (&json!(doc.id), &json!("w")));
    assert_eq!((&entry["owner"]["id"], &entry["owner"]["name"]), (&json!(ann), &json!("Ann")));
    assert!(entry["shared_at"].is_string() && entry["owner"]["avatar_url"].is_string(), "{entry}");
    let folders = fixture.get_json("Ben", "/users/me/foreign-folders");
    assert_eq!(entry_names(&folders), ["/Plans"]);
    assert_eq!(folders["results"][0]["mode"], "r");
    // A caller gets no list of another account.
    for path in ["foreign-documents", "foreign-folders", "visible-folders", "shares"] {
        assert_eq!(fixture.get_status("Ben", &format!("/users/{ann}/{path}")), 404, "{path}");
        assert_eq!(fixture.get_status("Ben", &format!("/users/12345/{path}")), 404, "{path}");
        assert_eq!(fixture.get_status("", &format!("/users/{ben}/{path}")), 401, "{path}");
    }
    assert_eq!(fixture.get_json("Ann", "/users/me/foreign-documents")["count"], 0);

    let leave = format!("/users/me/foreign-documents/{ann}/{}", doc.id);
    assert_eq!(fixture.request("Cid", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(fixture.request("Ben", "DELETE", &leave, &Value::Null).status, 204);
    assert_eq!(fixture.get_json("Ben", "/users/me/foreign-documents")["count"], 0);
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);
    assert_eq!(fixture.request("Ben", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(fixture.get_json("Ann", &doc.path)["acl"], json!([]));
    let leave = "/users/me/foreign-folders/ann@example.org/Plans";
    assert_eq!(
        fixture
            .request("Ben", "DELETE", "/users/me/foreign-folders/ann/Hidden", &Value::Null)
            .status,
        404
    );
    assert_eq!(fixture.request("Ben", "DELETE", leave, &Value::Null).status, 204);
    assert_eq!(fixture.get_json("Ben", "/users/me/foreign-folders")["count"], 0);
}

#[test]
fn list_of_shared_documents_contains_only_accessible_ones_and_is_paged() {
    let fixture = SharingFixture::new();
    let ben = fixture.user_id("Ben");
    let docs: Vec<_> = (0..4).map(|_| fixture.create_document("Ann", "me", "/")).collect();
    for doc in &docs {
        fixture.share("Ann", &doc.share_body(json!({ "user_id": ben })));
    }
    for (doc, created) in docs.iter().zip(["1", "2", "3", "4"]) {
        fixture.execute_sql(
            "update access_entry set created = ?1 where node = ?2",
            &[created, &doc.id],
        );
    }
    let list =
        |query: &str| fixture.get_json("Ben", &format!("/users/me/foreign-documents{query}"));
    let ids_of =
        |numbers: &[usize]| numbers.iter().map(|index| docs[*index].id.clone()).collect::<Vec<_>>();
    assert_eq!(entry_names(&list("")), ids_of(&[3, 2, 1, 0]));
    let response =
        fixture.request("Ben", "GET", "/users/me/foreign-documents?limit=2&offset=1", &Value::Null);
    assert_eq!(entry_names(&response.json()), ids_of(&[2, 1]));
    assert_eq!((response.json()["count"].clone(), response.headers("link").len()), (json!(4), 2));
    // The list excludes expired entries, nodes in the trash and nodes of disabled users.
    fixture.execute_sql("update access_entry set expires = 1000 where node = ?1", &[&docs[0].id]);
    assert_eq!(fixture.request("Ann", "DELETE", &docs[1].path, &Value::Null).status, 204);
    let listed = list("");
    assert_eq!((entry_names(&listed), &listed["count"]), (ids_of(&[3, 2]), &json!(2)));
    fixture.execute_sql("update user set disabled = 1 where id = ?1", &[&fixture.user_id("Ann")]);
    assert_eq!(list("")["count"], 0);
}

#[test]
fn leaving_a_team_share_affects_only_one_member() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "acme", "/Shed");
    let team =
        json!({ "name": "Growers", "members": [fixture.user_id("Dan"), fixture.user_id("Ann")] });
    let team = fixture.request("Ann", "POST", "/orgs/acme/teams", &team).json()["id"].clone();
    fixture.share("Ann", &doc.share_body(json!({ "team": team })));
    let count = |name: &str| fixture.get_json(name, "/users/me/foreign-documents")["count"].clone();
    assert_eq!((count("Dan"), count("Ann"), count("Ben")), (json!(1), json!(1), json!(0)));
    let leave = format!("/users/me/foreign-documents/acme/{}", doc.id);
    assert_eq!(fixture.request("Ben", "DELETE", &leave, &Value::Null).status, 404);
    assert_eq!(fixture.request("Dan", "DELETE", &leave, &Value::Null).status, 204);
    assert_eq!((count("Dan"), count("Ann")), (json!(0), json!(1)));
    assert_eq!(fixture.get_status("Dan", &doc.path), 200);
    // A new share adds it to the list again.
    let recipient = doc.share_body(json!({ "team": team }));
    assert_eq!(fixture.request("Ann", "DELETE", "/share", &recipient).status, 204);
    fixture.share("Ann", &recipient);
    assert_eq!(count("Dan"), 1);
}

#[test]
fn visible_folders_are_grouped_by_owner_with_modes() {
    let fixture = SharingFixture::new();
    let (ann, ben) = (fixture.user_id("Ann"), fixture.user_id("Ben"));
    fixture.create_document("Ben", "me", "/Own/Deep");
    fixture.create_document("Ann", "me", "/Plans/2026/May");
    fixture.create_document("Ann", "me", "/Other");
    fixture.create_document("Ann", "acme", "/Shed");
    fixture.create_document("Ann", "acme", "/Closed/In");
    fixture.execute_sql(
        "insert into team (id, org_id, name, folder, created)
         select 'closed', owner, 'Closed', id, 0 from node where title = 'Closed'",
        &[],
    );
    let folders = |name: &str| {
        let accounts = fixture.get_json(name, "/users/me/visible-folders");
        let line = |account: &Value| {
            let owner = &account["owner"];
            let folders = account["folders"].as_array().unwrap().iter().map(|folder| {
                format!(
                    " {}:{}",
                    folder["name"].as_str().unwrap(),
                    folder["mode"].as_str().unwrap()
                )
            });
            format!(
                "{} {}{}",
                owner["name"].as_str().unwrap(),
                owner["type"].as_str().unwrap(),
                folders.collect::<String>()
            )
        };
        accounts.as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(folders("Ben"), ["Ben user /:w /Own:w /Own/Deep:w"]);
    let share = |path: &str, mode: &str| {
        fixture
            .share("Ann", &json!({ "owner": ann, "folder": path, "user_id": ben, "mode": mode }));
    };
    share("/Plans", "r");
    share("/Plans/2026", "w");
    assert_eq!(
        folders("Ben"),
        ["Ben user /:w /Own:w /Own/Deep:w", "Ann user /Plans:r /Plans/2026:w /Plans/2026/May:w",]
    );
    // Dan is in the organization, but sees the folder only if it is shared with Dan.
    assert_eq!(folders("Dan"), ["Dan user /:w", "The acme org /:w /Shed:w"]);
    let shared = json!({ "owner": "acme", "folder": "/Closed", "user_id": fixture.user_id("Dan") });
    fixture.share("Ann", &shared);
    assert_eq!(folders("Dan"), ["Dan user /:w", "The acme org /:w /Closed:r /Closed/In:r /Shed:w"]);
    assert_eq!(folders("Ann")[1], "The acme org /:w /Closed:w /Closed/In:w /Shed:w");
}

#[test]
fn list_of_shares_contains_own_entries_and_entries_on_own_nodes() {
    let fixture = SharingFixture::new();
    let (ann, ben, cid) = (fixture.user_id("Ann"), fixture.user_id("Ben"), fixture.user_id("Cid"));
    let doc = fixture.create_document("Ann", "me", "/Plans");
    let other = fixture.create_document("Ann", "acme", "/Shed");
    let first = fixture.share("Ann", &doc.share_body(json!({ "user_id": ben, "mode": "w" })));
    let link = fixture.share("Ann", &json!({ "owner": ann, "folder": "/Plans" }));
    let bens_share = fixture.share("Ben", &doc.share_body(json!({ "user_id": cid })));
    let org_share = fixture.share("Ann", &other.share_body(json!({ "user_id": cid })));
    for (ace, created) in [(&first, "1"), (&link, "2"), (&bens_share, "3"), (&org_share, "4")] {
        fixture.execute_sql(
            "update access_entry set created = ?1 where id = ?2",
            &[created, ace["id"].as_str().unwrap()],
        );
    }
    let list_shares = |name: &str, path: &str| fixture.get_json(name, &format!("/users/{path}"));
    let ids_in = |list: &Value| -> Vec<Value> {
        list["results"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect()
    };
    let ids_of = |aces: &[&Value]| aces.iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>();
    // Ann's list: entries that Ann made, and entries that others made on Ann's nodes.
    let anns_list = list_shares("Ann", "me/shares");
    assert_eq!(ids_in(&anns_list), ids_of(&[&org_share, &bens_share, &link, &first]));
    assert_eq!(anns_list["count"], 4);
    let entry = &anns_list["results"][2];
    assert_eq!(
        (&entry["title"], &entry["folder"], &entry["link"]),
        (&json!("Plans"), &json!("/Plans"), &link["link"])
    );
    assert!(entry["urls"]["view"].is_string() && entry["urls"]["endpoint"].is_string(), "{entry}");
    assert_eq!(ids_in(&list_shares("Ann", "me/shares?limit=1&offset=1")), ids_of(&[&bens_share]));
    assert_eq!(ids_in(&list_shares("Ben", "me/shares")), ids_of(&[&bens_share]));
    // Only admins see the list of an organization.
    assert_eq!(ids_in(&list_shares("Ann", "acme/shares")), ids_of(&[&org_share]));
    assert_eq!(fixture.get_status("Dan", "/users/acme/shares"), 404);
    assert_eq!(fixture.get_status("Ben", "/users/acme/shares"), 404);
    // The list excludes entries that Ben made on nodes that Ben can no longer see.
    let recipient = doc.share_body(json!({ "user_id": ben }));
    assert_eq!(fixture.request("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!(list_shares("Ben", "me/shares")["count"], 0);
    assert_eq!(ids_in(&list_shares("Ann", "me/shares")), ids_of(&[&org_share, &bens_share, &link]));
    // The list also excludes nodes in the trash.
    assert_eq!(fixture.request("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    assert_eq!(ids_in(&list_shares("Ann", "me/shares")), ids_of(&[&org_share, &link]));
}
