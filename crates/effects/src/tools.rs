//! The effects of a tool call that is not a shell line: its files, machines and command lines.
//!
//! Tools with a canonical name say by it what they do. Of any other tool, such as one of an MCP server, the words of its
//! name and of its arguments are what there is, and each string that can be a path, a URL or a command line counts.

mod guesses;

pub(crate) use guesses::{is_of_thing, words_of};

use std::path::PathBuf;

use serde_json::Value;
use url::Url;

use crate::braces;
use crate::command::{NestedCommand, ProgramEffects, ShellCommand};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{Effect, EffectKind, Target};
use crate::hosts;
use crate::patch::{self, PatchChange};
use crate::places::{Places, objects, tidy};
use crate::programs::words;
use crate::word::{Part, Word};

/// What the server of a tool says about it, where the payload shows it. It is a claim: it makes nothing softer that the
/// name or the arguments tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolHints {
    /// `readOnlyHint`.
    pub reads_only: Option<bool>,
    /// `destructiveHint`.
    pub destroys: Option<bool>,
}

/// Returns what a call of a tool does: its own effects, and in `runs` the command lines that the reader of lines follows.
///
/// ```
/// use anyhook_effects::places::Places;
/// use anyhook_effects::tools::{ToolHints, act};
/// use serde_json::json;
///
/// let places = Places { folder: "/p".into(), project: "/p".into(), ..Places::default() };
/// let acts = act("Write", &json!({"file_path": "a.txt"}), ToolHints::default(), &places);
/// assert_eq!(acts.effects.len(), 1);
/// ```
pub fn act(tool: &str, input: &Value, hints: ToolHints, places: &Places) -> ProgramEffects {
    // Some hosts write the arguments as JSON in a string.
    let parsed = input
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .filter(Value::is_object);
    let input = parsed.as_ref().unwrap_or(input);
    let mut call = ToolCallReader::new(tool, input, places);
    match tool {
        "Bash" => call.line(input.get("command")),
        "PowerShell" => match input.get("command").and_then(Value::as_str) {
            // What stands in braces is code that a program runs.
            Some(text) if text.contains('{') => call.anything(),
            Some(text) => call.text(&of_powershell(text)),
            None => call.line(input.get("command")),
        },
        "Write" | "NotebookEdit" => call.files(EffectKind::Write),
        "Edit" | "MultiEdit" => {
            call.files(EffectKind::Write);
            call.files(EffectKind::Read);
        }
        "Delete" => call.files(EffectKind::Delete),
        "Read" | "NotebookRead" => call.files(EffectKind::Read),
        "apply_patch" => call.patch(),
        "Glob" | "Grep" | "LS" => call.search(),
        "WebFetch" => call.fetch(),
        "WebSearch" => call.note(
            EffectKind::Net,
            Target::Name("web search".to_owned()),
            Likely,
        ),
        "KillShell" | "KillBash" | "TaskStop" => {
            call.note(EffectKind::Signal, Target::Unknown, Likely);
        }
        "Agent" | "Task" | "TodoWrite" | "AskUserQuestion" | "EnterPlanMode" | "ExitPlanMode"
        | "Skill" | "BashOutput" | "ToolSearch" => {}
        _ => guesses::guess(&mut call, hints),
    }
    call.acts
}

/// A call that is being read.
#[derive(Debug)]
struct ToolCallReader<'a> {
    tool: &'a str,
    input: &'a Value,
    places: &'a Places,
    /// The folders that a relative path may count from.
    folders: Vec<PathBuf>,
    acts: ProgramEffects,
}

impl<'a> ToolCallReader<'a> {
    fn new(tool: &'a str, input: &'a Value, places: &'a Places) -> Self {
        let mut folders = vec![places.folder.clone()];
        if places.project != places.folder {
            folders.push(places.project.clone());
        }
        Self {
            tool,
            input,
            places,
            folders,
            acts: ProgramEffects::default(),
        }
    }

    fn note(&mut self, kind: EffectKind, object: Target, certainty: Certainty) {
        let effect = Effect::new(kind, object, certainty, self.tool);
        self.acts.note(effect);
    }

    fn anything(&mut self) {
        for effect in Effect::anything(self.tool) {
            self.acts.note(effect);
        }
    }

    /// Notes what happens to a path as an argument writes it: from the home, as a `file:` URL, or from either folder.
    fn path(&mut self, kind: EffectKind, text: &str, sure: Certainty, tree: bool) {
        let of_url = text
            .strip_prefix("file:")
            .and_then(|_| Url::parse(text).ok()?.to_file_path().ok());
        let text = text.strip_prefix("file://").unwrap_or(text);
        let at_home = of_url.or_else(|| self.at_home(text));
        let word = Word::text(at_home.map_or_else(
            || text.to_owned(),
            |path| path.to_string_lossy().into_owned(),
        ));
        for (object, known) in objects(&word, &self.folders) {
            let object = match object {
                Target::Path(path) if tree => Target::Tree(tidy(&path)),
                Target::Path(path) => Target::Path(path.components().collect()),
                other => other,
            };
            self.note(kind, object, sure.min(known));
        }
    }

