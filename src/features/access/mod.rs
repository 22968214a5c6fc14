//! PLACEHOLDER access.
