//! Tests of documents with the real program: images, limits, compression, entity tags, thumbnails.

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::client::Response;
use crate::server_process::ServerProcess;

/// Creates a document of Ann and returns its path.
pub fn create_chart(server: &ServerProcess, kind: &str) -> String {
    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": kind })).expect(200);
    let endpoint = created.json()["endpoint"].as_str().unwrap().to_owned();
    endpoint.strip_prefix(&server.base_url).unwrap().to_owned()
}

#[test]
fn csv_upload_is_rendered_in_all_formats() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    let table = include_str!("../../../examples/regions.csv");
    let csv = server.ann().with_header("content-type", "text/csv");
    csv.send("PUT", &format!("{path}/data"), Some(table)).expect(200);
    server.ann().patch(&path, json!({ "title": "The north carries the season" })).expect(200);
    let document = server.ann().get(&path).expect(200).json();
    assert_eq!(document["data"].as_array().unwrap().len(), table.trim().lines().count() - 1);
    let north = json!({ "label": "North", "value": 1284.5, "highlighted": true });
    assert_eq!(document["data"][0], north);
    let svg = server.ann().get(&format!("{path}.svg")).expect(200);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(svg.text().contains("The north carries the season"));
    let png = server.ann().get(&format!("{path}.png?scale=1")).expect(200);
    let reader = png::Decoder::new(std::io::Cursor::new(png.body)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (720, 405));
    let page = server.ann().get(&format!("{path}.html")).expect(200);
    assert_eq!(page.header("x-frame-options"), "");
    assert!(page.header("content-security-policy").ends_with("frame-ancestors *"));
}

#[test]
fn render_command_works_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/regions.json");
    let render = |file: &str, name: &str| {
        let output_path = dir.path().join(name);
        let arguments = ["render", file, "-o", output_path.to_str().unwrap()];
        let output = crate::server_process::run_program(dir.path(), &[], &arguments, "");
        (output.status.code(), std::fs::read(&output_path).unwrap_or_default())
    };
    assert!(render(file, "a.svg").1.starts_with(b"<svg"));
    assert!(render(file, "a.png").1.starts_with(b"\x89PNG"));
    assert_eq!(render(file, "a.gif").0, Some(2));
}

#[test]
fn new_document_of_every_kind_can_be_rendered() {
    let server = ServerProcess::new();
    let portfolio = server.ann().get("/api/v1/portfolio").expect(200).json();
    let kinds = portfolio["widgets"].as_object().unwrap();
    assert!(kinds.len() >= 10);
    for kind in kinds.values() {
        let path = create_chart(&server, kind["slug"].as_str().unwrap());
        let svg = server.ann().get(&format!("{path}.svg")).expect(200).text();
        assert!(!svg.contains("No data"), "{}", kind["slug"]);
    }
}

/// Headers that describe the body, the connection or the single request. Warnings are known only
/// after rendering.
const HEADERS_OF_BODY_OR_REQUEST: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "ratelimit",
    "ratelimit-policy",
    "transfer-encoding",
    "x-chart-warnings",
    "x-request-id",
];

