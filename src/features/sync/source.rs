//! Downloads of files from the servers where the data of documents live.

use std::time::Duration;

use chartroom_cloud::Fetched;

use super::connected;
use super::links;
use super::links::FileAddress;
use super::links::SourceChoices;
use super::pages;
use super::pages::PageAddress;
use super::pages::SourcePage;
use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::app::App;
use crate::features::table_reader;
use crate::features::table_reader::DeclaredType;
use crate::features::table_reader::HeadingRow;
use crate::features::table_reader::JsonRows;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::SheetName;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::memory_budget::MemoryBudget;
use chartroom_platform::memory_budget::ReserveError;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DownloadOwner;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteFailure;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteRequest;
use chartroom_platform::remote::RemoteResponse;

/// Maximum length of an entity tag or revision in bytes.
const MAX_TAG_BYTES: usize = 1024;
/// First bytes of a gzip file that uses the only method there is.
const GZIP_MARK: &[u8] = &[0x1f, 0x8b, 8];
/// Id of the only list in JSON, as that of the worksheet of a text file.
const JSON_SHEET_ID: &str = "0";
/// Media type of JSON.
const JSON_TYPE: &str = "application/json";
/// Memory for records in JSON, as a multiple of the length of the text.
const JSON_FACTOR: u64 = 16;
/// Maximum time that the conversion of JSON waits for memory.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(5);

/// Message about a source that limits requests.
const BUSY_MESSAGE: &str = "the source allows no more requests at present";

/// A downloaded file.
#[derive(Debug)]
pub struct SourceFile {
    pub bytes: RemoteBody,
    /// Type that the server declares.
    declared: DeclaredType,
    /// Entity tag, or revision at a provider, for the next request.
    pub etag: Option<String>,
    /// The only worksheet, if the provider knows its id and name better than the file.
    pub only_sheet: Option<SheetName>,
    /// Whether the source defines the titles of the columns.
    pub has_fixed_headers: bool,
    /// Whether the source numbers the worksheets again at each download.
    renumbers_sheets: bool,
    /// Where the file was. None for files of accounts.
    address: Option<PageAddress>,
    /// Further pages of records in JSON.
    pages: Vec<RemoteBody>,
}

impl SourceFile {
    /// Returns the options for reading the file.
    pub fn read_options(&self) -> ReadOptions<'_> {
        ReadOptions { ids_are_names: self.renumbers_sheets, ..self.declared.read_options() }
    }

    /// Returns the worksheet to read from the file for a choice by id or name: none if it is the only
    /// worksheet of the source.
    ///
    /// # Errors
    /// Code 404 if the only worksheet of the source is another one.
    pub fn choose<'a>(
        &self,
        id: Option<&'a str>,
        name: Option<&'a str>,
    ) -> SourceResult<(Option<&'a str>, Option<&'a str>)> {
        let Some(sheet) = &self.only_sheet else { return Ok((id, name)) };
        let is_right = match (id, name) {
            (Some(id), _) => id == sheet.id,
            (None, Some(name)) => name == sheet.name,
            (None, None) => true,
        };
        match is_right {
            true => Ok((None, None)),
            false => Err(SourceError::new(404, "the source has no such worksheet")),
        }
    }

    /// Converts an error about the content of the file. Other errors are those of this server. The code is
    /// 413 beyond a limit, 422 for a damaged spreadsheet, and otherwise 415.
    ///
    /// # Errors
    /// The error itself unless it is about the content.
    pub fn describe_error(&self, error: Error) -> Result<SourceError> {
        match error {
            Error::InvalidFields(fields) => {
                // The reader has one error for all reasons. Its messages about limits start so; a heading
                // in another message does not count.
                let is_limit =
                    fields.iter().any(|field| field.message.starts_with("has more than "));
                let code = match (is_limit, table_reader::is_spreadsheet(&self.bytes)) {
                    (true, _) => 413,
                    (false, true) => 422,
                    (false, false) => 415,
                };
                let messages =
                    fields.into_iter().map(|FieldError { field, message }| match field.as_str() {
                        "sheet" | "sheet_id" => message,
                        _ => format!("the file {message}"),
                    });
                Ok(SourceError::new(code, messages.collect::<Vec<String>>().join("; ")))
            }
            Error::TooLarge(message) => Ok(SourceError::new(413, format!("the file: {message}"))),
            error => Err(error),
        }
    }
}

