//! Whether a call of a tool needs an approval.

use std::borrow::Cow;

use anyhook_core::event::Event;
use anyhook_wires::payload::named_files;
use anyhook_wires::tools;
use serde_json::Value;

use crate::lists::HARMLESS_ARGUMENTS;

/// One call of a tool.
pub(super) struct ToolCall<'e> {
    /// The tool's name, as the event says it.
    pub(super) tool: String,
    names: Vec<String>,
    pub(super) input: Cow<'e, Value>,
}

impl<'e> ToolCall<'e> {
    pub(super) fn of(event: &'e Event) -> Self {
        let data = event.text("tool_name");
        let native = event.subject.as_deref().or(data.as_deref());
        let tool = native.unwrap_or_default().to_owned();
        let all = [Some(&*tool), data.as_deref()];
        let all = all.into_iter().flatten();
        let names = all.flat_map(|name| {
            let also = tools::also(name).iter().chain(event.also).copied();
            let known = [name, tools::canonical(name)].into_iter().chain(also);
            known.map(str::to_lowercase).collect::<Vec<_>>()
        });
        Self {
            names: names.collect(),
            input: event.get("tool_input").unwrap_or(Cow::Owned(Value::Null)),
            tool,
        }
    }

    /// Tells whether the tool goes by a name, in any spelling that some host has for it.
    pub(super) fn is(&self, name: &str) -> bool {
        let wanted = [name, tools::canonical(name)].map(str::to_lowercase);
        self.names.iter().any(|own| wanted.contains(own))
    }

    /// Tells whether the tool is this one and no other: an alias that stands for several tools is not.
    pub(super) fn is_just(&self, name: &str) -> bool {
        let canonical = |name| tools::canonical(name).to_lowercase();
        canonical(&*self.tool) == canonical(name)
    }

    pub(super) fn command(&self) -> Option<&str> {
        self.input.get("command")?.as_str()
    }

    /// Tells whether the command is all that this call is about, and a shell reads it that this module can read too.
    pub(super) fn is_only_a_command(&self) -> bool {
        let own = self.tool.to_lowercase();
        let is_ours = !own.contains("powershell") && !own.contains("cmd");
        let input = self.input.as_object();
        is_ours
            && input
                .is_some_and(|input| input.keys().all(|key| HARMLESS_ARGUMENTS.contains(&&**key)))
    }

    /// What a person is asked about, in words.
    pub(super) fn action(&self) -> String {
        let files = || self.input.as_object().map(named_files).unwrap_or_default();
        match self.command() {
            Some(command) => command.to_owned(),
            None => match files() {
                none if none.is_empty() => self.tool.clone(),
                files => format!("{} {}", self.tool, files.join(" ")),
            },
        }
    }
}
