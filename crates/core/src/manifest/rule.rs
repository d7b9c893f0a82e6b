//! `when` of any hook, and `then` of a rule, as the manifest has them.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use serde_json::Value as Json;

use super::fields::{Complaint, Field, Fields, text};
use super::notes::opening;
use super::say::{did_you_mean, kind, quote};
use super::{Code, Then, When, sandbox};
use crate::result::Kind;

const VERDICTS: &[(&str, Kind)] = &[
    ("allow", Kind::Allow),
    ("ask", Kind::Ask),
    ("deny", Kind::Deny),
    ("halt", Kind::Halt),
];
const EFFECTS: [&str; 4] = ["modify", "confine", "inject", "notify"];
const HELP: &str =
    "write one of `deny`, `ask`, `allow`, `halt`, `modify`, `confine`, `inject`, `notify`";

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
        let notes = fields.notes.error(value, complaint.message, None);
        notes.code(Code::BadCondition);
        return None;
    };
    let mut then = Then {
        verdict: None,
        modify: Vec::new(),
        confine: None,
        inject: Vec::new(),
        notify: Vec::new(),
    };
    let before = fields.notes.findings.len();
    for prop in &said.properties {
        if prop.name.as_str() == "confine" {
            then.confine = sandbox::object("confine", &prop.value, fields.notes);
        } else if let Err(complaint) = read(prop, &mut then) {
            let help = complaint.help.as_deref();
            let notes = fields.notes.error(prop, complaint.message, help);
            notes.code(Code::BadCondition);
        }
    }
    if said.properties.is_empty() {
        let notes = fields.notes.error(said, "`then` says nothing", Some(HELP));
        notes.code(Code::BadCondition);
    }
    fields
        .notes
        .first_error_since(before)
        .is_none()
        .then_some(then)
}

fn read(prop: &ObjectProp<'_>, then: &mut Then) -> Result<(), Complaint> {
    let key = prop.name.as_str();
    if let Some((_, verdict)) = VERDICTS.iter().find(|(word, _)| *word == key) {
        let reason = match (&prop.value, verdict) {
            (Value::BooleanLit(yes), Kind::Allow) if yes.value => String::new(),
            (value, _) => words(key, value)?,
        };
        if then.verdict.is_some() {
            return Err(Complaint::new(
                "a rule says one verdict, and here are two".into(),
            ));
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
        unknown => {
            let known = VERDICTS.iter().map(|(word, _)| *word).chain(EFFECTS);
            return Err(Complaint {
                message: format!("a rule cannot say {}", quote(unknown)),
                help: did_you_mean(unknown, known).or_else(|| Some(HELP.into())),
            });
        }
    }
    Ok(())
}

/// Reads a text that says something.
fn words(key: &str, value: &Value<'_>) -> Result<String, Complaint> {
    let words = text(key, value)?;
    if words.trim().is_empty() {
        return Err(Complaint::new(format!("`{key}` is empty")));
    }
    Ok(words)
}

/// Reads any value.
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
            let fields = object.properties.iter();
            let fields: Result<_, Complaint> = fields
                .map(|prop| Ok((prop.name.as_str().to_owned(), json(&prop.value)?)))
                .collect();
            fields.map(Json::Object)
        }
    }
}
