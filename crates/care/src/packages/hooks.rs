//! What an update changes in the hooks of a package: what would run, and what would be allowed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhook_core::event::EventName;
use anyhook_core::manifest::{Action, Entry, Group};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_engine::load;
use serde::Serialize;

/// A hook that an update changes.
///
/// ```
/// use anyhook_care::packages::{HookChange, hook_changes};
/// assert_eq!(hook_changes(&[], &[]), Vec::<HookChange>::new());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookChange {
    /// Its name.
    pub name: String,
    /// What it was, in words; nothing for one that is new.
    pub before: Option<String>,
    /// What it is now; nothing for one that is gone.
    pub after: Option<String>,
    /// Whether it can approve an action without a question of the agent.
    pub may_allow: bool,
}

/// A hook in words, all that it says, and whether it can approve.
struct Told {
    words: String,
    all: String,
    may_allow: bool,
}

/// Compares the hooks of manifests with those of later ones, by name.
pub fn hook_changes(before: &[PathBuf], after: &[PathBuf]) -> Vec<HookChange> {
    let (mut old, new) = (told(before), told(after));
    let mut changes = Vec::new();
    for (name, now) in new {
        let was = old.remove(&name);
        if was.as_ref().is_none_or(|was| was.all != now.all) {
            changes.push(HookChange {
                name,
                before: was.map(|was| was.words),
                after: Some(now.words),
                may_allow: now.may_allow,
            });
        }
    }
    changes.extend(old.into_iter().map(|(name, was)| HookChange {
        name,
        before: Some(was.words),
        after: None,
        may_allow: false,
    }));
    changes
}

fn told(manifests: &[PathBuf]) -> BTreeMap<String, Told> {
    let mut all = BTreeMap::new();
    for file in manifests {
        let read = anyhook_engine::files::read_document(file).ok();
        let text = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let parsed = text.and_then(|text| load::parse(file, &text).ok());
        for group in parsed.iter().flat_map(|parsed| &parsed.manifest.groups) {
            for entry in &group.entries {
                let name = free(&all, group.name_of(entry));
                all.insert(name, of(group, entry));
            }
        }
    }
    all
}

/// Two hooks of a universal file may have one name.
fn free(taken: &BTreeMap<String, Told>, name: String) -> String {
    if !taken.contains_key(&name) {
        return name;
    }
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let mut free = numbered.filter(|name| !taken.contains_key(name));
    free.next().unwrap_or(name)
}

fn of(group: &Group, entry: &Entry) -> Told {
    let event = EventName::new(&group.event);
    let matcher = group
        .matcher_text
        .as_deref()
        .filter(|text| !text.is_empty());
    let what = match &entry.action {
        Action::Command(command) => format!("runs: {}", command.command),
        Action::Prompt(prompt) => format!("asks a model: {}", prompt.prompt),
        Action::Http(http) => format!("asks the server: {}", http.url),
        Action::Builtin(_) => "asks a built-in module".to_owned(),
        Action::Broken(why) => format!("does not run: {why}"),
        Action::Rule(then) => match &then.verdict {
            Some((kind, text)) => format!("{}: {text}", kind.as_str()),
            None => "changes or adds".to_owned(),
        },
    };
    let at_gate = event.class() == Class::Gate;
    let may_allow = match &entry.action {
        Action::Rule(then) => then
            .verdict
            .as_ref()
            .is_some_and(|(kind, _)| *kind == Kind::Allow),
        Action::Command(_) | Action::Prompt(_) | Action::Http(_) => at_gate,
        Action::Builtin(_) | Action::Broken(_) => false,
    };
    let when = entry.when.as_ref().map(|when| &when.text);
    let rest = (
        entry.guard,
        entry.on_failure,
        entry.timeout,
        entry.mode,
        entry.pace,
        entry.enabled,
        entry.once,
    );
    let only = (
        when,
        &entry.only,
        entry.recheck,
        entry.if_unsayable,
        group.priority,
        group.sequential,
    );
    Told {
        words: format!("{} {}, {what}", event.universal(), matcher.unwrap_or("*")),
        all: format!(
            "{:?} {matcher:?} {:?} {rest:?} {only:?}",
            group.event, entry.action
        ),
        may_allow,
    }
}
