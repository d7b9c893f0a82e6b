//! From text to a manifest: the file and its events.

use std::collections::{BTreeMap, BTreeSet};

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::fields::{Complaint, ObjectFields};
use super::notes::{FindingCollector, both_count, opening};
use super::place::LineIndex;
use super::say::{kind, quote, syntax_error};
use super::table::{self, ManifestLevel};
use super::{
    Code, Finding, Group, Manifest, Mode, ParsedManifest, Place, disable, group, requires, sandbox,
};
use crate::event::EventName;
use crate::matcher::Matcher;
use crate::sandbox::Sandbox;
use crate::taxonomy;

/// Reads a whole text.
pub(super) fn manifest(text: &str) -> Result<ParsedManifest, Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut notes = FindingCollector::new(LineIndex::new(text.len() - body.len(), body));
    let value = syntax(body, &notes)?;
    let Some(Value::Object(object)) = &value else {
        let found = value.as_ref().map_or("nothing", kind);
        let place = value.as_ref().map_or(Range::new(0, 0), Ranged::range);
        let wrong = Complaint::new(format!("a manifest must be an object, found {found}"));
        let help = r#"begin with `{ "version": 1, "hooks": {} }`"#;
        return Err(notes.finding(&place, wrong.help(help)));
    };
    let manifest = file(object, &mut notes);
    let mut findings = notes.findings;
    findings.sort_by_key(|finding| finding.at.span.start);
    Ok(ParsedManifest { manifest, findings })
}

/// How a file that a person wrote is parsed. `NaN` and `Infinity` pass, so that they are a finding of their entry and not the
/// end of the whole file; nothing else that is no JSON does, but comments and trailing commas.
pub const JSON: ParseOptions = ParseOptions {
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

/// Parses the JSON. The parser refuses more than 512 levels, so a hostile text cannot exhaust the stack.
pub(super) fn syntax<'a>(
    body: &'a str,
    notes: &FindingCollector,
) -> Result<Option<Value<'a>>, Finding> {
    let parsed = parse_to_ast(body, &CollectOptions::default(), &JSON);
    parsed
        .map(|result| result.value)
        .map_err(|error| no_json(&error, notes))
}

fn no_json(error: &ParseError, notes: &FindingCollector) -> Finding {
    let help = match error.kind() {
        ParseErrorKind::SingleQuotedStringsNotAllowed
        | ParseErrorKind::ExpectedStringObjectProperty => {
            Some("names and strings stand in double quotes")
        }
        ParseErrorKind::UnterminatedObject => Some("a `}` is missing"),
        ParseErrorKind::UnterminatedArray => Some("a `]` is missing"),
        ParseErrorKind::UnexpectedTokenInObject => Some("a `}` or a name is missing before this"),
        ParseErrorKind::ExpectedComma => Some("a `,` is missing before this"),
        _ => None,
    };
    let help = help.map(Into::into);
    let wrong = Complaint::new(syntax_error(error));
    notes.finding(&error.range(), Complaint { help, ..wrong })
}

/// Reads the outermost object.
fn file(object: &Object<'_>, notes: &mut FindingCollector) -> Manifest {
    let mut fields = ObjectFields::new(object, notes);
    fields.only(&table::names(ManifestLevel::File).chain(["session"]), None);
    fields.string("description").ok();
    let version = version(object, &mut fields);
    requires::judge(&mut fields);
    let mode = fields.mode(Mode::Enforce);
    let disable = disable::read(&mut fields);
    let sandbox = sandbox::read(&mut fields, None);
    // A limit that would not hold is no warning.
    for prop in fields.all("session").collect::<Vec<_>>() {
        let message = "`session` is no field: a file of hooks sets no limits of texts";
        let help = "they stand in `[session]` of config.toml";
        fields.notes.error(&prop.name, message, Some(help));
    }
    let lists: Vec<_> = fields.all("hooks").collect();
    if lists.is_empty() {
        fields.missing("hooks", Some("events stand in `hooks`"));
    }
    let mut events = EventGroups {
        mode,
        sandbox,
        ..EventGroups::default()
    };
    for list in &lists {
        events.list(&list.value, notes);
    }
    both_count(&lists, notes);
    Manifest {
        version,
        mode,
        disable,
        groups: events.groups,
        native: None,
    }
}

