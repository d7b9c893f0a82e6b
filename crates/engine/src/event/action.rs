//! The action of an event, for the record: what was attempted, by whom, where, and under which hooks.

use std::ffi::OsStr;

use anyhook_core::event::Event;
use anyhook_core::report::ActionRecord;
use anyhook_wires::VersionSource;
use serde_json::Value;

use super::Context;
use super::turn::EventRun;
use crate::text::version_in;

/// A longer one is none.
const LONGEST_VERSION: usize = 64;

impl EventRun<'_> {
    /// Says what was decided about, as it came: what the record keeps is what was attempted, whatever hooks make of it. Nothing
    /// where there is no record.
    pub(super) fn action(
        &mut self,
        event: &Event,
        approval: Vec<Box<str>>,
    ) -> Option<Box<ActionRecord>> {
        let context = self.context;
        let came = self.came.take().filter(|_| context.store.is_some())?;
        let mut data = came.json().into_owned();
        let cwd = || Value::from(context.world.cwd.to_string_lossy());
        data.entry("cwd").or_insert_with(cwd);
        let mut names = ["USER", "LOGNAME"].into_iter();
        let user = names.find_map(|name| context.world.var(name));
        let user = user.map(OsStr::to_string_lossy).unwrap_or_default();
        let uid = rustix::process::getuid().as_raw();
        Some(Box::new(ActionRecord {
            project: Some(context.project(event).to_string_lossy().into()),
            person: Some(format!("{user} ({uid})").trim_start().into()),
            agent_version: context.version(event).map(Into::into),
            policy: Some(self.held.loaded.digest().into()),
            revision: self.held.loaded.revision.clone(),
            approval,
            data,
            ..ActionRecord::default()
        }))
    }
}

impl Context<'_> {
    /// Returns the agent's version, where it says it.
    fn version(&self, event: &Event) -> Option<String> {
        let told = match self.host.facts().version_at? {
            VersionSource::Variable(name) => self.world.var(name)?.to_string_lossy().into_owned(),
            // Such as `claude-code_2-1-330_harness`.
            VersionSource::Dashed(name, prefix) => {
                let told = self.world.var(name)?.to_string_lossy().into_owned();
                let mut words = told.strip_prefix(prefix)?.split(['_', '/']);
                words.find(|word| !word.is_empty())?.replace('-', ".")
            }
            VersionSource::Field(name) => event.text(name)?.into_owned(),
        };
        version_in(&told).filter(|version| version.len() <= LONGEST_VERSION)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::Caller;
    use crate::world::World;

    #[test]
    fn the_version_of_claude_code_is_read_from_the_word_by_which_it_names_itself() {
        let host = anyhook_wires::host("claude-code").unwrap();
        let version = |agent: &str| {
            let world = World {
                env: [("AI_AGENT".into(), agent.into())].into(),
                ..World::real()
            };
            let context = Context::new(&world, host, Caller::Host);
            context.version(&Event::new("session:start", json!({})))
        };
        let told = [
            "claude-code_2-1-330_harness",
            "claude-code/2.1.331/agent",
            "another-agent_9-9-9_harness",
        ]
        .map(version);
        assert_eq!(told, [Some("2.1.330".into()), Some("2.1.331".into()), None]);
    }
}
