//! `anyhook log verify` and `anyhook log purge`: whether the record is whole, and taking records out of it.

use std::path::Path;

use anyhook::stores::{ChainVerification, Filter};
use anyhook::world::World;
use serde_json::{Value, json};

use super::wanted::LogFilter;
use super::{store, unreadable};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint};

/// Carries out `verify`.
pub(super) fn verify(heads: Option<&Path>, form: JsonFlag) -> Result<Exit, CliError> {
    let heads = heads.map_or_else(|| Ok(Vec::new()), heads_in)?;
    let found = store()?.verify(&heads).map_err(unreadable)?;
    let broken = found
        .broken
        .iter()
        .map(|(file, line, what)| json!({"file": file, "line": line, "what": what}));
    let facts = json!({
        "oldest": found.oldest, "segments": found.segments, "records": found.records, "purged": found.purged,
        "torn": found.torn, "head": found.head, "missing": found.missing, "broken": broken.collect::<Vec<_>>(),
    });
    form.say(&facts, |_| page(&found))?;
    Ok(Exit::from(
        found.broken.is_empty() && found.missing.is_empty(),
    ))
}

/// Reads the heads out of a file: the last word of each line that ends with a head, and `head` of each line of JSON.
fn heads_in(file: &Path) -> Result<Vec<String>, CliError> {
    let text = std::fs::read_to_string(file).map_err(|error| CliError::unreadable(file, error))?;
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
        let problem = CliError::new(Exit::Data, format!("no head is in `{}`", file.display()));
        return Err(
            problem.help("anyhook log verify prints one, and anyhook log export ends with one")
        );
    }
    Ok(heads)
}

fn page(found: &ChainVerification) -> String {
    let mut text = String::new();
    for head in &found.missing {
        text.push_str(&format!(
            "{} the head {head} is not in the chain: it was written anew, or its file was removed by size or age\n",
            paint(ui::DENY, "✗")
        ));
    }
    for (file, line, what) in &found.broken {
        let place = format!("{}:{line}", ui::path(file));
        text.push_str(&format!("{} {place}: {what}\n", paint(ui::DENY, "✗")));
    }
    if found.broken.is_empty() && found.missing.is_empty() {
        text.push_str(&paint(ui::PASS, "✓ the record is whole"));
        text.push('\n');
    }
    let ChainVerification {
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
    let torn = "lines are no record: a crash or a full disk tore them, or they are not ours";
    let purged = "purged, their digests are there";
    text += &ui::counts("  ", &[(found.purged, purged), (found.torn, torn)]);
    text + &format!("  head {}\n", found.head)
}

/// Carries out `purge`.
pub(super) fn purge(part: &LogFilter, form: JsonFlag) -> Result<Exit, CliError> {
    let world = World::real();
    let project = part.project.as_deref().map(Path::new);
    let project = project.map(|folder| world.absolute(folder).to_string_lossy().into_owned());
    let which = Filter {
        project,
        ..part.filter()?
    };
    if which == Filter::default() {
        let problem = CliError::new(Exit::Usage, "nothing says which records to take out");
        return Err(problem.help("anyhook log purge --until 30d, --session ID or --project FOLDER"));
    }
    let store = super::kept(&world)?;
    let purged = store.purge(&which, world.clock.now(), (world.ids)());
    let purged = purged.map_err(|error| {
        CliError::new(Exit::Io, "the records could not be taken out").because(error)
    })?;
    form.say(&json!({"purged": purged}), |_| {
        format!("{purged} records were taken out\n")
    })
}
