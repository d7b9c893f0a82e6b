//! The hooks of the packages under test, each with how a case names it.

mod acts;
mod everything;

use std::sync::Arc;

use anyhook::core::event::EventName;
use anyhook::core::hook::Hook as Loaded;
use anyhook::load;
use serde::Serialize;

use crate::package::{HookKey, Package};
use crate::suite::Suite;
pub(crate) use acts::{RequiredAction, must_act};

/// A hook of a package under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookIdentity {
    /// Its name.
    pub name: String,
    /// Its manifest, as a person would name it.
    pub file: String,
    /// The line of its entry, from 1.
    pub line: u32,
    /// The event of its group.
    pub event: String,
    /// Its type.
    pub kind: &'static str,
}

/// One hook of a package.
#[derive(Debug, Clone)]
pub(crate) struct TestedHook {
    pub(crate) key: HookKey,
    pub(crate) package: Arc<Package>,
    pub(crate) hook: Arc<Loaded>,
    /// Its group among those of its event.
    pub(crate) hook_index: usize,
    /// Its entry in the group; nothing where it is the only one.
    pub(crate) entry_index: Option<usize>,
    /// Who it is, for people.
    pub(crate) who: HookIdentity,
    /// Whether its package says that it only looks on.
    pub(crate) is_observer: bool,
}

impl TestedHook {
    /// Tells whether its event has something that a matcher is held against, and its matcher leaves anything out.
    pub(crate) fn is_choosy(&self) -> bool {
        let event = &self.hook.event;
        let has_subject =
            event.is_glob() || event.spec().is_some_and(|spec| spec.subject.is_some());
        has_subject && !everything::selects(&self.hook.when)
    }
}

/// Lists the hooks of all packages of a suite, each once.
pub(crate) fn roster(suite: &Suite) -> Vec<TestedHook> {
    let mut all: Vec<TestedHook> = Vec::new();
    for package in &suite.packages {
        // A package may have two folders of tests; its hooks are the same.
        let is_listed = |tested: &TestedHook| tested.key.manifest == package.manifest;
        if !all.iter().any(is_listed) {
            all.extend(of(package));
        }
        let observers = &package.config.observers;
        for tested in all.iter_mut().filter(|tested| is_listed(tested)) {
            let name = &tested.who.name;
            tested.is_observer |= observers.contains(name);
        }
    }
    all
}

fn of(package: &Arc<Package>) -> Vec<TestedHook> {
    let mut places = Vec::new();
    for (at, group) in package.groups.iter().enumerate() {
        let event = EventName::new(&group.event);
        let before = package.groups.iter().take(at);
        let hook_index = before
            .filter(|other| EventName::new(&other.event) == event)
            .count();
        let is_alone = group.entries.len() == 1;
        // A case counts the entries that are switched off; the loader hands over the others alone.
        let entries = group.entries.iter().enumerate();
        let entries = entries.filter(|(_, entry)| entry.enabled);
        places.extend(entries.map(|(entry, _)| (hook_index, (!is_alone).then_some(entry))));
    }
    let hooks = package.hooks().into_iter().zip(places).enumerate();
    hooks
        .map(|(entry, (hook, (hook_index, entry_index)))| TestedHook {
            key: HookKey {
                manifest: package.manifest.clone(),
                entry,
            },
            package: Arc::clone(package),
            who: who(package, &hook),
            hook: Arc::new(hook),
            hook_index,
            entry_index,
            is_observer: false,
        })
        .collect()
}

fn who(package: &Package, hook: &Loaded) -> HookIdentity {
    let kind = hook.action().map_or("in process", load::kind);
    HookIdentity {
        name: hook.info.name.to_string(),
        file: package.names(&package.manifest).display().to_string(),
        line: hook.info.source.as_ref().map_or(1, |source| source.line),
        event: hook.event.universal().to_owned(),
        kind,
    }
}