/// Returns the other headers as sorted lines.
fn list_lasting_headers(response: &Response) -> Vec<String> {
    let mut lines: Vec<String> = response
        .headers
        .iter()
        .filter(|(name, _)| !HEADERS_OF_BODY_OR_REQUEST.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    lines.sort_unstable();
    lines
}

/// Creates a chart with two versions of different themes and returns its path.
fn create_chart_with_two_versions(server: &ServerProcess) -> String {
    let path = create_chart(server, "bar");
    // Enough records for compressed images.
    let data: Vec<_> = (1..30).map(|value| json!({ "label": "Part", "value": value })).collect();
    let theme = json!({ "background_color": "#123456", "text_color": "#ffffff" });
    let body = json!({ "title": "Größe", "custom_theme": theme, "data": data });
    server.ann().put(&path, body).expect(200);
    let id = path.rsplit('/').next().unwrap();
    let share = json!({ "document": id, "owner": server.ann().id, "email": "ben@example.org",
        "mode": "w" });
    server.ann().post("/api/v1/share", share).expect(200);
    // The save of another user is another version.
    let body = json!({ "title": "Other", "custom_theme": null, "data": data });
    server.ben().put(&path, body).expect(200);
    path
}

#[test]
fn unchanged_response_repeats_the_headers_of_the_first() {
    let server = ServerProcess::new();
    let path = create_chart_with_two_versions(&server);
    let sign_in = server.guest().get("/sign-in").expect(200).text();
    let style =
        sign_in.split("href=\"").find(|part| part.contains("/css/bundle-base.css\"")).unwrap();
    let mut paths = vec![
        style.split('"').next().unwrap().to_owned(),
        path.clone(),
        format!("{path}/thumbnail.png"),
        format!("{path}/history"),
        format!("{path}/history/1.svg"),
        format!("{path}/history/1.png"),
        "/api/v1/users/me/list".to_owned(),
        "/api/v1/portfolio".to_owned(),
    ];
    for format in ["html", "svg", "png", "pdf"] {
        for query in [
            "",
            "?theme=dark&transparent=1",
            "?text=outlines",
            "?text=embedded",
            "?download=1",
            "?history_version=1",
            "?history_version=1&download=1",
        ] {
            paths.push(format!("{path}.{format}{query}"));
        }
    }
    let mut not_modified_count = 0;
    for path in &paths {
        for encoding in ["identity", "br"] {
            let client = server.ann().with_header("accept-encoding", encoding);
            let first = client.get(path).expect(200);
            let tag = first.header("etag");
            if tag.is_empty() {
                continue;
            }
            let second = client.with_header("if-none-match", tag).get(path).expect(304);
            let context = format!("{path} {encoding}");
            assert_eq!(list_lasting_headers(&second), list_lasting_headers(&first), "{context}");
            assert_eq!((second.header("content-type"), second.body.len()), ("", 0), "{context}");
            not_modified_count += 1;
        }
    }
    assert!(not_modified_count >= 2 * (paths.len() - 2), "{not_modified_count} of {paths:?}");
}

#[test]
fn document_size_and_record_count_are_limited() {
    let server = ServerProcess::with_settings(&[
        ("max_document_bytes", "20000"),
        ("max_body_bytes", "12000"),
        ("max_records", "3"),
    ]);
    let path = create_chart(&server, "bar");
    let large = json!({ "title": "x".repeat(30_000) });
    server.ann().put(&path, large).expect(413);
    server.ann().put(&path, json!({ "data": [{}, {}, {}, {}] })).expect(400);
    let note = "y".repeat(9000);
    server.ann().put(&path, json!({ "data": [{ "note": note }] })).expect(200);
    let add = format!("{path}/add-record");
    server.ann().post(&add, json!({ "note": note })).expect(204);
    server.ann().post(&add, json!({ "note": note })).expect(413);
    server.ann().post(&add, json!({})).expect(204);
    server.ann().post(&add, json!({})).expect(400);
}

#[test]
fn entity_tag_of_a_compressed_response_is_accepted() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    let read = server.ann().with_header("accept-encoding", "br").get(&path).expect(200);
    assert_eq!(read.header("content-encoding"), "br");
    let tag = read.header("etag").to_owned();
    server
        .ann()
        .with_header("accept-encoding", "br")
        .with_header("if-none-match", &tag)
        .get(&path)
        .expect(304);
    server.ann().with_header("if-match", &tag).patch(&path, json!({ "title": "One" })).expect(200);
    let stale = server.ann().with_header("if-match", &tag).patch(&path, json!({ "title": "Two" }));
    let problem = stale.expect(412).json();
    let current = server.ann().with_header("accept-encoding", "identity").get(&path).expect(200);
    assert_eq!(problem["etag"], current.header("etag"));
    assert_eq!(problem["updated"], current.json()["updated"]);
    assert_eq!(problem["updated_by"], current.json()["updated_by"]);
}

