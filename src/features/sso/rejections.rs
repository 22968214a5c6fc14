//! Rejected sign-ins: the log of the server, the audit logs of organizations, and the way back for an
//! administrator who tests the settings.

use serde_json::json;

use super::protocol::Rejection;
use super::settings;
use super::settings::SsoSettings;
use super::store;
use crate::app::RequestContext;
use crate::features::audit;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Maximum length of the `RelayState` of a request in bytes (SAML bindings 3.4.3).
const MAX_RELAY_STATE_BYTES: usize = 80;

/// A rejected sign-in.
pub struct RejectedSignIn {
    /// Reason.
    pub rejection: Rejection,
    /// Organization of the settings that an administrator tests. None for other sign-ins.
    pub tested: Option<AccountId>,
}

impl From<Rejection> for RejectedSignIn {
    fn from(rejection: Rejection) -> Self {
        Self { rejection, tested: None }
    }
}

/// Counts a rejected response for its client, and records the rejection as [`record`] does.
///
/// `settings` are those of the issuer of the response, None if it is unknown. `relay_state` is the value
/// that came with the response. If it is the id of a request, the organization of that request gets the
/// event too: an unreadable response, or one of an unknown issuer, has no other way to the
/// administrators. Nobody has signed this value, so that it grants nothing.
///
/// # Errors
/// `TooManyRequests` after too many rejections of this client. Then nothing is recorded.
pub fn reject_response(
    request: &RequestContext,
    settings: Option<SsoSettings>,
    relay_state: Option<&str>,
    rejection: Rejection,
) -> Result<RejectedSignIn> {
    request.app.rate_limits.count_sso_rejection(request.client_ip)?;
    let id = relay_state.filter(|text| text.len() <= MAX_RELAY_STATE_BYTES);
    let begun = request.app.db.read(|tx| {
        let Some(begun) = id.map(|id| store::find_request(tx, id)).transpose()?.flatten() else {
            return Ok(None);
        };
        Ok(settings::find(tx, &begun.org)?.map(|settings| (settings, begun.tester.is_some())))
    })?;
    let tested = begun.as_ref().filter(|(_, is_test)| *is_test);
    let tested = tested.map(|(settings, _)| settings.org.clone());
    let mut recipients: Vec<SsoSettings> = settings.into_iter().collect();
    if let Some((begun, _)) = begun
        && recipients.iter().all(|settings| settings.org != begun.org)
    {
        recipients.push(begun);
    }
    record(request, &recipients, &rejection);
    Ok(RejectedSignIn { rejection, tested })
}

/// Logs a rejection, and records it in the audit logs of organizations. If an event cannot be recorded,
/// only logs the error, because the response must not depend on it.
pub fn record(request: &RequestContext, recipients: &[SsoSettings], rejection: &Rejection) {
    let (code, reason) = (rejection.code.as_str(), rejection.reason.as_str());
    let (peer, request_id) = (request.client_ip, &request.request_id);
    let org = recipients.first().map(|settings| settings.org.as_str()).unwrap_or_default();
    tracing::info!(%peer, request_id, org, code, reason, "single sign-on rejected");
    if recipients.is_empty() {
        return;
    }
    let details = json!({ "code": code, "reason": reason, "request_id": request_id.to_string() });
    let recipients = recipients.to_vec();
    let recorded = request.app.db.write(move |tx| {
        recipients.iter().try_for_each(|settings| {
            let target = settings::event_target(settings);
            audit::record(tx, &settings.org, settings::REJECTED_ACTION, &target, &details)
        })
    });
    if let Err(error) = recorded {
        tracing::warn!(error = %error.operator_message(), "a rejected sign-in cannot be recorded");
    }
}
