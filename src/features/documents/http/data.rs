//! Handler that replaces the records of a document.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use super::data_bodies::DataBody;
use super::data_bodies::ParsedData;
use super::data_bodies::TableOptions;
use super::parse_flag;
use super::write::Saved;
use super::write::WritableDocument;
use super::write::saved_document;
use super::write::with_entity_tag;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::documents::Document;
use crate::features::documents::actions::ReadChunks;
use crate::features::documents::actions::images;
use crate::features::documents::actions::precompression;
use crate::features::documents::actions::precompression::SaveContext;
use crate::features::documents::actions::save;
use crate::features::documents::actions::save::DataReplacement;
use crate::features::documents::column_problems;
use crate::features::documents::column_problems::ColumnProblem;
use crate::features::documents::content_memory;
use crate::features::documents::document_locale;
use crate::features::documents::document_theme;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::image::RenderInput;
use crate::features::documents::mapped_settings::MappedSettings;
use crate::features::documents::mapping_view::MappingView;
use crate::features::documents::record_keys;
use crate::features::documents::records::RecordLimits;
use crate::features::documents::records::Records;
use crate::features::documents::table_profiles;
use crate::features::documents::table_records;
use crate::features::documents::table_texts;
use crate::features::documents::table_texts::TableTexts;
use crate::features::portfolio;
use crate::features::table_reader;
use crate::features::table_reader::HeadingRow;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableReport;
use crate::features::tables;
use crate::features::tables::TableMapping;
use chartroom_charts::MAX_FITTING_RECORDS;
use chartroom_charts::format::Locale;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Query;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::memory_budget::Reservation;

/// Maximum size in bytes of the records of a document for which the height is computed, so that
/// little memory is needed.
const MAX_FITTING_BYTES: i64 = 1 << 20;

/// Query of `PUT …/data`.
#[derive(Deserialize, JsonSchema)]
pub struct DataQuery {
    /// Name of a worksheet; the first visible one when absent.
    sheet: Option<String>,
    /// Mapping of the columns of a table: `auto`, the default, to the columns of the chart kind;
    /// `none`: the headings are the keys of the records. Keys in JSON stay if one of them is a key
    /// of the chart kind. Otherwise, they are mapped like headings.
    #[schemars(extend("enum" = ["auto", "none"]))]
    mapping: Option<String>,
    /// `true`: the height of the document grows, at most to four times, if the names of the new
    /// data need the space.
    fit_height: Option<String>,
}

/// Query of `POST …/data`.
#[derive(Deserialize, JsonSchema)]
pub struct PreviewQuery {
    /// Name of a worksheet; the first visible one when absent.
    sheet: Option<String>,
    /// As for `PUT …/data`.
    #[schemars(extend("enum" = ["auto", "none"]))]
    mapping: Option<String>,
    /// As for `PUT …/data`.
    fit_height: Option<String>,
    /// UUID or slug of another chart kind. The response has its settings, with their defaults.
    kind: Option<String>,
}

/// Response of `PUT …/data`.
#[derive(Serialize, JsonSchema)]
pub struct SavedData {
    #[serde(flatten)]
    saved: Saved,
    /// Only for a table that was mapped to the chart kind.
    #[serde(flatten)]
    mapping: Option<MappingView>,
    /// Cells that do not fit the type of their column, that have two readings, or that name the
    /// same record as an earlier one. At most five for each column. Only for a table that was
    /// mapped to the chart kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<ColumnProblem>>,
    /// Description of the table that was read. Absent for an array of records.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableReport>,
}

