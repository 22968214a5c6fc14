//! The metadata of the service provider, and the certificate of its requests.

use hyper::header::CONTENT_DISPOSITION;

use super::key;
use super::key::RequestKey;
use super::metadata;
use crate::app::RequestContext;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// Media type of metadata (SAML metadata 2.0, appendix A).
const METADATA_TYPE: &str = "application/samlmetadata+xml";

/// Media type of a certificate as PEM (RFC 8555, 9.1).
const CERTIFICATE_TYPE: &str = "application/pem-certificate-chain";

/// Handles `GET /sso/saml2`: describes this server as a service provider, for identity providers.
pub fn metadata(request: &RequestContext, (): ()) -> Result<Response> {
    let key = RequestKey::load_or_create(request.app)?;
    let text = metadata::build(&key, &request.app.config.base_url)?;
    Ok(Response::bytes(METADATA_TYPE, text))
}

/// Handles `GET /sso/saml2/certificate`: returns the certificate with which identity providers verify the
/// requests of this server, as a file. The metadata contain it too.
pub fn certificate(request: &RequestContext, (): ()) -> Result<Response> {
    let pem = key::load_certificate_pem(request.app)?;
    Response::bytes(CERTIFICATE_TYPE, pem)
        .with_header(CONTENT_DISPOSITION, "attachment; filename=\"chartroom-saml.pem\"")
}
