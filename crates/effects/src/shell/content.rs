//! Code in files: text that the line itself wrote, text on the disk, and text that is not read.

use serde_json::Value;

use super::follow::SCRIPT;
use super::lists;
use super::state::ShellState;
use super::walk::Walk;
use crate::command::{Input, ShellCommand};
use crate::effect::{Effect, EffectKind, Target};
use crate::places::objects;
use crate::programs::{self, words};
use crate::word::Word;

/// How deep scripts in files are read.
const SCRIPTS: usize = 4;

/// What is known about a script.
pub(super) enum ScriptContent {
    Text(String),
    /// It is there or not, and is not read.
    Opaque(String),
    /// Which file it is, or what the line wrote there, is not known.
    Unknown,
}

impl ScriptContent {
    fn is_opaque(&self) -> bool {
        matches!(self, Self::Opaque(_))
    }
}

/// The lines for a shell in a `package.json`, or in a `Makefile` of plain recipes.
fn build_lines(text: &str) -> Option<Vec<String>> {
    if let Ok(package) = serde_json::from_str::<Value>(text) {
        let scripts = package.get("scripts").and_then(Value::as_object);
        let scripts = scripts.into_iter().flatten();
        return scripts
            .map(|(_, line)| Some(line.as_str()?.to_owned()))
            .collect();
    }
    let recipe = |line: &str| {
        let line = line.strip_prefix('\t')?;
        Some(line.trim_start_matches(['@', '-', '+']).replace("$$", "$"))
    };
    let runs = |line: &str| line.contains([';', '!', '|', '`']) && !line.starts_with(['\t', '#']);
    let is_plain = !text.contains("shell ") && !text.contains("SHELL") && !text.lines().any(runs);
    is_plain.then(|| text.lines().filter_map(recipe).collect())
}

