//! `anyhook background`: owns one hook that goes on in the background. Not for people: `anyhook run` calls it.

use std::ffi::OsString;

use anyhook::background::{self, VERB};
use anyhook::notify;
use anyhook::state::{FileState, State};
use anyhook::world::World;

use super::Hot;
use super::run::hosted::recorded;
use super::run::listen;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: (&str, Hot) = (VERB, keep);

#[expect(
    clippy::needless_pass_by_value,
    reason = "every command of this kind takes its words"
)]
fn keep(args: Vec<OsString>) -> Exit {
    let world = World::real();
    if args.first().is_some_and(|word| word == notify::WORD) {
        return ended(notify::ordered(&world));
    }
    listen(&world);
    let places = world.places.as_ref();
    let state = places.map(|places| FileState::new(places.sessions()));
    let state = state.as_ref().map(|state| state as &dyn State);
    let store = recorded(&world).store(&world);
    ended(background::carry_out(&world, state, store.as_ref()))
}

fn ended(done: Result<(), String>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(why) => {
            let why = ui::visible(&why.replace('\n', " "));
            ui::err(&format!(
                "anyhook background takes orders of anyhook run alone: {why}\n"
            ));
            Exit::Usage
        }
    }
}
