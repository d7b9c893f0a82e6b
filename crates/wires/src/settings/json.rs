//! JSON as a text that a person wrote: what is changed is cut out and put in, and every other byte stays what it is.
//!
//! A tree that is printed again would have to remember how everything was written. Cutting needs no memory: comments,
//! order, indentation, line ends and trailing commas are simply never touched.

mod gaps;

use std::ops::Range;

use anyhook_core::manifest::{JSON, syntax_error};
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::edit::EditError;
use gaps::{indent_at, line_start, newline, unit};

/// A text that was parsed, with its commas and comments.
pub(super) struct JsonTree<'t> {
    pub(super) text: &'t str,
    pub(super) root: Value<'t>,
    marks: Vec<(JsonTrivia, Range<usize>)>,
}

/// What may stand between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonTrivia {
    Comma,
    /// A comment up to the end of its line.
    Line,
    /// A comment between marks.
    Block,
}

impl JsonTree<'_> {
    /// Returns the commas and comments of a stretch of the text.
    fn marks(&self, within: Range<usize>) -> impl Iterator<Item = (JsonTrivia, Range<usize>)> {
        let marks = self.marks.iter().cloned();
        marks.filter(move |(_, at)| within.start <= at.start && at.end <= within.end)
    }

    pub(super) fn has_comment(&self, within: Range<usize>) -> bool {
        self.marks(within)
            .any(|(mark, _)| mark != JsonTrivia::Comma)
    }

    fn comma(&self, within: Range<usize>) -> Option<usize> {
        let mut marks = self.marks(within);
        let (_, at) = marks.find(|(mark, _)| *mark == JsonTrivia::Comma)?;
        Some(at.start)
    }

    /// Returns where the comments end that stand on the same line, and whether the last one takes the rest of it.
    fn rest_of_line(&self, within: Range<usize>) -> (usize, bool) {
        let mut place = (within.start, false);
        for (mark, at) in self.marks(within) {
            let up_to = part(self.text, place.0..at.end);
            if mark == JsonTrivia::Comma || up_to.contains('\n') {
                break;
            }
            // A carriage return belongs to the end of the line.
            place = (
                place.0 + up_to.trim_end_matches('\r').len(),
                mark == JsonTrivia::Line,
            );
        }
        place
    }
}

/// Parses a text. The parser refuses more than 512 levels, so a hostile text cannot exhaust the stack.
pub(super) fn parse(text: &str) -> Result<JsonTree<'_>, EditError> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let options = ParseOptions {
        allow_non_finite_numbers: false,
        ..JSON
    };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|error| EditError {
        what: syntax_error(&error),
        line: error.line_display(),
        column: error.column_display(),
    })?;
    let tokens = parsed.tokens.into_iter().flatten();
    let mark = |token: &Token<'_>| match token {
        Token::Comma => Some(JsonTrivia::Comma),
        Token::CommentLine(_) => Some(JsonTrivia::Line),
        Token::CommentBlock(_) => Some(JsonTrivia::Block),
        _ => None,
    };
    let marks = tokens.filter_map(|token| Some((mark(&token.token)?, span(&token))));
    let marks = marks.collect();
    let root = parsed.value;
    let root = root.ok_or_else(|| EditError::at(text, 0, "there is nothing in it".to_owned()))?;
    Ok(JsonTree { text, root, marks })
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

/// An object or a list, as places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    /// The first byte behind the opening bracket.
    start: usize,
    /// The closing bracket.
    end: usize,
    children: Vec<Range<usize>>,
}

impl Container {
    /// Reads where a value and its children stand; a value that is neither has none.
    pub(super) fn of(value: &Value<'_>) -> Self {
        let children = match value {
            Value::Object(object) => object.properties.iter().map(span).collect(),
            Value::Array(array) => array.elements.iter().map(span).collect(),
            _ => Vec::new(),
        };
        Self {
            start: value.start() + 1,
            end: value.end().saturating_sub(1),
            children,
        }
    }

    /// Finds the child in which a range stands.
    pub(super) fn child_around(&self, range: &Range<usize>) -> Option<usize> {
        let mut children = self.children.iter();
        children.position(|child| child.start <= range.start && range.end <= child.end)
    }

    /// Returns where a child stands.
    pub(super) fn child(&self, at: usize) -> Range<usize> {
        self.children.get(at).cloned().unwrap_or_default()
    }

