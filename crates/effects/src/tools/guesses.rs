//! Tools without a canonical name: guesses from their names and arguments.

use serde_json::Value;

use super::{Call, DEEPEST, Hints};
use crate::command::Inner;
use crate::effect::{Certainty, Kind, Object};
use crate::programs::words;
use crate::word::Word;

/// Words of a name that say what a tool does.
const WORDS: &[(Kind, &str)] = &[
    (
        Kind::Read,
        "analyze analyse browse cat check count describe diff dir download fetch find get glob grep head info inspect list log lookup ls open peek preview query read resolve retrieve scan search show stat status tail tree view watch",
    ),
    (
        Kind::Write,
        "add append apply build change compile copy create download edit export extract format generate import init insert make merge mkdir modify move mv new overwrite patch put refactor rename render replace restore rewrite save set store substitute sync touch truncate unzip update upload upsert write undo",
    ),
    (
        Kind::Delete,
        "clean clear delete destroy drop erase move mv prune purge remove rename reset rm rmdir trash truncate unlink wipe",
    ),
    (
        Kind::Exec,
        "bash build call cmd command compile eval evaluate exec execute invoke launch powershell process python repl run script sh shell spawn start task terminal test",
    ),
    (
        Kind::Net,
        "browse click connect crawl deploy download fetch http message navigate open post publish reply request scrape send upload url visit web",
    ),
    (Kind::Push, "push deploy"),
    (Kind::Commit, "commit merge rebase"),
    (Kind::Discard, "discard reset stash"),
    (Kind::Install, "install"),
    (Kind::Publish, "publish release"),
    (Kind::Signal, "kill signal stop terminate"),
    (
        Kind::Config,
        "config configure configuration setting settings",
    ),
];
const LONGEST_PATH: usize = 4096;

/// What is known of such a call before its strings are looked at.
struct Guess {
    kinds: Vec<Kind>,
    sure: Certainty,
    runs: bool,
    reads_only: bool,
}

/// Reads a call of a tool whose name is no canonical one.
pub(super) fn guess(call: &mut Call<'_>, hints: Hints) {
    let claims_reading = hints.reads_only == Some(true);
    let mut kinds = told_kinds(call, hints);
    let unclear = kinds.is_empty() && !claims_reading;
    if unclear {
        kinds.extend([Kind::Read, Kind::Write, Kind::Delete]);
    } else if kinds.is_empty() {
        kinds.push(Kind::Read);
    }
    let reads_only = kinds
        .iter()
        .all(|kind| matches!(kind, Kind::Read | Kind::Net));
    let server = call
        .tool
        .split("__")
        .nth(1)
        .map(words_of)
        .unwrap_or_default();
    let is_shell = server.iter().any(|word| {
        matches!(
            word.as_str(),
            "shell" | "terminal" | "bash" | "exec" | "command" | "ssh"
        )
    });
    let guess = Guess {
        runs: kinds.contains(&Kind::Exec) || is_shell || unclear,
        sure: if unclear {
            Certainty::Unknown
        } else {
            Certainty::Likely
        },
        kinds,
        reads_only,
    };
    for kind in guess.kinds.clone() {
        if !matches!(
            kind,
            Kind::Read | Kind::Write | Kind::Delete | Kind::Net | Kind::Exec
        ) {
            call.note(kind, Object::Unknown, guess.sure);
        }
    }
    let own = Object::Program {
        name: call.tool.to_owned(),
        arguments: Vec::new(),
        opaque: true,
    };
    call.note(Kind::Exec, own, Certainty::Exact);
    look(call, &guess);
    nothing_found(call, &guess, claims_reading);
}

/// The kinds of effects that the name, its arguments and its server tell.
fn told_kinds(call: &Call<'_>, hints: Hints) -> Vec<Kind> {
    // An editor with a command `view` reads.
    if call.tool.contains("edit")
        && call.input.get("command").and_then(Value::as_str) == Some("view")
    {
        return vec![Kind::Read];
    }
    let mut words = words_of(call.tool.rsplit("__").next().unwrap_or(call.tool));
    // A verb among the arguments can only add to what the name says.
    words.extend(verbs_of(call.input));
    let says = |list: &str| {
        words
            .iter()
            .any(|word| list.split(' ').any(|known| known == word))
    };
    let told = WORDS
        .iter()
        .filter(|(_, list)| says(list))
        .map(|(kind, _)| *kind);
    let mut kinds: Vec<Kind> = told.collect();
    if hints.destroys == Some(true) {
        kinds.extend([Kind::Write, Kind::Delete]);
    }
    kinds
}

/// A tool that writes, deletes or runs, and names nothing that can be read, may do so to anything.
fn nothing_found(call: &mut Call<'_>, guess: &Guess, claims_reading: bool) {
    if guess.sure == Certainty::Unknown || claims_reading {
        return;
    }
    let found = |kind: Kind| call.acts.effects.iter().any(|effect| effect.kind == kind);
    let missing: Vec<Kind> = [Kind::Write, Kind::Delete]
        .into_iter()
        .filter(|kind| guess.kinds.contains(kind) && !found(*kind))
        .collect();
    for kind in missing {
        call.note(kind, Object::Unknown, Certainty::Unknown);
    }
    if guess.kinds.contains(&Kind::Net) && !found_net(call) {
        call.note(Kind::Net, Object::Unknown, Certainty::Likely);
    }
}

