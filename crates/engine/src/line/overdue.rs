//! The answer of the watchdog if the line has not answered in time.
//!
//! Whatever holds the line up (a disk, a file, an expression) may be the work of an attacker who wants a guard to be silent.
//! So what is not known counts as a guard.

use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::Hooks;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_wires::{Host, Reply};

use super::{Answered, Line};
use crate::load::{self, Strictness};
use crate::world::Reached;

const REFUSED: &str = "Anyhook did not finish in time. A guard may not have been asked, so the action is refused. Tell the \
     user: look for very large or very many hook files in this project";
const PASSED: &str = "Anyhook did not finish in time. No hook was to be asked that could refuse, so the action goes on. \
     Look for very large or very many hook files in this project";

impl Line<'_> {
    /// Answers in the place of a [`run`](Self::run) that has not, from what it has reached in the same world: a refusal where
    /// a guard stands or may stand, else a word to the person. It reads no file and waits for nothing.
    pub fn overdue(&self) -> Answered {
        let (event, is_guarded) = match self.world.progress.reached() {
            Reached::Nothing => (None, true),
            Reached::Event(event) | Reached::Guarded(event) => (Some(event), true),
            Reached::Open(event) => (Some(event), self.loading.strict == Strictness::Strict),
        };
        let told = self.hint.and_then(|hint| self.host.row(hint));
        let origin = event.as_deref().and_then(|event| event.origin.as_deref());
        let row = origin.and_then(|origin| self.host.row(&origin.native));
        let row = row.or(told);
        let name = event.as_ref().map(|event| event.name.clone());
        let name = name.or_else(|| row.map(|row| EventName::new(row.event)));
        // An event that is not known counts as a gate.
        let is_gate = name.is_none_or(|name| name.class() == Class::Gate);
        let refuses = is_gate && is_guarded;
        let why = if refuses { REFUSED } else { PASSED };
        let mut report = self.unread_report(row, why, self.hint);
        let reply = if refuses {
            let reason = self.reason_with_id(why, &report.id);
            report.result = HookResult::deny(why);
            report.said = Some(HookResult::deny(&*reason));
            self.host.refuse_unread(row, &reason)
        } else {
            event.map_or_else(Reply::default, |event| self.passed(&event))
        };
        Answered {
            reply,
            report,
            left: None,
        }
    }

    /// Tells the watchdog which hooks are asked.
    pub(super) fn asks(&self, event: &Event, hooks: &Hooks) {
        let may_refuse = load::may_refuse(hooks.list(), &event.name);
        let reached = Reached::asked(event, may_refuse);
        self.world.progress.reach(reached);
    }

    /// Tells the watchdog what is answered: a refusal, a question or a rewrite must not get lost on the way.
    pub(super) fn has_said(&self, event: &Event, said: &HookResult) {
        let refuses = said.verdict.kind() > Kind::Allow || !said.effects.patch().is_empty();
        self.world.progress.reach(Reached::asked(event, refuses));
    }

    /// Lets an event go on, and tells the person.
    fn passed(&self, event: &Event) -> Reply {
        let notice = Notice::new(format!("anyhook: {PASSED}.")).at(Level::Warning);
        let said = HookResult::proceed().notifying(notice);
        let can = self.host.can(event);
        let (fitted, _) = anyhook_wires::fitted(self.host, event, said, &can);
        self.host.write_result(event, &fitted)
    }
}

/// Answers in the place of a line that panicked, which is a bug of ours: no hook was asked, so a gate is refused, and
/// everything else goes on.
#[doc(hidden)]
pub fn after_a_panic(host: &'static dyn Host, hint: Option<&str>) -> Reply {
    let row = hint.and_then(|name| host.row(name));
    if row.is_some_and(|row| EventName::new(row.event).class() != Class::Gate) {
        return Reply::default();
    }
    host.refuse_unread(
        row,
        "anyhook failed on this event, so no hook could be asked. Tell the user: `anyhook doctor`.",
    )
}

#[cfg(test)]
mod tests {
    use anyhook_wires::host;
    use serde_json::json;

    use super::*;
    use crate::line::Caller;
    use crate::load::Loading;
    use crate::world::World;

    /// What Claude Code is told when the line has come so far.
    fn told(reached: impl FnOnce(&Event) -> Reached, event: &str, hint: Option<&str>) -> Answered {
        let world = World {
            places: None,
            progress: std::sync::Arc::default(),
            ..World::real()
        };
        let claude = host("claude-code").unwrap();
        let payload = json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash",
            "tool_input": {"command": "ls"}});
        let event = claude.read_event(payload.to_string().as_bytes(), None);
        world.progress.reach(reached(&event.unwrap()));
        let line = Line {
            world: &world,
            host: claude,
            caller: Caller::Host,
            hint,
            manifest: None,
            deadline: None,
            loading: Loading::default(),
            store: None,
            state: None,
        };
        line.overdue()
    }

    #[test]
    fn what_is_not_known_in_time_is_refused_at_a_gate() {
        for reached in [Reached::event, |event: &Event| Reached::asked(event, true)] {
            let left = told(reached, "PreToolUse", None);
            assert!(left.reply.stdout.contains("\"deny\""), "{left:?}");
            assert_eq!(left.report.said.unwrap().verdict.kind(), Kind::Deny);
        }
        // Not even the event is known.
        let left = told(|_| Reached::Nothing, "Stop", None);
        assert_eq!(left.reply.exit, 2, "{left:?}");
        let left = told(|_| Reached::Nothing, "Stop", Some("PreToolUse"));
        assert!(left.reply.stdout.contains("\"deny\""), "{left:?}");
    }

    #[test]
    fn where_no_guard_was_to_be_asked_the_action_goes_on_and_the_person_is_told() {
        let open = |event: &Event| Reached::asked(event, false);
        let left = told(open, "PreToolUse", None);
        assert!(
            left.reply.stdout.contains("did not finish in time"),
            "{left:?}"
        );
        assert!(!left.reply.stdout.contains("deny"), "{left:?}");
        assert_eq!(told(Reached::event, "Stop", None).reply.exit, 0);
        let left = told(|_| Reached::Nothing, "Stop", Some("Stop"));
        assert_eq!((left.reply.exit, &*left.reply.stdout), (0, ""));
    }
}
