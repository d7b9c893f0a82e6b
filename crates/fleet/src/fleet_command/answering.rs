//! `anyhook fleet answer`: a colleague looks at the questions of machines, and answers one.

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::path::Path;

use anyhook::text::tame;
use anyhook::world::World;

use super::{Typed, as_json, connected, key};
use crate::asking::heard;
use crate::control::Fleet;
use crate::error::PolicyError;
use crate::failed::{Failed, say};

/// The longest line that is read of a terminal.
const LONGEST_LINE: u64 = 4096;

/// Lists the open questions of all machines.
pub(super) fn questions(fleet: &Fleet, typed: &Typed) -> Result<String, Failed> {
    let members = fleet.members()?;
    let all = connected(fleet, typed, async |server, _| {
        heard(&server, &members, None).await
    })?;
    if typed.is_json() {
        return Ok(as_json(&all));
    }
    if all.is_empty() {
        return Ok("no machine has an open question that a colleague may answer\n".to_owned());
    }
    let now = World::real().clock.now();
    let shown = all.iter().map(|heard| heard.shown(now));
    Ok(shown.collect::<Vec<_>>().join("\n"))
}

/// Shows a question to a person, and sends what the person answers.
pub(super) fn answer(fleet: &Fleet, code: &str, typed: &Typed) -> Result<String, Failed> {
    if !std::io::stdin().is_terminal() {
        let what = "an answer is given by a person at a terminal";
        return Err(PolicyError::unfit(what, "type it in a terminal of your own").into());
    }
    let (_, key) = key(typed.key.as_deref())?;
    let members = fleet.members()?;
    let found = connected(fleet, typed, async |server, _| {
        heard(&server, &members, Some(code)).await
    })?;
    let Some(heard) = found.first() else {
        return Ok(format!("no machine has an open question {}\n", tame(code)));
    };
    let ask = "Let exactly this happen once? [y: yes, n: no, else nothing] ";
    say(&format!("{}{ask}", heard.shown(World::real().clock.now())));
    let mut line = String::new();
    let read = std::io::stdin()
        .lock()
        .take(LONGEST_LINE)
        .read_line(&mut line);
    read.map_err(PolicyError::io("read", Path::new("the terminal")))?;
    let yes = match line.trim() {
        "y" | "yes" => true,
        "n" | "no" => false,
        _ => return Ok("nothing was answered: the question waits on\n".to_owned()),
    };
    connected(fleet, typed, async |server, _| {
        heard.answer((&server, &key), (yes, &typed.note)).await
    })
}
