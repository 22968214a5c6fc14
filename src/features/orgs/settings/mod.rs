//! Settings of an organization: layout presets, and what it forbids or does by itself.
//!
//! What of them concerns documents is asked by [`policy`](super::policy) and
//! [`default_layout`](super::default_layout).

pub mod http;
mod rules;

pub(super) use rules::Settings;
