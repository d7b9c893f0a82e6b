//! Which of the package's hooks a case tests.

use anyhook::core::event::EventName;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Entry, Group, Place};

use super::CasePlanner;
use crate::case::CaseMode;
use crate::problem::Problem;
use anyhook::yaml;

/// The hooks that take part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CaseTarget {
    /// The one, by its place among all entries of the manifest; nothing where all take part.
    entry: Option<usize>,
    /// Whether it asks a model, which a test has not.
    asks_model: bool,
}

impl CaseTarget {
    /// Chooses among the hooks, each with its place among all entries of the manifest.
    pub(crate) fn choose(&self, mut loaded: Vec<(usize, Hook)>) -> Vec<(usize, Hook)> {
        loaded.retain(|(place, _)| self.entry.is_none_or(|entry| entry == *place));
        loaded
    }

    /// Returns why nothing can be run, if that is so.
    pub(crate) fn skip(&self) -> Option<String> {
        let why = "a test asks no model: say what it answers with `input.model-response`, and hooks of type `prompt` are run";
        self.asks_model.then(|| why.to_owned())
    }
}

impl CasePlanner<'_> {
    /// Finds the group and the entry that the case names.
    pub(super) fn target(&self) -> Result<CaseTarget, Problem> {
        let spec = self.spec;
        if spec.mode == CaseMode::Dispatch {
            return match spec.hook_index.as_ref().or(spec.entry_index.as_ref()) {
                Some(index) => {
                    let message = "`mode: dispatch` asks every hook: leave the index out";
                    Err(self.problem(yaml::of(index), message))
                }
                None => Ok(CaseTarget::default()),
            };
        }
        let (first, group) = self.group()?;
        let own = self.entry(group)?;
        let before = enabled(group).filter(|entry| entry.index < own.index);
        Ok(CaseTarget {
            entry: Some(first + before.count()),
            // A test has no model: unless its case says what that answers, what it would say is no fact about a package.
            asks_model: matches!(own.action, Action::Prompt(_)),
        })
    }

    /// The group, and how many entries stand before it.
    fn group(&self) -> Result<(usize, &Group), Problem> {
        let spec = self.spec;
        let event = EventName::new(&spec.event.value);
        let wanted = spec.hook_index.as_ref().map_or(0, |index| index.value);
        let (mut before, mut seen) = (0, 0);
        for group in &self.package.groups {
            if EventName::new(&group.event) == event {
                if seen == wanted {
                    return Ok((before, group));
                }
                seen += 1;
            }
            before += enabled(group).count();
        }
        let name = &spec.event.value;
        Err(self.problem(
            self.place_of_group(),
            match seen {
                0 => format!("the manifest has no hook on `{name}`"),
                1 => format!("`{name}` has one group, index 0, and there is no index {wanted}"),
                many => format!("`{name}` has {many} groups, and there is no index {wanted}"),
            },
        ))
    }

    fn place_of_group(&self) -> Place {
        let index = self.spec.hook_index.as_ref();
        index.map_or_else(|| yaml::of(&self.spec.event), yaml::of)
    }

    fn entry<'g>(&self, group: &'g Group) -> Result<&'g Entry, Problem> {
        let many = group.entries.len();
        let Some(index) = &self.spec.entry_index else {
            let group_at = self.place_of_group();
            if let [only] = group.entries.as_slice() {
                return self.switched_on(only, group_at);
            }
            let message = format!(
                "the group has {many} entries: name one with `entry-index`, or ask all hooks with `mode: dispatch`"
            );
            return Err(self.problem(group_at, message));
        };
        let entry = group.entries.get(index.value).ok_or_else(|| {
            let message = format!(
                "the group has {many} entries, and there is no index {}",
                index.value
            );
            self.problem(yaml::of(index), message)
        })?;
        self.switched_on(entry, yaml::of(index))
    }

    /// A hook that is switched off never runs, so that a test of it would say nothing.
    fn switched_on<'g>(&self, entry: &'g Entry, at: Place) -> Result<&'g Entry, Problem> {
        if entry.enabled {
            return Ok(entry);
        }
        let message = "this hook is switched off, by its own `enabled` or by `disable`".to_owned();
        Err(self.problem(at, message))
    }
}

/// The entries of a group that take part; the loader hands over those alone.
fn enabled(group: &Group) -> impl Iterator<Item = &Entry> {
    group.entries.iter().filter(|entry| entry.enabled)
}
