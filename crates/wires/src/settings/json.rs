//! JSON as a text that a person wrote: what is changed is cut out and put in, and every other byte stays what it is.

use jsonc_parser::ast::Value;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::edit::EditError;

/// What is read: JSON with comments and trailing commas. The parser refuses more than 512 levels, so a hostile text cannot
/// exhaust the stack.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_non_finite_numbers: false,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a text that is no empty one.
pub(super) fn parse(text: &str) -> Result<CstRootNode, EditError> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| broken(&error))?;
    if root.value().is_none() {
        return Err(EditError::at(text, 0, "there is nothing in it".to_owned()));
    }
    Ok(root)
}

fn broken(error: &ParseError) -> EditError {
    let said = error.kind().to_string();
    let mut chars = said.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    EditError {
        what: first.into_iter().chain(chars).collect(),
        line: error.line_display(),
        column: error.column_display(),
    }
}

/// Reads a node of a tree as a value.
pub(super) fn value_of(node: &CstNode) -> serde_json::Value {
    let text = node.to_string();
    let parsed = parse_to_ast(&text, &CollectOptions::default(), &OPTIONS).ok();
    let root = parsed.and_then(|parsed| parsed.value);
    root.as_ref().map(value).unwrap_or_default()
}

/// Reads a part of a tree as a value. What the parser took for a number is one.
pub(crate) fn value(part: &Value<'_>) -> serde_json::Value {
    match part {
        Value::StringLit(text) => text.value.as_ref().into(),
        Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Value::BooleanLit(boolean) => boolean.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(array) => array.elements.iter().map(value).collect(),
        Value::Object(object) => {
            let properties = object.properties.iter();
            properties
                .map(|property| (property.name.as_str().to_owned(), value(&property.value)))
                .collect()
        }
    }
}

/// Says what a value is.
pub(crate) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::NullKeyword(_) => "null",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Makes a value that is written as this text.
pub(super) fn raw(text: &str) -> CstInputValue {
    CstInputValue::Number(text.to_owned())
}

/// Returns where a node stands in its text.
pub(super) fn start(node: &CstNode) -> usize {
    let before = node.previous_siblings();
    let before: usize = before.map(|node| node.to_string().len()).sum();
    let outer = node.parent().filter(|outer| !outer.is_root());
    before + outer.map_or(0, |outer| start(&CstNode::Container(outer)))
}

/// Tells whether a comment stands anywhere in a node.
pub(super) fn has_comment(node: &CstNode) -> bool {
    node.is_comment() || node.children().iter().any(has_comment)
}

/// Takes a node out, and what is around it, one after the other, as long as nothing else and no comment is left in it.
pub(super) fn cut(way: &[CstNode]) {
    let mut around: Option<CstContainerNode> = None;
    for node in way.iter().rev() {
        let is_empty = |outer: &CstContainerNode| {
            let left = outer.children_exclude_trivia_and_tokens();
            left.is_empty() && !has_comment(node)
        };
        if around.as_ref().is_some_and(|outer| !is_empty(outer)) {
            return;
        }
        let is_first = node.child_index() == 1;
        around = node.parent();
        node.clone().remove();
        // The next one on its line moves to its place.
        let space = around.as_ref().and_then(|outer| outer.child_at_index(1));
        if let Some(space) = space.filter(|space| is_first && space.is_whitespace()) {
            space.remove();
        }
    }
}
