//! Handler of `GET /orgs/{org}/audit-log`.

use hyper::header::CONTENT_DISPOSITION;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::actions;
use super::export::Export;
use super::rules;
use super::rules::LogFormat;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::audit;
use crate::features::audit::Event;
use crate::features::audit::EventFilter;
use crate::features::orgs::Org;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IntoResponse;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::endpoint::RawJson;

/// A page of the audit log.
#[derive(Serialize, JsonSchema)]
pub struct AuditLog {
    /// Number of skipped events.
    offset: u32,
    /// Page size.
    limit: u32,
    /// Events of the last 90 days, newest first.
    events: Vec<Event>,
}

/// Query of `GET /orgs/{org}/audit-log`.
#[derive(Deserialize, JsonSchema)]
pub struct AuditLogQuery {
    /// Number of events to skip.
    offset: Option<u32>,
    /// Page size: 50 if absent, at most 100. At most and by default 10,000 for an export, which ends
    /// earlier if it has 16 MiB.
    limit: Option<u32>,
    /// Earliest time (RFC 3339), or a date.
    from: Option<String>,
    /// Time (RFC 3339) or date before which the events happened.
    to: Option<String>,
    /// Exact action, such as `document.share`.
    action: Option<String>,
    /// Account id of the actor.
    user_id: Option<String>,
    /// Text in the action, the actor, the target or the address, without regard to the case of
    /// the letters A to Z.
    q: Option<String>,
    /// `json`, or an export as `csv` or `jsonl` (JSON Lines).
    #[schemars(extend("enum" = ["json", "csv", "jsonl"]))]
    format: Option<String>,
}

impl AuditLogQuery {
    /// Returns the conditions of the query. An empty parameter is no condition.
    ///
    /// # Errors
    /// `InvalidFields` for `from` or `to`.
    fn filter(&self) -> Result<EventFilter> {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let time = |name: &'static str, text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty());
            text.map(|text| rules::parse_time(name, text)).transpose()
        };
        Ok(EventFilter {
            from: time("from", &self.from)?,
            to: time("to", &self.to)?,
            action: text(&self.action),
            user: text(&self.user_id),
            text: text(&self.q),
        })
    }
}

/// A response with the audit log in one of its formats.
pub struct AuditLogResponse(Response);

impl IntoResponse for AuditLogResponse {
    /// Returns the response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self.0)
    }

    /// Adds a 200 response with JSON, CSV and JSON Lines.
    fn describe(operation: &mut Operation<'_>) {
        RawJson::<AuditLog>::describe(operation);
        let content = &mut operation.value["responses"]["200"]["content"];
        content["text/csv"] = json!({ "schema": { "type": "string" } });
        content["application/jsonl"] = json!({ "schema": { "type": "string" } });
    }
}

/// Handles `GET /orgs/{org}/audit-log`, for admins of an organization with the plan `enterprise` and
/// for operators: its events, newest first, with `Link` headers to the adjacent pages.
///
/// New events move older ones to later pages. A request with `to` has stable pages.
pub fn list(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<AuditLogQuery>,
) -> Result<AuditLogResponse> {
    let name: String = request.param("org")?;
    let (response, page, end) = request.app.db.read(|tx| {
        let org = actions::find_readable_org(tx, &name, caller)?;
        let format = LogFormat::parse(query.format.as_deref())?;
        let page = Page { offset: query.offset.unwrap_or(0), limit: format.limit(query.limit) };
        match format {
            LogFormat::Json => list_page(tx, &org, &query.filter()?, page),
            LogFormat::Csv | LogFormat::JsonLines => {
                export_page(tx, &org, &query.filter()?, format, page)
            }
        }
    })?;
    let response = page.add_link_headers(response, &request.app.config.base_url, request, end)?;
    Ok(AuditLogResponse(response))
}

/// Returns the events as JSON, the page, and the number of events up to its end. The number is one
/// more if there is a next page. A count would read all events.
fn list_page(
    tx: &Tx<'_>,
    org: &Org,
    filter: &EventFilter,
    page: Page,
) -> Result<(Response, Page, u64)> {
    let Page { offset, limit } = page;
    let mut events = audit::list_events(tx, &org.id, filter, offset, limit.saturating_add(1))?;
    let end = u64::from(offset) + events.len() as u64;
    events.truncate(limit as usize);
    Ok((Response::json(&AuditLog { offset, limit, events })?, page, end))
}

/// Returns an export as a file with the name of the organization, its page, and the number of events
/// as [`list_page`] does. The limit of the page is the number of exported events if the export has
/// reached its maximum size, so that the next page begins with the next event.
fn export_page(
    tx: &Tx<'_>,
    org: &Org,
    filter: &EventFilter,
    format: LogFormat,
    mut page: Page,
) -> Result<(Response, Page, u64)> {
    let mut export = Export::new(format, page.limit);
    let window = (page.offset, page.limit.saturating_add(1));
    audit::visit_events(tx, &org.id, filter, window, &mut |event| export.push(&event))?;
    if export.is_cut() {
        page.limit = export.events;
    }
    let end = u64::from(page.offset) + u64::from(export.events) + u64::from(export.has_more);
    let (content_type, extension) = match format {
        LogFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        LogFormat::Json | LogFormat::JsonLines => ("application/jsonl", "jsonl"),
    };
    let file_name = format!("attachment; filename=\"audit-log-{}.{extension}\"", org.slug);
    let response = Response::bytes(content_type, export.text);
    Ok((response.with_header(CONTENT_DISPOSITION, &file_name)?, page, end))
}
