//! The lines that a person sees of the agent: one for each event, with its problems; the log has the same.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhook::core::ports::Store as _;
use anyhook::core::taxonomy::EventSpec;
use anyhook::session::Acted;
use anyhook::stores::{Jsonl, Keep};
use anyhook::world::World;
use anyhook_agent::agent::Watcher;
use serde_json::Value;
use std::sync::Arc;

use crate::timeline;
use crate::ui;

/// How reports name this agent.
const HOST: &str = "anyhook-agent";

/// Shows each event as a line, and keeps what hooks made of it for `anyhook log` and `anyhook explain`.
pub(super) fn watches(world: &World, folder: String, kept: Arc<AtomicBool>) -> Watcher {
    let store = world.places.as_ref();
    let store = store.map(|places| Jsonl::new(places.reports(), Keep::Verdicts));
    let (ids, is_told) = (world.ids, AtomicBool::new(false));
    Arc::new(move |acted: &Acted| {
        if !is_dull(acted) {
            ui::err(&line(acted, &folder));
        }
        let Some(store) = store.as_ref().filter(|_| !acted.report.hooks.is_empty()) else {
            return;
        };
        let mut report = acted.report.clone();
        report.id = ids();
        report.event.host = HOST.into();
        match store.append(&report) {
            Ok(()) => kept.store(true, Ordering::Relaxed),
            // Once is enough: the next ones fail for the same reason.
            Err(error) if !is_told.swap(true, Ordering::Relaxed) => {
                ui::err(&format!("anyhook: the log cannot be written: {error}\n"));
            }
            Err(_) => {}
        }
    })
}

/// Nothing came of it, nothing went wrong, and the event is one of the loop's own: neither one that hosts share, nor about a
/// call.
pub(super) fn is_dull(acted: &Acted) -> bool {
    let is_told = |spec: &EventSpec| spec.universal.is_some() || spec.subject == Some("tool_name");
    let is_shared = acted.event.name.spec().is_some_and(is_told);
    let report = &acted.report;
    !is_shared && report.result.is_identity() && anyhook::record::trouble(report).is_empty()
}

/// One event as a line; those of an agent inside another one stand further in.
pub(super) fn line(acted: &Acted, folder: &str) -> String {
    let data = Value::Object(acted.event.json().into_owned());
    let what = timeline::what(&data, &format!("{folder}/"));
    let depth = acted
        .event
        .text("session_id")
        .map_or(0, |id| id.matches('.').count());
    let text = timeline::line(&acted.report, &what, acted.report.took.unwrap_or_default());
    let further_in = "  ".repeat(depth);
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("{further_in}{line}\n"))
        .collect();
    lines.concat()
}
