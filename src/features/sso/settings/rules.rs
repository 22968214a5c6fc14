//! Rules about the values of an identity provider.

use hyper::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::features::sso::protocol;
use crate::features::sso::protocol::IdpCertificate;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;

/// Maximum number of characters of an entity id (SAML 2.0 core, 8.3.6).
const MAX_ENTITY_ID_CHARS: usize = 1024;
/// Maximum number of characters of a sign-in URL.
const MAX_URL_CHARS: usize = 2048;

/// Body of `PUT /orgs/{org}/sso`. Other fields are ignored, so that the response of GET can be sent back.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "SsoSettingsInput")]
pub struct SettingsInput {
    /// Entity id of the identity provider: the issuer of its responses.
    #[schemars(example = "https://idp.example/saml")]
    pub entity_id: String,
    /// One or two certificates as PEM blocks, or one certificate as bare base64.
    pub certificate: String,
    /// URL of the identity provider to which browsers are sent, with http or https.
    #[schemars(example = "https://idp.example/sso")]
    pub sign_in_url: String,
    /// Whether a sign-in may begin at the identity provider.
    #[serde(default = "default_true")]
    pub allow_idp_initiated: bool,
    /// Whether an account with another identifier is linked to the identifier of a sign-in with its
    /// address.
    #[serde(default = "default_true")]
    pub allow_relink: bool,
}

/// Values of an identity provider that follow the rules.
pub struct ParsedSettings {
    /// Entity id.
    pub entity_id: String,
    /// One or two certificates.
    pub certificates: Vec<IdpCertificate>,
    /// Sign-in URL.
    pub sign_in_url: String,
}

/// Returns true, the default of both switches.
fn default_true() -> bool {
    true
}

/// Checks all values. White space around them is ignored. `base_url` is the entity id of this server.
///
/// # Errors
/// `InvalidFields` for each value that breaks a rule.
pub fn parse(input: &SettingsInput, base_url: &str) -> Result<ParsedSettings> {
    let mut errors = Vec::new();
    let (entity_id, sign_in_url) = (input.entity_id.trim(), input.sign_in_url.trim());
    let mut add = |field: &str, problem: Option<String>| {
        errors.extend(problem.map(|message| FieldError { field: field.to_owned(), message }));
    };
    add("entity_id", find_entity_id_problem(entity_id, base_url));
    add("sign_in_url", find_url_problem(sign_in_url));
    let certificates = match protocol::parse_certificates(&input.certificate) {
        Ok(certificates) => certificates,
        Err(Error::InvalidFields(problems)) => {
            errors.extend(problems);
            Vec::new()
        }
        Err(error) => return Err(error),
    };
    if !errors.is_empty() {
        return Err(Error::InvalidFields(errors));
    }
    Ok(ParsedSettings {
        entity_id: entity_id.to_owned(),
        certificates,
        sign_in_url: sign_in_url.to_owned(),
    })
}

/// Returns why a text is not the entity id of an identity provider, or None.
fn find_entity_id_problem(text: &str, base_url: &str) -> Option<String> {
    let is_length_valid = (1..=MAX_ENTITY_ID_CHARS).contains(&text.chars().count());
    if !is_length_valid || text.contains(|char: char| char.is_control() || char.is_whitespace()) {
        return Some(format!(
            "must have 1 to {MAX_ENTITY_ID_CHARS} characters without white space"
        ));
    }
    let is_own = text.trim_end_matches('/') == base_url || text == format!("{base_url}/sso/saml2");
    is_own.then(|| "must be the entity id of the identity provider, not of this server".to_owned())
}

/// Returns why a text is not an http or https URL, or None.
fn find_url_problem(text: &str) -> Option<String> {
    if text.len() > MAX_URL_CHARS {
        return Some(format!("must have at most {MAX_URL_CHARS} characters"));
    }
    match is_web_url(text) {
        true => None,
        false => Some("must be a URL that starts with https:// or http://".to_owned()),
    }
}

/// Returns whether a text is an http or https URL with a host, without a user name and a fragment, and
/// with ASCII characters only.
fn is_web_url(text: &str) -> bool {
    let is_ascii = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    let Some(uri) = is_ascii.then(|| text.parse::<Uri>().ok()).flatten() else { return false };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    is_web && uri.host().is_some_and(|host| !host.is_empty()) && !authority.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_url_is_a_web_address() {
        let check = |text: &str, want: bool| {
            assert_eq!(find_url_problem(text).is_none(), want, "{text}");
        };
        check("https://idp.example/sso?tenant=1&x=%20", true);
        check("http://127.0.0.1:8080/", true);
        check("https://idp.example", true);
        check("https://user@idp.example/", false);
        check("https://idp.example/#top", false);
        check("https://idp.example/a b", false);
        check("https://idp.example/\r\nx", false);
        check("javascript:alert(1)", false);
        check("ftp://idp.example/", false);
        check("//idp.example/", false);
        check("/sso", false);
        check("https://", false);
        check("https:///sso", false);
        check("https://:8080/", false);
        check("https://idp.example/\u{e9}", false);
        check("https://\u{e9}.example/", false);
        check("", false);
        check(&format!("https://idp.example/{}", "a".repeat(MAX_URL_CHARS)), false);
    }

    #[test]
    fn entity_id_is_that_of_the_provider() {
        let check = |text: &str, want: bool| {
            let problem = find_entity_id_problem(text, "https://charts.example");
            assert_eq!(problem.is_none(), want, "{text}");
        };
        check("http://www.okta.com/exk1", true);
        check("urn:idp", true);
        check(&"a".repeat(MAX_ENTITY_ID_CHARS), true);
        check(&"a".repeat(MAX_ENTITY_ID_CHARS + 1), false);
        check("", false);
        check("a b", false);
        check("a\u{7}", false);
        check("https://charts.example", false);
        check("https://charts.example/", false);
        check("https://charts.example/sso/saml2", false);
    }
}
