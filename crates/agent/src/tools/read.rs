use anyhook::core::event::Map;
use serde_json::Value;

use super::{At, Kind, Tool, ToolError, text, texts};

/// Reads a file.
pub(super) struct Read;

impl Tool for Read {
    fn name(&self) -> &'static str {
        "read"
    }

    fn about(&self) -> &'static str {
        "Reads a text file of the project, whole."
    }

    fn schema(&self) -> Value {
        texts(1, &[("file_path", "The file, from the project's folder.")])
    }

    fn kind(&self) -> Kind {
        Kind::Reads
    }

    fn run(&self, input: &Map, at: &At<'_>) -> Result<String, ToolError> {
        at.root.read(text(input, "file_path")?)
    }
}
