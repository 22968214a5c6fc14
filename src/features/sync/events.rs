//! Events of the audit log about the sources of documents that organizations own.

use serde_json::Value;
use serde_json::json;
use url::Url;

use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::documents::Document;
use crate::features::sync_jobs::SyncJob;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;

/// Records that a document has a new source. `replaced` is its former one. Does nothing if the two differ
/// only in their schedule.
pub fn record_new_source(
    tx: &WriteTx<'_>,
    document: &Document,
    replaced: Option<&SyncJob>,
    job: &SyncJob,
) -> Result<()> {
    let is_same = |old: &SyncJob| {
        (&old.url, &old.sheet_name, &old.sheet_id, &old.creator)
            == (&job.url, &job.sheet_name, &job.sheet_id, &job.creator)
    };
    // Another schedule, or the repetition of a request.
    if replaced.is_some_and(is_same) {
        return Ok(());
    }
    let mut details = describe(job);
    if let Some(replaced) = replaced {
        details["previous_source"] = source_server(&replaced.url).into();
    }
    record(tx, document, "document.set_source", &details)
}

/// Records that a document has no source any more.
pub fn record_removed_source(tx: &WriteTx<'_>, document: &Document, job: &SyncJob) -> Result<()> {
    record(tx, document, "document.remove_source", &describe(job))
}

/// Records an event about a document.
fn record(
    tx: &WriteTx<'_>,
    document: &Document,
    action: &'static str,
    details: &Value,
) -> Result<()> {
    let target = EventTarget::new("document", &document.id, &document.title);
    audit::record(tx, &document.owner, action, &target, details)
}

/// Returns the details of an event about a source.
fn describe(job: &SyncJob) -> Value {
    let mut details = json!({ "source": source_server(&job.url) });
    if let Some(sheet) = job.sheet_name.as_ref().or(job.sheet_id.as_ref()) {
        details["worksheet"] = sheet.as_str().into();
    }
    details
}

/// Returns scheme, host and port of a source. The rest of a shared link opens the file for everybody, so that it
/// is a secret.
pub fn source_server(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", url.scheme())
}

#[cfg(test)]
mod tests {
    use super::source_server;

    #[test]
    fn the_secret_part_of_a_shared_link_is_left_out() {
        for (url, server) in [
            ("https://www.dropbox.com/scl/fi/a/b.xlsx?rlkey=secret#x", "https://www.dropbox.com"),
            ("http://127.0.0.1:8080/a.csv", "http://127.0.0.1:8080"),
            ("cloud://box/connection/aWQ", "cloud://box"),
            ("no URL", ""),
        ] {
            assert_eq!(source_server(url), server);
        }
    }
}
