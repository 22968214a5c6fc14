//! Handlers that return the records of a document as a table file.

use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_DISPOSITION;
use serde_json::Value;

use super::MayBeTooLarge;
use super::document_target;
use super::image_response::IMAGE_CACHE_CONTROL;
use super::image_response::format_content_disposition;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::Document;
use crate::features::documents::actions;
use crate::features::documents::actions::view;
use crate::features::documents::content_memory;
use crate::features::documents::data_export;
use crate::features::documents::data_export::ExportTable;
use crate::features::portfolio;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// Format of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFileFormat {
    Csv,
    Xlsx,
}

/// Handles `GET /users/{user_id}/documents/{doc}/data.csv`: returns the records as CSV, for a caller
/// with read access.
pub fn csv(request: &RequestContext, caller: &Caller, _: MayBeTooLarge) -> Result<Response> {
    respond_with_table(request, caller, TableFileFormat::Csv)
}

/// Handles `GET /users/{user_id}/documents/{doc}/data.xlsx`: returns the records as a workbook, for a
/// caller with read access.
pub fn xlsx(request: &RequestContext, caller: &Caller, _: MayBeTooLarge) -> Result<Response> {
    respond_with_table(request, caller, TableFileFormat::Xlsx)
}

/// Responds with the records of a document of this server as a file.
///
/// # Errors
/// `Busy` if other requests hold the memory for too long. The errors of [`table_file_response`].
fn respond_with_table(
    request: &RequestContext,
    caller: &Caller,
    format: TableFileFormat,
) -> Result<Response> {
    let target = document_target(request, caller)?;
    let app = request.app;
    let (document, _) = app.db.read(|tx| actions::find_readable(tx, caller, &target))?;
    let content_bytes = usize::try_from(document.content_bytes()).unwrap_or(usize::MAX);
    let _memory = content_memory::reserve(app, content_bytes)?;
    let (document, records) = app.db.read(|tx| {
        let (document, _) = actions::find_readable(tx, caller, &target)?;
        let records = view::load_records(tx, &document)?;
        Ok((document, records))
    })?;
    let records = String::from_utf8(records).map_err(|error| Error::internal(error.to_string()))?;
    table_file_response(&document, &records, format)
}

/// Responds with the records of a document as a file with its title. `records` is their JSON text, joined by
/// commas. The caller must have reserved its memory.
///
/// # Errors
/// `TooLarge` for too many columns, cells or bytes of the file.
pub fn table_file_response(
    document: &Document,
    records: &str,
    format: TableFileFormat,
) -> Result<Response> {
    let settings: Value = serde_json::from_str(&document.settings)?;
    let kind = portfolio::find_kind(&document.kind);
    let table = ExportTable::new(records, kind, &settings)?;
    let (extension, media_type, file) = match format {
        TableFileFormat::Csv => ("csv", data_export::CSV_TYPE, data_export::write_csv(&table)?),
        TableFileFormat::Xlsx => {
            ("xlsx", data_export::XLSX_TYPE, data_export::write_xlsx(&table, &document.title)?)
        }
    };
    Response::bytes(media_type, file)
        .with_header(CACHE_CONTROL, IMAGE_CACHE_CONTROL)?
        .with_header(CONTENT_DISPOSITION, &format_content_disposition(&document.title, extension))?
        .with_language()
}
