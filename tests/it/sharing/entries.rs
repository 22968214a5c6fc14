//! Tests of `POST`, `PATCH` and `DELETE /share` with users, teams and links.

use chartroom::features::access;
use chartroom_platform::id::NodeId;
use serde_json::Value;
use serde_json::json;

use super::SharingFixture;
use super::join_keys;
use super::link_token;

/// Keys of an access entry of a user.
const USER_ENTRY_KEYS: &str =
    "id type owner document mode user_id name email avatar_url pending created";

#[test]
fn user_entry_grants_read_then_write_and_can_be_revoked() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let ben = fixture.user_id("Ben");
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);

    let ace = fixture.share("Ann", &doc.share_body(json!({ "user_id": ben })));
    assert_eq!(join_keys(&ace), USER_ENTRY_KEYS);
    assert_eq!(
        (&ace["type"], &ace["mode"], &ace["user_id"], &ace["email"], &ace["pending"]),
        (&json!("user"), &json!("r"), &json!(ben), &json!("ben@example.org"), &json!(false))
    );
    assert_eq!(fixture.get_json("Ben", &doc.path)["mode"], "r");
    assert_eq!(fixture.patch_status("Ben", &doc, ""), 403);
    // Ben sees only Ben's own entry. Ann sees all entries.
    assert_eq!(fixture.get_json("Ben", &doc.path)["acl"][0]["user_id"], json!(ben));
    assert_eq!(fixture.get_json("Ann", &doc.path)["acl"][0]["id"], ace["id"]);
    assert_eq!(fixture.get_status("Zoe", &doc.path), 404);

    // A second share changes the existing entry.
    let repeated = fixture.share("Ann", &doc.share_body(json!({ "user_id": "ben", "mode": "w" })));
    assert_eq!((&repeated["id"], &repeated["mode"]), (&ace["id"], &json!("w")));
    assert_eq!(fixture.patch_status("Ben", &doc, ""), 200);
    let change = doc.share_body(json!({ "user_id": ben, "mode": "r" }));
    let changed = fixture.request("Ann", "PATCH", "/share", &change);
    assert_eq!((changed.status, &changed.json()["mode"]), (200, &json!("r")));
    assert_eq!(fixture.patch_status("Ben", &doc, ""), 403);

    let recipient = doc.share_body(json!({ "user_id": ben }));
    assert_eq!(fixture.request("Ann", "DELETE", "/share", &recipient).status, 204);
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);
    assert_eq!(
        fixture.share_status_and_text("Ann", "DELETE", &recipient),
        (404, "no such share".to_owned())
    );
    assert_eq!(
        fixture.share_status_and_text("Ann", "PATCH", &recipient),
        (404, "no such share".to_owned())
    );
}

/// Write access to a document alone does not give the right to create folders of its owner.
#[test]
fn writer_of_a_document_cannot_create_folders_of_its_owner() {
    let fixture = SharingFixture::new();
    let inner = fixture.create_document("Ann", "me", "/Sales");
    let outer = fixture.create_document("Ann", "me", "/");
    for document in [&inner, &outer] {
        let entry = document.share_body(json!({ "user_id": fixture.user_id("Ben"), "mode": "w" }));
        fixture.share("Ann", &entry);
    }
    for (document, folder) in [(&inner, "/Sales/New"), (&outer, "/New"), (&outer, "/Sales")] {
        let response =
            fixture.request("Ben", "PATCH", &document.path, &json!({ "folder": folder }));
        assert_eq!(response.status, 400, "{folder}: {}", response.text);
        assert_ne!(fixture.get_json("Ann", &document.path)["folder"], folder);
    }
    let stay = json!({ "folder": "/Sales", "title": "Renamed" });
    assert_eq!(fixture.request("Ben", "PATCH", &inner.path, &stay).status, 200);
}

