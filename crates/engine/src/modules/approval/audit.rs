//! The audit log of approvals: one line for each decision.

use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::redact;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tools::Call;
use crate::modules::{Around, lines};
use crate::world::Pass;

/// Where the lines go unless the settings say otherwise.
pub(super) const PATH: &str = "{state}/audit/approvals.jsonl";

/// Where decisions are written.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Audit {
    enabled: bool,
    path: String,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            enabled: true,
            path: PATH.to_owned(),
        }
    }
}

impl Audit {
    /// Writes what this module decided; nothing as the answer means that a person is asked.
    pub(super) fn decided(
        &self,
        call: &Call<'_>,
        approved: Option<bool>,
        why: &str,
        around: &Around<'_>,
    ) -> Result<(), Box<Fault>> {
        let risk = if call.command().is_some() {
            "high"
        } else {
            "medium"
        };
        let request = json!({
            "tool_name": call.tool, "action": call.action(), "risk_level": risk, "details": *call.input,
        });
        self.write(&request, approved, why, around)
    }

    /// Writes what a person, or what was remembered of one, decided.
    pub(super) fn settled(&self, event: &Event, around: &Around<'_>) -> Result<(), Box<Fault>> {
        let field = |name: &str| {
            event
                .get(name)
                .map_or(Value::Null, std::borrow::Cow::into_owned)
        };
        let request = json!({
            "tool_name": field("tool_name"), "action": field("operation"), "details": field("tool_input"),
        });
        let approved = event.name.as_str() == "approval:granted";
        let why = event.text("reason");
        self.write(
            &request,
            Some(approved),
            why.as_deref().unwrap_or_default(),
            around,
        )
    }

    /// A decision that cannot be written down is none: who trusts the audit trusts that nothing is missing in it.
    fn write(
        &self,
        request: &Value,
        approved: Option<bool>,
        why: &str,
        around: &Around<'_>,
    ) -> Result<(), Box<Fault>> {
        if !self.enabled || around.pass == Pass::Told {
            return Ok(());
        }
        let now = Event::new("approval:granted", json!({}));
        let mut record = json!({
            "timestamp": lines::moment(&now, around.world),
            "request": request,
            "response": {"approved": approved, "reason": why},
        });
        redact::value(&mut record);
        lines::write("audit", &self.path, &[], &record, around.world)
    }
}
