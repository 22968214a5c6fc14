//! Images of documents at a provider: previews and thumbnails.

use serde_json::Value;
use serde_json::json;

use super::Setup;
use super::code_of;
use super::documents::FILE_PROVIDERS;
use super::documents::create;
use crate::sync::policy::forbid_documents;

/// Returns the path of the thumbnail of the only document in the root folder.
fn thumbnail_path(setup: &Setup, id: &str) -> String {
    let list = setup.server.ann().get(&setup.path(id, "/folders")).expect(200).json();
    let url = list["results"][0]["urls"]["thumbnail"].as_str().unwrap().to_owned();
    url.strip_prefix(&setup.server.base_url).unwrap().to_owned()
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
    let exports = [format!("{path}/data.csv"), format!("{path}/data.xlsx")];
    exports.iter().for_each(|export| drop(ann.get(export).expect(200)));
    forbid_documents(&setup.server, &ann);
    setup.stand_in.lock().log.clear();
    setup.server.guest().get(preview).expect(403);
    ann.get(&thumbnail).expect(403);
    exports.iter().for_each(|export| drop(ann.get(export).expect(403)));
    assert_eq!(setup.stand_in.lock().log, [""; 0], "no request for a forbidden document");
}

#[test]
fn the_thumbnail_of_a_known_revision_needs_no_request_to_the_provider() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        let path = create(&setup, &id, "Sales");
        let url = thumbnail_path(&setup, &id);
        let first = ann.get(&url).expect(200);
        assert!(first.body.starts_with(b"\x89PNG"), "{provider}");
        // 640 x 360 pixels, in the proportions of the chart.
        assert_eq!(first.body[16..24], [0, 0, 2, 128, 0, 0, 1, 104], "{provider}");
        let tag = first.header("etag").to_owned();
        setup.stand_in.lock().log.clear();
        let second = ann.get(&url).expect(200);
        assert!(second.body == first.body && second.header("etag") == tag, "{provider}");
        assert_eq!(ann.with_header("if-none-match", &tag).get(&url).status, 304, "{provider}");
        assert_eq!(setup.stand_in.lock().log, [""; 0], "{provider}");
        setup.server.ben().get(&url).expect(404);
        // A save changes the revision, and with it the address and the image.
        let changed = json!({ "title": "New", "data": [{ "label": "a", "value": 1 }] });
        ann.put(&path, changed).expect(200);
        let new_url = thumbnail_path(&setup, &id);
        assert_ne!(new_url, url, "{provider}");
        let new = ann.get(&new_url).expect(200);
        assert!(new.body != first.body && new.header("etag") != tag, "{provider}");
        // The newest image, also for an old revision that is not in the cache and without one.
        for query in ["", "?revision=unknown"] {
            let newest = ann.get(&format!("{path}/thumbnail.png{query}")).expect(200);
            assert!(newest.body == new.body, "{provider} {query}");
        }
    }
}

#[test]
fn a_thumbnail_without_a_revision_asks_only_for_the_revision() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let path = create(&setup, &id, "Sales");
    let ann = setup.server.ann();
    ann.get(&format!("{path}/thumbnail.png")).expect(200);
    setup.stand_in.lock().log.clear();
    ann.get(&format!("{path}/thumbnail.png")).expect(200);
    assert_eq!(setup.stand_in.lock().log, ["POST /2/files/get_metadata +token"]);
}

#[test]
fn an_invalid_setting_and_a_foreign_theme_are_warnings_in_images() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let file = json!({
        "format": "chartroom", "format_version": 1, "plugin_id": "bar", "title": "Odd",
        "data": [{ "label": "a", "value": 1 }],
        "settings": { "orientation": "up" }, "theme": "Abcdefghijk/brand",
    });
    let name = "Odd.chart.json";
    setup.stand_in.lock().tree.add_file("root", name, file.to_string().as_bytes());
    let ann = setup.server.ann();
    let thumbnail = thumbnail_path(&setup, &id);
    let warnings = ann.get(&thumbnail).expect(200).header("x-chart-warnings").to_owned();
    assert!(warnings.contains("Abcdefghijk/brand") && warnings.contains("orientation"));
    let path = thumbnail.split("/thumbnail.png").next().unwrap();
    let preview: Value = ann.get(&format!("{path}/request-preview")).expect(200).json();
    let preview = preview["url"].as_str().unwrap().strip_prefix(&setup.server.base_url).unwrap();
    setup.server.guest().get(preview).expect(200);
}

#[test]
fn a_cached_thumbnail_ends_with_the_access_to_the_file() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        let path = create(&setup, &id, "Sales");
        let url = thumbnail_path(&setup, &id);
        let tag = ann.get(&url).expect(200).header("etag").to_owned();
        let file = setup.stand_in.lock().tree.nodes[0].id.clone();
        assert!(setup.stand_in.lock().tree.trash(&file));
        // Any request that learns it ends the thumbnail, also for a browser that has the image.
        ann.get(&path).expect(404);
        ann.get(&url).expect(404);
        let known = ann.with_header("if-none-match", &tag);
        assert_eq!(known.get(&url).status, 404, "{provider}");
    }
}

#[test]
fn a_cached_thumbnail_ends_with_the_connection() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        create(&setup, &id, "Sales");
        let url = thumbnail_path(&setup, &id);
        let tag = ann.get(&url).expect(200).header("etag").to_owned();
        setup.stand_in.lock().oauth.grants.iter_mut().for_each(|grant| grant.is_revoked = true);
        let list = ann.get(&setup.path(&id, "/folders"));
        assert_eq!(code_of(&list, 403), "reconnect_required", "{provider}");
        assert_eq!(code_of(&ann.get(&url), 403), "reconnect_required", "{provider}");
        let known = ann.with_header("if-none-match", &tag).get(&url);
        assert_eq!(code_of(&known, 403), "reconnect_required", "{provider}");
        ann.delete(&setup.path(&id, "")).expect(204);
        ann.get(&url).expect(404);
    }
}

#[test]
fn a_file_that_cannot_be_rendered_is_downloaded_once_for_each_revision() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let ann = setup.server.ann();
    let unknown_kind = json!({ "format": "chartroom", "format_version": 1, "plugin_id": "no" });
    let node = {
        let mut state = setup.stand_in.lock();
        state.tree.add_file("root", "Odd.chart.json", b"{ no JSON")
    };
    for body in [b"{ no JSON".to_vec(), unknown_kind.to_string().into_bytes()] {
        assert!(setup.stand_in.lock().tree.set_content(&node, &body));
        let url = thumbnail_path(&setup, &id);
        let first = ann.get(&url);
        assert_eq!(code_of(&first, 502), "remote_unreadable");
        let url = thumbnail_path(&setup, &id);
        setup.stand_in.lock().log.clear();
        let second = ann.get(&url);
        assert_eq!(second.json()["detail"], first.json()["detail"]);
        assert_eq!(setup.stand_in.lock().log, [""; 0], "the file has the same revision");
    }
    // A failure of the provider is not one of the file.
    let good = json!({
        "format": "chartroom", "format_version": 1, "plugin_id": "bar", "title": "Good",
        "data": [{ "label": "a", "value": 1 }],
    });
    assert!(setup.stand_in.lock().tree.set_content(&node, good.to_string().as_bytes()));
    let url = thumbnail_path(&setup, &id);
    let busy = chartroom_stand_ins::http::Response::text(500, "");
    setup.stand_in.lock().outage = Some(("files/download", busy));
    assert_eq!(code_of(&ann.get(&url), 502), "remote_failed");
    setup.stand_in.lock().outage = None;
    ann.get(&url).expect(200);
}
