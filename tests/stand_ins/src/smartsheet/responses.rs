//! Responses of the API: results, errors and the two kinds of pages.

use serde_json::Value;
use serde_json::json;

use crate::http::Request;
use crate::http::Response;

/// Default number of entries of a page.
const DEFAULT_PAGE_SIZE: usize = 100;

/// Returns an error of the API.
pub(super) fn error(status: u16, code: u32, message: &str) -> Response {
    Response::json(status, &json!({"errorCode": code, "message": message, "refId": "x7k2m9"}))
}

/// Returns the error for an object that does not exist or is hidden from the user.
pub(super) fn not_found() -> Response {
    error(404, 1006, "Not Found")
}

/// Returns the error for a method that a resource does not have.
pub(super) fn method_not_supported() -> Response {
    error(405, 1010, "HTTP Method not supported.")
}

/// Returns the error for a value that a parameter cannot have.
fn invalid_parameter(name: &str, value: &str) -> Response {
    error(400, 1018, &format!("The value '{value}' was not valid for the parameter {name}."))
}

/// Returns the result of a change. `Null` is a change without an object.
pub(super) fn success(result: Value) -> Response {
    let mut body = json!({"message": "SUCCESS", "resultCode": 0});
    if !result.is_null() {
        body["result"] = result;
    }
    Response::json(200, &body)
}

/// Returns the part of a list from the position in `lastKey` on.
pub(super) fn token_page(items: &[Value], request: &Request, page_size: usize) -> Response {
    let start = match request.parameter("lastKey") {
        None => 0,
        Some(key) => match key.strip_prefix("key/+=").and_then(|text| text.parse().ok()) {
            Some(start) if start <= items.len() => start,
            _ => return invalid_parameter("lastKey", key),
        },
    };
    let wanted = match parse_size(request, "maxItems") {
        Ok(size) => size.unwrap_or(DEFAULT_PAGE_SIZE),
        Err(response) => return response,
    };
    let end = items.len().min(start + wanted.min(page_size));
    let mut body = json!({"data": items.get(start..end).unwrap_or_default()});
    if end < items.len() {
        body["lastKey"] = format!("key/+={end}").into();
    }
    Response::json(200, &body)
}

/// A part of a list with numbered pages.
pub(super) struct NumberedPage {
    /// Number of the page, from 1 on.
    pub(super) number: usize,
    /// Maximum number of entries of a page.
    pub(super) size: usize,
    /// Number of pages.
    pub(super) total: usize,
    /// Index of the first entry.
    pub(super) start: usize,
    /// Index after the last entry.
    pub(super) end: usize,
}

/// Returns the numbered page that a request wants, and the last one for a number that is too large.
/// `includeAll` is one page with all entries.
///
/// # Errors
/// The response for an invalid number.
pub(super) fn find_page(
    count: usize,
    request: &Request,
    page_size: usize,
) -> Result<NumberedPage, Response> {
    let size = match request.parameter("includeAll") {
        Some("true" | "True") => count.max(1),
        _ => parse_size(request, "pageSize")?.unwrap_or(DEFAULT_PAGE_SIZE).min(page_size),
    };
    let total = count.div_ceil(size).max(1);
    let number = parse_size(request, "page")?.unwrap_or(1).min(total);
    let start = (number - 1) * size;
    Ok(NumberedPage { number, size, total, start, end: count.min(start + size) })
}

/// Returns a numbered page of a list.
pub(super) fn index_page(items: &[Value], request: &Request, page_size: usize) -> Response {
    let page = match find_page(items.len(), request, page_size) {
        Ok(page) => page,
        Err(response) => return response,
    };
    let body = json!({
        "pageNumber": page.number,
        "pageSize": page.size,
        "totalPages": page.total,
        "totalCount": items.len(),
        "data": items.get(page.start..page.end).unwrap_or_default(),
    });
    Response::json(200, &body)
}

/// Parses a positive number of the query.
fn parse_size(request: &Request, name: &str) -> Result<Option<usize>, Response> {
    let Some(text) = request.parameter(name) else { return Ok(None) };
    match text.parse() {
        Ok(size) if size > 0 => Ok(Some(size)),
        _ => Err(invalid_parameter(name, text)),
    }
}
