//! The fields of hooks.json in one table: the reader, the closed form, the schema and the page about the format use it.

use std::time::Duration;

use serde_json::{Value, json};

use super::group::EFFECTS;
use super::schema::{VERSION, events, then, variant};
use super::{OSES, SHELLS, data, disable, entry, sandbox, session};

/// How long a hook that is a command may take where its entry has no `timeout`.
///
/// ```
/// assert_eq!(anyhook_core::manifest::DEADLINE.as_secs(), 30);
/// ```
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A field of a manifest.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, FieldSpec, Level};
///
/// let FieldSpec { summary, form, .. } =
///     FIELDS.iter().find(|field| field.level == Level::Entry && field.name == "guard").unwrap();
/// assert!(summary.starts_with("Whether its own failure blocks"));
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
        self.of == Some("command") && !OSES.contains(&self.name) && self.name != "sandbox"
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
    field(Level::File, "version", "The version of this form; without it Anyhook warns, and takes 1.", || json!({"const": VERSION})).closed(),
    field(Level::File, "mode", "Whether the hooks of this file count: `shadow` is a dry run, in which each hook runs and is recorded, and its answer is never applied.", mode),
    field(Level::File, "description", "A note for people.", text),
    field(Level::File, "disable", "Names of hooks that are switched off, in this layer and in nearer ones, and never those of the administrator; `{\"name\": …, \"file\": …}` is the hook of one file.", disable::form),
    field(Level::File, "data", "Files of the package that are data, as `cache/**` or `rules/*.yaml` below its root: they are not trusted, hooks see the live ones, and no code is data.", data::form),
    field(Level::File, "requires", "Which versions of Anyhook the file is written for, such as `>=0.2`: another version runs none of it, and blocks what it guards.", words),
    field(Level::File, "hooks", "The hooks of each event, by any name of the event.", events).closed(),
    field(Level::File, "sandbox", "What the commands of this file may touch; see `anyhook confine`. A group and a hook can narrow it, never widen it.", sandbox::form),
    field(Level::File, "session", "Lower limits of what hooks may say to the model: `injection_size_limit`, `injection_budget_per_turn`, `strict`. A file never raises a limit.", session::form),
    field(Level::Group, "matcher", "Which subjects its hooks are for: `Write|Edit` is a list of exact names; anything but letters, digits, `_`, `-`, spaces, commas and bars makes it an unanchored pattern; `*` or nothing is all.", text).closed(),
    field(Level::Group, "effect", "Which effects its hooks are for: they are asked only about a call that has one of these, or may have it. One name, or a list.", effects),
    field(Level::Group, "hooks", "Its hooks.", || json!({"type": "array", "items": {"$ref": "#/$defs/hook"}})).closed(),
    field(Level::Group, "priority", "A lower number runs earlier among the groups of the event.", || json!({"type": "integer", "default": 0})),
    field(Level::Group, "sequential", "Whether its hooks run one after the other.", no),
    field(Level::Group, "name", "The name of its hooks in reports; without it they are named after event and place.", words),
    field(Level::Group, "mode", "As for the file.", mode),
    field(Level::Group, "sandbox", "What the commands of its hooks may touch, within what the file says.", sandbox::form),
    field(Level::Group, "description", "A note for people.", text),
    field(Level::Entry, "type", "What it does: `command` runs a program, `prompt` asks a model, `http` asks a server, `rule` answers what the file itself says, and `builtin` asks a module of Anyhook.", || json!({"enum": entry::TYPES.map(|(kind, _)| kind)})).closed(),
    field(Level::Entry, "command", "What runs. If it is only words and `${NAME}`, it runs without a shell, and each placeholder is one argument. Anything else goes to a shell, which expands the same names.", words).of("command").closed(),
    field(Level::Entry, "args", "The arguments; `command` is then a program, and no shell runs.", || json!({"type": "array", "items": {"type": "string"}})).of("command"),
    field(Level::Entry, "env", "More variables.", || json!({"type": "object", "additionalProperties": {"type": "string"}})).of("command"),
    field(Level::Entry, "cwd", "The folder it runs in, below the package. Without it: the package's folder if the project is in it, else the project.", words).of("command"),
    field(Level::Entry, "shell", "Which shell reads the command, by default `sh`. `cmd` takes no placeholders, because it would read the value as a part of the line.", || json!({"enum": SHELLS.iter().map(|shell| shell.name).collect::<Vec<_>>()})).of("command"),
    field(Level::Entry, "sandbox", "What the command may touch, within what its group and the file say. What none of them says is as for a package: it reads the project and its own folder, writes its private folder, and has no network.", sandbox::form).of("command"),
    field(Level::Entry, "windows", "Other values of `command`, `args`, `env`, `cwd` and `shell` on Windows, checked on every system. Another `command` drops `args`; `env` is added.", variant).of("command"),
    field(Level::Entry, "macos", "The same for macOS.", variant).of("command"),
    field(Level::Entry, "linux", "The same for Linux.", variant).of("command"),
    field(Level::Entry, "prompt", "The question to a model; `$ARGUMENTS` stands for the event. A prompt has 20 seconds.", words).of("prompt").closed(),
    field(Level::Entry, "url", "The address that the event is posted to: `https://`, or `http://` on this machine. The answer is read as what a command prints.", words).of("http"),
    field(Level::Entry, "headers", "More headers of the request; `$NAME` and `${NAME}` stand for variables that `allowed-env-vars` lists.", || json!({"type": "object", "additionalProperties": {"type": "string"}})).of("http"),
    field(Level::Entry, "allowed-env-vars", "The variables that headers may name.", || json!({"type": "array", "items": {"type": "string"}})).of("http").also("allowedEnvVars"),
    field(Level::Entry, "when", "A condition over the event, besides the matcher, such as `runs('git push')`.", words),
    field(Level::Entry, "then", "What a rule answers if its condition is true. Texts may hold `{{tool_input.file_path}}`.", then).of("rule"),
    field(Level::Entry, "when unknown", "What a rule does instead where its condition holds only because of what is not known of the call: `ask` a person, `confine` the command to the project without network, or take a `snapshot` and let it go on.", || json!({"enum": ["ask", "confine", "snapshot"]})).of("rule"),
    field(Level::Entry, "module", "Which built-in module answers, such as `redaction`.", words).of("builtin"),
    field(Level::Entry, "config", "The settings of that module.", || json!({"type": "object"})).of("builtin"),
    field(Level::Entry, "name", "Its name in reports, and for switching it off.", words),
    field(Level::Entry, "description", "A note for people.", text),
    field(Level::Entry, "guard", "Whether its own failure blocks the action at a gate. A guard also runs again after a later rewrite.", no),
    field(Level::Entry, "recheck", "Whether it runs again after a later rewrite of the input.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "on-failure", "What its own failure means. Without it: `deny` for a guard, a rule, and an entry or a matcher that cannot be read, else `continue`.", || json!({"enum": ["continue", "deny", "block", "halt"]})).also("onFailure"),
    field(Level::Entry, "timeout", "How many seconds it may take; fractions are allowed.", || json!({"type": "number", "exclusiveMinimum": 0, "maximum": 86400, "default": DEADLINE.as_secs()})).closed(),
    field(Level::Entry, "wait", "How many seconds an event waits for the answer to a question of this hook, where the agent cannot ask the person. `approve.wait` of the person's settings is the most, and with `false` there no event waits.", || json!({"type": "number", "exclusiveMinimum": 0, "maximum": 86400})),
    field(Level::Entry, "mode", "As for the file.", mode),
    field(Level::Entry, "once", "Whether it runs once in a session: the first time that matcher and condition select it.", no),
    field(Level::Entry, "async", "Whether it runs in the background: what it says goes out with a later event of the session, and no verdict of it counts.", no),
    field(Level::Entry, "enabled", "Whether it takes part at all.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "if-unsayable", "What Anyhook does if the agent cannot take its rewrite.", || json!({"enum": ["deny", "ask", "drop"], "default": "deny"})).also("ifUnsayable"),
];

fn text() -> Value {
    json!({"type": "string"})
}

fn words() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn effects() -> Value {
    let one = json!({"enum": EFFECTS});
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
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
