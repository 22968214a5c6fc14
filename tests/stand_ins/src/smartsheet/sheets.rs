//! Requests about sheets.

use serde_json::Value;
use serde_json::json;

use super::folders::wrap_in_parents;
use super::model::Cell;
use super::model::Sheet;
use super::model::Sheets;
use super::responses::find_page;
use super::responses::index_page;
use super::responses::method_not_supported;
use super::responses::not_found;
use super::responses::success;
use crate::http::Request;
use crate::http::Response;

/// Handles `/sheets`. `parts` are the segments after it.
pub(super) fn respond(
    sheets: &mut Sheets,
    request: &Request,
    parts: &[&str],
    page_size: usize,
) -> Response {
    let Some((id, rest)) = parts.split_first() else {
        let items: Vec<Value> = sheets.sheets.iter().map(describe_sheet).collect();
        return match request.method.as_str() {
            "GET" => index_page(&items, request, page_size),
            _ => method_not_supported(),
        };
    };
    let Some(sheet) = sheets.find_sheet(id) else { return not_found() };
    let id = sheet.id;
    match (request.method.as_str(), rest) {
        ("GET", []) => {
            let response = get_sheet(sheet, request, page_size);
            change_if_wanted(sheets, id);
            response
        }
        ("GET", ["version"]) => Response::json(200, &json!({"version": sheet.version})),
        ("GET", ["path"]) => {
            let leaf = describe_sheet(sheet);
            Response::json(200, &wrap_in_parents(sheets, sheet.parent, "sheets", leaf))
        }
        ("GET", ["publish"]) => Response::json(200, &describe_publication(sheet)),
        ("DELETE", []) => {
            sheets.remove(id);
            success(Value::Null)
        }
        (_, [] | ["version" | "path" | "publish"]) => method_not_supported(),
        _ => not_found(),
    }
}

/// Changes a sheet as another person would do it, if a test wants that.
fn change_if_wanted(sheets: &mut Sheets, id: u64) {
    let Some(sheet) = sheets.sheets.iter_mut().find(|sheet| sheet.id == id) else { return };
    if sheet.changes_during_reads > 0 {
        sheet.changes_during_reads -= 1;
        sheet.version += 1;
    }
}

/// Returns a sheet without its content.
pub(super) fn describe_sheet(sheet: &Sheet) -> Value {
    json!({
        "id": sheet.id,
        "name": sheet.name,
        "accessLevel": "OWNER",
        "permalink": format!("https://app.smartsheet.com/sheets/{}", sheet.key),
        "createdAt": "2026-04-01T08:00:00Z",
        "modifiedAt": format!("2026-04-01T09:00:{:02}Z", sheet.version % 60),
    })
}

/// Returns the published page of a sheet.
fn describe_publication(sheet: &Sheet) -> Value {
    let mut body = json!({
        "readOnlyLiteEnabled": false,
        "readOnlyFullEnabled": sheet.published.is_some(),
        "readWriteEnabled": false,
        "icalEnabled": false,
    });
    if let Some(key) = &sheet.published {
        body["readOnlyFullAccessibleBy"] = "ALL".into();
        body["readOnlyFullUrl"] = format!("https://publish.smartsheet.com/{key}").into();
    }
    body
}

/// Returns a page of a sheet. Without parameters for pages, the page has all rows.
fn get_sheet(sheet: &Sheet, request: &Request, page_size: usize) -> Response {
    let mut body = describe_sheet(sheet);
    body["version"] = sheet.version.into();
    if let Some(known) = request.parameter("ifVersionAfter")
        && known.parse().is_ok_and(|known: u64| known >= sheet.version)
    {
        return Response::json(200, &json!({"version": sheet.version}));
    }
    let has_pages = request.parameter("page").is_some() || request.parameter("pageSize").is_some();
    let (start, end) = match find_page(sheet.rows.len(), request, page_size) {
        Ok(page) if has_pages => (page.start, page.end),
        Ok(_) => (0, sheet.rows.len()),
        Err(response) => return response,
    };
    let columns = sheet.columns.iter().enumerate();
    let columns = columns.map(|(index, column)| {
        json!({
            "id": column.id,
            "version": 0,
            "index": index,
            "title": column.title,
            "type": column.kind,
            "primary": index == 0,
            "validation": false,
            "width": 150,
        })
    });
    body["columns"] = columns.collect();
    body["totalRowCount"] = sheet.rows.len().into();
    let omits_empty =
        request.parameter("exclude").is_some_and(|text| text.contains("nonexistentCells"));
    let rows = sheet.rows.iter().enumerate().take(end).skip(start);
    let rows = rows.map(|(index, row)| {
        let cells = sheet.columns.iter().zip(&row.cells);
        let cells = cells.filter(|(_, cell)| !omits_empty || !cell.value.is_null());
        let cells: Value = cells.map(|(column, cell)| describe_cell(column.id, cell)).collect();
        json!({"id": row.id, "rowNumber": index + 1, "expanded": true, "cells": cells})
    });
    body["rows"] = rows.collect();
    Response::json(200, &body)
}

/// Returns a cell.
fn describe_cell(column: u64, cell: &Cell) -> Value {
    let mut body = json!({"columnId": column});
    if !cell.value.is_null() {
        body["value"] = cell.value.clone();
    }
    if let Some(display) = &cell.display {
        body["displayValue"] = display.as_str().into();
    }
    body
}
