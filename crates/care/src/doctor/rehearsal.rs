//! Runs the command lines of our entries as the host would, and sees what the host would do with the answers.
//!
//! The line comes from the host's file on disk and runs in the host's shell, in the project, with this process's
//! environment. Only the configuration and the state are private, for the time of the test: in them stands one hook, of a
//! priority before all others, that refuses everything. So no hook of the person is asked, no session is touched, and
//! no event can pass for a self-test: to us it is an event like any other.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::{Event, EventName, Map, Origin};
use anyhook_core::report::{Became, Report};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::{self, Class, Field, FieldKind};
use anyhook_core::transcript::{End, Transcript};
use anyhook_engine::processes::{Job, Limits, Pool};
use anyhook_engine::stores::{Filter, Jsonl, Keep};
use anyhook_engine::text::plain;
use anyhook_wires::health::shell_of;
use anyhook_wires::settings::{Scope, Shape};
use anyhook_wires::{Host, HostRow, Reply, behaviour};
use serde_json::{Value, json};

use super::presence::{Presence, ProgramState};

/// The name of the hook that refuses everything during a self-test.
const SELF_TEST: &str = "anyhook-self-test";

/// How long one answer may take; no person is asked here.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many run side by side.
const TOGETHER: usize = 8;

/// More entries than any host has events in four files are not run.
const MOST: usize = 512;

/// The tools that are tried: some events are about one kind of tool only.
const TOOLS: [&str; 3] = ["Bash", "Read", "mcp__anyhook__self_test"];

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

/// What an entry is run with: its row, and an event of it as its host sends it and reads it.
struct Run {
    row: &'static HostRow,
    payload: Value,
    event: Event,
}

/// Runs the entries of a host side by side: those of events that it has, whose program is there and is no stranger's.
pub(super) fn trials(seen: &Presence<'_>) -> Vec<Trial> {
    let world = seen.installer.world;
    let may_run =
        |state: &ProgramState| matches!(state, ProgramState::Runs(_) | ProgramState::Searched);
    let mut commands: Vec<&str> = Vec::new();
    let mut runs: Vec<Result<Run, String>> = Vec::new();
    let mut trials: Vec<Trial> = Vec::new();
    let own = seen.own().filter(|(.., own)| may_run(&own.program));
    for (file, entry, own) in own.take(MOST) {
        let event = &entry.standing.found.event;
        let Some(row) = seen.host.row(event) else {
            continue;
        };
        let session = format!("{SELF_TEST}-{}", runs.len());
        runs.push(sample(seen.host, row, &session, &world.cwd));
        commands.push(&own.command);
        trials.push(Trial {
            event: event.clone(),
            scope: file.scope,
            file: file.path.clone(),
            line: entry.standing.line,
            outcome: Outcome::NotRun("it never ended".to_owned()),
        });
    }
    if runs.is_empty() {
        return trials;
    }
    let played = Stage::set(seen.host).map(|stage| {
        let transcripts = stage.play(seen, &commands, &runs);
        (transcripts, stage.reports())
    });
    for (index, (trial, run)) in trials.iter_mut().zip(&runs).enumerate() {
        match (run, &played) {
            (Err(why), _) => trial.outcome = Outcome::Untried(why.clone()),
            (_, Err(error)) => {
                let why = format!("no private folder could be made: {error}");
                trial.outcome = Outcome::Untried(why);
            }
            (Ok(run), Ok((transcripts, reports))) => {
                let mut transcripts = transcripts.iter();
                if let Some((_, transcript)) = transcripts.find(|(key, _)| *key == index) {
                    trial.outcome = judge(seen.host, run, transcript, reports);
                }
            }
        }
    }
    trials
}

