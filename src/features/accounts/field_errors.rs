//! Errors of forms as sentences in the language of the page.

use chartroom_platform::error::FieldError;
use chartroom_platform::language;
use chartroom_platform::messages;
use chartroom_platform::text;

/// Returns a message as a sentence in the current language, with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    format!("{}.", text::capitalize_first(&messages::translate(message)))
}

/// Returns the error of a field of a public form as a sentence in the current language.
pub fn describe_field(error: &FieldError) -> String {
    let label = match error.field.as_str() {
        "name" => language::text("common.name").to_owned(),
        "email" => language::text("field-labels.emailField").to_owned(),
        "password" => language::text("sign-in.password").to_owned(),
        other => text::capitalize_first(other),
    };
    format!("{label} {}.", messages::translate(&error.message))
}