fn version(object: &Object<'_>, fields: &mut ObjectFields<'_, '_>) -> u32 {
    let Some(value) = fields.value("version").ok() else {
        if fields.all("version").next().is_none() {
            let help = r#"write `"version": 1`"#;
            let message = "`version` is missing, 1 is assumed";
            let notes = fields.notes.warn(&opening(object), message, Some(help));
            notes.code(Code::NoVersion);
        }
        return 1;
    };
    let literal = value.as_number_lit();
    let number = literal.and_then(|literal| literal.value.parse().ok());
    if number != Some(1) {
        let message = match number {
            Some(number) => format!("version {number} is not supported"),
            None => format!("`version` must be the number 1, found {}", kind(value)),
        };
        let help = r#"this program reads `"version": 1`"#;
        fields.notes.error(value, message, Some(help));
    }
    number.unwrap_or(1)
}

/// The groups of all events so far.
#[derive(Default)]
struct EventGroups<'a> {
    mode: Mode,
    sandbox: Option<Sandbox>,
    groups: Vec<Group>,
    /// The names of events that were seen, as written.
    written: BTreeSet<&'a str>,
    /// How many groups each event has, by its canonical name.
    counts: BTreeMap<&'a str, usize>,
}

impl<'a> EventGroups<'a> {
    /// Reads an object of events.
    fn list(&mut self, list: &'a Value<'a>, notes: &mut FindingCollector) {
        let Value::Object(object) = list else {
            notes.complain(
                list,
                Complaint::wanted("hooks", "an object of events", list),
            );
            return;
        };
        for event in &object.properties {
            self.event(event, notes);
        }
    }

    /// Reads one event; every list of the same name counts, so that no guard goes by being written twice.
    fn event(&mut self, event: &'a ObjectProp<'a>, notes: &mut FindingCollector) {
        let name = event.name.as_str();
        if !self.written.insert(name) {
            let message = format!("the event {} is there twice", quote(name));
            notes.error(&event.name, message, Some("put both into one list"));
        }
        if taxonomy::find(name).is_none() && !EventName::new(name).stands_for_known() {
            let near = (!notes.is_crowded())
                .then(|| taxonomy::suggest(name))
                .flatten();
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("unknown event {}", quote(name));
            let code = near.map_or(Code::UnknownEvent, |_| Code::MisspelledEvent);
            let notes = notes.warn(&event.name, message, help.as_deref());
            notes.code(code);
        }
        let Value::Array(array) = &event.value else {
            let found = kind(&event.value);
            let message = format!("an event must hold a list of groups, found {found}");
            let help = "write `[` and `]` around it";
            notes.error(&event.value, &*message, Some(help));
            return self.group(name, &event.value, Some(&message), notes);
        };
        for value in &array.elements {
            self.group(name, value, None, notes);
        }
    }

    /// Reads one group; with `wrong`, none of its entries can run.
    fn group(
        &mut self,
        event: &'a str,
        value: &Value<'_>,
        wrong: Option<&str>,
        notes: &mut FindingCollector,
    ) {
        let mut group = self.empty(event, notes.place(value));
        if let Value::Object(object) = value {
            group::fill(&mut group, object, notes);
        } else if wrong.is_none() {
            let message = format!("a group must be an object, found {}", kind(value));
            notes.error(value, &*message, None);
            group.break_by(&message);
        }
        if let Some(wrong) = wrong {
            group.break_by(wrong);
        }
        self.groups.push(group);
    }

    /// The next group of an event, before its fields are read.
    fn empty(&mut self, event: &'a str, at: Place) -> Group {
        let spec = taxonomy::find(event);
        let count = self
            .counts
            .entry(spec.map_or(event, |spec| spec.name))
            .or_default();
        let index = *count;
        *count += 1;
        Group {
            event: event.into(),
            spec,
            matcher: Matcher::all(),
            matcher_text: None,
            effects: Vec::new(),
            priority: 0,
            sequential: false,
            name: None,
            mode: self.mode,
            sandbox: self.sandbox.clone(),
            entries: Vec::new(),
            at,
            index,
            speaks: None,
        }
    }
}