/// Response of `POST …/data`.
#[derive(Serialize, JsonSchema)]
pub struct DataPreview {
    /// Title that the document would have. The title of a sample is removed.
    title: String,
    #[schemars(with = "Map<String, Value>")]
    settings: Box<RawValue>,
    #[schemars(with = "Option<Map<String, Value>>")]
    style: Option<Box<RawValue>>,
    /// Records that the document would have.
    #[schemars(with = "Vec<Map<String, Value>>")]
    data: Box<RawValue>,
    /// Only for a table that was mapped to the chart kind.
    #[serde(flatten)]
    mapping: Option<MappingView>,
    /// As in the response of `PUT …/data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<ColumnProblem>>,
    /// Description of the table that was read. Absent for an array of records.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableReport>,
}

/// New records of a document, read from a request.
struct NewData<'a> {
    replacement: DataReplacement,
    /// None unless the records were mapped to the chart kind.
    mapped: Option<TableDescription>,
    /// None for an array of records.
    report: Option<TableReport>,
    /// Memory of the records. Keep it as long as them.
    memory: Option<Reservation<'a>>,
}

/// Handles `PUT /users/{user_id}/documents/{doc}/data`: replaces the records.
///
/// The columns of a table, such as a CSV or spreadsheet file, are mapped to those of the chart
/// kind, and so are JSON records without keys of the kind. This may update the list of repeated
/// columns and the names of columns in the settings. `mapping=none` keeps headings and keys.
pub fn put(
    request: &RequestContext,
    writable: &WritableDocument,
    (Query(query), body): (Query<DataQuery>, DataBody),
) -> Result<RawJson<SavedData>> {
    let NewData { replacement, mapped, report, memory } =
        read_new_data(request, &writable.document, &query, &body)?;
    let base_url = request.app.config.base_url.clone();
    let save = move |tx: &WriteTx<'_>, context: &SaveContext, precompression: &Precompression| {
        let SaveContext { caller, target, .. } = context;
        let document = save::replace_data(tx, caller, target, &replacement, precompression)?;
        document
            .map(|document| Ok((saved_document(tx, &base_url, &document)?, document)))
            .transpose()
    };
    let context = SaveContext::new(&writable.caller, writable.target.clone());
    let (saved, document) =
        precompression::write_with_precompression(request.app, memory.as_ref(), context, save)?;
    let (mapping, problems) = mapped.unzip();
    let saved = SavedData { saved, mapping, problems, table: report };
    with_entity_tag(request.app.db.restore_epoch(), &saved, &document)
}

/// Handles `POST /users/{user_id}/documents/{doc}/data`: returns the content that the document would
/// have after a PUT with the same body and query, also with another chart kind. Stores nothing, so
/// that an editor can show the table before it is saved.
pub fn preview(
    request: &RequestContext,
    writable: &WritableDocument,
    (Query(query), body): (Query<PreviewQuery>, DataBody),
) -> Result<Json<DataPreview>> {
    let PreviewQuery { sheet, mapping, fit_height, kind } = query;
    let mut document = writable.document.clone();
    if let Some(kind) = kind {
        let unknown = || Error::invalid_field("kind", "there is no such chart kind");
        let kind = portfolio::find_kind(&kind).ok_or_else(unknown)?;
        document.kind.clone_from(&kind.id);
        let settings = kind.default_settings.to_string();
        document.settings = match document_locale::read_locale(&document.settings)? {
            Some(locale) => document_locale::with_locale(&settings, &locale)?,
            None => settings,
        };
    }
    let query = DataQuery { sheet, mapping, fit_height };
    let old_chunks = || request.app.db.read(|tx| save::list_old_chunks(tx, &document));
    build_preview(request, &document, &old_chunks, &query, &body).map(Json)
}

/// Returns the content that a document would have with the data of a request body. `old_chunks` reads its
/// present records.
///
/// # Errors
/// Those of [`read_new_data`].
pub(super) fn build_preview(
    request: &RequestContext,
    document: &Document,
    old_chunks: ReadChunks<'_>,
    query: &DataQuery,
    body: &DataBody,
) -> Result<DataPreview> {
    let NewData { replacement, mapped, report, memory: _memory } =
        read_new_data(request, document, query, body)?;
    let document = save::apply_data(old_chunks, document, &replacement)?;
    let (mapping, problems) = mapped.unzip();
    let data = String::from_utf8(replacement.data.to_json())
        .map_err(|_| Error::internal("records are not UTF-8"))?;
    Ok(DataPreview {
        title: document.title,
        settings: RawValue::from_string(document.settings)?,
        style: document.style.map(RawValue::from_string).transpose()?,
        data: RawValue::from_string(data)?,
        mapping,
        problems,
        table: report,
    })
}

