//! Domains of organizations, verified by a TXT record.
//!
//! An organization proves that it owns a domain by publishing a record value on it. Addresses on a
//! verified domain belong to the organization: only its identity provider may sign them in. A
//! domain is verified by at most one organization. All names are stored and compared in ASCII
//! (punycode).
//!
//! A background task looks up verified domains daily. It never changes the status, because a
//! mistake in the DNS of the organization must not lock its members out. It tells the admins by
//! mail once the record has been missing for three days.

pub mod http;
mod actions;
mod mail;
mod rules;
mod store;
mod tasks;
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
pub use mail::MAIL_TASK;
pub use mail::mail_recipient;
pub use mail::send_mail;
pub use rules::domain_of_address;
pub use tasks::CHECK_TASK;
pub use tasks::DUE_CHECKS_TASK;
pub use tasks::check_domain;
pub use tasks::enqueue_due_checks;
pub use verification::Domain;
pub use verification::DomainStatus;
