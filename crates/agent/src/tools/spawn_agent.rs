use anyhook::core::event::Map;
use serde_json::{Value, json};

use super::{At, Kind, Tool, ToolError};

/// Gives a task to another agent; the loop itself does it, because that agent is a loop too.
pub(super) struct SpawnAgent;

impl Tool for SpawnAgent {
    fn name(&self) -> &'static str {
        "spawn_agent"
    }

    fn about(&self) -> &'static str {
        "Gives a task to another agent, waits for it, and returns its answer. It may do no more than you may."
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "prompt": {"type": "string", "description": "The task, with everything that it needs to know."},
                "agent": {"type": "string", "description": "The kind of agent, where there are several."},
                "isolation": {
                    "enum": ["in_process", "worktree"],
                    "description": "Whether it works in this folder, or in a git worktree of its own.",
                },
            },
            "required": ["prompt"],
            "additionalProperties": false,
        })
    }

    fn kind(&self) -> Kind {
        Kind::Spawns
    }

    fn run(&self, _: &Map, _: &At<'_>) -> Result<String, ToolError> {
        Err(ToolError("agents are started by the loop only".into()))
    }
}
