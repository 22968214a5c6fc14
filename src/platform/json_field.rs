//! JSON fields that distinguish `null` from absence.

use serde::Deserialize;
use serde::Deserializer;

/// Deserializes a present field as `Some(None)` if it is `null`, otherwise as `Some(Some(value))`.
///
/// For `#[serde(default, deserialize_with = "…")]`: the default of an absent field is `None`.
///
/// # Errors
/// The value is neither `null` nor a valid `T`.
pub fn deserialize_nullable<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}