/// A private configuration with one hook in it, and a private state.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn set(host: &Host) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(SELF_TEST).tempdir()?;
        let config = folder.path().join("config/anyhook");
        fs::create_dir_all(&config)?;
        fs::create_dir_all(folder.path().join("state"))?;
        let hook = json!({
            "name": SELF_TEST, "type": "command",
            "command": format!("echo '{SELF_TEST} refuses' >&2; exit 2"),
        });
        let group = json!([{"priority": i32::MIN, "hooks": [hook]}]);
        let events = host.rows().iter();
        let events: Map = events
            .map(|row| (row.event.to_owned(), group.clone()))
            .collect();
        let manifest = json!({"version": 1, "hooks": events});
        fs::write(config.join("hooks.json"), manifest.to_string())?;
        Ok(Self { folder })
    }

    fn play(
        &self,
        seen: &Presence<'_>,
        commands: &[&str],
        runs: &[Result<Run, String>],
    ) -> Vec<(usize, Transcript)> {
        let world = seen.installer.world;
        let env = self.env(seen);
        let own_shell = world.var("SHELL").and_then(|shell| shell.to_str());
        let (shell, flag) = shell_of(seen.settings, own_shell);
        let all = commands.iter().zip(runs).enumerate();
        let jobs = all.filter_map(|(index, (command, run))| {
            let run = run.as_ref().ok()?;
            let (program, args) = if seen.settings.shape == Shape::Scripts {
                (PathBuf::from(command), Vec::new())
            } else {
                (PathBuf::from(&shell), vec![flag.into(), command.into()])
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
            Some((index, job))
        });
        play(jobs)
    }

    fn env(&self, seen: &Presence<'_>) -> Vec<(OsString, OsString)> {
        let world = seen.installer.world;
        let env = world.env.iter();
        let mut env: Vec<_> = env.map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(variable) = seen.host.facts().project_variable {
            env.push((variable.into(), world.cwd.clone().into()));
        }
        for (name, folder) in [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")] {
            env.push((name.into(), self.folder.path().join(folder).into()));
        }
        env
    }

    fn reports(&self) -> Vec<Report> {
        let folder = self.folder.path().join("state/anyhook/reports");
        let found = Jsonl::new(folder, Keep::Verdicts).find(&Filter::default());
        found.unwrap_or_default()
    }
}

/// Runs programs side by side, and returns what each did, with its number.
pub(super) fn play(jobs: impl Iterator<Item = (usize, Job)>) -> Vec<(usize, Transcript)> {
    let mut pool = Pool::new(Limits::default());
    let mut ended = Vec::new();
    for (at, (number, job)) in jobs.enumerate() {
        if at >= TOGETHER {
            ended.extend(pool.turn(None));
        }
        pool.start(number, job);
    }
    while !pool.is_idle() {
        ended.extend(pool.turn(None));
    }
    pool.settle();
    ended
}

/// Makes an event as its host sends it, in which nothing is about to happen: the tool is the shell, and the command is
/// `true`, unless the event is about other tools. The session is `session`, so that its report is found again.
fn sample(
    host: &'static Host,
    row: &'static HostRow,
    session: &str,
    cwd: &Path,
) -> Result<Run, String> {
    let mut why = String::new();
    for tool in TOOLS {
        let payload = host.write_event(&event(tool, host.id(), row, session, cwd));
        match host.read_event(payload.to_string().as_bytes(), Some(row.name)) {
            Ok(event) => {
                return Ok(Run {
                    row,
                    payload,
                    event,
                });
            }
            Err(error) => why = format!("there is no payload to try it with: {error}"),
        }
    }
    Err(why)
}

fn event(tool: &str, host: &'static str, row: &HostRow, session: &str, cwd: &Path) -> Event {
    let name = EventName::new(row.event);
    let cwd = cwd.to_string_lossy();
    let mut data = Map::new();
    for (field, value) in [
        ("session_id", session),
        ("cwd", &*cwd),
        ("permission_mode", "default"),
    ] {
        data.insert(field.to_owned(), value.into());
    }
    for field in name.spec().map_or(&[][..], |spec| spec.fields) {
        let is_required = field.presence == taxonomy::Presence::Required;
        if is_required || field.name.starts_with("tool_") {
            data.insert(field.name.to_owned(), value(field, tool, &cwd));
        }
    }
    let mut event = Event::named(name, data);
    event.origin = Some(Box::new(Origin {
        host: host.into(),
        native: row.name.into(),
        ..Origin::default()
    }));
    event
}

