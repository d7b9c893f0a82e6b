//! `when` of any hook, and `then` of a rule, as the manifest has them.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use serde_json::Value as Json;

use super::fields::{Complaint, Field, Fields, text, word, words};
use super::notes::opening;
use super::say::{did_you_mean, kind, quote};
use super::{Code, MarkChange, MarkLasts, Snapshot, Then, When, WhenUnknown, sandbox};
use crate::event::Map;
use crate::result::Kind;

const VERDICTS: &[(&str, Kind)] = &[
    ("allow", Kind::Allow),
    ("ask", Kind::Ask),
    ("deny", Kind::Deny),
    ("halt", Kind::Halt),
];
const EFFECTS: [&str; 9] = [
    "modify", "confine", "inject", "notify", "mark", "unmark", "for", "snapshot", "or",
];
const HELP: &str = "write one of `deny`, `ask`, `allow`, `halt`, `modify`, `confine`, `inject`, `notify`, `mark`, \
                    `unmark`, `snapshot`";
const UNKNOWN: &[(&str, WhenUnknown)] = &[
    ("ask", WhenUnknown::Ask),
    ("confine", WhenUnknown::Confine),
    ("snapshot", WhenUnknown::Snapshot),
];
const LASTS: &[(&str, MarkLasts)] = &[("turn", MarkLasts::Turn), ("session", MarkLasts::Session)];
/// The longest name of a mark, in bytes.
const LONGEST_MARK: usize = 64;

/// Reads the condition. One that cannot be read is an error of the entry.
pub(super) fn when(fields: &mut Fields<'_, '_>) -> Option<When> {
    let text = fields.words("when").ok()?;
    let Field::Is(value) = fields.value("when") else {
        return None;
    };
    let at = fields.notes.place(value);
    Some(When { text, at })
}

/// Reads what a rule says; `None` comes with a finding.
pub(super) fn then(object: &Object<'_>, fields: &mut Fields<'_, '_>) -> Option<Then> {
    let value = match fields.value("then") {
        Field::Is(value) => value,
        Field::Wrong => return None,
        Field::Absent => {
            let help = r#"write `"then": { "deny": "why, and what to do instead" }`"#;
            fields
                .notes
                .error(&opening(object), "`then` is missing", Some(help))
                .code(Code::BadCondition);
            return None;
        }
    };
    let Value::Object(said) = value else {
        let complaint = Complaint::wanted("then", "an object", value);
        let notes = fields.notes.complain(value, complaint);
        notes.code(Code::BadCondition);
        return None;
    };
    let mut then = Then::default();
    let before = fields.notes.findings.len();
    // These say something about the others, and are read after them.
    let is_of_others = |prop: &&ObjectProp<'_>| matches!(prop.name.as_str(), "for" | "or");
    let (of_others, first): (Vec<_>, Vec<_>) = said.properties.iter().partition(is_of_others);
    for prop in first.into_iter().chain(of_others) {
        if prop.name.as_str() == "confine" {
            then.confine = sandbox::object("confine", &prop.value, fields.notes);
        } else if let Err(complaint) = read(prop, &mut then) {
            let notes = fields.notes.complain(prop, complaint);
            notes.code(Code::BadCondition);
        }
    }
    if said.properties.is_empty() {
        let notes = fields.notes.error(said, "`then` says nothing", Some(HELP));
        notes.code(Code::BadCondition);
    }
    then.unknown = unknown(fields);
    fields
        .notes
        .first_error_since(before)
        .is_none()
        .then_some(then)
}

/// Reads `when unknown`.
fn unknown(fields: &mut Fields<'_, '_>) -> Option<WhenUnknown> {
    let way = fields.choice("when unknown", UNKNOWN);
    if matches!(way, Field::Wrong) {
        fields.notes.code(Code::BadCondition);
    }
    way.ok()
}

