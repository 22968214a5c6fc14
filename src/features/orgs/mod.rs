//! PLACEHOLDER orgs.
