//! Paths as Cursor writes them on Windows: `/c:/work` is `C:/work` for hooks, and goes back as it came.
//!
//! Only where the workspace is on Windows. Elsewhere such a path is one that an agent may have chosen, so that a guard
//! takes for relative what the host takes for absolute.

use anyhook_core::event::Map;
use serde_json::Value;

use super::calls::MARK;

/// The fields that hold paths, in a payload and in the arguments of the host's own tools.
const PATHS: &[&str] = &[
    "cwd",
    "file_path",
    "path",
    "filePath",
    "working_directory",
    "transcript_path",
    "agent_transcript_path",
    "workspace_roots",
    "modified_files",
];

/// Fields that hold objects with paths.
const HOLDERS: &[&str] = &["attachments", "tool_input"];

const ROOTS: &str = "workspace_roots";

/// Makes the paths of a payload canonical.
pub(super) fn canonical(data: &mut Map) {
    if is_windows(data) {
        walk(data, drive);
    }
}

/// Gives the paths of arguments the form in which the payload has its own.
pub(super) fn native(input: &mut Map, payload: &Map) {
    let mut roots = roots(payload);
    if roots.any(|root| drive(root).is_some()) && !is_served(payload) {
        walk(input, slashed);
    }
}

/// Tells whether the workspace is on Windows: the host says where it is, and not the agent.
fn is_windows(data: &Map) -> bool {
    roots(data)
        .any(|root| drive(root).is_some() || letter(root).is_some() || root.starts_with("\\\\"))
}

fn roots(data: &Map) -> impl Iterator<Item = &str> {
    let roots = data.get(ROOTS).and_then(Value::as_array);
    roots.into_iter().flatten().filter_map(Value::as_str)
}

fn is_served(data: &Map) -> bool {
    let tool = data.get("tool_name").and_then(Value::as_str);
    tool.is_some_and(|tool| tool.starts_with(MARK))
}

/// Changes every path of an object.
fn walk(data: &mut Map, change: fn(&str) -> Option<String>) {
    // What a server's tool takes is the server's own business.
    let is_served = is_served(data);
    for (key, value) in data.iter_mut() {
        let items = match value {
            Value::Array(items) => &mut items[..],
            value => std::slice::from_mut(value),
        };
        for item in items {
            match item {
                Value::String(text) if PATHS.contains(&&**key) => {
                    if let Some(path) = change(text) {
                        *text = path;
                    }
                }
                Value::Object(fields) if HOLDERS.contains(&&**key) && !is_served => {
                    walk(fields, change);
                }
                _ => {}
            }
        }
    }
}

/// Returns `/c:/work` as `C:/work`.
fn drive(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    let letter = letter(rest)?;
    let rest = rest.get(1..)?;
    Some(format!("{}{rest}", letter.to_ascii_uppercase()))
}

/// Makes `/c:/x` of `C:/x`.
fn slashed(path: &str) -> Option<String> {
    let own = letter(path)?.to_ascii_lowercase();
    Some(format!("/{own}{}", path.get(1..)?))
}

/// Returns the letter of a path that begins with a drive.
fn letter(path: &str) -> Option<char> {
    let mut letters = path.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let is_drive = letters.next() == Some(':') && matches!(letters.next(), None | Some('/' | '\\'));
    is_drive.then_some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_told_from_a_folder() {
        let table = [
            ("/c:/work", Some("C:/work")),
            ("/D:\\work", Some("D:\\work")),
            ("/c:", Some("C:")),
            ("/c:work", None),
            ("/cc:/work", None),
            ("/home", None),
            ("C:/work", None),
            ("", None),
            ("/", None),
            ("/é:/x", None),
        ];
        for (path, expected) in table {
            assert_eq!(drive(path).as_deref(), expected, "{path}");
        }
    }
}
