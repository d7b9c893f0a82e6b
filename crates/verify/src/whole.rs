//! The whole test: everything that one agent is asked.

use std::collections::BTreeMap;

use anyhook::verify::{ProbeContext, said};
use anyhook_truth::{AgentBehaviour, CommandOutcome, HookOutput, Truth, TruthRow};
use serde_json::Value;

use crate::extras;
use crate::model::ModelTurn;
use crate::probes::{AnswerProbe, FORMS, Frequency, MOMENTS, ProbeEvent, VERBS};
use crate::{LabAgent, LabError};

use crate::session::{SessionRun, first_payload};

/// Longer sessions are cut into several: some agents end after many refusals.
const LONGEST: usize = 8;

/// One answer that is still to be given.
struct ProbeQuery {
    probe: &'static str,
    mark: String,
    /// The files that its commands make. They do not hold the mark: the model's own call would be taken for what it was told.
    given: String,
    changed: String,
    said: HookOutput,
}

/// Asks everything, and tells what was found after each session.
pub(crate) fn ask(
    asking: &LabAgent<'_>,
    date: String,
    told: &mut dyn FnMut(&TruthRow),
) -> Result<Truth, LabError> {
    let first = asking.run(asking.one_call())?;
    if !first.room.has("given-1") {
        return Err(LabError::DidNothing(first.ending()));
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
    asking: &LabAgent<'_>,
    moment: &ProbeEvent,
    native: &'static str,
    payload: &Value,
) -> Vec<ProbeQuery> {
    let is_for = |probe: &&AnswerProbe| {
        let only = probe.only.as_deref();
        only.is_none_or(|only| only == moment.event)
    };
    let verbs = VERBS.iter().map(|verb| (*verb, None));
    let forms = FORMS.iter().filter(is_for);
    let probes = verbs.chain(forms.map(|probe| (probe.name.as_str(), Some(probe))));
    let todo = probes.enumerate().filter_map(|(number, (name, probe))| {
        let [mark, given, changed] =
            ["MARK", "given", "changed"].map(|of| format!("{of}-{number:03}"));
        let ready = ProbeContext {
            host: asking.host,
            native,
            payload,
            mark: &mark,
            changed: &format!("touch {changed}"),
        };
        let said = match probe {
            Some(probe) => probe.says(&ready)?,
            None => said(&ready, name)?,
        };
        Some(ProbeQuery {
            probe: name,
            mark,
            given,
            changed,
            said,
        })
    });
    todo.collect()
}

/// Gives every answer once. An answer that ends its session is followed by another session.
fn answered(
    asking: &LabAgent<'_>,
    moment: &ProbeEvent,
    native: &'static str,
    mut todo: Vec<ProbeQuery>,
    told: &mut dyn FnMut(&TruthRow),
) -> Result<Vec<TruthRow>, LabError> {
    let mut rows = Vec::new();
    todo.reverse();
    while !todo.is_empty() {
        let at_once = match moment.calls {
            Frequency::One => 1,
            Frequency::EachTool | Frequency::EachStop => LONGEST,
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
fn script(asking: &LabAgent<'_>, moment: &ProbeEvent, now: &[ProbeQuery]) -> Vec<ModelTurn> {
    let shell = &asking.agent.shell;
    let calls = now.iter().filter(|_| moment.calls == Frequency::EachTool);
    let calls = calls.map(|todo| format!("touch {}", todo.given));
    let turns = calls.map(|line| ModelTurn::calls([shell.with(&line)]));
    turns.chain([ModelTurn::says("Done.")]).collect()
}

fn row(
    moment: &ProbeEvent,
    native: &str,
    todo: &ProbeQuery,
    index: usize,
    ran: &SessionRun,
) -> TruthRow {
    let command = match moment.calls {
        Frequency::EachTool if ran.room.has(&todo.changed) => Some(CommandOutcome::Changed),
        Frequency::EachTool if ran.room.has(&todo.given) => Some(CommandOutcome::Given),
        Frequency::EachTool => Some(CommandOutcome::None),
        Frequency::One | Frequency::EachStop => None,
    };
    let goes_on = match moment.calls {
        Frequency::One => ran.turns() > 0,
        Frequency::EachTool => ran.turns() > index + 1,
        // Some agents ask their model something of their own after their end: who goes on wants to end once more.
        Frequency::EachStop => ran.calls(native) > index + 1,
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