#[test]
fn sharing_requires_write_access() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let request_body = doc.share_body(json!({ "user_id": fixture.user_id("Cid") }));
    let absent = json!({ "owner": doc.owner, "document": "01900000-0000-7000-8000-000000000000" });
    for method in ["POST", "PATCH", "DELETE"] {
        assert_eq!(fixture.request("", method, "/share", &request_body).status, 401);
        let hidden = fixture.share_status_and_text("Ben", method, &request_body);
        assert_eq!(hidden, (404, "no such document".to_owned()));
        assert_eq!(hidden, fixture.share_status_and_text("Ben", method, &absent));
    }
    // Readers see the document, but only writers may share it.
    fixture.share("Ann", &doc.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    for method in ["POST", "PATCH", "DELETE"] {
        assert_eq!(fixture.share_status_and_text("Ben", method, &request_body).0, 403);
    }
    assert_eq!(fixture.get_status("Cid", &doc.path), 404);
    fixture
        .share("Ann", &doc.share_body(json!({ "user_id": fixture.user_id("Ben"), "mode": "w" })));
    fixture.share("Ben", &request_body);
    assert_eq!(fixture.get_status("Cid", &doc.path), 200);
    // Readers of a public document may not share it either.
    let public = fixture.create_document("Ann", "me", "/");
    fixture.execute_sql("update document set is_public = 1 where id = ?1", &[&public.id]);
    let request_body = public.share_body(json!({ "user_id": fixture.user_id("Cid") }));
    assert_eq!(fixture.share_status_and_text("Zoe", "POST", &request_body).0, 403);
    // A guest with a write link has no account, so a guest may not share.
    let link = fixture.share("Ann", &doc.share_body(json!({ "mode": "w" })));
    let path = format!("/share?share={}", link_token(&link));
    assert_eq!(fixture.request("", "POST", &path, &doc.share_body(json!({}))).status, 401);
}

#[test]
fn shared_folder_includes_everything_below_it() {
    let fixture = SharingFixture::new();
    let deep = fixture.create_document("Ann", "me", "/Plans/2026/May");
    let other_document = fixture.create_document("Ann", "me", "/Other");
    let (ann, ben) = (fixture.user_id("Ann"), fixture.user_id("Ben"));
    let folder = json!({ "owner": ann, "folder": "/Plans", "user_id": ben });
    let ace = fixture.share("Ann", &folder);
    assert_eq!((&ace["folder"], &ace["document"]), (&json!("/Plans"), &Value::Null));
    assert_eq!(fixture.get_json("Ben", &deep.path)["mode"], "r");
    assert_eq!(fixture.get_status("Ben", &other_document.path), 404);
    assert_eq!(fixture.get_status("Ben", &format!("/users/{ann}/list/Plans/2026")), 200);
    assert_eq!(fixture.get_status("Ben", &format!("/users/{ann}/list/Other")), 404);
    assert_eq!(fixture.get_status("Ben", &format!("/users/{ann}/list")), 404);

    // The strongest entry applies, on whichever ancestor it is.
    fixture.share("Ann", &deep.share_body(json!({ "user_id": ben, "mode": "w" })));
    assert_eq!(fixture.get_json("Ben", &deep.path)["mode"], "w");
    fixture.share("Ann", &deep.share_body(json!({ "user_id": ben, "mode": "r" })));
    let stronger = json!({ "owner": ann, "folder": "/Plans/2026", "user_id": ben, "mode": "w" });
    fixture.share("Ann", &stronger);
    assert_eq!(fixture.get_json("Ben", &deep.path)["mode"], "w");
    // Write access to a folder permits sharing its content, but not its surroundings.
    let cid = fixture.user_id("Cid");
    let inner_share = json!({ "owner": ann, "folder": "/Plans/2026/May", "user_id": cid });
    fixture.share("Ben", &inner_share);
    assert_eq!(fixture.get_status("Cid", &deep.path), 200);
    let outer_share = json!({ "owner": ann, "folder": "/Plans", "user_id": cid });
    assert_eq!(fixture.share_status_and_text("Ben", "POST", &outer_share).0, 403);
    assert_eq!(
        fixture.share_status_and_text("Zoe", "POST", &outer_share),
        (404, "no such folder".to_owned())
    );
    // In Ann's own list, an inherited entry names its folder.
    let acl = fixture.get_json("Ann", &deep.path)["acl"].clone();
    let entry_folders: Vec<&str> =
        acl.as_array().unwrap().iter().filter_map(|entry| entry["folder"].as_str()).collect();
    assert_eq!(entry_folders, ["/Plans", "/Plans/2026", "/Plans/2026/May"]);
}

