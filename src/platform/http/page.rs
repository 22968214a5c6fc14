//! Which part of a list a caller asks for, and where the parts before and after are.

use hyper::header::LINK;

use super::request::Request;
use super::response::Response;
use crate::error::Result;

/// Length of a page when the caller does not say.
const DEFAULT_LIMIT: u32 = 10;
/// Longest page.
const MAX_LIMIT: u32 = 100;

/// A part of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Entries before it.
    pub offset: u32,
    /// Most entries on it.
    pub limit: u32,
}

impl Page {
    /// The page that a query asks for: from the beginning and 10 entries when it does not say, and
    /// never more than 100.
    pub fn new(offset: Option<u32>, limit: Option<u32>) -> Self {
        let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        Self { offset: offset.unwrap_or(0), limit }
    }

    /// Adds the addresses of the pages before and after it in a listing of `count` entries.
    pub fn link(
        self,
        mut response: Response,
        base_url: &str,
        request: &Request,
        count: u64,
    ) -> Result<Response> {
        let (previous, next) = self.neighbours(count);
        let address = format!("{base_url}{}", request.path);
        for (page, word) in [(previous, "prev"), (next, "next")] {
            if let Some(page) = page {
                let query = at(page, &request.query);
                response = response.and(LINK, &format!("<{address}?{query}>; rel=\"{word}\""))?;
            }
        }
        Ok(response)
    }

    /// The pages before and after it in a listing of `count` entries.
    pub fn neighbours(self, count: u64) -> (Option<Self>, Option<Self>) {
        let end = u64::from(self.offset) + u64::from(self.limit);
        if self.limit == 0 {
            return (None, None);
        }
        let next = u32::try_from(end).ok().filter(|_| end < count);
        // From far behind the end it is one step to the last entries.
        let from = u32::try_from(count).map_or(self.offset, |count| count.min(self.offset));
        let previous = (from > 0).then(|| from.saturating_sub(self.limit));
        let at = |offset| Self { offset, limit: self.limit };
        (previous.map(at), next.map(at))
    }
}

/// A query string that asks for another page, its other parameters as they were.
fn at(page: Page, query: &str) -> String {
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
    fn a_page_has_bounds() {
        assert_eq!(Page::new(None, None), Page { offset: 0, limit: 10 });
        assert_eq!(Page::new(Some(5), Some(5000)), Page { offset: 5, limit: 100 });
    }

    #[test]
    fn the_pages_before_and_after() {
        let check = |offset, limit, count, previous, next| {
            let (before, after) = Page { offset, limit }.neighbours(count);
            let found = (before.map(|it| it.offset), after.map(|it| it.offset));
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
    fn other_parameters_stay() {
        let page = Page { offset: 20, limit: 10 };
        assert_eq!(at(page, ""), "offset=20&limit=10");
        assert_eq!(
            at(page, "match=Gr%C3%B6%C3%9Fe+%26&offset=1&share=x"),
            "match=Gr%C3%B6%C3%9Fe+%26&share=x&offset=20&limit=10"
        );
    }
}
