//! A process of our own program that asks somewhere else: a model, or a server.
//!
//! Its deadline, its end and its place beside other hooks are those of a command, and the process that answers the agent
//! opens no connection. It gets the event on its standard input as commands do, and of the environment no more than it
//! needs to find its settings, its secrets and a proxy.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::transcript::{End, Transcript};

use super::{RunnerReply, RunnerRequest};
use crate::lists::NEEDED_BY_ASKERS;
use crate::processes::Job;

/// The exit code of a process that asked, and could not read the answer.
pub(super) const UNREAD: u8 = 65;

/// The name of our own program.
const PROGRAM: &str = "anyhook";

/// Makes the process that asks: the verb of ours, and everything but the event as words.
pub(super) fn prepare<'a>(
    asking: &RunnerRequest<'_>,
    verb: &str,
    words: Vec<String>,
    variables: impl Iterator<Item = &'a str>,
    deadline: Duration,
) -> Result<RunnerReply, Fault> {
    let names = NEEDED_BY_ASKERS.iter().copied().chain(variables);
    let given = names.filter_map(|name| Some((name.into(), asking.world.var(name)?.to_owned())));
    let env: Vec<(OsString, OsString)> = given.collect();
    Ok(RunnerReply::Process(Box::new(Job {
        program: program(asking.shared.own.as_deref())?,
        args: std::iter::once(verb.into())
            .chain(words.into_iter().map(OsString::from))
            .collect(),
        env,
        cwd: "/".into(),
        stdin: asking.payload(),
        deadline,
        confined: None,
    })))
}

fn program(own: Option<&OsStr>) -> Result<PathBuf, Fault> {
    let missing = |text: &str| Fault::new(FaultKind::NotStarted, text);
    let program = own.map(|own| Path::new(own).join(PROGRAM));
    program.filter(|program| program.is_file()).ok_or_else(|| {
        missing("a model or a server is asked by the program `anyhook`, which is not in the folder of this one")
    })
}

/// Refuses what the asking process left where it failed: an exit code of ours is never an answer.
pub(crate) fn failure(raw: &Transcript) -> Result<(), Box<Fault>> {
    let End::Code(code @ 1..) = raw.end else {
        return Ok(());
    };
    let kind = if code == i32::from(UNREAD) {
        FaultKind::InvalidAnswer
    } else {
        FaultKind::Errored
    };
    let stderr = raw.stderr.text();
    let told = stderr.lines().map(str::trim).find(|line| !line.is_empty());
    let text = told.unwrap_or("the process that asks failed");
    Err(Fault::new(kind, text).into())
}
