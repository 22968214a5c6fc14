//! The user of the page that sends a request.

use hyper::header::HeaderName;

use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Header in which a page states the account id of the user that it was made for.
static PAGE_USER: HeaderName = HeaderName::from_static("chartroom-page-user");

/// Checks that the page of a request was made for `user`, the user of the session, or None without a
/// valid session. Work on an open page must not be saved in the name of somebody else, or of a guest,
/// because another user has signed in with the same browser or the session has ended. Reads that state
/// a user are refused too, so that a chart that only the other user may not read does not seem removed.
///
/// # Errors
/// `SignInRequired` if the page states another user.
pub fn check(request: &RequestContext, user: Option<&AccountId>) -> Result<()> {
    match (request.header(&PAGE_USER), user) {
        (Some(page_user), Some(user)) if page_user != user.as_str() => {
            Err(Error::SignInRequired("another user has signed in with this browser"))
        }
        (Some(_), None) => Err(Error::SignInRequired("the session of this page has ended")),
        _ => Ok(()),
    }
}
