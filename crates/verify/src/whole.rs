//! The whole test: everything that one agent is asked.

use std::collections::BTreeMap;

use anyhook::verify::{ProbeContext, said};
use anyhook_truth::{AgentBehaviour, CommandOutcome, HookOutput, Truth, TruthRow};
use serde_json::Value;

use crate::extras;
use crate::model::ModelTurn;
use crate::probes::{AnswerProbe, CallFrequency, FORMS, MOMENTS, ProbeEvent, VERBS};
use crate::{InstalledAgent, VerifyError};

use crate::session::{SessionRun, first_payload};

/// Longer sessions are cut into several: some agents end after many refusals.
const LONGEST: usize = 8;

/// One answer that is still to be given.
struct PendingAnswer {
    probe: &'static str,
    mark: String,
    said: HookOutput,
}

/// Asks everything, and tells what was found after each session.
pub(crate) fn ask(
    asking: &InstalledAgent<'_>,
    date: String,
    told: &mut dyn FnMut(&TruthRow),
) -> Result<Truth, VerifyError> {
    let first = asking.run(asking.one_call())?;
    if !first.room.has("given-1") {
        return Err(VerifyError::DidNothing(first.ending()));
    }
    let events = first.fired_times().into_keys();
    let payloads = events.filter_map(|event| {
        let payload = first_payload(&first, &event)?;
        Some((event, payload))
    });
    let mut truth = Truth {
        host: asking.host.id().to_owned(),
        version: asking.version.clone(),
        date,
        payloads: payloads.collect(),
        fired: first.fired_times(),
        modes: BTreeMap::new(),
        rows: Vec::new(),
    };
    first.room.close()?;
    for moment in MOMENTS.iter() {
        let Some(row) = asking.host.row(&moment.event) else {
            continue;
        };
        let Some(payload) = truth.payloads.get(row.name).cloned() else {
            continue;
        };
        let todo = todo(asking, moment, row.name, &payload);
        let rows = answered(asking, moment, row.name, todo, told)?;
        truth.rows.extend(rows);
    }
    let extras = extras::ask(asking, &mut truth, told)?;
    truth.rows.extend(extras);
    Ok(truth)
}

/// Writes every answer about one event.
fn todo(
    asking: &InstalledAgent<'_>,
    moment: &ProbeEvent,
    native: &'static str,
    payload: &Value,
) -> Vec<PendingAnswer> {
    let is_for = |probe: &&AnswerProbe| {
        let only = probe.only.as_deref();
        only.is_none_or(|only| only == moment.event)
    };
    let verbs = VERBS.iter().map(|verb| (*verb, None));
    let forms = FORMS.iter().filter(is_for);
    let probes = verbs.chain(forms.map(|probe| (probe.name.as_str(), Some(probe))));
    let todo = probes.enumerate().filter_map(|(number, (name, probe))| {
        let mark = format!("MARK-{number:03}");
        let ready = ProbeContext {
            host: asking.host,
            native,
            payload,
            mark: &mark,
            changed: &format!("touch {}", changed(&mark)),
        };
        let said = match probe {
            Some(probe) => probe.says(&ready)?,
            None => said(&ready, name)?,
        };
        Some(PendingAnswer {
            probe: name,
            mark,
            said,
        })
    });
    todo.collect()
}

/// The files that commands make.
fn given(mark: &str) -> String {
    format!("given-{}", number(mark))
}

fn changed(mark: &str) -> String {
    format!("changed-{}", number(mark))
}

/// A command must not hold the mark: the model's own call would be taken for what it was told.
fn number(mark: &str) -> &str {
    mark.trim_start_matches("MARK-")
}

/// Gives every answer once. An answer that ends its session is followed by another session.
fn answered(
    asking: &InstalledAgent<'_>,
    moment: &ProbeEvent,
    native: &'static str,
    mut todo: Vec<PendingAnswer>,
    told: &mut dyn FnMut(&TruthRow),
) -> Result<Vec<TruthRow>, VerifyError> {
    let mut rows = Vec::new();
    todo.reverse();
    while !todo.is_empty() {
        let at_once = match moment.calls {
            CallFrequency::One => 1,
            CallFrequency::EachTool | CallFrequency::EachStop => LONGEST,
        };
        let rest = todo.len().saturating_sub(at_once);
        let mut now = todo.split_off(rest);
        now.reverse();
        let ran = asking.run(crate::session::LabSession {
            answers: (1..)
                .zip(&now)
                .map(|(call, todo)| (native, call, todo.said.clone()))
                .collect(),
            ..asking.session(script(asking, moment, &now))
        })?;
        let done = ran.calls(native).min(now.len()).min(at_once).max(1);
        for (index, todo) in now.iter().enumerate().take(done) {
            let row = row(moment, native, todo, index, &ran);
            told(&row);
            rows.push(row);
        }
        todo.extend(now.into_iter().skip(done).rev());
        ran.room.close()?;
    }
    Ok(rows)
}

/// What the model does: one call for each answer about a tool, and then an end; each refused end is followed by another.
fn script(
    asking: &InstalledAgent<'_>,
    moment: &ProbeEvent,
    now: &[PendingAnswer],
) -> Vec<ModelTurn> {
    let shell = &asking.agent.shell;
    let calls = now
        .iter()
        .filter(|_| moment.calls == CallFrequency::EachTool);
    let calls = calls.map(|todo| format!("touch {}", given(&todo.mark)));
    let turns = calls.map(|line| ModelTurn::calls([shell.with(&line)]));
    turns.chain([ModelTurn::says("Done.")]).collect()
}

fn row(
    moment: &ProbeEvent,
    native: &str,
    todo: &PendingAnswer,
    index: usize,
    ran: &SessionRun,
) -> TruthRow {
    let command = match moment.calls {
        CallFrequency::EachTool if ran.room.has(&changed(&todo.mark)) => {
            Some(CommandOutcome::Changed)
        }
        CallFrequency::EachTool if ran.room.has(&given(&todo.mark)) => Some(CommandOutcome::Given),
        CallFrequency::EachTool => Some(CommandOutcome::None),
        CallFrequency::One | CallFrequency::EachStop => None,
    };
    let goes_on = match moment.calls {
        CallFrequency::One => ran.turns() > 0,
        CallFrequency::EachTool => ran.turns() > index + 1,
        // Some agents ask their model something of their own after their end: who goes on wants to end once more.
        CallFrequency::EachStop => ran.calls(native) > index + 1,
    };
    TruthRow {
        event: moment.event.clone(),
        native: native.to_owned(),
        probe: todo.probe.to_owned(),
        mode: None,
        mark: todo.mark.clone(),
        answer: Some(todo.said.clone()),
        seen: AgentBehaviour {
            command,
            goes_on,
            model: ran.model_heard(&todo.mark),
        },
        person: ran.person_heard(&todo.mark),
    }
}
