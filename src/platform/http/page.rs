//! Pagination of listings by offset and limit, with `Link` headers to the adjacent pages.

use hyper::header::LINK;

use super::request::Request;
use super::response::Response;
use crate::error::Result;

/// Number of entries per page if the request does not specify it.
const DEFAULT_LIMIT: u32 = 10;
/// Maximum number of entries per page.
const MAX_LIMIT: u32 = 100;

/// A page of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Number of entries before the page.
    pub offset: u32,
    /// Maximum number of entries on the page.
    pub limit: u32,
}

impl Page {
    /// Creates the page that a query requests.
    ///
    /// The default offset is 0, the default limit `DEFAULT_LIMIT`. A limit over `MAX_LIMIT` is
    /// reduced to it. A limit of 0 is allowed.
    pub fn new(offset: Option<u32>, limit: Option<u32>) -> Self {
        let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        Self { offset: offset.unwrap_or(0), limit }
    }

    /// Adds `Link` headers for the previous and the next page of a listing with `count` entries, if
    /// they exist. Their URL is `base_url` and the path of the request, with its other query
    /// parameters.
    ///
    /// # Errors
    /// `Internal` if the URL contains characters that a header cannot carry.
    pub fn add_link_headers(
        self,
        mut response: Response,
        base_url: &str,
        request: &Request,
        count: u64,
    ) -> Result<Response> {
        let (previous, next) = self.adjacent_pages(count);
        let url = format!("{base_url}{}", request.path);
        for (page, relation) in [(previous, "prev"), (next, "next")] {
            if let Some(page) = page {
                let query = build_query(page, &request.query);
                response = response
                    .append_header(LINK, &format!("<{url}?{query}>; rel=\"{relation}\""))?;
            }
        }
        Ok(response)
    }

    /// Returns the previous and the next page of a listing with `count` entries, in this order.
    /// Each is None if there is no such page or the limit is 0.
    ///
    /// Both have the limit of this page. The previous page begins `limit` entries earlier, or at 0.
    /// From an offset behind the end, it contains the last entries.
    pub fn adjacent_pages(self, count: u64) -> (Option<Self>, Option<Self>) {
        let end = u64::from(self.offset) + u64::from(self.limit);
        if self.limit == 0 {
            return (None, None);
        }
        let next = u32::try_from(end).ok().filter(|_| end < count);
        // From an offset behind the end, the previous page contains the last entries.
        let from = u32::try_from(count).map_or(self.offset, |count| count.min(self.offset));
        let previous = (from > 0).then(|| from.saturating_sub(self.limit));
        let page_at = |offset| Self { offset, limit: self.limit };
        (previous.map(page_at), next.map(page_at))
    }
}

/// Returns `query` without its offset and limit, followed by those of `page`, encoded as a form.
fn build_query(page: Page, query: &str) -> String {
    let others = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name != "offset" && name != "limit");
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .append_pair("offset", &page.offset.to_string())
        .append_pair("limit", &page.limit.to_string())
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_has_a_default_and_a_maximum() {
        assert_eq!(Page::new(None, None), Page { offset: 0, limit: 10 });
        assert_eq!(Page::new(Some(5), Some(5000)), Page { offset: 5, limit: 100 });
    }

    #[test]
    fn adjacent_pages_stay_within_the_listing() {
        let check = |offset, limit, count, previous, next| {
            let (before, after) = Page { offset, limit }.adjacent_pages(count);
            let found = (before.map(|page| page.offset), after.map(|page| page.offset));
            assert_eq!(found, (previous, next), "{offset} {limit} {count}");
        };
        check(0, 10, 0, None, None);
        check(0, 10, 10, None, None);
        check(0, 10, 11, None, Some(10));
        check(10, 10, 30, Some(0), Some(20));
        check(5, 10, 30, Some(0), Some(15));
        check(20, 10, 30, Some(10), None);
        check(900, 10, 25, Some(15), None);
        check(0, 0, 25, None, None);
        check(u32::MAX, 100, 25, Some(0), None);
    }

    #[test]
    fn other_query_parameters_are_kept() {
        let page = Page { offset: 20, limit: 10 };
        assert_eq!(build_query(page, ""), "offset=20&limit=10");
        assert_eq!(
            build_query(page, "match=Gr%C3%B6%C3%9Fe+%26&offset=1&share=x"),
            "match=Gr%C3%B6%C3%9Fe+%26&share=x&offset=20&limit=10"
        );
    }
}
