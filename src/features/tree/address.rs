//! Addresses of folders, in answers.

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::rules::FolderPath;
use chartroom_platform::id::AccountId;

/// What a segment of a path may carry as it is (RFC 3986, unreserved).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The page of a folder.
pub fn folder_view(base_url: &str, owner: &AccountId, path: &FolderPath) -> String {
    below([base_url, "/f/", owner.as_str()].concat(), path)
}

/// The API address of a folder.
pub fn folder_endpoint(base_url: &str, owner: &AccountId, path: &FolderPath) -> String {
    below(format!("{base_url}/api/v1/users/{owner}/folders"), path)
}

fn below(mut address: String, path: &FolderPath) -> String {
    for segment in path.segments() {
        address.push('/');
        address.extend(utf8_percent_encode(segment, SEGMENT));
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_addresses_are_escaped() {
        let owner = AccountId::from_text("7");
        let path = FolderPath::parse("/Sales & more/Größe").unwrap();
        let root = FolderPath::default();
        let escaped = "Sales%20%26%20more/Gr%C3%B6%C3%9Fe";
        assert_eq!(folder_view("http://h", &owner, &path), format!("http://h/f/7/{escaped}"));
        assert_eq!(folder_view("http://h", &owner, &root), "http://h/f/7");
        let endpoint = format!("http://h/api/v1/users/7/folders/{escaped}");
        assert_eq!(folder_endpoint("http://h", &owner, &path), endpoint);
        assert_eq!(folder_endpoint("http://h", &owner, &root), "http://h/api/v1/users/7/folders");
    }
}
