//! Documents over the wire: from a CSV to a picture, limits, compressed and repeated reads.

use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::world::World;

/// The path of a new document of Ann's.
fn made(world: &World, kind: &str) -> String {
    let made = world.ann().post("/api/v1/create-document", json!({ "widget": kind })).expect(200);
    let endpoint = made.json()["endpoint"].as_str().unwrap().to_owned();
    endpoint.strip_prefix(&world.base).unwrap().to_owned()
}

#[test]
fn a_csv_becomes_a_document_and_its_pictures() {
    let world = World::new();
    let path = made(&world, "bar");
    let table = include_str!("../../../examples/regions.csv");
    let csv = world.ann().with("content-type", "text/csv");
    csv.send("PUT", &format!("{path}/data"), Some(table)).expect(200);
    world.ann().patch(&path, json!({ "title": "The north carries the season" })).expect(200);
    let document = world.ann().get(&path).expect(200).json();
    assert_eq!(document["data"].as_array().unwrap().len(), table.trim().lines().count() - 1);
    let north = json!({ "label": "North", "value": 1284.5, "highlighted": true });
    assert_eq!(document["data"][0], north);
    let svg = world.ann().get(&format!("{path}.svg")).expect(200);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(svg.text().contains("The north carries the season"));
    let png = world.ann().get(&format!("{path}.png?scale=1")).expect(200);
    let reader = png::Decoder::new(std::io::Cursor::new(png.body)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (720, 405));
    let page = world.ann().get(&format!("{path}.html")).expect(200);
    assert_eq!(page.header("x-frame-options"), "");
    assert!(page.header("content-security-policy").ends_with("frame-ancestors *"));
}

#[test]
fn a_document_in_a_file_is_drawn_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/regions.json");
    let render = |file: &str, name: &str| {
        let picture = dir.path().join(name);
        let arguments = ["render", file, "-o", picture.to_str().unwrap()];
        let output = crate::world::run(dir.path(), &[], &arguments, "");
        (output.status.code(), std::fs::read(&picture).unwrap_or_default())
    };
    assert!(render(file, "a.svg").1.starts_with(b"<svg"));
    assert!(render(file, "a.png").1.starts_with(b"\x89PNG"));
    assert_eq!(render(file, "a.gif").0, Some(2));
}

#[test]
fn every_kind_makes_a_document_that_can_be_drawn() {
    let world = World::new();
    let portfolio = world.ann().get("/api/v1/portfolio").expect(200).json();
    let kinds = portfolio["widgets"].as_object().unwrap();
    assert!(kinds.len() >= 10);
    for kind in kinds.values() {
        let path = made(&world, kind["slug"].as_str().unwrap());
        let svg = world.ann().get(&format!("{path}.svg")).expect(200).text();
        assert!(!svg.contains("No data"), "{}", kind["slug"]);
    }
}

#[test]
fn bodies_have_a_limit() {
    let world = World::with(&[
        ("max_document_bytes", "20000"),
        ("max_body_bytes", "12000"),
        ("max_records", "3"),
    ]);
    let path = made(&world, "bar");
    let large = json!({ "title": "x".repeat(30_000) });
    world.ann().put(&path, large).expect(413);
    world.ann().put(&path, json!({ "data": [{}, {}, {}, {}] })).expect(400);
    let note = "y".repeat(9000);
    world.ann().put(&path, json!({ "data": [{ "note": note }] })).expect(200);
    let add = format!("{path}/add-record");
    world.ann().post(&add, json!({ "note": note })).expect(204);
    world.ann().post(&add, json!({ "note": note })).expect(413);
    world.ann().post(&add, json!({})).expect(204);
    world.ann().post(&add, json!({})).expect(400);
}