/// Result of a download.
#[derive(Debug)]
pub enum Download {
    /// The file has not changed since the given entity tag.
    NotModified,
    /// The file.
    File(Box<SourceFile>),
}

/// Downloads the file of a link with the rights of a user, unless it still has the entity tag or revision
/// `known`: through a connection of the user if there is one for it, and otherwise as everybody may.
///
/// # Errors
/// The outer error is one of this server. The inner one is the reason in terms of the source; the text of
/// the remote response is never part of it.
pub fn download(
    app: &App,
    client: &RemoteClient,
    (user, link): (&AccountId, &str),
    known: Option<&str>,
    deadline: Deadline,
) -> Result<SourceResult<Download>> {
    let _owner = DownloadOwner::begin(user);
    let (link, choices) = links::split_choices(link);
    let link = &*link;
    match connected::fetch(app, user, link, known, deadline)? {
        Some(Ok(Fetched::NotModified)) => Ok(Ok(Download::NotModified)),
        Some(Ok(Fetched::File(file))) => {
            let file = describe_fetched(file);
            let file = prepare_file(app, client, file, (true, choices), deadline)?;
            Ok(file.map(|file| Download::File(Box::new(file))))
        }
        Some(Err(error)) => Ok(Err(error)),
        None => {
            let etag = known.filter(|known| !connected::is_revision(known));
            let file = match download_public(client, link, etag, deadline) {
                Ok(Some(file)) => file,
                Ok(None) => return Ok(Ok(Download::NotModified)),
                Err(error) => return Ok(Err(error)),
            };
            let is_shared_link = links::find_provider(link).is_some();
            let file = prepare_file(app, client, file, (is_shared_link, choices), deadline)?;
            Ok(file.map(|file| Download::File(Box::new(file))))
        }
    }
}

/// Returns a file that came through a connection.
fn describe_fetched(file: chartroom_cloud::SourceFile) -> SourceFile {
    SourceFile {
        declared: DeclaredType::parse(&file.media_type.unwrap_or_default()),
        bytes: file.bytes,
        etag: file.revision.filter(|revision| revision.len() <= MAX_TAG_BYTES),
        only_sheet: file.sheet.map(|(id, name)| SheetName { id, name }),
        has_fixed_headers: file.has_fixed_headers,
        renumbers_sheets: file.renumbers_sheets,
        address: None,
        pages: Vec::new(),
    }
}

/// Checks a file and converts it to a table: decompresses gzip, and finds the records in JSON, with those on further
/// pages.
///
/// # Errors
/// Code 413 beyond a limit, and 502 if other requests do not release memory in time. Otherwise those of
/// [`check_content`], [`decompress`], [`download_pages`] and [`convert_records`].
fn prepare_file(
    app: &App,
    client: &RemoteClient,
    mut file: SourceFile,
    (is_shared_link, choices): (bool, SourceChoices),
    deadline: Deadline,
) -> Result<SourceResult<SourceFile>> {
    let SourceChoices { heading_row, has_first_page_only } = choices;
    let mut checked =
        decompress(&mut file, deadline).and_then(|()| check_content(&file.bytes, is_shared_link));
    if !has_first_page_only {
        checked = checked.and_then(|()| download_pages(client, &mut file, deadline));
    }
    if let Err(error) = checked {
        return Ok(Err(error));
    }
    file.declared = file.declared.without_wrong_charset(&file.bytes);
    if heading_row != HeadingRow::Detect {
        file.declared.heading_row = heading_row;
    }
    if file.has_fixed_headers {
        file.declared.heading_row = HeadingRow::Present;
    }
    convert_records(&app.work_memory, file, deadline)
}

