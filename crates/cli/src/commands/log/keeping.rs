//! `anyhook log verify` and `anyhook log purge`: whether the record is whole, and taking records out of it.

use std::path::{Path, PathBuf};

use anyhook::stores::{Purge, Verified};
use anyhook::world::World;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::wanted::moment;
use super::{Form, store, unreadable};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint};

/// What is done with the record as a whole.
#[derive(Subcommand)]
pub(super) enum Keeping {
    /// Check every record against the chain of digests
    #[command(
        after_help = "If a line was changed, removed, added or moved, the chain no longer fits. But a person who can write to the \
             folder can make a whole new chain. To find that too, keep the printed head elsewhere and give it with --heads."
    )]
    Verify(Verify),
    /// Remove records; the others can still be verified
    #[command(after_help = "With several flags, only records that fit all of them are removed.")]
    Purge(Purging),
}

impl Keeping {
    /// Does it.
    pub(super) fn run(&self) -> Result<Exit, Problem> {
        match self {
            Self::Verify(args) => verify(args),
            Self::Purge(args) => purge(args),
        }
    }
}

#[derive(Args)]
pub(super) struct Verify {
    /// Check that the record has the heads in this file: what export jsonl or verify wrote, kept elsewhere
    #[arg(long, value_name = "FILE")]
    heads: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
pub(super) struct Purging {
    /// Remove the records of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Remove the records of this project, and of folders below it
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// Remove the records before then: 30d, 2026-11-22
    #[arg(long, value_name = "WHEN")]
    before: Option<String>,
    #[command(flatten)]
    form: Form,
}

/// Carries out `verify`.
fn verify(args: &Verify) -> Result<Exit, Problem> {
    let heads = args.heads.as_deref();
    let heads = heads.map_or_else(|| Ok(Vec::new()), heads_in)?;
    let found = store()?.verify_with(&heads).map_err(unreadable)?;
    if args.form.is_json() {
        let broken = found
            .broken
            .iter()
            .map(|(file, line, what)| json!({"file": file, "line": line, "what": what}));
        let all = json!({
            "oldest": found.oldest, "segments": found.segments, "records": found.records, "purged": found.purged,
            "torn": found.torn, "head": found.head, "missing": found.missing, "broken": broken.collect::<Vec<_>>(),
        });
        ui::raw(&format!("{all}\n"))?;
    } else {
        ui::out(&page(&found))?;
    }
    Ok(if found.broken.is_empty() && found.missing.is_empty() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// Reads the heads out of a file: the last word of each line that ends with a head, and `head` of each line of JSON.
fn heads_in(file: &Path) -> Result<Vec<String>, Problem> {
    let text = std::fs::read_to_string(file).map_err(|error| Problem::unreadable(file, error))?;
    let is_head =
        |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of_line = |line: &str| {
        let json: Option<Value> = serde_json::from_str(line).ok();
        let told = json.and_then(|json| Some(json.get("head")?.as_str()?.to_owned()));
        let last = || line.split_whitespace().next_back().map(str::to_owned);
        told.or_else(last).filter(|word| is_head(word))
    };
    let heads: Vec<String> = text.lines().filter_map(of_line).collect();
    if heads.is_empty() {
        let problem = Problem::new(Exit::Data, format!("no head is in `{}`", file.display()));
        return Err(
            problem.help("anyhook log verify prints one, and anyhook export jsonl ends with one")
        );
    }
    Ok(heads)
}

fn page(found: &Verified) -> String {
    let mut text = String::new();
    for head in &found.missing {
        text.push_str(&format!(
            "{} the head {head} is not in the chain: it was written anew, or its file was removed by size or age\n",
            paint(ui::DENY, "✗")
        ));
    }
    for (file, line, what) in &found.broken {
        let place = format!("{}:{line}", ui::line(&file.to_string_lossy()));
        text.push_str(&format!("{} {place}: {what}\n", paint(ui::DENY, "✗")));
    }
    if found.broken.is_empty() && found.missing.is_empty() {
        text.push_str(&paint(ui::PASS, "✓ the record is whole"));
        text.push('\n');
    }
    let Verified {
        records,
        segments,
        oldest,
        ..
    } = found;
    text.push_str(&format!(
        "  {} in {}, the oldest is number {oldest}\n",
        ui::many(usize::try_from(*records).unwrap_or(usize::MAX), "record"),
        ui::many(*segments, "segment"),
    ));
    for (count, what) in [
        (found.purged, "purged, their digests are there"),
        (
            found.torn,
            "lines are no record: a crash or a full disk tore them, or they are not ours",
        ),
    ] {
        if count > 0 {
            text.push_str(&format!("  {count} {what}\n"));
        }
    }
    text + &format!("  head {}\n", found.head)
}

/// Carries out `purge`.
fn purge(args: &Purging) -> Result<Exit, Problem> {
    let world = World::real();
    let project = args.project.as_ref();
    let project = project.map(|folder| world.absolute(folder).to_string_lossy().into_owned());
    let which = Purge {
        session: args.session.clone(),
        project,
        before: moment(args.before.as_deref())?,
    };
    if which.is_empty() {
        let problem = Problem::new(Exit::Usage, "nothing says which records to take out");
        return Err(
            problem.help("anyhook log purge --before 30d, --session ID or --project FOLDER")
        );
    }
    let store = super::kept(&world)?;
    let purged = store.purge(&which, world.clock.now(), (world.ids)());
    let purged = purged.map_err(|error| {
        Problem::new(Exit::Io, "the records could not be taken out").because(error)
    })?;
    if args.form.is_json() {
        ui::raw(&format!("{}\n", json!({"purged": purged})))?;
    } else {
        ui::out(&format!("{purged} records were taken out\n"))?;
    }
    Ok(Exit::Done)
}
