//! Qwen Code.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

pub(super) static AGENT: Agent = Agent {
    host: "qwen-code",
    program: "qwen",
    package: Package {
        name: "@qwen-code/qwen-code",
        version: "0.24.4",
    },
    args: &["--yolo", "--auth-type", "openai", "-p"],
    env: &[
        ("OPENAI_API_KEY", "none"),
        ("OPENAI_BASE_URL", "{url}/v1"),
        ("OPENAI_MODEL", "scripted-model"),
        ("QWEN_CODE_NO_RELAUNCH", "1"),
    ],
    files: &[],
    shell: Tool {
        name: "run_shell_command",
        call: |line| json!({"command": line, "is_background": false}),
    },
    write: Write {
        name: "write_file",
        call: |path, text| json!({"file_path": path, "content": text}),
    },
    spawn: Some(Tool {
        name: "agent",
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
            args: &["--approval-mode", "default", "--auth-type", "openai", "-p"],
        },
        Mode {
            name: "auto-edit",
            args: &[
                "--approval-mode",
                "auto-edit",
                "--auth-type",
                "openai",
                "-p",
            ],
        },
    ],
};