fn value(field: &Field, tool: &str, cwd: &str) -> Value {
    match (field.name, field.kind) {
        ("tool_name", _) => tool.into(),
        // Of one native event the tool is the shell, of another it reads a file: each takes what it knows.
        ("tool_input", _) => {
            json!({"command": "true", "file_path": format!("{cwd}/anyhook-self-test")})
        }
        (name, FieldKind::String) if name.ends_with("cwd") || name.ends_with("path") => cwd.into(),
        (_, FieldKind::String) => "anyhook self-test".into(),
        (_, FieldKind::Number | FieldKind::Integer) => 0.into(),
        (_, FieldKind::Boolean) => false.into(),
        (_, FieldKind::Object | FieldKind::Any) => json!({}),
        (_, FieldKind::Array) => json!([]),
        (_, FieldKind::Enum(words)) => words.first().copied().unwrap_or_default().into(),
    }
}

/// Says what the host would do.
fn judge(host: &'static Host, run: &Run, transcript: &Transcript, reports: &[Report]) -> Outcome {
    let is_its = |report: &&Report| match run.event.session() {
        Some(session) => report.event.session.as_deref() == Some(session),
        None => *report.event.native == *run.row.name,
    };
    let End::Code(exit) = transcript.end else {
        return Outcome::NotRun(ending(transcript));
    };
    if !reports.iter().filter(is_its).any(was_asked) {
        return Outcome::NotRun(ending(transcript));
    }
    let class = EventName::new(run.row.event).class();
    let can_refuse = host.can(&run.event).says(Kind::Deny);
    if !can_refuse || !matches!(class, Class::Gate | Class::Continuation) {
        return Outcome::Arrived;
    }
    let reply = Reply {
        stdout: transcript.stdout.text().into_owned(),
        stderr: transcript.stderr.text().into_owned(),
        // A code that no answer of ours has is none of ours.
        exit: u8::try_from(exit).unwrap_or(u8::MAX),
    };
    match behaviour(host, &run.event, run.row.name, &reply) {
        Some(done) if done.happens >= Kind::Deny => Outcome::Refused,
        Some(_) => Outcome::LetThrough(format!(
            "it goes on although the answer ends with code {exit}"
        )),
        None => Outcome::LetThrough(format!(
            "it is not known to refuse on this answer, which ends with code {exit}"
        )),
    }
}

/// Tells whether the self-test's own hook answered, and not a failure on the way.
fn was_asked(report: &Report) -> bool {
    report.steps.iter().any(|step| {
        let name = report.hook(step.hook).map(|hook| &*hook.name);
        let said = matches!(&step.became, Became::Said(Some(_)));
        said && name == Some(SELF_TEST)
    })
}

/// Says how a process ended, and the first line that it wrote to its standard error.
fn ending(transcript: &Transcript) -> String {
    let stderr = transcript.stderr.text();
    let first = stderr.lines().find(|line| !line.trim().is_empty());
    let end = match &transcript.end {
        End::Code(126) => "the shell may not execute it".to_owned(),
        End::Code(127) => "the shell does not find it".to_owned(),
        End::Code(code) => format!("it ends with code {code} and asks no hook"),
        End::Signal(signal) => format!("signal {signal} ends it"),
        End::TimedOut => format!("it does not answer within {} s", PATIENCE.as_secs()),
        End::NotStarted(why) => why.clone(),
    };
    match first {
        Some(line) => format!(
            "{end}: {}",
            plain(line).chars().take(200).collect::<String>()
        ),
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use anyhook_wires::hosts::HOSTS;

    use super::*;

    #[test]
    fn every_event_of_every_host_with_settings_has_a_payload_to_try_it_with() {
        let mut unread = Vec::new();
        let hosts = HOSTS.iter();
        for host in hosts.filter(|host| host.facts().settings.is_some()) {
            for row in host.rows() {
                let read = sample(host, row, "s-1", Path::new("/project"));
                let name = read.map(|run| run.event.name.as_str().to_owned());
                if name.as_deref() != Ok(row.event) {
                    unread.push(format!("{} {}: {name:?}", host.id(), row.name));
                }
            }
        }
        assert_eq!(unread, Vec::<String>::new());
    }
}
