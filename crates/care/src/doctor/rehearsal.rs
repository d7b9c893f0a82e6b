//! Runs the command lines of our entries as the host would, and sees what the host would do with the answers.
//!
//! The line comes from the host's file on disk and runs in the host's shell, in the project, with this process's
//! environment. Only the configuration and the state are private, for the time of the test: in them stands one hook, of a
//! priority before all others, that refuses everything. So no hook of the person is asked, no session is touched, and
//! no event can pass for a self-test: to us it is an event like any other.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::{Event, EventName, Map, Origin};
use anyhook_core::report::{Report, StepOutcome};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::{self, Class};
use anyhook_core::transcript::{End, Transcript};
use anyhook_engine::processes::{self, Job};
use anyhook_engine::stores::{Filter, Jsonl, RecordDetail};
use anyhook_engine::text::plain;
use anyhook_wires::health::shell_of;
use anyhook_wires::settings::{Scope, SettingsLayout};
use anyhook_wires::{Host, HostRow, Reply, behaviour};
use serde_json::{Value, json};

use super::presence::{HostPresence, ProgramState};

/// The name of the hook that refuses everything during a self-test.
const SELF_TEST: &str = "anyhook-self-test";

/// How long one answer may take; no person is asked here.
const PATIENCE: Duration = Duration::from_secs(20);

/// More entries than any host has events in four files are not run.
const MOST: usize = 512;

/// The tools that are tried: some events are about one kind of tool only.
const TOOLS: [&str; 3] = ["Bash", "Read", "mcp__anyhook__self_test"];

/// What an entry did when it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsalResult {
    /// The event, as the host names it.
    pub event: String,
    /// Whose settings the entry stands in.
    pub scope: Scope,
    /// The file.
    pub file: PathBuf,
    /// The line in it.
    pub line: usize,
    /// What became of it.
    pub outcome: RehearsalOutcome,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RehearsalOutcome {
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

/// A trial that is under way: the line of its entry, its row, and an event of it as its host sends it and reads it.
struct Rehearsal<'a> {
    trial: RehearsalResult,
    row: &'static HostRow,
    command: &'a str,
    sample: Result<(Value, Event), String>,
}

/// Runs the entries of a host side by side: those of events that it has, whose program is there and is no stranger's.
pub(super) fn trials(seen: &HostPresence<'_>) -> Vec<RehearsalResult> {
    let may_run =
        |state: &ProgramState| matches!(state, ProgramState::Runs(_) | ProgramState::Searched);
    let own = seen.own().filter(|(.., own)| may_run(&own.program));
    let mut all: Vec<Rehearsal<'_>> = Vec::new();
    for (file, entry, own) in own.take(MOST) {
        let event = &entry.standing.event;
        let Some(row) = seen.host.row(event) else {
            continue;
        };
        let session = format!("{SELF_TEST}-{}", all.len());
        all.push(Rehearsal {
            trial: RehearsalResult {
                event: event.clone(),
                scope: file.scope,
                file: file.path.clone(),
                line: entry.standing.line,
                outcome: RehearsalOutcome::NotRun("it never ended".to_owned()),
            },
            row,
            command: &own.command,
            sample: sample(seen.host, row, &session, &seen.installer.world.cwd),
        });
    }
    if !all.is_empty() {
        rehearse(seen, &mut all);
    }
    all.into_iter().map(|one| one.trial).collect()
}

/// Runs what can be run, and notes what became of it.
fn rehearse(seen: &HostPresence<'_>, all: &mut [Rehearsal<'_>]) {
    let played = RehearsalStage::set(seen.host).map(|stage| {
        let ended: BTreeMap<usize, Transcript> = stage.play(seen, all).into_iter().collect();
        (ended, stage.reports())
    });
    for (at, one) in all.iter_mut().enumerate() {
        match (&one.sample, &played) {
            (Err(why), _) => one.trial.outcome = RehearsalOutcome::Untried(why.clone()),
            (_, Err(error)) => {
                let why = format!("no private folder could be made: {error}");
                one.trial.outcome = RehearsalOutcome::Untried(why);
            }
            (Ok((_, event)), Ok((ended, reports))) => {
                if let Some(transcript) = ended.get(&at) {
                    one.trial.outcome = judge(seen.host, one.row, event, transcript, reports);
                }
            }
        }
    }
}