#[test]
fn entity_tag_of_a_listing_guards_changes() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let body = json!({ "widget": "bar", "folder": "/Here" });
    let id = ann.post("/api/v1/create-document", body).expect(200).json()["id"].clone();
    let document = format!("/api/v1/users/{}/documents/{}", ann.id, id.as_str().unwrap());
    let endpoint_and_tag = |list_path: &str| {
        let list = ann.get(&format!("/api/v1/users/me/{list_path}")).expect(200).json();
        let entry = &list["results"][0];
        let endpoint = entry["urls"]["endpoint"].as_str().unwrap();
        let path = &endpoint[endpoint.find("/api/").unwrap()..];
        (path.to_owned(), entry["etag"].as_str().unwrap().to_owned())
    };
    for list_path in ["list", "list/Here"] {
        let (path, tag) = endpoint_and_tag(list_path);
        let guarded = ann.with_header("if-match", &tag);
        // The part of a document's tag after the plus sign distinguishes its representations.
        let document_tag = ann.get(&path).expect(200).header("etag").to_owned();
        assert_eq!(document_tag.split('+').next(), tag.strip_suffix('"'), "{document_tag} {tag}");
        let trashed_tag = guarded.delete(&path).expect(204).header("etag").to_owned();
        assert_ne!(trashed_tag, tag);
        assert_eq!(endpoint_and_tag("trash").1, trashed_tag);
        let restore = json!({ "action": "restore" });
        let stale = guarded.post(&path, restore.clone()).expect(412).json();
        assert_eq!(
            (&stale["etag"], &stale["updated_by_name"]),
            (&json!(trashed_tag), &json!("Ann"))
        );
        let restored = ann.with_header("if-match", &trashed_tag).post(&path, restore).expect(204);
        assert_eq!(restored.header("etag"), endpoint_and_tag(list_path).1);
    }
    // The response for a guest contains no name of the editor.
    let share = json!({ "owner": ann.id, "document": id, "mode": "w" });
    let link = ann.post("/api/v1/share", share).expect(200).json()["link"].to_string();
    let token = link.trim_matches('"').rsplit('/').next().unwrap().to_owned();
    let guest = server.guest().with_header("if-match", "\"other\"");
    let stale = guest.patch(&format!("{document}?share={token}"), json!({ "title": "X" }));
    assert_eq!(stale.expect(412).json().get("updated_by_name"), None);
}

/// Returns the thumbnail files of a document.
fn list_thumbnails(server: &ServerProcess, path: &str) -> Vec<PathBuf> {
    let id = path.rsplit('/').next().unwrap();
    let folders = std::fs::read_dir(server.data_dir().join("thumbnails")).into_iter().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
    let files = files.map(|file| file.unwrap().path());
    files
        .filter(|file| file.to_str().unwrap().contains(id) && file.extension().unwrap() == "png")
        .collect()
}

/// Waits up to 30 seconds until a condition is true.
fn wait_until(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(30), "timed out");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn mail_server_that_does_not_respond_delays_no_thumbnail() {
    // Connections are established, but nobody reads from them.
    let mail_server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = mail_server.local_addr().unwrap().port().to_string();
    let settings = [("smtp_host", "127.0.0.1"), ("smtp_port", &port), ("smtp_tls", "none")];
    let server = ServerProcess::with_settings(&settings);
    let first = create_chart(&server, "bar");
    for number in 0..10 {
        let body = json!({
            "owner": server.ann().id,
            "document": first.rsplit('/').next(),
            "email": format!("guest-{number}@example.org"),
        });
        server.ann().post("/api/v1/share", body).expect(200);
    }
    // Keeps the connections open, so that the mails wait for a response.
    let connections = [mail_server.accept().unwrap(), mail_server.accept().unwrap()];
    let started = Instant::now();
    let path = create_chart(&server, "line");
    wait_until(|| list_thumbnails(&server, &path).len() == 1);
    // The server waits 15 seconds for a response to a mail.
    assert!(started.elapsed() < Duration::from_secs(13), "{:?}", started.elapsed());
    drop(connections);
}

