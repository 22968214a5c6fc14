//! Rules about the values of an identity provider.

use schemars::JsonSchema;
use serde::Deserialize;

use super::sign_in_url;
use crate::features::sso::protocol;
use crate::features::sso::protocol::IdpCertificate;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;

/// Maximum number of characters of an entity id (SAML 2.0 core, 8.3.6).
const MAX_ENTITY_ID_CHARS: usize = 1024;

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
    add("sign_in_url", sign_in_url::find_problem(sign_in_url, base_url));
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
    if !is_length_valid || text.contains(is_blank) {
        return Some(format!(
            "must have 1 to {MAX_ENTITY_ID_CHARS} characters without white space"
        ));
    }
    if let Some(char) = text.chars().find(|char| is_invisible(*char)) {
        let code = format!("U+{:04X}", u32::from(char));
        return Some(format!("must not contain the invisible character {code}"));
    }
    let is_own = text.trim_end_matches('/') == base_url || text == format!("{base_url}/sso/saml2");
    is_own.then(|| "must be the entity id of the identity provider, not of this server".to_owned())
}

/// Returns whether a character is white space or a control character.
fn is_blank(char: char) -> bool {
    char.is_whitespace() || char.is_control()
}

/// Returns whether a character has no width, so that nobody sees it in a copied text: zero-width space
/// and joiners, marks of direction, word joiner, and byte order mark.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check("urn:\u{200b}idp", false);
        check("urn:idp\u{feff}", false);
        check("urn:\u{fc}ni", true);
    }
}
