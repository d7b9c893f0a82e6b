//! A document as a tree in which everything has a place, whether it was written as JSON or as YAML.

use anyhook_core::manifest::{Code, Finding, Lines, Place, Severity};
use jsonc_parser::ast::{ObjectPropName, Value as Json};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Number, Value};

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) tree: Tree,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// The name of a field, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) at: Place,
    pub(crate) name: String,
}

/// Makes an error.
pub(crate) fn wrong(at: &Place, message: impl Into<String>, help: Option<String>) -> Finding {
    Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message: message.into(),
        help,
        at: at.clone(),
    }
}

impl Node {
    /// Reads a text: YAML, or JSON with comments where the file says so.
    pub(crate) fn read(text: &str, is_json: bool) -> Result<Self, Finding> {
        if is_json { json(text) } else { yaml(text) }
    }

    /// Says what it is, for a message.
    pub(crate) fn kind(&self) -> &'static str {
        match self.tree {
            Tree::Null => "nothing",
            Tree::Bool(_) => "a boolean",
            Tree::Number(_) => "a number",
            Tree::Text(_) => "a text",
            Tree::List(_) => "a list",
            Tree::Map(_) => "an object",
        }
    }

    /// Returns it without places. Of equal names the last counts, and the reader of a document has refused them before.
    pub(crate) fn value(&self) -> Value {
        match &self.tree {
            Tree::Null => Value::Null,
            Tree::Bool(bool) => Value::Bool(*bool),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.clone()),
            Tree::List(list) => list.iter().map(Self::value).collect(),
            Tree::Map(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, node)| (key.name.clone(), node.value()));
                Value::Object(fields.collect::<Map<String, Value>>())
            }
        }
    }

    /// Finds names that stand twice in one object, anywhere below.
    pub(crate) fn twice(&self, findings: &mut Vec<Finding>) {
        match &self.tree {
            Tree::List(list) => list.iter().for_each(|node| node.twice(findings)),
            Tree::Map(fields) => {
                names_twice(fields, findings);
                for (_, node) in fields {
                    node.twice(findings);
                }
            }
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => {}
        }
    }
}

/// Finds names that stand twice among these fields.
pub(crate) fn names_twice(fields: &[(Key, Node)], findings: &mut Vec<Finding>) {
    for (index, (key, _)) in fields.iter().enumerate() {
        let mut earlier = fields.iter().take(index);
        if earlier.any(|(other, _)| other.name == key.name) {
            let message = format!("`{}` stands here twice", key.name);
            findings.push(wrong(&key.at, message, Some("keep one of them".into())));
        }
    }
}

fn json(text: &str) -> Result<Node, Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::new(text.len() - body.len(), body);
    let options = ParseOptions {
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
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options).map_err(|error| {
        let range = error.range();
        wrong(
            &lines.place(range.start..range.end),
            error.kind().to_string().to_lowercase(),
            None,
        )
    })?;
    match &parsed.value {
        Some(value) => node(value, &lines),
        None => Ok(Node {
            at: lines.place(0..0),
            tree: Tree::Null,
        }),
    }
}

fn node(value: &Json<'_>, lines: &Lines) -> Result<Node, Finding> {
    let at = lines.place(value.start()..value.end());
    let tree = match value {
        Json::NullKeyword(_) => Tree::Null,
        Json::BooleanLit(bool) => Tree::Bool(bool.value),
        Json::StringLit(text) => Tree::Text(text.value.to_string()),
        Json::NumberLit(number) => {
            let parsed = serde_json::from_str(number.value);
            Tree::Number(parsed.map_err(|_| wrong(&at, "this is no number", None))?)
        }
        Json::Array(list) => {
            let all = list.elements.iter().map(|value| node(value, lines));
            Tree::List(all.collect::<Result<_, _>>()?)
        }
        Json::Object(object) => {
            let mut fields = Vec::new();
            for property in &object.properties {
                let (name, range) = match &property.name {
                    ObjectPropName::String(name) => (name.value.to_string(), name.range),
                    ObjectPropName::Word(name) => (name.value.to_owned(), name.range),
                };
                let at = lines.place(range.start..range.end);
                fields.push((Key { at, name }, node(&property.value, lines)?));
            }
            Tree::Map(fields)
        }
    };
    Ok(Node { at, tree })
}
fn yaml(text: &str) -> Result<Node, Finding> {
    let read: Option<anyhook_engine::yaml::Spanned<document::Document>> =
        anyhook_engine::yaml::read(text)?;
    Ok(read.map_or_else(
        || Node {
            at: Place {
                span: 0..0,
                line: 1,
                column: 1,
            },
            tree: Tree::Null,
        },
        document::node,
    ))
}

/// A YAML document of any shape, whose values keep their places.
mod document {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde_json::Number;

    use super::{Key, Node, Tree};
    use anyhook_engine::yaml::{Spanned, of};

    pub(super) struct Document(Tree);

    pub(super) fn node(read: Spanned<Document>) -> Node {
        Node {
            at: of(&read),
            tree: read.value.0,
        }
    }

    impl<'de> Deserialize<'de> for Document {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Any).map(Self)
        }
    }

    struct Any;

    impl<'de> Visitor<'de> for Any {
        type Value = Tree;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value that JSON could hold")
        }

        fn visit_unit<E: Error>(self) -> Result<Tree, E> {
            Ok(Tree::Null)
        }

        fn visit_none<E: Error>(self) -> Result<Tree, E> {
            Ok(Tree::Null)
        }

        fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Tree, D::Error> {
            inner.deserialize_any(self)
        }

        fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
            Ok(Tree::Bool(value))
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
            Ok(Tree::Number(value.into()))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
            Ok(Tree::Number(value.into()))
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
            let number = Number::from_f64(value);
            let number = number.ok_or_else(|| E::custom("this number is not finite"))?;
            Ok(Tree::Number(number))
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
            Ok(Tree::Text(value.to_owned()))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Tree, A::Error> {
            let mut list = Vec::new();
            while let Some(read) = all.next_element::<Spanned<Document>>()? {
                list.push(node(read));
            }
            Ok(Tree::List(list))
        }

        fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Tree, A::Error> {
            let mut fields = Vec::new();
            while let Some(name) = all.next_key::<Spanned<String>>()? {
                let key = Key {
                    at: of(&name),
                    name: name.value,
                };
                fields.push((key, node(all.next_value::<Spanned<Document>>()?)));
            }
            Ok(Tree::Map(fields))
        }
    }
}