/// Reads new records of a document from a request body, and maps them to its chart kind if the query
/// asks for it.
///
/// # Errors
/// `InvalidFields` about the query or the body. `TooLarge` for too many records or bytes, and `Busy`
/// if other requests do not release memory in time.
fn read_new_data<'a>(
    request: &RequestContext<'a>,
    document: &Document,
    query: &DataQuery,
    body: &DataBody,
) -> Result<NewData<'a>> {
    let mapped_document = match query.mapping.as_deref() {
        None | Some("auto") => Some(document),
        Some("none") => None,
        Some(_) => return Err(Error::invalid_field("mapping", "must be auto or none")),
    };
    let fits_height = parse_flag("fit_height", query.fit_height.as_deref())?;
    let config = &request.app.config;
    let limits =
        RecordLimits { max_records: config.max_records, max_bytes: config.max_document_bytes };
    let locale = document_locale::read_locale(&document.settings)?;
    let options = TableOptions { sheet: query.sheet.as_deref(), locale: locale.as_deref() };
    let mut new = match body.parse(request.app, &options)? {
        ParsedData::Records(data) => {
            match map_records(request, mapped_document, &data, locale.as_deref(), limits)? {
                Some(((replacement, mapped), memory)) => {
                    NewData { replacement, mapped: Some(mapped), report: None, memory }
                }
                None => NewData {
                    replacement: DataReplacement::of_records(data),
                    mapped: None,
                    report: None,
                    memory: None,
                },
            }
        }
        ParsedData::Table(table) => {
            let memory = content_memory::reserve_records(request.app, &table, request.body.len())?;
            let (mut replacement, mapped) = convert_table(&table, mapped_document, limits)?;
            replacement.texts.title.clone_from(&table.report.title);
            let kind = mapped_document.and_then(|document| portfolio::find_kind(&document.kind));
            let report = column_problems::report_for_kind(table.report.clone(), kind);
            NewData { replacement, mapped, report: Some(report), memory }
        }
    };
    new.replacement.data.check_size(limits.max_bytes)?;
    if fits_height {
        new.replacement.height = match find_fitting_height(request.app, document, &new.replacement)
        {
            // The data are valid even if finding the height takes too long or too much memory.
            Err(Error::TooLarge(_) | Error::Busy) => None,
            height => height?,
        };
    }
    Ok(new)
}

/// Returns the height in points that a document needs to show the names of new data, greater than
/// its own height. None if its height is enough, or if there are too many records or bytes to find
/// out.
fn find_fitting_height(
    app: &App,
    document: &Document,
    replacement: &DataReplacement,
) -> Result<Option<f64>> {
    let Records { count, bytes, .. } = replacement.data;
    let is_small = usize::try_from(count).is_ok_and(|count| count <= MAX_FITTING_RECORDS);
    if !is_small || bytes > MAX_FITTING_BYTES {
        return Ok(None);
    }
    let mut document = document.clone();
    if let Some(mapped) = &replacement.mapped_settings {
        document.settings = mapped.add_to_settings(&document.settings)?;
    }
    let org_theme = app.db.read(|tx| {
        let theme = document_theme::find_document_theme(tx, &document)?;
        theme.map(|theme| theme.load(tx)).transpose()
    })?;
    let input = RenderInput { document, data: replacement.data.to_json(), org_theme };
    images::find_fitting_height(app, &input)
}