impl Walk<'_> {
    /// Whether a program starts with settings or code that the line itself wrote.
    pub(super) fn starts_with_settings(&self, command: &ShellCommand) -> bool {
        let Some(row) = programs::find(&command.program()) else {
            return false;
        };
        let of_row = |entry: &'static &str| {
            let (rows, files) = entry.split_once(':')?;
            lists(rows, row.name()).then_some(files)
        };
        let all = words::STARTED_WITH.iter().filter_map(of_row);
        let files = all.flat_map(str::split_whitespace);
        let is_in = |path: &str| {
            let mut files = files.clone();
            files.any(|file| path.ends_with(file) || file.ends_with('/') && path.contains(file))
        };
        let is_own = |effect: &Effect| {
            // What a setting runs that `git config` writes is read, and what these write for themselves is none of the line's.
            effect.kind == EffectKind::Write
                && !words::WRITE_OWN_FILES.contains(&effect.program())
                && !effect.through.starts_with("git config")
                && match &effect.object {
                    Target::Path(path) => {
                        !self.followed.contains(path) && path.to_str().is_none_or(is_in)
                    }
                    Target::Pattern(pattern) => is_in(pattern),
                    _ => false,
                }
        };
        self.effects.iter().any(is_own)
    }

    /// Follows the lines of a build file that the line wrote, and tells whether all of it can be read.
    pub(super) fn reads_build_file(&mut self, command: &ShellCommand, state: &ShellState) -> bool {
        let name = command.words.first().map(programs::program_name);
        let row = name.and_then(|name| programs::find(&name));
        let text = self.text.clone().filter(|(path, _)| {
            let name = path.file_name().and_then(|name| name.to_str());
            match row.map(programs::Program::name) {
                Some("make") => name.is_some_and(|name| name.to_lowercase().ends_with("makefile")),
                Some("npm" | "yarn" | "bun") => name == Some("package.json"),
                _ => false,
            }
        });
        let Some((path, lines)) = text.and_then(|(path, text)| Some((path, build_lines(&text)?)))
        else {
            return false;
        };
        self.followed.insert(path);
        for line in lines {
            self.alone(&line, "a build file", state.clone());
        }
        true
    }

    /// Whether git works on a folder that is a repository by what stands in it, with settings there that run something, or
    /// takes another folder for the home of the person.
    pub(super) fn is_led_to_settings(&self, command: &ShellCommand) -> bool {
        if command.program() != "git" {
            return false;
        }
        let values = command.words.windows(2).filter_map(|pair| match pair {
            [name, value] if name.says(&["--git-dir"]) => Some(value.clone()),
            [_, word] => {
                let value = word.head().strip_prefix("--git-dir=");
                value.map(|_| word.without("--git-dir=".len()))
            }
            _ => None,
        });
        let of_variable = |(name, value): &(String, Word)| {
            let file = match &**name {
                "HOME" => ".gitconfig",
                "XDG_CONFIG_HOME" => "git/config",
                "GIT_DIR" | "GIT_COMMON_DIR" => "config",
                _ => return None,
            };
            Some((value.clone(), file))
        };
        let named = values.map(|value| (value, "config"));
        let named = named.chain(command.assigned.iter().filter_map(of_variable));
        let named = named.flat_map(|(word, file)| {
            let found = objects(&word, &command.folders).into_iter();
            found.filter_map(move |(object, _)| match object {
                Target::Path(path) => Some(path.join(file)),
                _ => None,
            })
        });
        let bare = programs::folders_of_git(command).into_iter();
        let bare = bare.filter(|folder| self.files.settings(&folder.join("HEAD")).is_some());
        let mut files = named.chain(bare.map(|folder| folder.join("config")));
        files.any(|file| {
            let text = self.files.settings(&crate::places::tidy(&file));
            let text = text.unwrap_or_default().to_lowercase();
            words::RUNNING_MARKS.iter().any(|mark| text.contains(mark))
        })
    }

    /// Whether the line wrote the file of this path.
    fn wrote(&self, path: &std::path::Path) -> bool {
        let mut written = self.written.iter();
        written.any(|own| crate::places::tidy(own) == path)
    }

    /// Whether the line wrote a file, or made it out of a pipe.
    pub(super) fn is_written(&self, file: &Word, state: &ShellState) -> bool {
        let found = objects(file, &state.folders);
        let own = |object: &Target| match object {
            Target::Path(path) => {
                self.wrote(&crate::places::tidy(path))
                    || path
                        .to_str()
                        .is_some_and(|path| self.pipes.contains_key(path))
            }
            _ => true,
        };
        found.iter().any(|(object, _)| own(object))
    }

    /// Whether a compiler of the line made a program of files that the line itself did not write: like what a build tool makes.
    fn is_compiled(&self, path: &std::path::Path) -> bool {
        let is_compiler = |name: &str| {
            programs::find(name).is_some_and(|row| ["gcc", "go"].contains(&row.name()))
        };
        let compiles = |effect: &Effect| is_compiler(effect.program());
        let is_harmless = |effect: &Effect| match (effect.kind, &effect.object) {
            (EffectKind::Read | EffectKind::Delete, _)
            | (EffectKind::Exec, Target::Program { .. }) => true,
            (EffectKind::Write, Target::Path(_)) => compiles(effect),
            _ => false,
        };
        // Code in a pipe or in the line itself, such as `-D` with a text, is no file of the project.
        let is_file = |word: &Word| {
            let head = word.head();
            head != "-" && !head.starts_with("/dev") && !head.contains(['(', '"', '\''])
        };
        let mut makers = self.effects.iter().filter(|effect| {
            effect.kind == EffectKind::Write && effect.object == Target::Path(path.to_owned())
        });
        self.pipes.is_empty()
            && makers.any(compiles)
            && self.effects.iter().all(is_harmless)
            && self.commands.iter().all(|command| {
                !is_compiler(&command.program())
                    || command.input == Input::Inherited && command.words.iter().all(is_file)
            })
    }

    /// What a script holds: as the line wrote it, or as it is on the disk.
    pub(super) fn content(&mut self, file: &Word, state: &ShellState) -> ScriptContent {
        let Some(text) = file.known() else {
            return ScriptContent::Unknown;
        };
        if let Some(pipe) = self.pipes.get(text) {
            return match pipe {
                Input::Text(text) => ScriptContent::Text(text.clone()),
                _ => ScriptContent::Unknown,
            };
        }
        if self.is_away {
            return ScriptContent::Opaque(text.to_owned());
        }
        let found = objects(file, &state.folders);
        let several = found.len() > 1;
        let mut known = Vec::new();
        for (object, _) in found {
            let Target::Path(path) = object else {
                return ScriptContent::Unknown;
            };
            let path = crate::places::tidy(&path);
            // Behind a `cd` that may have failed there are two places, and most often one script.
            if several && !self.wrote(&path) && self.files.is_nowhere(&path) {
                if self.puts_files() {
                    return ScriptContent::Unknown;
                }
                continue;
            }
            known.push(self.content_of(text, &path));
        }
        let opaque = || ScriptContent::Opaque(text.to_string());
        match known.pop() {
            None => opaque(),
            Some(one) if known.is_empty() => one,
            Some(ScriptContent::Opaque(_)) if known.iter().all(ScriptContent::is_opaque) => {
                opaque()
            }
            Some(_) => ScriptContent::Unknown,
        }
    }

    /// Whether the line may have put a file where none was.
    fn puts_files(&self) -> bool {
        let keeps = |program: &str| program == "mkdir" || words::KEEPING_TEXT.contains(&program);
        let mut effects = self.effects.iter();
        effects.any(|effect| effect.kind == EffectKind::Write && !keeps(effect.program()))
    }

    fn content_of(&mut self, text: &str, path: &std::path::Path) -> ScriptContent {
        // What an open file holds, no name says.
        if path.starts_with("/dev") || path.starts_with("/proc") {
            return ScriptContent::Unknown;
        }
        if self.wrote(path) {
            // What stood there runs where the line did not come to write.
            let is_new = |own: &std::path::Path| own == path && self.files.is_nowhere(path);
            if let Some((_, text)) = self.text.clone().filter(|(own, _)| is_new(own)) {
                self.relied = true;
                return ScriptContent::Text(text);
            }
            if self.is_compiled(path) {
                return ScriptContent::Opaque(text.to_owned());
            }
            return ScriptContent::Unknown;
        }
        // What stands in a repository that the line fetched, others wrote.
        let is_cloned = |effect: &Effect| match &effect.object {
            Target::Tree(folder) if effect.kind == EffectKind::Write => {
                effect.through.ends_with(" clone") && path.starts_with(folder)
            }
            _ => false,
        };
        if self.effects.iter().any(is_cloned) {
            return ScriptContent::Unknown;
        }
        if self.calls > SCRIPTS {
            return ScriptContent::Opaque(text.to_owned());
        }
        match self.files.script(path) {
            Some(script) if script.len() <= SCRIPT => ScriptContent::Text(script),
            _ => ScriptContent::Opaque(text.to_owned()),
        }
    }
}
