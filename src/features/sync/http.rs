//! Bodies and handlers of `/sync/document/…` and `/sync/create`.

use chartroom_cloud::Provider;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use super::actions;
use super::events;
use super::links;
use super::run;
use super::source::SourceFile;
use super::source_error::SourceError;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::sync_jobs;
use crate::features::sync_jobs::NewSyncJob;
use crate::features::sync_jobs::SyncJob;
use crate::features::table_reader;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadDeadline;
use crate::features::table_reader::SheetChoice;
use crate::features::table_reader::SheetName;
use crate::features::table_reader::SheetSelection;
use crate::features::table_reader::Workbook;
use crate::features::table_reader::Worksheet;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::NodeId;
use chartroom_platform::messages;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::time::Timestamp;

/// Body of `POST /sync/document/check`.
#[derive(Deserialize, JsonSchema)]
pub struct SourceBody {
    /// Address of a spreadsheet: a URL with http or https, or a link of a provider.
    url: String,
}

/// Response of `POST /sync/document/check`.
#[derive(Serialize, JsonSchema)]
pub struct CheckedSource {
    /// Whether a table can be read from the source now. Of several worksheets, at least one may have none.
    valid: bool,
    /// `box`, `dropbox`, `googledrive`, `onedrive`, `smartsheet`, or `web` for all other addresses.
    provider_name: &'static str,
    /// Reason if the source is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_error: Option<SourceErrorView>,
    /// Visible worksheets.
    #[serde(skip_serializing_if = "Option::is_none")]
    worksheets: Option<Vec<SheetName>>,
    /// Whether the source itself has titles for the columns, such as the keys of records in JSON. They are the first
    /// row of the worksheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_headers: Option<bool>,
    /// Whether the source has exactly one worksheet, so that there is no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    static_worksheet: Option<bool>,
}

/// Why a source has no table.
#[derive(Serialize, JsonSchema)]
pub struct SourceErrorView {
    /// 400 not a URL, 401 connection needed, 403 not shared or not allowed, 404 not found, 413 too
    /// large, 415 not a spreadsheet, 422 damaged, 429 rate limited, 502 failed.
    code: u16,
    /// Reason for people.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    message: String,
}

/// Body of `POST /sync/document`.
#[derive(Deserialize, JsonSchema)]
pub struct WorksheetBody {
    /// As for `POST /sync/document/check`.
    url: String,
    /// Name of the only worksheet to return.
    worksheet_name: Option<String>,
    /// Id of the only worksheet to return. With a name too, it counts only without a worksheet of this name.
    worksheet_id: Option<String>,
}

/// Response of `POST /sync/document`.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum Worksheets {
    /// With the name or the id of a worksheet.
    One(Worksheet),
    /// All visible worksheets.
    All(Vec<Worksheet>),
}

/// Body of `POST /sync/create`.
#[derive(Deserialize, JsonSchema)]
pub struct JobBody {
    /// UUID of a document that the caller may change.
    document_id: String,
    /// Address of the source, at most 4,096 bytes. It is not downloaded by this request. `#header=absent` or
    /// `#header=present` at its end tells whether the first row has headings. Otherwise, the first run decides. The
    /// records of all pages of JSON are read, unless `#pages=first` is at the end.
    url: String,
    /// Settings of the chart that each run sets.
    document_settings: Option<Map<String, Value>>,
    /// Name of the worksheet. The first visible one without name and id.
    sheet_name: Option<String>,
    /// Id of the worksheet. With a name too, it counts only without a worksheet of this name. If the worksheet is
    /// deleted, the job fails.
    sheet_id: Option<String>,
    /// Seconds between two runs, 1 to 31,622,400. 0, the default: only the first run and those on
    /// request.
    interval_sec: Option<f64>,
    /// `HH:MM` in UTC. Required if `interval_sec` is above 0.
    time_of_day_utc: Option<String>,
    /// Day of the runs for intervals of whole weeks. Sunday, the default, is 0.
    day_of_week: Option<f64>,
}

