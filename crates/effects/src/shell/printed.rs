//! What commands print, and which commands read it.

use super::state::{State, Value};
use super::walk::{BYTES, Walk};
use crate::command::{Input, Lists, Shape};
use crate::word::Word;

/// What is printed at a place of the line.
#[derive(Debug, Clone, Default)]
pub(super) struct Printed {
    /// The text; none if it cannot be known.
    pub(super) text: Option<String>,
    /// What is known of it otherwise, where one program alone printed it.
    shape: Option<Shape>,
    /// How often something was printed.
    times: usize,
    /// Whether the shell may end, or send what it prints elsewhere, before all of it is printed.
    pub(super) cut_off: bool,
}

impl Printed {
    /// That nothing is printed.
    pub(super) fn nothing() -> Self {
        Self {
            text: Some(String::new()),
            ..Self::default()
        }
    }

    /// That these names are printed.
    pub(super) fn names(names: Lists) -> Self {
        Self {
            shape: Some(Shape::Names(names)),
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
        self.is_nothing() || matches!(self.shape, Some(Shape::Names(_) | Shape::Text(_)))
    }

    /// What is known of it, where its text is not.
    pub(super) fn shape(self) -> Option<Shape> {
        self.shape
            .filter(|_| self.times == 1 && self.text.is_none())
    }
}

impl Walk<'_> {
    /// The value of a substitution that prints this, and what is known of it where that is nothing.
    pub(super) fn value_of(&self, printed: Printed) -> (Value, Option<Shape>) {
        if let Some(text) = &printed.text {
            return (Value::Text(Word::text(text.trim_end_matches('\n'))), None);
        }
        match printed.shape() {
            Some(Shape::Text(word)) => (Value::Text(word), None),
            Some(Shape::Branch(folder)) => {
                let branch = self.files.branch(&folder).filter(|_| self.keeps_branch());
                (
                    branch.map_or(Value::Unknown, |name| Value::Text(Word::text(name))),
                    None,
                )
            }
            shape => (Value::Unknown, shape),
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
    pub(super) fn print_shape(&mut self, shape: Option<Shape>) {
        self.print(None);
        let holds = |shape: &Shape| self.sure || matches!(shape, Shape::Names(_));
        self.printed.shape = shape.filter(holds);
    }

    /// Hands on what was printed elsewhere.
    pub(super) fn hand_on(&mut self, printed: Printed) {
        match &printed.text {
            Some(text) => self.print(Some(text)),
            None => self.print_shape(printed.shape()),
        }
    }

    /// Does something and returns what it printed.
    pub(super) fn capture<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Printed) {
        let printed = std::mem::replace(&mut self.printed, Printed::nothing());
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
    pub(super) fn input_of(&mut self, printed: Printed, state: &State) -> Input {
        if let Some(text) = printed.text {
            return Input::Text(text);
        }
        let shape = printed.shape();
        let zeros = matches!(&shape, Some(Shape::Names(lists)) if lists.zeros);
        Input::Unknown {
            names: self.found(shape, &state.folders),
            zeros,
        }
    }
}
