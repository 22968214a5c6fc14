//! The first operator: a server without any user offers a one-time link that makes him.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::actions;
use super::actions::NewUser;
use super::credentials;
use super::credentials::SignedIn;
use super::secrets;
use super::secrets::Secret;
use super::store;
use crate::app::App;
use crate::app::RequestContext;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

/// How long a setup link is valid.
const VALID: Duration = Duration::from_secs(30 * 60);

/// What the form of the setup page sends.
pub struct First {
    /// The full name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: String,
}

/// The file in the data directory that holds the link.
fn file(app: &App) -> PathBuf {
    app.config.data_dir.join("setup-link.txt")
}

/// Makes a new setup link (an earlier one ends) when there is no user, and writes it into the data
/// directory, readable by its owner only. `None` when there are users; then the file is removed.
pub fn offer(app: &App) -> Result<Option<String>> {
    if app.db.read(store::any)? {
        remove_file(app)?;
        return Ok(None);
    }
    let secret = Secret::random()?;
    let hash = secret.hash;
    app.db.write(move |tx| {
        store::delete_setup_links(tx)?;
        store::insert_setup_link(tx, &hash, tx.now.after(VALID))
    })?;
    let link = format!("{}/setup/{}", app.config.base_url, secret.text);
    remove_file(app)?;
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file(app))?;
    writeln!(file, "{link}")?;
    Ok(Some(link))
}

fn remove_file(app: &App) -> Result<()> {
    match fs::remove_file(file(app)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Whether a setup link may still be used.
///
/// # Errors
/// `NotFound` when it may not.
pub fn check(tx: &Tx<'_>, token: &str) -> Result<()> {
    let hash = secrets::secret_hash(token).found("setup link")?;
    let expires = store::find_setup_link(tx, &hash)?.found("setup link")?;
    if expires <= tx.now || store::any(tx)? {
        return Err(Error::NotFound("setup link"));
    }
    Ok(())
}

/// Makes the first operator and signs him in. The link is used up.
///
/// # Errors
/// `NotFound` when the link is not valid (any more), `Fields` for what the form got wrong.
pub fn accept(request: &RequestContext, token: &str, first: First) -> Result<SignedIn> {
    credentials::refuse_other_sites(request)?;
    request.app.db.read(|tx| check(tx, token))?;
    let new = NewUser {
        email: first.email,
        name: first.name,
        username: None,
        password_hash: Some(actions::new_password_hash(&request.app, &first.password)?),
        operator: true,
    };
    let (token, secret, agent) =
        (token.to_owned(), Secret::random()?, credentials::user_agent(request));
    let hash = secret.hash;
    let user = request.app.db.write(move |tx| {
        check(tx, &token)?;
        let user = actions::create(tx, &new)?.user();
        store::delete_setup_links(tx)?;
        store::insert_session(tx, &user.id, &hash, credentials::session_end(tx.now), &agent)?;
        Ok(user)
    })?;
    if let Err(error) = remove_file(&request.app) {
        // The link in it is dead already.
        tracing::warn!(?error, "the setup link's file could not be removed");
    }
    let cookie = secrets::set_cookie(&secret.text, &request.app.config.base_url);
    Ok(SignedIn { user, cookie })
}