/// Query of `GET /sync/document/{document}`.
#[derive(Deserialize, JsonSchema)]
pub struct JobQuery {
    /// `true`: downloads the source first.
    fresh: Option<String>,
}

/// A sync job.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SyncJob")]
pub struct JobView {
    #[schemars(with = "Map<String, Value>")]
    document_settings: Box<RawValue>,
    url: String,
    sheet_name: String,
    sheet_id: String,
    interval_sec: f64,
    /// Absent for a job that does not run by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_of_day_utc: Option<String>,
    /// Sunday is 0.
    day_of_week: i64,
    /// Table of the last successful run: `sheet_name`, `sheet_id`, `columns`, `data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    prepared_data: Option<Box<RawValue>>,
    /// Time of the last successful download.
    #[serde(skip_serializing_if = "Option::is_none")]
    downloaded_at: Option<Timestamp>,
    /// Time of the next run or of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_download_at: Option<Timestamp>,
    /// Reason of the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl JobBody {
    /// Converts the body. Empty texts count as absent.
    ///
    /// # Errors
    /// `InvalidFields` for a field that breaks a rule.
    fn into_job(self, user: &User) -> Result<NewSyncJob> {
        let text = |text: Option<String>| text.filter(|text| !text.is_empty());
        if !has_uuid_format(&self.document_id) {
            return Err(Error::invalid_field("document_id", "must be a UUID"));
        }
        let document = NodeId::from_text(self.document_id.to_ascii_lowercase());
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        let to_day = |day: f64| match (0.0..=6.0).contains(&day) && day.fract() == 0.0 {
            true => Ok(day as i64),
            false => {
                let message = "must be an integer from 0 (Sunday) to 6";
                Err(Error::invalid_field("day_of_week", message))
            }
        };
        let settings = self.document_settings.filter(|settings| !settings.is_empty());
        Ok(NewSyncJob {
            document,
            creator: user.id.clone(),
            url: actions::check_url(&self.url)?,
            settings: settings.map(|settings| Value::Object(settings).to_string()),
            sheet_name: text(self.sheet_name),
            sheet_id: text(self.sheet_id),
            interval_sec: self.interval_sec.unwrap_or_default(),
            time_of_day: text(self.time_of_day_utc),
            day_of_week: self.day_of_week.map(to_day).transpose()?,
            next_at: None,
        })
    }
}

impl JobView {
    /// Builds the view of a job. `prepared` is the compressed data of its last run.
    fn new(job: SyncJob, prepared: Option<&[u8]>) -> Result<Self> {
        Ok(Self {
            document_settings: RawValue::from_string(job.settings.unwrap_or_else(|| "{}".into()))?,
            url: job.url,
            sheet_name: job.sheet_name.unwrap_or_default(),
            sheet_id: job.sheet_id.unwrap_or_default(),
            interval_sec: job.interval_sec,
            time_of_day_utc: job.time_of_day,
            day_of_week: job.day_of_week.unwrap_or_default(),
            prepared_data: prepared.map(run::read_prepared_data).transpose()?,
            downloaded_at: job.run.downloaded_at,
            next_download_at: job.run.next_at,
            error: job.run.error.map(|error| messages::translate(&error).into_owned()),
        })
    }
}

/// Returns whether a text consists of groups of 8, 4, 4, 4 and 12 hexadecimal digits.
fn has_uuid_format(text: &str) -> bool {
    let is_hexadecimal = |group: &str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && text.split('-').all(is_hexadecimal)
}

