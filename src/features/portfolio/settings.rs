//! What is wrong with the settings of a document, by its kind's JSON Schema.

use std::fmt::Write;

use jsonschema::ValidationError;
use jsonschema::Validator;
use jsonschema::paths::LocationSegment;
use serde_json::Value;

use super::KindInfo;
use crate::platform::error::FieldError;

/// Most problems that are told at a time.
const MOST: usize = 20;

/// The schema of a kind's settings, ready to be applied.
///
/// # Errors
/// What is wrong with the schema.
pub(super) fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema).map_err(|error| error.to_string())
}

/// The settings that a picture of this kind cannot follow, each with its path, such as
/// `settings.axis.min`. Those that the kind does not know are no problem.
pub fn problems(kind: &KindInfo, settings: &Value) -> Vec<FieldError> {
    let mut problems: Vec<FieldError> =
        kind.validator.iter_errors(settings).take(MOST).map(|error| told(&error)).collect();
    // A value of the wrong type is not among the words either: once is enough.
    problems.dedup_by(|one, other| one.field == other.field);
    problems
}

fn told(error: &ValidationError<'_>) -> FieldError {
    let mut field = "settings".to_owned();
    for segment in error.instance_path() {
        // Writing to a text does not fail.
        let _ = match segment {
            LocationSegment::Property(name) => write!(field, ".{name}"),
            LocationSegment::Index(place) => write!(field, "[{place}]"),
        };
    }
    FieldError { field, message: error.masked().to_string() }
}