#[test]
fn thumbnail_is_rendered_in_the_background_and_removed_with_the_document() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    wait_until(|| list_thumbnails(&server, &path).len() == 1);
    let address = format!("{path}/thumbnail.png");
    let thumbnail = server.ann().get(&address).expect(200);
    let files = list_thumbnails(&server, &path);
    assert_eq!(thumbnail.body, std::fs::read(&files[0]).unwrap());
    assert_eq!(thumbnail.header("cache-control"), "private, no-cache");
    let reader =
        png::Decoder::new(std::io::Cursor::new(thumbnail.body.as_slice())).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (640, 360));
    let tag = thumbnail.header("etag").to_owned();
    let unchanged = server.ann().with_header("if-none-match", &tag).get(&address).expect(304);
    assert_eq!((unchanged.header("etag"), unchanged.body.len()), (tag.as_str(), 0));
    server.cid().get(&address).expect(404);
    server.cid().with_header("if-none-match", &tag).get(&address).expect(404);

    // A save schedules a new thumbnail without a request for it.
    server.ann().patch(&path, json!({ "title": "Other" })).expect(200);
    wait_until(|| !list_thumbnails(&server, &path).contains(&files[0]));
    assert_eq!(list_thumbnails(&server, &path).len(), 1);
    server.ann().delete(&format!("{path}?expunge=1")).expect(204);
    wait_until(|| list_thumbnails(&server, &path).is_empty());
    server.ann().get(&address).expect(404);
}

#[test]
fn thumbnail_matches_the_newest_revision() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    let address = format!("{path}/thumbnail.png");
    let first = server.ann().get(&address).expect(200);
    let tag = first.header("etag").to_owned();
    // The request comes before the background task has rendered the new revision.
    server
        .ann()
        .post(&format!("{path}/add-record"), json!({ "label": "Z", "value": 9e6 }))
        .expect(204);
    let second = server.ann().with_header("if-none-match", &tag).get(&address).expect(200);
    assert_ne!(second.body, first.body);
    assert_ne!(second.header("etag"), tag);
    let third = server.ann().get(&address).expect(200);
    assert_eq!((&third.body, third.header("etag")), (&second.body, second.header("etag")));
}

#[test]
fn thumbnail_cache_size_is_limited() {
    let server = ServerProcess::with_settings(&[("thumbnail_bytes", "256")]);
    for _ in 0..3 {
        let path = create_chart(&server, "bar");
        // The limit keeps only the newest file, but every thumbnail is served.
        server.ann().get(&format!("{path}/thumbnail.png")).expect(200);
        wait_until(|| list_thumbnails(&server, &path).len() == 1);
    }
}

#[test]
fn response_is_never_stale() {
    let server = ServerProcess::new();
    let (ann, ben) = (server.ann(), server.ben());
    let path = create_chart(&server, "bar");
    let id = path.rsplit('/').next().unwrap().to_owned();
    let owner = json!(crate::server_process::test_users()[0].id);
    let entry = json!({ "owner": owner, "document": id, "email": "ben@example.org", "mode": "r" });
    // Reads twice, so that the second response comes from the cache if there is one.
    let read = || {
        let first = ann.get(&path).expect(200).json();
        assert_eq!(ann.get(&path).expect(200).json(), first);
        first
    };
    let before = read();
    ann.post(&format!("{path}/add-record"), json!({ "label": "New", "value": 1 })).expect(204);
    let record_count = |document: &serde_json::Value| document["data"].as_array().unwrap().len();
    assert_eq!(record_count(&read()), record_count(&before) + 1);
    ann.put(&path, json!({ "title": "Other", "isPublic": true })).expect(200);
    let changed = read();
    assert_eq!((&changed["title"], &changed["isPublic"]), (&json!("Other"), &json!(true)));
    ann.post("/api/v1/share", entry.clone()).expect(200);
    assert_eq!(read()["acl"].as_array().unwrap().len(), 1);
    let as_ben = ben.get(&path).expect(200).json();
    assert_eq!((as_ben["mode"].clone(), read()["mode"].clone()), (json!("r"), json!("w")));
    ann.send("DELETE", "/api/v1/share", Some(&entry.to_string())).expect(204);
    assert_eq!(read()["acl"], json!([]));
    ann.patch("/api/v1/user", json!({ "name": "Anna" })).expect(200);
    assert_eq!(read()["owner_name"], "Anna");
}
