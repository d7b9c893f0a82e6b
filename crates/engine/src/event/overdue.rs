//! The answer in the place of a line that has none: its time is over, or it panicked, which is a bug of ours.
//!
//! Whatever holds the line up (a disk, a file, an expression) may be the work of an attacker who wants a guard to be silent.
//! So a guard counts as asked and not heard: a gate is refused, and everything else goes on.

use anyhook_core::event::EventName;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_wires::{Host, NativeEvent, Reply};

use super::{Answered, Context};

const LATE: &str = "Anyhook did not finish in time. A guard may not have been asked, so the action is refused. Tell the \
     user: look for very large or very many hook files in this project";

impl Context<'_> {
    /// Answers in the place of a [`run`](Self::run) whose time is over. It reads no file and waits for nothing.
    pub fn overdue(&self) -> Answered {
        let row = self.hint.and_then(|hint| self.host.row(hint));
        let mut report = self.unread_report(row, LATE, self.hint);
        let mut reply = Reply::default();
        if may_be_gate(row) {
            let reason = self.reason_with_id(LATE, &report.id);
            report.result = HookResult::deny(LATE);
            report.said = Some(HookResult::deny(&*reason));
            reply = self.host.refuse_unread(row, &reason);
        }
        Answered {
            reply,
            report,
            left: None,
        }
    }
}

/// Tells whether an event may be a gate: one that the command line does not name is.
fn may_be_gate(row: Option<&NativeEvent>) -> bool {
    row.is_none_or(|row| EventName::new(row.event).class() == Class::Gate)
}

/// Answers in the place of a line that panicked.
#[doc(hidden)]
pub fn after_a_panic(host: &'static dyn Host, hint: Option<&str>) -> Reply {
    let row = hint.and_then(|name| host.row(name));
    if !may_be_gate(row) {
        return Reply::default();
    }
    host.refuse_unread(
        row,
        "anyhook failed on this event, so no hook could be asked. Tell the user: `anyhook doctor`.",
    )
}

#[cfg(test)]
mod tests {
    use anyhook_core::result::Kind;
    use anyhook_wires::host;

    use super::*;
    use crate::event::Caller;
    use crate::world::World;

    fn told(hint: Option<&str>) -> Answered {
        let world = World {
            places: None,
            ..World::real()
        };
        let host = host("claude-code").unwrap();
        let context = Context {
            hint,
            ..Context::new(&world, host, Caller::Host)
        };
        context.overdue()
    }

    #[test]
    fn what_is_not_known_in_time_is_refused_at_a_gate_and_goes_on_elsewhere() {
        let left = told(Some("PreToolUse"));
        assert!(left.reply.stdout.contains("\"deny\""), "{left:?}");
        assert_eq!(left.report.said.unwrap().verdict.kind(), Kind::Deny);
        assert_eq!(
            told(None).reply.exit,
            2,
            "an event without a name may be one"
        );
        let left = told(Some("Stop"));
        assert_eq!((left.reply.exit, &*left.reply.stdout), (0, ""));
    }
}
