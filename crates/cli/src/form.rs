//! How a command prints what it found: the value itself as JSON, or a page for people that is made from it.

use clap::Args;
use serde::Serialize;

use crate::error::CliError;
use crate::exit::Exit;
use crate::ui;

/// The flag that chooses between words and JSON.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct JsonFlag {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl JsonFlag {
    /// JSON, where a command has a flag of its own for it.
    pub(crate) fn of(json: bool) -> Self {
        Self { json }
    }

    /// Tells whether JSON was asked for.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a fact: as JSON, or as the page that people read.
    pub(crate) fn say<T: Serialize>(
        self,
        fact: &T,
        page: impl FnOnce(&T) -> String,
    ) -> Result<Exit, CliError> {
        if self.json {
            ui::raw(&pretty(fact))?;
        } else {
            ui::out(&page(fact))?;
        }
        Ok(Exit::Done)
    }

    /// Prints a fact, or tells a person why there is none.
    pub(crate) fn say_or<T: Serialize>(
        self,
        none: Option<&str>,
        fact: &T,
        page: impl FnOnce(&T) -> String,
    ) -> Result<Exit, CliError> {
        match none.filter(|_| !self.json) {
            None => self.say(fact, page),
            Some(none) => {
                ui::err(none);
                Ok(Exit::Done)
            }
        }
    }

    /// Prints one of many facts: on a line of JSON, or as the text that people read.
    pub(crate) fn say_one<T: Serialize>(
        self,
        fact: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), CliError> {
        if self.json {
            ui::raw(&(serde_json::to_string(fact).unwrap_or_default() + "\n"))
        } else {
            ui::out(&text(fact))
        }
    }
}

/// Writes a fact as JSON, with its line end.
pub(crate) fn pretty<T: Serialize>(fact: &T) -> String {
    // A fact is a tree of names, texts and numbers, which can always be written.
    serde_json::to_string_pretty(fact).unwrap_or_default() + "\n"
}
