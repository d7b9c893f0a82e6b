//! Files that are run: by this shell, by one of their own, and by interpreters of other languages.

use std::path::Path;
use std::rc::Rc;

use super::activate::{ACTIVATED, is_activation};
use super::content::ScriptContent;
use super::state::{ExitStates, ShellState};
use super::walk::Walk;
use crate::command::ShellCommand;
use crate::effect::{Certainty, EffectKind, Target};
use crate::places::{objects, path_of, tidy};
use crate::programs;
use crate::word::{Part, Word};

impl Walk<'_> {
    /// Runs a file in this shell.
    pub(super) fn sourced(&mut self, file: &Word, state: ShellState) -> ExitStates {
        match self.content(file, &state) {
            ScriptContent::Text(text) => {
                self.may_change(file, &state);
                let mut state = state;
                let mut text = text;
                if let Some(path) = path_of(file, &state.folders)
                    && let Some(folder) = path.parent()
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
            ScriptContent::Opaque(_) if let Some(folder) = self.made_environment(file, &state) => {
                let activated = Some(Rc::new(folder));
                self.text(ACTIVATED, "source", ShellState { activated, ..state })
            }
            ScriptContent::Opaque(path) => {
                self.opaque(&path);
                // It may change folders, functions and variables.
                ExitStates::both(ShellState::default())
            }
            ScriptContent::Unknown => {
                self.anything("source");
                ExitStates::both(state)
            }
        }
    }

    /// Runs a script of a file in a process of its own.
    pub(super) fn script(&mut self, file: &Word, shell: bool, child: ShellState) {
        match self.content(file, &child) {
            ScriptContent::Text(text)
                if !shell && !names_shell_alone(&text) && self.is_written(file, &child) =>
            {
                self.anything("a script");
            }
            ScriptContent::Text(text) if shell || is_shell(&text) => {
                self.may_change(file, &child);
                let mut child = child;
                let first = text.lines().next().unwrap_or_default();
                child.is_simple |= !shell && first.starts_with("#!") && !first.contains("bash");
                self.alone(&text, "a script", child);
            }
            ScriptContent::Text(_) => {
                self.opaque(file.known().unwrap_or_default());
            }
            ScriptContent::Opaque(path) => self.opaque(&path),
            ScriptContent::Unknown => self.anything("a script that cannot be read"),
        }
    }

    /// A script in a temporary folder is read, and stays one that others may write before it runs.
    fn may_change(&mut self, file: &Word, state: &ShellState) {
        let found = objects(file, &state.folders);
        let is_temporary = |path: &Path| {
            !path.starts_with(&self.places.project)
                && ["/tmp", "/var/tmp"]
                    .iter()
                    .any(|folder| path.starts_with(folder))
        };
        let may =
            |object: &Target| matches!(object, Target::Path(path) if is_temporary(&tidy(path)));
        if found.iter().any(|(object, _)| may(object)) {
            self.opaque(file.known().unwrap_or_default());
        }
    }

    /// Notes a script of another language, which is not read.
    pub(super) fn interpreted(&mut self, file: &Word, outer: &ShellCommand, state: &ShellState) {
        let is_there = |part: &Part| matches!(part, Part::Text(_) | Part::Glob(_));
        if file.spreads() && file.parts.iter().all(is_there) && self.runs_what_stands_there() {
            return self.opaque("a script");
        }
        match self.content(file, state) {
            // What the line wrote there is as good as code in the line.
            ScriptContent::Text(text) if self.is_written(file, state) => {
                let row = programs::find(&outer.program());
                let language = row.map_or("", programs::Program::name);
                // Others read their operands in ways of their own.
                let language = ["python", "node"].into_iter().find(|it| *it == language);
                let language = language.unwrap_or_default();
                let own = path_of(file, &state.folders);
                let place = self.place(outer, &state.folders, own.as_deref(), state);
                self.code(language, Some(&text), &place, own.as_deref());
            }
            ScriptContent::Text(_) | ScriptContent::Opaque(_) => {
                self.opaque(file.known().unwrap_or_default());
            }
            ScriptContent::Unknown => self.anything("a script that cannot be read"),
        }
    }

    /// Notes a program whose code is not read.
    pub(super) fn opaque(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.note(
            EffectKind::Exec,
            Target::opaque(name),
            Certainty::Exact,
            name,
        );
        self.print(None);
    }
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
