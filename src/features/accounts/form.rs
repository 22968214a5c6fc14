//! Submitted forms, and the errors that a form shows.

use hyper::StatusCode;

pub use super::field_errors::sentence;
use super::pages;
use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::language;
use chartroom_platform::messages;

/// Maximum number of fields in a form. The form of a team has two for each member of the organization.
/// Without a limit, a body of 1 MiB could become half a million pairs of 50 bytes.
const MAX_FORM_FIELDS: usize = 10_000;

/// The fields of a submitted form, in their order.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// Names and values.
    pairs: Vec<(String, String)>,
}

impl Form {
    /// Parses the body of a request of a signed-in user. Public routes parse into a type with named
    /// fields instead, which does not store other fields.
    ///
    /// # Errors
    /// `Invalid` if the form has more than `MAX_FORM_FIELDS` fields. Otherwise as
    /// [`pages::parse_form`].
    pub fn from_request(request: &RequestContext) -> Result<Self> {
        check_field_count(&request.body)?;
        Ok(Self { pairs: pages::parse_form(request)? })
    }

    /// Creates a form with these names and values.
    pub fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }

    /// Parses a query.
    pub fn from_query(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self { pairs: pairs.map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// Returns the form with other values of a field.
    pub fn with_values(mut self, name: &str, values: Vec<String>) -> Self {
        self.pairs.retain(|(present, _)| present != name);
        self.pairs.extend(values.into_iter().map(|value| (name.to_owned(), value)));
        self
    }

    /// Returns the first value of a field, or an empty text.
    pub fn value(&self, name: &str) -> &str {
        let found = self.pairs.iter().find(|(present, _)| present == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Returns the first value of a field without surrounding white space. None if it is empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        Some(self.value(name).trim()).filter(|text| !text.is_empty())
    }

    /// Returns all values of a field.
    pub fn values(&self, name: &str) -> Vec<String> {
        let found = self.pairs.iter().filter(|(present, _)| present == name);
        found.map(|(_, value)| value.clone()).collect()
    }

    /// Returns whether a checkbox is checked.
    pub fn is_checked(&self, name: &str) -> bool {
        self.pairs.iter().any(|(present, _)| present == name)
    }
}

/// Checks the number of fields in a URL-encoded form before memory is allocated for them.
///
/// # Errors
/// `Invalid` for more than [`MAX_FORM_FIELDS`].
fn check_field_count(body: &[u8]) -> Result<()> {
    let separators = body.iter().filter(|byte| **byte == b'&').count();
    if separators < MAX_FORM_FIELDS {
        return Ok(());
    }
    Err(Error::Invalid(format!("the form must have at most {MAX_FORM_FIELDS} fields")))
}

/// Name and key of the label of each field of a form.
pub type FieldLabels = [(&'static str, &'static str)];

/// The errors that a page shows, and its status. The default has no errors and the status 200.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// Status of the response.
    pub status: StatusCode,
    /// Seconds after which the request can be repeated. None if that is unknown.
    pub retry_after: Option<u64>,
    /// Errors that belong to no field, as sentences.
    pub text: String,
    /// Fields with their errors as sentences.
    fields: Vec<(String, String)>,
}

impl Problem {
    /// Returns a problem that has only a status, because the page itself shows the errors.
    pub fn with_status(status: StatusCode) -> Self {
        Self { status, ..Self::default() }
    }

    /// Converts an error of a form with these fields. An error about another field becomes part of
    /// the general text.
    ///
    /// # Errors
    /// Returns errors that the person cannot correct in the form, such as `NotFound`.
    pub fn from_error(error: Error, form_fields: &FieldLabels) -> Result<Self> {
        let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let mut problem = Self { status, ..Self::default() };
        if let Error::TooManyRequests(seconds) = error {
            problem.retry_after = Some(seconds);
        }
        match error {
            Error::InvalidFields(errors) => {
                for error in errors {
                    problem.add(form_fields, &error.field, &error.message);
                }
            }
            Error::FieldConflict(error) => match find_label(form_fields, &error.field) {
                // The message is a complete sentence.
                Some(_) => problem.fields.push((error.field, sentence(&error.message))),
                None => problem.text = sentence(&error.message),
            },
            Error::Invalid(_)
            | Error::Conflict(_)
            | Error::PaymentRequired(_)
            | Error::Forbidden(_)
            | Error::ConfirmationRequired(_)
            | Error::TooManyRequests(_)
            | Error::NameServerFailed(_)
            | Error::RemoteTimeout
            | Error::TooLarge(_)
            | Error::Busy
            | Error::QuotaExceeded(_) => problem.text = sentence(&error.to_string()),
            other => return Err(other),
        }
        Ok(problem)
    }

    /// Returns the error of a field, or an empty text.
    pub fn of(&self, field: &str) -> &str {
        let found = self.fields.iter().find(|(name, _)| name == field);
        found.map_or("", |(_, text)| text.as_str())
    }

    /// Adds an error of a field, or to the general text if the form has no such field. The field
    /// `a[0]` has the label of `a[]`.
    fn add(&mut self, form_fields: &FieldLabels, field: &str, message: &str) {
        let message = messages::translate(message);
        let item = field.strip_suffix(']').and_then(|field| field.split_once('['));
        if let Some((list, index)) = item
            && let Ok(index) = index.parse::<usize>()
            && let Some(label) = find_label(form_fields, &format!("{list}[]"))
        {
            self.fields.push((field.to_owned(), format!("{label} {} {message}.", index + 1)));
            return;
        }
        if let Some(label) = find_label(form_fields, field) {
            self.fields.push((field.to_owned(), format!("{label} {message}.")));
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text += &sentence(&format!("{} {message}", field.replace(['_', '.'], " ")));
    }
}

/// Returns the label of a field, or None if the form has no such field.
fn find_label(form_fields: &FieldLabels, field: &str) -> Option<&'static str> {
    form_fields.iter().find(|(name, _)| *name == field).map(|(_, label)| language::text(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_belong_to_the_fields_of_the_form() {
        const LABELS: &FieldLabels = &[("name", "Team name")];
        let error = Error::field_conflict("name", "a team named \"A\" already exists");
        let problem = Problem::from_error(error, LABELS).unwrap();
        assert_eq!(problem.of("name"), "A team named \"A\" already exists.");
        assert_eq!((problem.status, problem.of("other")), (StatusCode::CONFLICT, ""));
        let text = |error: Error| Problem::from_error(error, &[]).unwrap().text;
        assert_eq!(text(Error::field_conflict("slug", "acme is taken")), "Acme is taken.");
        let full = Error::Conflict("Acme: Print has 100 themes".to_owned());
        assert_eq!(text(full), "Acme: Print has 100 themes.");
        let error = Error::invalid_field("name", "must not be empty");
        let problem = Problem::from_error(error, LABELS).unwrap();
        assert_eq!(
            (problem.of("name"), problem.text.as_str()),
            ("Team name must not be empty.", "")
        );
        let error = Error::invalid_field("emails", "must have 1 to 100 addresses");
        let problem = Problem::from_error(error, LABELS).unwrap();
        assert_eq!(problem.text, "Emails must have 1 to 100 addresses.");
        assert!(Problem::from_error(Error::NotFound("team"), &[]).is_err());
        let error = Error::TooLarge("an avatar may have at most 5 MiB".to_owned());
        let problem = Problem::from_error(error, &[]).unwrap();
        assert_eq!(problem.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(problem.text, "An avatar may have at most 5 MiB.");
        let busy = Problem::from_error(Error::Busy, &[]).unwrap();
        assert_eq!(busy.text, "The server is busy; try again in a moment.");
        assert_eq!(Problem::default().status, StatusCode::OK);
    }

    #[test]
    fn number_of_fields_is_limited() {
        let body = |count: usize| vec!["a"; count].join("&").into_bytes();
        assert!(check_field_count(b"").is_ok());
        assert!(check_field_count(&body(MAX_FORM_FIELDS)).is_ok());
        let error = check_field_count(&body(MAX_FORM_FIELDS + 1)).unwrap_err();
        assert_eq!(error.to_string(), "the form must have at most 10000 fields");
    }

    #[test]
    fn fields_may_repeat() {
        let form = Form::from_query("id=1&name=+A+&id=2&empty=");
        assert_eq!(form.values("id"), ["1", "2"]);
        assert_eq!(
            (form.value("id"), form.text("name"), form.text("empty")),
            ("1", Some("A"), None)
        );
        assert!(form.is_checked("empty") && !form.is_checked("other"));
    }
}
