//! Runs the command lines of our entries as the host would, and sees what the host would do with the answers.
//!
//! The line comes from the host's file on disk and runs in the host's shell, in the project, with this process's
//! environment. Only the configuration and the state are private, for the time of the test: in them stands one hook, of a
//! priority before all others, that refuses everything. So no hook of the person is asked, no session is touched, and
//! no event can pass for a self-test: to us it is an event like any other.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::ports::Query;
use anyhook_core::report::Report;
use anyhook_core::transcript::Transcript;
use anyhook_engine::processes::{Job, Limits, Pool};
use anyhook_engine::stores::{Jsonl, Keep};
use anyhook_engine::world::World;
use anyhook_wires::health::shell_of;
use anyhook_wires::settings::{Scope, Settings, Shape};
use anyhook_wires::{Host, NativeEvent};
use serde_json::{Value, json};

use super::judging::judge;
use super::presence::{File, Own};
use super::sample;

/// The name of the hook that refuses everything during a self-test.
pub(crate) const SELF_TEST: &str = "anyhook-self-test";

/// How long one answer may take; no person is asked here.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// What an entry did when it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The event, as the host names it.
    pub event: String,
    /// Whose settings the entry stands in.
    pub scope: Scope,
    /// The file.
    pub file: PathBuf,
    /// The line in it.
    pub line: usize,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The event arrived, and what can be refused is refused.
    Refused,
    /// The event arrived; nothing can be refused there.
    Arrived,
    /// The command line did not come to our program; this is what was seen.
    NotRun(String),
    /// The event arrived, and the host would let the action through all the same.
    LetThrough(String),
    /// It could not be tried, for this reason.
    Untried(String),
}

/// How many run side by side.
const TOGETHER: usize = 8;
/// More entries than any host has events in four files are not run.
const MOST: usize = 512;

/// An entry that is to be run.
pub(super) struct Tried<'a> {
    pub(super) file: &'a File,
    pub(super) event: &'a str,
    pub(super) line: usize,
    pub(super) own: &'a Own,
}

/// One run: the entry, its row, what it reads.
pub(super) struct Run<'a> {
    tried: &'a Tried<'a>,
    pub(super) row: &'static NativeEvent,
    pub(super) payload: Value,
    /// The session, as this host's payloads tell it.
    pub(super) session: Option<Box<str>>,
}

/// Runs entries of a host side by side.
pub(super) fn rehearse(
    world: &World,
    host: &'static dyn Host,
    settings: &Settings,
    entries: &[Tried<'_>],
) -> Vec<Trial> {
    let stage = match Stage::set(host) {
        Ok(stage) => stage,
        Err(error) => {
            let why = format!("no private folder could be made: {error}");
            let all = entries.iter();
            return all
                .map(|tried| trial(tried, Outcome::Untried(why.clone())))
                .collect();
        }
    };
    let mut trials = Vec::new();
    let mut runs: Vec<Run<'_>> = Vec::new();
    for tried in entries {
        match prepare(world, host, tried, runs.len()) {
            Some(Ok(run)) => runs.push(run),
            Some(Err(why)) => trials.push(trial(tried, Outcome::Untried(why))),
            // An entry of an event that the host does not have is another finding.
            None => {}
        }
    }
    let transcripts = stage.play(world, host, settings, &runs);
    let reports = stage.reports();
    for (index, run) in runs.iter().enumerate() {
        let transcript = transcripts.iter().find(|(key, _)| *key == index);
        let told = transcript.map(|(_, transcript)| judge(host, run, transcript, &reports));
        let outcome = told.unwrap_or_else(|| Outcome::NotRun("it never ended".to_owned()));
        trials.push(trial(run.tried, outcome));
    }
    trials
}

/// Finds what an entry will read; nothing where its host has no such event.
fn prepare<'a>(
    world: &World,
    host: &'static dyn Host,
    tried: &'a Tried<'a>,
    index: usize,
) -> Option<Result<Run<'a>, String>> {
    let row = host.row(tried.event)?;
    if index >= MOST {
        return Some(Err("there are too many entries".to_owned()));
    }
    let payload = sample(host, row, &session(index), &world.cwd);
    let read = host.read_event(payload.to_string().as_bytes(), Some(row.name));
    Some(match read {
        Ok(event) => Ok(Run {
            tried,
            row,
            payload,
            session: event.session().map(Box::from),
        }),
        Err(error) => Err(format!("there is no payload to try it with: {error}")),
    })
}

fn trial(tried: &Tried<'_>, outcome: Outcome) -> Trial {
    Trial {
        event: tried.event.to_owned(),
        scope: tried.file.scope,
        file: tried.file.path.clone(),
        line: tried.line,
        outcome,
    }
}

fn session(index: usize) -> String {
    format!("{SELF_TEST}-{index}")
}

/// A private configuration with one hook in it, and a private state.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn set(host: &dyn Host) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(SELF_TEST).tempdir()?;
        let config = folder.path().join("config/anyhook");
        fs::create_dir_all(&config)?;
        fs::create_dir_all(folder.path().join("state"))?;
        let hook = json!({
            "name": SELF_TEST, "type": "command",
            "command": format!("echo '{SELF_TEST} refuses' >&2; exit 2"),
        });
        let group = json!([{"priority": i32::MIN, "hooks": [hook]}]);
        let mut events = serde_json::Map::new();
        for row in host.rows() {
            events.insert(row.event.to_owned(), group.clone());
        }
        let manifest = json!({"version": 1, "hooks": events});
        fs::write(config.join("hooks.json"), manifest.to_string())?;
        Ok(Self { folder })
    }

    fn play(
        &self,
        world: &World,
        host: &dyn Host,
        settings: &Settings,
        runs: &[Run<'_>],
    ) -> Vec<(usize, Transcript)> {
        let mut pool = Pool::new(Limits::default());
        let env = self.env(world, host);
        let own_shell = world.var("SHELL").and_then(|shell| shell.to_str());
        let (shell, flag) = shell_of(settings, own_shell);
        let mut ended = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let command = OsString::from(&run.tried.own.command);
            let (program, args) = match settings.shape {
                Shape::Scripts => (PathBuf::from(command), Vec::new()),
                Shape::Groups | Shape::ToolGroups | Shape::Entries | Shape::List => {
                    (PathBuf::from(&shell), vec![flag.into(), command])
                }
            };
            let job = Job {
                program,
                args,
                env: env.clone(),
                cwd: world.cwd.clone(),
                stdin: Arc::from(format!("{}\n", run.payload).into_bytes()),
                deadline: PATIENCE,
                confined: None,
            };
            if index >= TOGETHER {
                ended.extend(pool.turn(None));
            }
            pool.start(index, job);
        }
        while !pool.is_idle() {
            ended.extend(pool.turn(None));
        }
        pool.settle();
        ended
    }

    fn env(&self, world: &World, host: &dyn Host) -> Vec<(OsString, OsString)> {
        let env = world.env.iter();
        let mut env: Vec<_> = env.map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(variable) = host.facts().project_variable {
            env.push((variable.into(), world.cwd.clone().into()));
        }
        for (name, folder) in [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")] {
            env.push((name.into(), self.folder.path().join(folder).into()));
        }
        env
    }

    fn reports(&self) -> Vec<Report> {
        let folder = self.folder.path().join("state/anyhook/reports");
        let store = Jsonl::new(folder, Keep::Verdicts);
        let page = store.read(&Query::default());
        page.map(|page| page.reports).unwrap_or_default()
    }
}
