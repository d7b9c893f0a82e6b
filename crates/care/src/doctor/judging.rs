//! Predicts what a host does with the answer of an entry.

use anyhook_core::event::EventName;
use anyhook_core::report::{Became, Report};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Gravity, reader};
use anyhook_wires::Host;

use super::rehearsal::{Outcome, PATIENCE, Run, SELF_TEST};

/// Says what the host would do.
pub(super) fn judge(
    host: &'static dyn Host,
    run: &Run<'_>,
    transcript: &Transcript,
    reports: &[Report],
) -> Outcome {
    let End::Code(exit) = transcript.end else {
        return Outcome::NotRun(ending(transcript));
    };
    let is_its = |report: &&Report| match &run.session {
        Some(session) => report.event.session.as_ref() == Some(session),
        None => *report.event.native == *run.row.name,
    };
    if !reports.iter().filter(is_its).any(was_asked) {
        return Outcome::NotRun(ending(transcript));
    }
    let payload = run.payload.to_string();
    let event = host.read_event(payload.as_bytes(), Some(run.row.name));
    let can_refuse = event.is_ok_and(|event| host.can(&event).says(Kind::Deny));
    let class = EventName::new(run.row.event).class();
    let must_refuse = can_refuse && matches!(class, Class::Gate | Class::Continuation);
    let Some(reader) = reader(host.id()) else {
        return Outcome::Untried("it is not documented how this agent reads answers".to_owned());
    };
    let behaviour = reader.reads(&Answer {
        event: run.row.name,
        payload: &run.payload,
        stdout: &transcript.stdout.kept,
        stderr: &transcript.stderr.kept,
        exit,
    });
    match (must_refuse, behaviour.gravity() >= Gravity::Refuse) {
        (true, false) => Outcome::LetThrough(read_as(&behaviour.errors, exit)),
        (true, true) => Outcome::Refused,
        (false, _) => Outcome::Arrived,
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

fn read_as(errors: &[String], exit: i32) -> String {
    match errors.first() {
        Some(error) => format!("it does not understand the answer: {error}"),
        None => format!("it goes on although the answer ends with code {exit}"),
    }
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
        Some(line) => format!("{end}: {}", short(line)),
        None => end,
    }
}

fn short(line: &str) -> String {
    anyhook_engine::text::plain(line)
        .chars()
        .take(200)
        .collect()
}
