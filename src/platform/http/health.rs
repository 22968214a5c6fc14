//! Handlers of `/livez` and `/readyz`: is the process running, and can it serve requests.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde::Serialize;

use super::response::Response;
use crate::db::Db;
use crate::error::Error;
use crate::error::Result;
use crate::search::SearchIndex;

/// Maximum time for one check. Probes usually wait a few seconds.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Response body of `/readyz`.
#[derive(Serialize)]
struct ReadinessReport {
    status: &'static str,
    checks: [Check; 3],
}

#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
}

/// Handles `GET /livez`: returns a 200 response with the text `ok`, without any check. A response
/// shows that the process runs and its threads take work.
pub fn check_liveness() -> Response {
    disable_caching(Response::bytes("text/plain; charset=utf-8", "ok\n"))
}

/// Handles `GET /readyz`: checks that the database can be read and written, and that the search
/// index is usable.
///
/// The body lists the checks with their results. If one fails, the status is 503 and the log
/// contains the cause.
///
/// # Errors
/// `Internal` if the report cannot be serialized.
pub fn check_readiness(db: &Db, search: &SearchIndex) -> Result<Response> {
    let reader = db.clone();
    let read = run_with_timeout(move || {
        reader.read(|tx| tx.one("select 1", [], |row| row.get::<_, i64>(0)).map(drop))
    });
    let writer = db.clone();
    // Even an empty write transaction takes the lock of the writer. A full disk is no reason to
    // send requests elsewhere, because reads and deletions still work.
    let write = run_with_timeout(move || writer.write_with_reserve(|_| Ok(())));
    let check = |name: &'static str, result: Result<()>| {
        if let Err(error) = &result {
            tracing::error!(check = name, ?error, "the server is not ready");
        }
        Check { name, ok: result.is_ok() }
    };
    let checks = [
        check("database_read", read),
        check("database_write", write),
        check("search_index", search.check_usable()),
    ];
    let ok = checks.iter().all(|check| check.ok);
    let mut response =
        Response::json(&ReadinessReport { status: if ok { "ok" } else { "unavailable" }, checks })?;
    if !ok {
        response.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(disable_caching(response))
}

/// Runs a check on a new thread and returns its result. A check that does not end within
/// `CHECK_TIMEOUT` counts as failed, but its thread continues. A panic also counts as a timeout.
fn run_with_timeout(check: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let (sender, result) = mpsc::sync_channel(1);
    thread::Builder::new().name("ready".to_owned()).spawn(move || sender.send(check()))?;
    result
        .recv_timeout(CHECK_TIMEOUT)
        .unwrap_or_else(|_| Err(Error::internal(format!("timed out after {CHECK_TIMEOUT:?}"))))
}

/// Returns the response with `Cache-Control: no-store`.
fn disable_caching(mut response: Response) -> Response {
    response.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
