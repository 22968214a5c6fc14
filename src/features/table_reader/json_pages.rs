//! Records in JSON that a web service sends in several pages.

use serde_json::value::RawValue;

use super::json_records::Members;
use super::json_table;

/// Depth of objects in which further pages are searched.
const MAX_DEPTH: usize = 3;
/// Maximum length of a list with different values that is searched, as that of the World Bank.
const MAX_MIXED_VALUES: usize = 16;
/// Keys of the address of the next page.
const LINK_KEYS: [&str; 11] = [
    "next",
    "@odata.nextLink",
    "odata.nextLink",
    "nextLink",
    "next_link",
    "nextUrl",
    "next_url",
    "nextPage",
    "next_page",
    "nextPageUrl",
    "next_page_url",
];
/// Keys that tell that there are further pages.
const MORE_KEYS: [&str; 12] = [
    "exceededTransferLimit",
    "hasMore",
    "has_more",
    "hasNext",
    "has_next",
    "hasNextPage",
    "has_next_page",
    "nextCursor",
    "next_cursor",
    "nextPageToken",
    "next_page_token",
    "nextToken",
];
/// Keys of the number of a page and of the number of pages.
const COUNT_KEYS: [(&str, &str); 5] = [
    ("page", "pages"),
    ("page", "total_pages"),
    ("page", "totalPages"),
    ("current_page", "last_page"),
    ("currentPage", "totalPages"),
];

/// The page after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPage {
    /// The page is the last one.
    None,
    /// The page at an address, which may be relative.
    Link(String),
    /// There is one, but no address tells where.
    Unknown,
}

/// The facts about further pages in a page.
#[derive(Debug, Default)]
struct PageFacts {
    link: Option<String>,
    has_more: bool,
    /// Number of all records, beside links that exist on the last page, too.
    total: Option<usize>,
}

/// Finds the page after a page. `record_count` is the number of records on the pages so far.
pub fn find_next_page(bytes: &[u8], record_count: usize) -> NextPage {
    let facts = PageFacts::read(json_table::without_byte_order_mark(bytes)).unwrap_or_default();
    match facts.link {
        Some(_) if facts.total.is_some_and(|total| total <= record_count) => NextPage::None,
        Some(link) => NextPage::Link(link),
        None if facts.has_more => NextPage::Unknown,
        None => NextPage::None,
    }
}

impl PageFacts {
    /// Reads the facts. None for JSON without an object for them.
    fn read(bytes: &[u8]) -> Option<Self> {
        let value: &RawValue = serde_json::from_slice(bytes).ok()?;
        let mut facts = Self::default();
        if value.get().starts_with('{') {
            facts.search(value, MAX_DEPTH);
            return Some(facts);
        }
        let values: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        let is_object = |value: &&RawValue| value.get().starts_with('{');
        if values.len() <= MAX_MIXED_VALUES && !values.iter().all(is_object) {
            values.into_iter().filter(is_object).for_each(|value| facts.search(value, 1));
        }
        Some(facts)
    }

    /// Adds the facts in an object.
    fn search(&mut self, object: &RawValue, depth: usize) {
        let Ok(Members(members)) = serde_json::from_str(object.get()) else { return };
        for (key, value) in &members {
            if LINK_KEYS.contains(&&**key) {
                self.link = self.link.take().or_else(|| read_link(value));
                // A number of a page, such as `"next_page": 2`.
                self.has_more |= key.ends_with("age") && read_number(value).is_some();
            } else if MORE_KEYS.contains(&&**key) {
                self.has_more |= !matches!(value.get(), "null" | "false" | "\"\"" | "0");
            } else if matches!(&**key, "links" | "_links") && value.get().starts_with('[') {
                self.link = self.link.take().or_else(|| find_link_in_list(value));
            }
            if depth > 1 && value.get().starts_with('{') {
                self.search(value, depth - 1);
            }
        }
        let find = |wanted: &str| {
            let found = members.iter().find(|(key, _)| key == wanted);
            found.and_then(|(_, value)| read_number(value))
        };
        self.has_more |= COUNT_KEYS.iter().any(|(page, pages)| {
            find(page).zip(find(pages)).is_some_and(|(page, pages)| page < pages)
        });
        // CKAN sends `_links.next` also on the last page.
        if members.iter().any(|(key, _)| key == "_links") {
            self.total = self.total.or(find("total"));
        }
    }
}

