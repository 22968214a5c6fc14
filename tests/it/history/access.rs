//! Tests of access to the history: only accounts with access may read and change it.

use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::id::AccountId;
use serde_json::json;

use super::LINK;
use super::World;

/// Requests about the history of a document: method, rest of the path, body, and whether the
/// request needs write access.
const ASKED: [(&str, &str, &str, bool); 6] = [
    ("GET", "/history", "", false),
    ("GET", "/history/2", "", false),
    ("GET", "/history/2.svg", "", false),
    ("GET", "/history/2/diff?against=1", "", false),
    ("PATCH", "/history/2", r#"{"name":"N"}"#, true),
    ("POST", "/history/2/restore", "", true),
];

/// Id of a document that does not exist.
const ABSENT: &str = "01900000-0000-7000-8000-000000000000";

#[test]
fn readers_read_it_and_writers_go_back() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Now" }));
    world.share(&path, &world.ben_id, "r");
    world.share(&path, &world.cid_id, "w");
    for (method, rest, body, writes) in ASKED {
        let ask = |who: &str| world.server.ask(who, method, &format!("{path}{rest}"), body);
        let ben = ask(&world.ben);
        assert_eq!(ben.status, if writes { 403 } else { 200 }, "{method} {rest}: {}", ben.text);
        let cid = ask(&world.cid);
        assert_eq!(cid.status, 200, "{method} {rest}: {}", cid.text);
        let dora = ask(&world.dora);
        assert_eq!((dora.status, dora.text.as_str()), (404, "no such document"), "{method} {rest}");
    }
    let newest = world.get(&format!("{path}/history"))["results"][0].clone();
    assert_eq!((&newest["channel"], &newest["author"]["name"]), (&json!("restore"), &json!("Cid")));
}

#[test]
fn a_link_or_being_public_opens_what_a_document_is_not_what_it_was() {
    let world = World::new();
    let path = world.document();
    world.version(&path, json!({ "title": "Now", "isPublic": true }));
    world.share_by_link(&path, "w");
    let absent = path.replace(path.rsplit('/').next().unwrap(), ABSENT);
    let guest = |method: &str, path: &str, who: Option<&str>, body: &str| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(who.map(|it| ("authorization", it)));
        world.server.send(method, path, &headers, body)
    };
    for (method, rest, body, _) in ASKED {
        let join = if rest.contains('?') { '&' } else { '?' };
        for (suffix, who) in [
            (String::new(), None),
            (String::new(), Some(world.dora.as_str())),
            (format!("{join}share={LINK}"), None),
            (format!("{join}share={LINK}"), Some(world.dora.as_str())),
        ] {
            let there = guest(method, &format!("{path}{rest}{suffix}"), who, body);
            let nothing = guest(method, &format!("{absent}{rest}{suffix}"), who, body);
            assert_eq!(there.status, if suffix.is_empty() && who.is_none() { 401 } else { 404 });
            assert_eq!((there.status, &there.text), (nothing.status, &nothing.text), "{rest}");
        }
    }
    // The caller gets the current image. An older one looks absent.
    let draw = |path: &str| guest("GET", path, None, "");
    assert_eq!(draw(&format!("{path}.svg")).status, 200);
    assert_eq!(draw(&format!("{path}.svg?history_version=3")).status, 200);
    for number in [2, 77] {
        let hidden = draw(&format!("{path}.svg?history_version={number}"));
        let found = (hidden.status, hidden.text.as_str());
        assert_eq!(found, (400, "history_version: there is no such version"));
        let body = json!({ "action": "fork", "history_version": number }).to_string();
        let hidden = guest("POST", &path, Some(&world.dora), &body);
        let found = (hidden.status, hidden.text.as_str());
        assert_eq!(found, (400, "history_version: there is no such version"));
    }
    let body = json!({ "action": "fork", "history_version": 3 }).to_string();
    assert_eq!(guest("POST", &path, Some(&world.dora), &body).status, 200);
    // A token that Ann passes on opens the current document.
    let got = world.get(&format!("{path}?include_download_url=svg"));
    let url = got["download_url"].as_str().unwrap();
    let url = &url[url.find("/api/").unwrap()..];
    assert_eq!(draw(url).status, 200);
    assert_eq!(draw(&format!("{url}&history_version=2")).status, 400);
}

#[test]
fn people_of_an_organization_read_the_history_of_its_documents() {
    let world = World::new();
    let path = world.document();
    let org = organization(&world);
    let body = json!({ "owner": org, "folder": "/" });
    let moved = world.ann("POST", &format!("{path}/move"), &body.to_string());
    assert_eq!(moved.status, 200, "{}", moved.text);
    let ben = |rest: &str| world.server.ask(&world.ben, "GET", &format!("{path}{rest}"), "").status;
    // The old address no longer exists.
    assert_eq!(ben("/history"), 404);
    let place = path.replace(&world.ann_id, &org);
    let list = world.server.ask(&world.ben, "GET", &format!("{place}/history"), "");
    assert_eq!(list.json()["count"], 2);
    let dora = world.server.ask(&world.dora, "GET", &format!("{place}/history"), "");
    assert_eq!(dora.status, 404);
}

/// Creates an organization with Ann and Ben in it and returns its id.
fn organization(world: &World) -> String {
    let (name, slug) = ("Acme".to_owned(), "acme".to_owned());
    let new = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
    let people = [&world.ann_id, &world.ben_id].map(|it| AccountId::from_text(it.as_str()));
    let made = world.server.app.db.write(move |tx| {
        let org = orgs::create_org(tx, &new)?;
        for person in &people {
            orgs::put_member(tx, &org, person, Role::Member)?;
        }
        Ok(org.id.to_string())
    });
    made.unwrap()
}
