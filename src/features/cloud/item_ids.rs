//! Ids of files and folders in URLs: the id of the provider in base64url, so that it may contain anything. Files
//! that are sources of data have an address of their own: `cloud://{provider}/{connection}/{id}`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chartroom_cloud::ROOT_FOLDER;
use url::Url;

use super::connection::Connection;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::ConnectionId;

/// Scheme of the addresses of sources.
const SOURCE_SCHEME: &str = "cloud";
/// Maximum length of an id of a provider in bytes.
const MAX_ID_BYTES: usize = 1024;

/// Returns the id in the API. The root folder keeps its name.
pub fn encode(id: &str) -> String {
    match id {
        ROOT_FOLDER => ROOT_FOLDER.to_owned(),
        id => URL_SAFE_NO_PAD.encode(id),
    }
}

/// Returns the id of the provider.
///
/// # Errors
/// `NotFound` for a text that is no id of this server.
pub fn decode(id: &str, object: &'static str) -> Result<String> {
    if id == ROOT_FOLDER {
        return Ok(ROOT_FOLDER.to_owned());
    }
    let bytes = URL_SAFE_NO_PAD.decode(id).ok().filter(|bytes| bytes.len() <= MAX_ID_BYTES);
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .filter(|id| !id.is_empty() && !id.contains(char::is_control))
        .ok_or(Error::NotFound(object))
}

/// Returns the address of a file as a source of data.
pub fn source_address(connection: &Connection, id: &str) -> String {
    let (provider, connection) = (connection.provider.as_str(), &connection.id);
    format!("{SOURCE_SCHEME}://{provider}/{connection}/{}", encode(id))
}

/// Returns whether a URL is the address of a file of a connected account.
pub fn is_source_address(url: &Url) -> bool {
    url.scheme() == SOURCE_SCHEME
}

/// Returns the connection and the id of the file in an address of [`source_address`]. None for other texts.
pub fn parse_source_address(address: &str) -> Option<(ConnectionId, String)> {
    let url = Url::parse(address).ok().filter(is_source_address)?;
    let mut segments = url.path().split('/').skip(1);
    let (connection, file) = (segments.next()?, segments.next()?);
    if segments.next().is_some() || connection.is_empty() || file == ROOT_FOLDER {
        return None;
    }
    let file = decode(file, "file").ok()?;
    Some((ConnectionId::from_text(connection), file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_return_unchanged_and_other_texts_are_refused() {
        for id in ["root", "id:a/ä", "01ABC!x/y?", "1"] {
            assert_eq!(decode(&encode(id), "file").unwrap(), id);
        }
        for text in ["", "!", "%2F", &"A".repeat(2000), &URL_SAFE_NO_PAD.encode("a\nb")] {
            assert!(decode(text, "file").is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_of_files_have_a_connection_and_an_id() {
        let (id, file) = parse_source_address("cloud://dropbox/c-1/aWQ6YQ").unwrap();
        assert_eq!((id.as_str(), file.as_str()), ("c-1", "id:a"));
        for link in [
            "cloud://box",
            "cloud://box/",
            "cloud://box/c",
            "cloud://box/c/",
            "cloud://box/c/a/b",
            "cloud://box/c/!",
            "cloud://box/c/root",
            "https://box/c/aWQ",
        ] {
            assert!(parse_source_address(link).is_none(), "{link}");
        }
    }
}
