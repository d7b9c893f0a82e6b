//! `OpenCode`, with a model of one's own and our plugin.

use serde_json::json;

use super::{Agent, Mode, Package, Plugin, Tool, Untrusting, Write};

const CONFIG: &str = r#"{
  "model": "scripted/scripted-model",
  "small_model": "scripted/scripted-model",
  "autoupdate": false,
  "share": "disabled",
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "scripted",
      "options": {"baseURL": "{url}/v1", "apiKey": "none"},
      "models": {"scripted-model": {"name": "scripted", "limit": {"context": 100000, "output": 4096}}}
    }
  }
}
"#;

/// What it installed for its plugins: without this it waits for npm before it loads them.
const INSTALLED: &str = r#"{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}
"#;

pub(super) static AGENT: Agent = Agent {
    host: "opencode",
    program: "opencode",
    package: Package {
        name: "opencode-ai",
        version: "1.18.33",
    },
    args: &["run", "--auto"],
    env: &[
        ("ANYHOOK_TOKEN", "none"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ],
    files: &[(".config/opencode/opencode.json", CONFIG)],
    shell: Tool {
        name: "bash",
        call: |line| json!({"command": line, "description": "Runs a probe"}),
    },
    write: Write {
        name: "write",
        call: |path, text| json!({"filePath": path, "content": text}),
    },
    spawn: Some(Tool {
        name: "task",
        call: |prompt| json!({"description": "Runs a probe", "prompt": prompt, "subagent_type": "general"}),
    }),
    untrusting: Untrusting::AS_EVER,
    plugin: Some(Plugin {
        of_person: ".config/opencode",
        of_project: ".opencode",
        files: &[
            (
                "plugins/anyhook-plugin.js",
                include_str!("../../../../clients/opencode/anyhook-plugin.js"),
            ),
            (
                "plugins/anyhook.mjs",
                include_str!("../../../../clients/typescript/anyhook.mjs"),
            ),
            ("package-lock.json", INSTALLED),
            ("node_modules/.keep", ""),
        ],
    }),
    modes: &[Mode {
        name: "default",
        args: &["run"],
    }],
};