#[test]
fn access_entry_expires() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let ben = fixture.user_id("Ben");
    let expiring = json!({ "user_id": ben, "expires_at": "2999-01-01T00:00:00Z" });
    let ace = fixture.share("Ann", &doc.share_body(expiring));
    assert_eq!(ace["expires_at"], "2999-01-01T00:00:00.000Z");
    assert_eq!(fixture.get_status("Ben", &doc.path), 200);
    fixture.execute_sql("update access_entry set expires = 1000 where user_id = ?1", &[&ben]);
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);
    // The entry has no expiry again.
    let without_expiry = doc.share_body(json!({ "user_id": ben, "expires_at": null }));
    assert_eq!(
        fixture.request("Ann", "PATCH", "/share", &without_expiry).json()["expires_at"],
        Value::Null
    );
    assert_eq!(fixture.get_status("Ben", &doc.path), 200);
    let past = doc.share_body(json!({ "user_id": ben, "expires_at": "2001-01-01T00:00:00Z" }));
    let refused = (400, "expires_at: must be in the future".to_owned());
    assert_eq!(fixture.share_status_and_text("Ann", "PATCH", &past), refused);
    assert_eq!(fixture.share_status_and_text("Ann", "POST", &past), refused);
}

#[test]
fn team_entry_applies_to_current_team_members() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "acme", "/Closed");
    let team = json!({ "name": "Growers", "members": [] });
    let team = fixture.request("Ann", "POST", "/orgs/acme/teams", &team).json()["id"].clone();
    let team = team.as_str().unwrap();
    // A folder of another team, closed to Dan.
    fixture.execute_sql(
        "insert into team (id, org_id, name, folder, created)
         select 'closed', owner, 'Closed', id, 0 from node where title = 'Closed'",
        &[],
    );
    assert_eq!(fixture.get_status("Dan", &doc.path), 404);
    let ace = fixture.share("Ann", &doc.share_body(json!({ "team": team, "mode": "w" })));
    assert_eq!(
        (&ace["type"], &ace["team"], &ace["name"]),
        (&json!("team"), &json!(team), &json!("Growers"))
    );
    assert_eq!(fixture.get_status("Dan", &doc.path), 404);
    let dan_path = format!("/orgs/acme/team/{team}/member/{}", fixture.user_id("Dan"));
    assert_eq!(fixture.request("Ann", "PUT", &dan_path, &Value::Null).status, 204);
    assert_eq!(fixture.patch_status("Dan", &doc, ""), 200);
    assert_eq!(fixture.request("Ann", "DELETE", &dan_path, &Value::Null).status, 204);
    assert_eq!(fixture.get_status("Dan", &doc.path), 404);
    // A document may be shared only with teams of its owner.
    let personal = fixture.create_document("Ann", "me", "/");
    assert_eq!(
        fixture.share_status_and_text("Ann", "POST", &personal.share_body(json!({ "team": team }))),
        (400, "team: no such team of the owner".to_owned())
    );
    let recipient = doc.share_body(json!({ "team": team }));
    assert_eq!(fixture.request("Ann", "DELETE", "/share", &recipient).status, 204);
}

#[test]
fn invalid_share_request_names_the_field() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let check = |method: &str, body: Value, expected: &str| {
        let (status, text) = fixture.share_status_and_text("Ann", method, &body);
        assert_eq!((status, text.as_str()), (400, expected), "{body}");
    };
    let check_fields = |method: &str, fields: Value, expected: &str| {
        check(method, doc.share_body(fields), expected);
    };
    check("POST", json!({ "document": doc.id }), "owner: is required");
    check("POST", json!({ "owner": "me" }), "document: is required unless folder is given");
    check_fields("POST", json!({ "folder": "/" }), "folder: must be absent if document is given");
    check(
        "POST",
        json!({ "owner": "me", "folder": "/" }),
        "folder: must not be the root, which cannot be shared",
    );
    check_fields("POST", json!({ "mode": "rw" }), "mode: must be r or w");
    check_fields("POST", json!({ "user_id": "12345" }), "user_id: no such user");
    check_fields(
        "POST",
        json!({ "user_id": "me" }),
        "user_id: must not be the owner, who always has access",
    );
    check_fields(
        "POST",
        json!({ "user_id": "1", "email": "a@example.org" }),
        "email: must be absent if user_id is given",
    );
    check_fields("POST", json!({ "link": "x" }), "link: must be absent when creating a link");
    check_fields("PATCH", json!({}), "link: is required unless user_id, email or team is given");
    check_fields("DELETE", json!({}), "link: is required unless user_id, email or team is given");
    let (status, text) =
        fixture.share_status_and_text("Ann", "POST", &doc.share_body(json!({ "email": "nobody" })));
    assert_eq!((status, &text[..7]), (400, "email: "));
    fixture.share("Ann", &doc.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    check_fields(
        "PATCH",
        json!({ "user_id": fixture.user_id("Ben"), "rotate": true }),
        "rotate: must be false unless the share is a link or an invitation",
    );
}

