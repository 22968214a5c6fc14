//! Fields of bodies: absent, null or there.

use serde::Deserialize;
use serde::Deserializer;

/// For `deserialize_with`, beside `default`: tells a null, which is `Some(None)`, from an absent
/// field, which is `None`.
///
/// # Errors
/// Those of the value itself.
pub fn given<'de, D, T>(from: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from).map(Some)
}
