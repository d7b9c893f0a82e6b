use anyhook::core::event::Map;

use super::{At, Kind, Tool, ToolError, text, texts};

/// Replaces a text in a file.
pub(super) const EDIT: Tool = Tool {
    name: "edit",
    about: "Replaces a text in a file of the project. The text has to be there exactly once.",
    kind: Kind::Edits,
    schema: || {
        let path = ("file_path", "The file, from the project's folder.");
        let old = ("old_string", "The text that is there now.");
        texts(3, &[path, old, ("new_string", "What will stand there.")])
    },
    run,
};

fn run(input: &Map, at: &At<'_>) -> Result<String, ToolError> {
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
