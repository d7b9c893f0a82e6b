//! The action of an event, for the record: what was attempted, by whom, where, and under which hooks.

use std::ffi::OsStr;

use anyhook_core::event::{Data, Event};
use anyhook_core::report::Action;
use serde_json::Value;

use super::Line;
use crate::load::Loaded;

/// An event as it came: what the record keeps is what was attempted, whatever hooks make of it.
pub(super) struct Came {
    data: Data,
    policy: String,
    revision: Option<Box<str>>,
}

impl Line<'_> {
    /// Keeps what came, where there is a record.
    pub(super) fn came(&self, event: &Event, loaded: &mut Loaded) -> Option<Came> {
        self.store.map(|_| Came {
            data: event.data.clone(),
            policy: loaded.digest().to_owned(),
            revision: loaded.revision.take(),
        })
    }

    /// Says what was decided about.
    pub(super) fn action(&self, event: &Event, came: Came, approval: Vec<Box<str>>) -> Box<Action> {
        let mut data = came.data.json().into_owned();
        let cwd = || Value::from(self.world.cwd.to_string_lossy());
        data.entry("cwd").or_insert_with(cwd);
        let mut names = ["USER", "LOGNAME"].into_iter();
        let user = names.find_map(|name| self.world.var(name));
        let user = user.map(OsStr::to_string_lossy).unwrap_or_default();
        let uid = rustix::process::getuid().as_raw();
        Box::new(Action {
            project: Some(self.project(event).to_string_lossy().into()),
            person: Some(format!("{user} ({uid})").trim_start().into()),
            agent_version: self.version(event).map(Into::into),
            policy: Some(came.policy.into()),
            revision: came.revision,
            approval,
            data,
            ..Action::default()
        })
    }
}
