//! One group of an event: a matcher and its hooks.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Range;

use super::fields::{Complaint, ObjectFields, text, word};
use super::notes::{FindingCollector, both_count, opening};
use super::say::{kind, quote};
use super::table::{self, ManifestLevel, choices};
use super::{Action, Code, Entry, Group, entry, sandbox};
use crate::asking::{HookDialect, OnFault};
use crate::matcher::{Matcher, PatternError};
use crate::taxonomy::{Class, EventSpec};

/// Reads the fields and the entries of a group.
pub(super) fn fill(group: &mut Group, object: &Object<'_>, notes: &mut FindingCollector) {
    let before = notes.findings.len();
    let mut fields = ObjectFields::new(object, notes);
    group.matcher = matcher(group, &mut fields);
    group.effects = effects(group, &mut fields);
    let is_blind = fields.notes.first_error_since(before).is_some();
    read(group, before, fields);
    // What cannot be read may have been meant to refuse this: as long as its hooks do not say what their failure means, the group
    // refuses.
    if is_blind && group.spec.is_some_and(|spec| spec.class == Class::Gate) {
        for entry in &mut group.entries {
            entry.on_failure.get_or_insert(OnFault::Deny);
        }
    }
}

/// Reads everything but the matcher and the effects.
fn read(group: &mut Group, before: usize, mut fields: ObjectFields<'_, '_>) {
    group.priority = fields.integer("priority").ok().unwrap_or(0);
    group.sequential = fields.boolean("sequential").or_else(false, true);
    let lists: Vec<_> = fields.all("hooks").collect();
    if lists.is_empty() {
        return alone(group, fields.object, fields.notes);
    }
    let elsewhere = Some((ManifestLevel::Entry, "a hook, inside `hooks`"));
    fields.only(&table::names(ManifestLevel::Group), elsewhere);
    fields.string("description").ok();
    group.name = fields.words("name").ok();
    group.speaks = fields.read("speaks", speaks).ok();
    group.mode = fields.mode(group.mode);
    group.sandbox = sandbox::read(&mut fields, group.sandbox.as_ref());
    let notes = fields.notes;
    let wrong = notes.first_error_since(before);
    for list in &lists {
        entries(group, &list.value, notes);
    }
    if let Some(wrong) = wrong.filter(|_| !group.entries.is_empty()) {
        group.break_by(&wrong);
    }
    both_count(&lists, notes);
}

/// Reads the matcher; one that is broken selects everything, for the sake of a guard.
fn matcher(group: &mut Group, fields: &mut ObjectFields<'_, '_>) -> Matcher {
    let read = fields.read("matcher", |value| {
        let wrong = || Complaint::wanted("matcher", "a string", value).code(Code::BadPattern);
        value.as_string_lit().ok_or_else(wrong)
    });
    let Some(literal) = read.ok() else {
        return Matcher::all();
    };
    let text = literal.value.as_ref();
    group.matcher_text = Some(text.into());
    match Matcher::parse(text) {
        Ok(matcher) => {
            let blind = |spec: &&EventSpec| spec.subject.is_none() && !matcher.is_all();
            if let Some(spec) = group.spec.filter(blind) {
                let name = spec.universal.unwrap_or(spec.name);
                let help = "leave it out: the hook runs on every such event";
                let message = format!("a matcher has no effect on `{name}`");
                let notes = fields.notes.warn(literal, message, Some(help));
                notes.code(Code::UselessMatcher);
            }
            matcher
        }
        Err(error) => {
            let (at, said) = (inside(literal.range, text, &error), quote(text));
            let message = format!("the matcher {said} cannot be read: {error}");
            let notes = fields.notes.error(&at, message, Some(&error.help));
            notes.code(Code::BadPattern);
            Matcher::all()
        }
    }
}

