//! The start of a session: tells the person once if the agent has a new version.
//!
//! What is known of an agent is known of its versions, and agents update themselves. Nothing is started for this: only what the
//! agent tells a hook by itself is looked at.

use std::path::Path;
use std::time::Duration;

use anyhook_core::dispatch::Finished;
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_wires::VersionAt;
use serde::{Deserialize, Serialize};

use super::turn::Turn;
use super::{Caller, Context};
use crate::files::{self, Durable, FileError};
use crate::text::version_in;

/// The most versions of one agent that are remembered.
const MOST: usize = 16;
/// The longest version.
const LONGEST: usize = 64;
const PATIENCE: Duration = Duration::from_millis(200);
const LIMIT: u64 = 64 * 1024;

/// The versions of one agent, the newest last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Versions {
    seen: Vec<String>,
}

impl Turn<'_> {
    /// Tells the person that the agent was updated.
    pub(super) fn tell_version(&mut self, event: &Event, finished: &mut Finished) {
        let context = self.context;
        let is_start = event.name.as_str() == events::SESSION_START;
        let is_told = is_start && context.caller == Caller::Host && self.session().is_some();
        let places = context.world.places.as_ref().filter(|_| is_told);
        let Some((places, version)) = places.zip(context.version(event)) else {
            return;
        };
        let id = context.host.id();
        match before(&places.state.join("agents"), id, &version) {
            Ok(None) => {}
            Ok(Some(old)) => {
                let text = format!(
                    "anyhook: {id} is {version} now and was {old}. A new version may treat hooks in another way: anyhook \
                     doctor --host {id}"
                );
                let notice = Notice::new(text).at(Level::Warning);
                finished.result.effects.edit().notify.push(notice);
            }
            Err(error) => {
                let why = files::with_causes(&error);
                self.tell([format!("the version of {id} could not be kept: {why}")]);
            }
        }
    }
}

impl Context<'_> {
    /// Returns the version that the agent tells of itself.
    pub(super) fn version(&self, event: &Event) -> Option<String> {
        let told = match self.host.facts().version_at? {
            VersionAt::Variable(name) => self.world.var(name)?.to_string_lossy().into_owned(),
            VersionAt::Dashed(name, prefix) => {
                let told = self.world.var(name)?.to_string_lossy().into_owned();
                let mut words = told.strip_prefix(prefix)?.split(['_', '/']);
                words.find(|word| !word.is_empty())?.replace('-', ".")
            }
            VersionAt::Field(name) => event.text(name)?.into_owned(),
        };
        version_in(&told).filter(|version| version.len() <= LONGEST)
    }
}

/// Remembers a version of an agent, and returns the one before where this one is new.
fn before(folder: &Path, id: &str, version: &str) -> Result<Option<String>, FileError> {
    files::private_dir(folder)?;
    let path = folder.join(format!("{id}.json"));
    let _lock = files::lock(&folder.join(format!("{id}.lock")), PATIENCE)?;
    let kept = files::read(&path, LIMIT)?.unwrap_or_default();
    // What cannot be read is as if nothing was there: the first version is no news.
    let mut versions: Versions = serde_json::from_slice(&kept).unwrap_or_default();
    if versions.seen.iter().any(|seen| seen == version) {
        return Ok(None);
    }
    let old = versions.seen.last().cloned();
    versions.seen.push(version.to_owned());
    let extra = versions.seen.len().saturating_sub(MOST);
    versions.seen.drain(..extra);
    let bytes = serde_json::to_vec(&versions).unwrap_or_default();
    files::replace(&path, &bytes, Durable::No)?;
    Ok(old)
}
