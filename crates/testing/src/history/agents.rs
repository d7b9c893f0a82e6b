//! The agents of a history, and what they send: the payloads of their protocols with another session, call and input.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// An agent: the names of its events, and where in a payload a command or a file stands.
pub(super) struct Agent {
    pub(super) host: &'static str,
    pub(super) version: &'static str,
    pub(super) begins: &'static str,
    pub(super) prompt: (&'static str, &'static str),
    pub(super) command: (&'static str, &'static str),
    pub(super) ran: (&'static str, &'static str),
    pub(super) file: (&'static str, &'static str),
    pub(super) ends: &'static str,
}

pub(super) const AGENTS: &[Agent] = &[
    Agent {
        host: "claude-code",
        version: "2.1.330",
        begins: "SessionStart",
        prompt: ("UserPromptSubmit", "/prompt"),
        command: ("PreToolUse", "/tool_input/command"),
        ran: ("PostToolUse", "/tool_input/command"),
        file: ("PreToolUse", "/tool_input/file_path"),
        ends: "Stop",
    },
    Agent {
        host: "codex-cli",
        version: "0.169.0",
        begins: "SessionStart",
        prompt: ("UserPromptSubmit", "/prompt"),
        command: ("PreToolUse", "/tool_input/command"),
        ran: ("PostToolUse", "/tool_input/command"),
        file: ("PreToolUse", "/tool_input/path"),
        ends: "Stop",
    },
    Agent {
        host: "gemini-cli",
        version: "0.61.0",
        begins: "SessionStart",
        prompt: ("BeforeAgent", "/prompt"),
        command: ("BeforeTool", "/tool_input/command"),
        ran: ("AfterTool", "/tool_input/command"),
        file: ("BeforeTool", "/tool_input/file_path"),
        ends: "AfterAgent",
    },
    Agent {
        host: "copilot-cli",
        version: "1.0.102",
        begins: "sessionStart",
        prompt: ("userPromptSubmitted", "/prompt"),
        command: ("preToolUse", "/toolArgs/command"),
        ran: ("postToolUse", "/toolArgs/command"),
        file: ("preToolUse", "/toolArgs/path"),
        ends: "agentStop",
    },
    Agent {
        host: "cursor",
        version: "3.18.2",
        begins: "sessionStart",
        prompt: ("beforeSubmitPrompt", "/prompt"),
        command: ("beforeShellExecution", "/command"),
        ran: ("afterShellExecution", "/command"),
        file: ("beforeReadFile", "/file_path"),
        ends: "stop",
    },
];

/// The folders that the payloads name as the project.
const RECORDED_IN: [&str; 2] = ["/home/dev/shop", "/home/dev/demo"];

/// The payloads of the protocols, and the recorded session.
pub(super) struct Payloads {
    /// By agent and event.
    of: BTreeMap<(String, String), Vec<Value>>,
    /// The recorded session of Claude Code.
    pub(super) session: Vec<Value>,
}

impl Payloads {
    /// Reads them below the folder `fixtures`.
    pub(super) fn read(fixtures: &Path) -> Result<Self, Box<dyn Error>> {
        let mut of = BTreeMap::<_, Vec<Value>>::new();
        for agent in AGENTS {
            let mut files: Vec<_> = fs::read_dir(fixtures.join("hosts").join(agent.host))?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
                .collect();
            files.sort();
            for path in files {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let event = name.split('.').next().unwrap_or_default().to_owned();
                let all: Vec<Value> = serde_json::from_slice(&fs::read(&path)?)?;
                let key = (agent.host.to_owned(), event);
                of.entry(key)
                    .or_default()
                    .extend(all.into_iter().filter(Value::is_object));
            }
        }
        let recorded = fs::read_to_string(fixtures.join("sessions/shop.jsonl"))?;
        let session: Result<_, _> = recorded.lines().map(serde_json::from_str).collect();
        Ok(Self {
            of,
            session: session?,
        })
    }

    /// Returns an event with its first payload that has a text at a place, with another text there.
    pub(super) fn with(
        &self,
        agent: &Agent,
        (event, place): (&str, &str),
        text: &str,
    ) -> Option<Value> {
        let all = self.of.get(&(agent.host.to_owned(), event.to_owned()))?;
        let mut payload = all
            .iter()
            .find(|one| one.pointer(place).is_some_and(Value::is_string))?
            .clone();
        *payload.pointer_mut(place)? = text.into();
        Some(payload)
    }

    /// Returns the first payload of an event.
    pub(super) fn first(&self, agent: &Agent, event: &str) -> Option<Value> {
        self.of
            .get(&(agent.host.to_owned(), event.to_owned()))?
            .first()
            .cloned()
    }

    /// Returns every event of an agent with each of its payloads.
    pub(super) fn all(&self, agent: &Agent) -> Vec<(&str, &Value)> {
        let own = self.of.iter().filter(|((host, _), _)| host == agent.host);
        own.flat_map(|((_, event), all)| all.iter().map(|one| (event.as_str(), one)))
            .collect()
    }
}

/// Puts a payload into a session, a call and a project.
pub(super) fn placed(payload: Value, session: &str, call: &str, project: &str) -> Value {
    match payload {
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let value = match &*name {
                    "session_id" | "sessionId" | "conversation_id" if value.is_string() => {
                        session.into()
                    }
                    "tool_use_id" | "toolUseId" | "tool_call_id" if value.is_string() => {
                        call.into()
                    }
                    _ => placed(value, session, call, project),
                };
                (name, value)
            };
            fields.into_iter().map(field).collect()
        }
        Value::Array(list) => {
            let list = list.into_iter();
            list.map(|one| placed(one, session, call, project))
                .collect()
        }
        Value::String(text) => RECORDED_IN
            .iter()
            .fold(text, |text, from| text.replace(from, project))
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => payload,
    }
}
