//! Both sides of a login: this server and the identity provider of an organization.

use chartroom_platform::xml::RsaPublicKey;

/// This server, as identity providers know it.
#[derive(Debug, Clone)]
pub struct ServiceProvider {
    /// Required audience: the base URL of the server without a trailing slash.
    pub audience: String,
    /// URL of the assertion consumer service, which receives responses.
    pub acs_url: String,
}

/// The identity provider of an organization, as its administrator configured it.
#[derive(Debug, Clone)]
pub struct IdentityProvider {
    /// Entity id, which the issuer of an assertion must equal.
    pub entity_id: String,
    /// Keys of the configured certificates. Any of them may have made a signature.
    pub keys: Vec<RsaPublicKey>,
}