/// Handles `POST /sync/document/check`, for a signed-in user: downloads a source and lists its
/// worksheets. Stores nothing.
pub fn check(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<SourceBody>,
) -> Result<Json<CheckedSource>> {
    request.app.db.read(|tx| access::check_storage_allowed(tx, &caller.id))?;
    let url = body.url.trim();
    let provider_name = links::find_provider(url).map_or("web", Provider::as_str);
    let deadline = actions::deadline_of(request.received_at);
    let checked = match actions::check_url(url) {
        Err(Error::InvalidFields(fields)) => {
            let message = fields.first().map_or("is invalid", |field| &field.message);
            Err(SourceError::new(400, format!("the address of the source {message}")))
        }
        Err(error) => return Err(error),
        Ok(url) => actions::load_source(request.app, caller, &url, deadline)?,
    };
    let found = match checked {
        Ok(file) => match list_worksheets(request, &file, deadline) {
            Ok(workbook) => Ok((workbook, file.has_fixed_headers)),
            Err(error) => Err(file.describe_error(error)?),
        },
        Err(error) => Err(error),
    };
    Ok(Json(match found {
        Ok((workbook, has_fixed_headers)) => CheckedSource {
            valid: true,
            provider_name,
            source_error: None,
            static_worksheet: Some(workbook.is_static),
            worksheets: Some(workbook.sheets),
            fixed_headers: Some(has_fixed_headers),
        },
        Err(SourceError { code, message, .. }) => CheckedSource {
            valid: false,
            provider_name,
            source_error: Some(SourceErrorView { code, message }),
            worksheets: None,
            fixed_headers: None,
            static_worksheet: None,
        },
    }))
}

/// Returns the worksheets of a file. Reads the table of the only one, because there is no other choice.
///
/// # Errors
/// `InvalidFields` if the file is no table, and if its only worksheet has no table for a chart.
fn list_worksheets(
    request: &RequestContext,
    file: &SourceFile,
    deadline: Deadline,
) -> Result<Workbook> {
    let (options, limits) = (file.read_options(), worksheet_limits(deadline));
    let memory = &request.app.work_memory;
    let mut workbook =
        table_reader::read_workbook_within_budget(memory, &file.bytes, &options, limits)?;
    if workbook.sheets.len() == 1 {
        documents::check_synced_table(request.app, &file.bytes, &options, deadline)?;
    }
    if let Some(sheet) = file.only_sheet.clone() {
        workbook = Workbook { sheets: vec![sheet], is_static: true };
    }
    Ok(workbook)
}

/// Handles `POST /sync/document`, for a signed-in user: downloads a source and returns its worksheets, or
/// the one that the body names.
pub fn read(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<WorksheetBody>,
) -> Result<RawJson<Worksheets>> {
    request.app.db.read(|tx| access::check_storage_allowed(tx, &caller.id))?;
    let url = actions::check_url(&body.url)?;
    let deadline = actions::deadline_of(request.received_at);
    let file = actions::load_source(request.app, caller, &url, deadline)?
        .map_err(actions::source_error)?;
    let (options, limits) = (file.read_options(), worksheet_limits(deadline));
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (id, name) = (given(&body.worksheet_id), given(&body.worksheet_name));
    let is_one = id.is_some() || name.is_some();
    let chosen = file.choose(id.as_deref(), name.as_deref()).map_err(actions::source_error)?;
    let selection = match chosen {
        (Some(id), Some(name)) => SheetSelection::One(SheetChoice::NameOrId { name, id }),
        (Some(id), None) => SheetSelection::One(SheetChoice::Id(id)),
        (None, Some(name)) => SheetSelection::One(SheetChoice::Name(name)),
        (None, None) => SheetSelection::All,
    };
    let memory = &request.app.work_memory;
    let bytes = &file.bytes;
    let read =
        table_reader::read_worksheets_within_budget(memory, bytes, &options, selection, limits);
    let mut sheets = match read {
        Ok(sheets) => sheets,
        Err(error) => return Err(worksheet_error(&file, error)?),
    };
    if let Some(only) = file.only_sheet {
        sheets.rename_first(only);
    }
    let response = match (is_one, sheets.first()) {
        (true, Some(sheet)) => Response::json(sheet)?,
        _ => Response::json(&*sheets)?,
    };
    Ok(RawJson::new(response))
}

/// Returns the limits of worksheets that are read before the deadline of a request.
fn worksheet_limits(deadline: Deadline) -> Limits {
    Limits { deadline: Some(ReadDeadline::of_request(deadline)), ..Limits::WORKSHEETS }
}