    /// Tells whether this child stands alone, and no comment beside it.
    pub(super) fn is_alone(&self, tree: &JsonTree<'_>, at: usize) -> bool {
        let child = self.child(at);
        let beside = [self.start..child.start, child.end..self.end];
        let is_bare = |gap: Range<usize>| !tree.has_comment(gap);
        self.children.len() == 1 && beside.into_iter().all(is_bare)
    }

    /// Adds a child behind the last one.
    pub(super) fn append(&self, tree: &JsonTree<'_>, child: &str) -> String {
        let text = tree.text;
        let Some((first, last)) = self.children.first().zip(self.children.last()) else {
            return self.append_only(text, child);
        };
        let comma = tree.comma(last.end..self.end);
        let behind = comma.map_or(last.end, |comma| comma + 1);
        // What stands behind the last child on its line was said about that child.
        let (place, in_line_comment) = tree.rest_of_line(behind..self.end);
        let opens_a_line = part(text, self.start..first.start).contains('\n');
        let gap = if opens_a_line || in_line_comment {
            format!("{}{}", newline(text), self.indent(text, last))
        } else {
            " ".to_owned()
        };
        match comma {
            Some(_) => splice(text, &[(place..place, format!("{gap}{child},"))]),
            None => splice(
                text,
                &[
                    (last.end..last.end, ",".to_owned()),
                    (place..place, format!("{gap}{child}")),
                ],
            ),
        }
    }

    fn append_only(&self, text: &str, child: &str) -> String {
        let inner = part(text, self.start..self.end);
        let place = self.start + inner.trim_end().len();
        let is_root = part(text, 0..self.start).trim_start() == "{";
        if !text.contains('\n') && !is_root {
            return splice(text, &[(place..place, child.to_owned())]);
        }
        let newline = newline(text);
        let outer = indent_at(text, self.start);
        let mut added = format!("{newline}{outer}{}{child}", unit(text));
        if !part(text, place..self.end).contains('\n') {
            added.push_str(newline);
            added.push_str(outer);
        }
        splice(text, &[(place..place, added)])
    }

    fn indent(&self, text: &str, last: &Range<usize>) -> String {
        let line = line_start(text, last.start);
        let before = part(text, line..last.start);
        if before.chars().all(char::is_whitespace) {
            return before.to_owned();
        }
        format!("{}{}", indent_at(text, self.start), unit(text))
    }

    /// Takes a child out, with the comma that belongs to it and the space in front. Comments stay.
    pub(super) fn remove(&self, tree: &JsonTree<'_>, at: usize) -> String {
        let text = tree.text;
        let child = self.child(at);
        let before = at
            .checked_sub(1)
            .map_or(self.start, |at| self.child(at).end);
        let after = self
            .children
            .get(at + 1)
            .map_or(self.end, |next| next.start);
        let lead = part(text, before..child.start);
        let mut start = before + lead.trim_end().len();
        let behind = tree.comma(child.end..after);
        let mut cuts = Vec::new();
        let end = match behind {
            Some(comma) if part(text, child.end..comma).trim().is_empty() => comma + 1,
            Some(comma) => {
                cuts.push((comma..comma + 1, String::new()));
                child.end
            }
            None => {
                let comma = tree.comma(before..child.start).filter(|_| at > 0);
                cuts.extend(comma.map(|comma| (comma..comma + 1, String::new())));
                child.end
            }
        };
        let rest = part(text, end..self.end);
        let goes_on = !rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let last = tree.marks(before..start).last();
        if goes_on && last.is_some_and(|(mark, _)| mark == JsonTrivia::Line) {
            // What follows must not become part of the comment.
            start = child.start;
        }
        // The first of several on one line: the next one moves to its place.
        let is_first_on_line = at == 0 && behind.is_some() && !lead.contains('\n');
        let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let end = if is_first_on_line { end + space } else { end };
        let start = if is_first_on_line { child.start } else { start };
        cuts.push((start..end, String::new()));
        cuts.sort_by_key(|(range, _)| range.start);
        splice(text, &cuts)
    }
}

/// Returns where a part stands.
pub(super) fn span(part: &impl Ranged) -> Range<usize> {
    part.start()..part.end()
}

/// Puts texts in the place of others. The places are in order and do not overlap.
fn splice(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut new = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for (range, with) in changes {
        new.push_str(part(text, at..range.start));
        new.push_str(with);
        at = range.end;
    }
    new.push_str(part(text, at..text.len()));
    new
}

pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}
