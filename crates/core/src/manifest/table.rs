//! The fields of hooks.json in one table: the reader, the closed form, the schema and the page about the format use it.

use serde_json::{Value, json};

use super::schema::{VERSION, events, then, variant};
use super::{OSES, SHELLS, entry, session};

/// A field of a manifest.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, FieldSpec, Level};
///
/// let FieldSpec { summary, form, .. } =
///     FIELDS.iter().find(|field| field.level == Level::Entry && field.name == "guard").unwrap();
/// assert!(summary.starts_with("Whether its own failure refuses"));
/// assert_eq!(form(), serde_json::json!({"type": "boolean", "default": false}));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The object that it is a field of.
    pub level: Level,
    /// Its name.
    pub name: &'static str,
    /// What it means, as one sentence.
    pub summary: &'static str,
    /// What it holds, as a JSON Schema.
    pub form: fn() -> Value,
    /// The type of hook that it belongs to; `None` if it belongs to every type, or to no hook.
    pub of: Option<&'static str>,
    /// The same name as Claude Code would write it, which is read as well.
    pub also: Option<&'static str>,
    /// Whether the closed form has it.
    pub closed: bool,
}

/// The objects of a manifest, from the outermost.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, Level};
///
/// let levels = |name| FIELDS.iter().filter(move |field| field.name == name).map(|field| field.level);
/// assert_eq!(levels("mode").collect::<Vec<_>>(), [Level::File, Level::Group, Level::Entry]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The whole file.
    File,
    /// A group of hooks.
    Group,
    /// One hook.
    Entry,
}

const fn field(
    level: Level,
    name: &'static str,
    summary: &'static str,
    form: fn() -> Value,
) -> FieldSpec {
    FieldSpec {
        level,
        name,
        summary,
        form,
        of: None,
        also: None,
        closed: false,
    }
}

impl FieldSpec {
    const fn of(mut self, kind: &'static str) -> Self {
        self.of = Some(kind);
        self
    }

    const fn also(mut self, name: &'static str) -> Self {
        self.also = Some(name);
        self
    }

    const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Tells whether one system may have it otherwise than the others.
    pub(super) fn varies(&self) -> bool {
        self.of == Some("command") && !OSES.contains(&self.name)
    }
}

/// Returns the fields of one object.
pub(super) fn of(level: Level) -> impl Iterator<Item = &'static FieldSpec> {
    FIELDS.iter().filter(move |field| field.level == level)
}

/// Returns the names of fields.
pub(super) fn names<'a>(fields: impl Iterator<Item = &'a FieldSpec>) -> Vec<&'static str> {
    fields.map(|field| field.name).collect()
}

/// The name of a field as the table has it: some are also written as Claude Code would write them.
pub(super) fn canonical(name: &str) -> &str {
    if !name.bytes().any(|letter| letter.is_ascii_uppercase()) {
        return name;
    }
    let field = FIELDS.iter().find(|field| field.also == Some(name));
    field.map_or(name, |field| field.name)
}