/// Decompresses a file that a server sends as gzip (RFC 1952), such as `sales.csv.gz`. Leaves others unchanged.
///
/// # Errors
/// Code 413 if it has more than [`MAX_DOWNLOAD_BYTES`] then, 422 if it is damaged, and those of
/// [`convert_failure`].
fn decompress(file: &mut SourceFile, deadline: Deadline) -> SourceResult<()> {
    if !file.bytes.starts_with(GZIP_MARK) {
        return Ok(());
    }
    let content = std::mem::take(&mut file.bytes).decompress_gzip(MAX_DOWNLOAD_BYTES, deadline);
    let content = content.map_err(convert_failure)?;
    file.bytes = content.ok_or_else(|| SourceError::new(422, "the compressed file is damaged"))?;
    // It is the type of the compressed file.
    let is_text = |media_type: &String| media_type.to_ascii_lowercase().starts_with("text/");
    file.declared.media_type = file.declared.media_type.take().filter(is_text);
    Ok(())
}

/// Downloads the file of a link that everybody may open. None if it still has the entity tag `etag`.
///
/// # Errors
/// The reason in terms of the source. The text of the remote response is never part of it.
fn download_public(
    client: &RemoteClient,
    link: &str,
    etag: Option<&str>,
    deadline: Deadline,
) -> SourceResult<Option<SourceFile>> {
    let FileAddress { url, renumbers_sheets } = links::find_file(link)?;
    let Some(response) = request_file(client, &url, etag, deadline)? else { return Ok(None) };
    Ok(Some(SourceFile { renumbers_sheets, ..describe_file(response) }))
}

/// Downloads the pages after the first one, if the file is one of several pages with records in JSON. The entity tag
/// of the first page tells nothing about the others.
///
/// # Errors
/// Those of [`pages::fetch_pages`], [`request_file`], [`decompress`] and [`check_content`].
fn download_pages(
    client: &RemoteClient,
    file: &mut SourceFile,
    deadline: Deadline,
) -> SourceResult<()> {
    let Some(address) = file.address.take().filter(|_| has_json_object(&file.bytes)) else {
        return Ok(());
    };
    let fetch = |url: &str| {
        let response = request_file(client, url, None, deadline)?;
        let response = response.ok_or_else(|| SourceError::new(502, "the source sent no file"))?;
        let mut page = describe_file(response);
        decompress(&mut page, deadline)?;
        check_content(&page.bytes, false)?;
        let address = PageAddress { url: url.to_owned(), next: None };
        Ok(SourcePage { bytes: page.bytes, address: page.address.unwrap_or(address) })
    };
    file.pages = pages::fetch_pages((&file.bytes, &address), fetch)?;
    if !file.pages.is_empty() {
        file.etag = None;
    }
    Ok(())
}

/// Returns whether a file starts like JSON with objects.
fn has_json_object(bytes: &[u8]) -> bool {
    matches!(json_start(bytes), (Some(b'{'), Some(b'"' | b'}')) | (Some(b'['), Some(b'{' | b']')))
}

/// Returns the first two bytes of a JSON text that are no white space.
fn json_start(bytes: &[u8]) -> (Option<u8>, Option<u8>) {
    let text = table_reader::without_byte_order_mark(bytes);
    let mut text = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    (text.next(), text.next())
}

/// Requests a file or a page that everybody may open. None if it still has the entity tag `etag`.
///
/// # Errors
/// The reason in terms of the source.
fn request_file(
    client: &RemoteClient,
    url: &str,
    etag: Option<&str>,
    deadline: Deadline,
) -> SourceResult<Option<RemoteResponse>> {
    let headers: Vec<(&str, &str)> = etag.map(|etag| ("If-None-Match", etag)).into_iter().collect();
    let request = RemoteRequest {
        method: RemoteMethod::Get,
        url,
        headers: &headers,
        body: None,
        follow_redirects: true,
        // Some servers set a cookie and redirect to the same address until they get it.
        accept_cookies: true,
        max_bytes: MAX_DOWNLOAD_BYTES,
    };
    let response = client.send(&request, deadline).map_err(convert_failure)?;
    if response.status == 304 && etag.is_some() {
        return Ok(None);
    }
    check_status(&response)?;
    Ok(Some(response))
}

