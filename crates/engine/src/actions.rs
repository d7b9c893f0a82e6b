//! What a tool call does, with the scripts of the project that it runs.

use std::path::{Path, PathBuf};

use anyhook_core::event::{Event, Map};
use anyhook_effects::call;
use anyhook_effects::places::{Files, Places};
use anyhook_effects::shell::Done;
use anyhook_effects::tools::Hints;
use anyhook_wires::tools::canonical;
use serde_json::Value;

use crate::files;
use crate::files::links::{LONGEST_PATH, real};

/// The longest script that is read, in bytes.
const LONGEST_SCRIPT: u64 = 64 << 10;

/// Where a call happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The folder in which it starts.
    pub(crate) folder: &'a Path,
    /// The project.
    pub(crate) project: &'a Path,
    /// The person's home.
    pub(crate) home: Option<&'a Path>,
}

impl Around<'_> {
    /// The same as the reader of lines knows it.
    pub(crate) fn places(&self) -> Places {
        Places {
            folder: self.folder.to_owned(),
            project: self.project.to_owned(),
            home: self.home.map(Path::to_owned),
            ..Places::default()
        }
    }

    /// Reads what a call does.
    pub(crate) fn done(&self, tool: &str, input: &Value) -> Done {
        let scripts = Scripts(self.project);
        call::read(tool, input, Hints::default(), &self.places(), &scripts)
    }
}

/// The call of an event.
#[derive(Debug)]
pub(crate) struct Call<'e> {
    tool: &'e str,
    input: &'e Value,
    folder: PathBuf,
    around: Around<'e>,
}

impl<'e> Call<'e> {
    /// Returns the call of an event with this data; nothing for an event without one.
    pub(crate) fn of(event: &'e Event, data: &'e Map, around: Around<'e>) -> Option<Self> {
        let tool = data.get("tool_name").and_then(Value::as_str);
        let tool = tool.or(event.subject.as_deref()).unwrap_or_default();
        let folder = data.get("cwd").and_then(Value::as_str);
        let folder = folder.filter(|folder| folder.len() <= LONGEST_PATH);
        Some(Self {
            tool: canonical(tool),
            input: data.get("tool_input")?,
            folder: folder.map_or_else(|| around.folder.to_owned(), |own| around.folder.join(own)),
            around,
        })
    }

    /// Reads what it does.
    pub(crate) fn done(&self) -> Done {
        self.place().done(self.tool, self.input)
    }

    /// Returns its command lines and its code, as they were written.
    pub(crate) fn texts(&self) -> Vec<String> {
        call::texts(self.tool, self.input, &self.place().places())
    }

    fn place(&self) -> Around<'_> {
        Around {
            folder: &self.folder,
            ..self.around
        }
    }
}

/// The scripts of a project: the agent may have written them, so a line does what they say.
struct Scripts<'p>(&'p Path);

impl Files for Scripts<'_> {
    fn script(&self, path: &Path) -> Option<String> {
        let path = real(path);
        let is_own = path.starts_with(real(self.0));
        let bytes = is_own.then(|| files::read_up_to(&path, LONGEST_SCRIPT).ok());
        String::from_utf8(bytes.flatten()?).ok()
    }
}
