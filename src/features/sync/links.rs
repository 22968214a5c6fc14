//! Links to spreadsheets: which provider they belong to, and the address of the file.
//!
//! Pure functions of the URL. The addresses follow the documentation of the providers.

use std::borrow::Cow;

use chartroom_cloud::Provider;
use url::Url;

use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::features::table_reader::HeadingRow;

/// The domains of shared links, with those of other regions and of the clouds for governments.
const LINK_DOMAINS: [(Provider, &str); 13] = [
    (Provider::Box, "box.com"),
    (Provider::Dropbox, "dropbox.com"),
    (Provider::GoogleDrive, "docs.google.com"),
    (Provider::GoogleDrive, "drive.google.com"),
    (Provider::OneDrive, "1drv.ms"),
    (Provider::OneDrive, "onedrive.live.com"),
    (Provider::OneDrive, "sharepoint.com"),
    (Provider::OneDrive, "sharepoint.us"),
    (Provider::OneDrive, "sharepoint.cn"),
    (Provider::Smartsheet, "smartsheet.com"),
    (Provider::Smartsheet, "smartsheet.eu"),
    (Provider::Smartsheet, "smartsheet.au"),
    (Provider::Smartsheet, "smartsheetgov.com"),
];

/// How to get the file of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAddress {
    /// URL of the file.
    pub url: String,
    /// Whether the server of the file numbers its worksheets again at each download.
    pub renumbers_sheets: bool,
}

/// Name of the parameter in the fragment of an address that tells whether the first row has headings.
const HEADER_PARAMETER: &str = "header";
/// Parameter in the fragment of an address that leaves out the further pages of a source.
const FIRST_PAGE_PARAMETER: &str = "pages=first";

/// The choices of a user in the fragment of an address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceChoices {
    /// Whether the first row has headings.
    pub heading_row: HeadingRow,
    /// Whether only the first page of a source with several pages counts.
    pub has_first_page_only: bool,
}

/// Splits the choices of the user from a link, in its fragment alone or after `&`: `header=present` or
/// `header=absent` tells whether the first row has headings, and `pages=first` leaves out further pages. The
/// parameter `header` is named like that of the media type `text/csv` (RFC 4180, section 3). Without choices, the
/// link stays as it is.
pub fn split_choices(link: &str) -> (Cow<'_, str>, SourceChoices) {
    let mut choices = SourceChoices::default();
    let Some((address, fragment)) = link.split_once('#') else { return (link.into(), choices) };
    let read = |part: &str| match part.split_once('=')? {
        (HEADER_PARAMETER, "present") => Some(HeadingRow::Present),
        (HEADER_PARAMETER, "absent") => Some(HeadingRow::Absent),
        _ => None,
    };
    choices.heading_row = fragment.split('&').find_map(read).unwrap_or_default();
    choices.has_first_page_only = fragment.split('&').any(|part| part == FIRST_PAGE_PARAMETER);
    let is_choice = |part: &&str| read(part).is_some() || *part == FIRST_PAGE_PARAMETER;
    let others: Vec<&str> = fragment.split('&').filter(|part| !is_choice(part)).collect();
    if choices == SourceChoices::default() {
        return (link.into(), choices);
    }
    let link = match &others[..] {
        [] => address.to_owned(),
        others => format!("{address}#{}", others.join("&")),
    };
    (link.into(), choices)
}

/// Returns the provider of a link. None for all other URLs and for texts that are no URL.
pub fn find_provider(link: &str) -> Option<Provider> {
    let url = Url::parse(link).ok()?;
    if url.scheme() == "cloud" {
        return Provider::ALL
            .into_iter()
            .find(|provider| Some(provider.as_str()) == url.host_str());
    }
    let host = url.host_str()?;
    let is_at = |domain: &str| {
        host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    };
    LINK_DOMAINS.into_iter().find(|(_, domain)| is_at(domain)).map(|(provider, _)| provider)
}

