//! The action of an event, for the record: what was attempted, by whom, where, and under which hooks.

use std::ffi::OsStr;

use anyhook_core::event::Event;
use anyhook_core::report::Action;
use serde_json::Value;

use super::turn::Turn;

impl Turn<'_> {
    /// Says what was decided about, as it came: what the record keeps is what was attempted, whatever hooks make of it. Nothing
    /// where there is no record.
    pub(super) fn action(&mut self, event: &Event, approval: Vec<Box<str>>) -> Option<Box<Action>> {
        let context = self.context;
        let came = self.came.take().filter(|_| context.store.is_some())?;
        let mut data = came.json().into_owned();
        let cwd = || Value::from(context.world.cwd.to_string_lossy());
        data.entry("cwd").or_insert_with(cwd);
        let mut names = ["USER", "LOGNAME"].into_iter();
        let user = names.find_map(|name| context.world.var(name));
        let user = user.map(OsStr::to_string_lossy).unwrap_or_default();
        let uid = rustix::process::getuid().as_raw();
        Some(Box::new(Action {
            project: Some(context.project(event).to_string_lossy().into()),
            person: Some(format!("{user} ({uid})").trim_start().into()),
            agent_version: context.version(event).map(Into::into),
            policy: Some(self.held.loaded.digest().into()),
            revision: self.held.loaded.revision.clone(),
            approval,
            data,
            ..Action::default()
        }))
    }
}
