//! The guards of routes, which check the credentials of the caller before the handler runs.

use hyper::header::WWW_AUTHENTICATE;

use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::documents::http::write::WritableDocument;
use crate::features::scim::ScimClient;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::IntoResponse;
use chartroom_platform::http::Response;
use chartroom_platform::http::Security;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::openapi;
use chartroom_platform::http::problem;

/// A handler that takes the application as part of the request context.
pub type AppHandler = Box<dyn Fn(&RequestContext) -> Result<Response> + Send + Sync>;

/// An access check that takes the application as part of the request context.
pub type AppAccessCheck = Box<dyn Fn(&RequestContext) -> Result<()> + Send + Sync>;

/// A handler with its authentication and OpenAPI description.
pub(super) struct GuardedHandler {
    pub security: Security,
    /// Checks the credentials before a body that is not small is read.
    pub access_check: Option<AppAccessCheck>,
    pub handler: AppHandler,
    pub describe: fn(&mut Operation<'_>),
}

/// Wraps a handler for everyone. The guard checks no credentials, and the handler gets no caller.
pub(super) fn public<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Open,
        access_check: None,
        handler: Box::new(move |request| run(request, I::from_request(request)?)?.into_response()),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler for everyone. The handler gets the user if the request has valid credentials,
/// otherwise None.
///
/// Invalid credentials in `Authorization` are an error. An invalid session cookie counts as none.
pub(super) fn optional_auth<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, Option<&User>, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Optional,
        access_check: Some(Box::new(|request| accounts::authenticate(request).map(drop))),
        handler: Box::new(move |request| {
            let caller = accounts::authenticate(request)?;
            run(request, caller.as_ref(), I::from_request(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler for accounts and for guests with a share link. The handler gets the caller and
/// checks access.
///
/// A request without credentials also reaches the handler, for example for a public document. Only
/// a body that is not small requires credentials. A success records the use of the share link.
pub(super) fn account_or_link<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, &Caller, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Optional,
        access_check: Some(Box::new(|request| {
            Caller::from_request(request)?.require_credentials()
        })),
        handler: Box::new(move |request| {
            let caller = Caller::from_request(request)?;
            let response = run(request, &caller, I::from_request(request)?)?.into_response()?;
            record_link_use(request, &caller);
            Ok(response)
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler like `account_or_link` for requests with a body. `check` checks the caller's
/// access to the document or folder in the path, before a body that is not small is read and before
/// the body is parsed. The handler checks access again, in the transaction of its change.
pub(super) fn account_or_link_with_body<I: FromRequest + 'static, O: IntoResponse + 'static>(
    check: fn(&RequestContext, &Caller) -> Result<()>,
    run: fn(&RequestContext, &Caller, I) -> Result<O>,
) -> GuardedHandler {
    // Both read the database. The snapshot must end before the body is parsed, because there are
    // fewer readers than threads.
    let find_caller = move |request: &RequestContext| -> Result<Caller> {
        request.app.db.read_in_one_snapshot(|| {
            let caller = Caller::from_request(request)?;
            check(request, &caller)?;
            Ok(caller)
        })
    };
    GuardedHandler {
        security: Security::Optional,
        access_check: Some(Box::new(move |request| find_caller(request)?.require_credentials())),
        handler: Box::new(move |request| {
            let caller = find_caller(request)?;
            let response = run(request, &caller, I::from_request(request)?)?.into_response()?;
            record_link_use(request, &caller);
            Ok(response)
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler for accounts and guests with write access to the document in the path. This is
/// checked before a body that is not small is read, and before the body is parsed. A success
/// records the use of the share link.
pub(super) fn document_writer<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, &WritableDocument, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Optional,
        access_check: Some(Box::new(|request| WritableDocument::from_request(request).map(drop))),
        handler: Box::new(move |request| {
            let writable = WritableDocument::from_request(request)?;
            let response = run(request, &writable, I::from_request(request)?)?.into_response()?;
            record_link_use(request, &writable.caller);
            Ok(response)
        }),
        describe: describe::<I, O>,
    }
}

/// Records the use of the caller's share link after a success. If that fails, only logs the error.
fn record_link_use(request: &RequestContext, caller: &Caller) {
    if let Err(error) = access::record_link_use(request, caller) {
        let error = error.operator_message();
        tracing::warn!(error, "cannot record the use of a share link");
    }
}

/// Wraps a handler for authenticated users. Credentials are checked before the request is parsed. A
/// request without valid ones fails, usually with `SignInRequired`.
pub(super) fn authenticated<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, &User, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Required,
        access_check: Some(Box::new(|request| accounts::require_user(request).map(drop))),
        handler: Box::new(move |request| {
            let caller = accounts::require_user(request)?;
            run(request, &caller, I::from_request(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler like `authenticated`, also for users who must set up a second factor first. Only for
/// routes that set it up, for the avatars on their page, and for signing out.
pub(super) fn authenticated_for_setup<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, &User, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Required,
        access_check: Some(Box::new(|request| accounts::require_user_for_setup(request).map(drop))),
        handler: Box::new(move |request| {
            let caller = accounts::require_user_for_setup(request)?;
            run(request, &caller, I::from_request(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler like `optional_auth`, also for users who must set up a second factor first. Only for
/// the pages to sign in and to sign out.
pub(super) fn optional_auth_for_setup<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, Option<&User>, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Optional,
        access_check: Some(Box::new(|request| accounts::authenticate_for_setup(request).map(drop))),
        handler: Box::new(move |request| {
            let caller = accounts::authenticate_for_setup(request)?;
            run(request, caller.as_ref(), I::from_request(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler like `authenticated` for requests with a body. `check` checks the access of the
/// user to the object in the path, before a body that is not small is read and before the body is
/// parsed. The handler checks access again, in the transaction of its change.
pub(super) fn authenticated_with_body<I: FromRequest + 'static, O: IntoResponse + 'static>(
    check: fn(&RequestContext, &User) -> Result<()>,
    run: fn(&RequestContext, &User, I) -> Result<O>,
) -> GuardedHandler {
    // Both read the database. The snapshot must end before the body is parsed, because there are
    // fewer readers than threads.
    let find_caller = move |request: &RequestContext| -> Result<User> {
        request.app.db.read_in_one_snapshot(|| {
            let caller = accounts::require_user(request)?;
            check(request, &caller)?;
            Ok(caller)
        })
    };
    GuardedHandler {
        security: Security::Required,
        access_check: Some(Box::new(move |request| find_caller(request).map(drop))),
        handler: Box::new(move |request| {
            let caller = find_caller(request)?;
            run(request, &caller, I::from_request(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler for callers with a token in the path, which the handler checks. The guard checks
/// no credentials.
///
/// The 401 response for an invalid token asks for a Bearer token. The default challenge would open
/// a password dialog in browsers, and a cast screen has no user to answer it.
pub(super) fn token_in_path<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, I) -> Result<O>,
) -> GuardedHandler {
    GuardedHandler {
        security: Security::Optional,
        access_check: None,
        handler: Box::new(move |request| match run(request, I::from_request(request)?) {
            Err(error @ Error::SignInRequired(_)) => {
                problem::build_problem_response(&error, &request.headers, &request.request_id)
                    .with_header(WWW_AUTHENTICATE, "Bearer")
            }
            other => other?.into_response(),
        }),
        describe: describe::<I, O>,
    }
}

/// Wraps a handler for identity providers. The guard checks the API token and the organization in the
/// path before the request is parsed. The handler checks the organization again, in the transaction of
/// its change. Errors are plain text.
pub(super) fn scim_client<I: FromRequest + 'static, O: IntoResponse + 'static>(
    run: fn(&RequestContext, &ScimClient, I) -> Result<O>,
) -> GuardedHandler {
    // Both lookups read the database. The snapshot must end before the body is parsed, because there
    // are fewer readers than threads.
    let find_client = |request: &RequestContext| -> Result<ScimClient> {
        request.app.db.read_in_one_snapshot(|| ScimClient::from_request(request))
    };
    GuardedHandler {
        security: Security::Token,
        access_check: Some(Box::new(move |request| find_client(request).map(drop))),
        handler: Box::new(move |request| {
            let client = find_client(request)?;
            run(request, &client, I::from_request(request)?)?.into_response()
        }),
        describe: |operation| {
            describe::<I, O>(operation);
            operation.value[openapi::PLAIN_ERRORS] = true.into();
        },
    }
}

/// Adds input and output of a handler to an OpenAPI operation.
fn describe<I: FromRequest, O: IntoResponse>(operation: &mut Operation<'_>) {
    I::describe(operation);
    O::describe(operation);
}
