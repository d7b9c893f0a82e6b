use super::{Kind, Tool, text, texts};

/// Reads a file.
pub(super) const READ: Tool = Tool {
    name: "read",
    about: "Reads a text file of the project, whole.",
    kind: Kind::Reads,
    schema: || texts(1, &[("file_path", "The file, from the project's folder.")]),
    run: |input, at| at.root.read(text(input, "file_path")?),
};
