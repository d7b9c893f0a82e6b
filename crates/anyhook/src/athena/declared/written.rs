//! One entry of a table as the text of a manifest, with the way back from the text to the table.

use anyhook_core::manifest::Place;
use serde_json::Value;

use super::super::mistakes::Whereabouts;
use super::super::specs::Spec;
use crate::mounts::tree::{Node, Tree};

/// The manifest of one entry as a text, and where each part of it stands in the table.
pub(super) struct Written {
    pub(super) text: String,
    /// Where a part begins in the text, and where it stands in the table.
    marks: Vec<(usize, Place)>,
}

impl Written {
    pub(super) fn of(node: &Node, spec: &Spec) -> Self {
        let event = spec.canonical;
        let mut written = Self {
            text: format!(r#"{{"version":1,"hooks":{{"{event}":[{{"hooks":["#),
            marks: Vec::new(),
        };
        written.add(node);
        written.text.push_str("]}]}}");
        written
    }

    fn add(&mut self, node: &Node) {
        self.marks.push((self.text.len(), node.at.clone()));
        match &node.tree {
            Tree::List(list) => {
                self.all('[', ']', list.iter(), Self::add);
            }
            Tree::Map(fields) => self.all('{', '}', fields.iter(), |written, (key, node)| {
                written.marks.push((written.text.len(), key.at.clone()));
                written.text.push_str(&Value::from(&*key.name).to_string());
                written.text.push(':');
                written.add(node);
            }),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => {
                self.text.push_str(&node.value().to_string());
            }
        }
    }

    fn all<'t, T: 't>(
        &mut self,
        open: char,
        close: char,
        parts: impl Iterator<Item = &'t T>,
        mut add: impl FnMut(&mut Self, &'t T),
    ) {
        self.text.push(open);
        for (index, part) in parts.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            add(self, part);
        }
        self.text.push(close);
    }

    /// Returns where something stands in the table: the last part that begins before it, or the entry.
    pub(super) fn place(&self, found: &Place, entry: &Whereabouts) -> Whereabouts {
        let before = |(begin, _): &&(usize, Place)| *begin <= found.span.start;
        let part = self.marks.iter().rev().find(before);
        part.map_or_else(
            || entry.clone(),
            |(_, at)| Whereabouts {
                line: at.line,
                column: Some(at.column),
                ..entry.clone()
            },
        )
    }
}
