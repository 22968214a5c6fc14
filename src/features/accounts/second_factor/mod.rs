//! The second factor of accounts with a password: codes of an authenticator app (TOTP, RFC 6238), and
//! recovery codes.
//!
//! Routes: `/user/second-factor` and the paths below it. Tables: `second_factor`, `recovery_code`.
//!
//! The second factor protects the password. Every session needs a code unless it begins with single
//! sign-on, also one that begins with a link in a mail. HTTP basic refuses the password of such an
//! account. API tokens and single sign-on use no password and are not affected.
//!
//! An organization can require a second factor. A member with a password and without a second factor
//! then reaches nothing but the routes that set it up, and avatars: all other routes respond with 403
//! and the code `second_factor_setup_required`, whatever they belong to. One check after the
//! authentication enforces this ([`authenticate`](super::authenticate)), so that no route of the
//! organization and no document that is shared with its members can be forgotten. Routes that are
//! exempt call [`authenticate_for_setup`](super::authenticate_for_setup). The check applies to sessions
//! and HTTP basic, at each request: it takes effect as soon as the organization requires the second
//! factor, and ends as soon as it is set up.

pub mod http;
mod actions;
mod check;
mod recovery;
mod totp;

pub use actions::SetupSecret;
pub use actions::State;
pub use actions::confirm;
pub use actions::disable;
pub use actions::find_setup;
pub use actions::find_state;
pub use actions::renew_recovery_codes;
pub use actions::reset;
pub use actions::set_up;
pub use check::check_sign_in;
pub use check::check_without_code;
pub use check::has_second_factor;
pub use check::must_set_up;
