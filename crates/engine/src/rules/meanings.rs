//! The words that an event has for its agent, for itself and for its tool, and those that people have for them. A comparison
//! with a word that no event has never holds, and a guard that never holds is none.

use anyhook_core::event::EventName;
use anyhook_core::taxonomy::{nearest, suggest};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{Host, host, tools};
use serde_json::Value;

use super::ConditionError;
use super::ast::{Expr, ExprKind};

/// A name whose words are known.
struct NameVocabulary {
    name: &'static str,
    /// The word that an event has for what this one means.
    means: fn(&str) -> Option<&'static str>,
    /// The word that an unknown one is nearly.
    near: fn(&str) -> Option<&'static str>,
    /// Whether every event has that word and no other, so that it can stand for the one that was written.
    always: bool,
}

const KNOWN: &[NameVocabulary] = &[
    NameVocabulary {
        name: "host",
        means: |word| host(word).map(Host::id),
        near: |word| {
            let ids = HOSTS.iter().map(|host| host.id());
            nearest(word, ids)
        },
        always: true,
    },
    NameVocabulary {
        name: "event",
        means: |word| {
            let spec = EventName::new(word).spec()?;
            Some(spec.universal.unwrap_or(spec.name))
        },
        near: suggest,
        always: true,
    },
    NameVocabulary {
        name: "tool_name",
        // A program of one's own may have tools that are called so.
        means: |word| {
            tools::all()
                .find(|tool| *tool == word)
                .map(tools::canonical)
        },
        near: |word| nearest(word, tools::all()),
        always: false,
    },
];

/// Fields that are no part of `data`, and the name that they have.
const ABSENT: &[(&str, &str)] = &[("hook_event_name", "event"), ("hookEventName", "event")];

/// Finds a field that no data has.
pub(super) fn absent(of: &Expr, field: &Expr, name: &str) -> Option<ConditionError> {
    let is_data = matches!(&of.node, ExprKind::Name(of) if of == "data");
    let (_, is) = ABSENT
        .iter()
        .find(|(absent, _)| is_data && *absent == name)?;
    Some(
        ConditionError::new(format!("`data` never has `{name}`"), field.at.clone())
            .help(format!("write `{is}`: {is} == 'pre-tool-use'")),
    )
}

/// Puts the word that events have in the place of one that means the same, and finds comparisons whose answer is always the
/// same. `own` are the names that a surrounding `exists` or `all` gave.
pub(super) fn settle(one: &mut Expr, other: &mut Expr, own: &[String]) -> Vec<ConditionError> {
    let at = one.at.start..other.at.end;
    let (name, literal) = match (&one.node, &other.node) {
        (ExprKind::Literal(_), ExprKind::Literal(_)) => {
            let what = "this compares what stands here, and asks nothing of the event";
            return vec![ConditionError::new(what, at)];
        }
        (ExprKind::Name(name), ExprKind::Literal(_)) => (name.clone(), other),
        (ExprKind::Literal(_), ExprKind::Name(name)) => (name.clone(), one),
        _ => return Vec::new(),
    };
    let known = KNOWN.iter().find(|known| known.name == name);
    let (Some(known), ExprKind::Literal(value), false) =
        (known, &mut literal.node, own.contains(&name))
    else {
        return Vec::new();
    };
    let words = match value {
        Value::Array(words) => words.as_mut_slice(),
        word => std::slice::from_mut(word),
    };
    let all: Vec<String> = words
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let doubts = words.iter_mut().filter_map(|word| {
        let doubt = known.settle(word, &all)?;
        Some(ConditionError {
            at: at.clone(),
            ..doubt
        })
    });
    doubts.collect()
}

impl NameVocabulary {
    fn settle(&self, value: &mut Value, beside: &[String]) -> Option<ConditionError> {
        let word = value.as_str()?;
        let name = self.name;
        let (what, help) = match (self.means)(word) {
            Some(is) if is == word || beside.iter().any(|other| other == is) && !self.always => {
                return None;
            }
            Some(is) if self.always => {
                *value = is.into();
                return None;
            }
            Some(is) => (
                format!("where an agent calls its tool `{word}`, `{name}` is `{is}`"),
                format!("write `{is}`, or a `matcher`, which takes both words"),
            ),
            None => (
                format!("`{name}` is never `{word}`"),
                format!("did you mean `{}`?", (self.near)(word)?),
            ),
        };
        Some(ConditionError::new(what, 0..0).help(help))
    }
}