/// Converts a table to records, mapped to the chart kind of a document, and describes the mapping.
/// Without a document, the headings become the keys of the records, and there is no description.
///
/// # Errors
/// The errors of [`map_table`].
fn convert_table(
    table: &Table<'_>,
    document: Option<&Document>,
    limits: RecordLimits,
) -> Result<(DataReplacement, Option<TableDescription>)> {
    if let Some(document) = document {
        let (replacement, description) = map_table(table, document, limits)?;
        return Ok((replacement, Some(description)));
    }
    let mapping = TableMapping::without_kind(table.headings.iter().cloned());
    let data = table_records::convert_table(table, &[], &mapping, limits)?.records;
    Ok((DataReplacement::of_records(data), None))
}

/// Maps records without keys of the document's chart kind to this kind, as the rows of a table with
/// the keys as headings. `locale` decides how numbers and dates are read if no cell tells it.
/// Returns `None` without a document or a known kind, and if the records have keys of the kind, are
/// no table, are too large, or no column fits. Also returns a reservation of memory, which the
/// caller must keep as long as the new records. Few bytes need none.
///
/// # Errors
/// `Busy` if other requests do not release memory in time.
fn map_records<'a>(
    request: &RequestContext<'a>,
    document: Option<&Document>,
    data: &Records,
    locale: Option<&str>,
    limits: RecordLimits,
) -> Result<Option<(MappedTable, Option<Reservation<'a>>)>> {
    let Some(document) = document else { return Ok(None) };
    let Some(kind) = portfolio::find_kind(&document.kind) else { return Ok(None) };
    let rows = record_keys::rows_of_foreign_records(data, kind, &document.settings)?;
    let Some(rows) = rows else { return Ok(None) };
    let options = ReadOptions {
        content_type: Some("application/json"),
        locale: locale.map(Locale::parse),
        heading_row: HeadingRow::Present,
        ..ReadOptions::default()
    };
    let max_text_bytes = limits.max_bytes;
    let limits_of_table = Limits { max_rows: limits.max_records, max_text_bytes, deadline: None };
    let memory = &request.app.work_memory;
    let mapped = table_reader::read_within_budget(memory, &rows, &options, limits_of_table)
        .and_then(|table| {
            let memory = content_memory::reserve_records(request.app, &table, request.body.len())?;
            Ok((map_table(&table, document, limits)?, memory))
        });
    match mapped {
        Ok(mapped) => Ok(Some(mapped).filter(|((_, (view, _)), _)| !view.mapping.is_empty())),
        // The records are valid, even if they are no table.
        Err(Error::InvalidFields(_) | Error::TooLarge(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Description of a mapping, with the problems of the columns.
type TableDescription = (MappingView, Vec<ColumnProblem>);
/// New content of a document from a table that was mapped.
type MappedTable = (DataReplacement, TableDescription);

/// Maps a table to the chart kind of a document. Returns the new records and settings, and the
/// description of the mapping with the problems of the columns. Stores nothing.
///
/// # Errors
/// `NotFound` if the server does not have the kind. The errors of `convert_table`.
fn map_table(table: &Table<'_>, document: &Document, limits: RecordLimits) -> Result<MappedTable> {
    let kind = portfolio::find_kind(&document.kind).or_not_found("chart kind")?;
    let profiles = table_profiles::profile_columns(table)?;
    let mapping = tables::map_table(&profiles, kind);
    let mapped = table_records::convert_table(table, &profiles, &mapping, limits)?;
    let mapped_settings =
        Some(MappedSettings::from_mapping(kind, &mapping, &profiles, mapped.repeated));
    let texts = TableTexts { title: None, footer: table_texts::find_footer(&mapping) };
    let replacement =
        DataReplacement { mapped_settings, texts, ..DataReplacement::of_records(mapped.records) };
    let problems = column_problems::list_mapped_problems(table, &mapping, &profiles)?;
    Ok((replacement, (MappingView::new(&mapping), problems)))
}
