//! One hook of a group.

use std::time::Duration;

use jsonc_parser::ast::{Object, Value};

use super::fields::{Complaint, FieldValue, ObjectFields};
use super::notes::FindingCollector;
use super::say::{advice, kind, quote};
use super::table::{self, ManifestLevel, choices};
use super::{
    Action, Code, Entry, Group, Mode, OnFault, Place, Prompt, builtin, command, http, rule, sandbox,
};
use crate::asking::WaitMode;
use crate::sandbox::Sandbox;

/// The types of hooks, each with the field that it needs.
pub(super) const TYPES: [(&str, &str); 5] = [
    ("command", "command"),
    ("prompt", "prompt"),
    ("http", "url"),
    ("rule", "then"),
    ("builtin", "module"),
];

/// Below this no process could even start.
const SHORTEST: f64 = 0.1;
/// Above this a number rather counts in milliseconds: no host that we know waits longer for a hook that does not say so.
const LONGEST: f64 = 600.0;
/// Above this it is a mistake, and a danger to arithmetic with clocks.
const A_DAY: f64 = 86_400.0;

/// Reads one element of a list of hooks.
pub(super) fn read(value: &Value<'_>, group: &Group, notes: &mut FindingCollector) -> Entry {
    let Value::Object(object) = value else {
        let message = format!("a hook must be an object, found {}", kind(value));
        notes.error(value, message.clone(), None);
        return Entry::broken(message, group.mode, notes.place(value));
    };
    ObjectFields::new(object, notes).only(
        &table::names(ManifestLevel::Entry),
        Some((ManifestLevel::Group, "the group, outside `hooks`")),
    );
    fields(object, group.mode, group.sandbox.as_ref(), notes)
}

/// Reads the fields of a hook; any error among them breaks it.
pub(super) fn fields(
    object: &Object<'_>,
    mode: Mode,
    outer: Option<&Sandbox>,
    notes: &mut FindingCollector,
) -> Entry {
    let before = notes.findings.len();
    let at = notes.place(object);
    let mut fields = ObjectFields::new(object, notes);
    let action = action(&mut fields);
    fields.string("description").ok();
    let mut entry = Entry {
        name: fields.words("name").ok(),
        guard: fields.boolean("guard").or_else(false, true),
        recheck: fields.boolean("recheck").or_else(true, true),
        on_failure: match fields.choice("on-failure", choices::ON_FAILURE) {
            // The author cared about failures and misspelled how: the stricter reading holds.
            FieldValue::Wrong => Some(OnFault::Deny),
            other => other.ok(),
        },
        timeout: timeout(&mut fields),
        wait: fields.read("wait", |value| seconds("wait", value)).ok(),
        mode: fields.mode(mode),
        sandbox: sandbox::read(&mut fields, outer),
        when: rule::when(&mut fields),
        once: fields.boolean("once").or_else(false, false),
        pace: if fields.boolean("async").or_else(false, false) {
            WaitMode::Background
        } else {
            WaitMode::Waited
        },
        // What cannot be read does not switch anything off.
        enabled: fields.boolean("enabled").or_else(true, true),
        if_unsayable: fields.choice("if-unsayable", choices::IF_UNSAYABLE).ok(),
        ..Entry::broken(String::new(), mode, at)
    };
    if entry.pace == WaitMode::Background {
        waits(&entry, action.as_ref(), &mut fields);
    }
    let wrong = notes.first_error_since(before);
    entry.action = match (wrong, action) {
        (None, Some(action)) => action,
        (wrong, _) => Action::Broken(wrong.unwrap_or_default()),
    };
    entry
}

impl Entry {
    /// Reads a hook of an object that was brought into this form, such as one of an agent's own file.
    ///
    /// ```
    /// use anyhook_core::manifest::{Action, Entry, LineIndex, FindingCollector};
    /// use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
    ///
    /// let text = r#"{"type": "command", "command": "./check.sh"}"#;
    /// let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default())?;
    /// let hook = parsed.value.unwrap();
    /// let mut notes = FindingCollector::new(LineIndex::new(0, text));
    /// let entry = Entry::read(hook.as_object().unwrap(), &mut notes);
    /// assert!(matches!(entry.action, Action::Command(_)) && notes.findings.is_empty());
    /// # Ok::<(), jsonc_parser::errors::ParseError>(())
    /// ```
    pub fn read(object: &Object<'_>, notes: &mut FindingCollector) -> Self {
        fields(object, Mode::Enforce, None, notes)
    }

