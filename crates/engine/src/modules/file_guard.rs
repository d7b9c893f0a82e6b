//! `file-guard`: keeps tools from touching the listed files.
//!
//! A path is held against the patterns by its text and by where its links lead, after `~` and `..`, as `touches` of a rule
//! does, for every file that the call reads, writes or deletes: also those of a command line, and every argument of a tool of
//! another maker that can be a path.

use anyhook_core::event::Event;
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookRole;
use anyhook_core::result::HookResult;
use serde::Deserialize;

use super::config::PatternText;
use super::{BuiltInModule, Module, ModuleContext, of_settings};
use crate::text::quoted;

/// The row.
pub(super) static ROW: Module = Module {
    name: "file-guard",
    aliases: &["hooks-file-guard", "hooks-validation"],
    summary: "Refuses tool calls that touch blocked files.",
    events: &["tool:pre"],
    priority: 10,
    role: HookRole::Decide,
    guard: true,
    make: of_settings::<FileGuard>,
};

const DEFAULT: [&str; 2] = ["/etc", "/root"];

/// The longest call that is looked at, in bytes; a longer one is blocked.
const LONGEST: usize = 256 * 1024;
/// The most effects of a call whose paths are looked up on the disk; a call with more is blocked.
const MOST: usize = 2000;
/// The longest part of a name that is shown.
const SHOWN: usize = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileGuard {
    #[serde(rename = "blocked_paths", default = "usual")]
    blocked: PathPatterns,
    #[serde(rename = "allowed_paths", default)]
    allowed: PathPatterns,
    #[serde(default)]
    action: GuardAction,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GuardAction {
    #[default]
    Deny,
    Ask,
}

/// Patterns for paths and for everything below them.
#[derive(Default, Deserialize)]
#[serde(from = "Vec<PatternText>")]
struct PathPatterns(Vec<String>);

impl From<Vec<PatternText>> for PathPatterns {
    fn from(paths: Vec<PatternText>) -> Self {
        Self(paths.iter().flat_map(|path| whole(&path.0)).collect())
    }
}

fn usual() -> PathPatterns {
    PathPatterns(DEFAULT.iter().flat_map(|path| whole(path)).collect())
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

impl BuiltInModule for FileGuard {
    fn answer(&self, event: &Event, around: &ModuleContext<'_>) -> HandlerResult {
        let facts = around.facts(event);
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
        let Some((path, pattern)) = facts.touched(&self.blocked.0, &self.allowed.0) else {
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
        match self.action {
            GuardAction::Deny => HookResult::deny(why),
            GuardAction::Ask => HookResult::ask(format!("{why}. Allow it this time?")),
        }
    }
}

#[cfg(test)]
mod tests;