/// Returns a whole number, which may be a text.
fn read_number(value: &RawValue) -> Option<usize> {
    value.get().trim_matches('"').parse().ok()
}

/// Returns the address in a text, or in the member `href` or `url` of an object.
fn read_link(value: &RawValue) -> Option<String> {
    if let Ok(Members(members)) = serde_json::from_str(value.get()) {
        let link = members.iter().find(|(key, _)| matches!(&**key, "href" | "url"))?;
        return read_link(link.1);
    }
    let link: String = serde_json::from_str(value.get()).ok()?;
    ["http://", "https://", "/", "?"].iter().any(|start| link.starts_with(start)).then_some(link)
}

/// Returns the address of the link with the relation `next`.
fn find_link_in_list(list: &RawValue) -> Option<String> {
    let links: Vec<Members<'_>> = serde_json::from_str(list.get()).ok()?;
    let is_next = |Members(members): &&Members<'_>| {
        members.iter().any(|(key, value)| key == "rel" && value.get() == "\"next\"")
    };
    let Members(members) = links.iter().find(is_next)?;
    read_link(members.iter().find(|(key, _)| key == "href")?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, next: NextPage) {
        assert_eq!(find_next_page(text.as_bytes(), 2), next, "{text}");
    }

    #[test]
    fn the_address_of_the_next_page_is_found() {
        let link = || NextPage::Link("https://a.example/?page=2".to_owned());
        for text in [
            r#"{"count":9,"next":"https://a.example/?page=2","previous":null,"results":[]}"#,
            r#"{"value":[],"@odata.nextLink":"https://a.example/?page=2"}"#,
            r#"{"links":{"next":"https://a.example/?page=2"}}"#,
            r#"{"_links":{"next":{"href":"https://a.example/?page=2"}}}"#,
            r#"{"links":[{"rel":"self","href":"/"},{"rel":"next","href":"https://a.example/?page=2"}]}"#,
            r#"{"meta":{"page":1,"pages":3,"links":{"next":"https://a.example/?page=2"}}}"#,
            r#"{"result":{"total":3,"_links":{"next":"https://a.example/?page=2"}}}"#,
            r#"[{"next":"https://a.example/?page=2"},[{"a":1}]]"#,
        ] {
            check(text, link());
        }
        check(r#"{"next":"?page=2"}"#, NextPage::Link("?page=2".to_owned()));
    }

    #[test]
    fn the_last_page_is_found() {
        for text in [
            r#"{"next":null,"results":[{"next":"https://a.example"}]}"#,
            r#"{"next":"2026-12-01"}"#,
            r#"{"result":{"total":2,"_links":{"next":"/?offset=2"}}}"#,
            r#"[{"page":3,"pages":3},[]]"#,
            r#"[{"next":"https://a.example"}]"#,
            r#"{"has_more":false,"next_cursor":"","nextPageToken":null}"#,
            "[1",
        ] {
            check(text, NextPage::None);
        }
    }

    #[test]
    fn a_page_without_an_address_is_noticed() {
        for text in [
            r#"[{"page":1,"pages":7,"per_page":"50"},[{"a":1}]]"#,
            r#"{"meta":{"current_page":1,"last_page":"2"},"data":[]}"#,
            r#"{"features":[],"exceededTransferLimit":true}"#,
            r#"{"has_more":true}"#,
            r#"{"next_page":2}"#,
            r#"{"paging":{"next_cursor":"abc"}}"#,
        ] {
            check(text, NextPage::Unknown);
        }
    }
}
