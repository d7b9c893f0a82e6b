//! What started programs run themselves: commands, texts, and what runs elsewhere.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::content::ScriptContent;
use super::state::{ExitStates, ShellState, VariableValue};
use super::walk::{CALLS, Walk};
use super::{LineAnalysis, syntax};
use crate::code::{self, CodeEnvironment};
use crate::command::{ContainerMount, Input, NestedCommand, ProgramEffects, ShellCommand};
use crate::effect::{Effect, EffectKind, Target};
use crate::places::{objects, tidy};
use crate::programs::{self, words};
use crate::word::Word;

/// The folders in which code looks for modules: its own, then those that `PYTHONPATH` names. Code of the line itself has the
/// folder of the line, where no option says otherwise.
fn roots_of(outer: &ShellCommand, folders: &[PathBuf], script: Option<&Path>) -> Vec<PathBuf> {
    let [folder] = folders else {
        return Vec::new();
    };
    let own = script.and_then(Path::parent);
    let is_plain = |word: &Word| match script {
        Some(_) => !word.head().is_empty() && !word.head().starts_with('-'),
        None => word.says(&["-c", "-"]),
    };
    let is_other = |(name, _): &(String, Word)| {
        name.starts_with("PYTHON") && !words::PYTHON_SETTINGS.contains(&&**name)
    };
    if !outer.words.get(1).is_none_or(is_plain) || outer.assigned.iter().any(is_other) {
        return Vec::new();
    }
    let mut roots = vec![own.unwrap_or(folder).to_owned()];
    for (_, value) in outer
        .assigned
        .iter()
        .filter(|(name, _)| name == "PYTHONPATH")
    {
        let Some(value) = value.known() else {
            return Vec::new();
        };
        roots.extend(value.split(':').map(|one| folder.join(one)));
    }
    roots
}

/// The longest script that is read.
pub(super) const SCRIPT: usize = 64 << 10;
impl<'a> Walk<'a> {
    /// Runs a program that is no command of the shell.
    pub(super) fn run(&mut self, command: &ShellCommand, state: &ShellState) {
        self.commands.push(command.clone());
        self.found_program(command, state);
    }

    /// Runs a program that is looked up in `PATH`.
    pub(super) fn found_program(&mut self, command: &ShellCommand, state: &ShellState) {
        if state.strangers {
            self.anything("PATH=");
        }
        if let Some(file) = self.own_program(command, state) {
            let words = command.words.iter().skip(1).cloned();
            let words = std::iter::once(file).chain(words).collect();
            return self.program(&command.with(words), state);
        }
        let seen = Self::seen(command, state);
        let is_open = self.starts_with_settings(command) && !self.reads_build_file(command, state);
        if is_open || self.is_led_to_settings(&seen) {
            self.anything("settings of a program");
        }
        self.program(command, state);
    }

    /// Notes what a program does, and follows what it runs.
    pub(super) fn program(&mut self, command: &ShellCommand, state: &ShellState) {
        if !self.may() {
            return;
        }
        if command.words.first().and_then(Word::known).is_none() {
            return self.anything("a program whose name cannot be read");
        }
        if self.calls > CALLS {
            return self.anything("programs that run each other too deep");
        }
        let seen = self.fed_by_file(Self::seen(command, state), state);
        let ProgramEffects {
            effects,
            mut runs,
            prints,
            shape,
        } = programs::act(&seen, self.places);
        runs.extend(self.alias_of(&seen));
        for effect in effects {
            match effect.kind {
                EffectKind::Read | EffectKind::Write => {
                    let sure = effect.certainty.min(command.certainty);
                    self.file(effect.kind, effect.object, sure, &effect.through);
                }
                _ => self.effect(effect),
            }
        }
        // Others of these names, or of other cases, may print something else.
        let is_usual = |letter: char| !letter.is_ascii_uppercase() && !"./".contains(letter);
        let is_usual = command
            .words
            .first()
            .is_some_and(|word| word.head().chars().all(is_usual));
        let follows = !runs.is_empty();
        self.calls += 1;
        for inner in runs {
            self.follow(inner, command, state);
        }
        self.calls -= 1;
        if !follows {
            let silent = is_silent(command).then_some("");
            match prints.as_deref().filter(|_| is_usual).or(silent) {
                Some(text) => self.print(Some(text)),
                None => self.print_shape(shape.filter(|_| is_usual)),
            }
        }
    }

