//! Which parts of a tool call name a file that it writes, and which are a command line.

use std::path::PathBuf;

use serde_json::Value;

use super::paths::{Guard, Touch};
use super::{Finding, commands};
use crate::shell;

/// Tools that only read, in lower case, of every host that we know.
const READERS: &[&str] = &[
    "codebase_search",
    "codesearch",
    "fetch",
    "file_search",
    "glob",
    "grep",
    "grep_search",
    "list",
    "list_dir",
    "list_directory",
    "ls",
    "notebookread",
    "read",
    "read_file",
    "read_many_files",
    "readfile",
    "search_file_content",
    "view",
    "view_image",
    "webfetch",
    "websearch",
];
/// Keys that hold a command line, or something that is fed to a running one.
const LINES: &[&str] = &[
    "bash",
    "chars",
    "cmd",
    "code",
    "command",
    "input",
    "powershell",
    "script",
    "shell",
    "stdin",
];
/// Keys that hold text of a file or for a model, in which a path is only mentioned.
const TEXTS: &[&str] = &[
    "content",
    "contents",
    "description",
    "explanation",
    "file_text",
    "insert_text",
    "instructions",
    "justification",
    "new_source",
    "new_str",
    "new_string",
    "newstr",
    "newstring",
    "newtext",
    "old_str",
    "old_string",
    "oldstr",
    "oldstring",
    "oldtext",
    "pattern",
    "prompt",
    "query",
    "text",
    "thought",
    "title",
    "todos",
];
/// Keys that hold the directory in which a command runs.
const PLACES: &[&str] = &["cwd", "dir", "directory", "workdir", "working_directory"];
/// How the lines of a patch begin that name a file.
const HEADERS: &[&str] = &[
    "*** Add File:",
    "*** Delete File:",
    "*** Move to:",
    "*** Update File:",
    "+++ ",
    "--- ",
    "copy to ",
    "rename from ",
    "rename to ",
];
const LONGEST_PATH: usize = 64 * 1024;
const DEEPEST: usize = 128;

/// Tells whether a tool call only reads, whatever it names.
pub(super) fn only_reads(tool: &str, input: &Value) -> bool {
    let tool = tool.to_lowercase();
    READERS.contains(&&*tool) || is_viewing(&tool, input)
}

/// Looks at one tool call that does not only read.
pub(super) fn look(guard: &Guard, tool: &str, cwd: Option<&str>, input: &Value) -> Option<Finding> {
    let tool = tool.to_lowercase();
    // Some hosts write the arguments as JSON in a string.
    let parsed = input
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let object = parsed.filter(Value::is_object);
    let input = object.as_ref().unwrap_or(input);
    let places = PLACES.iter().filter_map(|key| input.get(key)?.as_str());
    let own: Vec<&str> = places.chain(cwd).collect();
    let call = Call {
        guard,
        bases: guard.bases(&own),
        is_patch: tool.contains("patch"),
        removes: ["delete", "remove", "move", "rename"]
            .iter()
            .any(|word| tool.contains(word)),
    };
    call.value("input", input, DEEPEST)
}

/// An editor with a command `view` reads.
fn is_viewing(tool: &str, input: &Value) -> bool {
    tool.contains("edit") && input.get("command").and_then(Value::as_str) == Some("view")
}

struct Call<'a> {
    guard: &'a Guard,
    bases: Vec<PathBuf>,
    is_patch: bool,
    removes: bool,
}

impl Call<'_> {
    fn value(&self, key: &str, value: &Value, depth: usize) -> Option<Finding> {
        let Some(depth) = depth.checked_sub(1) else {
            return Some(Finding::Unclear);
        };
        match value {
            Value::String(text) => self.text(key, text),
            Value::Array(list) => {
                let line = LINES.contains(&key).then(|| line_of(list)).flatten();
                let line = line.and_then(|line| self.text(key, &line));
                line.or_else(|| list.iter().find_map(|value| self.value(key, value, depth)))
            }
            Value::Object(map) => map.iter().find_map(|(key, value)| {
                let found = self.value(&key.to_lowercase(), value, depth);
                // Some tools take many files as an object from path to content. What an argument names comes first: a
                // person is asked about a file, and not about `command`.
                found.or_else(|| self.path(key))
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn text(&self, key: &str, text: &str) -> Option<Finding> {
        if TEXTS.contains(&key) {
            return None;
        }
        if self.is_patch || text.contains("*** ") || text.contains("+++ ") {
            let found = headers(text).find_map(|path| self.path(path));
            if found.is_some() || self.is_patch {
                return found;
            }
        }
        let found = LINES
            .contains(&key)
            .then(|| commands::look(self.guard, &self.bases, text));
        let found = found.flatten();
        if found.is_some() || LINES.contains(&key) && commands::is_reading(&shell::read(text)) {
            return found;
        }
        self.path(text)
    }

    fn path(&self, text: &str) -> Option<Finding> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST_PATH || text.contains('\n') {
            return None;
        }
        let least = if self.removes {
            Touch::Holds
        } else {
            Touch::Is
        };
        let touch = self.guard.literal(&self.bases, text);
        (touch >= Some(least)).then(|| Finding::Changes(text.to_owned()))
    }
}

/// A command as a list of words. What a shell is given with `-c` is the command.
fn line_of(list: &[Value]) -> Option<String> {
    let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    let words = words?;
    let shell = words.first().and_then(|word| word.rsplit('/').next());
    match (shell, words.get(1..)) {
        (Some("sh" | "bash" | "zsh" | "dash"), Some([flag, line]))
            if flag.starts_with('-') && flag.ends_with('c') =>
        {
            Some((*line).to_owned())
        }
        _ => Some(words.join(" ")),
    }
}

fn headers(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let line = line.trim_start();
        let found = HEADERS.iter().find_map(|header| line.strip_prefix(header));
        let named = found.unwrap_or_default();
        let named = named.split('\t').next().unwrap_or_default().trim();
        let inside = named
            .strip_prefix("a/")
            .or_else(|| named.strip_prefix("b/"));
        [named, inside.unwrap_or_default()]
    })
}