/// Reads the effects; where they cannot be read, its hooks are for every call, for the sake of a guard.
fn effects(group: &Group, fields: &mut ObjectFields<'_, '_>) -> Vec<&'static str> {
    let effect = |value: &_| word("effect", value, choices::EFFECT);
    let read = fields.read("effect", |value| match value {
        Value::Array(array) if array.elements.is_empty() => {
            let help = "leave it out: the hooks are then asked about every call";
            Err(Complaint::new("`effect` names no effect").help(help))
        }
        Value::Array(array) => array.elements.iter().map(effect).collect(),
        one => Ok(vec![effect(one)?]),
    });
    let (Some(effects), Some(prop)) = (read.ok(), fields.all("effect").next()) else {
        return Vec::new();
    };
    let is_blind = |spec: &&EventSpec| spec.subject != Some("tool_name");
    if let Some(spec) = group.spec.filter(is_blind) {
        let name = spec.universal.unwrap_or(spec.name);
        let message = format!("`effect` says nothing about `{name}`, which is no call of a tool");
        let help = "leave it out: the hook runs on every such event";
        fields.notes.warn(&prop.value, message, Some(help));
        return Vec::new();
    }
    effects
}

/// Reads in whose words the scripts of a group read and answer: a host, and its name for the event.
fn speaks(value: &Value<'_>) -> Result<HookDialect, Complaint> {
    let said = text("speaks", value)?;
    let (host, native) = said.split_once(' ').ok_or_else(|| {
        Complaint::new("`speaks` must name an agent and its event")
            .help("such as `claude-code PreToolUse`")
    })?;
    Ok(HookDialect {
        host: host.to_owned().into(),
        native: native.into(),
    })
}

/// The place of a pattern's error inside a string, or the whole string where escapes move it.
fn inside(literal: Range, text: &str, error: &PatternError) -> Range {
    if literal.end - literal.start == text.len() + 2 {
        Range::new(literal.start + 1 + error.offset, literal.end - 1)
    } else {
        literal
    }
}

/// Reads a list of entries.
fn entries(group: &mut Group, list: &Value<'_>, notes: &mut FindingCollector) {
    let Value::Array(array) = list else {
        let message = format!("`hooks` must be a list of hooks, found {}", kind(list));
        notes.error(list, &*message, Some("write `[` and `]` around it"));
        if let Value::Object(_) = list {
            push(group, list, notes);
        }
        return group.break_by(&message);
    };
    let elements = &array.elements;
    if elements.is_empty() {
        let message = "a group without hooks does nothing";
        notes.warn(list, message, None).code(Code::NoEffect);
    }
    for element in elements {
        push(group, element, notes);
    }
}

fn push(group: &mut Group, value: &Value<'_>, notes: &mut FindingCollector) {
    let mut entry = entry::read(value, group, notes);
    entry.index = group.entries.len();
    group.entries.push(entry);
}

impl Group {
    /// Breaks every hook by an error around it, or one where there is none: whatever stands there was meant to be asked. An
    /// error of a hook itself stays, because it is nearer.
    pub(super) fn break_by(&mut self, wrong: &str) {
        if self.entries.is_empty() {
            let broken = Entry::broken(wrong.into(), self.mode, self.at.clone());
            self.entries.push(broken);
        }
        for entry in &mut self.entries {
            if !matches!(entry.action, Action::Broken(_)) {
                entry.action = Action::Broken(wrong.into());
            }
        }
    }
}

/// Reads a group that has no `hooks`: perhaps a hook that stands where a group should.
///
/// Whatever it is, it becomes one broken entry, so that a guard written so is not off.
fn alone(group: &mut Group, object: &Object<'_>, notes: &mut FindingCollector) {
    let is_hook = ["type", "command", "prompt", "guard"]
        .iter()
        .any(|key| object.get(key).is_some());
    let (message, help) = if is_hook {
        (
            "a hook stands where a group should",
            r#"write `{ "hooks": [` before it and `] }` after it"#,
        )
    } else {
        ("`hooks` is missing", "a group holds a list of hooks")
    };
    notes.error(&opening(object), message, Some(help));
    if is_hook {
        let entry = entry::fields(object, group.mode, group.sandbox.as_ref(), notes);
        group.entries.push(entry);
    }
    group.break_by(message);
}
