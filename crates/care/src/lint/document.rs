//! Where the fields of a hook stand in the text: the manifest knows the hook's own place only.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use anyhook_core::manifest::{LineIndex, Place};

/// The text of a manifest as a tree, if it is JSON.
#[derive(Debug)]
pub(super) struct ManifestDocument<'a> {
    pub(super) top: Option<Value<'a>>,
    lines: LineIndex,
    /// How many bytes of a byte order mark stand before it.
    mark: usize,
}

impl<'a> ManifestDocument<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mark = text.len() - body.len();
        let parsed = parse_to_ast(body, &CollectOptions::default(), &ParseOptions::default());
        Self {
            top: parsed.ok().and_then(|parsed| parsed.value),
            lines: LineIndex::new(mark, body),
            mark,
        }
    }

    fn fields(&self) -> Option<&Object<'a>> {
        self.top.as_ref()?.as_object()
    }

    /// Finds the object that begins where a part of the manifest does.
    fn object(&self, at: &Place) -> Option<&Object<'a>> {
        let start = at.span.start.checked_sub(self.mark)?;
        object_at(self.top.as_ref()?, start)
    }

    /// Returns the place of a field's value.
    pub(super) fn field(&self, of: &Place, key: &str) -> Option<Place> {
        let value = &self.object(of)?.get(key)?.value;
        Some(self.lines.place(value.start()..value.end()))
    }

    /// Returns the text that a field holds.
    pub(super) fn text(&self, of: &Place, key: &str) -> Option<&str> {
        let value = &self.object(of)?.get(key)?.value;
        Some(&value.as_string_lit()?.value)
    }

    /// Returns the fields at the top, each with its place.
    pub(super) fn top_keys(&self) -> Vec<(String, Place)> {
        let fields = self.fields().map(|top| &*top.properties);
        let fields = fields.unwrap_or_default().iter();
        let name = |field: &ObjectProp<'_>| {
            let at = field.name.start()..field.name.end();
            (field.name.as_str().to_owned(), self.lines.place(at))
        };
        fields.map(name).collect()
    }

    /// Tells whether a part of the manifest stands inside the value of a field at the top.
    pub(super) fn is_below(&self, key: &str, part: &Place) -> bool {
        let start = part.span.start.checked_sub(self.mark);
        let field = self.fields().and_then(|top| top.get(key)).zip(start);
        field
            .is_some_and(|(field, start)| (field.value.start()..field.value.end()).contains(&start))
    }

    /// Returns the number that a field holds, as it was written.
    pub(super) fn number(&self, of: &Place, key: &str) -> Option<f64> {
        let value = &self.object(of)?.get(key)?.value;
        value.as_number_lit()?.value.parse().ok()
    }
}

fn object_at<'v, 'a>(value: &'v Value<'a>, start: usize) -> Option<&'v Object<'a>> {
    if !(value.start()..value.end()).contains(&start) {
        return None;
    }
    match value {
        Value::Object(object) if object.start() == start => Some(object),
        Value::Object(object) => {
            let mut values = object.properties.iter().map(|property| &property.value);
            values.find_map(|value| object_at(value, start))
        }
        Value::Array(list) => {
            let mut values = list.elements.iter();
            values.find_map(|value| object_at(value, start))
        }
        Value::StringLit(_)
        | Value::NumberLit(_)
        | Value::BooleanLit(_)
        | Value::NullKeyword(_) => None,
    }
}
