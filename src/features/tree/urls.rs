//! URLs of folders.

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::rules::FolderPath;
use chartroom_platform::id::AccountId;

/// Characters to percent-encode in a path segment: all except the unreserved ones of RFC 3986.
const SEGMENT_ESCAPES: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the URL of the page of a folder, `<base_url>/f/<owner>` and its percent-encoded path. The
/// root has no path. `base_url` has no trailing slash.
pub fn folder_page_url(base_url: &str, owner: &AccountId, path: &FolderPath) -> String {
    append_path([base_url, "/f/", owner.as_str()].concat(), path)
}

/// Returns the URL of a folder in the API, `<base_url>/api/v1/users/<owner>/folders` and its
/// percent-encoded path. The root has no path. `base_url` has no trailing slash.
pub fn folder_api_url(base_url: &str, owner: &AccountId, path: &FolderPath) -> String {
    append_path(format!("{base_url}/api/v1/users/{owner}/folders"), path)
}

/// Appends a slash and the percent-encoded name of each folder of a path to a URL. Appends nothing for
/// the root.
fn append_path(mut address: String, path: &FolderPath) -> String {
    for segment in path.segments() {
        address.push('/');
        address.extend(utf8_percent_encode(segment, SEGMENT_ESCAPES));
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_in_urls_are_escaped() {
        let owner = AccountId::from_text("7");
        let path = FolderPath::parse("/Sales & more/Größe").unwrap();
        let root = FolderPath::default();
        let escaped = "Sales%20%26%20more/Gr%C3%B6%C3%9Fe";
        assert_eq!(folder_page_url("http://h", &owner, &path), format!("http://h/f/7/{escaped}"));
        assert_eq!(folder_page_url("http://h", &owner, &root), "http://h/f/7");
        let endpoint = format!("http://h/api/v1/users/7/folders/{escaped}");
        assert_eq!(folder_api_url("http://h", &owner, &path), endpoint);
        assert_eq!(folder_api_url("http://h", &owner, &root), "http://h/api/v1/users/7/folders");
    }
}
