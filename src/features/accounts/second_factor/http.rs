//! Bodies and handlers of `/user/second-factor`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::time::Timestamp;

/// The second factor of the caller.
#[derive(Serialize, JsonSchema)]
pub struct SecondFactorState {
    /// Whether a sign-in with the password also needs a code.
    enabled: bool,
    /// Time from which sign-ins need a code, or null.
    confirmed: Option<Timestamp>,
    /// Number of unused recovery codes.
    recovery_codes: usize,
    /// Whether an organization of the caller requires a second factor.
    required: bool,
}

/// Request body of `POST /user/second-factor`.
#[derive(Deserialize, JsonSchema)]
pub struct SetupBody {
    /// Current password.
    current_password: String,
}

/// A new secret. This response is the only one that contains it.
#[derive(Serialize, JsonSchema)]
pub struct SecondFactorSecret {
    /// Secret in base 32, to enter it into an app.
    secret: String,
    /// URL with the secret, as apps read it from the QR code.
    otpauth_url: String,
    /// QR code of the URL as SVG.
    qr_svg: String,
}

/// Request body of `POST /user/second-factor/confirm`.
#[derive(Deserialize, JsonSchema)]
pub struct ConfirmBody {
    /// Code of six digits that the app shows.
    code: String,
}

/// Request body of `DELETE /user/second-factor` and `POST /user/second-factor/recovery-codes`.
#[derive(Deserialize, JsonSchema)]
pub struct ProtectedBody {
    /// Current password.
    current_password: String,
    /// Code of the app, or a recovery code.
    code: String,
}

/// New recovery codes. This response is the only one that contains them.
#[derive(Serialize, JsonSchema)]
pub struct RecoveryCodes {
    /// Codes that replace a code of the app, each once.
    recovery_codes: Vec<String>,
}

/// Handles `GET /user/second-factor`.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<SecondFactorState>> {
    let state = request.app.db.read(|tx| actions::find_state(tx, &caller.id))?;
    Ok(Json(SecondFactorState {
        enabled: state.confirmed.is_some(),
        confirmed: state.confirmed,
        recovery_codes: state.recovery_codes,
        required: state.is_required,
    }))
}

/// Handles `POST /user/second-factor`: creates a secret, which has no effect until it is confirmed.
pub fn set_up(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<SetupBody>,
) -> Result<Json<SecondFactorSecret>> {
    let setup = actions::set_up(request, caller, &body.current_password)?;
    let actions::SetupSecret { secret, otpauth_url, qr_svg } = setup;
    Ok(Json(SecondFactorSecret { secret, otpauth_url, qr_svg }))
}

/// Handles `POST /user/second-factor/confirm`: takes the secret into use and returns the recovery
/// codes. Ends the other sessions of the caller.
pub fn confirm(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ConfirmBody>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes = actions::confirm(request, caller, &body.code)?;
    Ok(Json(RecoveryCodes { recovery_codes }))
}

/// Handles `DELETE /user/second-factor`: removes the second factor.
pub fn disable(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ProtectedBody>,
) -> Result<NoContent> {
    actions::disable(request, caller, &body.current_password, &body.code)?;
    Ok(NoContent)
}

/// Handles `POST /user/second-factor/recovery-codes`: replaces the recovery codes.
pub fn renew_recovery_codes(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ProtectedBody>,
) -> Result<Json<RecoveryCodes>> {
    let (password, code) = (&body.current_password, &body.code);
    let recovery_codes = actions::renew_recovery_codes(request, caller, password, code)?;
    Ok(Json(RecoveryCodes { recovery_codes }))
}
