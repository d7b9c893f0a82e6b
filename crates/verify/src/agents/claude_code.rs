//! Claude Code.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

pub(super) static AGENT: Agent = Agent {
    host: "claude-code",
    program: "claude",
    package: Package {
        name: "@anthropic-ai/claude-code",
        version: "2.1.330",
    },
    args: &["-p", "--dangerously-skip-permissions"],
    env: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        // It starts as root only where it is told that this is no machine of anybody's.
        ("IS_SANDBOX", "1"),
    ],
    files: &[],
    shell: Tool {
        name: "Bash",
        call: |line| json!({"command": line, "description": "Runs a probe"}),
    },
    write: Write {
        name: "Write",
        call: |path, text| json!({"file_path": path, "content": text}),
    },
    spawn: Some(Tool {
        name: "Agent",
        call: |prompt| {
            json!({
                "description": "Runs a probe",
                "prompt": prompt,
                "subagent_type": "general-purpose",
                "run_in_background": false,
            })
        },
    }),
    untrusting: Untrusting::AS_EVER,
    plugin: None,
    modes: &[
        Mode {
            name: "default",
            args: &["-p"],
        },
        Mode {
            name: "acceptEdits",
            args: &["-p", "--permission-mode", "acceptEdits"],
        },
    ],
};
