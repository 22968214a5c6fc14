//! The metadata of the service provider.

use super::key::RequestKey;
use super::metadata;
use crate::app::RequestContext;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// Media type of metadata (SAML metadata 2.0, appendix A).
const METADATA_TYPE: &str = "application/samlmetadata+xml";

/// Handles `GET /sso/saml2`: describes this server as a service provider, for identity providers.
pub fn metadata(request: &RequestContext, (): ()) -> Result<Response> {
    let key = RequestKey::load_or_create(request.app)?;
    let text = metadata::build(&key, &request.app.config.base_url)?;
    Ok(Response::bytes(METADATA_TYPE, text))
}
