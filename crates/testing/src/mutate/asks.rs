//! The hooks that a new case asks, and how the case names them.

use anyhook::core::event::EventName;
use anyhook::core::taxonomy;
use serde_json::Value;

use crate::roster::Tested;

/// Whom a case asks.
#[derive(Debug, Clone)]
pub(super) enum Asks {
    /// One hook, by its group among those of the event, and its entry where there are several.
    One {
        hook_index: usize,
        entry_index: Option<usize>,
    },
    /// Every hook: one on a pattern of events has no place among those of an event.
    All {
        hook: String,
        /// The others that the event reaches.
        beside: Vec<String>,
    },
}

impl Asks {
    pub(super) fn of(tested: &Tested) -> Self {
        if tested.hook.event.is_glob() {
            Self::All {
                hook: tested.who.name.clone(),
                beside: Vec::new(),
            }
        } else {
            Self::One {
                hook_index: tested.hook_index,
                entry_index: tested.entry_index,
            }
        }
    }

    /// Names the other hooks that the event reaches.
    pub(super) fn beside(self, asked: Vec<String>) -> Self {
        let Self::All { hook, .. } = self else {
            return self;
        };
        let others = asked.into_iter().filter(|other| *other != hook);
        let beside = others.collect();
        Self::All { hook, beside }
    }

    /// The fields of a case that say whom it asks.
    pub(super) fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::One {
                hook_index,
                entry_index,
            } => {
                let group = (*hook_index > 0).then(|| ("hook-index", (*hook_index).into()));
                let entry = entry_index.map(|index| ("entry-index", index.into()));
                group.into_iter().chain(entry).collect()
            }
            Self::All { .. } => vec![("mode", "dispatch".into())],
        }
    }

    /// Says what is expected of one hook as it is said where all are asked: by its name, and without an exit code.
    pub(super) fn said<'f>(&self, field: &'f str, value: Value) -> (&'f str, Value) {
        let Self::All { hook, beside } = self else {
            return (field, value);
        };
        match (field, &value) {
            ("exit-code", code) => {
                let decision = if *code == 2 { "deny" } else { "continue" };
                ("decision", decision.into())
            }
            ("fires", Value::Bool(true)) => {
                let all = std::iter::once(hook).chain(beside);
                (field, all.map(String::as_str).collect())
            }
            ("fires", Value::Bool(false)) if !beside.is_empty() => {
                (field, beside.iter().map(String::as_str).collect())
            }
            _ => (field, value),
        }
    }
}

/// The event of a hook; of a pattern one that it stands for, with something that a matcher looks at, if there is one.
pub(super) fn event(tested: &Tested) -> String {
    let own = &tested.hook.event;
    if !own.is_glob() {
        return tested.who.event.clone();
    }
    let names = taxonomy::EVENTS.iter().map(|row| EventName::new(row.name));
    let covered: Vec<EventName> = names.filter(|name| own.covers(name)).collect();
    let has_subject = |name: &&EventName| name.spec().is_some_and(|spec| spec.subject.is_some());
    let found = covered.iter().find(has_subject).or(covered.first());
    found.map_or_else(
        || tested.who.event.clone(),
        |name| name.universal().to_owned(),
    )
}
