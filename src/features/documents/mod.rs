//! PLACEHOLDER documents.
