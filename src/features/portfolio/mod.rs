//! PLACEHOLDER portfolio.
