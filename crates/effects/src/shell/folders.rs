//! The folder of a shell: `cd`, `pushd`, `popd`.

use std::path::PathBuf;
use std::rc::Rc;

use super::state::{ExitStates, ShellFolders, ShellState, VariableValue};
use super::walk::Walk;
use crate::places::tidy;
use crate::word::Word;

impl Walk<'_> {
    pub(super) fn cd(&mut self, words: &[Word], state: ShellState) -> ExitStates {
        let option = |word: &&Word| {
            let text = word.known();
            text.is_some_and(|text| text.len() > 1 && text.starts_with('-'))
        };
        let mut words = words.iter().skip_while(option);
        let folders: ShellFolders = match words.next() {
            None => match &self.places.home {
                Some(_) => self.home(&state).into(),
                None => ShellFolders::default(),
            },
            Some(word) if word.says(&["-"]) => {
                self.print(None);
                state.previous.clone()
            }
            Some(word) => self.entered(word, &state).into(),
        };
        let mut inside = state.clone();
        inside.previous = std::mem::replace(&mut inside.folders, folders);
        inside.set("OLDPWD", VariableValue::Unknown);
        Rc::make_mut(&mut inside.variables).remove("OLDPWD");
        Rc::make_mut(&mut inside.variables).remove("PWD");
        ExitStates::of(Some(inside), Some(state))
    }

    /// The home folder as a list of folders.
    fn home(&self, state: &ShellState) -> Vec<PathBuf> {
        match state.value("HOME", self.places) {
            VariableValue::Text(word) => {
                let home = word.known().map(PathBuf::from);
                home.filter(|home| home.is_absolute()).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The folders that a word leads into from here.
    fn entered(&mut self, word: &Word, state: &ShellState) -> Vec<PathBuf> {
        let Some(text) = word.known() else {
            return Vec::new();
        };
        let near = text.starts_with("./") || text.starts_with("..") || text == ".";
        let searched =
            state.variables.contains_key("CDPATH") || self.places.variables.contains_key("CDPATH");
        if text.starts_with('/') {
            return vec![tidy(text.as_ref())];
        }
        if searched && !near {
            return Vec::new();
        }
        let each = state.folders.iter();
        each.map(|folder| tidy(&folder.join(&*text))).collect()
    }

    /// `pushd FOLDER`; any other form, and `popd`, lead to a folder that is not known.
    pub(super) fn pushed(
        &mut self,
        name: &str,
        words: &[Word],
        mut state: ShellState,
    ) -> ExitStates {
        self.print(None);
        let before = state.clone();
        state.previous = state.folders;
        state.folders = match (name, words) {
            ("pushd", [word]) if !word.head().starts_with(['+', '-']) => {
                self.entered(word, &before).into()
            }
            _ => ShellFolders::default(),
        };
        ExitStates::of(Some(state), Some(before))
    }
}