#[test]
fn a_compressed_answer_still_names_the_revision() {
    let world = World::new();
    let path = made(&world, "bar");
    let read = world.ann().with("accept-encoding", "br").get(&path).expect(200);
    assert_eq!(read.header("content-encoding"), "br");
    let tag = read.header("etag").to_owned();
    world.ann().with("accept-encoding", "br").with("if-none-match", &tag).get(&path).expect(304);
    world.ann().with("if-match", &tag).patch(&path, json!({ "title": "One" })).expect(200);
    let stale = world.ann().with("if-match", &tag).patch(&path, json!({ "title": "Two" }));
    let problem = stale.expect(412).json();
    let current = world.ann().with("accept-encoding", "identity").get(&path).expect(200);
    assert_eq!(problem["etag"], current.header("etag"));
    assert_eq!(problem["updated"], current.json()["updated"]);
    assert_eq!(problem["updated_by"], current.json()["updated_by"]);
}

#[test]
fn what_is_listed_can_be_changed_as_it_was_listed() {
    let world = World::new();
    let ann = world.ann();
    let body = json!({ "widget": "bar", "folder": "/Here" });
    let id = ann.post("/api/v1/create-document", body).expect(200).json()["id"].clone();
    let document = format!("/api/v1/users/{}/documents/{}", ann.id, id.as_str().unwrap());
    let listed = |place: &str| {
        let list = ann.get(&format!("/api/v1/users/me/{place}")).expect(200).json();
        let entry = &list["results"][0];
        let endpoint = entry["urls"]["endpoint"].as_str().unwrap();
        let path = &endpoint[endpoint.find("/api/").unwrap()..];
        (path.to_owned(), entry["etag"].as_str().unwrap().to_owned())
    };
    for place in ["list", "list/Here"] {
        let (path, tag) = listed(place);
        let guarded = ann.with("if-match", &tag);
        // A document's own tag tells its representations apart by what follows a plus sign.
        let own = ann.get(&path).expect(200).header("etag").to_owned();
        assert_eq!(own.split('+').next(), tag.strip_suffix('"'), "{own} {tag}");
        let gone = guarded.delete(&path).expect(204).header("etag").to_owned();
        assert_ne!(gone, tag);
        assert_eq!(listed("trash").1, gone);
        let back = json!({ "action": "restore" });
        let stale = guarded.post(&path, back.clone()).expect(412).json();
        assert_eq!((&stale["etag"], &stale["updated_by_name"]), (&json!(gone), &json!("Ann")));
        let again = ann.with("if-match", &gone).post(&path, back).expect(204);
        assert_eq!(again.header("etag"), listed(place).1);
    }
    // A guest with a link learns no names.
    let share = json!({ "owner": ann.id, "document": id, "mode": "w" });
    let link = ann.post("/api/v1/share", share).expect(200).json()["link"].to_string();
    let token = link.trim_matches('"').rsplit('/').next().unwrap().to_owned();
    let guest = world.nobody().with("if-match", "\"other\"");
    let stale = guest.patch(&format!("{document}?share={token}"), json!({ "title": "X" }));
    assert_eq!(stale.expect(412).json().get("updated_by_name"), None);
}

/// The files with thumbnails of a document.
fn thumbnails(world: &World, path: &str) -> Vec<PathBuf> {
    let id = path.rsplit('/').next().unwrap();
    let folders = std::fs::read_dir(world.path().join("thumbnails")).into_iter().flatten();
    let files = folders.flat_map(|it| std::fs::read_dir(it.unwrap().path()).unwrap());
    let files = files.map(|it| it.unwrap().path());
    files
        .filter(|it| it.to_str().unwrap().contains(id) && it.extension().unwrap() == "png")
        .collect()
}

