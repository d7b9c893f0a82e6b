//! What commands print, and which commands read it.

use super::state::{ShellState, VariableValue};
use super::walk::{BYTES, Walk};
use crate::command::{Input, OutputShape, PrintedNames};
use crate::word::Word;

/// What is printed at a place of the line.
#[derive(Debug, Clone, Default)]
pub(super) struct PrintedOutput {
    /// The text; none if it cannot be known.
    pub(super) text: Option<String>,
    /// What is known of it otherwise, where one program alone printed it.
    shape: Option<OutputShape>,
    /// How often something was printed.
    times: usize,
    /// Whether the shell may end, or send what it prints elsewhere, before all of it is printed.
    pub(super) cut_off: bool,
}

impl PrintedOutput {
    /// That nothing is printed.
    pub(super) fn nothing() -> Self {
        Self {
            text: Some(String::new()),
            ..Self::default()
        }
    }

    /// That these names are printed.
    pub(super) fn names(names: PrintedNames) -> Self {
        Self {
            shape: Some(OutputShape::Names(names)),
            times: 1,
            ..Self::default()
        }
    }

    /// Tells whether surely nothing is printed.
    pub(super) fn is_nothing(&self) -> bool {
        self.text.as_deref() == Some("")
    }

    /// Tells whether it is numbers or names of files, which are fewer where less is printed.
    pub(super) fn is_counted(&self) -> bool {
        self.is_nothing()
            || matches!(
                self.shape,
                Some(OutputShape::Names(_) | OutputShape::Text(_))
            )
    }

    /// What is known of it, where its text is not.
    pub(super) fn shape(self) -> Option<OutputShape> {
        self.shape
            .filter(|_| self.times == 1 && self.text.is_none())
    }
}

impl Walk<'_> {
    /// The value of a substitution that prints this, and what is known of it where that is nothing.
    pub(super) fn value_of(&self, printed: PrintedOutput) -> (VariableValue, Option<OutputShape>) {
        if let Some(text) = &printed.text {
            return (
                VariableValue::Text(Word::text(text.trim_end_matches('\n'))),
                None,
            );
        }
        match printed.shape() {
            Some(OutputShape::Text(word)) => (VariableValue::Text(word), None),
            Some(OutputShape::Branch(folder)) => {
                let branch = self.files.branch(&folder).filter(|_| self.keeps_branch());
                (
                    branch.map_or(VariableValue::Unknown, |name| {
                        VariableValue::Text(Word::text(name))
                    }),
                    None,
                )
            }
            shape => (VariableValue::Unknown, shape),
        }
    }

    /// Notes what is printed.
    pub(super) fn print(&mut self, text: Option<&str>) {
        if text != Some("") {
            self.printed.times += 1;
        }
        match (&mut self.printed.text, text) {
            (_, Some("")) => {}
            (Some(all), Some(text)) if self.sure && all.len() + text.len() <= BYTES => {
                all.push_str(text);
            }
            (all, _) => *all = None,
        }
    }

    /// Notes that something is printed of which only this is known.
    pub(super) fn print_shape(&mut self, shape: Option<OutputShape>) {
        self.print(None);
        let holds = |shape: &OutputShape| self.sure || matches!(shape, OutputShape::Names(_));
        self.printed.shape = shape.filter(holds);
    }

    /// Hands on what was printed elsewhere.
    pub(super) fn hand_on(&mut self, printed: PrintedOutput) {
        match &printed.text {
            Some(text) => self.print(Some(text)),
            None => self.print_shape(printed.shape()),
        }
    }

    /// Does something and returns what it printed.
    pub(super) fn capture<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, PrintedOutput) {
        let printed = std::mem::replace(&mut self.printed, PrintedOutput::nothing());
        let sure = std::mem::replace(&mut self.sure, true);
        let done = run(self);
        self.sure = sure;
        let mut own = std::mem::replace(&mut self.printed, printed);
        if self.mixed || own.cut_off {
            (own.text, own.shape) = (None, None);
        }
        (done, own)
    }

    /// What a command reads that another one printed.
    pub(super) fn input_of(&mut self, printed: PrintedOutput, state: &ShellState) -> Input {
        if let Some(text) = printed.text {
            return Input::Text(text);
        }
        let shape = printed.shape();
        let zeros = matches!(&shape, Some(OutputShape::Names(lists)) if lists.zeros);
        Input::Unknown {
            names: self.found(shape, &state.folders),
            zeros,
        }
    }
}
