//! Bodies and handlers of `/share`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Deserializer;

use super::actions;
use super::rules::Fields;
use crate::features::access::Ace;
use crate::features::accounts::User;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::Json;
use crate::platform::http::NoContent;

/// What is shared and with whom: at most one of `user_id`, `email`, `team` and `link`. Other keys are
/// ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ShareBody {
    /// User or organization whose it is. Required.
    owner: Option<String>,
    /// UUID; use `document` or `folder`.
    document: Option<String>,
    /// Absolute path.
    folder: Option<String>,
    /// `r` or `w`. When sharing, `r` if absent.
    mode: Option<String>,
    /// Share with this user.
    user_id: Option<String>,
    /// Share with whoever has this address: a user, or somebody who gets an invitation.
    email: Option<String>,
    /// Share with a team of the owner's organization.
    team: Option<String>,
    /// An existing link, or its token: to change or to revoke it.
    link: Option<String>,
    /// From when on it opens nothing (RFC 3339); null for never.
    #[serde(default, deserialize_with = "given")]
    expires_at: Option<Option<String>>,
    /// PATCH only: gives a link another token, so that the present one is dead; sends an invitation
    /// again.
    #[serde(default)]
    rotate: bool,
}

/// Tells a null from an absent field.
fn given<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl From<ShareBody> for Fields {
    fn from(body: ShareBody) -> Self {
        Self {
            owner: body.owner,
            document: body.document,
            folder: body.folder,
            mode: body.mode,
            user_id: body.user_id,
            email: body.email,
            team: body.team,
            link: body.link,
            expires_at: body.expires_at,
            rotate: body.rotate,
        }
    }
}

/// `POST /share`.
pub fn share(call: &Call, caller: &User, Json(body): Json<ShareBody>) -> Result<Json<Ace>> {
    let (app, caller) = (call.app.clone(), caller.clone());
    let wish = Fields::from(body).read()?;
    call.app.db.write(move |tx| actions::share(tx, &app, &caller, &wish)).map(Json)
}

/// `PATCH /share`.
pub fn change(call: &Call, caller: &User, Json(body): Json<ShareBody>) -> Result<Json<Ace>> {
    let (app, caller) = (call.app.clone(), caller.clone());
    let wish = Fields::from(body).read()?;
    call.app.db.write(move |tx| actions::change(tx, &app, &caller, &wish)).map(Json)
}

/// `DELETE /share`.
pub fn revoke(call: &Call, caller: &User, Json(body): Json<ShareBody>) -> Result<NoContent> {
    let caller = caller.clone();
    let wish = Fields::from(body).read()?;
    call.app.db.write(move |tx| actions::revoke(tx, &caller, &wish))?;
    Ok(NoContent)
}
