//! The user resource (RFC 7643, 4.1): its JSON, and the values that a request sets.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::filter;
use super::filter::AttributePath;
use super::filter::Filter;
use super::filter::Test;
use super::filter::USER_SCHEMA;
use super::store::StoredUser;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Attributes of a user in a request. None if the request does not set an attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserValues {
    /// Identifier at the identity provider.
    pub external_id: Option<String>,
    /// `userName`, which is an address too. `emails` takes precedence.
    pub user_name: Option<String>,
    /// Value of the primary address.
    pub email: Option<String>,
    /// Full name.
    pub display_name: Option<String>,
    /// `name.formatted`, which is the full name without a `displayName`.
    pub formatted: Option<String>,
    /// Given name. `Some(None)` removes it.
    pub given_name: Option<Option<String>>,
    /// Family name. `Some(None)` removes it.
    pub family_name: Option<Option<String>>,
    /// Whether the user has access.
    pub active: Option<bool>,
}

/// How the values of an attribute change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The value is new, or one of several.
    Add,
    /// The value replaces the present one.
    Replace,
}

/// Returns the JSON of a user. `location` is its URL.
pub fn to_json(user: &StoredUser, location: &str) -> Value {
    let mut resource = json!({ "schemas": [USER_SCHEMA], "id": user.id });
    if let Some(external_id) = &user.external_id {
        resource["externalId"] = json!(external_id);
    }
    resource["userName"] = json!(user.email);
    resource["displayName"] = json!(user.name);
    resource["name"] = json!({ "formatted": user.name });
    for (attribute, name) in [("givenName", &user.given_name), ("familyName", &user.family_name)] {
        if let Some(name) = name {
            resource["name"][attribute] = json!(name);
        }
    }
    resource["emails"] = json!([{ "value": user.email, "type": "work", "primary": true }]);
    resource["active"] = json!(true);
    resource["meta"] = json!({
        "resourceType": "User",
        "created": user.created,
        "lastModified": user.updated,
        "location": location,
    });
    resource
}

impl UserValues {
    /// Reads the values in the body of POST or PUT. Ignores all other attributes.
    ///
    /// # Errors
    /// `InvalidFields` for a value of a wrong type.
    pub fn from_body(body: &Map<String, Value>) -> Result<Self> {
        let mut values = Self::default();
        for (name, value) in body {
            // Any other name cannot be an attribute.
            if let Ok(path) = filter::parse_path(name)
                && path.values.is_none()
            {
                values.set(&path, value, Change::Replace)?;
            }
        }
        Ok(values)
    }

    /// Sets the attributes of an object, with names that can be paths.
    ///
    /// # Errors
    /// `InvalidFields` for a name that is not a path, or a value of a wrong type.
    pub fn set_all(&mut self, attributes: &Map<String, Value>, change: Change) -> Result<()> {
        for (name, value) in attributes {
            self.set_text(name, value, change)?;
        }
        Ok(())
    }

    /// Sets the attribute at a path. The URN of the schema of users as the path names all attributes of
    /// an object.
    ///
    /// # Errors
    /// `InvalidFields` if the text is not a path, or for a value of a wrong type.
    pub fn set_text(&mut self, path: &str, value: &Value, change: Change) -> Result<()> {
        if path.eq_ignore_ascii_case(USER_SCHEMA) {
            let attributes = value.as_object();
            let attributes =
                attributes.ok_or_else(|| Error::invalid_field(path, "must be an object"))?;
            // The names inside are those of attributes, so that this ends.
            return attributes
                .iter()
                .try_for_each(|(name, value)| self.set(&filter::parse_path(name)?, value, change));
        }
        self.set(&filter::parse_path(path)?, value, change)
    }