/// Returns the address of the file of a link that everybody may open.
///
/// # Errors
/// Code 400 if the text is no http or https URL, 401 if the link needs a connection to its provider, 415
/// for a link to a folder, and 403 for a page without a file.
pub fn find_file(link: &str) -> SourceResult<FileAddress> {
    let invalid = || SourceError::new(400, "the address of the source is not valid");
    let mut url = Url::parse(link.trim()).map_err(|_| invalid())?;
    let provider = find_provider(link.trim());
    if url.scheme() == "cloud" {
        let name = provider.ok_or_else(invalid)?.title();
        return Err(SourceError::new(401, format!("the connection to {name} does not exist")));
    }
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_credentials {
        return Err(invalid());
    }
    let plain = |url: Url| FileAddress { url: url.into(), renumbers_sheets: false };
    match provider {
        None => Ok(plain(raw_file_of_repository(&url).unwrap_or(url))),
        Some(Provider::GoogleDrive) => find_google_file(&url),
        Some(Provider::Dropbox) if is_dropbox_folder(&url) => {
            Err(SourceError::new(415, "the link leads to a folder, not to a file"))
        }
        // The address at which the owner sees the file.
        Some(Provider::Dropbox) if has_start(&url, &["home", "preview", "work"]) => {
            Err(SourceError::new(401, "connect Dropbox to use this link"))
        }
        Some(Provider::Dropbox) => {
            replace_parameter(&mut url, "dl", "1");
            Ok(plain(url))
        }
        Some(Provider::Box) if url.path().starts_with("/shared/static/") => Ok(plain(url)),
        Some(Provider::OneDrive) if url.host_str().is_some_and(is_sharepoint) => {
            replace_parameter(&mut url, "download", "1");
            Ok(plain(url))
        }
        Some(Provider::Smartsheet)
            if url.host_str() == Some("publish.smartsheet.com") || url.path() == "/b/publish" =>
        {
            Err(SourceError::new(403, "a published sheet is a web page without a file"))
        }
        Some(provider @ (Provider::Box | Provider::OneDrive | Provider::Smartsheet)) => {
            let name = provider.title();
            Err(SourceError::new(401, format!("connect {name} to use this link")))
        }
    }
}

/// Returns the address of the file that a page of GitHub (`/{owner}/{repository}/blob/…`) or of any GitLab
/// (`…/-/blob/…`) shows. None for other addresses.
fn raw_file_of_repository(url: &Url) -> Option<Url> {
    let mut segments: Vec<&str> = url.path_segments()?.collect();
    let is_github = matches!(url.host_str(), Some("github.com" | "www.github.com"));
    let gitlab_place = segments.windows(2).position(|pair| pair == ["-", "blob"]);
    let place = gitlab_place.map(|index| index + 1).or(is_github.then_some(2))?;
    *segments.get_mut(place).filter(|name| **name == "blob")? = "raw";
    let raw = segments.join("/");
    let mut url = url.clone();
    url.set_path(&raw);
    url.set_query(None);
    Some(url)
}

/// Returns whether the first segment of a path is one of `names`.
fn has_start(url: &Url, names: &[&str]) -> bool {
    let first = url.path_segments().and_then(|mut segments| segments.next());
    first.is_some_and(|first| names.contains(&first))
}

/// Returns whether a link of Dropbox leads to a folder: to a shared one (`/scl/fo/{id}/{key}` or
/// `/sh/{id}/{key}`, where a file in the folder has its name after them), or to one that its owner sees
/// (`/home/…` or `/work/…`, where a file has the parameter `preview`).
fn is_dropbox_folder(url: &Url) -> bool {
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let rest = match segments.as_slice() {
        ["scl", "fo", rest @ ..] | ["sh", rest @ ..] => rest,
        ["home" | "work", ..] => return url.query_pairs().all(|(name, _)| name != "preview"),
        _ => return false,
    };
    rest.iter().filter(|segment| !segment.is_empty()).count() <= 2
}

