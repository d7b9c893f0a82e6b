//! The tools that the model can call: one file and one row each.
//!
//! ```
//! use anyhook_agent::cancel::Cancel;
//! use anyhook_agent::tools::{At, Kind, Root, TOOLS, named};
//! use serde_json::{Map, json};
//!
//! let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
//! assert_eq!(names, ["read", "write", "edit", "bash", "spawn_agent"]);
//! assert_eq!(named("read").unwrap().kind, Kind::Reads);
//!
//! let place = tempfile::tempdir()?;
//! std::fs::write(place.path().join("a.txt"), "one\ntwo\n")?;
//! let root = Root::open(place.path())?;
//! let cancel = Cancel::default();
//! let at = At { root: &root, deadline: std::time::Duration::from_secs(10), cancel: &cancel };
//! let read = |path: &str| {
//!     let input = Map::from_iter([("file_path".to_owned(), json!(path))]);
//!     (named("read").unwrap().run)(&input, &at)
//! };
//! assert_eq!(read("a.txt").unwrap(), "one\ntwo\n");
//! assert!(read("../../etc/passwd").unwrap_err().0.contains("outside"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod bash;
mod edit;
mod read;
mod root;
mod spawn_agent;
mod write;

use std::time::Duration;

use anyhook::core::event::Map;
use serde_json::{Value, json};

pub use root::Root;

use crate::cancel::Cancel;
use crate::provider::ToolSpec;

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model.
    pub about: &'static str,
    /// What it does to the world: permissions are by kind.
    pub kind: Kind,
    /// Returns the JSON Schema of its arguments.
    pub schema: fn() -> Value,
    /// Does it. What hooks rewrote is what it is given.
    pub run: fn(&Map, &At<'_>) -> Result<String, ToolError>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
pub struct At<'a> {
    /// The folder that it may not leave.
    pub root: &'a Root,
    /// How long it may take.
    pub deadline: Duration,
    /// What ends it before.
    pub cancel: &'a Cancel,
}

/// A tool that did not do it; the model reads why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// Every tool.
pub static TOOLS: &[Tool] = &[
    read::READ,
    write::WRITE,
    edit::EDIT,
    bash::BASH,
    spawn_agent::SPAWN_AGENT,
];

/// Returns the tool of this name.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns a tool as a model reads it.
pub(crate) fn spec(tool: &Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name.to_owned(),
        description: tool.about.to_owned(),
        schema: (tool.schema)(),
    }
}

/// Makes the schema of arguments that are texts: each a name and what it is, the first ones required.
fn texts(required: usize, fields: &[(&str, &str)]) -> Value {
    let one = |(name, what): &(&str, &str)| {
        let about = json!({"type": "string", "description": what});
        ((*name).to_owned(), about)
    };
    let properties: Map = fields.iter().map(one).collect();
    let required = fields.iter().take(required).map(|(name, _)| *name);
    let required: Vec<&str> = required.collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Returns a text among the arguments.
fn text<'a>(input: &'a Map, field: &str) -> Result<&'a str, ToolError> {
    let given = input.get(field).and_then(Value::as_str);
    given.ok_or_else(|| ToolError(format!("the argument `{field}` has to be a text")))
}
