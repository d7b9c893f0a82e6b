//! What started programs run themselves: commands, texts, scripts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::content::Content;
use super::state::{After, State, Value};
use super::walk::{CALLS, Walk};
use super::{Done, syntax};
use crate::code;
use crate::command::{Acts, Command, Inner, Input, Mount};
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::places::{objects, tidy};
use crate::programs;
use crate::word::{Part, Word};

/// The longest script that is read.
pub(super) const SCRIPT: usize = 64 << 10;
impl Walk<'_> {
    /// Runs a program that is no command of the shell.
    pub(super) fn run(&mut self, command: &Command, state: &State) {
        self.commands.push(command.clone());
        self.found_program(command, state);
    }

    /// Runs a program that is looked up in `PATH`.
    pub(super) fn found_program(&mut self, command: &Command, state: &State) {
        if state.strangers {
            self.anything("PATH=");
        }
        if let Some(file) = self.own_program(command, state) {
            let words = command.words.iter().skip(1).cloned();
            let command = Command {
                words: std::iter::once(file).chain(words).collect(),
                ..command.clone()
            };
            return self.program(&command, state);
        }
        let seen = Self::seen(command, state);
        if self.starts_with_settings(command) || self.is_led_to_settings(&seen) {
            self.anything("settings of a program");
        }
        self.program(command, state);
    }

    /// The script of this name in the environment that the line activated: it runs in the place of the program.
    fn own_program(&self, command: &Command, state: &State) -> Option<Word> {
        let name = command.words.first()?.known()?;
        if let Some(bin) = state.bin.as_ref().filter(|_| !name.contains('/')) {
            return Some(Word::text(bin.join(&*name).to_str()?));
        }
        let file = state.activated.as_ref()?.join(&*name);
        let word = Word::text(file.to_str()?);
        let is_there = self.is_written(&word, state) || self.files.script(&file).is_some();
        (is_there && !name.contains('/')).then_some(word)
    }

    /// Notes what a program does, and follows what it runs.
    pub(super) fn program(&mut self, command: &Command, state: &State) {
        if !self.may() {
            return;
        }
        if command.words.first().and_then(Word::known).is_none() {
            return self.anything("a program whose name cannot be read");
        }
        if self.calls > CALLS {
            return self.anything("programs that run each other too deep");
        }
        let seen = Self::seen(command, state);
        let Acts {
            effects,
            mut runs,
            prints,
            shape,
        } = programs::act(&seen, self.places);
        runs.extend(self.alias_of(&seen));
        for effect in effects {
            match effect.kind {
                Kind::Read | Kind::Write => {
                    let sure = effect.certainty.min(command.certainty);
                    self.file(effect.kind, effect.object, sure, &effect.through);
                }
                _ => self.effect(effect),
            }
        }
        let follows = !runs.is_empty();
        self.calls += 1;
        for inner in runs {
            self.follow(inner, command, state);
        }
        self.calls -= 1;
        if !follows {
            let silent = is_silent(command).then_some("");
            match prints.as_deref().or(silent) {
                Some(text) => self.print(Some(text)),
                None => self.print_shape(shape),
            }
        }
    }

    /// What runs in the place of a verb of git that the settings give a meaning. A line for a shell runs at the top of the
    /// repository.
    fn alias_of(&self, command: &Command) -> Option<Inner> {
        let rest = programs::unlisted_verb(command)?;
        let verb = rest.first()?.known()?;
        let mut folders = programs::folders_of_git(command);
        let mut told = folders.iter();
        let text = told.find_map(|folder| self.files.alias(folder, &verb))?;
        let line = match text.strip_prefix('!') {
            Some(line) => {
                let project = &self.places.project;
                let inside = folders.iter_mut().filter(|one| one.starts_with(project));
                inside.for_each(|folder| folder.clone_from(project));
                line.to_owned()
            }
            None => format!("git {text}"),
        };
        Some(Inner::Shell {
            text: Word::text(format!("{line} \"$@\"")),
            arguments: rest,
            folders,
        })
    }

    /// The command as its program sees it: with the variables that the line exported, and those that may have been exported
    /// before.
    pub(super) fn seen<'c>(command: &'c Command, state: &State) -> Cow<'c, Command> {
        let mut seen = Cow::Borrowed(command);
        for (name, variable) in state
            .variables
            .iter()
            .filter(|(name, it)| it.exported || *name == "TMPDIR" || name.starts_with("GIT_"))
        {
            if seen.assigned.iter().any(|(own, _)| own == name) {
                continue;
            }
            let value = match &variable.value {
                Value::Text(word) => word.clone(),
                Value::Unset => continue,
                _ => Word::unknown(),
            };
            seen.to_mut().assigned.insert(0, (name.clone(), value));
        }
        seen
    }

    /// Follows something that no program of a line runs.
    pub(super) fn alone_of(mut self, inner: Inner) -> Done {
        let outer = Command::new(Vec::new(), Vec::new());
        let mut state = State::new(self.places);
        if let Inner::Shell { folders, .. } = &inner {
            state.folders = folders.clone().into();
        }
        self.follow(inner, &outer, &state);
        Done::of(self)
    }

    /// Follows something that a program runs.
    pub(super) fn follow(&mut self, inner: Inner, outer: &Command, state: &State) {
        match inner {
            Inner::Command(command) => self.wrapped(&command, outer, state),
            Inner::Shell {
                text,
                arguments,
                folders,
            } => {
                let Some(text) = text.known() else {
                    return self.anything("a text that a shell runs and that cannot be read");
                };
                // The shell reads its commands from the same input as they do.
                if matches!(&outer.input, Input::Text(own) if **own == *text) {
                    self.share();
                }
                let mut child = state.child(folders, arguments);
                child.is_simple = outer.words.first().is_some_and(is_simple_shell);
                self.alone(&text, "sh", child);
            }
            Inner::File {
                file,
                shell,
                arguments,
                folders,
            } => {
                if !shell && outer.words.first() != Some(&file) {
                    // Its interpreter is no shell.
                    return self.interpreted(&file, outer, folders);
                }
                let arguments = [std::slice::from_ref(&file), &*arguments].concat();
                let mut child = state.child(folders, arguments);
                if shell {
                    child.is_simple = outer.words.first().is_some_and(is_simple_shell);
                }
                self.script(&file, shell, child);
            }
            Inner::Elsewhere { inner, mounts } => self.elsewhere(*inner, &mounts, outer),
            Inner::Loaded { file, folders } => {
                let state = State {
                    folders: folders.into(),
                    ..State::default()
                };
                // Its ending may be left out.
                let found = objects(&file, &state.folders);
                let is_it = |own: &PathBuf| {
                    let own = tidy(own).with_extension("");
                    let mut found = found.iter();
                    found.any(
                        |(object, _)| matches!(object, Object::Path(path) if tidy(path) == own),
                    )
                };
                let is_written = self.is_written(&file, &state) || self.written.iter().any(is_it);
                if file.known().is_some() && is_written {
                    self.anything("a file that the line wrote");
                }
            }
            Inner::Code {
                language,
                text,
                folders,
                ..
            } => {
                let text = text.known();
                self.code(language, text.as_deref(), &folders, None);
            }
        }
    }

    /// Notes what code of another language does, which may stand in a script that the line wrote.
    fn code(
        &mut self,
        language: &str,
        text: Option<&str>,
        folders: &[PathBuf],
        own: Option<&Path>,
    ) {
        let effects = text.and_then(|text| code::read(language, text, folders));
        let Some(effects) = effects.filter(|effects| !self.brings_code(effects, own)) else {
            return self.anything(language);
        };
        for effect in effects {
            let Effect { kind, object, .. } = effect;
            self.file(kind, object, effect.certainty, &effect.through);
        }
        self.print(None);
    }

    /// Follows what runs on another machine or in a container: of its files only those count that are of this disk.
    fn elsewhere(&mut self, inner: Inner, mounts: &[Mount], outer: &Command) {
        let effects = std::mem::take(&mut self.effects);
        let written = self.written.clone();
        let was_away = std::mem::replace(&mut self.is_away, true);
        self.follow(inner, outer, &State::default());
        self.is_away = was_away;
        self.written = written;
        let own = std::mem::replace(&mut self.effects, effects);
        for effect in own {
            match effect.kind {
                Kind::Read | Kind::Write | Kind::Delete | Kind::Discard => {
                    for object in mounted(&effect.object, mounts) {
                        let effect = effect.clone();
                        self.effects.push(Effect { object, ..effect });
                    }
                }
                Kind::Exec | Kind::Net | Kind::Push | Kind::Publish
                    if effect.object != Object::Unknown =>
                {
                    self.effects.push(effect);
                }
                _ => {}
            }
        }
        self.print(None);
    }

    /// Tells whether the line itself wrote what this code may import: that is as good as code in the line.
    fn brings_code(&self, effects: &[Effect], own: Option<&Path>) -> bool {
        if !effects.iter().any(Effect::is_opaque) {
            return false;
        }
        let is_read = |path: &PathBuf| {
            effects.iter().any(
                |effect| matches!(&effect.object, Object::Path(file) if file.starts_with(path)),
            )
        };
        // That file says which code a folder is, which has a name without an ending.
        let is_folder = |effect: &Effect| {
            let is_data = |file: &PathBuf| file.extension().is_some_and(|end| end == "json");
            effect.kind == Kind::Read
                && matches!(&effect.object, Object::Path(file) if !is_data(file))
        };
        let names_code = |path: &PathBuf| {
            let is_package = path.iter().any(|name| name == "node_modules");
            path.ends_with("package.json") && (is_package || effects.iter().any(is_folder))
        };
        // A path without an ending may be a folder.
        let is_code = |path: &PathBuf| {
            let ends = ["py", "pyc", "pth", "so", "js", "cjs", "mjs", "node"];
            let end = path.extension().and_then(|end| end.to_str());
            end.is_none_or(|end| ends.contains(&end)) || is_read(path) || names_code(path)
        };
        let unknown = |effect: &Effect| {
            effect.kind == Kind::Write
                && !matches!(effect.object, Object::Path(_) | Object::Tree(_))
        };
        let mut others = self.written.iter().filter(|path| own != Some(&tidy(path)));
        others.any(is_code) || self.effects.iter().any(unknown)
    }

    /// Runs the command that a program runs.
    fn wrapped(&mut self, command: &Command, outer: &Command, state: &State) {
        if command.words.is_empty() {
            return;
        }
        for one in &command.assigned {
            if !outer.assigned.contains(one) {
                self.hazard(&one.0, &one.1, &state.folders);
            }
        }
        let certainty = self.certainty;
        self.certainty = certainty.min(command.certainty);
        // A shell that it starts reads the same.
        let input = std::mem::replace(&mut self.input, command.input.clone());
        self.run(command, state);
        self.input = input;
        self.certainty = certainty;
    }

    /// Runs a text in a shell of its own.
    pub(super) fn alone(&mut self, text: &str, through: &str, child: State) {
        let jumps = std::mem::take(&mut self.jumps);
        let after = self.text(text, through, child);
        self.leave(after);
        self.jumps = jumps;
    }

    /// Runs a text as commands, here.
    pub(super) fn text(&mut self, text: &str, through: &str, state: State) -> After {
        if self.calls >= CALLS || text.len() > SCRIPT {
            self.anything(through);
            return After::both(state);
        }
        self.spend(text.len());
        let Ok(list) = syntax::script(text, self.calls * 2) else {
            self.anything(&format!("{through}: a text that cannot be read"));
            return After::both(state);
        };
        self.calls += 1;
        let after = self.list(&list, state);
        self.calls -= 1;
        after
    }

    /// Runs a file in this shell.
    pub(super) fn sourced(&mut self, file: &Word, state: State) -> After {
        match self.content(file, &state) {
            Content::Text(text) => {
                self.may_change(file, &state);
                let mut state = state;
                let mut text = text;
                if let [(Object::Path(path), _)] = &*objects(file, &state.folders)
                    && let Some(folder) = tidy(path).parent()
                    && is_activation(&text, folder)
                {
                    ACTIVATED.clone_into(&mut text);
                    state.activated = Some(Rc::new(folder.to_owned()));
                }
                let returns = std::mem::take(&mut self.jumps.returns);
                let mut after = self.text(&text, "source", state);
                let returns = std::mem::replace(&mut self.jumps.returns, returns);
                for state in returns {
                    after.ok = super::state::or(after.ok, Some(state));
                }
                after
            }
            Content::Opaque(_) if let Some(folder) = self.made_environment(file, &state) => {
                let activated = Some(Rc::new(folder));
                self.text(ACTIVATED, "source", State { activated, ..state })
            }
            Content::Opaque(path) => {
                self.opaque(&path);
                // It may change folders, functions and variables.
                After::both(State::default())
            }
            Content::Unknown => {
                self.anything("source");
                After::both(state)
            }
        }
    }

    /// Returns the folder of a script that is not there yet and activates an environment of Python which the line makes.
    fn made_environment(&self, file: &Word, state: &State) -> Option<PathBuf> {
        let [(Object::Path(path), _)] = &*objects(file, &state.folders) else {
            return None;
        };
        let path = tidy(path);
        let bin = path.parent().filter(|_| path.ends_with("bin/activate"))?;
        let environment = bin.parent()?;
        let mut variables = state.variables.iter();
        if variables.any(|(name, it)| it.exported && name.starts_with("PYTHON")) {
            return None;
        }
        let made = |command: &Command| {
            let words = Word::all_known(&command.words)?;
            let words: Vec<&str> = words.iter().map(|word| &**word).collect();
            let name = match &*words {
                ["python" | "python3", "-m", "venv", name]
                | ["uv", "venv", name]
                | ["virtualenv", name] => name,
                ["uv", "venv"] => ".venv",
                _ => return None,
            };
            // A module of the folder would run in the place of the usual one.
            let is_usual = ["venv.py", "venv/__init__.py"].iter().all(|file| {
                let mut folders = command.folders.iter();
                folders.all(|folder| self.files.is_nowhere(&folder.join(file)))
            });
            match &*objects(&Word::text(name), &command.folders) {
                [(Object::Path(made), _)] if is_usual && command.assigned.is_empty() => {
                    Some(tidy(made))
                }
                _ => None,
            }
        };
        // Of the line nothing else may put a script there.
        let elsewhere = |effect: &Effect| match (effect.kind, &effect.object) {
            (Kind::Write, Object::Tree(at)) if at == environment => effect.through == "python",
            (Kind::Write | Kind::Delete, Object::Path(at) | Object::Tree(at)) => {
                !(at.starts_with(environment) || environment.starts_with(at))
            }
            (kind, _) => !matches!(kind, Kind::Write | Kind::Delete),
        };
        let mut commands = self.commands.iter().filter_map(made);
        let is_new = commands.any(|made| made == environment)
            && self.effects.iter().all(elsewhere)
            && self.files.is_nowhere(&path);
        is_new.then(|| bin.to_owned())
    }

    /// Runs a script of a file in a process of its own.
    fn script(&mut self, file: &Word, shell: bool, child: State) {
        match self.content(file, &child) {
            Content::Text(text)
                if !shell && !names_shell_alone(&text) && self.is_written(file, &child) =>
            {
                self.anything("a script");
            }
            Content::Text(text) if shell || is_shell(&text) => {
                self.may_change(file, &child);
                let mut child = child;
                let first = text.lines().next().unwrap_or_default();
                child.is_simple |= !shell && first.starts_with("#!") && !first.contains("bash");
                self.alone(&text, "a script", child);
            }
            Content::Text(_) => {
                let path = file.known().unwrap_or_default().into_owned();
                self.opaque(&path);
            }
            Content::Opaque(path) => self.opaque(&path),
            Content::Unknown => self.anything("a script that cannot be read"),
        }
    }

    /// A script in a temporary folder is read, and stays one that others may write before it runs.
    fn may_change(&mut self, file: &Word, state: &State) {
        let found = objects(file, &state.folders);
        let is_temporary = |path: &Path| {
            !path.starts_with(&self.places.project)
                && ["/tmp", "/var/tmp"]
                    .iter()
                    .any(|folder| path.starts_with(folder))
        };
        let may =
            |object: &Object| matches!(object, Object::Path(path) if is_temporary(&tidy(path)));
        if found.iter().any(|(object, _)| may(object)) {
            self.opaque(&file.known().unwrap_or_default());
        }
    }

    /// Notes a script of another language, which is not read.
    fn interpreted(&mut self, file: &Word, outer: &Command, folders: Vec<PathBuf>) {
        let state = State {
            folders: folders.into(),
            ..State::default()
        };
        let is_there = |part: &Part| matches!(part, Part::Text(_) | Part::Glob(_));
        if file.spreads() && file.parts.iter().all(is_there) && self.runs_what_stands_there() {
            return self.opaque("a script");
        }
        match self.content(file, &state) {
            // What the line wrote there is as good as code in the line.
            Content::Text(text) if self.is_written(file, &state) => {
                let program = outer.words.first().map(programs::program_name);
                let row = program.and_then(|name| programs::find(&name));
                let language = row.map_or("", programs::Program::name);
                // Others read their operands in ways of their own.
                let language = ["python", "node"].into_iter().find(|it| *it == language);
                let own = match &*objects(file, &state.folders) {
                    [(Object::Path(path), _)] => Some(tidy(path)),
                    _ => None,
                };
                let language = language.unwrap_or_default();
                self.code(language, Some(&text), &state.folders, own.as_deref());
            }
            Content::Text(_) | Content::Opaque(_) => {
                self.opaque(&file.known().unwrap_or_default());
            }
            Content::Unknown => self.anything("a script that cannot be read"),
        }
    }

    /// Notes a program whose code is not read.
    fn opaque(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.note(Kind::Exec, Object::opaque(name), Certainty::Exact, name);
        self.print(None);
    }
}