/// Returns the error for a file that has no such worksheet or cannot be read.
fn worksheet_error(file: &SourceFile, error: Error) -> Result<Error> {
    let Error::InvalidFields(fields) = &error else {
        return Ok(actions::source_error(file.describe_error(error)?));
    };
    let name = |field: &str| match field {
        "sheet" => Some("worksheet_name"),
        "sheet_id" => Some("worksheet_id"),
        _ => None,
    };
    let found = fields.iter().find_map(|field| Some((name(&field.field)?, &field.message)));
    match found {
        Some((field, message)) => Ok(Error::invalid_field(field, message)),
        None => Ok(actions::source_error(file.describe_error(error)?)),
    }
}

/// Handles `POST /sync/create`, for signed-in users: sets up the source of a document that the caller may change
/// without a share link, in place of an earlier one. The first run starts at once, and the response does not
/// wait for it.
pub fn create(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<JobBody>,
) -> Result<NoContent> {
    let (job, user, app) = (body.into_job(caller)?, caller.clone(), request.app.clone());
    let caller = Caller::from_request(request)?;
    request.app.db.write(move |tx| actions::create_job(tx, &app, &caller, &user, job.clone()))?;
    request.app.sync_signal.notify();
    Ok(NoContent)
}

/// Handles `GET /sync/document/{document}`, for callers with write access, also by a share link: returns the job
/// of a document. With `fresh`, runs it first, or waits for the end of a run.
///
/// Callers with the access of a share link only do not get the secret part of the URL, with which they could
/// read the file of the source, and do not repeat a run that has failed, because the failures count.
pub fn get(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<JobQuery>,
) -> Result<Json<JobView>> {
    let document: NodeId = request.param("document")?;
    let app = request.app;
    let find = || app.db.read(|tx| actions::find_job(tx, caller, &document));
    let (mut job, mut prepared) = find()?;
    let is_own = app.db.read(|tx| Ok(actions::has_own_access(tx, caller, &document)))?;
    match query.fresh.as_deref() {
        None | Some("false" | "0") => {}
        Some("true" | "1" | "") if !is_own && job.run.error.is_some() => {}
        Some("true" | "1" | "") => {
            run_now(request, &document)?;
            (job, prepared) = find()?;
        }
        Some(_) => return Err(Error::invalid_field("fresh", "must be true or false")),
    }
    if !is_own {
        job.url = events::source_server(&job.url);
    }
    JobView::new(job, prepared.as_deref()).map(Json)
}

/// Runs the job of a document, or waits for the result of a run that has begun.
///
/// # Errors
/// `RemoteTimeout` if the source or the other run does not end before the deadline.
fn run_now(request: &RequestContext, document: &NodeId) -> Result<()> {
    let (app, deadline) = (request.app, actions::deadline_of(request.received_at));
    let last_run = || {
        let job = app.db.read(|tx| sync_jobs::find_job(tx, document))?;
        Ok::<_, Error>(job.map(|job| (job.id, job.run)))
    };
    let before = last_run()?;
    let claim = loop {
        if let Some(claim) = app.sync_claims.try_claim(document) {
            break claim;
        }
        let remaining = deadline.remaining().ok_or(Error::RemoteTimeout)?;
        if !app.sync_claims.wait_until_free(document, remaining) {
            return Err(Error::RemoteTimeout);
        }
        // The other run may have stored its result before this request.
        if last_run()? != before {
            return Ok(());
        }
    };
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    let code = run::run_job(app, &client, document, deadline)?;
    drop(claim);
    match code {
        Some(504) => Err(Error::RemoteTimeout),
        _ => Ok(()),
    }
}

/// Handles `DELETE /sync/document/{document}`, for callers with write access, also by a share link: removes the
/// source of a document. Its data stay.
pub fn delete(request: &RequestContext, caller: &Caller, (): ()) -> Result<NoContent> {
    let (document, caller) = (request.param::<NodeId>("document")?, caller.clone());
    request.app.db.write(move |tx| actions::delete_job(tx, &caller, &document))?;
    Ok(NoContent)
}