    /// A path that begins with `~`.
    fn at_home(&self, text: &str) -> Option<PathBuf> {
        let home = self.places.home.as_ref()?;
        match text.strip_prefix('~')? {
            "" => Some(home.clone()),
            rest => Some(home.join(rest.strip_prefix('/')?)),
        }
    }

    /// A command line, or its words; any other form cannot be read.
    fn line(&mut self, line: Option<&Value>) {
        match line {
            Some(Value::String(text)) => self.text(text),
            Some(Value::Array(words))
                if !words.is_empty() && words.iter().all(Value::is_string) =>
            {
                let mut words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                // Codex starts each line in a login shell; the settings that it reads are no part of what one line does.
                if let [program, option @ "-lc", _] = &mut words[..]
                    && matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh"))
                {
                    *option = "-c";
                }
                self.words(words);
            }
            _ => self.anything(),
        }
    }

    /// A command line.
    fn text(&mut self, line: &str) {
        let line = NestedCommand::line(Word::text(line), self.run_folders());
        self.acts.runs.push(line);
    }

    /// A command by its words.
    fn words(&mut self, words: impl IntoIterator<Item: Into<String>>) {
        let words = words.into_iter().map(Word::text).collect();
        let command = ShellCommand::new(words, self.run_folders());
        self.acts.runs.push(NestedCommand::Command(command));
    }

    fn code(&mut self, language: &'static str, text: &str) {
        let folders = self.run_folders();
        self.acts.runs.push(NestedCommand::Code {
            language,
            text: Word::text(text),
            folders,
        });
    }

    /// The folders that a command runs in: what an argument says, or that of the event. None if it cannot be read.
    fn run_folders(&self) -> Vec<PathBuf> {
        let fields = self.input.as_object().into_iter().flatten();
        let mut folders = fields.filter(|(key, _)| words::FOLDERS.contains(&&*guesses::plain(key)));
        let named = folders.next().map(|(_, folder)| folder);
        match named {
            None | Some(Value::Null) => vec![self.places.folder.clone()],
            Some(Value::String(text)) => vec![self.places.folder.join(text)],
            Some(_) => Vec::new(),
        }
    }

    /// Each file that the arguments name, in whatever depth.
    fn files(&mut self, kind: EffectKind) {
        let mut named = Vec::new();
        let mut unreadable = false;
        collect(self.input, 0, &mut named, &mut unreadable);
        for text in &named {
            self.path(kind, text, Exact, false);
        }
        if unreadable || named.is_empty() {
            self.note(kind, Target::Unknown, Certainty::Unknown);
        }
    }

    fn patch(&mut self) {
        let text = |value: &'a Value, key: &str| value.get(key).and_then(Value::as_str);
        let listed = self.input.get("files").and_then(Value::as_array);
        for file in listed.into_iter().flatten() {
            match text(file, "path") {
                Some(path) => self.change(patch::change(
                    path,
                    text(file, "change").unwrap_or_default(),
                )),
                None => self.note(EffectKind::Write, Target::Unknown, Certainty::Unknown),
            }
        }
        if listed.is_some_and(|files| !files.is_empty()) {
            return;
        }
        let whole = ["patch", "input"]
            .iter()
            .find_map(|key| self.input.get(key));
        let changes = whole.unwrap_or(self.input).as_str().map(patch::changes);
        let changes = changes.unwrap_or_default();
        if changes.is_empty() {
            self.note(EffectKind::Write, Target::Unknown, Certainty::Unknown);
            self.note(EffectKind::Delete, Target::Unknown, Certainty::Unknown);
        }
        self.change(changes);
    }

    fn change(&mut self, changes: Vec<PatchChange<'_>>) {
        for (kind, path, sure) in changes {
            self.path(kind, path, sure, false);
        }
    }

