//! `when` of any hook, and `then` of a rule, as the manifest has them.

use jsonc_parser::ast::{ObjectProp, Value};
use serde_json::Value as Json;

use super::fields::{Complaint, FieldValue, ObjectFields, choice, text, words};
use super::say::{did_you_mean, kind, quote};
use super::table::choices;
use super::{Code, Condition, MarkChange, MarkLifetime, RuleAnswer, SnapshotMode, sandbox};
use crate::event::Map;
use crate::result::Kind;

const VERDICTS: [Kind; 4] = [Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt];
const EFFECTS: [&str; 9] = [
    "modify", "confine", "inject", "notify", "mark", "unmark", "for", "snapshot", "or",
];
const HELP: &str = "write one of `deny`, `ask`, `allow`, `halt`, `modify`, `confine`, `inject`, `notify`, `mark`, \
                    `unmark`, `snapshot`";
/// The longest name of a mark, in bytes.
const LONGEST_MARK: usize = 64;

/// Reads the condition. One that cannot be read is an error of the entry.
pub(super) fn when(fields: &mut ObjectFields<'_, '_>) -> Option<Condition> {
    let text = fields.words("when").ok()?;
    let at = fields.place("when")?;
    Some(Condition { text, at })
}

/// Reads what a rule says; `None` comes with a finding.
pub(super) fn then(fields: &mut ObjectFields<'_, '_>) -> Option<RuleAnswer> {
    let said = fields.read("then", |value| {
        let wrong = || Complaint::wanted("then", "an object", value).code(Code::BadCondition);
        value.as_object().ok_or_else(wrong)
    });
    if matches!(said, FieldValue::Absent) {
        let help = r#"write `"then": { "deny": "why, and what to do instead" }`"#;
        let notes = fields.missing("then", Some(help));
        notes.code(Code::BadCondition);
    }
    let said = said.ok()?;
    let mut then = RuleAnswer::default();
    let before = fields.notes.findings.len();
    // These say something about the others, and are read after them.
    let is_of_others = |prop: &&ObjectProp<'_>| matches!(prop.name.as_str(), "for" | "or");
    let (of_others, first): (Vec<_>, Vec<_>) = said.properties.iter().partition(is_of_others);
    for prop in first.into_iter().chain(of_others) {
        if prop.name.as_str() == "confine" {
            then.confine = sandbox::object("confine", &prop.value, fields.notes);
        } else if let Err(complaint) = read(prop, &mut then) {
            let complaint = complaint.code(Code::BadCondition);
            fields.notes.complain(prop, complaint);
        }
    }
    if said.properties.is_empty() {
        let notes = fields.notes.error(said, "`then` says nothing", Some(HELP));
        notes.code(Code::BadCondition);
    }
    let unknown = fields.read("when unknown", |value| {
        let way = choice("when unknown", value, choices::WHEN_UNKNOWN);
        way.map_err(|complaint| complaint.code(Code::BadCondition))
    });
    then.unknown = unknown.ok();
    fields
        .notes
        .first_error_since(before)
        .is_none()
        .then_some(then)
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

fn read(prop: &ObjectProp<'_>, then: &mut RuleAnswer) -> Result<(), Complaint> {
    let key = prop.name.as_str();
    if let Some(verdict) = VERDICTS.iter().find(|verdict| verdict.as_str() == key) {
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
            lasts: (key == "mark").then(MarkLifetime::default),
        }),
        "snapshot" => match &prop.value {
            Value::BooleanLit(yes) if yes.value => then.snapshot = SnapshotMode::Kept,
            value => return Err(Complaint::wanted(key, "`true`", value)),
        },
        "for" => {
            let lasts = choice("for", &prop.value, &["turn", "session"])?;
            let mut set = then.marks.iter_mut().filter(|mark| mark.lasts.is_some());
            let missing = "`for` says how long a `mark` lasts, and here is none";
            let mark = set.next().ok_or_else(|| Complaint::new(missing))?;
            mark.lasts = Some(lasts);
        }
        "or" if text("or", &prop.value)? != "ask" => {
            return Err(Complaint::new("`or` can only be `ask`"));
        }
        "or" if then.snapshot == SnapshotMode::No => {
            let missing = "`or` says what holds without a `snapshot`, and here is none";
            return Err(Complaint::new(missing));
        }
        "or" => then.snapshot = SnapshotMode::OrAsk,
        unknown => {
            let known = VERDICTS
                .iter()
                .map(|verdict| verdict.as_str())
                .chain(EFFECTS);
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
