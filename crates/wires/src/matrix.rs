//! The matrix of what each host does with each kind of answer: computed, never written by hand.
//!
//! One call of each universal event is written as the host sends it and read again; one thing is said about it, fitted
//! and written as the host reads it. What that lost is the cell. Nothing here knows a host.
//!
//! ```
//! use anyhook_wires::host;
//! use anyhook_wires::matrix::{CellOutcome, MatrixCell, EventMatrix, PROBES, Probe, TEXT, cells, events};
//!
//! let claude = host("claude-code").unwrap();
//! let pre = events().find(|spec| spec.name == "tool:pre").unwrap();
//! let EventMatrix { native, cells, .. } = cells(claude, pre)?.unwrap();
//! assert_eq!(native, "PreToolUse");
//!
//! let cell = |name: &str| cells.iter().find(|cell| cell.probe.name == name).unwrap();
//! let MatrixCell { came, reply, .. } = cell("deny");
//! assert_eq!(*came, CellOutcome::Exact);
//! assert!(reply.stdout.contains(TEXT), "it is said in the host's own words");
//!
//! // What the words mean stands beside every table of them.
//! assert_eq!((CellOutcome::Later.word(), CellOutcome::ALL.len()), ("later", 10));
//! assert!(CellOutcome::ALL.iter().all(|came| came.meaning().ends_with('.')));
//! assert!(PROBES.iter().all(|Probe { what, .. }| what.ends_with('.')));
//! # Ok::<(), anyhook_wires::DecodeError>(())
//! ```

mod probes;

use anyhook_core::can::{Capabilities, Deferral};
use anyhook_core::event::Event;
use anyhook_core::fit::{Loss, Substitute};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::{Class, EVENTS, EventSpec};
use serde_json::Value;

use crate::{DecodeError, Host, Reply, fitted};

pub use probes::{PROBES, Probe, TEXT};

/// What became of one thing that was said about one event, on one host.
#[derive(Debug, Clone)]
pub struct MatrixCell {
    /// What was said.
    pub probe: &'static Probe,
    /// What became of it.
    pub came: CellOutcome,
    /// The result as it was fitted.
    pub said: HookResult,
    /// Every step on the way.
    pub losses: Vec<Loss>,
    /// What the host was told.
    pub reply: Reply,
}

/// One event of one host, with everything that can be said about it.
#[derive(Debug, Clone)]
pub struct EventMatrix {
    /// The event.
    pub spec: &'static EventSpec,
    /// The host's own name for it.
    pub native: &'static str,
    /// The payload as the host sends it.
    pub payload: Value,
    /// One cell for each probe that means something here.
    pub cells: Vec<MatrixCell>,
}

/// Declares what may have become of something, each with its word in a table and with what that means, as a sentence.
macro_rules! came {
    ($($came:ident = $word:literal, $meaning:literal;)*) => {
        /// What became of something that was said.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CellOutcome {
            $(#[doc = $meaning] $came,)*
        }

        impl CellOutcome {
            /// Every one of them, in the order of the legend.
            pub const ALL: &[Self] = &[$(Self::$came),*];

            /// Returns the word for it in a table.
            pub fn word(self) -> &'static str {
                match self { $(Self::$came => $word,)* }
            }

            /// Returns what the word means, as a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$came => $meaning,)* }
            }
        }
    };
}

came! {
    Exact = "exact", "It is said as it was meant.";
    Asked = "asked", "Stricter: a person is asked first.";
    Refused = "refused", "Stricter: the action is blocked, with a reason that says what was meant.";
    Kept = "kept", "The host does not stop the agent. Anyhook keeps the halt and refuses, with the same reason, what the agent \
        does next: until the next prompt, or after a halt at the start of a session until another session begins.";
    Undecided = "undecided", "Stricter: no hook can approve here, and the host's own rules decide.";
    ToldModel = "told model", "Only told: nothing else happens, and the model reads it.";
    ToldPerson = "told person", "Only told: nothing else happens, and the person reads it.";
    Quiet = "quiet", "It happens, and no reason is given.";
    Later = "later", "Nothing happens now. The text waits in the outbox for the session's next event that can say it.";
    Lost = "lost", "The host hears nothing of it. The report says so.";
}

