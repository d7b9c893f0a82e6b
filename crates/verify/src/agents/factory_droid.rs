//! Factory Droid, with a model of one's own.

use serde_json::json;

use super::{Agent, Mode, Package, Tool, Untrusting, Write};

/// The model; its key is named and not needed.
const SETTINGS: &str = r#"{
  "customModels": [
    {
      "model": "scripted-model",
      "displayName": "scripted",
      "baseUrl": "{url}/v1",
      "apiKey": "none",
      "provider": "generic-chat-completion-api",
      "maxOutputTokens": 4096
    }
  ]
}
"#;

pub(super) static AGENT: Agent = Agent {
    host: "factory-droid",
    program: "droid",
    package: Package {
        name: "droid",
        version: "0.215.0",
    },
    args: &[
        "exec",
        "-m",
        "custom:scripted-model",
        "--skip-permissions-unsafe",
    ],
    env: &[
        // It looks at the form of the key, and asks no server about it.
        ("FACTORY_API_KEY", "fk-none"),
        ("FACTORY_DROID_AUTO_UPDATE_ENABLED", "false"),
    ],
    files: &[(".factory/settings.json", SETTINGS)],
    shell: Tool {
        name: "Execute",
        call: |line| {
            json!({
                "command": line,
                "summary": "Makes an empty probe file",
                "riskLevelReason": "It makes an empty file.",
                "riskLevel": "low",
            })
        },
    },
    write: Write {
        name: "Create",
        call: |path, text| json!({"file_path": path, "content": text}),
    },
    spawn: Some(Tool {
        name: "Task",
        call: |prompt| {
            json!({
                "subagent_type": "worker",
                "description": "Runs a probe",
                "prompt": prompt,
                "await": true,
            })
        },
    }),
    untrusting: Untrusting::AS_EVER,
    plugin: None,
    modes: &[
        Mode {
            name: "default",
            args: &["exec", "-m", "custom:scripted-model"],
        },
        Mode {
            name: "auto-low",
            args: &["exec", "-m", "custom:scripted-model", "--auto", "low"],
        },
        Mode {
            name: "auto-high",
            args: &["exec", "-m", "custom:scripted-model", "--auto", "high"],
        },
    ],
};
