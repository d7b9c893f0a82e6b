//! How each agent is started without a person, with another model than its own.
//!
//! One file and one row for each agent. The rows were tried with the version that [`Package`] names, which the lab
//! installs; a person's own version is started in the same way.
//!
//! ```
//! use anyhook_verify::agents::{AGENTS, Agent, Package, agent};
//!
//! let Agent { program, package: Package { name, .. }, .. } = agent("claude-code").unwrap();
//! assert_eq!((*program, *name), ("claude", "@anthropic-ai/claude-code"));
//! assert!(AGENTS.iter().all(|row| anyhook::wires::host(row.host).is_some()));
//! assert!(agent("cursor").is_none(), "it cannot be pointed at another model");
//! ```

mod claude_code;
mod cline;
mod codex_cli;
mod copilot_cli;
mod factory_droid;
mod gemini_cli;
mod opencode;
mod qwen_code;

use serde_json::Value;

/// What is replaced by the address of the model, in texts of a row.
pub const URL: &str = "{url}";

/// How one agent is started.
#[derive(Debug)]
pub struct Agent {
    /// The host, as `--host` spells it.
    pub host: &'static str,
    /// The program.
    pub program: &'static str,
    /// Where the lab has it from.
    pub package: Package,
    /// The arguments before the prompt. Whatever the agent would ask a person is approved.
    pub args: &'static [&'static str],
    /// The variables that it needs, beside those of every agent.
    pub env: &'static [(&'static str, &'static str)],
    /// The files that it needs, below the home.
    pub files: &'static [(&'static str, &'static str)],
    /// Its tool for command lines.
    pub shell: Tool,
    /// Its tool that writes a file: a path and a text.
    pub write: Write,
    /// Its tool that starts a sub-agent, which is given a prompt; nothing where it has none.
    pub spawn: Option<Tool>,
    /// How it is started in a folder that it was never told to trust.
    pub untrusting: Untrusting,
    /// Its plugin of ours, where it starts no program for an event.
    pub plugin: Option<Plugin>,
    /// The other modes of permission in which it can be started without a person.
    pub modes: &'static [Mode],
}

/// A plugin by which an agent asks `anyhook serve`.
#[derive(Debug, Clone, Copy)]
pub struct Plugin {
    /// The agent's folder of a person, below the home.
    pub of_person: &'static str,
    /// The agent's folder of a project, below the project.
    pub of_project: &'static str,
    /// The files, below either folder.
    pub files: &'static [(&'static str, &'static str)],
}

/// A package of npm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// The version that the lab runs.
    pub version: &'static str,
}

/// A tool, and how it is called with one text.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Writes the arguments of a call.
    pub call: fn(&str) -> Value,
}

impl Tool {
    /// Calls it.
    pub fn with(&self, text: &str) -> (String, Value) {
        (self.name.to_owned(), (self.call)(text))
    }
}

/// A tool that writes a file, and how it is called with a path and a text.
#[derive(Debug, Clone, Copy)]
pub struct Write {
    /// Its name.
    pub name: &'static str,
    /// Writes the arguments of a call.
    pub call: fn(&str, &str) -> Value,
}

/// A mode of permission.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    /// Its name, as in a truth file.
    pub name: &'static str,
    /// The arguments before the prompt, in the place of [`Agent::args`].
    pub args: &'static [&'static str],
}

/// How an agent is started that is to trust nothing.
#[derive(Debug, Clone, Copy)]
pub struct Untrusting {
    /// The arguments before the prompt; the same as ever where it is nothing.
    pub args: Option<&'static [&'static str]>,
    /// The variables that it does not get.
    pub without: &'static [&'static str],
}

impl Untrusting {
    /// As it is always started: nothing of that trusts a folder.
    pub const AS_EVER: Self = Self {
        args: None,
        without: &[],
    };
}

/// Every agent that can be pointed at another model, in the order of a page.
pub static AGENTS: &[&Agent] = &[
    &claude_code::AGENT,
    &codex_cli::AGENT,
    &gemini_cli::AGENT,
    &copilot_cli::AGENT,
    &qwen_code::AGENT,
    &factory_droid::AGENT,
    &cline::AGENT,
    &opencode::AGENT,
];

/// Finds how a host is started.
pub fn agent(host: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.host == host)
}
