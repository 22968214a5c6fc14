//! The page of the audit log, with filters and exports.

use std::time::Duration;

use askama::Template;

use super::audit_details;
use super::audit_labels;
use super::audit_labels::ActionOptions;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::audit;
use crate::features::audit::Event;
use crate::features::audit::EventFilter;
use crate::features::orgs::Plan;
use crate::features::orgs::audit_log;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Number of events per page.
const PAGE_SIZE: u32 = 50;
/// Length of a day in UTC.
const DAY: Duration = Duration::from_hours(24);
/// Names and labels of the fields of the filter.
const FIELDS: &FieldLabels = &[("from", "field-labels.firstDay"), ("to", "account.lastDay")];

/// The page of the audit log.
#[derive(Template)]
#[template(path = "org-audit.html")]
struct AuditPage<'a> {
    frame: Frame,
    title: &'static str,
    groups: Vec<ActionOptions>,
    filter: FilterForm,
    /// Name of the selected actor. None if all are shown.
    actor: Option<String>,
    events: Vec<EventRow>,
    /// Query of the export, without the format.
    export_query: String,
    /// Address of the first page.
    first: String,
    /// Whether the page begins after the last event.
    is_past_end: bool,
    /// Address of the page with newer events; empty on the first.
    previous: String,
    /// Address of the page with older events; empty on the last.
    next: String,
    problem: &'a Problem,
}

/// The values of the filter.
#[derive(Default)]
struct FilterForm {
    /// First day: `2027-01-31`, or empty.
    from: String,
    /// Last day, or empty.
    to: String,
    action: String,
    /// Account id of the actor, or empty.
    user: String,
    text: String,
}

/// An event in the list.
struct EventRow {
    time: Timestamp,
    /// Time in UTC.
    time_text: String,
    action: String,
    actor: String,
    actor_email: String,
    /// Address of the page with the events of the actor; empty if the actor is no account.
    actor_url: String,
    target: String,
    target_kind: String,
    details: Vec<String>,
    ip_address: String,
    user_agent: String,
}

impl FilterForm {
    /// Reads the values from the query of the page.
    fn from_query(query: &Form) -> Self {
        let value = |name: &str| query.text(name).unwrap_or_default().to_owned();
        Self {
            from: value("from"),
            to: value("to"),
            action: value("action"),
            user: value("user_id"),
            text: value("q"),
        }
    }

    /// Returns whether the filter selects all events.
    fn is_empty(&self) -> bool {
        [&self.from, &self.to, &self.action, &self.user, &self.text]
            .into_iter()
            .all(String::is_empty)
    }

    /// Returns the time after the last day. None without a last day.
    ///
    /// # Errors
    /// `InvalidFields` for `to`.
    fn end(&self) -> Result<Option<Timestamp>> {
        let day = Some(self.to.as_str()).filter(|day| !day.is_empty());
        let start = day.map(|day| audit_log::parse_time("to", day)).transpose()?;
        Ok(start.map(|start| start.saturating_add(DAY)))
    }

    /// Returns the conditions for the events.
    ///
    /// # Errors
    /// `InvalidFields` for `from` and `to`.
    fn conditions(&self) -> Result<EventFilter> {
        let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let from = text(&self.from).map(|day| audit_log::parse_time("from", &day)).transpose()?;
        Ok(EventFilter {
            from,
            to: self.end()?,
            action: text(&self.action),
            user: text(&self.user),
            text: text(&self.text),
        })
    }

    /// Returns the query of the page from an event on.
    fn page_query(&self, offset: u32) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("from", &self.from).append_pair("to", &self.to);
        self.append_common(&mut query);
        query.append_pair("offset", &offset.to_string()).finish()
    }

    /// Returns the query of the API for the same events.
    fn api_query(&self, end: Option<Timestamp>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("from", &self.from);
        query.append_pair("to", &end.map(|end| end.to_string()).unwrap_or_default());
        self.append_common(&mut query);
        query.finish()
    }

    /// Appends the parameters that the page and the API have in common.
    fn append_common(&self, query: &mut form_urlencoded::Serializer<'_, String>) {
        query.append_pair("action", &self.action);
        query.append_pair("user_id", &self.user).append_pair("q", &self.text);
    }
}

