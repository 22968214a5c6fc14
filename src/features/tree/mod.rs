//! PLACEHOLDER tree.
