//! The forms of the second factor. They are sent to paths below the page of the password.

use super::frame;
use super::security;
use super::security::SecondFactorView;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::second_factor;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// Names of the fields, and the start of their errors.
const FIELDS: &FieldLabels =
    &[("current_password", "field-labels.thisValue"), ("code", "field-labels.thisCode")];

/// Handles `POST /account/second-factor`: creates a secret and shows it. The response is the only page
/// with the secret, so it is no redirect.
pub fn set_up(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let view = match second_factor::set_up(request, caller, form.value("current_password")) {
        Ok(setup) => SecondFactorView { setup: Some(setup), ..SecondFactorView::default() },
        Err(error) => SecondFactorView {
            problem: Problem::from_error(error, FIELDS)?,
            ..SecondFactorView::default()
        },
    };
    show(request, caller, &view)
}

/// Handles `POST /account/second-factor/confirm`: turns on the second factor and shows the recovery
/// codes. After a wrong code, shows the secret of the form again.
pub fn confirm(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let view = match second_factor::confirm(request, caller, form.value("code")) {
        Ok(recovery_codes) => SecondFactorView { recovery_codes, ..SecondFactorView::default() },
        Err(error) => SecondFactorView {
            problem: Problem::from_error(error, FIELDS)?,
            setup: second_factor::find_setup(request, caller, form.value("secret"))?,
            ..SecondFactorView::default()
        },
    };
    show(request, caller, &view)
}

/// Handles `POST /account/second-factor/recovery-codes`: replaces the recovery codes and shows the new
/// ones.
pub fn renew_recovery_codes(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (password, code) = (form.value("current_password"), form.value("code"));
    let view = match second_factor::renew_recovery_codes(request, caller, password, code) {
        Ok(recovery_codes) => SecondFactorView { recovery_codes, ..SecondFactorView::default() },
        Err(error) => SecondFactorView {
            problem: Problem::from_error(error, FIELDS)?,
            ..SecondFactorView::default()
        },
    };
    show(request, caller, &view)
}

/// Handles `POST /account/second-factor/off`: turns off the second factor.
pub fn disable(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (password, code) = (form.value("current_password"), form.value("code"));
    match second_factor::disable(request, caller, password, code) {
        Ok(()) => frame::redirect(security::PATH, "second-factor-off"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show(request, caller, &SecondFactorView { problem, ..SecondFactorView::default() })
        }
    }
}

/// Shows the page with the result of a form.
fn show(request: &RequestContext, caller: &User, view: &SecondFactorView) -> Result<Response> {
    security::show_page(request, caller, &Problem::default(), view)
}
