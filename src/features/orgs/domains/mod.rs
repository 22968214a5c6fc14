//! Domains of organizations, verified by a TXT record.
//!
//! An organization proves that it owns a domain by publishing a record value on it. Addresses on a
//! verified domain belong to the organization: only its identity provider may sign them in. A
//! domain is verified by at most one organization. All names are stored and compared in ASCII
//! (punycode).

pub mod http;
mod actions;
mod rules;
mod store;
mod verification;

pub use actions::check_plan;
pub use actions::delete_domain;
pub use actions::find_domain;
pub use actions::find_verified_org;
pub use actions::is_address_verified;
pub use actions::list_domains;
pub use actions::look_up_records;
pub use actions::record_lookup;
pub use actions::register_domain;
pub use verification::Domain;
pub use verification::DomainStatus;
