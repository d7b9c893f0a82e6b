//! Fields of the objects that events carry.

use serde_json::Value;

/// Adds fields to an object, in the place of those of the same names.
pub(crate) fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}