    /// Sets the attribute at a path. Ignores attributes that the server does not store. Null removes
    /// an attribute, see [`UserValues::remove`].
    ///
    /// # Errors
    /// `InvalidFields` for a value of a wrong type.
    pub fn set(&mut self, path: &AttributePath, value: &Value, change: Change) -> Result<()> {
        if !path.is_user_attribute() {
            return Ok(());
        }
        if value.is_null() {
            self.remove(path);
            return Ok(());
        }
        if path.name == "emails" {
            return self.set_emails(path, value, change);
        }
        // No other stored attribute has several values, among which a filter could select.
        if path.values.is_some() {
            return Ok(());
        }
        match path.dotted_name().as_str() {
            "externalid" => self.external_id = Some(text("externalId", value)?),
            "username" => self.user_name = Some(text("userName", value)?),
            "displayname" => self.display_name = Some(text("displayName", value)?),
            "active" => self.active = Some(boolean("active", value)?),
            "name.formatted" => self.formatted = Some(text("name.formatted", value)?),
            "name.givenname" => self.given_name = Some(optional_text("name.givenName", value)?),
            "name.familyname" => self.family_name = Some(optional_text("name.familyName", value)?),
            "name" => {
                let parts = value.as_object();
                let parts =
                    parts.ok_or_else(|| Error::invalid_field("name", "must be an object"))?;
                for (part, value) in parts {
                    let (name, sub) = ("name".to_owned(), Some(part.to_ascii_lowercase()));
                    self.set(&AttributePath { name, sub, ..Default::default() }, value, change)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes the attribute at a path. Ignores required attributes and those that the server does not
    /// store.
    pub fn remove(&mut self, path: &AttributePath) {
        if !path.is_user_attribute() || path.values.is_some() {
            return;
        }
        match path.dotted_name().as_str() {
            "name" => (self.given_name, self.family_name) = (Some(None), Some(None)),
            "name.givenname" => self.given_name = Some(None),
            "name.familyname" => self.family_name = Some(None),
            _ => {}
        }
    }

    /// Sets the address from `emails`, `emails.value` or `emails[…]`. Ignores other values than that of
    /// the only address of a user.
    fn set_emails(&mut self, path: &AttributePath, value: &Value, change: Change) -> Result<()> {
        if path.values.as_ref().is_some_and(|filter| !matches_stored_email(filter)) {
            return Ok(());
        }
        match path.sub.as_deref() {
            Some("value") => self.email = Some(text("emails", value)?),
            Some(_) => {}
            None => self.email = find_primary_email(value, change)?.or(self.email.take()),
        }
        Ok(())
    }

    /// Returns the full name that the request sets: `displayName`, otherwise `name.formatted`, otherwise
    /// given and family name.
    pub fn full_name(&self) -> Option<String> {
        let names = [&self.display_name, &self.formatted].into_iter().flatten();
        let given = self.given_name.as_ref().and_then(Option::as_deref);
        let family = self.family_name.as_ref().and_then(Option::as_deref);
        names
            .map(|name| name.trim())
            .find(|name| !name.is_empty())
            .map(str::to_owned)
            .or_else(|| join_names(given, family))
    }

    /// Returns the full name that the account gets. None keeps the stored one.
    ///
    /// A change of the given name or the family name changes the full name only if that consists of
    /// both.
    pub fn changed_name(&self, stored: &StoredUser) -> Option<String> {
        if let Some(name) = self.display_name.as_ref().or(self.formatted.as_ref()) {
            return Some(name.clone());
        }
        let (old_given, old_family) = (&stored.given_name, &stored.family_name);
        let old = join_names(old_given.as_deref(), old_family.as_deref());
        let given = self.given_name.as_ref().unwrap_or(old_given);
        let family = self.family_name.as_ref().unwrap_or(old_family);
        match old.is_some_and(|old| old == stored.name) {
            true => join_names(given.as_deref(), family.as_deref()),
            false => None,
        }
    }

    /// Returns the address that the request sets.
    pub fn address(&self) -> Option<&str> {
        self.email.as_deref().or(self.user_name.as_deref())
    }

    /// Returns the name of the attribute that sets the address.
    pub fn address_attribute(&self) -> &'static str {
        if self.email.is_some() { "emails" } else { "userName" }
    }
}

/// Returns given and family name, joined by a space. None if both are absent.
fn join_names(given: Option<&str>, family: Option<&str>) -> Option<String> {
    let parts: Vec<&str> = [given, family].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the address of the entry of `emails` that is marked as primary, otherwise that of the only
/// entry unless it is marked as not primary. `emails` can be one entry without an array. None without
/// an entry.
///
/// An address that is added is not the primary one if it has another type than `work`, because it
/// stands beside the present one.
///
/// # Errors
/// `InvalidFields` for `emails`.
fn find_primary_email(emails: &Value, change: Change) -> Result<Option<String>> {
    let entries: Vec<&Value> = match emails {
        Value::Array(entries) => entries.iter().collect(),
        Value::Object(_) => vec![emails],
        _ => return Err(Error::invalid_field("emails", "must be an array of objects")),
    };
    let mut candidates = Vec::new();
    for entry in entries {
        let entry = entry.as_object();
        let entry =
            entry.ok_or_else(|| Error::invalid_field("emails", "must be an array of objects"))?;
        let primary = match find(entry, "primary") {
            None | Some(Value::Null) => None,
            Some(value) => Some(boolean("emails.primary", value)?),
        };
        let kind = find(entry, "type").and_then(Value::as_str);
        let is_beside = kind.is_some_and(|kind| !kind.eq_ignore_ascii_case("work"));
        if change == Change::Add && is_beside && primary != Some(true) {
            continue;
        }
        candidates.push((primary, find(entry, "value")));
    }
    let mut primary = candidates.iter().filter(|(primary, _)| *primary == Some(true));
    let chosen = match (primary.next(), primary.next(), candidates.as_slice()) {
        (_, _, []) => return Ok(None),
        (Some((_, value)), None, _) | (None, None, [(None, value)]) => value,
        _ => return Err(Error::invalid_field("emails", "must have one entry with `primary` true")),
    };
    let missing = || Error::invalid_field("emails", "the primary entry must have a `value`");
    Ok(Some(text("emails", chosen.ok_or_else(missing)?)?))
}

/// Returns whether a filter in brackets selects the only address of a user, which has the type `work`
/// and is primary. A filter that depends on the value or on another attribute does not, because it may
/// mean another address.
fn matches_stored_email(filter: &Filter) -> bool {
    let (path, test) = match filter {
        Filter::And(left, right) => {
            return matches_stored_email(left) && matches_stored_email(right);
        }
        Filter::Term(path, test) => (path, test),
        Filter::Or(..) | Filter::Not(_) => return false,
    };
    if path.schema.is_some() || path.values.is_some() || path.sub.is_some() {
        return false;
    }
    match (path.name.as_str(), test) {
        ("type", Test::Equals(kind)) => kind.eq_ignore_ascii_case("work"),
        ("primary", Test::Equals(text)) => text.eq_ignore_ascii_case("true"),
        ("primary", Test::Is(is_primary)) => *is_primary,
        _ => false,
    }
}

/// Returns the member of an object with this name, which is compared without case.
pub fn find<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// Returns a text.
fn text(attribute: &str, value: &Value) -> Result<String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| Error::invalid_field(attribute, "must be a string"))
}

/// Returns a text, or None if it is empty.
fn optional_text(attribute: &str, value: &Value) -> Result<Option<String>> {
    Ok(Some(text(attribute, value)?).filter(|text| !text.trim().is_empty()))
}

/// Returns a boolean, which some clients send as a string.
fn boolean(attribute: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(Error::invalid_field(attribute, "must be true or false")),
    }
}
