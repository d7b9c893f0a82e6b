//! What an update changes in the hooks of a package: what would run, and what would be allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhook_core::hook::Hook;
use anyhook_core::manifest::Action;
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_engine::load;
use serde::Serialize;
use serde_json::{Map, Value};

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
    /// What is otherwise than before and not in these words: the field, what it was and what it is now.
    pub other: Vec<String>,
    /// Whether it can approve an action without a question of the agent.
    pub may_allow: bool,
}

/// A hook in words, all that it says, and whether it can approve.
struct HookText {
    words: String,
    all: Map<String, Value>,
    may_allow: bool,
}

impl HookText {
    /// Names the fields that differ from those of before.
    fn other_than(&self, was: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.all.keys().chain(was.all.keys()).collect();
        let differ = names
            .into_iter()
            .filter(|name| self.all.get(*name) != was.all.get(*name));
        let told = |name: &String| {
            let value = |told: &Self| told.all.get(name).map(Value::to_string);
            let [was, now] = [was, self].map(|told| value(told).unwrap_or_default());
            format!("{name}: {was} → {now}")
        };
        differ.map(told).collect()
    }
}

/// Compares the hooks of manifests with those of later ones, by name.
pub fn hook_changes(before: &[PathBuf], after: &[PathBuf]) -> Vec<HookChange> {
    let (mut old, new) = (told(before), told(after));
    let mut changes = Vec::new();
    for (name, now) in new {
        let was = old.remove(&name);
        let other = was
            .as_ref()
            .map(|was| now.other_than(was))
            .unwrap_or_default();
        let is_reworded = was.as_ref().is_none_or(|was| was.words != now.words);
        if is_reworded || !other.is_empty() {
            changes.push(HookChange {
                name,
                other,
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
        other: Vec::new(),
        may_allow: false,
    }));
    changes
}

fn told(manifests: &[PathBuf]) -> BTreeMap<String, HookText> {
    let mut all = BTreeMap::new();
    for file in manifests {
        let read = anyhook_engine::files::read_document(file).ok();
        let text = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let Some(parsed) = text.and_then(|text| load::parse(file, &text).ok()) else {
            continue;
        };
        let entries = parsed
            .manifest
            .groups
            .iter()
            .flat_map(|group| &group.entries);
        let entries = entries.filter(|entry| entry.enabled);
        // What its place adds to a package is the same before and after.
        let hooks = load::hooks(&parsed.manifest, Path::new("hooks.json"));
        for (hook, entry) in hooks.iter().zip(entries) {
            // Two hooks of a universal file may have one name.
            let own = hook.info.name.to_string();
            let numbers = (2_u32..).map(|number| format!("{own}-{number}"));
            let mut names = std::iter::once(own.clone()).chain(numbers);
            let name = names.find(|name| !all.contains_key(name));
            let name = name.unwrap_or_default();
            all.insert(name, of(hook, &entry.action));
        }
    }
    all
}

fn of(hook: &Hook, action: &Action) -> HookText {
    let what = match action {
        Action::Command(command) => format!("runs: {}", command.command),
        Action::Prompt(prompt) => format!("asks a model: {}", prompt.prompt),
        Action::Http(http) => format!("asks the server: {}", http.url),
        Action::Builtin(_) => "asks a built-in module".to_owned(),
        Action::Broken(why) => format!("does not run: {why}"),
        Action::Rule(then) => match &then.verdict {
            Some((kind, text)) if text.is_empty() => kind.as_str().to_owned(),
            Some((kind, text)) => format!("{}: {text}", kind.as_str()),
            None => "changes or adds".to_owned(),
        },
    };
    let may_allow = match action {
        Action::Rule(then) => then
            .verdict
            .as_ref()
            .is_some_and(|(kind, _)| *kind == Kind::Allow),
        Action::Command(_) | Action::Prompt(_) | Action::Http(_) => {
            hook.event.class() == Class::Gate
        }
        Action::Builtin(_) | Action::Broken(_) => false,
    };
    let info = &hook.info;
    let matcher = info.matcher.as_deref().filter(|text| !text.is_empty());
    let when = hook.condition.as_deref();
    let when = when
        .map(|when| format!(", when {when}"))
        .unwrap_or_default();
    HookText {
        words: format!(
            "{} {}{when}, {what}",
            hook.event.universal(),
            matcher.unwrap_or("*")
        ),
        all: fields(hook, action),
        may_allow,
    }
}

/// What the words say already, and the form of an action for one system.
const SAID: &str = "event when condition command prompt url verdict handler";

/// Returns all that a hook says beside its words, by field.
fn fields(hook: &Hook, action: &Action) -> Map<String, Value> {
    let object = |value: Value| match value {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    let hook_here = object(serde_json::to_value(hook).unwrap_or_default());
    let action = object(serde_json::to_value(action).unwrap_or_default());
    let own = action.into_iter().flat_map(|(_, of_kind)| object(of_kind));
    let all = hook_here.into_iter().chain(own);
    let all = all.chain([("priority".to_owned(), hook.info.priority.into())]);
    let is_unsaid = |name: &str| SAID.split(' ').all(|said| said != name);
    all.filter(|(name, _)| is_unsaid(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_hook_may_do_more_than_before_is_a_change_of_it() {
        let place = tempfile::tempdir().unwrap();
        let written = |name: &str, of_group: &str, of_hook: &str| {
            let hook = format!(r#"{{"type": "command", "command": "./x"{of_hook}}}"#);
            let text = format!(
                r#"{{"version": 1, "hooks": {{"tool:pre": [{{"hooks": [{hook}]{of_group}}}]}}}}"#
            );
            let file = place.path().join(name);
            std::fs::write(&file, text).unwrap();
            vec![file]
        };
        let before = written("before.json", "", "");
        assert_eq!(hook_changes(&before, &written("same.json", "", "")), []);
        for (of_group, of_hook) in [
            ("", r#", "sandbox": {"network": "all"}"#),
            ("", r#", "wait": 60"#),
            ("", r#", "timeout": 9"#),
            ("", r#", "guard": true"#),
            ("", r#", "when": "tool_name == 'Bash'""#),
            ("", r#", "enabled": false"#),
            (r#", "effect": ["net"]"#, ""),
            (r#", "matcher": "Bash""#, ""),
            (r#", "priority": 3"#, ""),
        ] {
            let after = written("after.json", of_group, of_hook);
            let changes = hook_changes(&before, &after);
            assert_eq!(changes.len(), 1, "{of_group}{of_hook}");
        }
    }
}
