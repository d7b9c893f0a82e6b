//! Whether a cell of the matrix was confirmed with a real agent.

use anyhook_core::can::Capabilities;
use anyhook_core::result::HookResult;
use anyhook_truth::{AgentBehaviour, CommandOutcome, HookOutput, Truth, TruthRow};
use anyhook_wires::matrix::{CellOutcome, EventMatrix, MatrixCell};
use anyhook_wires::{Host, fitted};
use serde_json::Value;

/// What is known of a cell of the matrix besides what its host's reader says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellEvidence {
    /// The agent was seen to do so.
    Confirmed,
    /// The lab did not look, or it cannot be seen from outside: it stands in the agent's documents.
    Documented,
    /// The agent was seen to do something else.
    Contradicted,
}

/// What is needed to write what a host is told about one call of an event.
#[derive(Debug, Clone, Copy)]
pub struct ProbeContext<'a> {
    /// The host that is told.
    pub host: &'a Host,
    /// The host's own name of the event.
    pub native: &'a str,
    /// What the host said of the call.
    pub payload: &'a Value,
    /// Where this text turns up, the answer was heard.
    pub mark: &'a str,
    /// The command line that takes the place of the other one, where a probe changes it.
    pub changed: &'a str,
}

/// Writes what a host is told about one call of an event: a verdict, or an effect, by its name in
/// [`PROBES`](anyhook_wires::matrix::PROBES). Nothing, where the event has nothing of that kind.
pub fn said(ready: &ProbeContext<'_>, verb: &str) -> Option<HookOutput> {
    let ProbeContext {
        host,
        native,
        payload,
        mark,
        changed,
    } = *ready;
    let event = host
        .read_event(payload.to_string().as_bytes(), Some(native))
        .ok()?;
    let meant = match verb {
        "allow" => HookResult::allow_because(mark),
        "ask" => HookResult::ask(mark),
        "deny" => HookResult::deny(mark),
        "halt" => HookResult::halt(mark),
        "inject" => HookResult::proceed().inject(mark),
        "notify" => HookResult::proceed().notify(mark),
        "rewrite" => {
            let field = *event.name.mutable().first()?;
            let value = match event.get(field)?.as_object() {
                Some(fields) if field == "tool_input" => {
                    let mut fields = fields.clone();
                    fields.insert("command".to_owned(), changed.into());
                    Value::Object(fields)
                }
                _ => mark.into(),
            };
            HookResult::proceed().modify(field, value)
        }
        _ => return None,
    };
    let (result, _) = fitted(host, &event, meant, &host.can(&event));
    let reply = host.write_result(&event, &result);
    Some(HookOutput {
        stdout: reply.stdout,
        stderr: reply.stderr,
        exit: i32::from(reply.exit),
    })
}

/// Tells what is known of a cell of an event: an answer counts only if the host would still be told it, byte for byte, and
/// of a call about which as much may be said.
pub fn mark(
    truth: Option<&Truth>,
    host: &Host,
    event: &EventMatrix,
    cell: &MatrixCell,
) -> CellEvidence {
    let Some(truth) = truth else {
        return CellEvidence::Documented;
    };
    let may_as_much = |row: &TruthRow| {
        let seen = truth.payloads.get(&row.payload());
        let seen = seen.and_then(|payload| can(host, event.native, payload));
        let here = can(host, event.native, &event.payload);
        seen.zip(here).is_some_and(|(seen, here)| {
            let is_rewritten = cell.probe.name == "rewrite";
            let coupling = if is_rewritten {
                seen.coupling
            } else {
                here.coupling
            };
            Capabilities { coupling, ..seen } == here
        })
    };
    let its = |row: &&TruthRow| {
        row.event == event.spec.name && row.probe == cell.probe.name && may_as_much(row)
    };
    let mut rows = truth.rows.iter().filter(its);
    // Whether an approval skips a question shows only where there would be one.
    let row = match cell.probe.name {
        "allow" if cell.came == CellOutcome::Exact => rows.find(|row| {
            let base = row.mode.as_ref().and_then(|mode| truth.modes.get(mode));
            base == Some(&CommandOutcome::None)
        }),
        _ => rows.find(|row| row.mode.is_none()),
    };
    let row = row.filter(|row| is_said(truth, host, row));
    let holds = row.and_then(|row| holds(cell.probe.name, cell.came, row));
    match holds {
        Some(true) => CellEvidence::Confirmed,
        Some(false) => CellEvidence::Contradicted,
        None => CellEvidence::Documented,
    }
}

