//! The setup link: a one-time link, offered while the server has no users, that creates the first
//! operator.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::actions;
use super::actions::NewUser;
use super::credentials;
use super::credentials::NewSession;
use super::secrets;
use super::secrets::Secret;
use super::store;
use super::store::sessions::NewSessionRow;
use super::store::sessions::SessionMethod;
use crate::app::App;
use crate::app::RequestContext;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Time after which a setup link expires.
const SETUP_LINK_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Values of the setup form.
pub struct FirstOperator {
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Password.
    pub password: String,
}

/// Returns the path of the file in the data directory that contains the setup link.
fn setup_link_path(app: &App) -> PathBuf {
    app.config.data_dir.join("setup-link.txt")
}

/// Creates a setup link if the server has no users, and returns it. Any earlier link becomes
/// invalid. The link is valid for `SETUP_LINK_LIFETIME` (30 minutes) and works once.
///
/// The link is also written to a file in the data directory that only its owner can read. If users
/// exist, removes that file and returns None.
pub fn renew_setup_link(app: &App) -> Result<Option<String>> {
    if app.db.read(store::has_users)? {
        remove_setup_link_file(app)?;
        return Ok(None);
    }
    let secret = Secret::generate()?;
    let hash = secret.hash;
    app.db.write(move |tx| {
        store::delete_setup_links(tx)?;
        store::insert_setup_link(tx, &hash, tx.now.saturating_add(SETUP_LINK_LIFETIME))
    })?;
    let link = format!("{}/setup/{}", app.config.base_url, secret.text);
    remove_setup_link_file(app)?;
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(setup_link_path(app))?;
    writeln!(file, "{link}")?;
    Ok(Some(link))
}

/// Returns whether the server has no users, so that only the setup link leads in.
pub fn needs_setup(app: &App) -> Result<bool> {
    Ok(!app.db.read(store::has_users)?)
}

/// Removes the file with the setup link, if it exists.
fn remove_setup_link_file(app: &App) -> Result<()> {
    match fs::remove_file(setup_link_path(app)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Checks that the setup link with this token is valid: it exists, has not expired, and no user
/// exists.
///
/// # Errors
/// `NotFound` if it is not valid.
pub fn check_setup_link(tx: &Tx<'_>, token: &str) -> Result<()> {
    let hash = secrets::secret_hash(token).or_not_found("setup link")?;
    let expires = store::find_setup_link(tx, &hash)?.or_not_found("setup link")?;
    if expires <= tx.now || store::has_users(tx)? {
        return Err(Error::NotFound("setup link"));
    }
    Ok(())
}

/// Creates the first operator, begins a session for them and deletes the setup link and its file.
///
/// # Errors
/// `NotFound` if the link is not valid, `InvalidFields` for invalid values of the form, `Forbidden`
/// for a request from another site.
pub fn accept_setup_link(
    request: &RequestContext,
    token: &str,
    first: FirstOperator,
) -> Result<NewSession> {
    credentials::reject_cross_site(request)?;
    request.app.db.read(|tx| check_setup_link(tx, token))?;
    let new = NewUser {
        email: first.email,
        name: first.name,
        username: None,
        password_hash: Some(actions::hash_new_password(
            request.app,
            Some(credentials::client_network(request)),
            &first.password,
        )?),
        operator: true,
    };
    let (token, secret) = (token.to_owned(), Secret::generate()?);
    let hash = secret.hash;
    let user = request.app.db.write(move |tx| {
        check_setup_link(tx, &token)?;
        let user = actions::create_user(tx, &new)?.user();
        store::delete_setup_links(tx)?;
        let session = NewSessionRow {
            hash,
            expires: credentials::session_expiry(tx.now, tx.now, None),
            latest_end: None,
            method: SessionMethod::Setup,
        };
        store::sessions::insert_session(tx, &user.id, &session)?;
        Ok(user)
    })?;
    if let Err(error) = remove_setup_link_file(request.app) {
        // Harmless: the transaction has deleted the link in the file.
        tracing::warn!(?error, "the file of the setup link could not be removed");
    }
    let cookie = secrets::set_cookie_header(&secret.text, &request.app.config.base_url);
    Ok(NewSession { user, cookie })
}
