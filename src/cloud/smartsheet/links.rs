//! Links to sheets and to published sheets.

use serde::Deserialize;
use url::Url;

use super::get;
use super::responses::Item;
use super::responses::NumberedPage;
use super::rows;
use crate::error::CloudError;
use crate::error::CloudResult;
use crate::model::Fetched;
use crate::session::Session;

/// Number of sheets that a page should have.
const PAGE_SIZE: u32 = 1_000;
/// Maximum number of pages in which to look for a sheet.
const MAX_PAGES: u64 = 50;
/// Maximum number of sheets to ask for the URLs of their published pages. Each needs a request, and
/// Smartsheet permits about 300 requests per minute.
const MAX_PUBLISHED: usize = 100;

/// The sheet that a link leads to.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// Key of the page of a sheet.
    Sheet(String),
    /// Key of a published page of a sheet.
    Published(String),
}

/// The published pages of a sheet. Pages that are not published have no URL.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedPages {
    #[serde(default)]
    read_only_full_url: Option<String>,
    #[serde(default)]
    read_write_url: Option<String>,
}

/// Downloads the sheet of a link. Smartsheet cannot look up a link, so that this function looks for it in
/// the list of the sheets that the account sees.
pub(in super::super) fn fetch_link(
    session: &Session<'_>,
    link: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let url = Url::parse(link).map_err(|_| CloudError::NotFound)?;
    let target = find_target(&url)?;
    let mut published = 0;
    for number in 1..=MAX_PAGES {
        let path = format!("sheets?page={number}&pageSize={PAGE_SIZE}");
        let page: NumberedPage<Item> = get(session, &path)?;
        for sheet in &page.data {
            let is_target = match target {
                Target::Sheet(_) => leads_to(sheet.permalink.as_deref(), &url, &target),
                Target::Published(_) if published >= MAX_PUBLISHED => {
                    return Err(CloudError::WrongType(
                        "the account has too many sheets to find a published one; use the link in the \
                         properties of the sheet",
                    ));
                }
                Target::Published(_) => {
                    published += 1;
                    is_published_as(session, sheet.id, &url, &target)?
                }
            };
            if is_target {
                return rows::fetch_sheet(session, sheet.id, known);
            }
        }
        if page.total_pages <= number || page.page_number != number {
            break;
        }
    }
    Err(CloudError::NotFound)
}

/// Returns whether a link of Smartsheet leads to the same sheet as the link of a user.
fn leads_to(link: Option<&str>, url: &Url, target: &Target) -> bool {
    link.and_then(|link| Url::parse(link).ok()).is_some_and(|link| {
        // Published pages have two hosts.
        let is_host = link.host_str() == url.host_str() || matches!(target, Target::Published(_));
        is_host && find_target(&link).is_ok_and(|found| found == *target)
    })
}

/// Returns whether a sheet is published at a URL. False for a sheet with pages that the
/// account may not see.
fn is_published_as(
    session: &Session<'_>,
    sheet: u64,
    url: &Url,
    target: &Target,
) -> CloudResult<bool> {
    let pages: PublishedPages = match get(session, &format!("sheets/{sheet}/publish")) {
        Err(CloudError::Forbidden | CloudError::NotFound) => return Ok(false),
        result => result?,
    };
    let links = [pages.read_only_full_url, pages.read_write_url];
    Ok(links.iter().any(|link| leads_to(link.as_deref(), url, target)))
}

/// Returns the sheet in a link: the segment after `/sheets/`, the parameter `lx` of older links
/// (`/b/home?lx=`), or the first segment at a host for published pages, which can also be at `/b/publish?EQBCT=`.
fn find_target(url: &Url) -> CloudResult<Target> {
    let segments: Vec<&str> = url.path_segments().map(Iterator::collect).unwrap_or_default();
    let key_in = |wanted: &str| {
        let mut pairs = url.query_pairs();
        let found = pairs.find(|(name, key)| name == wanted && !key.is_empty());
        found.map(|(_, key)| key.into_owned())
    };
    let is_published = url.host_str().is_some_and(|host| host.starts_with("publish."));
    match segments.as_slice() {
        [key, ..] if is_published && !key.is_empty() => Ok(Target::Published((*key).to_owned())),
        ["sheets", key, ..] if !key.is_empty() => Ok(Target::Sheet((*key).to_owned())),
        ["b", "home", ..] if let Some(key) = key_in("lx") => Ok(Target::Sheet(key)),
        ["b", "publish", ..] if let Some(key) = key_in("EQBCT") => Ok(Target::Published(key)),
        ["workspaces" | "folders", ..] => {
            Err(CloudError::WrongType("the link leads to a folder; use the link of a sheet"))
        }
        _ => Err(CloudError::WrongType(
            "the link does not lead to a sheet; use the link in the properties of the sheet",
        )),
    }
}
