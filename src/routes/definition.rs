//! Routes with their thread pool, body limit and documentation, before they are bound to the
//! application.

use super::guards::AppAccessCheck;
use super::guards::AppHandler;
use super::guards::GuardedHandler;
use crate::features::accounts;
use chartroom_platform::http::Pool;
use chartroom_platform::http::Route;
use chartroom_platform::http::route::BodyLimit;

/// A route before the application is bound to its handler and its access check.
pub type AppRoute = Route<AppHandler, AppAccessCheck>;

/// Returns a documented route with the default body limit. `summary` is its summary in the OpenAPI
/// document.
///
/// GET runs in the read pool, all other methods run in the write pool.
pub(super) fn route(
    method: &'static str,
    path: &'static str,
    guard: GuardedHandler,
    summary: &'static str,
) -> AppRoute {
    Route {
        method,
        path,
        pool: if method == "GET" { Pool::Read } else { Pool::Write },
        is_write: None,
        body_limit: None,
        security: guard.security,
        allow_any_origin: false,
        access_check: guard.access_check,
        handler: guard.handler,
        describe: guard.describe,
        summary: Some(summary),
    }
}

/// Returns the route with its body limit raised to the configured maximum size of a document.
pub(super) fn accepts_document_body(route: AppRoute) -> AppRoute {
    AppRoute { body_limit: Some(BodyLimit::Document), ..route }
}

/// Returns the route with this body limit in bytes.
pub(super) fn accepts_bytes(limit: usize, route: AppRoute) -> AppRoute {
    AppRoute { body_limit: Some(BodyLimit::Bytes(limit)), ..route }
}

/// Returns the route with the body limit of a form that needs no credentials.
pub(super) fn accepts_public_form(route: AppRoute) -> AppRoute {
    accepts_bytes(accounts::pages::MAX_PUBLIC_FORM_BYTES, route)
}

/// Returns the route with the render pool as its thread pool.
pub(super) fn uses_render_pool(route: AppRoute) -> AppRoute {
    AppRoute { pool: Pool::Render, ..route }
}

/// Returns the route with the remote pool as its thread pool, because its handler waits for other
/// servers.
pub(super) fn uses_remote_pool(route: AppRoute) -> AppRoute {
    AppRoute { pool: Pool::Remote, ..route }
}

/// Returns the route with the remote pool for requests that `is_write` does not hold for. The write
/// pool runs the others.
pub(super) fn may_use_remote_pool(is_write: fn(&[u8]) -> bool, route: AppRoute) -> AppRoute {
    AppRoute { pool: Pool::Remote, is_write: Some(is_write), ..route }
}

/// Returns the route with permission for scripts of other origins to read its responses. Its
/// handler must ignore all credentials outside the URL.
pub(super) fn allow_any_origin(route: AppRoute) -> AppRoute {
    AppRoute { allow_any_origin: true, ..route }
}

/// Returns the GET route with the write pool as its thread pool, because it may write or wait for
/// the disk.
pub(super) fn uses_write_pool(route: AppRoute) -> AppRoute {
    AppRoute { pool: Pool::Write, ..route }
}

/// Returns a route like `route`, but without OpenAPI description: pages and health checks.
pub(super) fn undocumented(
    method: &'static str,
    path: &'static str,
    guard: GuardedHandler,
) -> AppRoute {
    AppRoute { summary: None, ..route(method, path, guard, "") }
}
