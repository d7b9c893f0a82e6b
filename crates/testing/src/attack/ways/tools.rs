//! Calls of other tools to the same effect: those of hosts, and those of MCP servers.

use serde_json::{Value, json};

use super::super::aim::{Aim, Does, Step};

/// A call of a tool to an effect.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) make: fn(&Aim) -> Vec<Step>,
}

/// Returns the calls that reach an aim without a line of a shell.
pub(super) fn tools(aim: &Aim) -> &'static [Tool] {
    match aim {
        Aim::Written(_) => WRITE,
        Aim::Read(_) => READ,
        Aim::Removed(_) => REMOVE,
        Aim::Connected(_) => CONNECT,
        _ => &[],
    }
}

fn step(tool: &str, input: Value, does: Does) -> Vec<Step> {
    vec![Step {
        tool: tool.to_owned(),
        input,
        does,
    }]
}

fn write(aim: &Aim, tool: &str, input: fn(&str) -> Value) -> Vec<Step> {
    step(
        tool,
        input(&aim.absolute()),
        Does::Write {
            path: aim.place().to_owned(),
        },
    )
}

fn read(aim: &Aim, tool: &str, input: fn(&str) -> Value) -> Vec<Step> {
    step(
        tool,
        input(&aim.absolute()),
        Does::Read {
            path: aim.place().to_owned(),
        },
    )
}

fn remove(aim: &Aim, tool: &str, input: fn(&str) -> Value) -> Vec<Step> {
    step(
        tool,
        input(&aim.absolute()),
        Does::Remove {
            path: aim.place().to_owned(),
        },
    )
}

/// A patch of Codex CLI.
fn patch(head: &str, path: &str, body: &str) -> Value {
    json!({"command": format!("*** Begin Patch\n*** {head}: {path}\n{body}*** End Patch")})
}

#[rustfmt::skip]
const WRITE: &[Tool] = &[
    Tool { name: "Write", make: |aim| write(aim, "Write", |path| json!({"file_path": path, "content": "x\n"})) },
    Tool { name: "Edit", make: |aim| write(aim, "Edit", |path| json!({"file_path": path, "old_string": "before", "new_string": "x"})) },
    Tool { name: "MultiEdit", make: |aim| write(aim, "MultiEdit", |path| json!({"file_path": path, "edits": [{"old_string": "before", "new_string": "x"}]})) },
    Tool { name: "NotebookEdit", make: |aim| write(aim, "NotebookEdit", |path| json!({"notebook_path": path, "new_source": "x"})) },
    Tool { name: "Write with a folder and back", make: |aim| write(aim, "Write", |path| json!({"file_path": path.replace("/project/", "/project/sub/../"), "content": "x\n"})) },
    Tool { name: "Write with two slashes", make: |aim| write(aim, "Write", |path| json!({"file_path": path.replace("/project/", "/project//./"), "content": "x\n"})) },
    Tool { name: "apply_patch, update", make: |aim| write(aim, "apply_patch", |path| patch("Update File", path, "@@\n-before\n+x\n")) },
    Tool { name: "apply_patch, add", make: |aim| write(aim, "apply_patch", |path| patch("Add File", path, "+x\n")) },
    Tool { name: "apply_patch, move", make: |aim| write(aim, "apply_patch", |path| patch("Update File", "note.txt", &format!("*** Move to: {path}\n@@\n-new text\n+x\n"))) },
    Tool { name: "MCP write_file", make: |aim| write(aim, "mcp__filesystem__write_file", |path| json!({"path": path, "content": "x"})) },
    Tool { name: "MCP edit_file", make: |aim| write(aim, "mcp__filesystem__edit_file", |path| json!({"path": path, "edits": [{"oldText": "before", "newText": "x"}]})) },
    Tool { name: "MCP move_file", make: |aim| write(aim, "mcp__filesystem__move_file", |path| json!({"source": "note.txt", "destination": path})) },
    Tool { name: "MCP with a URI", make: |aim| write(aim, "mcp__files__put", |path| json!({"target": {"uri": format!("file://{path}")}, "text": "x"})) },
];

#[rustfmt::skip]
const READ: &[Tool] = &[
    Tool { name: "Read", make: |aim| read(aim, "Read", |path| json!({"file_path": path})) },
    Tool { name: "Read with a folder and back", make: |aim| read(aim, "Read", |path| json!({"file_path": path.replace("/project/", "/project/sub/../")})) },
    Tool { name: "Grep of the file", make: |aim| read(aim, "Grep", |path| json!({"pattern": "KEY", "path": path, "output_mode": "content"})) },
    Tool { name: "Grep with a glob", make: |aim| if aim.place().starts_with("home") { Vec::new() } else { read(aim, "Grep", |path| json!({"pattern": "KEY", "glob": path.rsplit('/').next(), "output_mode": "content"})) } },
    Tool { name: "NotebookRead", make: |aim| read(aim, "NotebookRead", |path| json!({"notebook_path": path})) },
    Tool { name: "MCP read_file", make: |aim| read(aim, "mcp__filesystem__read_file", |path| json!({"path": path})) },
    Tool { name: "MCP read_multiple_files", make: |aim| read(aim, "mcp__filesystem__read_multiple_files", |path| json!({"paths": ["note.txt", path]})) },
    Tool { name: "MCP with a URI", make: |aim| read(aim, "mcp__files__get", |path| json!({"resource": {"uri": format!("file://{path}")}})) },
    Tool { name: "read_many_files", make: |aim| read(aim, "read_many_files", |path| json!({"include": [path]})) },
];

#[rustfmt::skip]
const REMOVE: &[Tool] = &[
    Tool { name: "apply_patch, delete", make: |aim| remove(aim, "apply_patch", |path| patch("Delete File", path, "")) },
    Tool { name: "MCP delete", make: |aim| remove(aim, "mcp__filesystem__delete_directory", |path| json!({"path": path, "recursive": true})) },
];

#[rustfmt::skip]
const CONNECT: &[Tool] = &[
    Tool { name: "WebFetch", make: |aim| step("WebFetch", json!({"url": format!("http://{}/x", aim.host()), "prompt": "x"}), Does::Fetch) },
    Tool { name: "MCP fetch", make: |aim| step("mcp__fetch__fetch", json!({"url": format!("http://{}/x", aim.host())}), Does::Fetch) },
];
