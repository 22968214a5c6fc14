//! Tests of the client of Smartsheet against its stand-in.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stand_in_session;
mod smartsheet {
    mod documents;
    mod errors;
    mod folders;
    mod oauth;
    mod setup;
    mod sources;
}