/// Converts the records in JSON to a table with their keys as headings. Returns other files unchanged, apart
/// from the media type of an array of arrays that a server declares as text.
///
/// # Errors
/// The outer error is one of this server. The inner one has code 415 for JSON without exactly one list of records,
/// 413 if it is too large, and 502 if other requests do not release memory in time.
fn convert_records(
    memory: &MemoryBudget,
    mut file: SourceFile,
    deadline: Deadline,
) -> Result<SourceResult<SourceFile>> {
    if json_start(&file.bytes) == (Some(b'['), Some(b'[')) {
        file.declared.media_type = Some(JSON_TYPE.to_owned());
        return Ok(Ok(file));
    }
    if !has_json_object(&file.bytes) {
        return Ok(Ok(file));
    }
    let length = file.bytes.len() + file.pages.iter().map(|page| page.len()).sum::<usize>();
    let needed = (length as u64).saturating_mul(JSON_FACTOR);
    let wait = deadline.remaining().unwrap_or_default().min(MAX_MEMORY_WAIT);
    let reserved = memory.reserve(needed, wait).map_err(|error| match error {
        ReserveError::ExceedsTotal => SourceError::new(413, "the file is too large for JSON"),
        ReserveError::Timeout => SourceError::new(502, "this server has no free memory at present"),
    });
    let _reserved = match reserved {
        Ok(reserved) => reserved,
        Err(error) => return Ok(Err(error)),
    };
    let pages: Vec<&[u8]> = file.pages.iter().map(|page| page.as_slice()).collect();
    let rows = table_reader::find_json_rows(&file.bytes, &pages);
    let JsonRows { text, place, has_headings } = match rows {
        Ok(rows) => rows,
        Err(error) => return file.describe_error(error).map(Err),
    };
    file.pages = Vec::new();
    file.bytes = text.into();
    file.declared.media_type = Some(JSON_TYPE.to_owned());
    if has_headings {
        (file.has_fixed_headers, file.declared.heading_row) = (true, HeadingRow::Present);
    }
    if !place.is_empty() {
        file.only_sheet = Some(SheetName { id: JSON_SHEET_ID.to_owned(), name: place });
    }
    Ok(Ok(file))
}

/// Converts a failure of the connection to an error of the source.
fn convert_failure(failure: RemoteFailure) -> SourceError {
    match failure {
        RemoteFailure::Timeout => SourceError::new(504, "the source did not respond in time"),
        RemoteFailure::AddressRefused(message) => SourceError::new(403, message),
        RemoteFailure::TooLarge { max_bytes } => {
            let mib = max_bytes >> 20;
            SourceError::new(413, format!("the file is larger than {mib} MiB"))
        }
        // The address of the source is checked before.
        RemoteFailure::InvalidUrl(message) => {
            let message = format!("the source redirects to another address: {message}");
            SourceError::lasting(502, message)
        }
        RemoteFailure::Failed(message) => SourceError::new(502, message),
    }
}

