//! What the independent reader of a host has to confirm before a cell is printed on the page.

use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_readers::{Answer, Behaviour, Gravity, reader};
use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::matrix::{self, CellOutcome, EventMatrix, MatrixCell, TEXT};

/// Forms of our own, and what their seeds have no word for: the form, the event, and what is said.
const UNSAID: &[(&str, &str, &str)] = &[
    ("universal", "", "halt"),
    ("universal", "pre-compact", "ask"),
    ("universal", "pre-compact", "deny"),
    ("universal", "post-tool-use", "rewrite"),
    ("amplifier", "", "allow"),
    ("amplifier", "", "halt"),
];

/// Tells whether the host's reader does with an answer what the cell promises; of a host without one nothing is doubted here
/// but what its seed has no word for.
pub(super) fn confirmed(host: &Host, event: &EventMatrix, cell: &MatrixCell) -> bool {
    let name = event.spec.universal.unwrap_or_default();
    let is_unsaid = |(form, on, said): &(&str, &str, &str)| {
        *form == host.id() && ["", name].contains(on) && *said == cell.probe.name
    };
    if UNSAID.iter().any(is_unsaid) {
        return !matches!(cell.came, CellOutcome::Exact | CellOutcome::Refused);
    }
    reader(host.id()).is_none_or(|reader| {
        let done = reader.reads(&Answer {
            event: event.native,
            payload: &event.payload,
            stdout: cell.reply.stdout.as_bytes(),
            stderr: cell.reply.stderr.as_bytes(),
            exit: i32::from(cell.reply.exit),
        });
        confirms(event, cell, &done)
    })
}

/// Tells whether a behaviour is what a cell promises.
fn confirms(event: &EventMatrix, cell: &MatrixCell, done: &Behaviour) -> bool {
    let gravity = done.gravity();
    match cell.came {
        CellOutcome::Exact => done.errors.is_empty() && exact(event, cell, done),
        CellOutcome::Asked => gravity == Gravity::Ask,
        CellOutcome::Refused => gravity >= Gravity::Refuse,
        // The agent goes on: that the session does not is for Anyhook to see to.
        CellOutcome::Kept => {
            let is_refused = cell.said.verdict.kind() >= Kind::Deny;
            gravity < Gravity::Halt && (!is_refused || gravity == Gravity::Refuse || told(done))
        }
        CellOutcome::ToldModel => has(&done.model_sees),
        CellOutcome::ToldPerson => has(&done.person_sees),
        // Nothing was said, and the host does what it does without a hook.
        CellOutcome::Undecided | CellOutcome::Quiet | CellOutcome::Later | CellOutcome::Lost => {
            gravity <= Gravity::Nothing && !told(done) && done.errors.is_empty()
        }
    }
}

fn exact(event: &EventMatrix, cell: &MatrixCell, done: &Behaviour) -> bool {
    let gravity = done.gravity();
    match cell.probe.name {
        "allow" => gravity == Gravity::Allow,
        "ask" => gravity == Gravity::Ask,
        // What has happened cannot be refused: those whom the reason reaches are told.
        "deny" if event.spec.class == Class::After => told(done),
        "deny" => gravity >= Gravity::Refuse,
        "halt" => gravity == Gravity::Halt,
        "rewrite" => {
            let all = done.input.iter().chain(&done.result);
            let mut all = all.chain(done.native.iter().map(|native| &native.1));
            all.any(|value| value.to_string().contains(TEXT))
        }
        "inject" => has(&done.model_sees),
        "notify" => has(&done.person_sees),
        _ => false,
    }
}

fn told(done: &Behaviour) -> bool {
    has(&done.model_sees) || has(&done.person_sees) || has(done.stops_agent.as_slice())
}

fn has(texts: &[String]) -> bool {
    texts.iter().any(|text| text.contains(TEXT))
}

#[test]
fn every_cell_of_an_agent_is_confirmed_by_its_reader() {
    let is_judged = |host: &&&Host| reader(host.id()).is_some();
    let agents = HOSTS.iter().filter(is_judged);
    let mut judged = 0;
    for host in agents {
        let found = matrix::events().filter_map(|spec| matrix::cells(host, spec).unwrap());
        for event in found {
            for cell in &event.cells {
                let (id, name) = (host.id(), event.native);
                assert!(confirmed(host, &event, cell), "{id} {name}: {cell:#?}");
                judged += 1;
            }
        }
    }
    assert!(judged > 100);
}

#[test]
fn a_cell_that_promises_what_the_host_does_not_do_is_not_confirmed() {
    let gemini = anyhook_wires::host("gemini-cli").unwrap();
    let spec = anyhook_core::taxonomy::find("pre-tool-use").unwrap();
    let event = matrix::cells(gemini, spec).unwrap().unwrap();
    let of = |name: &str| event.cells.iter().find(|cell| cell.probe.name == name);
    let silent = of("allow").unwrap().reply.clone();
    for name in ["ask", "deny", "halt", "rewrite", "notify"] {
        let mut cell = of(name).unwrap().clone();
        assert!(confirmed(gemini, &event, &cell), "{name}");
        cell.reply = silent.clone();
        assert!(!confirmed(gemini, &event, &cell), "{name}");
    }
}