/// Reads the name of a mark: letters, digits, `-`, `_`, `.` and `:`.
fn mark(key: &str, value: &Value<'_>) -> Result<String, Complaint> {
    let name = words(key, value)?;
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
    if name.len() <= LONGEST_MARK && name.chars().all(is_letter) {
        return Ok(name);
    }
    let complaint = Complaint::new(format!("{} is no name of a mark", quote(&name)));
    Err(complaint.help("write up to 64 letters, digits, `-`, `_`, `.` or `:`"))
}

fn read(prop: &ObjectProp<'_>, then: &mut Then) -> Result<(), Complaint> {
    let key = prop.name.as_str();
    if let Some((_, verdict)) = VERDICTS.iter().find(|(word, _)| *word == key) {
        let reason = match (&prop.value, verdict) {
            (Value::BooleanLit(yes), Kind::Allow) if yes.value => String::new(),
            (value, _) => words(key, value)?,
        };
        if then.verdict.is_some() {
            return Err(Complaint::new("a rule says one verdict, and here are two"));
        }
        then.verdict = Some((*verdict, reason));
        return Ok(());
    }
    match key {
        "inject" => then.inject.push(words(key, &prop.value)?),
        "notify" => then.notify.push(words(key, &prop.value)?),
        "modify" => {
            let Value::Object(fields) = &prop.value else {
                return Err(Complaint::wanted(key, "an object of fields", &prop.value));
            };
            for field in &fields.properties {
                then.modify
                    .push((field.name.as_str().to_owned(), json(&field.value)?));
            }
        }
        "mark" | "unmark" => then.marks.push(MarkChange {
            name: mark(key, &prop.value)?,
            lasts: (key == "mark").then(MarkLasts::default),
        }),
        "snapshot" => match &prop.value {
            Value::BooleanLit(yes) if yes.value => then.snapshot = Snapshot::Kept,
            value => return Err(Complaint::wanted(key, "`true`", value)),
        },
        "for" => {
            let lasts = word("for", &prop.value, LASTS)?;
            let mut set = then.marks.iter_mut().filter(|mark| mark.lasts.is_some());
            let missing = "`for` says how long a `mark` lasts, and here is none";
            let mark = set.next().ok_or_else(|| Complaint::new(missing))?;
            mark.lasts = Some(lasts);
        }
        "or" if text("or", &prop.value)? != "ask" => {
            return Err(Complaint::new("`or` can only be `ask`"));
        }
        "or" if then.snapshot == Snapshot::No => {
            let missing = "`or` says what holds without a `snapshot`, and here is none";
            return Err(Complaint::new(missing));
        }
        "or" => then.snapshot = Snapshot::OrAsk,
        unknown => {
            let known = VERDICTS.iter().map(|(word, _)| *word).chain(EFFECTS);
            let help = did_you_mean(unknown, known).unwrap_or_else(|| HELP.into());
            let complaint = Complaint::new(format!("a rule cannot say {}", quote(unknown)));
            return Err(complaint.help(help));
        }
    }
    Ok(())
}

/// Reads any value. Of a name that is written twice it is not clear which was meant.
pub(super) fn json(value: &Value<'_>) -> Result<Json, Complaint> {
    match value {
        Value::StringLit(literal) => Ok(literal.value.as_ref().into()),
        Value::BooleanLit(literal) => Ok(literal.value.into()),
        Value::NullKeyword(_) => Ok(Json::Null),
        Value::NumberLit(literal) => serde_json::from_str(literal.value).map_err(|_| {
            Complaint::new(format!(
                "{} is {} that JSON does not have",
                quote(literal.value),
                kind(value)
            ))
        }),
        Value::Array(items) => {
            let items: Result<Vec<Json>, Complaint> = items.elements.iter().map(json).collect();
            items.map(Json::Array)
        }
        Value::Object(object) => {
            let mut fields = Map::new();
            for prop in &object.properties {
                let name = prop.name.as_str();
                if fields.insert(name.to_owned(), json(&prop.value)?).is_some() {
                    let complaint = Complaint::new(format!("{} is there twice", quote(name)));
                    return Err(complaint.help("keep one of them"));
                }
            }
            Ok(Json::Object(fields))
        }
    }
}
