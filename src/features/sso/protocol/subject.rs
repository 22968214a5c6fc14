//! The user that an assertion identifies.

use roxmltree::Node;

use super::attributes::Attributes;
use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use super::schema;
use super::schema::format_error;

/// Maximum number of characters in an identifier of a user. The database has the same limit.
const MAX_ID_CHARS: usize = 256;
/// Maximum length of an address in bytes (RFC 5321 with erratum 1690).
const MAX_EMAIL_BYTES: usize = 254;
/// Maximum number of characters of a name; longer ones are cut.
const MAX_NAME_CHARS: usize = 200;
/// Maximum length of the URL of an avatar in bytes.
const MAX_URL_BYTES: usize = 2_048;

/// Attributes with the address, in the order of preference.
const EMAIL_ATTRIBUTES: [&str; 6] = [
    "email",
    "mail",
    "User.email",
    "emailAddress",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
];
/// Attributes with the full name, in the order of preference.
const NAME_ATTRIBUTES: [&str; 6] = [
    "displayName",
    "name",
    "cn",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
    "urn:oid:2.16.840.1.113730.3.1.241",
];
/// Attributes with the given name, in the order of preference.
const GIVEN_NAME_ATTRIBUTES: [&str; 5] = [
    "givenName",
    "firstName",
    "User.FirstName",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
    "urn:oid:2.5.4.42",
];
/// Attributes with the family name, in the order of preference.
const FAMILY_NAME_ATTRIBUTES: [&str; 6] = [
    "surname",
    "sn",
    "lastName",
    "User.LastName",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
    "urn:oid:2.5.4.4",
];

/// Format of a name identifier that is different at each login.
const TRANSIENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
/// Formats of name identifiers that can be addresses. A Kerberos principal only looks like one.
const ADDRESS_FORMATS: [&str; 4] = [
    "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
];

/// The user that an assertion identifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Identifier of the user at the identity provider: the attribute `uid`, otherwise the name
    /// identifier. Has 1 to 256 characters, no control characters, and no white space at its ends.
    pub sso_id: String,
    /// Address in lower case. ASCII, with one `@`.
    pub email: String,
    /// Display name, otherwise given name and family name. At most 200 characters.
    pub name: Option<String>,
    /// Given name. At most 200 characters.
    pub given_name: Option<String>,
    /// Family name. At most 200 characters.
    pub family_name: Option<String>,
    /// An https URL of at most 2,048 bytes in ASCII. The server never requests it.
    pub avatar_url: Option<String>,
    /// Name identifier. At most 256 characters.
    pub name_id: Option<String>,
    /// URN of the format of the name identifier. None if the assertion does not state it.
    pub name_id_format: Option<String>,
}

impl Subject {
    /// Reads the user from the `Subject` element and the attributes of an assertion.
    ///
    /// # Errors
    /// `Address` if the address is missing or malformed. `Format` if the identifier is.
    pub fn read(subject: Node<'_, '_>, attributes: &Attributes) -> Result<Self, Rejection> {
        let name_id = NameId::read(subject)?;
        let sso_id = read_sso_id(name_id.as_ref(), attributes)?;
        let email = read_email(name_id.as_ref(), attributes)?;
        let read_name = |names: &[&str]| {
            attributes.first_values(names).first().and_then(|name| clean_name(name))
        };
        let given_name = read_name(&GIVEN_NAME_ATTRIBUTES);
        let family_name = read_name(&FAMILY_NAME_ATTRIBUTES);
        let parts: Vec<&str> =
            [&given_name, &family_name].into_iter().flatten().map(String::as_str).collect();
        let name = read_name(&NAME_ATTRIBUTES).or_else(|| clean_name(&parts.join(" ")));
        let avatar_url = attributes.first_values(&["avatarUrl"]).first().copied();
        Ok(Self {
            sso_id,
            email,
            name,
            given_name,
            family_name,
            avatar_url: avatar_url.filter(|url| is_https_url(url)).map(str::to_owned),
            name_id_format: name_id.as_ref().and_then(|id| id.format).map(str::to_owned),
            name_id: name_id.map(|id| id.value.to_owned()),
        })
    }
}

/// A name identifier.
struct NameId<'a> {
    value: &'a str,
    format: Option<&'a str>,
}

