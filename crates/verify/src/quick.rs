//! The quick test: one command in one session, refused through Anyhook itself.

use std::path::Path;
use std::time::Duration;

use anyhook_truth::{AgentBehaviour, CommandOutcome};
use serde_json::{Value, json};

use crate::room::CallTarget;
use crate::session::LabSession;
use crate::{LabAgent, LabError};

const MARK: &str = "MARK-quick";

/// What became of one command that a hook refused.
#[derive(Debug, Clone, PartialEq)]
pub struct GateCheck {
    /// The agent's version.
    pub version: String,
    /// What was seen.
    pub seen: AgentBehaviour,
    /// How often the agent asked us.
    pub asked: usize,
    /// How long the agent ran.
    pub took: Duration,
    /// How it ended, and the last line that it wrote.
    pub ending: String,
}

impl GateCheck {
    /// Tells whether the refusal held, and an agent that goes on told its model why.
    pub fn holds(&self) -> bool {
        self.asked > 0
            && self.seen.command == Some(CommandOutcome::None)
            && (self.seen.model || !self.seen.goes_on)
    }
}

/// Refuses one command, through the entries that `install` writes and the program that they call.
pub(crate) fn ask(asking: &LabAgent<'_>, anyhook: &Path) -> Result<GateCheck, LabError> {
    let manifest = manifest();
    let ran = asking.run(LabSession {
        calls: CallTarget::Anyhook(anyhook, &manifest),
        ..asking.one_call()
    })?;
    if ran.turns() == 0 {
        return Err(LabError::DidNothing(ran.ending()));
    }
    let quick = GateCheck {
        version: asking.version.clone(),
        seen: ran.seen(MARK),
        asked: ran.reports(),
        took: ran.transcript.took,
        ending: ran.ending(),
    };
    ran.room.close()?;
    Ok(quick)
}

fn manifest() -> Value {
    let hook = json!({
        "name": "verify",
        "type": "rule",
        "when": "runs('touch given-1')",
        "then": {"deny": MARK},
    });
    json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}})
}