#[test]
fn document_in_trash_cannot_be_shared() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    fixture.share("Ann", &doc.share_body(json!({ "user_id": fixture.user_id("Ben") })));
    assert_eq!(fixture.request("Ann", "DELETE", &doc.path, &Value::Null).status, 204);
    let (status, text) = fixture.share_status_and_text("Ann", "POST", &doc.share_body(json!({})));
    assert_eq!(
        (status, text.as_str()),
        (409, "the document or folder is in the trash; restore it first")
    );
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);
}

#[test]
fn own_entry_can_be_named_as_me() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    let ben = fixture.user_id("Ben");
    fixture.share("Ann", &doc.share_body(json!({ "user_id": ben, "mode": "w" })));
    let own = doc.share_body(json!({ "user_id": "me", "mode": "r" }));
    let absent = (404, "no such share".to_owned());
    assert_eq!(fixture.share_status_and_text("Ann", "PATCH", &own), absent);
    let changed = fixture.request("Ben", "PATCH", "/share", &own);
    assert_eq!((changed.status, &changed.json()["user_id"]), (200, &json!(ben)));
    assert_eq!(fixture.get_json("Ben", &doc.path)["mode"], "r");
    fixture.share("Ann", &doc.share_body(json!({ "user_id": ben, "mode": "w" })));
    assert_eq!(fixture.request("Ben", "DELETE", "/share", &own).status, 204);
    assert_eq!(fixture.get_status("Ben", &doc.path), 404);
}

#[test]
fn changed_address_of_an_entry_changes_its_comparison_key() {
    let fixture = SharingFixture::new();
    let doc = fixture.create_document("Ann", "me", "/");
    fixture.share("Ann", &doc.share_body(json!({ "email": "old@example.org" })));
    let db = &fixture.server.app.db;
    let id = NodeId::from_text(doc.id.as_str());
    db.write(move |tx| {
        let mut entry = access::list_direct_entries(tx, &id)?.remove(0);
        entry.email = Some("New@Example.org".to_owned());
        access::update_entry(tx, &entry)
    })
    .unwrap();
    let count =
        |key: &str| db.read(|tx| Ok(access::list_invitations_to_address(tx, key)?.len())).unwrap();
    assert_eq!((count("new@example.org"), count("old@example.org")), (1, 0));
}

#[test]
fn accepted_invitation_never_shortens_existing_access() {
    let fixture = SharingFixture::new();
    let (soon, later) = ("2098-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
    // Mode and expiry of the entry, of the invitation, and of the entry after the acceptance.
    let cases = [
        (("r", None), ("w", Some(soon)), ("r", None)),
        (("w", Some(soon)), ("r", None), ("w", Some(soon))),
        (("r", Some(soon)), ("r", Some(later)), ("r", Some(later))),
        (("r", Some(later)), ("r", Some(soon)), ("r", Some(later))),
        (("r", Some(soon)), ("w", Some(soon)), ("w", Some(soon))),
        (("r", Some(soon)), ("w", None), ("w", None)),
        (("w", None), ("r", None), ("w", None)),
    ];
    for (index, (present, invited, expected)) in cases.into_iter().enumerate() {
        let doc = fixture.create_document("Ann", "me", "/");
        let share = |recipient: Value, (mode, expires): (&str, Option<&str>)| {
            let mut body = doc.share_body(recipient);
            (body["mode"], body["expires_at"]) = (json!(mode), json!(expires));
            fixture.share("Ann", &body)
        };
        share(json!({ "user_id": fixture.user_id("Ben") }), present);
        let invitation = share(json!({ "email": format!("ben{index}@example.com") }), invited);
        let ben = &fixture.users[1].2;
        let path = format!("/s/{}", link_token(&invitation));
        let headers = [("authorization", ben.as_str()), ("origin", "http://127.0.0.1:8080")];
        let accepted = fixture.server.send("POST", &path, &headers, "");
        assert_eq!(accepted.status, 303, "{}", accepted.text);
        let acl = fixture.get_json("Ann", &doc.path)["acl"].clone();
        assert_eq!(acl.as_array().unwrap().len(), 1, "{acl}");
        let found = (acl[0]["mode"].as_str().unwrap(), acl[0]["expires_at"].as_str());
        let expires = expected.1.map(|time| time.replace('Z', ".000Z"));
        assert_eq!(found, (expected.0, expires.as_deref()), "{index}");
    }
}
