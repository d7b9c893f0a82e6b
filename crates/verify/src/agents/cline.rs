//! Cline CLI, with a model of one's own.

use serde_json::json;

use super::{Agent, Package, Tool, Untrusting, Write};

/// What `cline auth` writes.
const PROVIDERS: &str = r#"{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "modes": {},
  "providers": {
    "openai-compatible": {
      "settings": {
        "provider": "openai-compatible",
        "apiKey": "none",
        "model": "scripted-model",
        "baseUrl": "{url}/v1"
      },
      "updatedAt": "2026-01-01T00:00:00.000Z",
      "tokenSource": "manual"
    }
  }
}
"#;

pub(super) static AGENT: Agent = Agent {
    host: "cline",
    program: "cline",
    package: Package {
        name: "cline",
        version: "3.0.65",
    },
    args: &["--json", "--auto-approve", "true"],
    env: &[
        ("CLINE_NO_AUTO_UPDATE", "1"),
        ("CLINE_TELEMETRY_DISABLED", "1"),
    ],
    files: &[(".cline/data/settings/providers.json", PROVIDERS)],
    shell: Tool {
        name: "run_commands",
        call: |line| json!({"commands": [line]}),
    },
    write: Write {
        name: "editor",
        call: |path, text| json!({"path": path, "new_text": text}),
    },
    spawn: Some(Tool {
        name: "spawn_agent",
        call: |prompt| json!({"systemPrompt": "You run probes.", "task": prompt}),
    }),
    untrusting: Untrusting::AS_EVER,
    plugin: None,
    modes: &[],
};
