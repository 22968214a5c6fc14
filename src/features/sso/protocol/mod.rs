//! Verification of SAML responses: pure functions from bytes to a verified assertion.
//!
//! The caller decodes the form field with [`decode_response`], finds the organization by
//! [`unverified_issuer`] and calls [`verify`] with the keys of that organization. Nothing else reads
//! a response.

mod assertion;
mod attributes;
mod certificate;
mod conditions;
mod envelope;
mod provider;
mod rejection;
mod response;
mod schema;
mod subject;

pub use assertion::VerifiedAssertion;
pub use assertion::verify;
pub use certificate::IdpCertificate;
pub use certificate::encode_pem;
pub use certificate::parse_certificates;
pub use certificate::to_pem;
pub use envelope::decode_response;
pub use envelope::unverified_issuer;
pub use provider::IdentityProvider;
pub use provider::ServiceProvider;
pub use rejection::ReasonCode;
pub use rejection::Rejection;
pub use subject::Subject;
