//! From text to a manifest: file, events, groups, entries.

use std::collections::{BTreeMap, BTreeSet};

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::entry;
use super::fields::{Fields, Notes, kind, quote};
use super::place::Lines;
use super::{Entry, Finding, Group, Manifest, Mode, Parsed, Severity};
use crate::matcher::{Matcher, PatternError};
use crate::taxonomy;

const FILE_FIELDS: &[&str] = &["$schema", "version", "description", "mode", "hooks"];
const GROUP_FIELDS: &[&str] = &[
    "matcher",
    "hooks",
    "priority",
    "sequential",
    "name",
    "mode",
    "description",
];
/// The words for a mode, on every level.
pub(super) const MODES: &[(&str, Mode)] = &[("enforce", Mode::Enforce), ("shadow", Mode::Shadow)];

/// Reads a whole text.
pub(super) fn manifest(text: &str) -> Result<Parsed, Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut notes = Notes {
        lines: Lines::new(text.len() - body.len(), body),
        findings: Vec::new(),
    };
    let value = syntax(body, &notes)?;
    let Some(Value::Object(object)) = &value else {
        let found = value.as_ref().map_or("nothing", kind);
        let place = value
            .as_ref()
            .map_or(0..0, |value| value.start()..value.end());
        return Err(Finding {
            severity: Severity::Error,
            message: format!("a manifest must be an object, found {found}"),
            help: Some(r#"begin with `{ "version": 1, "hooks": {} }`"#.into()),
            at: notes.lines.place(place),
        });
    };
    let manifest = file(object, &mut notes);
    let mut findings = notes.findings;
    findings.sort_by_key(|finding| finding.at.span.start);
    Ok(Parsed { manifest, findings })
}

/// Parses the JSON.
///
/// The parser refuses more than 512 levels, so a hostile text cannot exhaust the stack. `NaN` and `Infinity` pass, so that
/// they are a finding of their entry and not the end of the whole file; nothing else that is no JSON does.
fn syntax<'a>(body: &'a str, notes: &Notes) -> Result<Option<Value<'a>>, Finding> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_non_finite_numbers: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options);
    parsed
        .map(|result| result.value)
        .map_err(|error| no_json(&error, notes))
}

fn no_json(error: &ParseError, notes: &Notes) -> Finding {
    let said = error.kind().to_string();
    let mut chars = said.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    let help = match error.kind() {
        ParseErrorKind::SingleQuotedStringsNotAllowed
        | ParseErrorKind::ExpectedStringObjectProperty => {
            Some("names and strings stand in double quotes")
        }
        ParseErrorKind::UnterminatedObject => Some("a `}` is missing"),
        ParseErrorKind::UnterminatedArray => Some("a `]` is missing"),
        _ => None,
    };
    Finding {
        severity: Severity::Error,
        message: first.into_iter().chain(chars).collect(),
        help: help.map(Into::into),
        at: notes.lines.place(error.range().start..error.range().end),
    }
}

/// Reads the outermost object.
fn file(object: &Object<'_>, notes: &mut Notes) -> Manifest {
    let mut fields = Fields::new(object, notes);
    fields.only(FILE_FIELDS);
    fields.string("description").ok();
    let version = version(object, &mut fields);
    let mode = fields
        .choice("mode", MODES)
        .or_else(Mode::Enforce, Mode::Enforce);
    let mut events = Events {
        mode,
        groups: Vec::new(),
        written: BTreeSet::new(),
        counts: BTreeMap::new(),
    };
    let lists: Vec<_> = fields.all("hooks").collect();
    for list in &lists {
        match &list.value {
            Value::Object(object) => object
                .properties
                .iter()
                .for_each(|event| events.event(event, fields.notes)),
            other => fields.notes.error(
                other,
                format!("`hooks` must be an object of events, found {}", kind(other)),
                None,
            ),
        }
    }
    both_count(&lists, fields.notes);
    if lists.is_empty() {
        fields.notes.error(
            &opening(object),
            "`hooks` is missing".into(),
            Some("events stand in `hooks`".into()),
        );
    }
    Manifest {
        version,
        mode,
        groups: events.groups,
    }
}

