use super::{Kind, Tool, text, texts};

/// Writes a file.
pub(super) const WRITE: Tool = Tool {
    name: "write",
    about: "Writes a text file of the project; one that is there is replaced.",
    kind: Kind::Edits,
    schema: || {
        let path = ("file_path", "The file, from the project's folder.");
        texts(2, &[path, ("content", "Everything that it will hold.")])
    },
    run: |input, at| {
        let (path, content) = (text(input, "file_path")?, text(input, "content")?);
        at.root.write(path, content)?;
        Ok(format!("wrote {} bytes to `{path}`", content.len()))
    },
};