/// Waits for what happens in the background.
fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_thumbnail_is_drawn_in_the_background_and_goes_with_the_document() {
    let world = World::new();
    let path = made(&world, "bar");
    wait_until(|| thumbnails(&world, &path).len() == 1);
    let address = format!("{path}/thumbnail.png");
    let thumbnail = world.ann().get(&address).expect(200);
    let drawn = thumbnails(&world, &path);
    assert_eq!(thumbnail.body, std::fs::read(&drawn[0]).unwrap());
    assert_eq!(thumbnail.header("cache-control"), "private, no-cache");
    let reader =
        png::Decoder::new(std::io::Cursor::new(thumbnail.body.as_slice())).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (640, 360));
    let tag = thumbnail.header("etag").to_owned();
    let unchanged = world.ann().with("if-none-match", &tag).get(&address).expect(304);
    assert_eq!((unchanged.header("etag"), unchanged.body.len()), (tag.as_str(), 0));
    world.cid().get(&address).expect(404);
    world.cid().with("if-none-match", &tag).get(&address).expect(404);

    // Every save is drawn after a while, by nobody's asking.
    world.ann().patch(&path, json!({ "title": "Other" })).expect(200);
    wait_until(|| !thumbnails(&world, &path).contains(&drawn[0]));
    assert_eq!(thumbnails(&world, &path).len(), 1);
    world.ann().delete(&format!("{path}?expunge=1")).expect(204);
    wait_until(|| thumbnails(&world, &path).is_empty());
    world.ann().get(&address).expect(404);
}

#[test]
fn a_thumbnail_is_never_older_than_the_document() {
    let world = World::new();
    let path = made(&world, "bar");
    let address = format!("{path}/thumbnail.png");
    let first = world.ann().get(&address).expect(200);
    let tag = first.header("etag").to_owned();
    // At once, before anything was drawn in the background.
    world
        .ann()
        .post(&format!("{path}/add-record"), json!({ "label": "Z", "value": 9e6 }))
        .expect(204);
    let second = world.ann().with("if-none-match", &tag).get(&address).expect(200);
    assert_ne!(second.body, first.body);
    assert_ne!(second.header("etag"), tag);
    let again = world.ann().get(&address).expect(200);
    assert_eq!((&again.body, again.header("etag")), (&second.body, second.header("etag")));
}

#[test]
fn thumbnails_have_bounded_room() {
    let world = World::with(&[("thumbnail_bytes", "256")]);
    for _ in 0..3 {
        let path = made(&world, "bar");
        // Only the last one stays in its folder, and all are served.
        world.ann().get(&format!("{path}/thumbnail.png")).expect(200);
        wait_until(|| thumbnails(&world, &path).len() == 1);
    }
}

#[test]
fn an_answer_is_never_that_of_an_earlier_state() {
    let world = World::new();
    let (ann, ben) = (world.ann(), world.ben());
    let path = made(&world, "bar");
    let id = path.rsplit('/').next().unwrap().to_owned();
    let owner = json!(crate::world::people()[0].id);
    let entry = json!({ "owner": owner, "document": id, "email": "ben@example.org", "mode": "r" });
    // Asked twice, so that the second is what was kept of the first, if anything is.
    let read = || {
        let first = ann.get(&path).expect(200).json();
        assert_eq!(ann.get(&path).expect(200).json(), first);
        first
    };
    let before = read();
    ann.post(&format!("{path}/add-record"), json!({ "label": "New", "value": 1 })).expect(204);
    let data = |it: &serde_json::Value| it["data"].as_array().unwrap().len();
    assert_eq!(data(&read()), data(&before) + 1);
    ann.put(&path, json!({ "title": "Other", "isPublic": true })).expect(200);
    let now = read();
    assert_eq!((&now["title"], &now["isPublic"]), (&json!("Other"), &json!(true)));
    ann.post("/api/v1/share", entry.clone()).expect(200);
    assert_eq!(read()["acl"].as_array().unwrap().len(), 1);
    let theirs = ben.get(&path).expect(200).json();
    assert_eq!((theirs["mode"].clone(), read()["mode"].clone()), (json!("r"), json!("w")));
    ann.send("DELETE", "/api/v1/share", Some(&entry.to_string())).expect(204);
    assert_eq!(read()["acl"], json!([]));
    ann.patch("/api/v1/user", json!({ "name": "Anna" })).expect(200);
    assert_eq!(read()["owner_name"], "Anna");
}
