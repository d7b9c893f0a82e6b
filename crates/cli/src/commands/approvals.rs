//! `anyhook approve --revoke`: what a person approved and still holds, and taking it back.
//!
//! Everybody may take back: it only makes stricter.

use anyhook::approvals::{Approval, Book, Which};
use anyhook::core::question::{Grants, Remember};
use anyhook::state::FileState;
use anyhook::world::World;
use serde::Serialize;

use super::approve;
use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::Form;
use crate::permits::lasts;
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
    ui::out(&format!("taken back: {many}\n"))?;
    Ok(Exit::Done)
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
    let held: Vec<Held> = all.iter().map(Held::of).collect();
    form.say(&held, |held| table(held, now))?;
    Ok(Exit::Done)
}

fn kept(world: &World) -> Result<(Book, FileState), Problem> {
    let places = error::places(world)?;
    Ok((
        Book::new(places.approvals()),
        FileState::new(places.sessions()),
    ))
}

/// One approval, as it is printed.
#[derive(Serialize)]
struct Held<'a> {
    id: &'a str,
    lasts: Remember,
    grants: Grants,
    at: i64,
    host: &'a str,
    session: Option<&'a str>,
    event: &'a str,
    hook: &'a str,
    place: Option<&'a str>,
    action: &'a str,
}

impl<'a> Held<'a> {
    fn of(one: &'a Approval) -> Self {
        Self {
            id: one.id(),
            lasts: one.lasts,
            grants: one.grants,
            at: one.at,
            host: &one.about.host,
            session: one.about.session.as_deref(),
            event: &one.about.event,
            hook: &one.hook,
            place: one.place.as_deref(),
            action: &one.about.summary,
        }
    }
}

fn table(all: &[Held<'_>], now: i64) -> String {
    let rows = all.iter().map(|one| {
        let (ago, lasts) = (ui::ago(one.at, now), lasts(one.lasts));
        [one.id, lasts, &ago, one.host, one.hook, one.action]
            .map(str::to_owned)
            .into()
    });
    let head = ["id", "lasts", "approved", "host", "hook", "action"];
    ui::table(&head, &rows.collect::<Vec<_>>())
}
