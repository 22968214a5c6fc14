//! Sources of members of an organization that forbids documents.

use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::run_job;
use super::start_server;
use crate::client::Client;
use crate::server_process::ServerProcess;

/// Makes a user the admin of a new organization, and forbids documents to its members.
pub fn forbid_documents(server: &ServerProcess, user: &Client<'_>) {
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team"];
    server.run_json(&[&create[..], &["--seats", "3"]].concat());
    server.run_json(&["org", "member", "add", "acme", &user.id, "--role", "admin"]);
    let settings = json!({ "disable_document_storage": true });
    user.send_with_body("PATCH", "/api/v1/orgs/acme/settings", settings).expect(204);
}

#[test]
fn a_job_stops_when_the_organization_of_its_creator_forbids_documents() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let (ann, ben) = (server.ann(), server.ben());
    let id = create_document(&ann, "bar");
    let share = json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "w" });
    ann.post("/api/v1/share", share).expect(200);
    create_job(&ben, &id, &source.url);
    assert!(run_job(&ann, &id).get("error").is_none());
    forbid_documents(&server, &ben);
    let hits = source.hits();
    let job = run_job(&ann, &id);
    assert!(job["error"].as_str().unwrap().contains("disabled document storage"), "{job}");
    assert_eq!(source.hits(), hits, "no download");
    assert_eq!(read_document(&ann, &id)["sync"]["status"], "stopped");
}
