//! What takes a session of its own: calls at once, sub-agents, modes of permission, a program that is gone, a hook that
//! takes too long, and entries of a project.

use anyhook::verify::{self, ProbeContext};
use anyhook::wires::settings::Scope;
use anyhook_truth::{AgentBehaviour, CommandOutcome, HookOutput, OF_SUB_AGENT, Truth, TruthRow};
use serde_json::Value;

use crate::model::ModelTurn;
use crate::{LabAgent, LabError};

use crate::session::{LabSession, SessionRun, first_payload};

const EVENT: &str = "tool:pre";
const MARK: &str = "MARK-1";
/// What is asked about a call of a tool, and needs a session of its own.
pub(crate) fn ask(
    asking: &LabAgent<'_>,
    truth: &mut Truth,
    told: &mut dyn FnMut(&TruthRow),
) -> Result<Vec<TruthRow>, LabError> {
    let Some(native) = asking.host.row(EVENT).map(|row| row.name) else {
        return Ok(Vec::new());
    };
    let Some(payload) = truth.payloads.get(native).cloned() else {
        return Ok(Vec::new());
    };
    let deny = said(asking, native, &payload, "deny");
    let mut rows = Vec::new();
    if let Some(deny) = deny {
        rows.push(at_once(asking, native, deny.clone())?);
        rows.extend(below(asking, native, deny.clone(), truth)?);
        rows.push(of_project(asking, native, deny)?);
    }
    let gone = LabSession {
        is_program_gone: true,
        ..asking.one_call()
    };
    let probe = "the program of the entries is gone";
    rows.push(tried(asking, native, probe, None, gone)?);
    let late = LabSession {
        late: Some(native),
        ..asking.one_call()
    };
    rows.push(tried(asking, native, "a hook takes too long", None, late)?);
    rows.extend(modes(asking, native, truth)?);
    rows.iter().for_each(told);
    Ok(rows)
}

fn said(
    asking: &LabAgent<'_>,
    native: &'static str,
    payload: &Value,
    verb: &str,
) -> Option<HookOutput> {
    let ready = ProbeContext {
        host: asking.host,
        native,
        payload,
        mark: MARK,
        changed: "touch changed-1",
    };
    verify::said(&ready, verb)
}

/// Lets a session run, and says what was seen of its one call.
fn tried(
    asking: &LabAgent<'_>,
    native: &str,
    probe: &str,
    answer: Option<HookOutput>,
    session: LabSession<'_>,
) -> Result<TruthRow, LabError> {
    let ran = asking.run(session)?;
    let row = row(native, probe, answer, ran.seen(MARK), &ran);
    ran.room.close()?;
    Ok(row)
}

fn row(
    native: &str,
    probe: &str,
    answer: Option<HookOutput>,
    seen: AgentBehaviour,
    ran: &SessionRun,
) -> TruthRow {
    TruthRow {
        event: EVENT.to_owned(),
        native: native.to_owned(),
        probe: probe.to_owned(),
        mode: None,
        mark: MARK.to_owned(),
        answer,
        seen,
        person: ran.person_heard(MARK),
    }
}

/// Two calls in one turn; the first that a hook is asked about is refused.
fn at_once(
    asking: &LabAgent<'_>,
    native: &'static str,
    deny: HookOutput,
) -> Result<TruthRow, LabError> {
    let shell = &asking.agent.shell;
    let both = [shell.with("touch given-1"), shell.with("touch given-2")];
    let ran = asking.run(LabSession {
        answers: vec![(native, 1, deny.clone())],
        ..asking.session(vec![ModelTurn::calls(both), ModelTurn::says("Done.")])
    })?;
    let done = ["given-1", "given-2"]
        .iter()
        .filter(|name| ran.room.has(name));
    // The refused one did not run; an agent that ends with a refusal runs neither.
    let command = match done.count() {
        0 | 1 => CommandOutcome::None,
        _ => CommandOutcome::Given,
    };
    let seen = AgentBehaviour {
        command: Some(command),
        ..ran.seen(MARK)
    };
    let probe = "one of two calls at once is refused";
    let row = row(native, probe, Some(deny), seen, &ran);
    ran.room.close()?;
    Ok(row)
}

/// A call of a sub-agent is refused: the second of which a hook is told, after the one that starts it.
fn below(
    asking: &LabAgent<'_>,
    native: &'static str,
    deny: HookOutput,
    truth: &mut Truth,
) -> Result<Option<TruthRow>, LabError> {
    let Some(spawn) = &asking.agent.spawn else {
        return Ok(None);
    };
    let shell = &asking.agent.shell;
    let script = vec![
        ModelTurn::calls([spawn.with("Please do the task below.")]),
        ModelTurn::calls([shell.with("touch given-1")]),
        ModelTurn::says("Done below."),
        ModelTurn::says("Done."),
    ];
    let ran = asking.run(LabSession {
        answers: vec![(native, 2, deny.clone())],
        ..asking.session(script)
    })?;
    for (event, times) in ran.fired_times() {
        let known = truth.fired.entry(event).or_default();
        *known = (*known).max(times);
    }
    let row = row(native, OF_SUB_AGENT, Some(deny), ran.seen(MARK), &ran);
    ran.room.close()?;
    Ok(Some(row))
}

/// Entries of a project, in a folder that the agent was never told to trust.
fn of_project(
    asking: &LabAgent<'_>,
    native: &'static str,
    deny: HookOutput,
) -> Result<TruthRow, LabError> {
    let untrusting = &asking.agent.untrusting;
    let session = LabSession {
        answers: vec![(native, 1, deny)],
        args: untrusting.args.as_ref().unwrap_or(&asking.agent.args),
        without: &untrusting.without,
        scope: Scope::Project,
        ..asking.one_call()
    };
    let probe = "an entry of a project that is not trusted refuses";
    tried(asking, native, probe, None, session)
}

/// Every verdict in every other mode of permission, about a payload of that mode.
fn modes(
    asking: &LabAgent<'_>,
    native: &'static str,
    truth: &mut Truth,
) -> Result<Vec<TruthRow>, LabError> {
    let mut rows = Vec::new();
    for mode in &asking.agent.modes {
        let session = || LabSession {
            args: &mode.args,
            ..asking.one_call()
        };
        let ran = asking.run(session())?;
        truth.modes.insert(mode.name.clone(), ran.command());
        let payload = first_payload(&ran, native);
        ran.room.close()?;
        // Without a person some agents refuse the tool themselves, before they ask a hook.
        let Some(payload) = payload else {
            continue;
        };
        for verb in ["allow", "ask", "deny", "rewrite"] {
            let Some(said) = said(asking, native, &payload, verb) else {
                continue;
            };
            let session = LabSession {
                answers: vec![(native, 1, said.clone())],
                ..session()
            };
            rows.push(TruthRow {
                mode: Some(mode.name.clone()),
                ..tried(asking, native, verb, Some(said), session)?
            });
        }
        truth
            .payloads
            .insert(format!("{native}@{}", mode.name), payload);
    }
    Ok(rows)
}
