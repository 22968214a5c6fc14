//! The routes of the pages of the web interface.

use super::definition::AppRoute;
use super::definition::accepts_bytes;
use super::definition::undocumented;
use super::definition::uses_remote_pool;
use super::definition::uses_render_pool;
use super::definition::uses_write_pool;
use super::guards::account_or_link;
use super::guards::authenticated;
use super::guards::authenticated_for_setup;
use super::guards::authenticated_with_body;
use super::guards::optional_auth;
use super::guards::public;
use crate::features::account_pages;
use crate::features::me;
use crate::features::org_pages;
use crate::features::orgs;
use crate::features::pages;
use crate::features::sso;
use chartroom_platform::http::FALLBACK_PATH;

// == org_pages

/// Returns the routes of the pages of organizations.
#[rustfmt::skip]
pub(super) fn org_page_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/orgs/{org}", authenticated(org_pages::members::page)),
        undocumented("GET", "/orgs/{org}/members/new", authenticated(org_pages::new_member::page)),
        undocumented("POST", "/orgs/{org}/members/new", authenticated_with_body(orgs::http::check_is_admin, org_pages::new_member::submit)),
        undocumented("GET", "/orgs/{org}/members/remove", authenticated(org_pages::removal::page)),
        undocumented("POST", "/orgs/{org}/members/remove", authenticated_with_body(orgs::http::check_may_remove, org_pages::removal::submit)),
        undocumented("GET", "/orgs/{org}/members/{id}", authenticated(org_pages::member::page)),
        undocumented("POST", "/orgs/{org}/members/{id}", authenticated_with_body(orgs::http::check_is_admin, org_pages::member::submit)),
        undocumented("POST", "/orgs/{org}/members/{id}/second-factor/off", authenticated(org_pages::member::reset_second_factor)),
        undocumented("GET", "/orgs/{org}/invites", authenticated(org_pages::invites::page)),
        undocumented("POST", "/orgs/{org}/invites", authenticated_with_body(orgs::http::check_is_admin, org_pages::invites::submit)),
        undocumented("POST", "/orgs/{org}/invites/{id}/send", authenticated_with_body(orgs::http::check_is_admin, org_pages::invites::send)),
        undocumented("GET", "/orgs/{org}/invites/{id}/delete", authenticated(org_pages::invites::delete_page)),
        undocumented("POST", "/orgs/{org}/invites/{id}/delete", authenticated_with_body(orgs::http::check_may_remove, org_pages::invites::delete)),
        undocumented("GET", "/orgs/{org}/teams", authenticated(org_pages::teams::page)),
        undocumented("POST", "/orgs/{org}/teams", authenticated_with_body(orgs::http::check_is_admin, org_pages::teams::submit)),
        undocumented("GET", "/orgs/{org}/teams/{team}", authenticated(org_pages::team::page)),
        undocumented("POST", "/orgs/{org}/teams/{team}", authenticated_with_body(orgs::http::check_is_admin, org_pages::team::submit)),
        undocumented("GET", "/orgs/{org}/teams/{team}/delete", authenticated(org_pages::team::delete_page)),
        undocumented("POST", "/orgs/{org}/teams/{team}/delete", authenticated_with_body(orgs::http::check_is_admin, org_pages::team::delete)),
        undocumented("GET", "/orgs/{org}/themes", authenticated(org_pages::themes::page)),
        undocumented("POST", "/orgs/{org}/settings/default-theme", authenticated_with_body(orgs::themes::http::check_may_change, org_pages::themes::set_default)),
        uses_render_pool(undocumented("GET", "/orgs/{org}/themes/_new", authenticated(org_pages::theme::new_page))),
        undocumented("POST", "/orgs/{org}/themes/_new", authenticated_with_body(orgs::themes::http::check_may_change, org_pages::theme::create)),
        uses_render_pool(undocumented("GET", "/orgs/{org}/themes/{name}", authenticated(org_pages::theme::page))),
        undocumented("POST", "/orgs/{org}/themes/{name}", authenticated_with_body(orgs::themes::http::check_may_change, org_pages::theme::submit)),
        undocumented("GET", "/orgs/{org}/themes/{name}/preview", authenticated(org_pages::theme::preview_page)),
        uses_render_pool(undocumented("POST", "/orgs/{org}/themes/{name}/preview", authenticated_with_body(orgs::themes::http::check_may_change, org_pages::theme::preview))),
        uses_render_pool(undocumented("GET", "/orgs/{org}/themes/{name}/sample.svg", authenticated(org_pages::themes::sample))),
        undocumented("GET", "/orgs/{org}/themes/{name}/delete", authenticated(org_pages::themes::delete_page)),
        undocumented("POST", "/orgs/{org}/themes/{name}/delete", authenticated_with_body(orgs::themes::http::check_may_change, org_pages::themes::delete)),
        undocumented("GET", "/orgs/{org}/assets", authenticated(org_pages::assets::page)),
        accepts_bytes(org_pages::assets::MAX_FORM_BYTES, undocumented("POST", "/orgs/{org}/assets", authenticated_with_body(orgs::assets::http::check_may_change, org_pages::assets::submit))),
        undocumented("GET", "/orgs/{org}/assets/{filename}/delete", authenticated(org_pages::assets::delete_page)),
        undocumented("POST", "/orgs/{org}/assets/{filename}/delete", authenticated_with_body(orgs::assets::http::check_may_change, org_pages::assets::delete)),
        undocumented("GET", "/orgs/{org}/domains", authenticated(org_pages::domains::page)),
        undocumented("POST", "/orgs/{org}/domains", authenticated_with_body(orgs::domains::http::check_may_change, org_pages::domains::submit)),
        uses_remote_pool(undocumented("POST", "/orgs/{org}/domains/{domain}/check", authenticated_with_body(orgs::domains::http::check_may_change, org_pages::domains::check))),
        undocumented("GET", "/orgs/{org}/scim", authenticated(org_pages::scim::page)),
        undocumented("GET", "/orgs/{org}/domains/{domain}/delete", authenticated(org_pages::domains::delete_page)),
        undocumented("POST", "/orgs/{org}/domains/{domain}/delete", authenticated_with_body(orgs::http::check_is_admin, org_pages::domains::delete)),
        undocumented("GET", "/orgs/{org}/settings", authenticated(org_pages::settings::page)),
        undocumented("POST", "/orgs/{org}/settings", authenticated_with_body(orgs::http::check_may_change, org_pages::settings::submit)),
        undocumented("POST", "/orgs/{org}/settings/layouts", authenticated_with_body(orgs::http::check_may_change, org_pages::layouts::submit)),
        undocumented("GET", "/orgs/{org}/settings/layouts/delete", authenticated(org_pages::layouts::delete_page)),
        undocumented("POST", "/orgs/{org}/settings/layouts/delete", authenticated_with_body(orgs::http::check_may_change, org_pages::layouts::delete)),
        undocumented("GET", "/orgs/{org}/subscription", authenticated(org_pages::subscription::page)),
        undocumented("GET", "/orgs/{org}/audit", authenticated(org_pages::audit_log::page)),
    ]
}

