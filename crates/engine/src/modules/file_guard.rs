//! `file-guard`: keeps tools from touching the listed files.
//!
//! A path is held against the patterns by its text and by where its links lead, after `~` and `..`, as `touches` of a rule
//! does, for every file that the call reads, writes or deletes: also those of a command line, and every argument of a tool of
//! another maker that can be a path.

use std::sync::Arc;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::hook::Role;
use anyhook_core::result::HookResult;
use serde_json::json;

use super::config::{ConfigErrors, Reading, Setting};
use super::{Around, BuiltIn, Module, Stand};
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

/// The longest call that is looked at, in bytes; a longer one is blocked.
const LONGEST: usize = 256 * 1024;
/// The most effects of a call whose paths are looked up on the disk; a call with more is blocked.
const MOST: usize = 2000;
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
        let home = around.world.places.as_ref().map(|places| &*places.home);
        let facts = Facts::new(event, around.project, home);
        let command = event.get("tool_input");
        let command = command
            .as_ref()
            .and_then(|input| input.get("command")?.as_str());
        let is_long = command.is_some_and(|command| command.len() > LONGEST);
        if is_long || facts.effects().is_some_and(|effects| effects.len() > MOST) {
            let why =
                "this call is too long to tell whether it touches a blocked file; make it shorter";
            return Ok(self.said(why.to_owned()));
        }
        let touched = facts.touched(&self.blocked, &self.allowed);
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

#[cfg(test)]
mod tests;