impl CellOutcome {
    /// Reads what was said last off the steps on the way.
    fn of(class: Class, losses: &[Loss]) -> Self {
        if losses.iter().any(Loss::is_kept_halt) {
            return Self::Kept;
        }
        match losses.last().map(|loss| loss.became) {
            None => Self::Exact,
            Some(Substitute::Verdict(Kind::Ask)) => Self::Asked,
            // What has happened cannot be refused: refusing it tells the model so.
            Some(Substitute::Verdict(Kind::Deny | Kind::Halt)) if class == Class::After => {
                Self::ToldModel
            }
            Some(Substitute::Verdict(Kind::Deny | Kind::Halt)) => Self::Refused,
            Some(Substitute::Verdict(Kind::Continue | Kind::Allow)) => Self::Quiet,
            Some(Substitute::Default) => Self::Undecided,
            Some(Substitute::Injection) => Self::ToldModel,
            Some(Substitute::Notice) => Self::ToldPerson,
            Some(Substitute::Later) => Self::Later,
            Some(Substitute::Nothing) => Self::Lost,
        }
    }
}

/// Returns the events that hooks of every host can be asked about.
pub fn events() -> impl Iterator<Item = &'static EventSpec> {
    EVENTS.iter().filter(|spec| spec.universal.is_some())
}

/// Says everything about one event of a host; nothing where the host does not tell of it. A host that cannot read what
/// it wrote itself is an error.
pub fn cells(host: &Host, spec: &'static EventSpec) -> Result<Option<EventMatrix>, DecodeError> {
    let Some(row) = host.row(spec.name) else {
        return Ok(None);
    };
    let payload = host.write_event(&Event::new(spec.name, probes::data(spec)));
    let event = host.read_event(payload.to_string().as_bytes(), Some(row.name))?;
    let probes = PROBES.iter();
    let cells = probes.filter_map(|probe| Some(cell(host, &event, probe, (probe.says)(spec)?)));
    Ok(Some(EventMatrix {
        spec,
        native: row.name,
        payload,
        cells: cells.collect(),
    }))
}

/// Says one thing. A session is known, so what cannot be said now waits.
fn cell(host: &Host, event: &Event, probe: &'static Probe, meant: HookResult) -> MatrixCell {
    let can = Capabilities {
        later: Deferral::Outbox,
        ..host.can(event)
    };
    let (said, losses) = fitted(host, event, meant, &can);
    MatrixCell {
        probe,
        came: CellOutcome::of(event.name.class(), &losses),
        reply: host.write_result(event, &said),
        said,
        losses,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::HOSTS;

    #[test]
    fn every_host_reads_the_call_that_it_wrote_and_has_a_cell_for_every_verdict() {
        for host in HOSTS {
            for spec in events() {
                let found = cells(host, spec).unwrap();
                let Some(found) = found else {
                    assert!(host.row(spec.name).is_none());
                    continue;
                };
                let names: Vec<&str> = found.cells.iter().map(|cell| cell.probe.name).collect();
                for verdict in ["allow", "ask", "deny", "halt", "inject", "notify"] {
                    assert!(names.contains(&verdict), "{} {}", host.id(), spec.name);
                }
                assert_eq!(names.contains(&"rewrite"), !spec.mutable.is_empty());
            }
        }
    }

    #[test]
    fn what_is_exact_lost_nothing_and_what_lost_something_is_not_exact() {
        for host in HOSTS {
            let found = events().filter_map(|spec| cells(host, spec).unwrap());
            for cell in found.flat_map(|found| found.cells) {
                assert_eq!(cell.came == CellOutcome::Exact, cell.losses.is_empty());
            }
        }
    }

    #[test]
    fn a_refusal_before_a_tool_is_exact_on_every_host_that_tells_of_tools() {
        let spec = anyhook_core::taxonomy::find("pre-tool-use").unwrap();
        for host in HOSTS {
            let Some(found) = cells(host, spec).unwrap() else {
                continue;
            };
            let deny = found.cells.iter().find(|cell| cell.probe.name == "deny");
            assert_eq!(deny.unwrap().came, CellOutcome::Exact, "{}", host.id());
        }
    }

    #[test]
    fn every_word_of_the_legend_is_another_one() {
        let mut words: Vec<&str> = CellOutcome::ALL.iter().map(|came| came.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), CellOutcome::ALL.len());
    }
}
