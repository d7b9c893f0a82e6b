//! The errors that a person reads: what happened, where, and what to do about it.

use std::fmt;
use std::path::Path;

use anyhook::core::taxonomy::{EVENTS, nearest};
use anyhook::files::with_causes;
use anyhook::load::manifests_of;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::{self, Host};
use anyhook::world::{UserFolders, World};

use crate::exit::Exit;

/// A problem on its way to the terminal.
#[derive(Debug)]
pub(crate) struct CliError {
    /// How the program ends.
    pub exit: Exit,
    /// What is wrong: lowercase, no period, user input in backticks.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CliError {
    /// Makes a problem.
    pub(crate) fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self {
            exit,
            what: what.into(),
            help: None,
            source: None,
        }
    }

    /// Adds what to do about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what to do about it, where that is known and nothing better was said.
    pub(crate) fn or_help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = self.help.or(help.into());
        self
    }

    /// Adds the cause.
    pub(crate) fn because(
        mut self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Tells whether the program that reads what is written has gone away.
    pub(crate) fn is_reader_gone(&self) -> bool {
        let cause = self
            .source
            .as_deref()
            .and_then(|error| error.downcast_ref());
        cause.is_some_and(|error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(file: &Path, error: std::io::Error) -> Self {
        let help = if file.is_dir() {
            let mut inside = manifests_of(file).chain([file.join("hooks.json")]);
            let inside = inside.find(|inside| inside.is_file());
            inside.map_or_else(
                || "it is a folder: name a file in it".to_owned(),
                |inside| format!("it is a folder: name `{}`", inside.display()),
            )
        } else if file.symlink_metadata().is_err() {
            "look at how it is spelled, and at the folder that it begins in".to_owned()
        } else {
            "look at who may read it: ls -l".to_owned()
        };
        let what = format!("cannot read `{}`", file.display());
        Self::new(Exit::NoInput, what).because(error).help(help)
    }

    /// An event that cannot be understood.
    pub(crate) fn undecodable(what: &str, error: wires::DecodeError) -> Self {
        let place = error
            .at
            .map(|(line, column)| format!(" at line {line}, column {column}"));
        let what = format!("{what} is not readable{}", place.unwrap_or_default());
        Self::new(Exit::Data, what).because(error)
    }

    /// A file that cannot be written.
    pub(crate) fn unwritable(file: &Path, error: std::io::Error) -> Self {
        Self::new(
            Exit::CannotCreate,
            format!("cannot write `{}`", file.display()),
        )
        .because(error)
    }

    /// A name that is none of those that exist.
    pub(crate) fn unknown<'a>(
        kind: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let problem = Self::new(Exit::Usage, format!("no {kind} is called `{name}`"));
        let known: Vec<&str> = known.into_iter().collect();
        let begins = |known: &&&str| !name.is_empty() && known.starts_with(name);
        let begun = known.iter().find(begins).copied();
        let near = begun.or_else(|| nearest(name, known.iter().copied()));
        problem.or_help(near.map(|near| format!("did you mean `{near}`?")))
    }
}

/// Finds the one thing whose id is this or begins with it; several with the same id are one thing.
pub(crate) fn by_id<'a, T>(
    all: &'a [T],
    id: &str,
    of: impl Fn(&T) -> &str,
    what: &str,
    help: &str,
) -> Result<&'a T, CliError> {
    let id = id.trim().to_ascii_lowercase();
    let begins = |one: &&T| !id.is_empty() && of(one).starts_with(&id);
    let mut found = all.iter().filter(begins);
    let first = found.next();
    let said = match first {
        Some(first) if found.all(|other| of(other) == of(first)) => return Ok(first),
        Some(_) => format!("more than one {what} begins with `{id}`"),
        None => format!("no {what} has the id `{id}`"),
    };
    Err(CliError::new(Exit::Negative, said).help(help))
}

/// The folders of the person.
pub(crate) fn places(world: &World) -> Result<&UserFolders, CliError> {
    world.places.as_ref().ok_or_else(no_home)
}

/// Without a home nothing is kept, and nothing of the person is found.
pub(crate) fn no_home() -> CliError {
    let what = "there is no home folder, so nothing is kept";
    CliError::new(Exit::Config, what).help("set HOME to a folder that is there")
}

/// Finds the host of this name, or says which one was meant.
pub(crate) fn host(name: &str) -> Result<&'static Host, CliError> {
    wires::host(name).ok_or_else(|| no_host(name))
}

/// No host has this name.
pub(crate) fn no_host(name: &str) -> CliError {
    let names = HOSTS
        .iter()
        .flat_map(|host| std::iter::once(host.id()).chain(host.facts().aliases.iter().copied()));
    CliError::unknown("host", name, names).or_help("all of them: anyhook list hosts".to_owned())
}

/// No event has this name.
pub(crate) fn no_event(name: &str) -> CliError {
    let all = EVENTS.iter();
    let all = all.flat_map(|event| {
        event
            .universal
            .iter()
            .chain(event.aliases)
            .chain([&event.name])
    });
    let help = "all of them: anyhook list events; an event of your own has a colon: `my:event`";
    CliError::unknown("event", name, all.copied()).or_help(help.to_owned())
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match self.source.as_deref() {
            Some(cause) => write!(f, ": {}", with_causes(cause)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CliError {}
