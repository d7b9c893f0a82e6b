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

const fn tool(
    name: &'static str,
    is: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> Tool {
    Tool {
        name,
        is,
        arguments,
    }
}

/// The tools, under the names of the camelCase form and those of the `PascalCase` form, which has Claude Code's names and
/// Copilot's arguments. Names of MCP tools are read apart ([`server_tool`]).
pub(in crate::hosts) static TOOLS: Tools = Tools {
    rows: &[
        tool("bash", "Bash", &[]),
        tool("powershell", "Bash", &[]),
        tool("view", "Read", FILE),
        tool("create", "Write", CREATE),
        tool("edit", "Edit", EDIT),
        tool("str_replace", "Edit", EDIT),
        tool("str_replace_editor", "str_replace_editor", EDITOR),
        tool("apply_patch", "apply_patch", PATCH),
        tool("git_apply_patch", "apply_patch", PATCH),
        tool("grep", "Grep", &[]),
        tool("rg", "Grep", &[]),
        tool("glob", "Glob", &[]),
        tool("web_fetch", "WebFetch", &[]),
        tool("web_search", "WebSearch", &[]),
        tool("ask_user", "AskUserQuestion", &[]),
        tool("update_todo", "TodoWrite", &[]),
        tool("task", "Agent", &[]),
        tool("skill", "Skill", &[]),
        tool("Bash", "Bash", &[]),
        tool("Read", "Read", FILE),
        tool("Write", "Write", CREATE),
        tool("Edit", "Edit", EDIT),
        tool("Grep", "Grep", &[]),
        tool("Glob", "Glob", &[]),
        tool("WebFetch", "WebFetch", &[]),
        tool("WebSearch", "WebSearch", &[]),
        tool("AskUserQuestion", "AskUserQuestion", &[]),
        tool("TodoWrite", "TodoWrite", &[]),
        tool("Task", "Agent", &[]),
        tool("Agent", "Agent", &[]),
        tool("Skill", "Skill", &[]),
    ],
    mcp: None,
};

/// What the gates of the `PascalCase` form call the tools of anybody else. A patch is an edit there.
pub(super) static CLAUDE: Tools = Tools {
    rows: &[
        tool("Read", "Read", FILE),
        tool("Write", "Write", CREATE),
        tool("Edit", "Edit", EDIT),
        tool("Edit", "str_replace_editor", EDITOR),
        tool("Edit", "apply_patch", PATCH),
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
