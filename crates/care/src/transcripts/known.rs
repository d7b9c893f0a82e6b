//! The calls that the record has: found by their ids, if hosts tell these to hooks, or else by what they do.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};

use anyhook_core::events;
use anyhook_core::ports::StoreError;
use anyhook_core::report::Report;
use anyhook_engine::stores::Jsonl;
use serde_json::Value;

use super::formats::is_nameless;

/// Calls, as hashes: a session of a year has many.
pub(super) struct RecordedCalls {
    /// By agent, session and the id of the call.
    ids: HashSet<u64>,
    /// How often, by agent, session, tool and input, of those whose host tells a hook no id.
    others: HashMap<u64, u32>,
    /// The same of those that have an id: the calls of a script have another one in the transcript.
    named: HashMap<u64, u32>,
}

/// What stands in the id of a call that a script made, before its number.
pub(super) const INNER: char = '#';

impl RecordedCalls {
    /// Reads the record. What was imported counts only for who imports: no hook was asked about it.
    pub(super) fn of(store: &Jsonl, with_imported: bool) -> Result<Self, StoreError> {
        let mut known = Self {
            ids: HashSet::new(),
            others: HashMap::new(),
            named: HashMap::new(),
        };
        store.lines(&mut |line| {
            // What cannot be read was counted by who looked at the record.
            let Ok(report) = serde_json::from_slice::<Report>(line) else {
                return;
            };
            let Some(action) = &report.action else { return };
            if report.event.name.as_str() != events::TOOL_PRE
                || (action.imported.is_some() && !with_imported)
            {
                return;
            }
            // The id that a hook hears is in no transcript then.
            let is_unnamed = action.imported.is_none() && is_nameless(&report.event.host);
            match id(&report).filter(|_| !is_unnamed) {
                Some(id) => {
                    known.ids.insert(id);
                    *known.named.entry(deed(&report)).or_default() += 1;
                }
                None => *known.others.entry(deed(&report)).or_default() += 1,
            }
        })?;
        Ok(known)
    }

    /// Tells whether the record has a call. One that has no id there counts for one call.
    pub(super) fn take(&mut self, report: &Report, store: &Jsonl) -> Result<bool, StoreError> {
        if id(report).is_some_and(|id| !self.ids.is_empty() && self.ids.contains(&id)) {
            return Ok(true);
        }
        let call = report.action.as_ref();
        let call = call.and_then(|action| action.text("tool_use_id"));
        let others = match call {
            Some(call) if call.contains(INNER) => &mut self.named,
            Some(_) | None => &mut self.others,
        };
        if others.is_empty() {
            return Ok(false);
        }
        // What stands in the record is redacted and cut: this one is too, before they are compared.
        let left = others.get_mut(&deed(&store.as_kept(report)?));
        Ok(left.filter(|left| **left > 0).is_some_and(|left| {
            *left -= 1;
            true
        }))
    }
}

fn hash(of: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn id(report: &Report) -> Option<u64> {
    let action = report.action.as_ref()?;
    // A host that tells a hook both tells the transcript the second one.
    let call = action.text("tool_call_id");
    let call = call.or_else(|| action.text("tool_use_id"))?;
    Some(hash((&report.event.host, &report.event.session, call)))
}

fn deed(report: &Report) -> u64 {
    let input = report
        .action
        .as_ref()
        .and_then(|action| action.data.get("tool_input"));
    // Where hooks and transcripts have other fields besides, what was attempted is the same.
    let telling = || report.action.as_ref().and_then(|action| action.telling());
    let input = if is_nameless(&report.event.host) {
        telling()
    } else {
        input.map(Value::to_string)
    };
    hash((
        &report.event.host,
        &report.event.session,
        &report.event.subject,
        input,
    ))
}