/// Returns whether a host of [`Provider::OneDrive`] is one of SharePoint, with the name of a tenant.
fn is_sharepoint(host: &str) -> bool {
    host.contains(".sharepoint.")
}

/// Sets a parameter of the query and removes others with the same name.
fn replace_parameter(url: &mut Url, name: &str, value: &str) {
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(found, _)| found != name)
        .map(|(found, value)| (found.into_owned(), value.into_owned()))
        .collect();
    url.query_pairs_mut().clear().extend_pairs(pairs).append_pair(name, value);
}

/// Returns the address of a file at Google Drive, or of the workbook of a Google sheet. A sheet that is
/// not the first one is exported alone, because only then its id is known. A query of a spreadsheet keeps its
/// parameters, which choose a worksheet and rows.
fn find_google_file(url: &Url) -> SourceResult<FileAddress> {
    // Old files need the key in the query of their link.
    let key = url.query_pairs().find(|(name, _)| name == "resourcekey").map(|(_, key)| key);
    let key = key.filter(|key| is_id(key)).map(|key| format!("&resourcekey={key}"));
    let key = key.unwrap_or_default();
    let parts: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    // Links for several accounts start with `/u/0` or `/a/domain`.
    let start =
        parts.iter().position(|part| matches!(*part, "spreadsheets" | "file" | "open" | "uc"));
    let gid = chartroom_cloud::find_google_worksheet_id(url);
    let export = |path: String, format: &str| {
        let query = match &gid {
            Some(gid) => format!("{format}=csv&gid={gid}"),
            None => format!("{format}=xlsx"),
        };
        let address = format!("https://docs.google.com/spreadsheets/d/{path}?{query}{key}");
        FileAddress { url: address, renumbers_sheets: true }
    };
    let download = |id: &str| FileAddress {
        url: format!("https://drive.google.com/uc?export=download&id={id}{key}"),
        renumbers_sheets: false,
    };
    let found = match start.map(|start| &parts[start..]) {
        Some(["spreadsheets", "d", "e", id, ..]) if is_id(id) => {
            let mut address = export(format!("e/{id}/pub"), "output");
            if gid.is_some() {
                address.url.push_str("&single=true");
            }
            Some(address)
        }
        Some(["spreadsheets", "d", id, "gviz", "tq"]) if is_id(id) => {
            let mut url = url.clone();
            replace_parameter(&mut url, "tqx", "out:csv");
            Some(FileAddress { url: url.into(), renumbers_sheets: true })
        }
        Some(["spreadsheets", "d", id, ..]) if is_id(id) => {
            Some(export(format!("{id}/export"), "format"))
        }
        Some(["file", "d", id, ..]) if is_id(id) => Some(download(id)),
        Some(["open" | "uc", ..]) => {
            let id = url.query_pairs().find(|(name, _)| name == "id").map(|(_, id)| id);
            id.filter(|id| is_id(id)).map(|id| download(&id))
        }
        _ => None,
    };
    found.ok_or_else(|| SourceError::new(415, "the link leads to no spreadsheet of Google Drive"))
}

