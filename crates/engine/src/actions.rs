//! What the tool call of an event does: its effects and commands, with the scripts that it runs.

use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_effects::places::{Files, Places};
use anyhook_effects::call::{self, Call};
use serde_json::Value;

use crate::files;
use crate::files::links::LONGEST_PATH;

/// The longest script that is read, in bytes.
const LONGEST_SCRIPT: u64 = 64 * 1024;

/// Where an action happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The folder in which it starts, unless the event says another one.
    pub(crate) folder: &'a Path,
    /// The project.
    pub(crate) project: &'a Path,
    /// The person's home.
    pub(crate) home: Option<&'a Path>,
}

/// Reads what the tool call of an event does; nothing for an event without a call.
pub(crate) fn of(event: &Event, around: Around<'_>) -> Option<Call> {
    let data = event.data.json();
    let tool = data.get("tool_name").and_then(Value::as_str);
    let tool = tool.or(event.subject.as_deref()).unwrap_or_default();
    let input = data.get("tool_input")?;
    let folder = data.get("cwd").and_then(Value::as_str);
    let folder = folder.filter(|folder| folder.len() <= LONGEST_PATH);
    let places = Places {
        folder: folder.map_or_else(|| around.folder.to_owned(), |own| around.folder.join(own)),
        project: around.project.to_owned(),
        home: around.home.map(Path::to_owned),
        ..Places::default()
    };
    let scripts = Scripts {
        project: around.project.to_owned(),
    };
    Some(call::read(tool, input, &places, &scripts))
}

/// The scripts of a project: the agent may have written them, so a line does what they say.
#[derive(Debug)]
struct Scripts {
    project: PathBuf,
}

impl Files for Scripts {
    fn script(&self, path: &Path) -> Option<String> {
        let path = files::links::real(path);
        if !path.starts_with(&self.project) && !path.starts_with(files::links::real(&self.project)) {
            return None;
        }
        let bytes = files::read_up_to(&path, LONGEST_SCRIPT).ok()?;
        String::from_utf8(bytes).ok()
    }
}
