//! Invites: people who are asked by mail to join an organization. An open invite holds a seat.

pub mod http;
pub mod pages;
mod actions;
mod mail;

pub use actions::AddressStatus;
pub use actions::MAX_ADDRESSES;
pub use actions::NewInvites;
pub use actions::check_invites;
pub use actions::confirm_seats;
pub use actions::create_invites;
pub use actions::delete_expired;
pub use actions::delete_invite;
pub use actions::find_invite;
pub use actions::invite_domain_user;
pub use actions::list_invites;
pub use actions::send_again;
pub use http::InviteView;
pub use mail::MAIL_TASK;
pub use mail::invite_url;
pub use mail::inviter_name;
pub use mail::mail_recipient;
pub use mail::send_mail;
