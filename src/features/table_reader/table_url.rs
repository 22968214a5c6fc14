//! URLs of files with tables that users name.

use url::ParseError;
use url::Url;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::remote::MAX_URL_BYTES;

/// Parses the URL of a file at another server. Ignores white space around it. The client that loads the file
/// checks its host and port.
///
/// # Errors
/// `InvalidFields` for `url` if it is too long or has a control character, another scheme than http and https,
/// or a user name or a password.
pub fn parse_table_url(text: &str) -> Result<Url> {
    let refuse = |message: &str| Error::invalid_field("url", message);
    let text = text.trim();
    if text.len() > MAX_URL_BYTES {
        return Err(refuse("must have at most 4096 bytes"));
    }
    let parsed = Url::parse(text);
    let is_relative = parsed == Err(ParseError::RelativeUrlWithoutBase);
    if is_relative || parsed.as_ref().is_ok_and(|url| !["http", "https"].contains(&url.scheme())) {
        return Err(refuse("must start with http:// or https://"));
    }
    // The parser leaves out line breaks and tabs.
    let url = parsed.ok().filter(|_| !text.contains(char::is_control));
    let url =
        url.ok_or_else(|| refuse("must be an address such as https://example.org/table.csv"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("must not contain a user name or a password"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::parse_table_url;

    #[test]
    fn only_web_addresses_without_credentials_are_accepted() {
        let check = |text: &str, url: &str| {
            assert_eq!(parse_table_url(text).unwrap().as_str(), url, "{text}");
        };
        check(" https://a.example/b?c=d#e ", "https://a.example/b?c=d#e");
        check(
            "http://bücher.example/Große Liste.csv",
            "http://xn--bcher-kva.example/Gro%C3%9Fe%20Liste.csv",
        );
        for url in [
            "",
            "a.csv",
            "ftp://a.example/",
            "file:///etc/passwd",
            "cloud://box/a/b",
            "//a.example/",
            "https://",
            "http://ann:secret@a.example/",
            "http://ann@a.example/",
            "http://a example/",
            "http://a.example/b\nc",
            &format!("http://a.example/{}", "x".repeat(4096)),
        ] {
            assert!(parse_table_url(url).is_err(), "{url}");
        }
    }
}