/// Returns the routes of the page about single sign-on.
#[rustfmt::skip]
pub(super) fn org_sso_page_routes() -> Vec<AppRoute> {
    vec![
        uses_write_pool(undocumented("GET", "/orgs/{org}/sso", authenticated(org_pages::sso::page))),
        undocumented("POST", "/orgs/{org}/sso", authenticated_with_body(sso::settings::http::check_may_change, org_pages::sso::submit)),
        undocumented("POST", "/orgs/{org}/sso/enforcement", authenticated_with_body(sso::settings::http::check_may_change, org_pages::sso::set_enforcement)),
        undocumented("GET", "/orgs/{org}/sso/delete", authenticated(org_pages::sso::delete_page)),
        undocumented("POST", "/orgs/{org}/sso/delete", authenticated_with_body(sso::settings::http::check_may_change, org_pages::sso::delete)),
    ]
}

// == account_pages

/// Returns the routes of the pages of the own account.
#[rustfmt::skip]
pub(super) fn account_page_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/account", authenticated(account_pages::profile::page)),
        undocumented("POST", "/account", authenticated(account_pages::profile::submit)),
        accepts_bytes(me::avatar_upload::MAX_FORM_BYTES, undocumented("POST", "/account/avatar", authenticated(account_pages::profile::submit_avatar))),
        undocumented("POST", "/account/avatar/remove", authenticated(account_pages::profile::remove_avatar)),
        undocumented("POST", "/account/layout", authenticated(account_pages::profile::submit_layout)),
        undocumented("GET", "/account/security", authenticated_for_setup(account_pages::security::page)),
        undocumented("POST", "/account/security", authenticated(account_pages::security::submit_password)),
        undocumented("POST", "/account/second-factor", authenticated_for_setup(account_pages::second_factor::set_up)),
        undocumented("POST", "/account/second-factor/confirm", authenticated_for_setup(account_pages::second_factor::confirm)),
        undocumented("POST", "/account/second-factor/recovery-codes", authenticated(account_pages::second_factor::renew_recovery_codes)),
        undocumented("POST", "/account/second-factor/off", authenticated(account_pages::second_factor::disable)),
        undocumented("POST", "/account/sessions/end", authenticated(account_pages::security::end_other_sessions)),
        undocumented("POST", "/account/sessions/{id}/end", authenticated(account_pages::security::end_session)),
        undocumented("GET", "/account/tokens", authenticated(account_pages::tokens::page)),
        undocumented("POST", "/account/tokens", authenticated(account_pages::tokens::submit)),
        undocumented("POST", "/account/tokens/{id}/revoke", authenticated(account_pages::tokens::revoke)),
        undocumented("GET", "/account/connections", authenticated(account_pages::connections::page)),
        undocumented("POST", "/account/connections/{id}", authenticated(account_pages::connections::rename)),
        undocumented("GET", "/account/connections/{id}/remove", authenticated(account_pages::connections::remove_page)),
        undocumented("POST", "/account/connections/{id}/remove", authenticated(account_pages::connections::remove)),
        undocumented("GET", "/account/notifications", authenticated(account_pages::notifications::page)),
        undocumented("POST", "/account/notifications", authenticated(account_pages::notifications::submit)),
    ]
}