fn version(object: &Object<'_>, fields: &mut Fields<'_, '_>) -> u32 {
    let Some(value) = fields.value("version").ok() else {
        if fields.all("version").next().is_none() {
            fields.notes.warn(
                &opening(object),
                "`version` is missing, 1 is assumed".into(),
                Some(r#"write `"version": 1`"#.into()),
            );
        }
        return 1;
    };
    let number = value
        .as_number_lit()
        .and_then(|literal| literal.value.parse().ok());
    if number != Some(1) {
        let help = Some(r#"this program reads `"version": 1`"#.into());
        let message = match number {
            Some(number) => format!("version {number} is not supported"),
            None => format!("`version` must be the number 1, found {}", kind(value)),
        };
        fields.notes.error(value, message, help);
    }
    number.unwrap_or(1)
}

/// Reports the second and each later of several lists of one name, all of which were read.
fn both_count(lists: &[&ObjectProp<'_>], notes: &mut Notes) {
    for again in lists.iter().skip(1) {
        let message = format!(
            "{} is there twice, and both count",
            quote(again.name.as_str())
        );
        notes.error(&again.name, message, Some("put both into one".into()));
    }
}

/// The opening bracket of an object: the place for what is missing in it.
pub(super) fn opening(object: &Object<'_>) -> Range {
    Range::new(object.start(), object.start() + 1)
}

/// The groups of all events so far.
struct Events<'a> {
    mode: Mode,
    groups: Vec<Group>,
    /// The names of events that were seen, as written.
    written: BTreeSet<&'a str>,
    /// How many groups each event has, by its canonical name.
    counts: BTreeMap<&'a str, usize>,
}

impl<'a> Events<'a> {
    fn event(&mut self, event: &'a ObjectProp<'a>, notes: &mut Notes) {
        let name = event.name.as_str();
        if !self.written.insert(name) {
            let message = format!("the event {} is there twice, and both count", quote(name));
            notes.error(&event.name, message, Some("put both into one list".into()));
        }
        if taxonomy::find(name).is_none() {
            let help = taxonomy::suggest(name).map(|near| format!("did you mean `{near}`?"));
            notes.warn(&event.name, format!("unknown event {}", quote(name)), help);
        }
        match &event.value {
            Value::Array(array) => array
                .elements
                .iter()
                .for_each(|value| self.group(name, value, None, notes)),
            other => {
                let message = format!("an event must hold a list of groups, found {}", kind(other));
                notes.error(
                    other,
                    message.clone(),
                    Some("write `[` and `]` around it".into()),
                );
                self.group(name, other, Some(message), notes);
            }
        }
    }

    /// Reads one group; with `wrong`, none of its entries can run.
    fn group(
        &mut self,
        event: &'a str,
        value: &Value<'_>,
        wrong: Option<String>,
        notes: &mut Notes,
    ) {
        let spec = taxonomy::find(event);
        let index = self
            .counts
            .entry(spec.map_or(event, |spec| spec.name))
            .or_default();
        let mut group = Group {
            event: event.into(),
            spec,
            matcher: Matcher::all(),
            matcher_text: None,
            priority: 0,
            sequential: false,
            name: None,
            mode: self.mode,
            entries: Vec::new(),
            at: notes.place(value),
            index: *index,
        };
        *index += 1;
        match value {
            Value::Object(object) => fill(&mut group, object, wrong, notes),
            other => {
                let message = format!("a group must be an object, found {}", kind(other));
                if wrong.is_none() {
                    notes.error(other, message.clone(), None);
                }
                group.entries.push(Entry::broken(
                    wrong.unwrap_or(message),
                    group.mode,
                    group.at.clone(),
                ));
            }
        }
        self.groups.push(group);
    }
}

/// Reads the fields and the entries of a group.
fn fill(group: &mut Group, object: &Object<'_>, wrong: Option<String>, notes: &mut Notes) {
    let before = notes.findings.len();
    let mut fields = Fields::new(object, notes);
    group.matcher = matcher(group, &mut fields);
    group.priority = fields.integer("priority").ok().unwrap_or(0);
    group.sequential = fields.boolean("sequential").or_else(false, true);
    let lists: Vec<_> = fields.all("hooks").collect();
    if lists.is_empty() {
        alone(group, object, wrong.as_deref(), fields.notes);
        return;
    }
    fields.only(GROUP_FIELDS);
    fields.string("description").ok();
    group.name = fields.words("name").ok();
    group.mode = fields
        .choice("mode", MODES)
        .or_else(group.mode, Mode::Enforce);
    let wrong = wrong.or(notes.first_error_since(before));
    for list in &lists {
        entries(group, &list.value, wrong.as_deref(), notes);
    }
    both_count(&lists, notes);
}

/// Reads the matcher; one that is broken selects everything, for the sake of a guard.
fn matcher(group: &mut Group, fields: &mut Fields<'_, '_>) -> Matcher {
    let Some(value) = fields.value("matcher").ok() else {
        return Matcher::all();
    };
    let Value::StringLit(literal) = value else {
        fields.notes.error(
            value,
            format!("`matcher` must be a string, found {}", kind(value)),
            None,
        );
        return Matcher::all();
    };
    group.matcher_text = Some(literal.value.to_string());
    match Matcher::parse(&literal.value) {
        Ok(matcher) => {
            if let Some(spec) = group
                .spec
                .filter(|spec| spec.subject.is_none() && !matcher.is_all())
            {
                let message = format!(
                    "a matcher has no effect on `{}`",
                    spec.universal.unwrap_or(spec.name)
                );
                fields.notes.warn(
                    value,
                    message,
                    Some("leave it out: the hook runs on every such event".into()),
                );
            }
            matcher
        }
        Err(error) => {
            let message = format!(
                "the matcher {} cannot be read: {}",
                quote(&literal.value),
                error.reason
            );
            fields.notes.error(
                &inside(literal.range, &literal.value, &error),
                message,
                Some(error.help),
            );
            Matcher::all()
        }
    }
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
fn entries(group: &mut Group, list: &Value<'_>, wrong: Option<&str>, notes: &mut Notes) {
    let elements = match list {
        Value::Array(array) => array.elements.as_slice(),
        other => {
            let message = format!("`hooks` must be a list of hooks, found {}", kind(other));
            notes.error(
                other,
                message.clone(),
                Some("write `[` and `]` around it".into()),
            );
            push(group, other, Some(wrong.unwrap_or(&message)), notes);
            return;
        }
    };
    if elements.is_empty() {
        notes.warn(list, "a group without hooks does nothing".into(), None);
    }
    for element in elements {
        push(group, element, wrong, notes);
    }
}

fn push(group: &mut Group, value: &Value<'_>, wrong: Option<&str>, notes: &mut Notes) {
    let mut entry = entry::read(value, group.mode, notes);
    entry.index = group.entries.len();
    group.entries.push(entry.break_by(wrong));
}

/// Reads a group that has no `hooks`: perhaps a hook that stands where a group should.
///
/// Whatever it is, it becomes one broken entry, so that a guard written so is not off.
fn alone(group: &mut Group, object: &Object<'_>, wrong: Option<&str>, notes: &mut Notes) {
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
    notes.error(&opening(object), message.into(), Some(help.into()));
    let wrong = wrong.unwrap_or(message);
    group.entries.push(if is_hook {
        entry::fields(object, group.mode, notes).break_by(Some(wrong))
    } else {
        Entry::broken(wrong.into(), group.mode, group.at.clone())
    });
}
