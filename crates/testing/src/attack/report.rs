//! The report of an attack, with the case to add for each way that was found.

use anyhook::core::result::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::aim::{Aim, AttackCall, BASE};
use super::is_refusal;
use super::scene::Scene;
use super::ways::Way;
use crate::case::text;
use crate::overrides::texts;
use crate::plan::Case;

/// A way round the hooks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bypass {
    /// The case whose refusal it walks around.
    pub case: String,
    /// The effect.
    pub effect: String,
    /// What it is made of, by the names in the tables.
    pub by: Vec<&'static str>,
    /// Its calls, in order.
    pub call: AttackCall,
    /// The file to write the case into.
    pub file: String,
    /// The case.
    pub text: String,
}

impl Bypass {
    pub(super) fn new(case: &Case, aim: &Aim, way: &Way, call: &AttackCall, number: usize) -> Self {
        let by = way.tricks();
        let name = format!("attack-{}-{number}", case.name());
        let call = AttackCall {
            tool: call.tool.clone(),
            input: texts(&call.input, &|text| {
                let text = text.replace(&format!("{BASE}/project"), "${PROJECT_DIR}");
                text.replace(&format!("{BASE}/home"), "~")
            }),
        };
        let remark = format!(
            "Found by anyhook test --attack: {}, by {}",
            aim.shown(),
            by.join(", ")
        );
        let file = case.package.tests.join(format!("cases/{name}.yaml"));
        Self {
            case: case.id.to_string(),
            effect: aim.shown(),
            file: case.package.names(&file).display().to_string(),
            text: format!("# {remark}\n{}", written(case, &name, &call)),
            by,
            call,
        }
    }

    /// Returns it as one line for people.
    pub fn shown(&self) -> String {
        self.call.shown()
    }
}

/// Writes a case that expects of this call what the other one expects of its own.
fn written(case: &Case, name: &str, call: &AttackCall) -> String {
    let decision = refusal(case).unwrap_or(Kind::Deny).as_str();
    let spec = &case.spec;
    let fixture = spec.input.fixture.as_ref().map(|name| &name.value);
    let input =
        json!({"fixture": fixture, "overrides": {"toolName": call.tool, "toolInput": call.input}});
    let workspace = spec.workspace.as_ref().map(|files| &files.value);
    let fields = json!({
        "name": name, "event": "pre-tool-use", "mode": "dispatch", "workspace": workspace, "input": said(input),
        "expected": {"decision": decision},
    });
    let mut text = String::new();
    text::write(&said(fields), 0, &mut text);
    text
}

/// The fields that say something.
fn said(fields: Value) -> Map<String, Value> {
    let mut said: Map<String, Value> = serde_json::from_value(fields).unwrap_or_default();
    said.retain(|_, value| !value.is_null());
    said
}

/// Returns the verdict that a case expects, if it refuses: by its decision, its exit code or the answer that it names.
pub(crate) fn refusal(case: &Case) -> Option<Kind> {
    let expected = &case.spec.expected;
    if let Some(decision) = &expected.decision {
        return Some(decision.value).filter(|kind| is_refusal(*kind));
    }
    let told = expected.stdout_json.as_ref().and_then(|json| {
        let nested = json.value.pointer("/hookSpecificOutput/permissionDecision");
        nested.or_else(|| json.value.get("decision"))?.as_str()
    });
    match (told, expected.exit_code.as_ref().map(|code| code.value)) {
        (Some("deny" | "block"), _) | (None, Some(2)) => Some(Kind::Deny),
        (Some("ask"), _) => Some(Kind::Ask),
        (Some(_) | None, _) => None,
    }
}

/// The call of a case as it is made in a scratch folder.
pub(super) fn call(case: &Case, scene: &Scene) -> Option<AttackCall> {
    let project = scene.project();
    let sent = case.payload.sent(&project, &case.package.root, true);
    let own = case.payload.value.get("cwd").and_then(Value::as_str);
    let text = sent
        .get("toolInput")
        .or_else(|| sent.get("tool_input"))?
        .to_string();
    let text = match own {
        Some(own) if own.len() > 1 => text.replace(own, &project.to_string_lossy()),
        Some(_) | None => text,
    };
    let input = serde_json::from_str(&text).ok()?;
    Some(AttackCall {
        tool: case.tool()?.to_owned(),
        input,
    })
}