/// Every field of a manifest.
///
/// ```
/// use anyhook_core::manifest::FIELDS;
/// assert!(FIELDS.iter().any(|field| field.name == "timeout"));
/// ```
#[rustfmt::skip]
pub static FIELDS: &[FieldSpec] = &[
    field(Level::File, "$schema", "Where this schema is, for an editor.", text),
    field(Level::File, "version", "The version of this format.", || json!({"const": VERSION})).closed(),
    field(Level::File, "mode", "Whether the hooks of this file count: `shadow` asks and records them, and applies nothing.", mode),
    field(Level::File, "description", "A note for people.", text),
    field(Level::File, "disable", "The names of hooks that are switched off: of this file, and of layers nearer than its own. Never those of the administrator.", || json!({"type": "array", "items": words()})),
    field(Level::File, "hooks", "The hooks of each event, by any name of the event.", events).closed(),
    field(Level::File, "session", "Lower limits of what hooks may say to the model in a session; a file never raises them.", session::form),
    field(Level::Group, "matcher", "Which subjects its hooks are asked about: `Write|Edit` is a list of exact names, anything but letters, digits, `_`, `-`, spaces, commas and bars is an unanchored pattern, and nothing is all.", text).closed(),
    field(Level::Group, "hooks", "Its hooks.", || json!({"type": "array", "items": {"$ref": "#/$defs/hook"}})).closed(),
    field(Level::Group, "priority", "Its place among the groups of the event: lower is asked earlier.", || json!({"type": "integer", "default": 0})),
    field(Level::Group, "sequential", "Whether its hooks are asked one after the other.", no),
    field(Level::Group, "name", "The name of its hooks in reports.", words),
    field(Level::Group, "mode", "Whether its hooks count: `shadow` asks and records them, and applies nothing.", mode),
    field(Level::Group, "description", "A note for people.", text),
    field(Level::Entry, "type", "What it does: run a command, ask a model, say what the file itself says, or ask a module that is built in.", || json!({"enum": entry::TYPES.map(|(kind, _)| kind)})).closed(),
    field(Level::Entry, "command", "What runs. Words and `${NAME}` alone run without a shell, each placeholder one argument; anything else is given to a shell.", words).of("command").closed(),
    field(Level::Entry, "args", "The arguments; then `command` is a program, and no shell is asked.", || json!({"type": "array", "items": {"type": "string"}})).of("command"),
    field(Level::Entry, "env", "Variables beside the inherited ones.", || json!({"type": "object", "additionalProperties": {"type": "string"}})).of("command"),
    field(Level::Entry, "cwd", "The folder to run in, below the package.", words).of("command"),
    field(Level::Entry, "shell", "The shell that reads the command line.", || json!({"enum": SHELLS.iter().map(|shell| shell.name).collect::<Vec<_>>()})).of("command"),
    field(Level::Entry, "windows", "What of the command is otherwise on Windows.", variant).of("command"),
    field(Level::Entry, "macos", "What of the command is otherwise on macOS.", variant).of("command"),
    field(Level::Entry, "linux", "What of the command is otherwise on Linux.", variant).of("command"),
    field(Level::Entry, "prompt", "What a model is asked; `$ARGUMENTS` stands for the event.", words).of("prompt").closed(),
    field(Level::Entry, "when", "The condition under which it is asked: an expression over the event, such as `runs('git push')`.", words),
    field(Level::Entry, "then", "What a rule says where its condition holds. Texts may hold `{{tool_input.file_path}}`.", then).of("rule"),
    field(Level::Entry, "module", "Which built-in module is asked, such as `redaction`.", words).of("builtin"),
    field(Level::Entry, "config", "The settings of that module.", || json!({"type": "object"})).of("builtin"),
    field(Level::Entry, "name", "Its name in reports, and for switching it off.", words),
    field(Level::Entry, "description", "A note for people.", text),
    field(Level::Entry, "guard", "Whether its own failure refuses, and a later rewrite brings it back.", no),
    field(Level::Entry, "recheck", "Whether a later rewrite of the input brings it back.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "on-failure", "What its own failure means.", || json!({"enum": ["continue", "deny", "block", "halt"]})).also("onFailure"),
    field(Level::Entry, "timeout", "How many seconds it may take.", || json!({"type": "number", "exclusiveMinimum": 0, "maximum": 86400, "default": 30})).closed(),
    field(Level::Entry, "mode", "Whether it counts: `shadow` asks and records it, and applies nothing.", mode),
    field(Level::Entry, "once", "Whether it is asked one time only in each session.", no),
    field(Level::Entry, "async", "Whether it goes on in the background: what it says is told with a later event of the session, and no verdict of it counts.", no),
    field(Level::Entry, "enabled", "Whether it takes part at all.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "if-unsayable", "What becomes of its rewrite where an agent cannot be told it.", || json!({"enum": ["deny", "ask", "drop"], "default": "deny"})).also("ifUnsayable"),
];

fn text() -> Value {
    json!({"type": "string"})
}

fn words() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn no() -> Value {
    json!({"type": "boolean", "default": false})
}

fn mode() -> Value {
    json!({"enum": ["enforce", "shadow"], "default": "enforce"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_explained_by_one_sentence() {
        for field in FIELDS {
            assert!(field.summary.ends_with('.'), "{}", field.name);
        }
    }

    #[test]
    fn a_field_of_a_type_of_hook_names_a_type_that_there_is() {
        let wrong = FIELDS.iter().filter(|field| {
            let known = |of| entry::TYPES.iter().any(|(kind, _)| *kind == of);
            field
                .of
                .is_some_and(|of| field.level != Level::Entry || !known(of))
        });
        assert_eq!(names(wrong), Vec::<&str>::new());
    }
}
