//! `anyhook ask-server`: posts one event to a server. Not for people: a hook of type `http` is this process.

use std::ffi::OsString;

use anyhook::remote::{Sending, VERB, send};
use anyhook::world::World;

use super::Hot;
use super::ask_model::failed;
use crate::exit::Exit;
use crate::{payload, ui};

/// The row.
pub(crate) const ROW: (&str, Hot) = (VERB, run);

fn run(args: Vec<OsString>) -> Exit {
    let word = args.into_iter().next();
    let word = word.and_then(|word| word.into_string().ok());
    let Some(sending) = word.and_then(|word| serde_json::from_str::<Sending>(&word).ok()) else {
        return failed(
            "this command is called by hooks of type `http` alone",
            Exit::Usage,
        );
    };
    let event = match payload::stdin() {
        Ok(event) => event,
        Err(problem) => return failed(&problem.to_string(), problem.exit),
    };
    match send(&World::real(), &sending, &event) {
        Ok(answer) => match ui::raw(&String::from_utf8_lossy(&answer)) {
            Ok(()) => Exit::Done,
            Err(problem) => failed(&problem.to_string(), problem.exit),
        },
        Err(error) => failed(&error.to_string(), Exit::Io),
    }
}
