//! Sources that a connection of the user reaches: files of the account, and shared links.

use chartroom_cloud::CloudError;
use chartroom_cloud::Fetched;
use chartroom_cloud::Provider;
use url::Url;

use super::links;
use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::app::App;
use crate::features::cloud;
use crate::features::cloud::CloudFailure;
use crate::features::cloud::Connection;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::remote::Deadline;

/// Start of a stored revision of a file that came through a connection. No entity tag starts so.
const REVISION_PREFIX: &str = "cloud ";
/// Maximum number of connections to one provider that are tried for a link.
const MAX_TRIED: usize = 3;

/// Downloads the source through a connection of the user. None if the address is no file of an account, and
/// either belongs to no provider that the user has connected, or is a link that no connection may open, but
/// perhaps everybody may.
///
/// # Errors
/// The outer error is one of this server, the inner one that of the source.
pub fn fetch(
    app: &App,
    user: &AccountId,
    link: &str,
    known: Option<&str>,
    deadline: Deadline,
) -> Result<Option<SourceResult<Fetched>>> {
    let link = link.trim();
    let Some(provider) = links::find_provider(link) else { return Ok(None) };
    let known = known.and_then(|known| known.strip_prefix(REVISION_PREFIX));
    let all = app.db.read(|tx| cloud::list_connections(tx, user))?;
    if Url::parse(link).is_ok_and(|url| cloud::is_source_address(&url)) {
        return fetch_file(app, provider, &all, (link, known), deadline).map(Some);
    }
    let of_provider = all
        .into_iter()
        .filter(|connection| connection.provider == provider && !connection.needs_reauth);
    let mut refusal = None;
    for connection in of_provider.take(MAX_TRIED) {
        let work = |session: &chartroom_cloud::Session<'_>| session.fetch_link(link, known);
        match cloud::with_session(app, &connection, deadline, work) {
            Ok(fetched) => return Ok(Some(Ok(with_prefix(fetched)))),
            Err(failure) => {
                let may_be_public = is_about_access(&failure);
                let error = convert(provider, failure)?;
                if !may_be_public {
                    return Ok(Some(Err(error)));
                }
                refusal = Some(error);
            }
        }
    }
    // Everybody may open some links that the account cannot: those of files that nobody shared with it.
    match refusal {
        Some(error) if links::find_file(link).is_err() => Ok(Some(Err(error))),
        _ => Ok(None),
    }
}

/// Downloads a file of a connected account.
fn fetch_file(
    app: &App,
    provider: Provider,
    connections: &[Connection],
    (link, known): (&str, Option<&str>),
    deadline: Deadline,
) -> Result<SourceResult<Fetched>> {
    let Some((id, file)) = cloud::parse_source_address(link) else {
        return Ok(Err(SourceError::new(400, "the address of the source is not valid")));
    };
    let found = connections
        .iter()
        .find(|connection| connection.id == id && connection.provider == provider);
    let Some(connection) = found else {
        let message = format!("the connection to {} does not exist", provider.title());
        return Ok(Err(SourceError::new(401, message)));
    };
    let work = |session: &chartroom_cloud::Session<'_>| session.fetch_source(&file, known);
    match cloud::with_session(app, connection, deadline, work) {
        Ok(fetched) => Ok(Ok(with_prefix(fetched))),
        Err(failure) => convert(provider, failure).map(Err),
    }
}

/// Marks the revision as one that came through a connection.
fn with_prefix(fetched: Fetched) -> Fetched {
    match fetched {
        Fetched::NotModified => Fetched::NotModified,
        Fetched::File(mut file) => {
            file.revision = file.revision.map(|revision| format!("{REVISION_PREFIX}{revision}"));
            Fetched::File(file)
        }
    }
}

/// Returns whether a stored revision came through a connection, so that it is no entity tag.
pub fn is_revision(text: &str) -> bool {
    text.starts_with(REVISION_PREFIX)
}

/// Returns whether the link may still be one that everybody may open.
fn is_about_access(failure: &CloudFailure) -> bool {
    match failure {
        CloudFailure::NotConfigured | CloudFailure::ReconnectRequired => true,
        CloudFailure::Provider(error) => matches!(
            error,
            CloudError::NotFound
                | CloudError::Forbidden
                | CloudError::WrongLinkPassword
                | CloudError::MissingScope
                | CloudError::WrongType(_)
        ),
        CloudFailure::Server(_) => false,
    }
}

/// Converts a failure to an error of the source.
///
/// # Errors
/// That of this server.
fn convert(provider: Provider, failure: CloudFailure) -> Result<SourceError> {
    let message = failure.describe(provider);
    let error = match failure {
        CloudFailure::Server(error) => return Err(error),
        CloudFailure::NotConfigured | CloudFailure::ReconnectRequired => {
            return Ok(SourceError::new(401, message));
        }
        CloudFailure::Provider(error) => error,
    };
    let is_lasting = error.is_lasting();
    let code = match error {
        CloudError::Unauthorized | CloudError::MissingScope => 401,
        CloudError::NotFound => 404,
        CloudError::Forbidden
        | CloudError::WrongLinkPassword
        | CloudError::Rejected { status: 451, .. } => 403,
        CloudError::Busy { retry_after } => {
            return Ok(SourceError { retry_after, ..SourceError::new(429, message) });
        }
        CloudError::TooLarge => 413,
        CloudError::WrongType(_) => 415,
        CloudError::Timeout => 504,
        CloudError::Unreadable
        | CloudError::Locked
        | CloudError::Full
        | CloudError::RevisionConflict
        | CloudError::NameConflict
        | CloudError::CursorExpired
        | CloudError::Unreachable(_)
        | CloudError::Rejected { .. } => 502,
    };
    Ok(SourceError { is_lasting, ..SourceError::new(code, message) })
}