    /// The command with the text of the file that a client of a database reads, which may run a line or reach other files.
    fn fed_by_file<'c>(
        &mut self,
        seen: Cow<'c, ShellCommand>,
        state: &ShellState,
    ) -> Cow<'c, ShellCommand> {
        let Input::File(file) = &seen.input else {
            return seen;
        };
        let name = seen.words.first().map(programs::program_name);
        let row = name.and_then(|name| programs::find(&name));
        if row.is_none_or(|row| row.name() != "sqlite3") {
            return seen;
        }
        match self.content(file, state) {
            ScriptContent::Text(text) => Cow::Owned(ShellCommand {
                input: Input::Text(text),
                ..seen.into_owned()
            }),
            ScriptContent::Opaque(_) | ScriptContent::Unknown => seen,
        }
    }

    /// What runs in the place of a verb of git that the settings give a meaning. A line for a shell runs at the top of the
    /// repository.
    fn alias_of(&self, command: &ShellCommand) -> Option<NestedCommand> {
        let rest = programs::unlisted_verb(command)?;
        let verb = rest.first()?.known()?;
        let mut folders = programs::folders_of_git(command);
        let mut told = folders.iter();
        let text = told.find_map(|folder| self.files.alias(folder, verb))?;
        let line = match text.strip_prefix('!') {
            Some(line) => {
                let project = &self.places.project;
                let inside = folders.iter_mut().filter(|one| one.starts_with(project));
                inside.for_each(|folder| folder.clone_from(project));
                line.to_owned()
            }
            None => format!("git {text}"),
        };
        Some(NestedCommand::Shell {
            text: Word::text(format!("{line} \"$@\"")),
            arguments: rest,
            folders,
        })
    }

    /// The command as its program sees it: with the variables that the line exported, and those that may have been exported
    /// before.
    pub(super) fn seen<'c>(command: &'c ShellCommand, state: &ShellState) -> Cow<'c, ShellCommand> {
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
                VariableValue::Text(word) => word.clone(),
                VariableValue::Unset => continue,
                _ => Word::unknown(),
            };
            seen.to_mut().assigned.insert(0, (name.clone(), value));
        }
        seen
    }

    /// Follows something that no program of a line runs.
    pub(super) fn alone_of(mut self, inner: NestedCommand) -> LineAnalysis {
        let outer = ShellCommand::new(Vec::new(), Vec::new());
        let mut state = ShellState::new(self.places);
        if let NestedCommand::Shell { folders, .. } = &inner {
            state.folders = folders.clone().into();
        }
        self.follow(inner, &outer, &state);
        LineAnalysis::of(self)
    }

    /// Follows something that a program runs.
    pub(super) fn follow(
        &mut self,
        inner: NestedCommand,
        outer: &ShellCommand,
        state: &ShellState,
    ) {
        match inner {
            NestedCommand::Command(command) => self.wrapped(&command, outer, state),
            NestedCommand::Shell {
                text,
                arguments,
                folders,
            } => {
                let own = &text;
                let Some(text) = own.as_line() else {
                    return self.anything("a text that a shell runs and that cannot be read");
                };
                // The shell reads its commands from the same input as they do.
                if matches!(&outer.input, Input::Text(own) if **own == *text) {
                    self.share();
                }
                let mut child = state.child(folders, arguments);
                child.is_simple = outer.words.first().is_some_and(is_simple_shell);
                // Its options may end it early.
                self.mixed |= outer
                    .words
                    .iter()
                    .skip(1)
                    .take_while(|word| **word != *own)
                    .any(ends_early);
                self.alone(&text, "sh", child);
            }
            NestedCommand::File {
                file,
                shell,
                arguments,
                folders,
            } => {
                if !shell && outer.words.first() != Some(&file) {
                    // Its interpreter is no shell.
                    let there = ShellState {
                        folders: folders.into(),
                        variables: Rc::clone(&state.variables),
                        ..ShellState::default()
                    };
                    return self.interpreted(&file, outer, &there);
                }
                let arguments = [std::slice::from_ref(&file), &*arguments].concat();
                let mut child = state.child(folders, arguments);
                if shell {
                    child.is_simple = outer.words.first().is_some_and(is_simple_shell);
                }
                self.script(&file, shell, child);
            }
            NestedCommand::Elsewhere { inner, mounts } => self.elsewhere(*inner, &mounts, outer),
            NestedCommand::Loaded { file, folders } => {
                let state = ShellState {
                    folders: folders.into(),
                    ..ShellState::default()
                };
                // Its ending may be left out.
                let found = objects(&file, &state.folders);
                let is_it = |own: &PathBuf| {
                    let own = tidy(own).with_extension("");
                    let mut found = found.iter();
                    found.any(
                        |(object, _)| matches!(object, Target::Path(path) if tidy(path) == own),
                    )
                };
                let is_written = self.is_written(&file, &state) || self.written.iter().any(is_it);
                if file.known().is_some() && is_written {
                    self.anything("a file that the line wrote");
                }
            }
            NestedCommand::Code {
                language,
                text,
                folders,
                ..
            } => {
                let text = text.known();
                let place = self.place(outer, &folders, None, state);
                self.code(language, text, &place, None);
            }
        }
    }

    /// Notes what code of another language does, which may stand in a script that the line wrote.
    pub(super) fn code(
        &mut self,
        language: &str,
        text: Option<&str>,
        place: &CodeEnvironment<'_>,
        own: Option<&Path>,
    ) {
        let effects = text.and_then(|text| code::read(language, text, place));
        let Some(effects) = effects.filter(|effects| !self.brings_code(effects, own)) else {
            return self.anything(language);
        };
        for effect in effects {
            let Effect { kind, object, .. } = effect;
            self.file(kind, object, effect.certainty, &effect.through);
        }
        self.print(None);
    }

    /// Where code runs, which may stand in a script. What the line wrote or took away may stand in the place of each module.
    pub(super) fn place<'p>(
        &self,
        outer: &ShellCommand,
        folders: &'p [PathBuf],
        script: Option<&Path>,
        state: &ShellState,
    ) -> CodeEnvironment<'p>
    where
        'a: 'p,
    {
        let removes = |effect: &Effect| effect.kind == EffectKind::Delete;
        let mut variables = state.variables.iter();
        let is_led = variables.any(|(name, it)| it.exported && name.starts_with("PYTHON"));
        let is_as_before =
            !is_led && !self.wrote_code(&[], script) && !self.effects.iter().any(removes);
        CodeEnvironment {
            folders,
            roots: if is_as_before {
                roots_of(outer, folders, script)
            } else {
                Vec::new()
            },
            files: self.files,
        }
    }

    /// Follows what runs on another machine or in a container: of its files only those count that are of this disk.
    fn elsewhere(&mut self, inner: NestedCommand, mounts: &[ContainerMount], outer: &ShellCommand) {
        let effects = std::mem::take(&mut self.effects);
        let written = self.written.clone();
        let was_away = std::mem::replace(&mut self.is_away, true);
        self.follow(inner, outer, &ShellState::default());
        self.is_away = was_away;
        self.written = written;
        let own = std::mem::replace(&mut self.effects, effects);
        for effect in own {
            match effect.kind {
                EffectKind::Read | EffectKind::Write | EffectKind::Delete | EffectKind::Discard => {
                    for object in mounted(&effect.object, mounts) {
                        let effect = effect.clone();
                        self.effects.push(Effect { object, ..effect });
                    }
                }
                EffectKind::Exec | EffectKind::Net | EffectKind::Push | EffectKind::Publish
                    if effect.object != Target::Unknown =>
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
        effects.iter().any(Effect::is_opaque) && self.wrote_code(effects, own)
    }

    /// Tells whether the line wrote a file other than this one that may be code, or one which a code with these effects reads.
    fn wrote_code(&self, effects: &[Effect], own: Option<&Path>) -> bool {
        let is_read = |path: &PathBuf| {
            effects.iter().any(
                |effect| matches!(&effect.object, Target::Path(file) if file.starts_with(path)),
            )
        };
        // That file says which code a folder is, which has a name without an ending.
        let is_folder = |effect: &Effect| {
            let is_data = |file: &PathBuf| file.extension().is_some_and(|end| end == "json");
            effect.kind == EffectKind::Read
                && matches!(&effect.object, Target::Path(file) if !is_data(file))
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
            effect.kind == EffectKind::Write
                && !matches!(effect.object, Target::Path(_) | Target::Tree(_))
        };
        let mut others = self.written.iter().filter(|path| own != Some(&tidy(path)));
        others.any(is_code) || self.effects.iter().any(unknown)
    }

    /// Runs the command that a program runs.
    fn wrapped(&mut self, command: &ShellCommand, outer: &ShellCommand, state: &ShellState) {
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
        let ((), printed) = self.capture(|walk| walk.run(command, state));
        // Where the first program fails, it starts nothing.
        if !printed.is_nothing() {
            self.print(None);
        }
        self.input = input;
        self.certainty = certainty;
    }

    /// Runs a text in a shell of its own.
    pub(super) fn alone(&mut self, text: &str, through: &str, child: ShellState) {
        let jumps = std::mem::take(&mut self.jumps);
        let after = self.text(text, through, child);
        self.leave(after);
        self.jumps = jumps;
    }

    /// Runs a text as commands, here.
    pub(super) fn text(&mut self, text: &str, through: &str, state: ShellState) -> ExitStates {
        if self.calls >= CALLS || text.len() > SCRIPT {
            self.anything(through);
            return ExitStates::both(state);
        }
        self.spend(text.len());
        let Ok(list) = syntax::script(text, self.calls * 2) else {
            self.anything(&format!("{through}: a text that cannot be read"));
            return ExitStates::both(state);
        };
        self.calls += 1;
        let after = self.list(&list, state);
        self.calls -= 1;
        after
    }
}

/// What an object of a container is on this disk.
fn mounted(object: &Target, mounts: &[ContainerMount]) -> Vec<Target> {
    let of = |ContainerMount { there, here }: &ContainerMount| {
        let all = || Target::Tree(here.clone());
        match object {
            Target::Path(path) => {
                let path = tidy(path);
                let below = path.strip_prefix(there).map(|rest| here.join(rest));
                below.ok().map(Target::Path)
            }
            Target::Tree(path) => {
                let path = tidy(path);
                match path.strip_prefix(there) {
                    Ok(rest) => Some(Target::Tree(here.join(rest))),
                    Err(_) => there.starts_with(path).then(all),
                }
            }
            Target::Pattern(pattern) => {
                let fixed = pattern
                    .split(['*', '?', '[', '<'])
                    .next()
                    .unwrap_or_default();
                let is_near = there.starts_with(fixed) || tidy(fixed.as_ref()).starts_with(there);
                is_near.then(all)
            }
            Target::Unknown => Some(all()),
            _ => None,
        }
    };
    mounts.iter().filter_map(of).collect()
}

/// Whether a command prints nothing.
fn is_silent(command: &ShellCommand) -> bool {
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

/// Whether a word is an option of a shell beside those that say where its text is.
fn ends_early(word: &Word) -> bool {
    let text = word.head().trim_start_matches(['-', '+']);
    text.len() < word.head().len() && text.contains(|letter| !"clix".contains(letter))
}

/// Whether a program runs its text in a shell that may leave braces as they are.
fn is_simple_shell(program: &Word) -> bool {
    let name = programs::program_name(program);
    !matches!(&*name, "bash" | "rbash" | "zsh" | "ksh" | "ksh93" | "mksh")
}
