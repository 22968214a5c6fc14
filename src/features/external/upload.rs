//! Handlers that store document files at a provider.

use chartroom_platform::http::multipart;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;

use super::documents;
use super::documents::CreatedFile;
use super::place::Place;
use super::stored;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::documents::DocumentFile;
use crate::features::documents::check_draft;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;

/// Maximum size of the body of an upload in bytes.
pub const MAX_UPLOAD_BYTES: usize = 64 << 20;

/// Handles `POST /cloud/{provider}/{connection}/upload/{folder}`: stores document files as new files of a
/// folder. The body is one document in JSON, or a form with files.
pub fn upload(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<RawJson<Vec<CreatedFile>>> {
    let place = Place::of_path(request, caller)?;
    let folder = cloud::decode_id(&request.param::<String>("folder")?, "folder")?;
    store_all(&place, read_files(request)?, |document| {
        stored::create(&place, &folder, document, None)
    })
}

/// Handles `POST /cloud/{provider}/{connection}/upload/{folder}/{id}`: replaces a document file.
pub fn replace(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<RawJson<Vec<CreatedFile>>> {
    let place = Place::of_path(request, caller)?;
    cloud::decode_id(&request.param::<String>("folder")?, "folder")?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let files = read_files(request)?;
    if files.len() != 1 {
        return Err(Error::invalid_field("file", "must be one file"));
    }
    store_all(&place, files, |document| stored::update(&place, &id, document, None))
}

/// Returns the files in the body: the parts `file` of a form, or the whole body in JSON.
///
/// # Errors
/// `InvalidFields` about `file` without files. `UnsupportedMediaType` for another type of body.
fn read_files(request: &RequestContext) -> Result<Vec<Bytes>> {
    let content_type = request.header(&CONTENT_TYPE).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") {
        return Ok(vec![request.body.clone()]);
    }
    let parts = multipart::parse_form(request)?;
    let files: Vec<Bytes> =
        parts.into_iter().filter(|part| part.name == "file").map(|part| part.content).collect();
    match files.is_empty() {
        true => Err(Error::invalid_field("file", "is required")),
        false => Ok(files),
    }
}

/// Checks all files, and then stores each.
///
/// # Errors
/// `InvalidFields` about the files that are no documents, `TooLarge` about those above a limit; then none is
/// stored. Those of the provider; then earlier files are stored.
fn store_all(
    place: &Place<'_>,
    files: Vec<Bytes>,
    store: impl Fn(&DocumentFile) -> Result<chartroom_cloud::StoredFile>,
) -> Result<RawJson<Vec<CreatedFile>>> {
    let max_bytes = place.app.config.max_document_bytes;
    let memory = stored::reserve(place.app, files.iter().map(Bytes::len).sum())?;
    for (index, bytes) in files.iter().enumerate() {
        if bytes.len() > max_bytes {
            let index = index + 1;
            let message = format!("file {index} has more than {max_bytes} bytes");
            return Err(Error::TooLarge(message));
        }
        let draft = DocumentFile::parse(bytes).and_then(|file| file.to_draft());
        draft
            .and_then(|draft| check_draft(place.app, draft))
            .map_err(|error| about_file(index, error))?;
    }
    // While a slow provider stores them, only for one of them.
    drop(memory);
    let largest = files.iter().map(Bytes::len).max().unwrap_or_default();
    let _memory = stored::reserve(place.app, largest)?;
    let store = |bytes: &Bytes| {
        let file = store(&DocumentFile::parse(bytes)?)?;
        Ok(documents::created_file(place, &file))
    };
    let created = files.iter().map(store).collect::<Result<Vec<CreatedFile>>>()?;
    Ok(RawJson::new(Response::json(&created)?))
}

/// Returns an error that names the file: `file[2].style.width`.
fn about_file(index: usize, error: Error) -> Error {
    match error {
        Error::Invalid(message) => Error::invalid_field(format!("file[{index}]"), message),
        Error::InvalidFields(fields) => {
            let named = |field: FieldError| {
                let name = format!("file[{index}].{}", field.field);
                FieldError { field: name, message: field.message }
            };
            Error::InvalidFields(fields.into_iter().map(named).collect())
        }
        error => error,
    }
}