fn found_net(call: &Call<'_>) -> bool {
    call.acts
        .effects
        .iter()
        .any(|effect| effect.kind == Kind::Net)
}

/// Takes a name apart: `read_multiple-files`, `readMultipleFiles`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let breaks = !letter.is_alphanumeric() || (letter.is_uppercase() && was_small);
        if breaks {
            words.push(String::new());
        }
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        if letter.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the words of arguments such as `{"command": "str_replace"}`.
fn verbs_of(input: &Value) -> Vec<String> {
    let Some(fields) = input.as_object() else {
        return Vec::new();
    };
    let verbs = fields
        .iter()
        .filter(|(key, _)| words::VERBS.contains(&plain(key).as_str()));
    let texts = verbs.filter_map(|(_, value)| value.as_str());
    let single = texts.filter(|text| {
        !text.contains(char::is_whitespace) && !text.contains('/') && text.len() < 40
    });
    single.flat_map(words_of).collect()
}

/// A key in one spelling: `file_path` and `filePath`.
fn plain(key: &str) -> String {
    key.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Looks at all strings of the arguments.
fn look(call: &mut Call<'_>, guess: &Guess) {
    let input = call.input;
    let program = ["command", "cmd", "program", "executable"];
    let mut program = program.iter().filter_map(|key| input.get(key)?.as_str());
    if let (Some(line), Some(Value::Array(list))) = (program.next(), input.get("args"))
        && list.iter().all(Value::is_string)
    {
        let words = std::iter::once(line).chain(list.iter().filter_map(Value::as_str));
        let words = words.map(Word::text).collect();
        let folders = call.run_folders();
        call.run(words, folders);
    }
    value(call, guess, "", input, 0);
}

fn value(call: &mut Call<'_>, guess: &Guess, key: &str, found: &Value, depth: usize) {
    if depth > DEEPEST {
        call.anything();
        return;
    }
    let is_line = words::LINES.contains(&key);
    match found {
        Value::String(text) => text_of(call, guess, key, text),
        Value::Array(list) => {
            let words = is_line
                && key != "commands"
                && !list.is_empty()
                && list.iter().all(Value::is_string);
            let spaced = list
                .iter()
                .any(|item| item.as_str().is_some_and(|text| text.contains(' ')));
            if words {
                call.line(Some(found));
            }
            // Several lines, or the words of one: with spaces in them both are read.
            if words && !spaced
                || key == "args"
                    && depth == 1
                    && call.input.get("command").is_some_and(Value::is_string)
            {
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

fn text_of(call: &mut Call<'_>, guess: &Guess, key: &str, text: &str) {
    let is_patch =
        text.contains("*** Begin Patch") || (text.contains("+++ ") && text.contains("@@"));
    if is_patch && !guess.reads_only {
        call.change(crate::patch::changes(text));
        return;
    }
    if key == "code" || key == "expression" || key == "function" {
        code(call, text);
        return;
    }
    let is_verb = words::VERBS.contains(&key)
        && words_of(text).len() <= 2
        && !text.contains([' ', '/'])
        && !guess.runs;
    if words::LINES.contains(&key)
        && !is_verb
        && (guess.runs || !guess.reads_only || text.contains(' '))
    {
        call.line(Some(&Value::String(text.to_owned())));
        return;
    }
    if is_verb || words::TEXTS.contains(&key) {
        return;
    }
    if text.contains("://") && !text.contains(char::is_whitespace) {
        match text.strip_prefix("file://") {
            Some(file) => path(call, guess, key, file),
            None => call.url(text),
        }
        return;
    }
    let is_one = !text.is_empty() && text.len() <= LONGEST_PATH && !text.contains('\n');
    let has_space = text.contains(' ') && !text.contains('/');
    if is_one && !has_space {
        path(call, guess, key, text);
    }
}

/// Code of some language, which the name of the tool or an argument may tell.
fn code(call: &mut Call<'_>, text: &str) {
    let told = call
        .input
        .get("language")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_lowercase();
    let names = words_of(call.tool);
    let is = |name: &str| told == name || names.iter().any(|word| word == name);
    let language = match () {
        () if is("bash") || is("sh") || is("shell") => {
            call.line(Some(&Value::String(text.to_owned())));
            return;
        }
        () if is("python") || is("ipython") || is("jupyter") => "python",
        () if is("javascript") || is("typescript") || is("node") || is("js") => "node",
        () if is("ruby") => "ruby",
        () => "unknown",
    };
    let folders = call.run_folders();
    call.acts.runs.push(Inner::Code {
        language,
        text: Word::text(text),
        arguments: Vec::new(),
        folders,
    });
}

fn path(call: &mut Call<'_>, guess: &Guess, key: &str, text: &str) {
    for kind in &guess.kinds {
        match kind {
            Kind::Read | Kind::Write => call.path(*kind, text, guess.sure, false),
            Kind::Delete => call.path(*kind, text, guess.sure, true),
            _ => {}
        }
    }
    if words::OUTPUTS.contains(&key) && !guess.kinds.contains(&Kind::Write) {
        call.path(Kind::Write, text, Certainty::Likely, false);
    }
    // Of a tool that runs something each path may be read.
    if !guess.kinds.contains(&Kind::Read) {
        call.path(Kind::Read, text, guess.sure.min(Certainty::Likely), false);
    }
}
