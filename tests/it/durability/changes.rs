//! Changes that a keeper makes: the request of each and the expected result. A plan returns None if
//! the present state does not allow the change.

use serde_json::Value;
use serde_json::json;

use super::things::Document;
use super::things::Things;
use crate::world::people;

/// A change: the request and the expected result.
pub struct Change {
    pub method: &'static str,
    pub path: String,
    pub body: Value,
    pub after: Things,
}

/// A function that plans change number `step` of the keeper of a folder.
pub type Plan = fn(&Things, home: &str, step: u64) -> Option<Change>;

/// All kinds of changes except the creation of documents.
pub const KINDS: [(&str, Plan); 17] = [
    ("rename", rename),
    ("make a shelf", make_shelf),
    ("save", save),
    ("move", relocate),
    ("put on a shelf", shelve),
    ("share", share),
    ("rename and move", rename_and_move),
    ("trash", trash),
    ("move a shelf", move_shelf),
    ("restore", restore),
    ("save once more", save),
    ("rename a shelf", rename_shelf),
    ("go back to a version", revert),
    ("trash a shelf", trash_shelf),
    ("expunge", expunge),
    ("restore a shelf", restore_shelf),
    ("expunge a shelf", expunge_shelf),
];

/// Returns the path of one of the matching documents, and the document.
fn some(
    things: &Things,
    step: u64,
    fits: impl Fn(&Document) -> bool,
) -> Option<(String, Document)> {
    let fit: Vec<_> = things.documents.iter().filter(|(_, it)| fits(it)).collect();
    let (path, document) = *fit.get(step as usize % fit.len().max(1))?;
    Some((path.clone(), document.clone()))
}

/// Returns a document that is neither in the trash nor on a shelf.
fn loose(things: &Things, step: u64) -> Option<(String, Document)> {
    some(things, step, |it| !it.trashed && !things.is_shelved(it))
}

fn live(things: &Things, step: u64) -> Option<(String, Document)> {
    some(things, step, |it| !it.trashed)
}

/// Returns a change of one document.
fn change(
    things: &Things,
    (path, document): (String, Document),
    (method, suffix): (&'static str, &str),
    body: Value,
) -> Change {
    let mut after = things.clone();
    let path_of_it = format!("{path}{suffix}");
    after.documents.insert(path, document);
    Change { method, path: path_of_it, body, after }
}

/// Returns the path of a folder that is no shelf.
pub fn folder(home: &str, step: u64) -> String {
    format!("{home}/Folder {}", step / 7)
}

fn rename(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = live(things, step)?;
    document.title = format!("Title {step}");
    let body = json!({ "title": document.title });
    Some(change(things, (path, document), ("PATCH", ""), body))
}

fn relocate(things: &Things, home: &str, step: u64) -> Option<Change> {
    let (path, mut document) = loose(things, step)?;
    document.folder = folder(home, step);
    let body = json!({ "folder": document.folder });
    Some(change(things, (path, document), ("POST", "/move"), body))
}

fn shelve(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = loose(things, step)?;
    document.folder = some_shelf(things, step, false)?;
    let body = json!({ "folder": document.folder });
    Some(change(things, (path, document), ("POST", "/move"), body))
}

fn rename_and_move(things: &Things, home: &str, step: u64) -> Option<Change> {
    let (path, mut document) = loose(things, step)?;
    (document.title, document.folder) = (format!("Title {step}"), folder(home, step));
    let body = json!({ "title": document.title, "folder": document.folder });
    Some(change(things, (path, document), ("PATCH", ""), body))
}

fn trash(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = loose(things, step)?;
    document.trashed = true;
    Some(change(things, (path, document), ("DELETE", ""), Value::Null))
}

fn restore(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = some(things, step, |it| it.trashed && !things.is_shelved(it))?;
    document.trashed = false;
    Some(change(things, (path, document), ("POST", ""), json!({ "action": "restore" })))
}

fn expunge(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, _) = some(things, step, |it| !things.is_shelved(it))?;
    let mut after = things.clone();
    after.documents.remove(&path);
    let path = format!("{path}?expunge=1");
    Some(Change { method: "DELETE", path, body: Value::Null, after })
}

fn save(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = live(things, step)?;
    (document.title, document.value) = (format!("Saved {step}"), Some(step));
    let data = json!([{ "label": "a", "value": step }]);
    let body = json!({ "title": document.title, "data": data, "final_save": true });
    Some(change(things, (path, document), ("PUT", ""), body))
}