/// A private configuration with one hook in it, and a private state.
struct RehearsalStage {
    folder: tempfile::TempDir,
}

impl RehearsalStage {
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

    fn play(&self, seen: &HostPresence<'_>, all: &[Rehearsal<'_>]) -> Vec<(usize, Transcript)> {
        let world = seen.installer.world;
        let env = self.env(seen);
        let own_shell = world.var("SHELL").and_then(|shell| shell.to_str());
        let (shell, flag) = shell_of(seen.settings, own_shell);
        let jobs = all.iter().enumerate().filter_map(|(at, one)| {
            let (payload, _) = one.sample.as_ref().ok()?;
            let (program, args) = if seen.settings.shape == SettingsLayout::Scripts {
                (PathBuf::from(one.command), Vec::new())
            } else {
                (PathBuf::from(&shell), vec![flag.into(), one.command.into()])
            };
            let job = Job {
                program,
                args,
                env: env.clone(),
                cwd: world.cwd.clone(),
                stdin: Arc::from(format!("{payload}\n").into_bytes()),
                deadline: PATIENCE,
                confined: None,
            };
            Some((at, job))
        });
        processes::run(jobs)
    }

    fn env(&self, seen: &HostPresence<'_>) -> Vec<(OsString, OsString)> {
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
        let found = Jsonl::new(folder, RecordDetail::Verdicts).find(&Filter::default());
        found.unwrap_or_default()
    }
}

/// Makes an event as its host sends it, in which nothing is about to happen: the tool is the shell, and the command is
/// `true`, unless the event is about other tools. The session is `session`, so that its report is found again.
fn sample(
    host: &'static Host,
    row: &'static HostRow,
    session: &str,
    cwd: &Path,
) -> Result<(Value, Event), String> {
    let mut why = String::new();
    for tool in TOOLS {
        let payload = host.write_event(&event(tool, host.id(), row, session, cwd));
        match host.read_event(payload.to_string().as_bytes(), Some(row.name)) {
            Ok(event) => return Ok((payload, event)),
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
            data.insert(field.name.to_owned(), field.sample(tool, &cwd));
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

/// Says what the host would do.
fn judge(
    host: &'static Host,
    row: &HostRow,
    event: &Event,
    transcript: &Transcript,
    reports: &[Report],
) -> RehearsalOutcome {
    let is_its = |report: &&Report| match event.session() {
        Some(session) => report.event.session.as_deref() == Some(session),
        None => *report.event.native == *row.name,
    };
    let End::Code(exit) = transcript.end else {
        return RehearsalOutcome::NotRun(ending(transcript));
    };
    if !reports.iter().filter(is_its).any(was_asked) {
        return RehearsalOutcome::NotRun(ending(transcript));
    }
    let class = EventName::new(row.event).class();
    let can_refuse = host.can(event).says(Kind::Deny);
    if !can_refuse || !matches!(class, Class::Gate | Class::Continuation) {
        return RehearsalOutcome::Arrived;
    }
    let reply = Reply {
        stdout: transcript.stdout.text().into_owned(),
        stderr: transcript.stderr.text().into_owned(),
        // A code that no answer of ours has is none of ours.
        exit: u8::try_from(exit).unwrap_or(u8::MAX),
    };
    match behaviour(host, event, row.name, &reply) {
        Some(done) if done.happens >= Kind::Deny => RehearsalOutcome::Refused,
        Some(_) => RehearsalOutcome::LetThrough(format!(
            "it goes on although the answer ends with code {exit}"
        )),
        None => RehearsalOutcome::LetThrough(format!(
            "it is not known to refuse on this answer, which ends with code {exit}"
        )),
    }
}

/// Tells whether the self-test's own hook answered, and not a failure on the way.
fn was_asked(report: &Report) -> bool {
    report.steps.iter().any(|step| {
        let name = report.hook(step.hook).map(|hook| &*hook.name);
        let said = matches!(&step.became, StepOutcome::Said(Some(_)));
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
                let name = read.map(|(_, event)| event.name.as_str().to_owned());
                if name.as_deref() != Ok(row.event) {
                    unread.push(format!("{} {}: {name:?}", host.id(), row.name));
                }
            }
        }
        assert_eq!(unread, Vec::<String>::new());
    }
}
