//! The envelope of all listings: which part it is, and where the parts before and after are.

use schemars::JsonSchema;
use serde::Serialize;

use super::Entry;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;

/// One page of a listing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    /// Entries before this page.
    pub offset: u32,
    /// Most entries on this page.
    pub limit: u32,
    /// Entries on all pages.
    pub count: u64,
    /// Of a listing: the text that titles were to contain.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// Of a search: the text that was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    pub results: Vec<Entry>,
}

impl Listing {
    /// A page of a listing of `count` entries.
    pub fn new(page: Page, count: u64, results: Vec<Entry>) -> Self {
        Self { offset: page.offset, limit: page.limit, count, matching: None, query: None, results }
    }

    /// The answer: with an entity tag, and with the addresses of the pages before and after in the
    /// header `Link`.
    pub fn response(&self, request: &RequestContext) -> Result<Raw<Self>> {
        let text = serde_json::to_vec(self)?;
        let tag = crypto::tag(&text);
        let response = Response::bytes("application/json", text).tagged(&tag)?;
        let page = Page { offset: self.offset, limit: self.limit };
        let response = page.link(response, &request.app.config.base_url, request, self.count)?;
        Ok(Raw::new(response))
    }
}
