//! The response body of all listings: one page with its position and the total count.

use schemars::JsonSchema;
use serde::Serialize;

use super::ListingEntry;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;

/// Size that most entries as JSON do not exceed: 1,280 to 1,450 bytes at a short public URL, which an entry
/// contains several times. Memory for all at once saves copies of the text while it grows.
const USUAL_ENTRY_BYTES: usize = 1600;

/// One page of a listing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    /// Number of skipped entries.
    pub offset: u32,
    /// Page size.
    pub limit: u32,
    /// Total number of entries.
    pub count: u64,
    /// Listing only: text that titles must contain.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// Search only: search text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    pub results: Vec<ListingEntry>,
}

impl Listing {
    /// Returns a page of a listing with `count` entries in total.
    pub fn new(page: Page, count: u64, results: Vec<ListingEntry>) -> Self {
        Self { offset: page.offset, limit: page.limit, count, matching: None, query: None, results }
    }

    /// Returns the response with an entity tag, and a `Link` header for each of the previous and
    /// the next page that exists.
    pub fn response(&self, request: &RequestContext) -> Result<RawJson<Self>> {
        let mut text = Vec::with_capacity(512 + self.results.len() * USUAL_ENTRY_BYTES);
        serde_json::to_writer(&mut text, self)?;
        let tag = crypto::content_hash_tag(&text);
        let response = Response::bytes("application/json", text).with_etag(&tag)?;
        let page = Page { offset: self.offset, limit: self.limit };
        let response =
            page.add_link_headers(response, &request.app.config.base_url, request, self.count)?;
        Ok(RawJson::new(response))
    }
}
