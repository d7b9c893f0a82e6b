//! `anyhook approvals`: what a person approved and still holds, and taking it back.
//!
//! Everybody may take back: it only makes stricter.

use std::collections::BTreeSet;

use anyhook::approvals::{Approval, Book, Which};
use anyhook::core::question::{Grants, Remember};
use anyhook::state::FileState;
use anyhook::world::World;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{Row, approve, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("approvals", ApprovalsArgs, run);

/// List what you approved, or revoke it
#[derive(Args)]
#[command(after_help = "Examples:\n  anyhook approvals\n  anyhook approvals revoke 3fa9c1d2")]
struct ApprovalsArgs {
    #[command(flatten)]
    form: log::Form,
    #[command(subcommand)]
    revoke: Option<Revoke>,
}

#[derive(Subcommand)]
enum Revoke {
    /// Revoke approvals
    Revoke {
        /// The id of an approval, or its beginning
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Revoke all of them
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

fn run(args: &ApprovalsArgs) -> Result<Exit, Problem> {
    let world = World::real();
    let places = approve::places(&world)?;
    let book = Book::new(places.approvals());
    let sessions = FileState::new(places.sessions());
    let now = world.clock.now();
    if let Some(Revoke::Revoke { id, all: _ }) = &args.revoke {
        let many = match id {
            None => book.revoke(Which::All, Some(&sessions), now),
            Some(id) => {
                let all = book
                    .approvals(Some(&sessions), now)
                    .map_err(approve::unusable)?;
                book.revoke(Which::Of(named(&all, id)?), Some(&sessions), now)
            }
        }
        .map_err(approve::unusable)?;
        ui::out(&format!("taken back: {many}\n"))?;
        return Ok(Exit::Done);
    }
    let all = book
        .approvals(Some(&sessions), now)
        .map_err(approve::unusable)?;
    if args.form.is_json() {
        ui::raw(&as_json(&all))?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        ui::err("nothing is approved\n");
        return Ok(Exit::Done);
    }
    ui::out(&table(&all, now))?;
    Ok(Exit::Done)
}

/// Finds what an id stands for: one question's approvals, and never those of two.
fn named<'a>(all: &'a [Approval], id: &str) -> Result<&'a str, Problem> {
    let id = id.trim().to_ascii_lowercase();
    let keys: BTreeSet<&str> = all
        .iter()
        .filter(|one| !id.is_empty() && one.key.starts_with(&id))
        .map(|one| &*one.key)
        .collect();
    let problem = |what: String| {
        Problem::new(Exit::Negative, what).help("what is approved: anyhook approvals")
    };
    let mut keys = keys.into_iter();
    match (keys.next(), keys.next()) {
        (Some(key), None) => Ok(key),
        (None, _) => Err(problem(format!("no approval has the id `{id}`"))),
        (Some(_), Some(_)) => Err(problem(format!(
            "more than one approval begins with `{id}`"
        ))),
    }
}

fn lasts(one: &Approval) -> &'static str {
    match one.lasts {
        Remember::Once => "once",
        Remember::Session => "session",
        Remember::Always => "always",
    }
}

fn table(all: &[Approval], now: i64) -> String {
    let rows = all.iter().map(|one| {
        vec![
            one.id().to_owned(),
            lasts(one).to_owned(),
            ui::ago(one.at, now),
            one.about.host.clone(),
            one.hook.clone(),
            one.about.summary.clone(),
        ]
    });
    let head = ["id", "lasts", "approved", "host", "hook", "action"];
    ui::table(&head, &rows.collect::<Vec<_>>())
}

fn as_json(all: &[Approval]) -> String {
    let all: Vec<_> = all
        .iter()
        .map(|one| {
            let gives = match one.grants {
                Grants::Proceed => "proceed",
                Grants::Allow => "allow",
                Grants::Deny => "deny",
            };
            json!({
                "id": one.id(), "lasts": lasts(one), "grants": gives, "at": one.at, "host": one.about.host,
                "session": one.about.session, "event": one.about.event, "hook": one.hook, "place": one.place,
                "action": one.about.summary,
            })
        })
        .collect();
    format!(
        "{}\n",
        serde_json::to_string_pretty(&all).unwrap_or_default()
    )
}
