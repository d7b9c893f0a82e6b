//! The settings that every module has, and the list of the modules of a session.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhook_core::event::{EventName, Map};
use anyhook_core::result::HookResult;
use anyhook_registry::registry::LogLevel;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Stand;
use super::config::{ConfigErrors, read};
use crate::Session;

/// The names of the settings that every module has.
const NAMES: [&str; 3] = ["priority", "enabled_events", "log_level"];

/// What every module honours.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Common {
    pub(super) priority: Option<i32>,
    #[serde(rename = "enabled_events")]
    enabled: Option<Vec<EventName>>,
    #[serde(rename = "log_level", deserialize_with = "level")]
    log: LogLevel,
}

fn level<'de, D: Deserializer<'de>>(from: D) -> Result<LogLevel, D::Error> {
    let name = String::deserialize(from)?;
    LogLevel::read(&name).ok_or_else(|| D::Error::unknown_variant(&name, &LogLevel::NAMES))
}

impl Common {
    /// Takes the settings of every module out of those of one.
    pub(super) fn split(config: &Map) -> (Result<Self, ConfigErrors>, Map) {
        let config = config.clone().into_iter();
        let (common, own): (Map, Map) = config.partition(|(name, _)| NAMES.contains(&&**name));
        (read(&common), own)
    }

    /// Returns the events that a module is registered for: those of its row that are enabled, or what is enabled below
    /// one of them.
    pub(super) fn events(&self, stand: &Stand) -> Vec<String> {
        let Some(enabled) = &self.enabled else {
            return stand.events.iter().map(|&event| event.into()).collect();
        };
        let own: Vec<EventName> = stand
            .events
            .iter()
            .map(|name| EventName::new(name))
            .collect();
        let below = enabled
            .iter()
            .filter(|wanted| own.iter().any(|own| own.covers(wanted)));
        let named = own
            .iter()
            .filter(|own| enabled.iter().any(|wanted| wanted.covers(own)));
        let all: BTreeSet<&str> = below.chain(named).map(EventName::as_str).collect();
        all.into_iter().map(str::to_owned).collect()
    }

    pub(super) fn is_enabled(&self, event: &EventName) -> bool {
        let enabled = self.enabled.as_ref();
        enabled.is_none_or(|enabled| enabled.iter().any(|wanted| wanted.covers(event)))
    }

    /// Leaves out the notices that are not loud enough.
    pub(super) fn quieter(&self, said: HookResult) -> HookResult {
        self.log.quieter(said)
    }
}

/// The modules of one session, each with its settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Mounted(Arc<Mutex<Vec<(&'static str, Value)>>>);

/// The capability by which a session knows them.
const MOUNTED: &str = "anyhook:modules";

/// Returns the modules of a session.
pub(super) fn mounted(session: &Session) -> Arc<Mounted> {
    if let Some(mounted) = session.get_capability::<Mounted>(MOUNTED) {
        return mounted;
    }
    session.register_capability(MOUNTED, Mounted::default());
    session.get_capability(MOUNTED).unwrap_or_default()
}

/// Notes a module of a session, and tells whether it was not there with the same settings.
pub(super) fn first_time(session: &Session, name: &'static str, config: &Map) -> bool {
    let mounted = mounted(session);
    let mut all = mounted.0.lock().unwrap_or_else(PoisonError::into_inner);
    let is_there = all
        .iter()
        .any(|(known, with)| *known == name && with.as_object() == Some(config));
    if !is_there {
        all.push((name, Value::Object(config.clone())));
    }
    !is_there
}

/// Forgets a module of a session.
pub(super) fn forget(mounted: &Mounted, name: &str, config: &Map) {
    let mut all = mounted.0.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(known, with)| *known != name || with.as_object() != Some(config));
}
