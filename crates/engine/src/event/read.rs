//! The bytes of a host become an event; and what becomes of bytes that cannot be read.

use std::path::PathBuf;

use anyhook_core::event::{Event, EventName};
use anyhook_core::ports::Store;
use anyhook_core::report::{Heading, Report};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_wires::{DecodeError, NativeEvent, Reply};

use super::{Answered, Context};
use crate::load::{self, Loaded};
use crate::text;

impl Context<'_> {
    /// Reads a payload, in the project of its session.
    pub(super) fn read(&self, payload: &[u8]) -> Result<Event, DecodeError> {
        let mut event = self.host.read_event(payload, self.hint)?;
        self.find_project(&mut event);
        Ok(event)
    }

    /// Finds out where the session of an event began, where the host does not say what its project is.
    fn find_project(&self, event: &mut Event) {
        let kept = match (self.told_project(), self.session(event), self.state) {
            (None, Some(session), Some(state)) => state.look(&session),
            _ => None,
        };
        let project = kept.and_then(|kept| kept.project).map(PathBuf::from);
        if let (Some(project), Some(origin)) = (project, &mut event.origin) {
            origin.project = Some(project.into());
        }
    }

    /// Answers a payload that cannot be read: it is refused where a guard stands, and let pass where none does.
    pub(super) fn unread(&self, error: &DecodeError) -> Answered {
        // The command line says what the host's settings say; what broken bytes seem to say must not outrank it.
        let told = self.hint.filter(|hint| self.host.row(hint).is_some());
        let name = told.or(error.event.as_deref()).or(self.hint);
        let row = name.and_then(|name| self.host.row(name));
        let (loaded, _) = self.loaded(&self.projects(None));
        let refused = match row {
            Some(row) => self.guarded_event(row, &loaded),
            // Which event it is cannot be known: it counts as every gate that a guard stands at.
            None => self
                .host
                .rows()
                .iter()
                .any(|row| self.guarded_event(row, &loaded)),
        };
        let why = unread_reason(error, refused);
        let mut report = self.unread_report(row, &why, name);
        let mut reply = Reply::default();
        if refused {
            let reason = self.reason_with_id(&why, &report.id);
            reply = self.host.refuse_unread(row, &reason);
            report.result = HookResult::deny(why);
            report.said = Some(HookResult::deny(reason));
        }
        if row.is_none()
            && let Some(error) = name.and_then(|name| self.host.misnamed(name))
        {
            reply = error;
        }
        let texts = loaded
            .remarks
            .iter()
            .map(|remark| remark.text.as_str().into());
        report.remarks.extend(texts);
        // There is no session to tell of a store that fails, and the verdict never changes by it.
        let _ = self.store.map(|store| store.append(&report));
        Answered {
            reply,
            report,
            left: None,
        }
    }

    fn guarded_event(&self, row: &NativeEvent, loaded: &Loaded) -> bool {
        let name = EventName::new(row.event);
        if name.class() != Class::Gate {
            return false;
        }
        // Where a record is required, what leaves none does not go on either.
        let is_recorded = self.store.is_some_and(Store::is_required);
        let is_strict = self.loading.strict == load::Strictness::Strict;
        is_recorded || is_strict || load::guards(&loaded.hooks, &name)
    }

    pub(super) fn unread_report(
        &self,
        row: Option<&NativeEvent>,
        why: &str,
        name: Option<&str>,
    ) -> Report {
        Report {
            id: (self.world.ids)(),
            at: Some(self.world.clock.now()),
            remarks: vec![why.into()],
            ..Report::about(Heading {
                name: EventName::new(
                    row.map_or_else(|| name.unwrap_or("unknown"), |row| row.event),
                ),
                host: self.host.id().into(),
                native: name.unwrap_or_default().into(),
                session: None,
                subject: None,
            })
        }
    }
}

fn unread_reason(error: &DecodeError, refused: bool) -> String {
    let place = error
        .at
        .map(|(line, column)| format!(" at line {line}, column {column}"))
        .unwrap_or_default();
    // What the payload says is shown as it is, but must not draw on a terminal.
    let what: String = text::plain(&error.what).chars().take(200).collect();
    let so = if refused {
        "A guard stands here and could not be asked, so the action is refused. Try again in another way, or tell the user."
    } else {
        "No guard stands here, so the action goes on."
    };
    format!("anyhook could not read this event{place}: {what}. {so}")
}
