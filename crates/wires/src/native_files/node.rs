//! A settings file as a tree with places, whatever it is written in.

use std::ops::Range;

use anyhook_core::manifest::{Finding, Lines, Severity};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

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

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Of::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, Of::Table(_))
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
