//! Sources that a connection of the user reaches: files of the account, and shared links.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
use chartroom_platform::id::ConnectionId;
use chartroom_platform::remote::Deadline;

/// Scheme of addresses of files of a connected account: `cloud://{provider}/{connection}/{id}`.
const SCHEME: &str = "cloud";
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
    if is_file_of_account(link) {
        return fetch_file(app, provider, &all, (link, known), deadline).map(Some);
    }
    // Google exports a worksheet by its id only to everybody. A connection gets the whole workbook, where
    // this id does not exist, so that the job would get another worksheet.
    if links::find_file(link).is_ok_and(|file| file.is_one_sheet) {
        return Ok(None);
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

/// Returns whether an address is a file of a connected account.
fn is_file_of_account(link: &str) -> bool {
    Url::parse(link).is_ok_and(|url| url.scheme() == SCHEME)
}

/// Downloads a file of a connected account.
fn fetch_file(
    app: &App,
    provider: Provider,
    connections: &[Connection],
    (link, known): (&str, Option<&str>),
    deadline: Deadline,
) -> Result<SourceResult<Fetched>> {
    let Some((id, file)) = parse_file_address(link) else {
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

/// Returns the connection and the id of the file at the provider. None if the address has another form.
fn parse_file_address(link: &str) -> Option<(ConnectionId, String)> {
    let url = Url::parse(link).ok()?;
    let mut segments = url.path().split('/').skip(1);
    let (connection, file) = (segments.next()?, segments.next()?);
    if segments.next().is_some() || connection.is_empty() {
        return None;
    }
    let file = String::from_utf8(URL_SAFE_NO_PAD.decode(file).ok()?).ok()?;
    let is_valid = !file.is_empty() && !file.contains(char::is_control);
    is_valid.then(|| (ConnectionId::from_text(connection), file))
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
    let title = provider.title();
    let error = match failure {
        CloudFailure::Server(error) => return Err(error),
        CloudFailure::NotConfigured => {
            return Ok(SourceError::new(
                401,
                format!("this server has no access to {title} any more"),
            ));
        }
        CloudFailure::ReconnectRequired => {
            let message = format!("the connection to {title} has ended; connect again");
            return Ok(SourceError::new(401, message));
        }
        CloudFailure::Provider(error) => error,
    };
    let (code, message) = match error {
        CloudError::Unauthorized => {
            (401, format!("the connection to {title} has ended; connect again"))
        }
        CloudError::MissingScope => {
            (401, format!("the connection to {title} lacks a permission; connect again"))
        }
        CloudError::NotFound => (404, format!("there is no such file at {title}")),
        CloudError::Forbidden => (403, format!("{title} does not permit this to the account")),
        CloudError::Busy { retry_after } => {
            let error =
                SourceError::new(429, format!("{title} accepts no more requests at present"));
            return Ok(SourceError { retry_after, ..error });
        }
        CloudError::TooLarge => (413, format!("the file at {title} is too large")),
        CloudError::WrongType(message) => (415, message.to_owned()),
        CloudError::Timeout => (504, "the source did not respond in time".to_owned()),
        CloudError::Unreadable => (502, format!("{title} sent a response that cannot be read")),
        CloudError::Locked => (502, format!("another program has locked the file at {title}")),
        CloudError::Unreachable(reason) => (502, format!("{title} cannot be reached: {reason}")),
        CloudError::Rejected { status, code } if code.is_empty() => {
            (502, format!("{title} responded with status {status}"))
        }
        CloudError::Rejected { status, code } => {
            (502, format!("{title} responded with status {status} and code {code}"))
        }
        // Not for downloads.
        CloudError::Full
        | CloudError::RevisionConflict
        | CloudError::NameConflict
        | CloudError::CursorExpired => (502, format!("{title} did not send the file")),
    };
    Ok(SourceError::new(code, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_have_a_connection_and_an_id() {
        let (id, file) = parse_file_address("cloud://dropbox/c-1/aWQ6YQ").unwrap();
        assert_eq!((id.as_str(), file.as_str()), ("c-1", "id:a"));
        for link in [
            "cloud://box",
            "cloud://box/",
            "cloud://box/c",
            "cloud://box/c/",
            "cloud://box/c/a/b",
            "cloud://box/c/!",
        ] {
            assert!(parse_file_address(link).is_none(), "{link}");
        }
    }
}
