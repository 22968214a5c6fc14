//! Handlers that return the records of a document at a provider as a table file.

use super::place::Place;
use super::stored;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::documents;
use crate::features::documents::MayBeTooLarge;
use crate::features::documents::TableFileFormat;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// Handles `GET /cloud/{provider}/{connection}/documents/{id}/data.csv`: returns the records as CSV.
pub fn csv(request: &RequestContext, caller: &User, _: MayBeTooLarge) -> Result<Response> {
    export(request, caller, TableFileFormat::Csv)
}

/// Handles `GET /cloud/{provider}/{connection}/documents/{id}/data.xlsx`: returns the records as a workbook.
pub fn xlsx(request: &RequestContext, caller: &User, _: MayBeTooLarge) -> Result<Response> {
    export(request, caller, TableFileFormat::Xlsx)
}

/// Reads a document and responds with its records.
fn export(request: &RequestContext, caller: &User, format: TableFileFormat) -> Result<Response> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let opened = stored::read(&place, &id)?;
    let draft = opened.document.to_draft()?;
    let (document, records) = draft.into_document(&caller.id, request.app.config.max_records)?;
    documents::table_file_response(&document, &records.to_joined(), format)
}
