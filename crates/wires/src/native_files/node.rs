//! A settings file as a tree with places, whatever it is written in.

use std::ops::Range;

use anyhook_core::manifest::{Code, Finding, Lines, Severity};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Of,
    pub(super) span: Range<usize>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Of {
    Null,
    Bool(bool),
    /// As it was written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Field>),
}

/// A field of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) at: Range<usize>,
    pub(super) node: Node,
}

impl Node {
    /// Returns the fields, if it is a table.
    pub(super) fn fields(&self) -> &[Field] {
        match &self.value {
            Of::Table(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the field of that name; of several the last, as every host does.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut named = self.fields().iter().filter(|field| field.key == key);
        named.next_back().map(|field| &field.node)
    }

    /// Returns the elements, if it is a list.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Of::List(list) => list,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Of::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, Of::Table(_))
    }

    /// Shows it as JSON; of several fields of one name the last.
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            Of::Null => Value::Null,
            Of::Bool(is) => Value::Bool(*is),
            Of::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
            Of::Text(text) => Value::String(text.clone()),
            Of::List(list) => list.iter().map(Self::to_json).collect(),
            Of::Table(fields) => {
                let fields = fields.iter();
                fields
                    .map(|field| (field.key.clone(), field.node.to_json()))
                    .collect()
            }
        }
    }

    /// Names its kind for a person.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Of::Null => "null",
            Of::Bool(_) => "a boolean",
            Of::Number(_) => "a number",
            Of::Text(_) => "a string",
            Of::List(_) => "a list",
            Of::Table(_) => "an object",
        }
    }
}

/// Parses JSON with comments and trailing commas: what a host reads, we read.
pub(super) fn json(body: &str, lines: &Lines) -> Result<Node, Finding> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message: error.kind().to_string().to_lowercase(),
        help: None,
        at: lines.place(error.range().start..error.range().end),
    })?;
    let empty = Node {
        value: Of::Null,
        span: 0..0,
    };
    Ok(parsed.value.as_ref().map_or(empty, of_json))
}

fn of_json(value: &ast::Value<'_>) -> Node {
    let span = value.start()..value.end();
    let value = match value {
        ast::Value::NullKeyword(_) => Of::Null,
        ast::Value::BooleanLit(literal) => Of::Bool(literal.value),
        ast::Value::NumberLit(literal) => Of::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Of::Text(literal.value.to_string()),
        ast::Value::Array(array) => Of::List(array.elements.iter().map(of_json).collect()),
        ast::Value::Object(object) => {
            let fields = object.properties.iter().map(|property| Field {
                key: property.name.as_str().to_owned(),
                at: property.name.start()..property.name.end(),
                node: of_json(&property.value),
            });
            Of::Table(fields.collect())
        }
    };
    Node { value, span }
}

/// Parses TOML.
pub(super) fn toml(body: &str, lines: &Lines) -> Result<Node, Finding> {
    let document = parsed(body).map_err(|(span, message)| Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message,
        help: None,
        at: lines.place(span.unwrap_or(0..0)),
    })?;
    Ok(table(document.as_table(), 0..0))
}
fn parsed(body: &str) -> Result<Document<&str>, (Option<Range<usize>>, String)> {
    Document::parse(body).map_err(|error| {
        let message = error.message().to_lowercase().replace('\n', " ");
        (error.span(), message)
    })
}

fn of_toml(item: &Item, outer: &Range<usize>) -> Node {
    let span = item.span().unwrap_or_else(|| outer.clone());
    match item {
        Item::None => Node {
            value: Of::Null,
            span,
        },
        Item::Value(value) => of_value(value, &span),
        Item::Table(fields) => table(fields, span),
        Item::ArrayOfTables(list) => {
            let tables = list.iter();
            let tables = tables.map(|fields| table(fields, fields.span().unwrap_or(span.clone())));
            Node {
                value: Of::List(tables.collect()),
                span,
            }
        }
    }
}

fn table(fields: &dyn TableLike, span: Range<usize>) -> Node {
    let field = |(name, item): (&str, &Item)| {
        let at = fields.key(name).and_then(toml_edit::Key::span);
        Field {
            key: name.to_owned(),
            at: at.unwrap_or_else(|| span.clone()),
            node: of_toml(item, &span),
        }
    };
    Node {
        value: Of::Table(fields.iter().map(field).collect()),
        span,
    }
}

fn of_value(value: &toml_edit::Value, outer: &Range<usize>) -> Node {
    let span = value.span().unwrap_or_else(|| outer.clone());
    let value = match value {
        toml_edit::Value::String(text) => Of::Text(text.value().clone()),
        toml_edit::Value::Integer(number) => Of::Number(number.value().to_string()),
        toml_edit::Value::Float(number) => Of::Number(number.value().to_string()),
        toml_edit::Value::Boolean(is) => Of::Bool(*is.value()),
        toml_edit::Value::Datetime(time) => Of::Text(time.value().to_string()),
        toml_edit::Value::Array(list) => {
            Of::List(list.iter().map(|value| of_value(value, &span)).collect())
        }
        toml_edit::Value::InlineTable(fields) => return table(fields, span),
    };
    Node { value, span }
}