// == pages

/// Returns the routes of the pages of the web interface that belong to no other group, and of their
/// assets.
#[rustfmt::skip]
pub(super) fn page_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/", optional_auth(pages::library::all)),
        undocumented("GET", "/f/{owner}", authenticated(pages::library::root)),
        undocumented("GET", "/f/{owner}/{*path}", authenticated(pages::library::folder)),
        undocumented("GET", "/new", authenticated(pages::library::new_chart)),
        undocumented("GET", "/new/{kind}", authenticated(pages::library::new_chart_of_kind)),
        undocumented("GET", "/recent", authenticated(pages::library::recent)),
        undocumented("GET", "/starred", authenticated(pages::library::starred)),
        undocumented("GET", "/shared", authenticated(pages::library::shared)),
        undocumented("GET", "/trash", authenticated(pages::library::trash)),
        uses_write_pool(undocumented("GET", "/search", authenticated(pages::library::search))),
        uses_render_pool(undocumented("GET", "/d/{owner}/{doc}", account_or_link(pages::chart::page))),
        undocumented("GET", "/help/errors/{code}", optional_auth(pages::http::error_help)),
        undocumented("GET", "/assets/{*path}", public(pages::http::asset)),
        undocumented("GET", FALLBACK_PATH, optional_auth(pages::http::unknown_page)),
    ]
}
