//! `anyhook approve --revoke`: what a person approved and still holds, and taking it back.
//!
//! Everybody may take back: it only makes stricter.

use anyhook::approvals::{Book, Which};
use anyhook::state::FileState;
use anyhook::world::World;

use super::approve;
use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::Form;
use crate::permits::table;
use crate::ui;

/// Takes approvals back: those of an id, or all.
pub(super) fn revoke(id: &str) -> Result<Exit, Problem> {
    let world = World::real();
    let (book, sessions) = kept(&world)?;
    let now = world.clock.now();
    let many = if id == "all" {
        book.revoke(Which::All, Some(&sessions), now)
    } else {
        let all = book.approvals(Some(&sessions), now);
        let all = all.map_err(approve::unusable)?;
        let help = "what is approved: anyhook approve --revoke";
        let one = error::by_id(&all, id, |one| &one.key, "approval", help)?;
        book.revoke(Which::Of(&one.key), Some(&sessions), now)
    };
    let many = many.map_err(approve::unusable)?;
    ui::done(&format!("taken back: {many}\n"))
}

/// Lists what a person approved and still holds.
pub(super) fn list(form: Form) -> Result<Exit, Problem> {
    let world = World::real();
    let (book, sessions) = kept(&world)?;
    let now = world.clock.now();
    let all = book.approvals(Some(&sessions), now);
    let all = all.map_err(approve::unusable)?;
    if all.is_empty() && !form.is_json() {
        ui::err("nothing is approved\n");
        return Ok(Exit::Done);
    }
    form.say(&all, |all| table(all, now))
}

fn kept(world: &World) -> Result<(Book, FileState), Problem> {
    let places = error::places(world)?;
    Ok((
        Book::new(places.approvals()),
        FileState::new(places.sessions()),
    ))
}
