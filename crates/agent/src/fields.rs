//! Fields of the objects that events carry.

use serde_json::Value;

/// Sets a field; what is no object stays as it is.
pub(crate) fn set(object: &mut Value, field: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(field.to_owned(), value.into());
    }
}
