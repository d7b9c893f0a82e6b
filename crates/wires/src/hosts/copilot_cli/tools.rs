//! Copilot's names for tools and their arguments.

use crate::payload::{Tool, Tools};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const CREATE: &[(&str, &str)] = &[("path", "file_path"), ("file_text", "content")];
const EDIT: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];
const EDITOR: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("file_text", "content"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];
/// A patch comes bare; an object that holds one is read as well.
const PATCH: &[(&str, &str)] = &[("", "patch"), ("input", "patch")];

/// The tools, under the names of the camelCase form and those of the `PascalCase` form, which has Claude Code's names and
/// Copilot's arguments. Names of MCP tools are read apart ([`server_tool`]).
pub(in crate::hosts) static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("bash", "Bash", &[]),
        Tool::new("powershell", "Bash", &[]),
        Tool::new("view", "Read", FILE),
        Tool::new("create", "Write", CREATE),
        Tool::new("edit", "Edit", EDIT),
        Tool::new("str_replace", "Edit", EDIT),
        Tool::new("str_replace_editor", "str_replace_editor", EDITOR),
        Tool::new("apply_patch", "apply_patch", PATCH),
        Tool::new("git_apply_patch", "apply_patch", PATCH),
        Tool::new("grep", "Grep", &[]),
        Tool::new("rg", "Grep", &[]),
        Tool::new("glob", "Glob", &[]),
        Tool::new("web_fetch", "WebFetch", &[]),
        Tool::new("web_search", "WebSearch", &[]),
        Tool::new("ask_user", "AskUserQuestion", &[]),
        Tool::new("update_todo", "TodoWrite", &[]),
        Tool::new("task", "Agent", &[]),
        Tool::new("skill", "Skill", &[]),
        Tool::new("Bash", "Bash", &[]),
        Tool::new("Read", "Read", FILE),
        Tool::new("Write", "Write", CREATE),
        Tool::new("Edit", "Edit", EDIT),
        Tool::new("Grep", "Grep", &[]),
        Tool::new("Glob", "Glob", &[]),
        Tool::new("WebFetch", "WebFetch", &[]),
        Tool::new("WebSearch", "WebSearch", &[]),
        Tool::new("AskUserQuestion", "AskUserQuestion", &[]),
        Tool::new("TodoWrite", "TodoWrite", &[]),
        Tool::new("Task", "Agent", &[]),
        Tool::new("Agent", "Agent", &[]),
        Tool::new("Skill", "Skill", &[]),
    ],
    mcp: None,
};

/// What the gates of the `PascalCase` form call the tools of anybody else. A patch is an edit there.
pub(super) static CLAUDE: Tools = Tools {
    rows: &[
        Tool::new("Read", "Read", FILE),
        Tool::new("Write", "Write", CREATE),
        Tool::new("Edit", "Edit", EDIT),
        Tool::new("Edit", "str_replace_editor", EDITOR),
        Tool::new("Edit", "apply_patch", PATCH),
    ],
    mcp: None,
};

/// Cuts the name of an MCP tool, `prefix` and server and `between` and tool, where it can be cut at one place only: a
/// server or a tool whose own name has the separator could be anybody's.
pub(in crate::hosts) fn server_tool(native: &str, prefix: &str, between: char) -> Option<String> {
    let (server, tool) = native.strip_prefix(prefix)?.split_once(between)?;
    let is_sure = !server.is_empty() && !tool.is_empty() && !tool.contains(between);
    is_sure.then(|| format!("mcp__{server}__{tool}"))
}

/// Gives an MCP tool of the canonical form this host's name.
pub(super) fn native_mcp(canonical: &str) -> Option<String> {
    let (server, tool) = canonical.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("{server}-{tool}"))
}
