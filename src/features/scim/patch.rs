//! Operations of PATCH (RFC 7644, 3.5.2).

use serde_json::Map;
use serde_json::Value;

use super::filter;
use super::user;
use super::user::Change;
use super::user::UserValues;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of operations in a request.
const MAX_OPERATIONS: usize = 100;

/// Reads the operations in the body of PATCH, in their order. Ignores attributes that the server does
/// not store, because an error would make the update of all others fail.
///
/// # Errors
/// `InvalidFields` for an operation that is not `add`, `replace` or `remove`, for a path or a value
/// that is malformed, and without 1 to [`MAX_OPERATIONS`] operations.
pub fn parse_operations(body: &Map<String, Value>) -> Result<UserValues> {
    let operations = user::find(body, "Operations").and_then(Value::as_array);
    let operations = operations.filter(|list| (1..=MAX_OPERATIONS).contains(&list.len()));
    let operations = operations.ok_or_else(|| {
        Error::invalid_field(
            "Operations",
            format!("must be an array of 1 to {MAX_OPERATIONS} objects"),
        )
    })?;
    let mut values = UserValues::default();
    for operation in operations {
        let operation = operation.as_object();
        let operation =
            operation.ok_or_else(|| Error::invalid_field("Operations", "must contain objects"))?;
        apply_operation(&mut values, operation)?;
    }
    Ok(values)
}

/// Applies an operation to the values.
fn apply_operation(values: &mut UserValues, operation: &Map<String, Value>) -> Result<()> {
    let path = match user::find(operation, "path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) => Some(path.as_str()),
        Some(_) => return Err(Error::invalid_field("path", "must be a string")),
    };
    let name = user::find(operation, "op").and_then(Value::as_str).unwrap_or_default();
    let change = match name.to_ascii_lowercase().as_str() {
        "add" => Change::Add,
        "replace" => Change::Replace,
        "remove" => {
            let path = path.ok_or_else(|| Error::invalid_field("path", "is required to remove"))?;
            values.remove(&filter::parse_path(path)?);
            return Ok(());
        }
        _ => return Err(Error::invalid_field("op", "must be `add`, `replace` or `remove`")),
    };
    let value = user::find(operation, "value");
    let value =
        value.ok_or_else(|| Error::invalid_field("value", "is required to add and to replace"))?;
    match (path, value) {
        (Some(path), value) => values.set_text(path, value, change),
        (None, Value::Object(attributes)) => values.set_all(attributes, change),
        (None, _) => Err(Error::invalid_field("value", "must be an object without a path")),
    }
}
