use anyhook::core::event::Map;
use serde_json::Value;

use super::{At, Kind, Tool, ToolError, text, texts};

/// Writes a file.
pub(super) struct Write;

impl Tool for Write {
    fn name(&self) -> &'static str {
        "write"
    }

    fn about(&self) -> &'static str {
        "Writes a text file of the project; one that is there is replaced."
    }

    fn schema(&self) -> Value {
        let path = ("file_path", "The file, from the project's folder.");
        texts(2, &[path, ("content", "Everything that it will hold.")])
    }

    fn kind(&self) -> Kind {
        Kind::Edits
    }

    fn run(&self, input: &Map, at: &At<'_>) -> Result<String, ToolError> {
        let (path, content) = (text(input, "file_path")?, text(input, "content")?);
        at.root.write(path, content)?;
        Ok(format!("wrote {} bytes to `{path}`", content.len()))
    }
}
