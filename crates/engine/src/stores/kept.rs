//! The form in which a store keeps a report: secrets hidden, long texts cut, and both marked.

use std::borrow::Cow;
use std::fmt::Write as _;

use anyhook_core::ports::StoreError;
use anyhook_core::redact::{MatchedRules, Redactor};
use anyhook_core::report::Report;
use serde_json::{Value, json};

use super::RecordDetail;
use super::jsonl::misread;
use super::payload::omit_values;

use crate::lists::NEVER_HIDDEN;

/// A longer text is cut to this, in bytes.
const LONGEST: usize = 8 * 1024;
/// So much of a long text is looked through for secrets, and this much at its end is dropped: a secret that is cut in the
/// middle might not be known for one.
const SCANNED: usize = 64 * 1024;
const DROPPED: usize = 8 * 1024;
/// What is deeper is cut: a reader follows no further than 128.
const DEEPEST: usize = 96;

/// Writes a report as it is kept: what the rules of [`anyhook_core::redact`] find is hidden, and what is long is cut.
pub(super) fn kept(report: &Report, keep: RecordDetail) -> Result<Value, StoreError> {
    let mut value = serde_json::to_value(report).map_err(misread("write", report))?;
    if keep != RecordDetail::Payload {
        omit_values(report, &mut value, keep);
    }
    let redactor = Redactor::default().allowing(NEVER_HIDDEN);
    let mut trimming = Trimmer {
        redactor: &redactor,
        found: MatchedRules::new(),
        cut: Vec::new(),
    };
    let rows = value
        .get_mut("hooks")
        .filter(|rows| is_plain(rows, &redactor));
    let rows = rows.map(Value::take);
    trimming.value(&mut value, &mut String::new(), 0);
    let Trimmer {
        mut found, mut cut, ..
    } = trimming;
    found.append(&mut redactor.value(&mut value));
    if let Some(rows) = rows {
        value
            .as_object_mut()
            .map(|all| all.insert("hooks".to_owned(), rows));
    }
    if keep != RecordDetail::Payload {
        cut.push("data".to_owned());
    }
    tell(&mut value, &found, &cut);
    Ok(value)
}

/// Tells whether the rows of the hooks are short, and say nothing that would be hidden: of many hooks it is looked for once.
fn is_plain(rows: &Value, redactor: &Redactor) -> bool {
    let is_short = |value: &Value| value.as_str().is_none_or(|text| text.len() <= LONGEST);
    let is_told = |(name, value): (&String, &Value)| match (&**name, value) {
        ("name", Value::String(_)) => is_short(value),
        ("source", Value::Object(source)) => source.values().all(is_short),
        (_, Value::String(text)) => {
            is_short(value)
                && matches!(
                    redactor.text(text, &mut MatchedRules::new()),
                    Cow::Borrowed(_)
                )
        }
        (_, value) => value.is_number() || value.is_boolean(),
    };
    let mut rows = rows.as_array().into_iter().flatten();
    rows.all(|row| row.as_object().is_some_and(|row| row.iter().all(is_told)))
}

/// Says in the record what was hidden and what was cut.
fn tell(value: &mut Value, found: &MatchedRules, cut: &[String]) {
    if let Some(action) = value.get_mut("action").and_then(Value::as_object_mut) {
        if !found.is_empty() {
            action.insert("hidden".to_owned(), json!(found));
        }
        if !cut.is_empty() {
            action.insert("cut".to_owned(), json!(cut));
        }
    } else if let (Some(report), true) = (value.as_object_mut(), cut.iter().any(|at| at != "data"))
    {
        let remarks = report.entry("remarks").or_insert_with(|| json!([]));
        if let Some(remarks) = remarks.as_array_mut() {
            remarks.push("some values are too long or too deep, and were not kept whole".into());
        }
    }
}

/// Cuts what is long or deep, and remembers where.
struct Trimmer<'r> {
    redactor: &'r Redactor,
    found: MatchedRules,
    cut: Vec<String>,
}

