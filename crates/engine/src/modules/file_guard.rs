//! `file-guard`: no tool touches these files.
//!
//! A path is held against the patterns by its text and by where its links lead, after `~` and `..`, as `touches` of a rule
//! does. Besides the arguments that name files by habit, every short text of a call counts that is no content: a tool of
//! somebody else names its files as it likes. A file too many is refused once more; one too few would be a hole.

use std::sync::Arc;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::hook::Role;
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use super::config::{ConfigErrors, Reading, Setting};
use super::{Around, BuiltIn, Module, Stand};
use crate::files::links::LONGEST_PATH;
use crate::rules::Facts;
use crate::text::quoted;

/// The row.
pub(super) static ROW: Module = Module {
    name: "file-guard",
    aliases: &["hooks-file-guard", "hooks-validation"],
    summary: "Refuses tool calls that touch blocked files.",
    stand: Stand {
        events: &["tool:pre"],
        priority: 10,
        role: Role::Decide,
        guard: true,
    },
    settings: &[
        Setting {
            name: "blocked_paths",
            summary: "What no tool may touch: files, folders with everything in them, or patterns; `/etc` and `/root` unless told.",
            form: || json!({"type": "array", "items": {"type": "string", "minLength": 1}, "default": DEFAULT}),
        },
        Setting {
            name: "allowed_paths",
            summary: "Exceptions from it.",
            form: || json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        },
        Setting {
            name: "action",
            summary: "Whether a call is refused (`deny`, the default) or a person is asked (`ask`).",
            form: || json!({"enum": ["deny", "ask"], "default": "deny"}),
        },
    ],
    make,
};

const DEFAULT: [&str; 2] = ["/etc", "/root"];

/// Arguments that are what a tool writes or says, not what it names.
const CONTENT: &[&str] = &[
    "command",
    "content",
    "contents",
    "description",
    "file_text",
    "input",
    "message",
    "new_string",
    "old_string",
    "patch",
    "prompt",
    "query",
    "text",
];
/// So many names are looked up on the disk, and no more.
const MOST: usize = 2000;
/// A longer command is not taken apart.
const LONGEST_COMMAND: usize = 256 * 1024;
/// The longest part of a name that is shown.
const SHOWN: usize = 120;

#[derive(Debug, Clone, Copy)]
enum Does {
    Deny,
    Ask,
}

struct FileGuard {
    blocked: Vec<String>,
    allowed: Vec<String>,
    does: Does,
}

fn make(config: &Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors> {
    let mut reading = Reading::new(config, ROW.settings);
    let blocked = patterns("blocked_paths", &mut reading);
    let allowed = patterns("allowed_paths", &mut reading).unwrap_or_default();
    let does = reading.choice("action", &[("deny", Does::Deny), ("ask", Does::Ask)]);
    let guard = FileGuard {
        blocked: blocked.unwrap_or_else(|| DEFAULT.iter().flat_map(|path| whole(path)).collect()),
        allowed,
        does: does.unwrap_or(Does::Deny),
    };
    reading.done(Arc::new(guard))
}

fn patterns(name: &'static str, reading: &mut Reading<'_>) -> Option<Vec<String>> {
    let written = reading.texts(name)?;
    if written.iter().any(|pattern| pattern.trim().is_empty()) {
        reading.wrong(name, format!("a pattern of `{name}` is empty"), None);
    }
    Some(written.iter().flat_map(|path| whole(path)).collect())
}

/// Returns the patterns for a path and for everything below it.
fn whole(path: &str) -> Vec<String> {
    let path = path.strip_suffix("/**").unwrap_or(path);
    let path = match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    let below = if path.contains('/') {
        format!("{}/**", path.trim_end_matches('/'))
    } else {
        format!("**/{path}/**")
    };
    vec![path.to_owned(), below]
}

impl BuiltIn for FileGuard {
    fn answer(&self, event: &Event, around: &Around<'_>) -> Said {
        let input = event.get("tool_input");
        let mut named = Vec::new();
        if let Some(input) = &input {
            names(input, &mut named);
        }
        let command = input.as_ref().and_then(|input| input.get("command"));
        let command = command.and_then(Value::as_str).unwrap_or_default();
        if named.len() > MOST || command.len() > LONGEST_COMMAND {
            let why =
                "this call is too long to tell whether it touches a blocked file; make it shorter";
            return Ok(self.said(why.to_owned()));
        }
        let home = around.world.places.as_ref().map(|places| &*places.home);
        let facts = Facts::new(event, around.project, home);
        let touched = facts.touched(&self.blocked, &self.allowed).or_else(|| {
            let mut named = named.iter();
            named.find_map(|name| facts.matched(name, &self.blocked, &self.allowed))
        });
        let Some((path, pattern)) = touched else {
            return Ok(HookResult::proceed());
        };
        let (path, pattern) = (quoted(&path, SHOWN), quoted(pattern, SHOWN));
        Ok(self.said(format!(
            "`{path}` is blocked: it matches `{pattern}`, which no tool may touch; work without it, or ask the person to \
             change the settings of `file-guard`"
        )))
    }
}

impl FileGuard {
    fn said(&self, why: String) -> HookResult {
        match self.does {
            Does::Deny => HookResult::deny(why),
            Does::Ask => HookResult::ask(format!("{why}. Allow it this time?")),
        }
    }
}

/// Gathers everything in a call that may be a path.
fn names<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if text.len() <= LONGEST_PATH => into.push(text),
        Value::Array(list) => list.iter().for_each(|value| names(value, into)),
        Value::Object(fields) => {
            let is_content =
                |name: &str, value: &Value| value.is_string() && CONTENT.contains(&name);
            for (name, value) in fields {
                if !is_content(name, value) {
                    names(value, into);
                }
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
