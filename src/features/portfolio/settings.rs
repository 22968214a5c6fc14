//! What is wrong with the settings of a document, by its kind's JSON Schema.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::LazyLock;

use jsonschema::ValidationError;
use jsonschema::Validator;
use jsonschema::paths::LocationSegment;
use quick_cache::sync::Cache;
use serde_json::Value;

use super::KindInfo;
use chartroom_platform::error::FieldError;

/// Most problems that are told at a time.
const MOST: usize = 20;

/// The schemas that were applied last, ready to be applied: each takes memory, and few kinds are drawn
/// at a time.
static VALIDATORS: LazyLock<Cache<String, Arc<Validator>>> = LazyLock::new(|| Cache::new(12));

/// The schema of a kind's settings; none when it is no schema, which the tests rule out.
fn validator(kind: &KindInfo) -> Option<Arc<Validator>> {
    let make = || jsonschema::validator_for(&kind.settings_schema).map(Arc::new);
    VALIDATORS.get_or_insert_with(&kind.id, make).ok()
}

/// The settings that a picture of this kind cannot follow, each with its path, such as
/// `settings.axis.min`. Those that the kind does not know are no problem.
pub fn problems(kind: &KindInfo, settings: &Value) -> Vec<FieldError> {
    let Some(validator) = validator(kind) else { return Vec::new() };
    let mut problems: Vec<FieldError> =
        validator.iter_errors(settings).take(MOST).map(|error| told(&error)).collect();
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::features::portfolio;

    #[test]
    fn every_kind_takes_its_own_settings_and_refuses_others() {
        for kind in portfolio::kinds() {
            assert!(validator(kind).is_some(), "{}", kind.slug);
            for settings in [&kind.default_settings, &kind.sample.settings] {
                assert_eq!(problems(kind, settings), [], "{}: {settings}", kind.slug);
            }
            let told = problems(kind, &json!(7));
            assert_eq!((told.len(), told[0].field.as_str()), (1, "settings"), "{}", kind.slug);
        }
    }
}