impl Trimmer<'_> {
    /// `at` is where the value stands: `.action.data.tool_input`.
    fn value(&mut self, value: &mut Value, at: &mut String, depth: usize) {
        let above = at.len();
        match value {
            Value::String(text) if text.len() > LONGEST => {
                self.note(at);
                *text = self.cut(text);
            }
            Value::Array(_) | Value::Object(_) if depth > DEEPEST => {
                self.note(at);
                *value = "[CUT: too deep]".into();
            }
            Value::Array(list) => {
                for (number, value) in list.iter_mut().enumerate() {
                    if is_open(value) {
                        let _ = write!(at, ".{number}");
                        self.value(value, at, depth + 1);
                        at.truncate(above);
                    }
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut().filter(|(_, value)| is_open(value)) {
                    at.push('.');
                    at.push_str(name);
                    self.value(value, at, depth + 1);
                    at.truncate(above);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn note(&mut self, at: &str) {
        let at = at.trim_start_matches('.');
        let at = at.strip_prefix("action.data.").unwrap_or(at);
        self.cut.push(
            self.redactor
                .text(at, &mut self.found)
                .chars()
                .take(200)
                .collect(),
        );
    }

    /// Keeps the beginning of a text, and the length of all of it.
    fn cut(&mut self, text: &str) -> String {
        let head = text.floor_char_boundary(SCANNED);
        let is_part = head < text.len();
        let safe = self
            .redactor
            .text(text.get(..head).unwrap_or_default(), &mut self.found);
        let most = if is_part {
            safe.len().saturating_sub(DROPPED)
        } else {
            safe.len()
        };
        let begin = safe
            .get(..safe.floor_char_boundary(most.min(LONGEST)))
            .unwrap_or_default();
        format!("{begin}[CUT:{} bytes]", text.len())
    }
}

fn is_open(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > LONGEST,
        Value::Array(_) | Value::Object(_) => true,
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(data: &Value, keep: RecordDetail) -> Value {
        let report = Report::from_json(json!({
            "version": 1, "id": "k3f9", "event": {"name": "tool:pre"}, "hooks": [], "steps": [],
            "result": {"verdict": "continue"}, "action": {"data": data},
        }));
        let value = kept(&report.unwrap(), keep).unwrap();
        value.get("action").cloned().unwrap()
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_a_marker_is_nothing_to_hide() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let data = json!({"tool_input": {"command": format!("a {token}"), "token": {"password": token.clone()}}, "other": token});
        let kept = of(&data, RecordDetail::Payload);
        assert!(!kept.to_string().contains(&token), "{kept}");
        assert_eq!(kept["hidden"], json!(["github-token", "named-field"]));
        assert_eq!(
            of(&kept["data"], RecordDetail::Payload)["data"],
            kept["data"]
        );
    }

    #[test]
    fn a_row_of_a_hook_that_says_a_secret_or_too_much_is_not_kept_as_it_is() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let kept = |name: &str, matcher: &str| {
            let report = Report::from_json(json!({
                "version": 1, "id": "k3f9", "event": {"name": "tool:pre"}, "steps": [],
                "hooks": [{"name": "a"}, {"name": name, "matcher": matcher}],
                "result": {"verdict": "continue"},
            }));
            kept(&report.unwrap(), RecordDetail::Payload).unwrap()["hooks"].clone()
        };
        let plain = json!([{"name": "a"}, {"name": "b", "matcher": "Bash"}]);
        assert_eq!(kept("b", "Bash"), plain);
        let hidden = kept("b", &token).to_string();
        assert!(
            hidden.contains("[REDACTED:SECRET:github-token]"),
            "{hidden}"
        );
        let long = kept(&"b".repeat(LONGEST + 1), "Bash").to_string();
        assert!(long.contains("[CUT:"), "{long}");
    }

    #[test]
    fn a_long_text_is_cut_and_no_secret_at_the_edge_of_what_is_looked_through_stays() {
        let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let key =
            "-----BEGIN PRIVATE ".to_owned() + "KEY-----\n" + &"MIIBVQIBADANBgkq\n".repeat(3500);
        for padding in [0, 8180, 57_000, 65_500, 65_520] {
            let text = format!("{key}{}{secret}{}", " ".repeat(padding), "é".repeat(50_000));
            let kept = of(
                &json!({"tool_input": {"content": text}}),
                RecordDetail::Payload,
            );
            let cut = kept["data"]["tool_input"]["content"].as_str().unwrap();
            assert!(
                cut.len() < LONGEST + 64 && !cut.contains("16C7") && !cut.contains("MIIB"),
                "{padding}"
            );
            assert!(
                cut.contains(&format!("[CUT:{} bytes]", text.len())),
                "{cut}"
            );
            assert_eq!(kept["cut"], json!(["tool_input.content"]));
        }
    }

    #[test]
    fn a_person_who_wants_less_keeps_the_shape_or_nothing_of_the_input() {
        let data = json!({"tool_name": "Bash", "cwd": "/shop", "tool_input": {"command": "make", "n": 7, "list": [true, null]}});
        let shape = of(&data, RecordDetail::Shape);
        assert_eq!(
            shape["data"],
            json!({
                "tool_name": "Bash", "cwd": "/shop",
                "tool_input": {"command": "(4 bytes)", "n": "(number)", "list": [true, null]},
            })
        );
        let none = of(&data, RecordDetail::Verdicts);
        assert_eq!(none["data"], json!({"tool_name": "Bash", "cwd": "/shop"}));
        assert_eq!(
            (&shape["cut"], &none["cut"]),
            (&json!(["data"]), &json!(["data"]))
        );
    }
}