    /// Makes an entry of which nothing could be read.
    ///
    /// ```
    /// use anyhook_core::hook::Mode;
    /// use anyhook_core::manifest::{Action, Entry, LineIndex};
    ///
    /// let at = LineIndex::new(0, "[]").place(0..2);
    /// let entry = Entry::broken("an entry is an object".into(), Mode::Enforce, at);
    /// assert_eq!(entry.action, Action::Broken("an entry is an object".into()));
    /// ```
    pub fn broken(message: String, mode: Mode, at: Place) -> Self {
        Self {
            action: Action::Broken(message),
            name: None,
            called: None,
            guard: false,
            recheck: true,
            on_failure: None,
            timeout: None,
            wait: None,
            mode,
            sandbox: None,
            when: None,
            once: false,
            pace: WaitMode::Waited,
            enabled: true,
            if_unsayable: None,
            only: None,
            at,
            index: 0,
        }
    }
}

/// Refuses what a hook in the background cannot be: the agent does not wait for it, so nothing can depend on it.
fn waits(entry: &Entry, action: Option<&Action>, fields: &mut ObjectFields<'_, '_>) {
    let blocks = entry.on_failure.unwrap_or_default() != OnFault::Continue;
    let what = match action {
        Some(Action::Rule(_)) => "a rule starts nothing that could go on in the background",
        Some(Action::Builtin(_)) => "a module starts nothing that could go on in the background",
        _ if entry.guard => "a background hook cannot guard",
        _ if blocks => "the failure of a background hook cannot block",
        _ => return,
    };
    let complaint = Complaint::new(format!("`async`: {what}")).help("leave `async` out");
    fields.read("async", |_| Err::<(), _>(complaint));
}

/// Reads what the hook does; `None` comes with a finding.
fn action(fields: &mut ObjectFields<'_, '_>) -> Option<Action> {
    let found = fields.string("type");
    if matches!(found, FieldValue::Absent) {
        let help = r#"write `"type": "command"`, `"type": "prompt"`, `"type": "http"`, `"type": "rule"` or `"type": "builtin"`"#;
        fields.missing("type", Some(help));
    }
    let kind = found.ok()?;
    if TYPES.iter().any(|(known, _)| *known == kind) {
        no_effect(&kind, fields);
    }
    match kind.as_str() {
        "command" => command::read(fields).map(Action::Command),
        "prompt" => {
            let prompt = fields.required("prompt", None)?;
            Some(Action::Prompt(Prompt { prompt }))
        }
        "http" => http::read(fields).map(Action::Http),
        "rule" => rule::then(fields).map(Action::Rule),
        "builtin" => builtin::read(fields).map(Action::Builtin),
        unknown => {
            let wrong = Complaint::new(format!("unknown type of hook {}", quote(unknown)));
            let wrong = wrong.help(advice(unknown, choices::TYPE));
            let wrong = wrong.code(Code::UnknownType);
            fields.read("type", |_| Err(wrong)).ok()
        }
    }
}

/// Warns about fields that belong to another type of hook.
fn no_effect(kind: &str, fields: &mut ObjectFields<'_, '_>) {
    let others =
        table::of(ManifestLevel::Entry).filter(|field| field.of.is_some_and(|of| of != kind));
    let others = others.map(|field| field.name);
    for (key, prop) in &fields.all {
        if others.clone().any(|other| other == *key) {
            let message = format!("`{key}` has no effect on a hook of type `{kind}`");
            let notes = fields.notes.warn(&prop.name, message, None);
            notes.code(Code::NoEffect);
        }
    }
}

/// Reads a deadline in seconds.
fn timeout(fields: &mut ObjectFields<'_, '_>) -> Option<Duration> {
    let read = fields.read("timeout", |value| seconds("timeout", value));
    let seconds = read.ok()?.as_secs_f64();
    let value = fields.value("timeout").ok()?;
    if seconds < SHORTEST {
        let message = format!("`timeout` is raised to {SHORTEST} seconds");
        let notes = fields.notes.warn(value, message, None);
        notes.code(Code::UnitOfTime);
    }
    if seconds > LONGEST {
        let message = format!("`timeout` is longer than {LONGEST} seconds");
        let help = format!(
            "the unit is seconds; {seconds} milliseconds are {}",
            seconds / 1000.0
        );
        let notes = fields.notes.warn(value, message, Some(&help));
        notes.code(Code::UnitOfTime);
    }
    Duration::try_from_secs_f64(seconds.max(SHORTEST)).ok()
}

fn seconds(field: &'static str, value: &Value<'_>) -> Result<Duration, Complaint> {
    let Value::NumberLit(literal) = value else {
        return Err(Complaint::wanted(field, "a number of seconds", value));
    };
    let seconds = literal.value.parse().unwrap_or(f64::NAN);
    if !seconds.is_finite() {
        let found = quote(literal.value);
        return Err(Complaint::new(format!(
            "`{field}` must be a number of seconds, found {found}"
        )));
    }
    if seconds <= 0.0 {
        return Err(Complaint::new(format!("`{field}` must be more than 0")));
    }
    if seconds > A_DAY {
        let complaint = Complaint::new(format!("`{field}` is longer than a day"));
        return Err(complaint.help("the unit is seconds"));
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| Complaint::new(error.to_string()))
}
