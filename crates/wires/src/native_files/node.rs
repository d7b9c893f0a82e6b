//! A settings file as the tree of the JSON parser, also where it is written in TOML.

use std::ops::Range;

use anyhook_core::manifest::{Code, Finding, LineIndex, Severity};
pub(super) use jsonc_parser::ast::Value as Node;
use jsonc_parser::ast::{
    Array, BooleanLit, NullKeyword, NumberLit, Object, ObjectProp, ObjectPropName, StringLit,
};
use jsonc_parser::common::{Range as Span, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml_edit::{Document, Item, TableLike, Value};

/// Looking into a tree.
pub(super) trait NodeAccess<'t> {
    /// Returns the fields, if it is a table.
    fn fields(&self) -> &[ObjectProp<'t>];

    /// Returns the field of that name; of several the last, as every host does.
    fn get(&self, key: &str) -> Option<&Node<'t>>;

    /// Returns the elements, if it is a list.
    fn items(&self) -> &[Node<'t>];

    fn word(&self) -> Option<&str>;

    fn is(&self, wanted: bool) -> bool;
}

impl<'t> NodeAccess<'t> for Node<'t> {
    fn fields(&self) -> &[ObjectProp<'t>] {
        self.as_object().map_or(&[], |object| &object.properties)
    }

    fn get(&self, key: &str) -> Option<&Node<'t>> {
        let mut named = self.fields().iter().rev();
        let found = named.find(|field| field.name.as_str() == key);
        found.map(|field| &field.value)
    }

    fn items(&self) -> &[Node<'t>] {
        self.as_array().map_or(&[], |list| &list.elements)
    }

    fn word(&self) -> Option<&str> {
        self.as_string_lit().map(|literal| &*literal.value)
    }

    fn is(&self, wanted: bool) -> bool {
        let literal = self.as_boolean_lit();
        literal.is_some_and(|literal| literal.value == wanted)
    }
}

/// Parses JSON with comments and trailing commas: what a host reads, we read.
pub(super) fn json<'t>(body: &'t str, lines: &LineIndex) -> Result<Node<'t>, Finding> {
    let parsed = parse_to_ast(body, &CollectOptions::default(), &ParseOptions::default());
    let parsed = parsed.map_err(|error| {
        let at = error.range().start..error.range().end;
        broken(error.kind().to_string().to_lowercase(), at, lines)
    })?;
    let range = Span::new(0, 0);
    Ok(parsed
        .value
        .unwrap_or(Node::NullKeyword(NullKeyword { range })))
}

/// Parses TOML.
pub(super) fn toml<'t>(body: &'t str, lines: &LineIndex) -> Result<Node<'t>, Finding> {
    let document = Document::parse(body).map_err(|error| {
        let message = error.message().to_lowercase().replace('\n', " ");
        broken(message, error.span().unwrap_or(0..0), lines)
    })?;
    let outer = Span::new(0, 0);
    Ok(table(document.as_table(), outer, body))
}

fn broken(message: String, at: Range<usize>, lines: &LineIndex) -> Finding {
    Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message,
        help: None,
        at: lines.place(at),
    }
}

/// Where a part of a text in TOML stands; what has no place of its own stands where the whole does.
fn place(span: Option<Range<usize>>, outer: Span) -> Span {
    span.map_or(outer, |span| Span::new(span.start, span.end))
}

fn of_item<'t>(item: &Item, outer: Span, body: &'t str) -> Node<'t> {
    let range = place(item.span(), outer);
    match item {
        Item::None => Node::NullKeyword(NullKeyword { range }),
        Item::Value(value) => of_value(value, range, body),
        Item::Table(fields) => table(fields, range, body),
        Item::ArrayOfTables(list) => {
            let tables = list.iter();
            let tables = tables.map(|fields| table(fields, place(fields.span(), range), body));
            let elements = tables.collect();
            Node::Array(Array { range, elements })
        }
    }
}

fn table<'t>(fields: &dyn TableLike, range: Span, body: &'t str) -> Node<'t> {
    let field = |(name, item): (&str, &Item)| {
        let at = fields.key(name).and_then(toml_edit::Key::span);
        field(
            name.to_owned(),
            place(at, range),
            of_item(item, range, body),
        )
    };
    let properties = fields.iter().map(field).collect();
    Node::Object(Object { range, properties })
}

/// Makes a field of a table.
pub(super) fn field(name: String, range: Span, value: Node<'_>) -> ObjectProp<'_> {
    let value_range = value.range();
    let name = ObjectPropName::String(StringLit {
        range,
        value: name.into(),
    });
    ObjectProp {
        range: Span::new(range.start, value_range.end.max(range.end)),
        name,
        value,
    }
}

fn of_value<'t>(value: &Value, outer: Span, body: &'t str) -> Node<'t> {
    let range = place(value.span(), outer);
    match value {
        Value::String(text) => self::text(text.value().clone(), range),
        Value::Integer(_) | Value::Float(_) => {
            let value = body.get(range.start..range.end).unwrap_or_default();
            Node::NumberLit(NumberLit { range, value })
        }
        Value::Boolean(is) => Node::BooleanLit(BooleanLit {
            range,
            value: *is.value(),
        }),
        Value::Datetime(time) => self::text(time.value().to_string(), range),
        Value::Array(list) => {
            let elements = list.iter().map(|value| of_value(value, range, body));
            let elements = elements.collect();
            Node::Array(Array { range, elements })
        }
        Value::InlineTable(fields) => table(fields, range, body),
    }
}

pub(super) fn text<'t>(value: String, range: Span) -> Node<'t> {
    let value = value.into();
    Node::StringLit(StringLit { range, value })
}