    /// Searches a folder, or what a pattern of names takes in it.
    fn search(&mut self) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| self.input.get(key)?.as_str());
        let folder = text(&["path", "dir_path"]);
        let is_grep = self.tool == "Grep";
        let pattern = text(if is_grep {
            words::SEARCHED
        } else {
            &["pattern", "glob"]
        });
        let is_text = |key: &&str| {
            self.input
                .get(key)
                .is_none_or(|value| value.is_string() || value.is_null())
        };
        let mut keys = ["path", "pattern"].iter().chain(words::SEARCHED);
        if !keys.all(is_text) {
            self.note(EffectKind::Read, Target::Unknown, Certainty::Unknown);
        }
        if folder.is_none() {
            self.folders.truncate(1);
        }
        let folder = folder.unwrap_or(".");
        let Some(pattern) = pattern else {
            self.path(EffectKind::Read, folder, Exact, self.tool != "LS");
            return;
        };
        // Several may stand in one text, and one with `!` takes all others.
        let mut all = vec![pattern];
        if is_grep {
            all.extend(pattern.split_whitespace());
            all.extend(pattern.split([',', ' ']).filter(|_| !pattern.contains('{')));
        }
        // One file is searched whatever the pattern says.
        if is_grep && folder != "." {
            self.path(EffectKind::Read, folder, Likely, false);
        }
        if is_grep && all.iter().any(|pattern| pattern.starts_with('!')) {
            self.path(EffectKind::Read, folder, Exact, true);
        }
        for pattern in all {
            let anywhere = if is_grep && !pattern.contains('/') {
                "**/"
            } else {
                ""
            };
            let plain = pattern.replace('\\', "");
            for pattern in alternatives(&format!("{anywhere}{plain}")) {
                self.pattern(folder, &pattern);
                // Tools let `**/` stand for no folder too.
                if pattern.contains("**/") {
                    self.pattern(folder, &pattern.replacen("**/", "", 1));
                }
            }
        }
    }

    fn pattern(&mut self, folder: &str, pattern: &str) {
        let whole = if pattern.starts_with(['/', '~']) || folder.trim_end_matches('/') == "." {
            pattern.to_owned()
        } else {
            format!("{}/{pattern}", folder.trim_end_matches('/'))
        };
        let special = whole.find(['*', '?', '[']).unwrap_or(whole.len());
        let (head, rest) = whole.split_at_checked(special).unwrap_or((&whole, ""));
        if rest.is_empty() {
            self.path(EffectKind::Read, head, Likely, false);
            return;
        }
        let mut word = Word::text(head);
        word.parts.push(Part::Glob(rest.to_owned()));
        for (object, _) in objects(&word, &self.folders) {
            self.note(EffectKind::Read, object, Likely);
        }
    }

    fn fetch(&mut self) {
        let text = |key: &str| self.input.get(key).and_then(Value::as_str);
        let words = text("prompt").unwrap_or_default().split_whitespace();
        let listed = self.input.get("urls").and_then(Value::as_array);
        let listed = listed.into_iter().flatten().filter_map(Value::as_str);
        let told = words.filter(|word| word.contains("://"));
        let told: Vec<&str> = told.chain(listed).collect();
        match text("url") {
            Some(url) => self.url(url),
            None if !told.is_empty() => told.into_iter().for_each(|url| self.url(url)),
            None => self.note(EffectKind::Net, Target::Unknown, Certainty::Unknown),
        }
    }

    fn url(&mut self, text: &str) {
        let text = text.trim_start_matches("view-source:");
        match Url::parse(text) {
            Ok(url) if url.scheme() == "file" => match url.to_file_path() {
                Ok(path) => self.path(EffectKind::Read, &path.to_string_lossy(), Exact, false),
                Err(()) => self.note(EffectKind::Read, Target::Unknown, Certainty::Unknown),
            },
            _ => match hosts::host_of(&Word::text(text)) {
                Some(host) => self.note(EffectKind::Net, Target::Host(host), Exact),
                None => self.note(EffectKind::Net, Target::Unknown, Certainty::Unknown),
            },
        }
    }
}

/// Writes a line of PowerShell so that the reader of lines takes its paths and its own names of programs for what they are.
fn of_powershell(text: &str) -> String {
    let (mut is_first, mut is_piped) = (true, false);
    let named = |word: &str| {
        let mut rows = words::POWERSHELL.iter();
        let found = rows.find(|(name, _)| name.eq_ignore_ascii_case(word));
        found.map(|(_, name)| (*name).to_owned())
    };
    let word = |word: &str| {
        let piped = named(&format!(">{word}")).filter(|_| is_piped);
        let own = piped.or_else(|| named(word)).filter(|_| is_first);
        is_piped |= word == "|";
        is_first = word == "|" || is_first && word.is_empty();
        // `-Path:FILE`
        let joined = word.starts_with('-').then(|| word.replacen(':', " ", 1));
        own.or(joined).unwrap_or_else(|| word.to_owned())
    };
    let spaced = text.replace('\\', "/").replace('|', " | ");
    spaced.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A deeper value is not read.
const DEEPEST: usize = 64;

/// Collects the strings under keys that name files.
fn collect<'v>(value: &'v Value, depth: usize, named: &mut Vec<&'v str>, unreadable: &mut bool) {
    *unreadable |= depth > DEEPEST;
    match value {
        _ if depth > DEEPEST => {}
        Value::Array(list) => {
            for value in list {
                collect(value, depth + 1, named, unreadable);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let names_file = words::FILES.contains(&key.as_str());
                match value {
                    Value::String(text) if names_file => named.push(text),
                    Value::Array(list) if names_file && list.iter().all(Value::is_string) => {
                        named.extend(list.iter().filter_map(Value::as_str));
                    }
                    Value::Array(_) | Value::Object(_) => {
                        collect(value, depth + 1, named, unreadable);
                    }
                    value => *unreadable |= names_file && !value.is_null(),
                }
            }
        }
        _ => {}
    }
}

/// The most patterns that one with braces stands for.
const MOST: usize = 64;

/// Fills in `{a,b}`; where that are too many, everything.
fn alternatives(pattern: &str) -> Vec<String> {
    let all = braces::expand(pattern, MOST, |one| Some(one.to_owned()));
    all.unwrap_or_else(|| vec!["**".to_owned()])
}

#[cfg(test)]
mod tests;
