//! Gemini CLI.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

pub(super) static AGENT: Agent = Agent {
    host: "gemini-cli",
    program: "gemini",
    package: Package {
        name: "@google/gemini-cli",
        version: "0.61.0",
    },
    args: &["--yolo", "-m", "gemini-2.5-pro", "-p"],
    env: &[
        ("GEMINI_API_KEY", "none"),
        ("GOOGLE_GEMINI_BASE_URL", "{url}"),
        ("GEMINI_CLI_NO_RELAUNCH", "1"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        // The folder of the probe is new, and no person is there to trust it.
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ],
    files: &[(
        ".gemini/settings.json",
        "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}}\n",
    )],
    shell: Tool {
        name: "run_shell_command",
        call: |line| json!({"command": line, "description": "Runs a probe"}),
    },
    write: Write {
        name: "write_file",
        call: |path, text| json!({"file_path": path, "content": text}),
    },
    spawn: Some(Tool {
        name: "invoke_agent",
        call: |prompt| json!({"agent_name": "generalist", "prompt": prompt}),
    }),
    untrusting: Untrusting {
        args: None,
        without: &["GEMINI_CLI_TRUST_WORKSPACE"],
    },
    plugin: None,
    modes: &[
        Mode {
            name: "default",
            args: &["--approval-mode", "default", "-m", "gemini-2.5-pro", "-p"],
        },
        Mode {
            name: "auto_edit",
            args: &["--approval-mode", "auto_edit", "-m", "gemini-2.5-pro", "-p"],
        },
    ],
};
