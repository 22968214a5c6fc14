//! Tests of access to the history: only accounts with access may read and change it.

use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::id::AccountId;
use serde_json::json;

use super::HistoryFixture;
use super::LINK_TOKEN;

/// Requests about the history of a document: method, rest of the path, body, and whether the
/// request needs write access.
const HISTORY_REQUESTS: [(&str, &str, &str, bool); 6] = [
    ("GET", "/history", "", false),
    ("GET", "/history/2", "", false),
    ("GET", "/history/2.svg", "", false),
    ("GET", "/history/2/diff?against=1", "", false),
    ("PATCH", "/history/2", r#"{"name":"N"}"#, true),
    ("POST", "/history/2/restore", "", true),
];

/// Id of a document that does not exist.
const ABSENT_DOCUMENT: &str = "01900000-0000-7000-8000-000000000000";

#[test]
fn readers_read_the_history_and_writers_restore_versions() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Now" }));
    fixture.share_with(&path, &fixture.ben_id, "r");
    fixture.share_with(&path, &fixture.cid_id, "w");
    for (method, subpath, body, writes) in HISTORY_REQUESTS {
        let send = |authorization: &str| {
            fixture.server.request(authorization, method, &format!("{path}{subpath}"), body)
        };
        let ben = send(&fixture.ben_auth);
        assert_eq!(ben.status, if writes { 403 } else { 200 }, "{method} {subpath}: {}", ben.text);
        let cid = send(&fixture.cid_auth);
        assert_eq!(cid.status, 200, "{method} {subpath}: {}", cid.text);
        let dora = send(&fixture.dora_auth);
        assert_eq!(
            (dora.status, dora.text.as_str()),
            (404, "no such document"),
            "{method} {subpath}"
        );
    }
    let newest = fixture.get_json(&format!("{path}/history"))["results"][0].clone();
    assert_eq!((&newest["channel"], &newest["author"]["name"]), (&json!("restore"), &json!("Cid")));
}

#[test]
fn link_or_public_access_does_not_open_the_history() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_version(&path, json!({ "title": "Now", "isPublic": true }));
    fixture.share_by_link(&path, "w");
    let absent = path.replace(path.rsplit('/').next().unwrap(), ABSENT_DOCUMENT);
    let send = |method: &str, path: &str, authorization: Option<&str>, body: &str| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(authorization.map(|value| ("authorization", value)));
        fixture.server.send(method, path, &headers, body)
    };
    for (method, subpath, body, _) in HISTORY_REQUESTS {
        let separator = if subpath.contains('?') { '&' } else { '?' };
        for (suffix, authorization) in [
            (String::new(), None),
            (String::new(), Some(fixture.dora_auth.as_str())),
            (format!("{separator}share={LINK_TOKEN}"), None),
            (format!("{separator}share={LINK_TOKEN}"), Some(fixture.dora_auth.as_str())),
        ] {
            let existing = send(method, &format!("{path}{subpath}{suffix}"), authorization, body);
            let missing = send(method, &format!("{absent}{subpath}{suffix}"), authorization, body);
            let is_anonymous = suffix.is_empty() && authorization.is_none();
            assert_eq!(existing.status, if is_anonymous { 401 } else { 404 });
            assert_eq!(
                (existing.status, &existing.text),
                (missing.status, &missing.text),
                "{subpath}"
            );
        }
    }
    // The caller gets the current image. An older one looks absent.
    let get_image = |path: &str| send("GET", path, None, "");
    assert_eq!(get_image(&format!("{path}.svg")).status, 200);
    assert_eq!(get_image(&format!("{path}.svg?history_version=3")).status, 200);
    for number in [2, 77] {
        let hidden = get_image(&format!("{path}.svg?history_version={number}"));
        let status_and_text = (hidden.status, hidden.text.as_str());
        assert_eq!(status_and_text, (400, "history_version: there is no such version"));
        let body = json!({ "action": "fork", "history_version": number }).to_string();
        let hidden = send("POST", &path, Some(&fixture.dora_auth), &body);
        let status_and_text = (hidden.status, hidden.text.as_str());
        assert_eq!(status_and_text, (400, "history_version: there is no such version"));
    }
    let body = json!({ "action": "fork", "history_version": 3 }).to_string();
    assert_eq!(send("POST", &path, Some(&fixture.dora_auth), &body).status, 200);
    // A download token of Ann opens only the current image.
    let with_url = fixture.get_json(&format!("{path}?include_download_url=svg"));
    let url = with_url["download_url"].as_str().unwrap();
    let url = &url[url.find("/api/").unwrap()..];
    assert_eq!(get_image(url).status, 200);
    assert_eq!(get_image(&format!("{url}&history_version=2")).status, 400);
}

#[test]
fn org_members_read_the_history_of_org_documents() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let org = create_org(&fixture);
    let body = json!({ "owner": org, "folder": "/" });
    let moved = fixture.send_as_ann("POST", &format!("{path}/move"), &body.to_string());
    assert_eq!(moved.status, 200, "{}", moved.text);
    let status_as_ben = |rest: &str| {
        fixture.server.request(&fixture.ben_auth, "GET", &format!("{path}{rest}"), "").status
    };
    // The old address no longer exists.
    assert_eq!(status_as_ben("/history"), 404);
    let org_path = path.replace(&fixture.ann_id, &org);
    let list = fixture.server.request(&fixture.ben_auth, "GET", &format!("{org_path}/history"), "");
    assert_eq!(list.json()["count"], 2);
    let dora =
        fixture.server.request(&fixture.dora_auth, "GET", &format!("{org_path}/history"), "");
    assert_eq!(dora.status, 404);
}

/// Creates an organization with Ann and Ben as members and returns its id.
fn create_org(fixture: &HistoryFixture) -> String {
    let (name, slug) = ("Acme".to_owned(), "acme".to_owned());
    let new_org = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
    let users = [&fixture.ann_id, &fixture.ben_id].map(|id| AccountId::from_text(id.as_str()));
    let created = fixture.server.app.db.write(move |tx| {
        let org = orgs::create_org(tx, &new_org)?;
        for person in &users {
            orgs::put_member(tx, &org, person, Role::Member)?;
        }
        Ok(org.id.to_string())
    });
    created.unwrap()
}
