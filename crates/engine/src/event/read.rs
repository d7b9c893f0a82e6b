//! The bytes of a host become an event; what becomes of bytes that cannot be read, and the answer in the place of an event that
//! has none: its time is over, or it panicked, which is a bug of ours.
//!
//! Whatever holds an event up (a disk, a file, an expression) may be the work of an attacker who wants a guard to be silent.
//! So a guard counts as asked and not heard: a gate is refused, and everything else goes on.

use std::path::PathBuf;

use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::Hook;
use anyhook_core::report::{Heading, Report};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_wires::{DecodeError, Host, HostRow, Reply};

use super::{Context, EventAnswer};
use crate::load::{self, LoadedHooks};
use crate::stores::Jsonl;
use crate::text;

const GUARDED: &str = "A guard stands here and could not be asked, so the action is refused. Try again in another way, or \
     tell the user.";
const LATE: &str = "Anyhook did not finish in time. A guard may not have been asked, so the action is refused. Tell the \
     user: look for very large or very many hook files in this project";

impl Context<'_> {
    /// Reads a payload, in the project of its session.
    pub(super) fn read(&self, payload: &[u8]) -> Result<Event, DecodeError> {
        let mut event = self.host.read_event(payload, self.hint)?;
        // Where the host does not say what its project is, it is the folder in which the session began.
        let session = self.session(&event).zip(self.state);
        let session = session.filter(|_| self.told_project().is_none());
        let kept = session.and_then(|(session, state)| state.look(&session));
        let project = kept.and_then(|kept| kept.project).map(PathBuf::from);
        if let (Some(project), Some(origin)) = (project, &mut event.origin) {
            origin.project = Some(project.into());
        }
        Ok(event)
    }

    /// Answers a payload that cannot be read: it is refused where a guard stands, and let pass where none does.
    pub(super) fn unread(&self, error: &DecodeError) -> EventAnswer {
        // The command line says what the host's settings say; what broken bytes seem to say must not outrank it, unless a guard
        // stands there.
        let told = self.hint.filter(|hint| self.host.row(hint).is_some());
        let names = [told, error.event.as_deref()].into_iter().flatten();
        let (loaded, _) = self.loaded(&self.projects(None), None);
        let is_guarded = |name: &&str| {
            let row = self.host.row(name);
            row.is_some_and(|row| self.guarded_event(row, &loaded))
        };
        let guarded = names.clone().find(is_guarded);
        let name = guarded.or_else(|| names.clone().next()).or(self.hint);
        let row = name.and_then(|name| self.host.row(name));
        let refused = match row {
            Some(_) => guarded.is_some(),
            // Which event it is cannot be known: it counts as every gate that a guard stands at.
            None => self
                .host
                .rows()
                .iter()
                .any(|row| self.guarded_event(row, &loaded)),
        };
        let mut answered = if refused {
            self.refused(name, &unread_reason(error, GUARDED))
        } else {
            self.passed(name, &unread_reason(error, &unguarded(&loaded, row)))
        };
        if row.is_none()
            && let Some(error) = name.and_then(|name| self.host.misnamed(name))
        {
            answered.reply = error;
        }
        let texts = loaded.remarks.iter().map(|remark| (*remark.text).into());
        answered.report.remarks.extend(texts);
        // There is no session to tell of a store that fails, and the verdict never changes by it.
        let _ = self.store.map(|store| store.append(&answered.report));
        answered
    }

    /// Answers in the place of a [`run`](Self::run) whose time is over. It reads no file and waits for nothing.
    pub fn overdue(&self) -> EventAnswer {
        if may_be_gate(self.hint.and_then(|hint| self.host.row(hint))) {
            self.refused(self.hint, LATE)
        } else {
            self.passed(self.hint, LATE)
        }
    }

    fn guarded_event(&self, row: &HostRow, loaded: &LoadedHooks) -> bool {
        let name = EventName::new(row.event);
        if name.class() != Class::Gate {
            return false;
        }
        // Where a record is required, what leaves none does not go on either.
        let is_recorded = self.store.is_some_and(Jsonl::is_required);
        let is_strict = self.loading.strict == load::Strictness::Strict;
        is_recorded || is_strict || load::guards(&loaded.hooks, &name)
    }

    /// Refuses an event that no hook was asked about, and says why.
    fn refused(&self, name: Option<&str>, why: &str) -> EventAnswer {
        let row = name.and_then(|name| self.host.row(name));
        let mut answered = self.passed(name, why);
        let reason = self.reason_with_id(why, &answered.report.id);
        answered.reply = self.host.refuse_unread(row, &reason);
        answered.report.result = HookResult::deny(why);
        answered.report.said = Some(HookResult::deny(reason));
        answered
    }

    /// Lets such an event go on, and says why.
    fn passed(&self, name: Option<&str>, why: &str) -> EventAnswer {
        let row = name.and_then(|name| self.host.row(name));
        let heading = Heading {
            name: EventName::new(row.map_or_else(|| name.unwrap_or("unknown"), |row| row.event)),
            host: self.host.id().into(),
            native: name.unwrap_or_default().into(),
            session: None,
            subject: None,
        };
        let report = Report {
            id: (self.world.ids)(),
            at: Some(self.world.clock.now()),
            remarks: vec![why.into()],
            ..Report::about(heading)
        };
        EventAnswer {
            reply: Reply::default(),
            report,
            left: None,
        }
    }
}

/// Tells whether an event may be a gate: one that the command line does not name is.
fn may_be_gate(row: Option<&HostRow>) -> bool {
    row.is_none_or(|row| EventName::new(row.event).class() == Class::Gate)
}

/// Answers in the place of a line that panicked.
#[doc(hidden)]
pub fn after_a_panic(host: &'static Host, hint: Option<&str>) -> Reply {
    let row = hint.and_then(|name| host.row(name));
    if !may_be_gate(row) {
        return Reply::default();
    }
    host.refuse_unread(
        row,
        "anyhook failed on this event, so no hook could be asked. Tell the user: `anyhook doctor`.",
    )
}

/// Says that an event goes on, and which hooks stand there all the same.
fn unguarded(loaded: &LoadedHooks, row: Option<&HostRow>) -> String {
    let event = row.map(|row| EventName::new(row.event));
    let stands = |hook: &&Hook| event.as_ref().is_none_or(|event| hook.event.covers(event));
    let hooks = loaded.hooks.iter().filter(stands);
    let names: Vec<_> = hooks.map(|hook| text::plain(&hook.info.name)).collect();
    let so = "No guard stands here, so the action goes on.";
    match names.as_slice() {
        [] => so.to_owned(),
        names => format!("{so} These hooks were not asked: {}", names.join(", ")),
    }
}

fn unread_reason(error: &DecodeError, so: &str) -> String {
    let place = error
        .at
        .map(|(line, column)| format!(" at line {line}, column {column}"))
        .unwrap_or_default();
    // What the payload says is shown as it is, but must not draw on a terminal.
    let what: String = text::plain(&error.what).chars().take(200).collect();
    format!("anyhook could not read this event{place}: {what}. {so}")
}

#[cfg(test)]
mod tests {
    use anyhook_core::result::Kind;
    use anyhook_wires::host;

    use super::*;
    use crate::event::Caller;
    use crate::world::World;

    fn told(hint: Option<&str>) -> EventAnswer {
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
