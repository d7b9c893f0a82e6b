//! Tools without a canonical name: guesses from their names and arguments.

use serde_json::Value;

use super::{DEEPEST, ToolCallReader, ToolHints};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{EffectKind, Push, Target};
use crate::places::objects;
use crate::programs::{self, sql_files, sql_reaches, words};
use crate::word::Word;

/// Words of a name that say what a tool does.
const TELLING: &[(EffectKind, &[&str])] = &[
    (EffectKind::Read, words::TOOL_READS),
    (EffectKind::Write, words::TOOL_WRITES),
    (EffectKind::Delete, words::TOOL_DELETES),
    (EffectKind::Exec, words::TOOL_RUNS),
    (EffectKind::Net, words::TOOL_CONNECTS),
    (EffectKind::Push, &["push", "deploy"]),
    (EffectKind::Commit, &["commit", "merge", "rebase"]),
    (EffectKind::Discard, &["discard", "reset", "stash"]),
    (EffectKind::Install, &["install"]),
    (EffectKind::Publish, &["publish", "release"]),
    (EffectKind::Signal, &["kill", "signal", "stop", "terminate"]),
    (EffectKind::Config, words::TOOL_SETS),
];
const LONGEST_PATH: usize = 4096;

/// What is known of such a call before its strings are looked at.
struct ToolGuess {
    kinds: Vec<EffectKind>,
    sure: Certainty,
    runs: bool,
    /// Whether it runs one line on a server of shells, which stands under some key.
    is_line: bool,
}

impl ToolGuess {
    fn reads_only(&self) -> bool {
        self.kinds
            .iter()
            .all(|kind| matches!(kind, EffectKind::Read | EffectKind::Net))
    }
}

/// Reads a call of a tool whose name is no canonical one.
pub(super) fn guess(call: &mut ToolCallReader<'_>, hints: ToolHints) {
    let claims_reading = hints.reads_only == Some(true);
    let mut kinds = told_kinds(call, hints);
    let is_unclear = kinds.is_empty() && !claims_reading;
    if is_unclear {
        kinds.extend([EffectKind::Read, EffectKind::Write, EffectKind::Delete]);
    } else if kinds.is_empty() {
        kinds.push(EffectKind::Read);
    }
    let server = call.tool.split("__").nth(1).unwrap_or_default();
    let is_shell = has_word(server, words::SHELL_SERVERS);
    let is_line = |(key, _): (&String, &Value)| words::LINES.contains(&&*plain(key));
    let mut fields = call.input.as_object().into_iter().flatten();
    let guess = ToolGuess {
        is_line: is_shell && kinds.contains(&EffectKind::Exec) && !fields.any(is_line),
        runs: kinds.contains(&EffectKind::Exec) || is_shell || is_unclear,
        sure: if is_unclear {
            Certainty::Unknown
        } else {
            Likely
        },
        kinds,
    };
    let has_object = |kind: &EffectKind| {
        matches!(
            kind,
            EffectKind::Read
                | EffectKind::Write
                | EffectKind::Delete
                | EffectKind::Net
                | EffectKind::Exec
        )
    };
    for kind in guess.kinds.iter().filter(|kind| !has_object(kind)) {
        let push = (*kind == EffectKind::Push).then(|| pushed(call.tool, call.input));
        let push = push.flatten();
        call.note(
            *kind,
            push.map_or(Target::Unknown, Target::Push),
            guess.sure,
        );
    }
    call.note(EffectKind::Exec, Target::opaque(call.tool), Exact);
    // A name may count from a folder that stands in another argument.
    for (key, text) in call.input.as_object().into_iter().flatten() {
        if let Some(text) = text.as_str().filter(|_| ends(&plain(key), words::HOLDING)) {
            let home = call.at_home(text);
            let folder = call.places.folder.join(home.unwrap_or_else(|| text.into()));
            call.folders.push(folder);
        }
    }
    look(call, &guess);
    command_of(call);
    // A tool that writes, deletes or connects, and names nothing that can be read, may do so to anything, unless it is called
    // by a thing that is no file.
    let is_thing = is_of_thing(call.tool);
    for (kind, sure) in [
        (EffectKind::Write, Certainty::Unknown),
        (EffectKind::Delete, Certainty::Unknown),
        (EffectKind::Net, Likely),
    ] {
        let is_found = call.acts.effects.iter().any(|effect| effect.kind == kind);
        let is_file = kind == EffectKind::Net || !is_thing;
        let is_open = guess.kinds.contains(&kind) && !is_found && is_file;
        if is_open && !is_unclear && !claims_reading {
            call.note(kind, Target::Unknown, sure);
        }
    }
}

