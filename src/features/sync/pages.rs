//! Further pages of a source that sends its records in JSON in several pages.

use url::Url;

use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::features::table_reader;
use crate::features::table_reader::NextPage;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;

/// Maximum number of pages of a source.
const MAX_PAGES: usize = 200;

/// A page of a source.
#[derive(Debug)]
pub struct SourcePage {
    pub bytes: RemoteBody,
    pub address: PageAddress,
}

/// Where a page was, and where the next one is.
#[derive(Debug)]
pub struct PageAddress {
    /// URL after redirects.
    pub url: String,
    /// Address of the next page in the header `Link` (RFC 8288).
    pub next: Option<String>,
}

/// Downloads the pages after the first one. Returns none if the file is no list of records in JSON.
///
/// # Errors
/// Those of `fetch`, which downloads a page. Code 413 beyond the limits of pages and bytes, 415 if a part of the
/// records cannot be reached, and 502 for pages that lead back to each other.
pub fn fetch_pages(
    first: (&[u8], &PageAddress),
    mut fetch: impl FnMut(&str) -> SourceResult<SourcePage>,
) -> SourceResult<Vec<RemoteBody>> {
    let mut pages: Vec<RemoteBody> = Vec::new();
    let Some(list) = table_reader::find_record_list(first.0, None) else {
        // Another form of JSON, which cannot be joined.
        return match find_next(first.0, first.1, 0)? {
            Some(_) => Err(unreachable_records()),
            None => Ok(pages),
        };
    };
    let mut count = list.count;
    let mut bytes = first.0.len();
    let mut visited = vec![first.1.url.clone()];
    let mut next = find_next(first.0, first.1, count)?;
    while let Some(url) = next {
        if visited.contains(&url) {
            return Err(SourceError::lasting(
                502,
                "the pages of the source lead back to each other",
            ));
        }
        if visited.len() == MAX_PAGES {
            let message = format!("the source has more than {MAX_PAGES} pages");
            return Err(SourceError::new(413, message));
        }
        let page = fetch(&url)?;
        visited.push(url);
        bytes += page.bytes.len();
        if bytes as u64 > MAX_DOWNLOAD_BYTES {
            let mib = MAX_DOWNLOAD_BYTES >> 20;
            return Err(SourceError::new(413, format!("the file is larger than {mib} MiB")));
        }
        let found = table_reader::find_record_list(&page.bytes, Some(&list.place));
        let added = found.map_or(0, |found| found.count);
        count += added;
        // Some services have an address of a page after the last one, which is empty.
        next = if added == 0 { None } else { find_next(&page.bytes, &page.address, count)? };
        pages.push(page.bytes);
    }
    Ok(pages)
}

/// Returns the address of the page after a page. `count` is the number of records so far.
///
/// # Errors
/// Code 415 if there is a page without an address.
fn find_next(bytes: &[u8], address: &PageAddress, count: usize) -> SourceResult<Option<String>> {
    let link = match (table_reader::find_next_page(bytes, count), &address.next) {
        (NextPage::Link(link), _) => link,
        (_, Some(link)) => link.clone(),
        (NextPage::Unknown, None) => return Err(unreachable_records()),
        (NextPage::None, None) => return Ok(None),
    };
    let base = Url::parse(&address.url).ok();
    let url = base.as_ref().and_then(|base| base.join(&link).ok());
    let (Some(base), Some(mut url)) = (base, url) else { return Err(unreachable_records()) };
    // Services behind a proxy often do not know that it uses https.
    if base.scheme() == "https" && url.scheme() == "http" && base.host_str() == url.host_str() {
        let _ = url.set_scheme("https");
    }
    Ok(Some(url.into()))
}

/// Returns the error about a source that sends only a part of its records.
fn unreachable_records() -> SourceError {
    let message = "the source sends only the first page of its records; ask for all of them in the address, or add \
                   #pages=first to use this page alone";
    SourceError::new(415, message)
}

/// Returns the address with the relation `next` in the header `Link`.
pub fn parse_link_header(header: &str) -> Option<String> {
    // Addresses may have commas, but no `<`.
    header.split('<').skip(1).find_map(|part| {
        let (address, parameters) = part.split_once('>')?;
        let is_next = |parameter: &str| {
            let parameter = parameter.trim().trim_end_matches(',').trim_end();
            let value = parameter.split_once('=').filter(|(name, _)| *name == "rel");
            value.is_some_and(|(_, value)| {
                value.trim_matches('"').split(' ').any(|rel| rel == "next")
            })
        };
        parameters.split(';').any(is_next).then(|| address.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_in_the_header_is_found() {
        let check = |header: &str, next: Option<&str>| {
            assert_eq!(parse_link_header(header).as_deref(), next, "{header}");
        };
        check("", None);
        check("<https://a.example/?b=1,2>; rel=\"next\"", Some("https://a.example/?b=1,2"));
        check("</?p=1>; rel=prev, </?p=3>; rel=\"next\", </?p=9>; rel=\"last\"", Some("/?p=3"));
        check("</style.css>; rel=preload; as=style", None);
    }

    #[test]
    fn an_address_of_the_same_host_keeps_https() {
        let next = |url: &str, link: &str| {
            let address = PageAddress { url: url.to_owned(), next: Some(link.to_owned()) };
            find_next(b"[]", &address, 0).unwrap().unwrap()
        };
        assert_eq!(next("https://a.example/v1/x?p=1", "?p=2"), "https://a.example/v1/x?p=2");
        assert_eq!(
            next("https://a.example/x", "http://a.example/x?p=2"),
            "https://a.example/x?p=2"
        );
        assert_eq!(next("https://a.example/x", "http://b.example/"), "http://b.example/");
    }
}
