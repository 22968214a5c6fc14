//! Tests of the health routes.

use serde_json::json;

use super::HttpTestServer;
use crate::test_server::TestServer;

#[test]
fn working_server_is_live_and_ready() {
    let server = HttpTestServer::with_all_routes();
    let live = server.get("/livez");
    assert_eq!((live.status, live.text()), (200, "ok\n"));
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 200);
    assert_eq!(ready.header("cache-control"), Some("no-store"));
    let checks = json!([
        { "name": "database_read", "ok": true },
        { "name": "database_write", "ok": true },
        { "name": "search_index", "ok": true },
    ]);
    assert_eq!(ready.json(), json!({ "status": "ok", "checks": checks }));
}

#[test]
fn server_that_cannot_write_is_live_but_not_ready() {
    let server = HttpTestServer::with_all_routes();
    // Another program holds the write lock.
    let other = rusqlite::Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["status"], "unavailable");
    assert_eq!(ready.json()["checks"][0]["ok"], true);
    assert_eq!(ready.json()["checks"][1]["ok"], false);
    assert_eq!(server.get("/livez").status, 200);
    other.execute_batch("rollback").unwrap();
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn server_without_a_usable_search_index_is_not_ready_until_the_index_is_built() {
    let mut server = TestServer::new();
    let get_readiness = |server: &TestServer| {
        let ready = server.send("GET", "/readyz", &[], "");
        (ready.status, ready.json()["checks"][2].clone())
    };
    server.app.search.report_failure("it is damaged".to_owned());
    let refused = (503, json!({ "name": "search_index", "ok": false }));
    assert_eq!(get_readiness(&server), refused);
    server.start_indexer();
    assert_eq!(get_readiness(&server), (200, json!({ "name": "search_index", "ok": true })));
}