/// What an object of a container is on this disk.
fn mounted(object: &Object, mounts: &[Mount]) -> Vec<Object> {
    let of = |Mount { there, here }: &Mount| {
        let all = || Object::Tree(here.clone());
        match object {
            Object::Path(path) => {
                let path = tidy(path);
                let below = path.strip_prefix(there).map(|rest| here.join(rest));
                below.ok().map(Object::Path)
            }
            Object::Tree(path) => {
                let path = tidy(path);
                match path.strip_prefix(there) {
                    Ok(rest) => Some(Object::Tree(here.join(rest))),
                    Err(_) => there.starts_with(path).then(all),
                }
            }
            Object::Pattern(pattern) => {
                let fixed = pattern
                    .split(['*', '?', '[', '<'])
                    .next()
                    .unwrap_or_default();
                let is_near = there.starts_with(fixed) || tidy(fixed.as_ref()).starts_with(there);
                is_near.then(all)
            }
            Object::Unknown => Some(all()),
            _ => None,
        }
    };
    mounts.iter().filter_map(of).collect()
}

/// Whether a command prints nothing.
fn is_silent(command: &Command) -> bool {
    let name = command.words.first().map(programs::last_name);
    let words = command.words.get(1..).unwrap_or_default();
    let told = |word: &Word| {
        let text = word.known();
        let plain =
            text.is_some_and(|text| !text.starts_with('-') || !text.contains(['v', 'c', 'h', 'i']));
        plain || (!word.head().is_empty() && !word.head().starts_with('-'))
    };
    name.is_some_and(|name| programs::words::SILENT.contains(&&*name)) && words.iter().all(told)
}

