//! Predicts what a host does with the answer of an entry.

use anyhook_core::event::EventName;
use anyhook_core::report::{Became, Report};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::{End, Transcript};
use anyhook_wires::{Host, Reply, behaviour};

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
    let Ok(event) = host.read_event(payload.as_bytes(), Some(run.row.name)) else {
        return Outcome::Untried("this agent's own payload cannot be read".to_owned());
    };
    let class = EventName::new(run.row.event).class();
    let can_refuse = host.can(&event).says(Kind::Deny);
    if !can_refuse || !matches!(class, Class::Gate | Class::Continuation) {
        return Outcome::Arrived;
    }
    let reply = Reply {
        stdout: transcript.stdout.text().into_owned(),
        stderr: transcript.stderr.text().into_owned(),
        // A code that no answer of ours has is none of ours.
        exit: u8::try_from(exit).unwrap_or(u8::MAX),
    };
    match behaviour(host, &event, run.row.name, &reply) {
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
