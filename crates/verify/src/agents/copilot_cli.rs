//! GitHub Copilot CLI, with a model of one's own.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

pub(super) static AGENT: Agent = Agent {
    host: "copilot-cli",
    program: "copilot",
    package: Package {
        name: "@github/copilot",
        version: "1.0.102",
    },
    args: &["--allow-all-tools", "-p"],
    env: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_MODEL", "scripted-model"),
    ],
    files: &[],
    shell: Tool {
        name: "bash",
        call: |line| json!({"command": line, "description": "Runs a probe"}),
    },
    write: Write {
        name: "create",
        call: |path, text| json!({"path": path, "file_text": text}),
    },
    spawn: Some(Tool {
        name: "task",
        call: |prompt| {
            json!({
                "agent_type": "general-purpose",
                "name": "probe",
                "description": "Runs a probe",
                "prompt": prompt,
                "mode": "sync",
            })
        },
    }),
    untrusting: Untrusting::AS_EVER,
    plugin: None,
    modes: &[Mode {
        name: "default",
        args: &["-p"],
    }],
};
