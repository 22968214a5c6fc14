//! Tests of documents of an organization: moves out of it, and its ban of public documents. Ann is
//! the admin, Bea is the brand manager, Ben and Cid are members, Dan is a stranger.

use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;

/// Returns the path of a document of the organization.
fn document_path(id: &str) -> String {
    format!("/api/v1/users/acme/documents/{id}")
}

impl OrgFixture {
    /// Returns whether a document is stored as public.
    fn is_stored_public(&self, id: &str) -> bool {
        let id = id.to_owned();
        let sql = "select is_public from document where id = ?1";
        self.server.app.db.read(|tx| tx.one(sql, [&id], |row| row.get(0))).unwrap()
    }

    /// Creates a link with write access to a document and returns its query parameter.
    fn create_write_link(&self, name: &str, owner: &str, id: &str) -> String {
        let body = json!({ "owner": owner, "document": id, "mode": "w" });
        let created = self.request(name, "POST", "/api/v1/share", body);
        assert_eq!(created.status, 200, "{}", created.text);
        let link = created.json()["link"].as_str().unwrap().to_owned();
        format!("share={}", link.rsplit('/').next().unwrap())
    }
}

#[test]
fn member_copies_but_does_not_move_documents_out_of_the_organization() {
    let fixture = OrgFixture::new();
    let id = fixture.create_chart("Ben", "acme");
    let path = document_path(&id);
    let error =
        "moving out of an organization requires the role brand_manager or admin; copy instead";
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({ "owner": "me" })),
        ("PATCH", path.clone(), json!({ "owner": "me", "folder": "/Mine" })),
        ("POST", format!("{path}/move"), json!({ "owner": "me" })),
        ("PUT", path.clone(), json!({ "title": "T", "owner": fixture.user_id("Ben") })),
    ] {
        let refused = fixture.request("Ben", method, &path, body);
        assert_eq!((refused.status, refused.text.as_str()), (403, error), "{method} {path}");
    }
    assert_eq!(fixture.request("Cid", "GET", &path, Value::Null).status, 200);
    // Moves within the organization and copies stay allowed.
    let moved = json!({ "owner": "acme", "folder": "/Plans" });
    assert_eq!(fixture.request("Ben", "PATCH", &path, moved).status, 200);
    let body = json!({ "template": id, "owner": "me" });
    assert_eq!(fixture.request("Ben", "POST", "/api/v1/create-document", body).status, 200);
    let fork = json!({ "action": "fork" });
    assert_eq!(fixture.request("Ben", "POST", &path, fork).status, 200);

    for name in ["Bea", "Ann"] {
        let path = document_path(&fixture.create_chart("Ben", "acme"));
        let moved =
            fixture.request(name, "POST", &format!("{path}/move"), json!({ "owner": "me" }));
        assert_eq!(moved.status, 200, "{name}: {}", moved.text);
        assert_eq!(moved.json()["owner"], fixture.user_id(name));
    }
}

#[test]
fn member_does_not_move_folders_out_of_the_organization() {
    let fixture = OrgFixture::new();
    let path = "/api/v1/users/acme/folders/Plans";
    assert_eq!(fixture.request("Ben", "PUT", path, Value::Null).status, 200);
    let transfer = |name: &str| fixture.request(name, "PUT", path, json!({ "owner": "me" }));
    let refused = transfer("Ben");
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(fixture.request("Ben", "GET", path, Value::Null).status, 200);
    let duplicate = json!({ "action": "duplicate" });
    assert_eq!(fixture.request("Ben", "POST", path, duplicate).status, 200);
    assert_eq!(transfer("Bea").status, 200);
}

#[test]
fn guest_with_a_write_link_does_not_publish_a_document() {
    let fixture = OrgFixture::new();
    let id = fixture.create_chart("Ben", "me");
    let own_path = format!("/api/v1/users/me/documents/{id}");
    let link = fixture.create_write_link("Ben", "me", &id);
    let guest_path = format!("/api/v1/users/{}/documents/{id}?{link}", fixture.user_id("Ben"));
    let headers = [("content-type", "application/json")];
    let put_as_guest =
        |body: Value| fixture.server.send("PUT", &guest_path, &headers, &body.to_string());

    let refused = put_as_guest(json!({ "title": "T", "isPublic": true }));
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.text.starts_with("isPublic must not be changed"), "{}", refused.text);
    // The account of another person with the link has no access of its own.
    let body = json!({ "title": "T", "isPublic": true });
    assert_eq!(fixture.request("Dan", "PUT", &guest_path, body.clone()).status, 403);
    assert!(!fixture.is_stored_public(&id));
    assert_eq!(put_as_guest(json!({ "title": "Guest", "isPublic": false })).status, 200);

    assert_eq!(fixture.request("Ben", "PUT", &own_path, body).status, 200);
    assert!(fixture.is_stored_public(&id));
    // An omitted field resets the value for the owner, but a guest keeps it.
    assert_eq!(put_as_guest(json!({ "title": "Guest" })).status, 200);
    assert!(fixture.is_stored_public(&id));
    assert_eq!(put_as_guest(json!({ "title": "Guest", "isPublic": false })).status, 403);
    assert_eq!(put_as_guest(json!({ "title": "Guest", "isPublic": true })).status, 200);
    assert_eq!(fixture.request("Ben", "PUT", &own_path, json!({ "title": "T" })).status, 200);
    assert!(!fixture.is_stored_public(&id));
}

#[test]
fn changes_keep_the_stored_value_while_the_organization_forbids_public_documents() {
    let fixture = OrgFixture::new();
    let id = fixture.create_chart("Ben", "acme");
    let path = document_path(&id);
    let put = json!({ "title": "T", "isPublic": true });
    assert_eq!(fixture.request("Ben", "PUT", &path, put).status, 200);
    let public_status = || fixture.server.send("GET", &path, &[], "").status;
    assert_eq!(public_status(), 200);
    fixture.server.execute_sql("update org set settings = '{\"disable_public_documents\":true}'");
    assert_eq!(public_status(), 401);
    let data = json!([{ "label": "A", "value": 1 }]);
    let read = fixture.request("Ben", "GET", &path, Value::Null).json();
    assert_eq!(read["isPublic"], false);
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({ "title": "Renamed" })),
        ("PATCH", path.clone(), json!({ "folder": "/Plans" })),
        ("PUT", format!("{path}/data"), data),
        ("POST", format!("{path}/history/1/restore"), json!({})),
    ] {
        let response = fixture.request("Ben", method, &path, body);
        assert_eq!(response.status, 200, "{method} {path}: {}", response.text);
        assert!(fixture.is_stored_public(&id), "{method} {path}");
        assert_eq!(public_status(), 401, "{method} {path}");
    }
    // In another account, the document stays as private as it looks.
    let other = fixture.create_chart("Ben", "acme");
    let publish = json!({ "title": "T", "isPublic": true });
    fixture.server.execute_sql("update org set settings = '{}'");
    assert_eq!(fixture.request("Ann", "PUT", &document_path(&other), publish).status, 200);
    fixture.server.execute_sql("update org set settings = '{\"disable_public_documents\":true}'");
    let moved = fixture.request("Ann", "PATCH", &document_path(&other), json!({ "owner": "me" }));
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert!(!fixture.is_stored_public(&other));

    fixture.server.execute_sql("update org set settings = '{}'");
    assert_eq!(public_status(), 200, "the document is public again");
    assert_eq!(fixture.request("Ben", "PUT", &path, json!({ "title": "T" })).status, 200);
    assert!(!fixture.is_stored_public(&id));
}
