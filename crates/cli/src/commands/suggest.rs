//! `anyhook suggest`: suggests rules for questions that were always answered the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhook::world::World;
use anyhook_testing::replay::{
    Change, Compared, Hooks, Reached, Suggested, Suggestion, never, suggest, unseen,
};
use clap::Args;
use serde_json::{Value, json};

use super::history::{self, Side, Taken};
use super::{Row, add, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::{person, ui};

/// The row.
pub(crate) const ROW: Row = verb!("suggest", SuggestArgs, run);

/// So many names of events are shown.
const SHOWN: usize = 5;
/// With fewer events nothing can be said of what never happened.
const ENOUGH: u64 = 500;

/// Suggest rules for questions that you always answered the same way
#[derive(Args)]
#[command(
    after_help = "A suggested rule covers only what was asked, and never allows what a hook refused. Each rule is shown with what \
             it would have changed. On a terminal, Anyhook asks whether to write the rules into hooks.json of this project. \
             Trust the file afterwards.\n\n\
             Examples:\n  anyhook suggest\n  anyhook suggest --since 30d --least 5 --json"
)]
struct SuggestArgs {
    #[command(flatten)]
    taken: Taken,
    /// Only questions that were asked at least this often
    #[arg(long, value_name = "N", default_value = "3")]
    least: u64,
    #[command(flatten)]
    form: log::Form,
}

fn run(args: &SuggestArgs) -> Result<Exit, Problem> {
    let reading = history::reading(&args.taken)?;
    let failed = |error| Problem::new(Exit::Io, "the history cannot be read").because(error);
    let Suggested {
        rules: mut made,
        strange,
    } = suggest(&reading, args.least).map_err(failed)?;
    ui::err(&unknown(&strange));
    let (all, _) = tested(&never(), |sides| history::silently(sides, &reading))?;
    if all.asked >= ENOUGH {
        let happened: BTreeSet<String> =
            all.groups.keys().map(|(_, hook, _)| hook.clone()).collect();
        made.extend(unseen(&happened));
    }
    let (tested, _) = tested(&manifest(&made), |sides| history::compared(sides, &reading))?;
    if args.form.is_json() {
        let made: Value = made.iter().map(|one| as_json(one, &tested)).collect();
        ui::raw(&format!("{made}\n"))?;
        return Ok(Exit::Done);
    }
    if made.is_empty() {
        ui::err("nothing was asked often enough and always answered the same way\n");
        return Ok(Exit::Done);
    }
    let page = made.iter().map(|one| page(one, &tested));
    ui::out(&page.collect::<String>())?;
    if !ui::is_terminal() {
        return Ok(Exit::Done);
    }
    person::is_there("anyhook suggest")?;
    let file = World::real().cwd.join("hooks/hooks.json");
    let question = format!(
        "Write these {} rules into {}? [y/N] ",
        made.len(),
        file.display()
    );
    if person::is_yes(&person::ask(&question)?) {
        write(&file, &made)?;
        ui::out(&format!(
            "written\nNow: anyhook trust {}\n",
            ui::line(&file.to_string_lossy())
        ))?;
    }
    Ok(Exit::Done)
}

/// Says which events this version cannot take into account.
fn unknown(strange: &BTreeMap<String, u64>) -> String {
    if strange.is_empty() {
        return String::new();
    }
    let all: u64 = strange.values().sum();
    let names = strange
        .iter()
        .take(SHOWN)
        .map(|(name, count)| format!("`{}` ({count})", ui::line(name)));
    let names: Vec<String> = names.collect();
    let others = match strange.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{all} events have names that this version does not know, so no answer to them counts: {}{others}\n\
         help: anyhook hosts shows which events of each agent are known\n",
        names.join(", ")
    )
}

fn write(file: &Path, made: &[Suggestion]) -> Result<(), Problem> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n".to_owned()
        }
        Err(error) => return Err(Problem::unreadable(file, error)),
    };
    // A rule that is there is not written twice.
    let new = made
        .iter()
        .filter(|one| !text.contains(&format!("\"{}\"", one.name)));
    let groups: Vec<(&str, Value)> = new.map(|one| (one.event, one.group.clone())).collect();
    add::write(file, &text, &groups)
}

fn manifest(made: &[Suggestion]) -> Value {
    let mut hooks = serde_json::Map::new();
    for one in made {
        let list = hooks.entry(one.event).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(one.group.clone());
        }
    }
    json!({"version": 1, "hooks": hooks})
}

/// What these rules alone would have changed.
fn tested(
    manifest: &Value,
    compare: impl FnOnce([Option<&Side>; 2]) -> Result<(Compared, Reached), Problem>,
) -> Result<(Compared, Reached), Problem> {
    let cannot = |error| {
        Problem::new(Exit::CannotCreate, "there is no room for a scratch file").because(error)
    };
    let folder = tempfile::tempdir().map_err(cannot)?;
    let side = |name: &str, manifest: &Value| {
        let file = folder.path().join(name);
        fs::write(&file, manifest.to_string()).map_err(cannot)?;
        Ok::<_, Problem>(Side {
            hooks: Hooks::File(file.clone()),
            name: name.to_owned(),
            file,
        })
    };
    let sides = [
        side("none.json", &json!({"version": 1, "hooks": {}}))?,
        side("rules.json", manifest)?,
    ];
    compare(sides.each_ref().map(Some))
}

/// How many events a rule would have allowed, and how many it would have refused.
fn counts(one: &Suggestion, tested: &Compared) -> [u64; 2] {
    let of = tested
        .groups
        .iter()
        .filter(|((_, hook, _), _)| *hook == one.name);
    let mut counts = [0; 2];
    for ((change, ..), group) in of {
        let [allowed, refused] = &mut counts;
        match change {
            Change::Allowed => *allowed += group.count,
            Change::Refused => *refused += group.count,
            Change::Asked | Change::Rewrite | Change::Text | Change::Fault => {}
        }
    }
    counts
}

fn page(one: &Suggestion, tested: &Compared) -> String {
    let [allowed, refused] = counts(one, tested);
    format!(
        "{}\n  asked {} times; in this history it would have allowed {allowed} events and refused {refused}\n  {} in {}\n\n",
        ui::short(&one.what, 200),
        one.seen,
        ui::visible(&one.group.to_string()),
        one.event,
    )
}

fn as_json(one: &Suggestion, tested: &Compared) -> Value {
    let [allowed, refused] = counts(one, tested);
    json!({
        "name": one.name, "what": one.what, "seen": one.seen, "event": one.event, "group": one.group,
        "allowed": allowed, "refused": refused,
    })
}
