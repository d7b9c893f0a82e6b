//! Background hooks: their handover to a supervisor, and what happens on a system without one.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fit::Loss;
use anyhook_core::handler::Said;
use anyhook_core::hook::{Hook, Pace};
use anyhook_core::manifest::DEADLINE;
use anyhook_core::transcript::Transcript;

use super::{Line, hook_mark, payloads};
use crate::background::{self, Order, Work, demoted};
use crate::runners::{Prepared, PreparedPart};
use crate::state::SessionKey;
use crate::stores::Keep;

/// Hears an answer. One of a hook that no event should wait for, and that was waited for because there is no supervisor,
/// decides nothing either.
pub(super) fn heard(hook: &Hook, raw: &Transcript, said: Said, late: &RefCell<Vec<Loss>>) -> Said {
    if hook.pace == Pace::Waited && payloads::leaves(hook, &raw.stdout.kept).is_none() {
        return said;
    }
    let (told, losses) = demoted(said?);
    late.borrow_mut().extend(losses);
    Ok(told)
}

impl Line<'_> {
    /// Hands a hook to a supervisor.
    pub(super) fn send_away(
        &self,
        (id, session): (&str, Option<&SessionKey>),
        hook: &Hook,
        event: &Event,
        parts: Vec<PreparedPart>,
    ) -> Result<(), String> {
        let Some(supervisor) = &self.world.supervisor else {
            return Err("no process is there to take it".to_owned());
        };
        let mut order = Order::new(hook, hook_mark(hook), id);
        order.session = session.cloned();
        order.keeps_payload = supervisor.keep == Keep::Payload;
        let mut stdins = Vec::with_capacity(parts.len());
        // Their pipes stay open until the supervisor has them.
        let mut held = Vec::new();
        for part in parts {
            let event = part.event.as_deref().unwrap_or(event);
            match part.prepared {
                Prepared::Process(job) => {
                    order.work.push(Work::new(&job, event));
                    stdins.push(job.stdin);
                }
                Prepared::Running(mut released) => {
                    let said = released.said();
                    let own = payloads::leaves(hook, said).map(|(_, time)| time);
                    let time = own.filter(|time| *time != Duration::MAX);
                    let time = time.or(hook.deadline).unwrap_or(DEADLINE);
                    let said: Arc<[u8]> = said.into();
                    let adopted = released.handed_over()?;
                    let work = Work::running(adopted, released.confined(), time, event);
                    order.work.push(work);
                    stdins.push(said);
                    held.push(released);
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
        let taken = background::hand_over(&supervisor.program, &order, &stdins);
        if taken.is_err() {
            for released in held {
                released.end();
            }
        }
        taken
    }
}
