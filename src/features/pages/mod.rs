//! PLACEHOLDER pages.
