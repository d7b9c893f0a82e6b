//! The probes: every answer that an agent is tested with, from our hosts and from other people's hooks.

use std::sync::LazyLock;

use anyhook::core::event::Event;
use anyhook::verify::{self, ProbeContext};
use anyhook::yaml;
use anyhook_truth::HookOutput;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::template;

/// Whether an answer can be given to many calls of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Frequency {
    /// The event comes once.
    One,
    /// The event comes with every call of a tool.
    EachTool,
    /// The event comes whenever the agent wants to end.
    EachStop,
}

/// An event that answers are given to, a row of `moments.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProbeEvent {
    /// Its canonical name.
    pub(crate) event: String,
    pub(crate) calls: Frequency,
}

pub(crate) static MOMENTS: LazyLock<Vec<ProbeEvent>> =
    LazyLock::new(|| yaml::read(include_str!("moments.yaml")).unwrap_or_default());

/// The answers of our own hosts: what they are told of a verdict or an effect.
pub(crate) const VERBS: &[&str] = &[
    "allow", "ask", "deny", "halt", "rewrite", "inject", "notify",
];

/// One answer of another hook, a row of `probes.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerProbe {
    pub(crate) name: String,
    /// The one event that it is for; all where none is named.
    #[serde(default)]
    pub(crate) only: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    json: Option<Map<String, Value>>,
    #[serde(default)]
    refusal: Option<RefusalForm>,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    exit: i32,
}

/// What is made of our own refusal; with `json` beside it its fields are set.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RefusalForm {
    Whole,
    Cut,
    Quoted,
}

pub(crate) static FORMS: LazyLock<Vec<AnswerProbe>> =
    LazyLock::new(|| yaml::read(include_str!("probes.yaml")).unwrap_or_default());

impl AnswerProbe {
    /// Writes it; nothing where it means nothing.
    pub(crate) fn says(&self, ready: &ProbeContext<'_>) -> Option<HookOutput> {
        let json = match self.json.clone() {
            Some(json) => Some(filled(&Value::Object(json), ready)?),
            None => None,
        };
        let stdout = match (self.refusal, json) {
            (None, None) => self.text.replace("{mark}", ready.mark),
            (None, Some(json)) => format!("{json}\n"),
            (Some(RefusalForm::Whole), None) => refusal(ready)?,
            (Some(RefusalForm::Cut), _) => {
                let whole = refusal(ready)?;
                whole.trim_end().strip_suffix('}')?.to_owned()
            }
            (Some(RefusalForm::Quoted), _) => json!(refusal(ready)?).to_string(),
            (Some(RefusalForm::Whole), Some(json)) => {
                let mut whole: Map<String, Value> = serde_json::from_str(&refusal(ready)?).ok()?;
                whole.extend(json.as_object()?.clone());
                format!("{}\n", Value::Object(whole))
            }
        };
        Some(HookOutput {
            stdout,
            stderr: self.stderr.replace("{mark}", ready.mark),
            exit: self.exit,
        })
    }
}

/// Fills the mark, the event and the arguments into an answer; nothing where the call has no arguments to change.
fn filled(json: &Value, ready: &ProbeContext<'_>) -> Option<Value> {
    let mut fields = vec![("mark", ready.mark.into()), ("native", ready.native.into())];
    if json.to_string().contains("{input}") {
        fields.push(("input", input(ready)?));
    }
    Some(template::filled(json, &fields))
}

fn input(ready: &ProbeContext<'_>) -> Option<Value> {
    let bytes = ready.payload.to_string();
    let read = ready.host.read_event(bytes.as_bytes(), Some(ready.native));
    let event = read.ok()?;
    let mut input = event.get("tool_input")?.as_object()?.clone();
    input.insert("command".to_owned(), ready.changed.into());
    let call = json!({"tool_name": event.text("tool_name")?, "tool_input": input});
    let written = ready
        .host
        .write_as(&Event::new("tool:pre", call), ready.native);
    let names = ["tool_input", "toolArgs", "toolInput"];
    match names.iter().find_map(|name| written.get(*name))? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

/// Our own refusal of the event, as text.
fn refusal(ready: &ProbeContext<'_>) -> Option<String> {
    let said = verify::said(ready, "deny")?;
    let stdout = said.stdout.trim();
    (stdout.starts_with('{') && said.exit == 0).then(|| said.stdout.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read() {
        let rows: Vec<AnswerProbe> = yaml::read(include_str!("probes.yaml")).unwrap();
        assert_eq!(rows.len(), 29);
        let moments: Vec<ProbeEvent> = yaml::read(include_str!("moments.yaml")).unwrap();
        assert_eq!(moments.len(), 5);
    }
}
