//! `/livez` and `/readyz`: whether the program runs, and whether it can do its work.

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

/// Longest wait for one check: probes usually wait for a few seconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// What `/readyz` answers.
#[derive(Serialize)]
struct Ready {
    status: &'static str,
    checks: [Check; 2],
}

#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
}

/// `GET /livez`: the program runs and its threads take work.
pub fn live() -> Response {
    uncached(Response::bytes("text/plain; charset=utf-8", "ok\n"))
}

/// `GET /readyz`: the database answers a read and takes a write. Otherwise 503, and the checks say
/// what failed; the log says why.
pub fn ready(db: &Db) -> Result<Response> {
    let reader = db.clone();
    let read = soon(move || {
        reader.read(|tx| tx.one("select 1", [], |row| row.get::<_, i64>(0)).map(drop))
    });
    let writer = db.clone();
    // An empty transaction takes the writer's lock.
    let write = soon(move || writer.write(|_| Ok(())));
    let check = |name: &'static str, result: Result<()>| {
        if let Err(error) = &result {
            tracing::error!(check = name, ?error, "not ready");
        }
        Check { name, ok: result.is_ok() }
    };
    let checks = [check("database_read", read), check("database_write", write)];
    let ok = checks.iter().all(|it| it.ok);
    let mut response =
        Response::json(&Ready { status: if ok { "ok" } else { "unavailable" }, checks })?;
    if !ok {
        response.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(uncached(response))
}

/// Runs a check on a thread of its own, so that one that hangs is a failed one.
fn soon(check: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let (sender, result) = mpsc::sync_channel(1);
    thread::Builder::new().name("ready".to_owned()).spawn(move || sender.send(check()))?;
    result
        .recv_timeout(PATIENCE)
        .unwrap_or_else(|_| Err(Error::internal(format!("no answer within {PATIENCE:?}"))))
}

fn uncached(mut response: Response) -> Response {
    response.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
