use serde_json::json;

use super::{Kind, Tool, ToolError};

/// Gives a task to another agent; the loop itself does it, because that agent is a loop too.
pub(super) const SPAWN_AGENT: Tool = Tool {
    name: "spawn_agent",
    about: "Gives a task to another agent, waits for it, and returns its answer. It may do no more than you may.",
    kind: Kind::Spawns,
    schema: || {
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
    },
    run: |_, _| Err(ToolError("agents are started by the loop only".into())),
};