/// Tells whether a text may be an option by which a push does more, or a branch in a longer form.
fn leads(text: &str) -> bool {
    let mut words = text.split_whitespace();
    is_flag(text)
        || text.contains(':')
        || text.starts_with('+')
        || words.any(|word| word.starts_with('-'))
}

fn is_flag(text: &str) -> bool {
    text.contains("--") || has_word(text, words::PUSH_FLAGS)
}

/// Tells whether an argument of a push may do more than to name the branch.
fn asks_more((key, value): (&String, &Value)) -> bool {
    let plain = plain(key);
    let is_name = plain.ends_with("branch") || plain == "remote";
    let is_other = !is_name && !ends(&plain, words::HOLDING);
    is_other
        && !words::PUSH_USUAL.contains(&&*plain)
        && !words::TEXTS.contains(&&*plain)
        && match value {
            Value::Bool(flag) => *flag,
            Value::Number(_) => is_flag(key),
            Value::String(text) => leads(text) || is_flag(key) && !text.is_empty(),
            Value::Array(all) => all.iter().filter_map(Value::as_str).any(leads),
            Value::Object(all) => all.iter().any(asks_more),
            Value::Null => false,
        }
}

/// What is pushed, where the arguments name the branch and nothing that does more to it.
fn pushed(tool: &str, input: &Value) -> Option<Push> {
    let fields = input.as_object()?;
    let is_named = |(key, value): &(&String, &Value)| {
        let key = plain(key);
        !value.is_null() && words::PUSH_BRANCHES.contains(&&*key)
    };
    let names = fields.iter().filter(is_named).flat_map(|(_, value)| {
        let all = value.as_array().map(|all| all.iter().collect());
        all.unwrap_or_else(|| vec![value])
    });
    let refs = names.map(|value| {
        let name = value.as_str()?.trim_start_matches("refs/heads/");
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
        let is_name = name.starts_with(char::is_alphanumeric) && name.chars().all(is_plain);
        (is_name && name != "HEAD").then(|| name.to_owned())
    });
    let refs: Vec<String> = refs.collect::<Option<_>>()?;
    let is_forced = words_of(tool).iter().any(|word| word == "force");
    let is_whole = fields.contains_key("branch") && !is_forced && !fields.iter().any(asks_more);
    is_whole.then(|| Push {
        remote: input
            .get("remote")
            .and_then(Value::as_str)
            .map(str::to_owned),
        refs,
        ..Push::default()
    })
}

/// The kinds of effects that the name, its arguments and its server tell.
fn told_kinds(call: &ToolCallReader<'_>, hints: ToolHints) -> Vec<EffectKind> {
    // An editor with a command `view` reads.
    let command = call.input.get("command").and_then(Value::as_str);
    if call.tool.contains("edit") && command == Some("view") {
        return vec![EffectKind::Read];
    }
    let name = last_name(call.tool);
    let mut names = words_of(name);
    // A verb among the arguments can only add to what the name says.
    for (key, value) in call.input.as_object().into_iter().flatten() {
        let is_verb = |text: &&str| {
            !text.contains(char::is_whitespace) && !text.contains('/') && text.len() < 40
        };
        let text = value
            .as_str()
            .filter(is_verb)
            .filter(|_| words::VERBS.contains(&&*plain(key)));
        names.extend(text.into_iter().flat_map(words_of));
    }
    let says =
        |(_, list): &&(EffectKind, &[&str])| names.iter().any(|word| list.contains(&&**word));
    let mut kinds: Vec<EffectKind> = TELLING.iter().filter(says).map(|(kind, _)| *kind).collect();
    if hints.destroys == Some(true) {
        kinds.extend([EffectKind::Write, EffectKind::Delete]);
    }
    // What a forge keeps on a branch is changed there.
    let is_of_branch = words::TOOL_PUSHES.contains(&name)
        && call.input.get("branch").is_some_and(Value::is_string);
    if (is_of_branch || words::TOOL_MERGES.contains(&name)) && !kinds.contains(&EffectKind::Push) {
        kinds.push(EffectKind::Push);
    }
    if is_of_branch && !kinds.contains(&EffectKind::Delete) && !kinds.contains(&EffectKind::Write) {
        kinds.push(EffectKind::Write);
    }
    kinds
}

/// Tells whether a tool is called by a thing that is no file.
pub(crate) fn is_of_thing(tool: &str) -> bool {
    let name = last_name(tool);
    // With these much is gone that belongs to them.
    let names = words_of(name);
    let is_whole = names
        .last()
        .is_some_and(|it| words::WHOLE_THINGS.contains(&&**it));
    has_word(name, words::TOOL_THINGS)
        && !(is_whole && has_word(name, &["delete", "destroy", "purge"]))
}

/// The name of a tool without that of its server.
fn last_name(tool: &str) -> &str {
    tool.rsplit("__").next().unwrap_or(tool)
}

