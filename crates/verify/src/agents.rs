//! How each agent is started without a person, with another model than its own.
//!
//! One row of `agents.yaml` for each agent. The rows were tried with the version that [`NpmPackage`] names, which the lab
//! installs; a person's own version is started in the same way.
//!
//! ```
//! use anyhook_verify::agents::{AGENTS, AgentLaunch, NpmPackage, agent};
//!
//! let AgentLaunch { program, package: NpmPackage { name, .. }, .. } = agent("claude-code").unwrap();
//! assert_eq!((program.as_str(), name.as_str()), ("claude", "@anthropic-ai/claude-code"));
//! assert!(AGENTS.iter().all(|row| anyhook::wires::host(&row.host).is_some()));
//! assert!(agent("cursor").is_none(), "it cannot be pointed at another model");
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhook::yaml;
use serde::Deserialize;
use serde_json::Value;

use crate::template::filled;

/// The place of the model's address in arguments, variables and files.
pub const URL: &str = "{url}";

/// How one agent is started.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLaunch {
    /// The host, as `--host` spells it.
    pub host: String,
    /// The program.
    pub program: String,
    /// Where the lab has it from.
    pub package: NpmPackage,
    /// The arguments before the prompt. Whatever the agent would ask a person is approved.
    pub args: Vec<String>,
    /// The variables that it needs, beside those of every agent.
    pub env: BTreeMap<String, String>,
    /// The files that it needs, below the home.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Its tool for command lines.
    pub shell: ToolTemplate,
    /// Its tool that starts a sub-agent, which is given a prompt; nothing where it has none.
    #[serde(default)]
    pub spawn: Option<ToolTemplate>,
    /// How it is started in a folder that it was never told to trust.
    #[serde(default)]
    pub untrusting: UntrustedLaunch,
    /// Its plugin of ours, where it starts no program for an event.
    #[serde(default)]
    pub plugin: Option<Plugin>,
    /// The other modes of permission in which it can be started without a person.
    #[serde(default)]
    pub modes: Vec<PermissionMode>,
}

/// A plugin by which an agent asks `anyhook serve`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plugin {
    /// The agent's folder of a person, below the home.
    pub of_person: String,
    /// The agent's folder of a project, below the project.
    pub of_project: String,
}

impl Plugin {
    /// The files, below either folder. With an installed dependency the agent fetches none.
    pub const FILES: &[(&str, &str)] = &[
        (
            "plugins/anyhook-plugin.js",
            include_str!("../../../clients/opencode/anyhook-plugin.js"),
        ),
        (
            "plugins/anyhook.mjs",
            include_str!("../../../clients/typescript/anyhook.mjs"),
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"\": {\"dependencies\": {\"@opencode-ai/plugin\": \"1.18.33\"}}}}\n",
        ),
        ("node_modules/.keep", ""),
    ];
}

/// A package of npm.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NpmPackage {
    /// Its name.
    pub name: String,
    /// The version that the lab runs.
    pub version: String,
}

/// A tool, and how it is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolTemplate {
    /// Its name.
    pub name: String,
    /// The arguments of a call, with a place for a text.
    pub call: Value,
}

impl ToolTemplate {
    /// Calls it with a text.
    pub fn with(&self, text: &str) -> (String, Value) {
        let call = filled(&self.call, &[("text", text.into())]);
        (self.name.clone(), call)
    }
}

/// A mode of permission.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionMode {
    /// Its name, as in a truth file.
    pub name: String,
    /// The arguments before the prompt.
    pub args: Vec<String>,
}

/// How an agent is started in a folder that it was never told to trust.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UntrustedLaunch {
    /// Other arguments, where its own say that it is trusted.
    pub args: Option<Vec<String>>,
    /// The variables that are left out.
    pub without: Vec<String>,
}

/// Every agent that can be asked.
pub static AGENTS: LazyLock<Vec<AgentLaunch>> =
    LazyLock::new(|| yaml::read(include_str!("agents.yaml")).unwrap_or_default());

/// Finds the row of a host.
pub fn agent(host: &str) -> Option<&'static AgentLaunch> {
    AGENTS.iter().find(|agent| agent.host == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read() {
        let rows: Vec<AgentLaunch> = yaml::read(include_str!("agents.yaml")).unwrap();
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[1].shell.with("ls").1["cmd"], "ls");
    }
}
