//! Commands that are not for people: processes of this program that it starts itself, as hooks and beside them.
//!
//! The first line of what such a process writes to standard error is what the report of the event says.

use std::ffi::OsString;

use anyhook::background;
use anyhook::event::Stores;
use anyhook::models::{self, AskError, JudgeRequest, StandIn, instruct};
use anyhook::notify;
use anyhook::remote::{self, RemoteRequest};
use anyhook::runners::prompt::UNREAD;
use anyhook::world::World;
use anyhook_testing::attack;
use serde::de::DeserializeOwned;

use super::run::listen;
use super::{RawCommand, call_tool};
use crate::exit::Exit;
use crate::tested::network;
use crate::{payload, ui};

/// Every such command.
pub(super) const ROWS: &[(&str, RawCommand)] = &[
    (models::VERB, ask_model),
    (remote::VERB, ask_server),
    (attack::VERB, |_| {
        attack::carry_out().map_or(Exit::Io, |()| Exit::Done)
    }),
    (background::VERB, background),
    (call_tool::VERB, call_tool::run),
    (anyhook_confine::VERB, |args| {
        Exit::Answer(anyhook_confine::main(&args))
    }),
    (network::VERB, |_| network::attempt()),
];

/// Why such a process failed, and how it ends.
type Failure = (String, Exit);

/// Writes what came of a process of this kind.
pub(super) fn ended(said: Result<String, Failure>) -> Exit {
    let written = said.and_then(|text| {
        let written = ui::answer(&text);
        written.map_err(|problem| (problem.to_string(), problem.exit))
    });
    match written {
        Ok(()) => Exit::Done,
        Err((why, exit)) => {
            ui::err(&format!("{}\n", ui::visible(&why.replace('\n', " "))));
            exit
        }
    }
}

/// Reads the order of a hook of this type, which is its first word, and the event.
fn ordered<T: DeserializeOwned>(args: Vec<OsString>, kind: &str) -> Result<(T, Vec<u8>), Failure> {
    let word = args.into_iter().next();
    let word = word.and_then(|word| word.into_string().ok());
    let order = word.and_then(|word| serde_json::from_str(&word).ok());
    let stray = || format!("this command is called by hooks of type `{kind}` alone");
    let order = order.ok_or_else(|| (stray(), Exit::Usage))?;
    let event = payload::stdin().map_err(|problem| (problem.to_string(), problem.exit))?;
    Ok((order, event))
}

/// Asks the configured model about one event: a hook of type `prompt` is this process.
fn ask_model(args: Vec<OsString>) -> Exit {
    let (judging, event) = match ordered::<JudgeRequest>(args, "prompt") {
        Ok(ordered) => ordered,
        Err(failed) => return ended(Err(failed)),
    };
    if let Some(stand_in) = &judging.stand_in {
        return stood_in(stand_in, &judging.prompt, &event);
    }
    let said = models::ask(&World::real(), &judging, &event);
    let failed = |error: AskError| {
        let exit = match error {
            AskError::Unread(_) => Exit::Answer(UNREAD),
            AskError::Settings(_) => Exit::Config,
            _ => Exit::Io,
        };
        (error.told(), exit)
    };
    ended(said.map(|said| format!("{said}\n")).map_err(failed))
}

/// Answers as a test says, and tells what a model would have been asked.
fn stood_in(stand_in: &StandIn, prompt: &str, event: &[u8]) -> Exit {
    let exit = if stand_in.is_answer() {
        Exit::Answer(UNREAD)
    } else {
        Exit::Io
    };
    let said = stand_in.answer().map(|said| format!("{said}\n"));
    let exit = ended(said.map_err(|why| (why, exit)));
    let (asked, about) = (instruct::instruction(prompt), instruct::data(event));
    ui::err(&format!(
        "{}\n{}\n",
        ui::visible(&asked),
        ui::visible(&about)
    ));
    exit
}

/// Posts one event to a server: a hook of type `http` is this process.
fn ask_server(args: Vec<OsString>) -> Exit {
    let said = ordered::<RemoteRequest>(args, "http").and_then(|(sending, event)| {
        let answer = remote::send(&World::real(), &sending, &event);
        let answer = answer.map_err(|error| (error.to_string(), Exit::Io))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    });
    ended(said)
}

/// Owns one hook that goes on in the background, as `anyhook run` orders.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the table has one form for all"
)]
fn background(args: Vec<OsString>) -> Exit {
    let world = World::real();
    let done = if args.first().is_some_and(|word| word == notify::WORD) {
        notify::ordered(&world)
    } else {
        listen(&world);
        let stores = Stores::of(&world);
        let state = stores.state.as_ref().map(|state| state as _);
        background::carry_out(&world, state, stores.store.as_ref())
    };
    let stray = |why| format!("anyhook background takes orders of anyhook run alone: {why}");
    ended(
        done.map(|()| String::new())
            .map_err(|why| (stray(why), Exit::Usage)),
    )
}
