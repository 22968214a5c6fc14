//! The audit log: changes of an organization and of what it owns.
//!
//! An event is recorded in the transaction of its change, so that there is one event for each stored
//! change and none for a change that was rolled back. Table: `audit_event`. The route is in `orgs`,
//! which knows the roles of members. All other features are below this one, so that they can record.

mod actions;
mod bounds;
mod event;
mod store;
mod tasks;

pub use actions::RETENTION;
pub use actions::changed_fields;
pub use actions::fields;
pub use actions::list_events;
pub use actions::record;
pub use actions::record_unless_repeated;
pub use actions::visit_events;
pub use bounds::MAX_LIST_ITEMS;
pub use event::Event;
pub use event::EventFilter;
pub use event::EventTarget;
pub use event::Repetition;
pub use tasks::PURGE_TASK;
pub use tasks::purge_expired;