/// A tool that is a command by another name does what that does: `git_show` of a server is `git show`.
fn command_of(call: &mut ToolCallReader<'_>) {
    let mut rows = words::TOOL_COMMANDS.iter();
    let Some((_, command)) = rows.find(|(name, _)| call.tool.ends_with(name)) else {
        return;
    };
    let fields = call.input.as_object().into_iter().flatten();
    let told = |key: &str| ends(key, words::HOLDING) || words::TEXTS.contains(&key);
    let mut values: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    for (key, value) in fields.filter(|(key, _)| !told(&plain(key))) {
        match value {
            Value::String(text) => values.push(text.clone()),
            Value::Bool(true) if !["help", "version"].contains(&&**key) => {
                values.push(format!("--{}", words_of(key).join("-")));
            }
            Value::Array(all) => {
                values.extend(all.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    call.words(values);
}

/// The program whose words alone a tool takes, such as `execute_git_command`, by the name of the tool.
fn own_program(tool: &str) -> Option<&'static str> {
    let names = words_of(tool);
    let mut rows = words::TOOL_PROGRAMS.iter();
    rows.find_map(|row| {
        let (name, program) = row.split_once('=').unwrap_or((row, row));
        names.iter().any(|word| word == name).then_some(program)
    })
}

/// Takes a name apart: `read_multiple-files`, `readMultipleFiles`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_small {
            spaced.push(' ');
        }
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        spaced.extend(letter.to_lowercase().filter(|_| letter.is_alphanumeric()));
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Tells whether one of the words of a name is in a list.
fn has_word(name: &str, list: &[&str]) -> bool {
    let words = words_of(name);
    words.iter().any(|word| list.contains(&&**word))
}

/// Tells whether a key, in one spelling, ends with one of these words.
fn ends(key: &str, words: &[&str]) -> bool {
    words.iter().any(|word| key.ends_with(word))
}

/// A key in one spelling: `file_path` and `filePath`.
pub(super) fn plain(key: &str) -> String {
    words_of(key).concat()
}

/// Looks at all strings of the arguments.
fn look(call: &mut ToolCallReader<'_>, guess: &ToolGuess) {
    let input = call.input;
    let mut keys = words::TOOL_PROGRAM.iter();
    let program = keys.find_map(|key| input.get(key)?.as_str());
    let own = own_program(call.tool);
    let mut is_told = false;
    for key in words::TOOL_WORDS {
        match input.get(key) {
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                is_told = true;
                let list: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                let is_program = |word: &&&str| {
                    *key == "argv"
                        || programs::find(&programs::program_name(&Word::text(**word))).is_some()
                };
                let is_line = guess.runs && list.first().as_ref().is_some_and(is_program);
                if program.is_some() || is_line {
                    call.words(program.into_iter().chain(list.iter().copied()));
                }
                if let Some(own) = own {
                    let all = std::iter::once(own).chain(program);
                    call.words(all.chain(list.iter().copied()));
                }
            }
            Some(Value::String(words)) => {
                is_told = true;
                for first in program.into_iter().chain(own) {
                    call.text(&format!("{first} {words}"));
                }
            }
            _ => {}
        }
    }
    if let (Some(own), Some(words), false) = (own, program, is_told) {
        call.words(std::iter::once(own).chain(words.split_whitespace()));
    }
    value(call, guess, "", input, 0);
}

fn value(call: &mut ToolCallReader<'_>, guess: &ToolGuess, key: &str, found: &Value, depth: usize) {
    if depth > DEEPEST {
        call.anything();
        return;
    }
    let is_line = words::LINES.contains(&key);
    match found {
        Value::String(text) => {
            // Some hosts and servers write arguments as JSON in a string.
            let begins = text.trim_start().starts_with(['{', '[']) && !words::TEXTS.contains(&key);
            let inner = begins
                .then(|| serde_json::from_str::<Value>(text).ok())
                .flatten();
            if let Some(inner) = &inner {
                value(call, guess, key, inner, depth + 1);
            }
            if inner.is_none() || is_line {
                text_of(call, guess, key, text);
            }
        }
        Value::Array(list) => {
            let is_words = is_line
                && key != "commands"
                && !list.is_empty()
                && list.iter().all(Value::is_string);
            if is_words {
                call.line(Some(found));
            }
            // Several lines, or the words of one: with spaces in them both are read.
            let has_space = |item: &Value| item.as_str().is_some_and(|text| text.contains(' '));
            let is_args = key == "args"
                && depth == 1
                && list.iter().all(Value::is_string)
                && call.input.get("command").is_some_and(Value::is_string);
            if is_args || is_words && !list.iter().any(has_space) {
                return;
            }
            for item in list {
                value(call, guess, key, item, depth + 1);
            }
        }
        Value::Object(fields) => {
            if is_line && guess.runs && depth > 0 && !fields.contains_key("command") {
                call.anything();
            }
            for (name, item) in fields {
                if name.contains('/') || name.starts_with('~') {
                    path(call, guess, "", name);
                }
                value(call, guess, &plain(name), item, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_of(call: &mut ToolCallReader<'_>, guess: &ToolGuess, key: &str, text: &str) {
    let is_patch =
        text.contains("*** Begin Patch") || (text.contains("+++ ") && text.contains("@@"));
    let is_verb = words::VERBS.contains(&key)
        && words_of(text).len() <= 2
        && !text.contains([' ', '/'])
        && !guess.runs;
    let runs = guess.runs || !guess.reads_only() || text.contains(' ');
    let own = words_of(last_name(call.tool)).join("_");
    let is_typed = words::TYPING_TOOLS.contains(&&*own)
        && ["text", "keys", "input"].contains(&key)
        && has_word(call.tool, words::TERMINALS);
    let is_typed = is_typed || guess.is_line && ["text", "content"].contains(&key);
    let is_source = key == "source"
        && guess.kinds.contains(&EffectKind::Exec)
        && has_word(call.tool, words::CODE_TOOLS);
    let has_space = text.contains(' ') && !text.contains('/') && !ends(key, words::NAMING);
    if is_patch && !guess.reads_only() {
        call.change(crate::patch::changes(text));
    } else if words::PAGE_TOOLS.contains(&last_name(call.tool)) && key != "code" {
        // Code that runs in a page of a browser reaches other machines, and no file.
        call.note(EffectKind::Net, Target::Unknown, Likely);
    } else if is_source || words::CODE.contains(&key) {
        code(call, text);
    } else if is_sql(call, key, text) || text.ends_with("terminal.sendSequence") {
        call.anything();
    } else if is_typed || words::LINES.contains(&key) && !is_verb && runs {
        // The mark by which some hosts write that a key is pressed.
        call.text(text.replace("{enter}", "\n").trim_end());
    } else if is_verb || words::TEXTS.contains(&key) {
    } else if text.contains("://") && !text.contains(char::is_whitespace) {
        match text.strip_prefix("file://") {
            Some(_) => path(call, guess, key, text),
            None => call.url(text),
        }
    } else if !text.is_empty() && text.len() <= LONGEST_PATH && !text.contains('\n') && !has_space {
        path(call, guess, key, text);
    }
}

/// Tells whether a text for a database may reach files or run a line; notes the files that it names.
fn is_sql(call: &mut ToolCallReader<'_>, key: &str, text: &str) -> bool {
    let names = words_of(call.tool);
    let mut clients = words::SQL_TOOLS.iter();
    let client = clients.find(|name| names.iter().any(|word| word == *name));
    let is_statement = key == "sql" || client.is_some() && matches!(key, "query" | "statement");
    if is_statement && client == Some(&"duckdb") {
        for name in sql_files(text) {
            for (object, sure) in objects(&name, &call.folders) {
                call.note(EffectKind::Read, object, sure.min(Likely));
            }
        }
    }
    is_statement && sql_reaches(text, client.copied().unwrap_or_default())
}

/// Code of some language, which the name of the tool or an argument may tell.
fn code(call: &mut ToolCallReader<'_>, text: &str) {
    let told = call
        .input
        .get("language")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut names = words_of(call.tool);
    names.push(told.to_lowercase());
    let is = |list: &[&str]| names.iter().any(|name| list.contains(&&**name));
    if is(&["bash", "sh", "shell"]) {
        call.text(text);
    } else if is(&["python", "ipython"]) {
        call.code("python", text);
    } else if is(&["javascript", "typescript", "node", "js"]) {
        call.code("node", text);
    } else {
        call.code(if is(&["ruby"]) { "ruby" } else { "unknown" }, text);
    }
}

fn path(call: &mut ToolCallReader<'_>, guess: &ToolGuess, key: &str, text: &str) {
    let is_search = call.tool.contains("grep") || call.tool.contains("search");
    if is_search && guess.kinds.contains(&EffectKind::Read) && ends(key, words::NAMING) {
        call.path(EffectKind::Read, text, guess.sure, true);
    }
    for kind in &guess.kinds {
        match kind {
            EffectKind::Read | EffectKind::Write => call.path(*kind, text, guess.sure, false),
            EffectKind::Delete => call.path(*kind, text, guess.sure, true),
            _ => {}
        }
    }
    if words::OUTPUTS.contains(&key) && !guess.kinds.contains(&EffectKind::Write) {
        call.path(EffectKind::Write, text, Likely, false);
    }
    // Of a tool that runs something each path may be read.
    if !guess.kinds.contains(&EffectKind::Read) {
        call.path(EffectKind::Read, text, guess.sure.min(Likely), false);
    }
}
