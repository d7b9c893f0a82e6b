//! The tools that the model can call: a row of `TOOLS` and of `tools.json` each.
//!
//! ```
//! use anyhook_agent::cancel::CancelToken;
//! use anyhook_agent::tools::{ToolContext, ToolKind, RootFolder, TOOLS, named};
//! use serde_json::{Map, json};
//!
//! let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
//! assert_eq!(names, ["read", "write", "edit", "bash", "spawn_agent"]);
//! assert_eq!(named("read").unwrap().kind, ToolKind::Reads);
//!
//! let place = tempfile::tempdir()?;
//! std::fs::write(place.path().join("a.txt"), "one\ntwo\n")?;
//! let root = RootFolder::open(place.path())?;
//! let cancel = CancelToken::default();
//! let at = ToolContext { root: &root, deadline: std::time::Duration::from_secs(10), cancel: &cancel };
//! let read = |path: &str| {
//!     let input = Map::from_iter([("file_path".to_owned(), json!(path))]);
//!     (named("read").unwrap().run)(&input, &at)
//! };
//! assert_eq!(read("a.txt").unwrap(), "one\ntwo\n");
//! assert!(read("../../etc/passwd").unwrap_err().0.contains("outside"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod bash;
mod root;

use std::sync::LazyLock;
use std::time::Duration;

use anyhook::core::event::Map;
use serde_json::Value;

pub use root::RootFolder;

use crate::cancel::CancelToken;
use crate::provider::ToolSpec;

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name. What it is for, and its arguments, stand in `tools.json`.
    pub name: &'static str,
    /// What it does to the world: permissions are by kind.
    pub kind: ToolKind,
    /// Does it. What hooks rewrote is what it is given.
    pub run: ToolRun,
}

/// Does what a tool is for, with these arguments.
pub type ToolRun = fn(&Map, &ToolContext<'_>) -> Result<String, ToolError>;

impl Tool {
    const fn of(name: &'static str, kind: ToolKind, run: ToolRun) -> Self {
        Self { name, kind, run }
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// It looks: calls of one turn do not meet.
    Reads,
    /// It changes files below the root.
    Edits,
    /// It runs a program.
    Runs,
    /// It starts another agent, which the loop does for it.
    Spawns,
}

/// Where a tool works.
#[derive(Debug, Clone, Copy)]
pub struct ToolContext<'a> {
    /// The folder that it may not leave.
    pub root: &'a RootFolder,
    /// How long it may take.
    pub deadline: Duration,
    /// What ends it before.
    pub cancel: &'a CancelToken,
}

/// A tool that did not do it; the model reads why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// Every tool.
pub static TOOLS: &[Tool] = &[
    Tool::of("read", ToolKind::Reads, read),
    Tool::of("write", ToolKind::Edits, write),
    Tool::of("edit", ToolKind::Edits, edit),
    Tool::of("bash", ToolKind::Runs, bash::run),
    Tool::of("spawn_agent", ToolKind::Spawns, |_, _| {
        Err(ToolError("agents are started by the loop only".into()))
    }),
];

/// The same tools, as a model reads them.
pub(crate) static SPECS: LazyLock<Vec<ToolSpec>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools/tools.json")).unwrap_or_default());

/// Returns the tool of this name.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

fn read(input: &Map, at: &ToolContext<'_>) -> Result<String, ToolError> {
    at.root.read(text(input, "file_path")?)
}

fn write(input: &Map, at: &ToolContext<'_>) -> Result<String, ToolError> {
    let (path, content) = (text(input, "file_path")?, text(input, "content")?);
    at.root.write(path, content)?;
    Ok(format!("wrote {} bytes to `{path}`", content.len()))
}

fn edit(input: &Map, at: &ToolContext<'_>) -> Result<String, ToolError> {
    let path = text(input, "file_path")?;
    let (old, new) = (text(input, "old_string")?, text(input, "new_string")?);
    let content = at.root.read(path)?;
    let found = match old {
        "" => 0,
        old => content.matches(old).count(),
    };
    if found != 1 {
        let told = format!("`old_string` is {found} times in `{path}`; it has to be there once");
        return Err(ToolError(told));
    }
    at.root.write(path, &content.replacen(old, new, 1))?;
    Ok(format!("changed `{path}`"))
}

/// Returns a text among the arguments.
fn text<'a>(input: &'a Map, field: &str) -> Result<&'a str, ToolError> {
    let given = input.get(field).and_then(Value::as_str);
    given.ok_or_else(|| ToolError(format!("the argument `{field}` has to be a text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described() {
        let described = SPECS.iter().map(|spec| spec.name.as_str());
        assert!(described.eq(TOOLS.iter().map(|tool| tool.name)));
    }
}