/// Checks the HTTP status of a response.
///
/// # Errors
/// Code 403, 404, 429 or 502; 429 also for another status from 400 to 499 with `Retry-After`. Those
/// that end without a change at the source have the time for which the source wants no request, if it
/// tells one.
fn check_status(response: &RemoteResponse) -> SourceResult<()> {
    let error = match response.status {
        202 => SourceError::new(502, "the source has not prepared the file yet"),
        200..=299 => return Ok(()),
        304 => SourceError::new(502, "the source sent no file"),
        300..=399 => SourceError::lasting(502, "the source redirects without an address"),
        400 => SourceError::lasting(502, "the source calls the request invalid; check the address"),
        401 | 403 => SourceError::new(403, "the file is not shared with everybody"),
        402 => SourceError::new(403, "the source wants to be paid before it sends the file"),
        404 | 410 => SourceError::new(404, "there is no file at this address"),
        406 => {
            let message = "the source has the file in no form that this server accepts";
            SourceError::lasting(502, message)
        }
        408 | 425 => SourceError::new(502, "the source did not wait for the request"),
        423 => SourceError::new(502, "the file is locked at the source"),
        420 | 429 => SourceError::new(429, BUSY_MESSAGE),
        451 => SourceError::new(403, "the source does not show the file for legal reasons"),
        status @ 400..=499 => {
            // 421 and 499 are about one connection.
            let is_lasting = !matches!(status, 421 | 499);
            let message = format!("the source refused the request with status {status}");
            SourceError { is_lasting, ..SourceError::new(502, message) }
        }
        status => SourceError::new(502, format!("the source responded with status {status}")),
    };
    let retry_after = response.retry_after();
    // Some servers limit requests with another status than 429.
    let is_limit = matches!(response.status, 400..=499) && retry_after.is_some();
    let error = match error.is_transient() {
        false if is_limit => SourceError::new(429, BUSY_MESSAGE),
        _ => error,
    };
    Err(SourceError { retry_after: retry_after.filter(|_| error.is_transient()), ..error })
}

/// Checks that a body is not a web page. A server that asks for a sign-in usually responds with one and
/// with status 200. A table that a program has saved as HTML is none.
///
/// # Errors
/// Code 403 for a link to a provider, 415 for other URLs, also for an empty file.
fn check_content(body: &[u8], is_shared_link: bool) -> SourceResult<()> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(SourceError::new(415, "the file is empty"));
    }
    let is_page = is_web_page(body) && !table_reader::is_saved_table(body);
    match (is_page, is_shared_link) {
        (false, _) => Ok(()),
        (true, true) => {
            let message = "the link opens a web page; share the file with everybody with the link";
            Err(SourceError::new(403, message))
        }
        (true, false) => {
            Err(SourceError::new(415, "the address leads to a web page, not to a spreadsheet"))
        }
    }
}

/// Returns whether a body starts with a tag of HTML, after white space and byte order marks. Zeros of
/// UTF-16 do not count.
fn is_web_page(body: &[u8]) -> bool {
    let mut text = body.iter().filter(|byte| byte.is_ascii() && **byte != 0);
    let first = text.find(|byte| !byte.is_ascii_whitespace());
    let second = text.next();
    first == Some(&b'<') && second.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'!')
}

/// Returns the file of a successful response.
fn describe_file(response: RemoteResponse) -> SourceFile {
    let next = response.header("link").and_then(pages::parse_link_header);
    SourceFile {
        address: Some(PageAddress { url: response.final_url.clone(), next }),
        pages: Vec::new(),
        declared: DeclaredType::parse(&response.content_type),
        etag: response.header("etag").filter(|etag| etag.len() <= MAX_TAG_BYTES).map(str::to_owned),
        bytes: response.body,
        only_sheet: None,
        has_fixed_headers: false,
        renumbers_sheets: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_pages_and_empty_files_are_no_tables() {
        for page in ["<!DOCTYPE html><p>Sign in", "\n <html>", "\u{feff}<!-- a --><html>"] {
            assert_eq!(check_content(page.as_bytes(), true).unwrap_err().code, 403, "{page}");
            assert_eq!(check_content(page.as_bytes(), false).unwrap_err().code, 415, "{page}");
        }
        assert_eq!(check_content(b" \r\n", false).unwrap_err().code, 415);
        for table in ["a,b\n1,2", "a<b,c\n1,2", "PK\u{3}\u{4}", "[[1]]", "\n<TABLE border=1><tr>"] {
            assert_eq!(check_content(table.as_bytes(), true), Ok(()), "{table}");
        }
    }
}