/// Whether a program runs its text in a shell that may leave braces as they are.
fn is_simple_shell(program: &Word) -> bool {
    let name = programs::program_name(program);
    !matches!(&*name, "bash" | "rbash" | "zsh" | "ksh" | "ksh93" | "mksh")
}

/// Whether the first line of a script names a shell of the system alone, or none: another word behind it is code, a file, or an
/// option that leads to some.
fn names_shell_alone(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let Some(program) = first.strip_prefix("#!") else {
        return true;
    };
    let shells = ["sh", "bash", "dash", "env sh", "env bash"];
    let program = program.trim();
    let program = program.strip_prefix("/usr").unwrap_or(program);
    let program = program.trim_end_matches(" -e");
    program
        .strip_prefix("/bin/")
        .is_some_and(|name| shells.contains(&name))
}

/// Whether a script without an interpreter of its own, or with a shell, is read by a shell.
fn is_shell(text: &str) -> bool {
    let Some(first) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        return true;
    };
    let mut words = first
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or_default());
    let program = match words.next() {
        Some("env") => words.find(|word| !word.starts_with('-')),
        program => program,
    };
    matches!(
        program,
        Some("sh" | "bash" | "dash" | "ash" | "ksh" | "zsh")
    )
}

/// What remains of the script that activates an environment of Python, beside its variables.
const ACTIVATED: &str = "deactivate () { :; }";

/// Whether a text is that script, for the environment with this folder of programs: each of its lines is one that it has, and
/// the folder is named before it is used.
fn is_activation(text: &str, folder: &Path) -> bool {
    const LINES: &str = include_str!("activate.txt");
    let is_path = |letter: char| letter.is_ascii_alphanumeric() || "_./@+-".contains(letter);
    let environment = folder.parent().and_then(Path::to_str);
    let names = |line: &str| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.starts_with("VIRTUAL_ENV=")
    };
    let is_one = |line: &str, known: &str| match known.split_once("<PATH>") {
        Some((before, behind)) => line
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(behind))
            .is_some_and(|path| {
                path.chars().all(is_path) && (!names(line) || environment == Some(path))
            }),
        None => line == known,
    };
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut is_named = false;
    text.contains("deactivate nondestructive")
        && lines.all(|line| {
            is_named |= names(line);
            (is_named || !line.starts_with("PATH=\"$VIRTUAL_ENV"))
                && LINES.lines().any(|known| is_one(line, known))
        })
}
