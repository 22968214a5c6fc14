//! Shared links of Google Drive and of Google's editors.

use url::Url;

use super::super::error::CloudError;
use super::super::error::CloudResult;

/// Parts of paths of Google's editors and folders that are not spreadsheets or files.
const OTHER_PAGES: [&str; 5] = ["document", "presentation", "forms", "drawings", "folders"];

/// Returns the id of the file of a link, and its resource key. The caller has checked the host.
///
/// Accepts `/spreadsheets/d/{id}`, `/file/d/{id}` and `?id={id}`, also with the number of the account
/// (`/u/0`) or the domain of an organization (`/a/{domain}`) before.
///
/// # Errors
/// `WrongType` for links to folders, to other documents, to published copies and to other pages.
pub(super) fn parse(link: &str) -> CloudResult<(String, Option<String>)> {
    let other = CloudError::WrongType("this link does not lead to a spreadsheet or file");
    let Ok(url) = Url::parse(link) else { return Err(other) };
    let parameter = |wanted: &str| {
        let mut pairs = url.query_pairs();
        pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    };
    let segments: Vec<&str> = url.path_segments().map_or(Vec::new(), Iterator::collect);
    if segments.iter().any(|segment| OTHER_PAGES.contains(segment)) {
        return Err(other);
    }
    let after_d = segments.iter().position(|segment| *segment == "d").map(|index| index + 1);
    let id = match after_d.and_then(|index| segments.get(index)) {
        Some(&"e") => {
            let text = "a published copy is only available without a connection";
            return Err(CloudError::WrongType(text));
        }
        Some(id) => Some((*id).to_owned()),
        None => parameter("id"),
    };
    let is_id = |id: &String| {
        !id.is_empty()
            && id.len() <= 256
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let id = id.filter(is_id).ok_or(other)?;
    Ok((id, parameter("resourcekey").filter(is_id)))
}

/// Returns the id of the worksheet in a link to a spreadsheet, from the fragment or the query. None for the
/// first worksheet, which has the id 0, and without an id of digits.
pub fn find_worksheet_id(url: &Url) -> Option<String> {
    let fragment = form_urlencoded::parse(url.fragment().unwrap_or_default().as_bytes());
    let mut pairs = fragment.chain(url.query_pairs());
    let gid = pairs.find(|(name, _)| name == "gid").map(|(_, gid)| gid.into_owned());
    gid.filter(|gid| !gid.is_empty() && gid != "0" && gid.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::parse;

    /// Returns the id and the key of a link.
    fn id(link: &str) -> Option<(String, Option<String>)> {
        parse(link).ok()
    }

    #[test]
    fn links_have_ids() {
        let links = [
            "https://docs.google.com/spreadsheets/d/1a-_B/edit?gid=7#gid=7",
            "https://docs.google.com/spreadsheets/u/0/d/1a-_B/edit",
            "https://docs.google.com/a/example.com/spreadsheets/d/1a-_B",
            "https://drive.google.com/file/d/1a-_B/view?usp=sharing",
            "https://drive.google.com/open?id=1a-_B&usp=drive_fs",
            "https://drive.google.com/uc?export=download&id=1a-_B",
            "https://drive.google.com/u/1/uc?id=1a-_B",
        ];
        for link in links {
            assert_eq!(id(link), Some(("1a-_B".to_owned(), None)), "{link}");
        }
        let link = "https://drive.google.com/file/d/1a/view?resourcekey=0-k_Y#x";
        assert_eq!(id(link), Some(("1a".to_owned(), Some("0-k_Y".to_owned()))));
        let link = "https://drive.google.com/open?resourcekey=&id=1a";
        assert_eq!(id(link), Some(("1a".to_owned(), None)));
    }

    #[test]
    fn other_links_are_refused() {
        let links = [
            "https://docs.google.com/spreadsheets/d/e/2PACX-1vQ/pub?output=xlsx",
            "https://docs.google.com/document/d/1a/edit",
            "https://docs.google.com/presentation/d/1a/edit",
            "https://docs.google.com/forms/d/1a/viewform",
            "https://drive.google.com/drive/folders/1a",
            "https://drive.google.com/drive/u/0/folders/1a?id=1b",
            "https://drive.google.com/drive/my-drive",
            "https://drive.google.com/file/d/",
            "https://drive.google.com/file/d/a%2Fb/view",
            "https://drive.google.com/open?id=a/../b",
            "https://drive.google.com/open?id=",
            "mailto:x@example.com",
            "no URL",
            "",
        ];
        for link in links {
            assert_eq!(id(link), None, "{link}");
        }
    }
}
