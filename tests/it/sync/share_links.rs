//! Sources of documents that callers reach by a share link.

use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::run_job;
use super::start_server;
use crate::client::Client;

/// Creates a share link and returns the query with its token.
fn create_link(ann: &Client<'_>, id: &str, mode: &str) -> String {
    let body = json!({ "owner": ann.id, "document": id, "mode": mode });
    let link = ann.post("/api/v1/share", body).expect(200).json()["link"].clone();
    format!("share={}", link.as_str().unwrap().rsplit('/').next().unwrap())
}

#[test]
fn a_link_with_write_access_reads_and_stops_a_source_and_sets_up_none() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let (ann, cid, guest) = (server.ann(), server.cid(), server.guest());
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let (reads, writes) = (create_link(&ann, &id, "r"), create_link(&ann, &id, "w"));
    let path = format!("/api/v1/sync/document/{id}");
    for client in [&guest, &cid] {
        client.get(&format!("{path}?{reads}")).expect(403);
        client.delete(&format!("{path}?{reads}")).expect(403);
        let job = client.get(&format!("{path}?{writes}&fresh=true")).expect(200).json();
        let server_of_source = source.url.rsplit_once('/').unwrap().0;
        assert_eq!(job["url"], server_of_source, "the rest of a shared link is a secret");
    }
    assert_eq!(ann.get(&format!("{path}?{writes}")).expect(200).json()["url"], source.url);
    // Its runs would have no access, because the link is none of the account.
    let create = |client: &Client<'_>, query: &str| {
        let body = json!({ "document_id": id, "url": source.url });
        client.post(&format!("/api/v1/sync/create?{query}"), body)
    };
    let refused = create(&cid, &writes).expect(403).json();
    assert!(refused["detail"].as_str().unwrap().contains("ask the owner"), "{refused}");
    create(&cid, &reads).expect(404);
    create(&guest, &writes).expect(401);
    assert!(run_job(&ann, &id).get("error").is_none(), "the job of Ann stays");
    for client in [&guest, &cid] {
        client.delete(&format!("{path}?{writes}")).expect(204);
        client.delete(&format!("{path}?{writes}")).expect(404);
        assert!(read_document(&ann, &id).get("sync").is_none());
        create_job(&ann, &id, &source.url);
    }
}
