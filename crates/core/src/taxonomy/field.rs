//! The fields of an event's payload, with their kinds and where they come from.

use serde_json::{Map, Value, json};

use super::{COMMON, EventSpec};

/// One field of an event's data.
///
/// ```
/// use anyhook_core::taxonomy::{Field, find};
///
/// let row = find("tool:pre").unwrap();
/// let Field { name, summary, source, .. } = row.fields[0];
/// assert_eq!(name, "tool_name");
/// assert!(summary.ends_with('.') && source.contains("claude-code"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The canonical name, in `snake_case`.
    pub name: &'static str,
    /// What kind of value it holds.
    pub kind: FieldKind,
    /// Whether the emitter of the event gives it.
    pub presence: Presence,
    /// One sentence for help and reference pages.
    pub summary: &'static str,
    /// Who says so, with commas between them: a seed document, `amplifier`, `ex_athena` or one of its facts, a host's id, or
    /// `anyhook` for what a session of ours gives.
    pub source: &'static str,
}

/// The kind of a field's value.
///
/// ```
/// use anyhook_core::taxonomy::FieldKind;
/// use serde_json::json;
///
/// assert!(FieldKind::Integer.holds(&json!(3)) && !FieldKind::Integer.holds(&json!(3.5)));
/// assert!(FieldKind::Enum(&["auto", "manual"]).holds(&json!("auto")));
/// assert_eq!(FieldKind::Object.as_str(), "object");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    String,
    /// A number, with or without a fraction.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// An object.
    Object,
    /// A list.
    Array,
    /// Whatever the emitter gives: those who name the field disagree, or do not say.
    Any,
    /// One of these words.
    Enum(&'static [&'static str]),
}

/// Whether a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Every emitter gives it.
    Required,
    /// Some do, or only at times; a `null` counts as absent.
    Optional,
}

/// One way in which a payload is not what its row says.
///
/// ```
/// use anyhook_core::taxonomy::{FieldKind, Mismatch, find};
/// use serde_json::json;
///
/// let row = find("tool:pre").unwrap();
/// let data = json!({"tool_name": 7, "tool_input": {}, "colour": "blue"});
/// let number = Mismatch { field: "tool_name", wanted: FieldKind::String, found: Some(json!(7)) };
/// assert_eq!(row.mismatches(data.as_object().unwrap()), [number]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The field.
    pub field: &'static str,
    /// The kind that it should have.
    pub wanted: FieldKind,
    /// The value that it has; nothing where a required field is absent.
    pub found: Option<Value>,
}

impl FieldKind {
    /// Tells whether a value is of this kind.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::Any => true,
            Self::Enum(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    /// Returns the word for it, as on reference pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Any => "any",
            Self::Enum(_) => "enum",
        }
    }
}

impl EventSpec {
    /// Compares a payload with the fields of this row.
    ///
    /// Fields that the row does not name are never wrong: what a host adds stays untouched.
    ///
    /// ```
    /// use anyhook_core::taxonomy::find;
    ///
    /// let row = find("tool:pre").unwrap();
    /// let missing = row.mismatches(&serde_json::Map::new());
    /// assert!(missing.iter().any(|wrong| wrong.field == "tool_name" && wrong.found.is_none()));
    /// ```
    pub fn mismatches(&self, data: &Map<String, Value>) -> Vec<Mismatch> {
        // A field of the row stands for a common one of the same name.
        let is_own = |name: &str| self.fields.iter().any(|field| field.name == name);
        let common = COMMON.iter().filter(|field| !is_own(field.name));
        let all = self.fields.iter().chain(common);
        all.filter_map(|field| field.mismatch(data)).collect()
    }
}

impl Field {
    /// Returns a value that it may have at an event in which nothing is about to happen: of this tool, in this folder.
    ///
    /// ```
    /// use anyhook_core::taxonomy::find;
    ///
    /// let field = find("tool:pre").unwrap().fields[0];
    /// assert_eq!(field.sample("Bash", "/shop"), "Bash");
    /// ```
    pub fn sample(&self, tool: &str, folder: &str) -> Value {
        match (self.name, self.kind) {
            ("tool_name", _) => tool.into(),
            // Of one native event the tool is the shell, of another it reads a file: each takes what it knows.
            ("tool_input", _) => {
                json!({"command": "true", "file_path": format!("{folder}/anyhook-sample")})
            }
            (name, FieldKind::String) if name.ends_with("cwd") || name.ends_with("path") => {
                folder.into()
            }
            (_, FieldKind::String) => "anyhook sample".into(),
            (_, FieldKind::Number | FieldKind::Integer) => 0.into(),
            (_, FieldKind::Boolean) => false.into(),
            (_, FieldKind::Object | FieldKind::Any) => json!({}),
            (_, FieldKind::Array) => json!([]),
            (_, FieldKind::Enum(words)) => words.first().copied().unwrap_or_default().into(),
        }
    }

    fn mismatch(&self, data: &Map<String, Value>) -> Option<Mismatch> {
        let found = data.get(self.name).filter(|value| !value.is_null());
        let fits = match found {
            None => self.presence == Presence::Optional,
            Some(value) => self.kind.holds(value),
        };
        (!fits).then(|| Mismatch {
            field: self.name,
            wanted: self.kind,
            found: found.cloned(),
        })
    }
}
