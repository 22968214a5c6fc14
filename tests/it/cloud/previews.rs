//! Images of documents at a provider: previews and thumbnails.

use serde_json::json;

use super::Setup;
use super::documents::create;

/// Returns the path of the thumbnail of the only document in the root folder.
fn thumbnail_path(setup: &Setup, id: &str) -> String {
    let list = setup.server.ann().get(&setup.path(id, "/folders")).expect(200).json();
    let url = list["results"][0]["urls"]["thumbnail"].as_str().unwrap().to_owned();
    url.strip_prefix(&setup.server.base_url).unwrap().to_owned()
}

/// Makes Ann the admin of an organization, and forbids documents to its members.
fn forbid_documents(setup: &Setup) {
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team"];
    setup.server.run_json(&[&create[..], &["--seats", "3"]].concat());
    setup.server.run_json(&["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
    let settings = json!({ "disable_document_storage": true });
    setup
        .server
        .ann()
        .send_with_body("PATCH", "/api/v1/orgs/acme/settings", settings)
        .expect(204);
}

#[test]
fn a_preview_needs_only_its_address() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let ann = setup.server.ann();
    let path = create(&setup, &id, "Sales");
    for (kind, start) in [("png", &b"\x89PNG"[..]), ("svg", &b"<svg"[..])] {
        let wanted =
            ann.post(&format!("{path}/request-preview"), json!({ "type": kind })).expect(200);
        let url = wanted.json()["url"].as_str().unwrap().to_owned();
        let shown = setup.server.guest().get(url.strip_prefix(&setup.server.base_url).unwrap());
        assert_eq!(shown.status, 200, "{shown}");
        assert!(shown.body.starts_with(start), "{kind}");
        let middle = url.len() - 20;
        let other = if url.as_bytes()[middle] == b'x' { "y" } else { "x" };
        let changed = format!("{}{other}{}", &url[..middle], &url[middle + 1..]);
        let refused =
            setup.server.guest().get(changed.strip_prefix(&setup.server.base_url).unwrap());
        assert_eq!(refused.status, 404);
    }
    let wanted = ann.get(&format!("{path}/request-preview")).expect(200).json();
    ann.delete(&setup.path(&id, "")).expect(204);
    let url = wanted["url"].as_str().unwrap().strip_prefix(&setup.server.base_url).unwrap();
    assert_eq!(setup.server.guest().get(url).status, 404, "the connection has ended");
    assert_eq!(ann.get(&format!("{path}/request-preview?type=gif")).status, 404);
}

#[test]
fn a_preview_ends_when_the_organization_forbids_documents() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let ann = setup.server.ann();
    let path = create(&setup, &id, "Sales");
    let preview = ann.get(&format!("{path}/request-preview")).expect(200).json();
    let preview = preview["url"].as_str().unwrap().strip_prefix(&setup.server.base_url).unwrap();
    let thumbnail = thumbnail_path(&setup, &id);
    setup.server.guest().get(preview).expect(200);
    ann.get(&thumbnail).expect(200);
    forbid_documents(&setup);
    setup.stand_in.lock().log.clear();
    setup.server.guest().get(preview).expect(403);
    ann.get(&thumbnail).expect(403);
    assert_eq!(setup.stand_in.lock().log, [""; 0], "no request for a forbidden document");
}
