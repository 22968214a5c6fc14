//! Writes of an admin of an organization that may send mails.

use std::sync::Arc;

use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;

/// The admin and the organization in the path of a request.
#[derive(Clone)]
struct AdminRequest {
    app: Arc<App>,
    /// Id or slug of the organization.
    org: String,
    caller: AccountId,
}

impl AdminRequest {
    /// Reads the organization from the path.
    fn new(request: &RequestContext, caller: &User) -> Result<Self> {
        let (app, caller) = (request.app.clone(), caller.id.clone());
        Ok(Self { app, org: request.param("org")?, caller })
    }

    /// Returns the organization if the caller is one of its admins and it is not suspended.
    fn find_org(&self, tx: &Tx<'_>) -> Result<Org> {
        orgs::require_role(tx, &self.org, &self.caller, Role::Admin)
    }
}

/// Runs `work` in a write transaction if the caller is an admin of the organization in the path.
/// `work` returns its result and the number of mails that it has enqueued, which count against the
/// mail limit of the caller.
///
/// # Errors
/// As [`orgs::require_role`] and `App::write_counting_mails`, and the errors of `work`.
pub fn write_as_admin<T: Send + 'static>(
    request: &RequestContext,
    caller: &User,
    work: impl Fn(&WriteTx<'_>, &App, Org) -> Result<(T, u32)> + Clone + Send + 'static,
) -> Result<T> {
    let admin = AdminRequest::new(request, caller)?;
    request.app.write_counting_mails(caller.id.as_str(), |counted| {
        let (admin, work) = (admin.clone(), work.clone());
        request.app.db.write(move |tx| {
            let (result, mails) = work(tx, &admin.app, admin.find_org(tx)?)?;
            counted.require(mails)?;
            Ok(result)
        })
    })
}

/// Runs `work` like [`write_as_admin`], once for each idempotency key. A repeated request gets the
/// stored response.
///
/// # Errors
/// As [`write_as_admin`] and `RequestContext::write_idempotent`.
pub fn write_as_admin_once(
    request: &RequestContext,
    caller: &User,
    key: &IdempotencyKey,
    work: impl Fn(&WriteTx<'_>, &App, Org) -> Result<(Response, u32)> + Clone + Send + 'static,
) -> Result<Response> {
    let admin = AdminRequest::new(request, caller)?;
    let account = caller.id.as_str();
    request.app.write_counting_mails(account, |counted| {
        let (admin, work) = (admin.clone(), work.clone());
        let check_access = {
            let admin = admin.clone();
            move |tx: &Tx<'_>| admin.find_org(tx).map(drop)
        };
        request.write_idempotent(key, account, check_access, move |tx| {
            let (response, mails) = work(tx, &admin.app, admin.find_org(tx)?)?;
            counted.require(mails)?;
            Ok(response)
        })
    })
}
