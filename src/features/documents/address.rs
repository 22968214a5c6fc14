//! Addresses of documents and folders, in answers.

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::features::tree::FolderPath;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

/// What a segment of a path may carry as it is (RFC 3986, unreserved).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The API address of a document.
pub fn endpoint(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/api/v1/users/{owner}/documents/{id}")
}

/// The page of a document.
pub fn view(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/d/{owner}/{id}")
}

/// The page of a folder.
pub fn folder(base_url: &str, owner: &AccountId, path: &FolderPath) -> String {
    let mut address = [base_url, "/f/", owner.as_str()].concat();
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
        assert_eq!(
            folder("http://h", &owner, &path),
            "http://h/f/7/Sales%20%26%20more/Gr%C3%B6%C3%9Fe"
        );
        assert_eq!(folder("http://h", &owner, &FolderPath::default()), "http://h/f/7");
    }
}