impl<'a> NameId<'a> {
    /// Reads the name identifier of a subject. None if it has none.
    fn read(subject: Node<'a, '_>) -> Result<Option<Self>, Rejection> {
        let Some(element) = schema::optional_child(subject, "NameID")? else { return Ok(None) };
        let value = schema::text(element)?;
        let format = element.attribute("Format");
        let is_too_long = |text: &str| text.chars().count() > MAX_ID_CHARS;
        match is_too_long(value) || format.is_some_and(is_too_long) {
            true => Err(format_error(format!("NameID has more than {MAX_ID_CHARS} characters"))),
            false => Ok(Some(Self { value, format })),
        }
    }
}

/// Returns the identifier of the user: the attribute `uid`, otherwise the name identifier.
fn read_sso_id(name_id: Option<&NameId<'_>>, attributes: &Attributes) -> Result<String, Rejection> {
    if let Some(values) = attributes.values("uid") {
        return match values {
            [value] => check_id("the attribute uid", value),
            _ => Err(format_error("the attribute uid must have exactly one value")),
        };
    }
    let name_id = name_id.ok_or_else(|| format_error("the assertion has no NameID and no uid"))?;
    if name_id.format == Some(TRANSIENT) {
        return Err(format_error(
            "NameID is transient; configure a persistent NameID or the attribute uid",
        ));
    }
    check_id("NameID", name_id.value)
}

/// Returns an identifier that follows the rules. White space is not removed, because another user
/// could have the identifier without it.
fn check_id(name: &str, value: &str) -> Result<String, Rejection> {
    let problem = if value.is_empty() {
        "is empty"
    } else if value.chars().count() > MAX_ID_CHARS {
        "has more than 256 characters"
    } else if value.trim() != value || value.contains(char::is_control) {
        "has white space at an end or a control character"
    } else {
        return Ok(value.to_owned());
    };
    Err(format_error(format!("{name} {problem}")))
}

/// Returns the address of the user in lower case: the attribute, otherwise a name identifier that is
/// an address.
fn read_email(name_id: Option<&NameId<'_>>, attributes: &Attributes) -> Result<String, Rejection> {
    let address_error = |reason: String| Rejection::new(ReasonCode::Address, reason);
    let values = attributes.first_values(&EMAIL_ATTRIBUTES);
    let Some(first) = values.first() else {
        let name_id = name_id.filter(|id| id.format.is_none_or(|f| ADDRESS_FORMATS.contains(&f)));
        let email = name_id.and_then(|id| normalize_email(id.value));
        return email.ok_or_else(|| {
            address_error("the assertion has no attribute email, and NameID is no address".into())
        });
    };
    let email = normalize_email(first);
    let email =
        email.ok_or_else(|| address_error(format!("the address {} is malformed", quote(first))))?;
    match values.iter().all(|other| normalize_email(other).as_ref() == Some(&email)) {
        true => Ok(email),
        false => Err(address_error("the assertion has more than one address".into())),
    }
}

/// Returns an address in lower case. None unless it is ASCII without spaces and control characters,
/// and has one `@` between a name and a domain.
fn normalize_email(text: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"<>()[]\\,;:\"".contains(&byte);
    let (name, domain) = text.split_once('@')?;
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_valid = !name.is_empty()
        && text.len() <= MAX_EMAIL_BYTES
        && text.bytes().all(is_allowed)
        && domain.contains('.')
        && domain.split('.').all(is_label);
    is_valid.then(|| text.to_ascii_lowercase())
}

/// Returns a name in one line without white space at its ends. None if nothing is left.
fn clean_name(text: &str) -> Option<String> {
    let is_unsafe = |char: char| {
        char.is_control() || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let text: String = text.chars().map(|char| if is_unsafe(char) { ' ' } else { char }).collect();
    let name: String = text.trim().chars().take(MAX_NAME_CHARS).collect();
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty())
}

/// Returns whether a text is an https URL with a host, without a user name and with characters of
/// URLs only.
fn is_https_url(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}'".contains(&byte);
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    text.len() <= MAX_URL_BYTES
        && text.bytes().all(is_allowed)
        && authority.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
        && !authority.contains('@')
}