/// What the host lets a hook say about a call.
fn can(host: &Host, native: &str, payload: &Value) -> Option<Capabilities> {
    let bytes = payload.to_string();
    let event = host.read_event(bytes.as_bytes(), Some(native)).ok()?;
    Some(host.can(&event))
}

/// Tells whether the host is still told what it was told then.
fn is_said(truth: &Truth, host: &Host, row: &TruthRow) -> bool {
    let Some(payload) = truth.payloads.get(&row.payload()) else {
        return false;
    };
    let changed = row.changed();
    let ready = ProbeContext {
        host,
        native: &row.native,
        payload,
        mark: &row.mark,
        changed: &changed,
    };
    said(&ready, &row.probe) == row.answer
}

/// Tells whether what was seen is what a word of the matrix promises; nothing where it cannot be seen.
fn holds(verb: &str, came: CellOutcome, row: &TruthRow) -> Option<bool> {
    let AgentBehaviour {
        command,
        goes_on,
        model,
    } = row.seen;
    let is_end = row.event == "stop";
    let is_refused = match &*row.event {
        "tool:pre" => command == Some(CommandOutcome::None),
        "stop" => goes_on,
        _ => !goes_on,
    };
    let has_happened = matches!(&*row.event, "session:start" | "tool:post");
    match (came, verb) {
        (CellOutcome::Exact, "allow") => Some(command == Some(CommandOutcome::Given)),
        (CellOutcome::Exact, "deny") if has_happened => Some(model || row.person),
        (CellOutcome::Exact, "deny" | "ask") | (CellOutcome::Refused | CellOutcome::Asked, _) => {
            Some(is_refused)
        }
        (CellOutcome::Exact, "halt") => Some(!goes_on),
        (CellOutcome::Exact, "rewrite") if row.event == "tool:pre" => {
            Some(command == Some(CommandOutcome::Changed))
        }
        (CellOutcome::Exact, "inject") if is_end => Some(model && !goes_on),
        (CellOutcome::Exact, "inject" | "rewrite") | (CellOutcome::ToldModel, _) => Some(model),
        // The agent is not told of it: the next event of the session is refused by us.
        (CellOutcome::Kept, _) => None,
        // What a person sees on a terminal is not seen without one.
        (CellOutcome::Exact | CellOutcome::ToldPerson, _) => row.person.then_some(true),
        (
            CellOutcome::Undecided | CellOutcome::Quiet | CellOutcome::Later | CellOutcome::Lost,
            _,
        ) => {
            let is_given = matches!(command, None | Some(CommandOutcome::Given));
            Some(is_given && !model && goes_on != is_end)
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhook_truth::{TRUTHS, truth};
    use anyhook_wires::{host, matrix};

    use super::*;

    #[test]
    fn no_cell_of_the_matrix_is_contradicted_by_what_an_agent_was_seen_to_do() {
        let mut confirmed = 0;
        for (id, version, _) in TRUTHS {
            let (host, truth) = (host(id).unwrap(), truth(id).unwrap());
            let found = matrix::events().filter_map(|spec| matrix::cells(host, spec).unwrap());
            for event in found {
                for cell in &event.cells {
                    let mark = mark(Some(&truth), host, &event, cell);
                    let (name, word) = (cell.probe.name, cell.came.word());
                    assert_ne!(
                        mark,
                        CellEvidence::Contradicted,
                        "{id} {version}: {}: {name} is called {word}",
                        event.native
                    );
                    confirmed += usize::from(mark == CellEvidence::Confirmed);
                }
            }
        }
        assert!(confirmed > 100, "{confirmed}");
    }

    #[test]
    fn what_our_hosts_write_is_what_the_agents_were_told() {
        for (id, version, _) in TRUTHS {
            let (host, truth) = (host(id).unwrap(), truth(id).unwrap());
            for row in &truth.rows {
                let is_verb = matrix::PROBES.iter().any(|probe| probe.name == row.probe);
                let name = row.name();
                assert!(
                    !is_verb || is_said(&truth, host, row),
                    "{id} {version}: {name} is written otherwise now: ANYHOOK_LAB={id} .ci/nightly lab"
                );
            }
        }
    }
}
