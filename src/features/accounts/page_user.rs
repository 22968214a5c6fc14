//! The user of the page that sends a request.

use hyper::header::HeaderName;

use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Header in which a page states the account id of the user that it was made for.
static PAGE_USER: HeaderName = HeaderName::from_static("chartroom-page-user");

/// Checks that the page of a request with a session was made for the user of the session. After somebody
/// else has signed in with the same browser, work on an open page must not be saved in their name.
///
/// # Errors
/// `SignInRequired` if the page states another user.
pub fn check(request: &RequestContext, user: &AccountId) -> Result<()> {
    match request.header(&PAGE_USER) {
        Some(page_user) if page_user != user.as_str() => {
            Err(Error::SignInRequired("another user has signed in with this browser"))
        }
        _ => Ok(()),
    }
}
