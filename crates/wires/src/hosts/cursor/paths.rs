//! Paths as Cursor writes them on Windows: `/c:/work` is `C:/work` for hooks, and goes back as it came.
//!
//! Only where the workspace is on Windows. Elsewhere such a path is one that an agent may have chosen, so that a guard
//! takes for relative what the host takes for absolute.

use anyhook_core::event::Map;
use serde_json::Value;

use super::lifted::MARK;

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
        walk(data, None, &|text, _| {
            if let Some(path) = drive(text) {
                *text = path;
            }
        });
    }
}

/// Gives the paths of a payload the form in which they came.
pub(super) fn as_they_came(data: &mut Map, raw: &Map) {
    if is_windows(raw) {
        walk(data, Some(raw), &restore);
    }
}

/// Gives the paths of arguments, in the host's own names, the form in which they came.
pub(super) fn arguments(input: &mut Map, raw: &Map) {
    let came = raw.get("tool_input").and_then(Value::as_object);
    if is_windows(raw) && !is_served(raw) {
        walk(input, came, &restore);
    }
}

fn restore(text: &mut String, came: Option<&str>) {
    if let Some(path) = came.and_then(|came| like(text, came)) {
        *text = path;
    }
}

/// Tells whether the workspace is on Windows: the host says where it is, and not the agent.
fn is_windows(data: &Map) -> bool {
    let roots = data.get(ROOTS).and_then(Value::as_array);
    let mut roots = roots.into_iter().flatten().filter_map(Value::as_str);
    roots.any(|root| drive(root).is_some() || letter(root).is_some() || root.starts_with("\\\\"))
}

fn is_served(data: &Map) -> bool {
    let tool = data.get("tool_name").and_then(Value::as_str);
    tool.is_some_and(|tool| tool.starts_with(MARK))
}

type Change = dyn Fn(&mut String, Option<&str>);

fn walk(data: &mut Map, raw: Option<&Map>, change: &Change) {
    // What a server's tool takes is the server's own business.
    let is_served = is_served(data);
    for (key, value) in data.iter_mut() {
        let came = raw.and_then(|raw| raw.get(key));
        if PATHS.contains(&&**key) {
            each(value, came, &|value, came| {
                if let Value::String(text) = value {
                    change(text, came.and_then(Value::as_str));
                }
            });
        } else if HOLDERS.contains(&&**key) && !is_served {
            each(value, came, &|value, came| {
                if let Value::Object(fields) = value {
                    walk(fields, came.and_then(Value::as_object), change);
                }
            });
        }
    }
}

/// Visits a value, or each item of a list.
fn each(value: &mut Value, came: Option<&Value>, visit: &dyn Fn(&mut Value, Option<&Value>)) {
    let Value::Array(items) = value else {
        visit(value, came);
        return;
    };
    for (at, item) in items.iter_mut().enumerate() {
        visit(item, came.and_then(|came| came.get(at)));
    }
}

/// Returns `/c:/work` as `C:/work`.
fn drive(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    let letter = letter(rest)?;
    let rest = rest.get(1..)?;
    Some(format!("{}{rest}", letter.to_ascii_uppercase()))
}

/// Returns the letter of a path that begins with a drive.
fn letter(path: &str) -> Option<char> {
    let mut letters = path.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let is_drive = letters.next() == Some(':') && matches!(letters.next(), None | Some('/' | '\\'));
    is_drive.then_some(letter)
}

/// Returns a path in the form of the one that came in its place.
fn like(path: &str, came: &str) -> Option<String> {
    let was = drive(came)?;
    if was == path {
        return Some(came.to_owned());
    }
    let own = letter(path)?;
    let given = came.strip_prefix('/').and_then(letter)?;
    let own = if given.eq_ignore_ascii_case(&own) {
        given
    } else {
        own.to_ascii_lowercase()
    };
    Some(format!("/{own}{}", path.get(1..)?))
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

    #[test]
    fn a_path_goes_back_in_the_form_in_which_it_came() {
        let table = [
            ("C:/work", "/c:/work", Some("/c:/work")),
            ("C:/other", "/c:/work", Some("/c:/other")),
            ("C:/other", "/C:/work", Some("/C:/other")),
            ("D:/other", "/C:/work", Some("/d:/other")),
            ("other", "/c:/work", None),
            ("C:/other", "C:/work", None),
        ];
        for (path, came, expected) in table {
            assert_eq!(like(path, came).as_deref(), expected, "{path} {came}");
        }
    }
}