/// Returns whether a text has the form of an id of Google Drive.
fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the provider of a link and the address of its file.
    #[track_caller]
    fn check_file(link: &str, provider: Option<Provider>, address: &str) {
        assert_eq!(find_provider(link), provider, "{link}");
        assert_eq!(find_file(link).map(|file| file.url).as_deref(), Ok(address), "{link}");
    }

    #[test]
    fn the_choice_of_headings_is_no_part_of_the_link() {
        let check = |link: &str, address: &str, choice| {
            let choices = SourceChoices { heading_row: choice, ..SourceChoices::default() };
            assert_eq!(split_choices(link), (address.into(), choices), "{link}");
        };
        check("https://a.example/b#header=absent", "https://a.example/b", HeadingRow::Absent);
        check(
            "https://docs.google.com/spreadsheets/d/1/edit#gid=7&header=present",
            "https://docs.google.com/spreadsheets/d/1/edit#gid=7",
            HeadingRow::Present,
        );
        check("cloud://box/1/Mg#header=absent&a", "cloud://box/1/Mg#a", HeadingRow::Absent);
        for link in ["https://a.example/?header=absent", "https://a.example/#header=x", "", "a#"] {
            check(link, link, HeadingRow::Detect);
        }
        let (link, choices) = split_choices("https://a.example/b#header=absent&pages=first");
        let expected = SourceChoices { heading_row: HeadingRow::Absent, has_first_page_only: true };
        assert_eq!((&*link, choices), ("https://a.example/b", expected));
    }

    #[test]
    fn links_lead_to_the_file() {
        let same = |link: &str, provider| check_file(link, provider, link);
        same("https://example.org/a.csv?b=c", None);
        same("https://notdropbox.com/s/a", None);
        same("https://dropbox.com.example.org/s/a", None);
        same("https://app.box.com/shared/static/abc.xlsx", Some(Provider::Box));
        let dropbox = Some(Provider::Dropbox);
        check_file(
            "https://www.dropbox.com/scl/fi/a/b.xlsx?rlkey=k&st=s&dl=0",
            dropbox,
            "https://www.dropbox.com/scl/fi/a/b.xlsx?rlkey=k&st=s&dl=1",
        );
        check_file(
            "https://www.dropbox.com/s/a/b.csv",
            dropbox,
            "https://www.dropbox.com/s/a/b.csv?dl=1",
        );
        for file in ["scl/fo/a/b/Reports/c.csv?rlkey=k", "sh/a/b/c.csv?raw=1"] {
            let link = format!("https://www.dropbox.com/{file}");
            check_file(&link, dropbox, &format!("{link}&dl=1"));
        }
    }

    #[test]
    fn pages_of_files_in_repositories_lead_to_the_file() {
        for (page, file) in [
            ("https://github.com/a/b/blob/main/x%20y.csv?plain=1#L3", "a/b/raw/main/x%20y.csv#L3"),
            ("https://github.com/blob/blob/blob/main/blob/x.csv", "blob/blob/raw/main/blob/x.csv"),
            ("https://github.com/a/blob/tree/main", "a/blob/tree/main"),
        ] {
            check_file(page, None, &format!("https://github.com/{file}"));
        }
        let gitlab = "https://git.example.org/a/b/c/-";
        check_file(&format!("{gitlab}/blob/main/x.csv"), None, &format!("{gitlab}/raw/main/x.csv"));
        let other = "https://example.org/a/b/blob/x.csv";
        check_file(other, None, other);
    }

    #[test]
    fn links_of_google_lead_to_an_export() {
        let google = Some(Provider::GoogleDrive);
        let sheets = "https://docs.google.com/spreadsheets";
        for link in ["/d/1a-_B/edit", "/d/1a-_B/edit?gid=0#gid=0", "/u/1/d/1a-_B/view", "/d/1a-_B"]
        {
            let link = match link.strip_prefix("/u/1") {
                Some(rest) => format!("https://docs.google.com/u/1/spreadsheets{rest}"),
                None => format!("{sheets}{link}"),
            };
            check_file(&link, google, &format!("{sheets}/d/1a-_B/export?format=xlsx"));
        }
        for link in ["/d/1a/edit#gid=17", "/d/1a/edit?gid=17", "/d/1a/edit?gid=0#gid=17"] {
            let file = find_file(&format!("{sheets}{link}")).unwrap();
            assert_eq!(file.url, format!("{sheets}/d/1a/export?format=csv&gid=17"), "{link}");
            assert!(file.renumbers_sheets);
        }
        check_file(
            &format!("{sheets}/d/e/2PACX-a/pubhtml"),
            google,
            &format!("{sheets}/d/e/2PACX-a/pub?output=xlsx"),
        );
        check_file(
            &format!("{sheets}/d/e/2PACX-a/pubhtml?gid=5&single=true"),
            google,
            &format!("{sheets}/d/e/2PACX-a/pub?output=csv&gid=5&single=true"),
        );
        let drive = "https://drive.google.com";
        for link in ["file/d/1a/view?usp=sharing", "open?id=1a", "uc?export=download&id=1a"] {
            check_file(
                &format!("{drive}/{link}"),
                google,
                &format!("{drive}/uc?export=download&id=1a"),
            );
        }
    }

    #[test]
    fn links_of_google_keep_keys_and_queries() {
        let google = Some(Provider::GoogleDrive);
        let sheets = "https://docs.google.com/spreadsheets";
        check_file(
            &format!("{sheets}/d/1a/edit?usp=sharing&resourcekey=0-k_Y"),
            google,
            &format!("{sheets}/d/1a/export?format=xlsx&resourcekey=0-k_Y"),
        );
        check_file(
            &format!("{sheets}/d/1a/gviz/tq?tqx=out:json&sheet=My%20Data"),
            google,
            &format!("{sheets}/d/1a/gviz/tq?sheet=My+Data&tqx=out%3Acsv"),
        );
        let drive = "https://drive.google.com";
        check_file(
            &format!("{drive}/file/d/1a/view?resourcekey=0-k_Y"),
            google,
            &format!("{drive}/uc?export=download&id=1a&resourcekey=0-k_Y"),
        );
    }

    #[test]
    fn links_of_sharepoint_are_downloaded_with_cookies() {
        for host in ["contoso.sharepoint.com", "contoso-my.sharepoint.us", "contoso.sharepoint.cn"]
        {
            let link = format!("https://{host}/:x:/s/team/abc?e=1");
            assert_eq!(find_provider(&link), Some(Provider::OneDrive));
            let file = find_file(&link).unwrap();
            assert_eq!(file.url, format!("{link}&download=1"));
        }
    }

    #[test]
    fn links_without_a_file_are_refused() {
        let check = |link: &str, code: u16| {
            assert_eq!(find_file(link).unwrap_err().code, code, "{link}");
        };
        for link in [
            "",
            "a.csv",
            "ftp://a.example/",
            "file:///etc/passwd",
            "https://ann:secret@a.example/",
            "javascript:alert(1)",
            "http://",
            "cloud://other/1/2",
        ] {
            check(link, 400);
        }
        for link in [
            "cloud://dropbox/1/2",
            "https://app.box.com/s/abc",
            "https://contoso.app.box.com/s/abc",
            "https://1drv.ms/x/s!abc",
            "https://onedrive.live.com/edit.aspx?resid=1",
            "https://app.smartsheet.com/sheets/abc",
            "https://app.smartsheetgov.com/sheets/abc",
            "https://app.box.com/file/123",
            "https://www.dropbox.com/home/Reports?preview=a.csv",
            "https://www.dropbox.com/work/Reports?preview=a.csv",
            "https://www.dropbox.com/preview/Reports/a.csv?role=personal",
        ] {
            check(link, 401);
        }
        check("https://publish.smartsheet.com/abc", 403);
        check("https://app.smartsheet.com/b/publish?EQBCT=abc", 403);
        check("https://www.dropbox.com/scl/fo/a/b?rlkey=c", 415);
        check("https://www.dropbox.com/sh/a/b?dl=0", 415);
        check("https://www.dropbox.com/home/Reports", 415);
        check("https://www.dropbox.com/work/Reports?role=work", 415);
        for link in ["/", "/document/d/1a/edit", "/spreadsheets/d/", "/spreadsheets/d/..%2Fx/edit"]
        {
            check(&format!("https://docs.google.com{link}"), 415);
        }
        check("https://drive.google.com/open?id=a%26b", 415);
    }
}
