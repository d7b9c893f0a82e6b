//! Background hooks: their handover to a supervisor, and what an answer is worth that no event should wait for.

use std::cell::RefCell;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_core::handler::Said;
use anyhook_core::hook::{Hook, OnFault, Pace};
use anyhook_core::result::Kind;
use anyhook_core::transcript::Transcript;

use super::Line;
use super::payloads::{ASYNC, says_async};
use crate::background::{self, Order, Work, demoted};
use crate::runners::{Prepared, PreparedPart};
use crate::stores::Keep;

/// Hears an answer. One of a background hook that was waited for, because there is no supervisor, decides nothing.
///
/// A hook that prints `async` is waited for all the same, and that is a recorded loss. A guard that prints it does not say
/// what it decides: unless it refuses, it has failed. One in the words of a host that would not wait decides nothing.
pub(super) fn heard(hook: &Hook, raw: &Transcript, said: Said, late: &RefCell<Vec<Loss>>) -> Said {
    let is_printed = says_async(hook, &raw.stdout.kept);
    if hook.pace == Pace::Waited && !is_printed {
        return said;
    }
    if is_printed {
        late.borrow_mut().push(Loss {
            what: Lost::Native(ASYNC.into()),
            became: Became::Nothing,
            by: None,
            text: None,
        });
    }
    let said = said?;
    if is_printed && hook.on_fault != OnFault::Continue {
        let text = "a guard printed `async`: it is unknown whether it refuses";
        let failed = || Box::new(Fault::new(FaultKind::InvalidAnswer, text));
        let refuses = said.verdict.kind() >= Kind::Deny;
        return refuses.then_some(said).ok_or_else(failed);
    }
    if hook.pace == Pace::Waited && hook.speaks.is_none() {
        return Ok(said);
    }
    let (told, losses) = demoted(said);
    late.borrow_mut().extend(losses);
    Ok(told)
}

impl Line<'_> {
    /// Hands a hook to a supervisor.
    pub(super) fn send_away(
        &self,
        mut order: Order,
        event: &Event,
        parts: Vec<PreparedPart>,
    ) -> Result<(), String> {
        let Some(supervisor) = &self.world.supervisor else {
            return Err("no process is there to take it".to_owned());
        };
        order.keeps_payload = supervisor.keep == Keep::Payload;
        let mut stdins = Vec::with_capacity(parts.len());
        for part in parts {
            let event = part.event.as_deref().unwrap_or(event);
            match part.prepared {
                Prepared::Process(job) => {
                    order.work.push(Work::new(&job, event));
                    stdins.push(job.stdin);
                }
                // What starts nothing says nothing that could come later.
                Prepared::Said(_) | Prepared::Skip(_) => {}
                Prepared::Fault(fault) => return Err(fault.text.into()),
            }
        }
        if order.work.is_empty() {
            return Ok(());
        }
        let stdins: Vec<&[u8]> = stdins.iter().map(|bytes| &**bytes).collect();
        background::hand_over(&supervisor.program, &order, &stdins)
    }
}
