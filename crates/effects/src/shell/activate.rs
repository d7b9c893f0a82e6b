//! The script that activates an environment of Python, whose programs run in the place of others of their name.

use std::path::{Path, PathBuf};

use super::state::ShellState;
use super::walk::Walk;
use crate::command::ShellCommand;
use crate::effect::{Effect, EffectKind, Target};
use crate::places::path_of;
use crate::word::Word;

/// What remains of the script that activates an environment of Python, beside its variables.
pub(super) const ACTIVATED: &str = "deactivate () { :; }";

impl Walk<'_> {
    /// The script of this name in the environment that the line activated: it runs in the place of the program.
    pub(super) fn own_program(&self, command: &ShellCommand, state: &ShellState) -> Option<Word> {
        let name = command.words.first()?.known()?;
        if let Some(bin) = state.bin.as_ref().filter(|_| !name.contains('/')) {
            return Some(Word::text(bin.join(name).to_str()?));
        }
        let file = state.activated.as_ref()?.join(name);
        let word = Word::text(file.to_str()?);
        let is_there = self.is_written(&word, state) || self.files.script(&file).is_some();
        (is_there && !name.contains('/')).then_some(word)
    }

    /// Returns the folder of a script that is not there yet and activates an environment of Python which the line makes.
    pub(super) fn made_environment(&self, file: &Word, state: &ShellState) -> Option<PathBuf> {
        let path = path_of(file, &state.folders)?;
        let bin = path.parent().filter(|_| path.ends_with("bin/activate"))?;
        let environment = bin.parent()?;
        let mut variables = state.variables.iter();
        if variables.any(|(name, it)| it.exported && name.starts_with("PYTHON")) {
            return None;
        }
        let made = |command: &ShellCommand| {
            let words = Word::all_known(&command.words)?;
            let name = match &*words {
                ["python" | "python3", "-m", "venv", name]
                | ["uv", "venv", name]
                | ["virtualenv", name] => name,
                ["uv", "venv"] => &".venv",
                _ => return None,
            };
            // A module of the folder would run in the place of the usual one.
            let is_usual = ["venv.py", "venv/__init__.py"].iter().all(|file| {
                let mut folders = command.folders.iter();
                folders.all(|folder| self.files.is_nowhere(&folder.join(file)))
            });
            let made = path_of(&Word::text(*name), &command.folders);
            made.filter(|_| is_usual && command.assigned.is_empty())
        };
        // Of the line nothing else may put a script there.
        let elsewhere = |effect: &Effect| match (effect.kind, &effect.object) {
            (EffectKind::Write, Target::Tree(at)) if at == environment => {
                effect.through == "python -m venv"
            }
            (EffectKind::Write | EffectKind::Delete, Target::Path(at) | Target::Tree(at)) => {
                !(at.starts_with(environment) || environment.starts_with(at))
            }
            (kind, _) => !matches!(kind, EffectKind::Write | EffectKind::Delete),
        };
        let mut commands = self.commands.iter().filter_map(made);
        let is_new = commands.any(|made| made == environment)
            && self.effects.iter().all(elsewhere)
            && self.files.is_nowhere(&path);
        is_new.then(|| bin.to_owned())
    }
}

/// Whether a text is that script, for the environment with this folder of programs: each of its lines is one that it has, and
/// the folder is named before it is used.
pub(super) fn is_activation(text: &str, folder: &Path) -> bool {
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