impl EventRow {
    /// Converts an event. `home` is the path of the pages of the organization.
    fn new(event: &Event, home: &str) -> Self {
        let actor_url = match event.actor.id.as_str() {
            "" => String::new(),
            id => {
                let filter = FilterForm { user: id.to_owned(), ..FilterForm::default() };
                format!("{home}/audit?{}", filter.page_query(0))
            }
        };
        Self {
            time: event.created,
            time_text: event.created.format_to_minute(),
            action: audit_labels::action_label(&event.action).to_owned(),
            actor: audit_labels::actor_label(event).to_owned(),
            actor_email: event.actor.email.clone(),
            actor_url,
            target: event.target.name.clone(),
            target_kind: audit_details::target_label(&event.target.kind),
            details: audit_details::describe_details(&event.details),
            ip_address: event.ip_address.clone(),
            user_agent: event.user_agent.clone(),
        }
    }
}

/// Handles `GET /orgs/{org}/audit`, for admins. The query has `from` and `to` (first and last day in
/// UTC), `action`, `user_id` (the actor), `q` and `offset`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let query = Form::from_query(&request.query);
    let filter = FilterForm::from_query(&query);
    let offset = query.value("offset").parse().unwrap_or(0);
    let (conditions, problem) = match filter.conditions() {
        Ok(conditions) => (Some(conditions), Problem::default()),
        Err(error) => (None, Problem::from_error(error, FIELDS)?),
    };
    frame::show(request, caller, Section::AuditLog, &problem, |tx, view| {
        check_plan(&view)?;
        build_page(tx, view, filter, conditions.as_ref(), offset, &problem)
    })
}

/// Builds the page with the events from `offset` on. Without conditions, the filter is invalid and
/// the page shows no events.
fn build_page<'a>(
    tx: &Tx<'_>,
    view: OrgView,
    filter: FilterForm,
    conditions: Option<&EventFilter>,
    offset: u32,
    problem: &'a Problem,
) -> Result<AuditPage<'a>> {
    let page = Page { offset, limit: PAGE_SIZE };
    let mut events = match conditions {
        // One more event shows whether there is a next page.
        Some(conditions) => {
            audit::list_events(tx, &view.org.id, conditions, offset, PAGE_SIZE + 1)?
        }
        None => Vec::new(),
    };
    let (previous, next) = page.adjacent_pages(u64::from(offset) + events.len() as u64);
    events.truncate(PAGE_SIZE as usize);
    let home = view.frame.home.as_str();
    let url_at = |target: Page| format!("{home}/audit?{}", filter.page_query(target.offset));
    let is_past_end = offset > 0 && events.is_empty();
    let end = conditions.and_then(|conditions| conditions.to);
    Ok(AuditPage {
        title: language::text("audit-log.title"),
        groups: audit_labels::list_actions(),
        actor: find_actor_name(&filter, &events),
        events: events.iter().map(|event| EventRow::new(event, home)).collect(),
        export_query: filter.api_query(end),
        first: format!("{home}/audit?{}", filter.page_query(0)),
        is_past_end,
        // The previous page may be after the last event too.
        previous: previous.filter(|_| !is_past_end).map(url_at).unwrap_or_default(),
        next: next.map(url_at).unwrap_or_default(),
        filter,
        problem,
        frame: view.frame,
    })
}

/// Returns the name of the selected actor. An actor without events has only an id.
fn find_actor_name(filter: &FilterForm, events: &[Event]) -> Option<String> {
    if filter.user.is_empty() {
        return None;
    }
    let name = events.first().map(|event| event.actor.name.clone());
    Some(name.filter(|name| !name.is_empty()).unwrap_or_else(|| filter.user.clone()))
}

/// Checks that the plan of the organization includes the audit log.
///
/// # Errors
/// `Forbidden` with a sentence for the page.
fn check_plan(view: &OrgView) -> Result<()> {
    if view.org.plan == Plan::Enterprise {
        return Ok(());
    }
    Err(Error::Forbidden(language::text("audit-log.planNeeded").to_owned()))
}
