//! The form in which a store keeps a report: secrets hidden, long texts cut, and both marked.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhook_core::hook::HookInfo;
use anyhook_core::ports::StoreError;
use anyhook_core::redact::{Found, Redactor};
use anyhook_core::report::Report;
use serde::Serialize;
use serde_json::{Value, json};

use super::Keep;
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

/// A report as it is kept.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    #[serde(flatten)]
    pub(super) rest: Value,
    /// The hooks, where nothing of them has to be hidden or cut: of many hooks that is not looked for in each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hooks: Option<Arc<[Arc<HookInfo>]>>,
}

/// Writes a report as it is kept: what the rules of [`anyhook_core::redact`] find is hidden, and what is long is cut.
pub(super) fn kept(report: &Report, keep: Keep) -> Result<Kept, StoreError> {
    let redactor = Redactor::default().allowing(NEVER_HIDDEN);
    let is_plain = report.hooks.iter().all(|hook| is_plain(hook, &redactor));
    let hooks = is_plain.then(|| Arc::clone(&report.hooks));
    let written = if is_plain {
        serde_json::to_value(Report {
            hooks: Arc::default(),
            ..report.clone()
        })
    } else {
        serde_json::to_value(report)
    };
    let mut value = written.map_err(|source| StoreError {
        what: format!("cannot write the report `{}` as JSON", report.id),
        source: Some(source.into()),
    })?;
    if keep != Keep::Payload {
        omit_values(report, &mut value, keep);
    }
    let mut trimming = Trimming {
        redactor: &redactor,
        found: Found::new(),
        cut: Vec::new(),
    };
    trimming.value(&mut value, &mut String::new(), 0);
    let Trimming {
        mut found, mut cut, ..
    } = trimming;
    found.append(&mut redactor.value(&mut value));
    if keep != Keep::Payload {
        cut.push("data".to_owned());
    }
    tell(&mut value, &found, &cut);
    if is_plain {
        value.as_object_mut().map(|all| all.shift_remove("hooks"));
    }
    Ok(Kept { rest: value, hooks })
}

/// Tells whether a hook is short, and says nothing that would be hidden. Its name and its place never are.
fn is_plain(hook: &HookInfo, redactor: &Redactor) -> bool {
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let file = hook.source.as_ref().map_or("", |source| &source.file);
    let mut found = Found::new();
    [&hook.name, file, matcher]
        .iter()
        .all(|text| text.len() <= LONGEST)
        && matches!(redactor.text(matcher, &mut found), Cow::Borrowed(_))
}

/// Says in the record what was hidden and what was cut.
fn tell(value: &mut Value, found: &Found, cut: &[String]) {
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
struct Trimming<'r> {
    redactor: &'r Redactor,
    found: Found,
    cut: Vec<String>,
}

impl Trimming<'_> {
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

    fn of(data: &Value, keep: Keep) -> Value {
        let report = Report::from_json(json!({
            "version": 1, "id": "k3f9", "event": {"name": "tool:pre"}, "hooks": [], "steps": [],
            "result": {"verdict": "continue"}, "action": {"data": data},
        }));
        let kept = kept(&report.unwrap(), keep).unwrap();
        kept.rest.get("action").cloned().unwrap()
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_a_marker_is_nothing_to_hide() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let data = json!({"tool_input": {"command": format!("a {token}"), "token": {"password": token.clone()}}, "other": token});
        let kept = of(&data, Keep::Payload);
        assert!(!kept.to_string().contains(&token), "{kept}");
        assert_eq!(kept["hidden"], json!(["github-token", "named-field"]));
        assert_eq!(of(&kept["data"], Keep::Payload)["data"], kept["data"]);
    }

    #[test]
    fn a_long_text_is_cut_and_no_secret_at_the_edge_of_what_is_looked_through_stays() {
        let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let key =
            "-----BEGIN PRIVATE ".to_owned() + "KEY-----\n" + &"MIIBVQIBADANBgkq\n".repeat(3500);
        for padding in [0, 8180, 57_000, 65_500, 65_520] {
            let text = format!("{key}{}{secret}{}", " ".repeat(padding), "é".repeat(50_000));
            let kept = of(&json!({"tool_input": {"content": text}}), Keep::Payload);
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
        let shape = of(&data, Keep::Shape);
        assert_eq!(
            shape["data"],
            json!({
                "tool_name": "Bash", "cwd": "/shop",
                "tool_input": {"command": "(4 bytes)", "n": "(number)", "list": [true, null]},
            })
        );
        let none = of(&data, Keep::Verdicts);
        assert_eq!(none["data"], json!({"tool_name": "Bash", "cwd": "/shop"}));
        assert_eq!(
            (&shape["cut"], &none["cut"]),
            (&json!(["data"]), &json!(["data"]))
        );
    }
}
