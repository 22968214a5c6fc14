//! Ids of files and folders in URLs: the id of the provider in base64url, so that it may contain anything.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chartroom_cloud::ROOT_FOLDER;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

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
}