/// Plans a return to a version that differs only in the value, because the keeper sets the title.
fn revert(things: &Things, _: &str, step: u64) -> Option<Change> {
    let other = |it: &Document| {
        it.versions.iter().find(|(_, value)| it.value != Some(**value)).map(|(n, v)| (*n, *v))
    };
    let (path, mut document) = some(things, step, |it| !it.trashed && other(it).is_some())?;
    let (number, value) = other(&document)?;
    (document.value, document.title) = (Some(value), format!("Saved {value}"));
    let suffix = format!("/history/{number}/restore");
    Some(change(things, (path, document), ("POST", &suffix), json!({})))
}

/// Grants Ben read access, then write access, then none.
fn share(things: &Things, _: &str, step: u64) -> Option<Change> {
    let (path, mut document) = live(things, step)?;
    let (_, id) = path.rsplit_once('/')?;
    let (owner, user) = (&people()[0].id, &people()[1].id);
    let (method, mode) = match document.mode.as_deref() {
        None => ("POST", Some("r")),
        Some("r") => ("PATCH", Some("w")),
        Some(_) => ("DELETE", None),
    };
    let mut body = json!({ "owner": owner, "document": id, "user_id": user });
    if let Some(mode) = mode {
        body["mode"] = mode.into();
    }
    document.mode = mode.map(str::to_owned);
    let after = change(things, (path, document), (method, ""), body);
    Some(Change { path: "/api/v1/share".to_owned(), ..after })
}

fn some_shelf(things: &Things, step: u64, trashed: bool) -> Option<String> {
    let fit: Vec<_> = things.shelves.iter().filter(|it| *it.1 == trashed).collect();
    fit.get(step as usize % fit.len().max(1)).map(|it| it.0.clone())
}

/// Returns a request about a shelf.
fn about(shelf: &str, method: &'static str, query: &str, body: Value, after: Things) -> Change {
    let (owner, shelf) = (&people()[0].id, shelf.replace(' ', "%20"));
    Change { method, path: format!("/api/v1/users/{owner}/folders{shelf}{query}"), body, after }
}

fn make_shelf(things: &Things, home: &str, step: u64) -> Option<Change> {
    if things.shelves.len() > 3 {
        return None;
    }
    let (shelf, mut after) = (format!("{home}/Shelf {step}"), things.clone());
    after.shelves.insert(shelf.clone(), false);
    Some(about(&shelf, "PUT", "", json!({}), after))
}

/// Plans another path for a shelf and all its documents.
fn carried(things: &Things, from: &str, to: &str) -> Things {
    let mut after = things.clone();
    for document in after.on(from) {
        document.folder = document.folder.replacen(from, to, 1);
    }
    after.shelves.remove(from);
    after.shelves.insert(to.to_owned(), false);
    after
}

fn move_shelf(things: &Things, home: &str, step: u64) -> Option<Change> {
    let from = some_shelf(things, step, false)?;
    let to = format!("{home}/Depot {step}/Shelf {step}");
    Some(about(&from, "PUT", "", json!({ "name": to }), carried(things, &from, &to)))
}

fn rename_shelf(things: &Things, _: &str, step: u64) -> Option<Change> {
    let from = some_shelf(things, step, false)?;
    let title = format!("Shelf {step}");
    let to = format!("{}/{title}", from.rsplit_once('/')?.0);
    Some(about(&from, "PUT", "", json!({ "title": title }), carried(things, &from, &to)))
}

/// Moves a shelf with all its documents into the trash or out of it.
fn throw(things: &Things, shelf: &str, trashed: bool) -> Things {
    let mut after = things.clone();
    after.on(shelf).for_each(|it| it.trashed = trashed);
    after.shelves.insert(shelf.to_owned(), trashed);
    after
}

fn trash_shelf(things: &Things, _: &str, step: u64) -> Option<Change> {
    let shelf = some_shelf(things, step, false)?;
    Some(about(&shelf, "DELETE", "", Value::Null, throw(things, &shelf, true)))
}

fn restore_shelf(things: &Things, _: &str, step: u64) -> Option<Change> {
    let shelf = some_shelf(things, step, true)?;
    Some(about(&shelf, "POST", "", json!({ "action": "restore" }), throw(things, &shelf, false)))
}

fn expunge_shelf(things: &Things, _: &str, step: u64) -> Option<Change> {
    if things.shelves.len() < 3 {
        return None;
    }
    let shelf = some_shelf(things, step, true).or_else(|| some_shelf(things, step, false))?;
    let mut after = things.clone();
    after.shelves.remove(&shelf);
    after.documents.retain(|_, it| it.folder != shelf);
    Some(about(&shelf, "DELETE", "?expunge=1", Value::Null, after))
}
