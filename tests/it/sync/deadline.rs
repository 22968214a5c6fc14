//! The time that requests wait for a source.

use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::run_job;
use super::start_server;

#[test]
#[ignore = "needs 45 seconds"]
fn requests_to_a_silent_source_end_after_45_seconds() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let id = create_document(&server.ann(), "bar");
    create_job(&server.ann(), &id, &source.url);
    assert!(run_job(&server.ann(), &id).get("error").is_none());
    source.set(|state| state.delay = Duration::from_mins(2));
    let body = json!({ "url": source.url });
    let routes = [
        ("POST", "/api/v1/sync/document/check".to_owned()),
        ("POST", "/api/v1/sync/document".to_owned()),
        ("GET", format!("/api/v1/sync/document/{id}?fresh=true")),
    ];
    thread::scope(|scope| {
        for (method, path) in &routes {
            let (server, body) = (&server, &body);
            scope.spawn(move || {
                let (ann, start) = (server.ann(), Instant::now());
                let response = match *method {
                    "GET" => ann.get(path),
                    _ => ann.post(path, body.clone()),
                };
                let seconds = start.elapsed().as_secs_f64();
                assert_eq!(response.status, 504, "{path}: {}", response.text());
                assert!((44.0..46.5).contains(&seconds), "{path}: {seconds}");
            });
        }
    });
}
