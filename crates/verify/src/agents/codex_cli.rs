//! Codex CLI.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

/// The provider; its key is named and not needed.
const CONFIG: &str = r#"model = "scripted-model"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

# Without a server for its figures, it would wait for five seconds at its end.
[analytics]
enabled = false
"#;

pub(super) static AGENT: Agent = Agent {
    host: "codex-cli",
    program: "codex",
    package: Package {
        name: "@openai/codex",
        version: "0.169.0",
    },
    args: &[
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        // The entries are new, and no person is there to trust them.
        "--dangerously-bypass-hook-trust",
    ],
    env: &[("SCRIPTED_KEY", "none")],
    files: &[(".codex/config.toml", CONFIG)],
    shell: Tool {
        name: "exec_command",
        call: |line| json!({"cmd": line}),
    },
    // Its tool for patches is offered to models that it knows.
    write: Write {
        name: "exec_command",
        call: |path, text| json!({"cmd": format!("printf '%s\\n' '{text}' > '{path}'")}),
    },
    spawn: None,
    untrusting: Untrusting {
        args: Some(&[
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
        ]),
        without: &[],
    },
    plugin: None,
    modes: &[Mode {
        name: "workspace-write",
        args: &[
            "exec",
            "--skip-git-repo-check",
            "--sandbox",
            "workspace-write",
            "--dangerously-bypass-hook-trust",
        ],
    }],
};
