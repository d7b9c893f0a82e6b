//! A timeline: one line for each event, with the action, the answers of the hooks, and the time it took.

use std::time::Duration;

use anyhook::core::event::Map;
use anyhook::core::report::{ActionRecord, Report};
use anyhook::core::result::Kind;
use anyhook::record::said;
use serde_json::Value;

use crate::ui::{self, paint, short};
use crate::view;

/// So wide is the column of the events' names.
const NAME: usize = 18;

/// Writes one event as a line, and what its hooks said as another one.
pub(crate) fn line(report: &Report, what: &str, took: Duration) -> String {
    let kind = view::kind(report);
    // What goes on says in the second line what became of it.
    let word = match kind {
        Kind::Continue => "",
        kind => kind.as_str(),
    };
    // The name of an event is what a person looks for: a long one takes the room of what follows.
    let name = name(report);
    let more = name.chars().count().saturating_sub(NAME);
    let room = ui::width().saturating_sub(50 + more).clamp(24, 64);
    let mut text = format!(
        "{} {:NAME$} {:room$} {} {}\n",
        paint(view::style(kind), view::mark(kind)),
        ui::line(name),
        short(what, room),
        paint(view::style(kind), &format!("{word:9}")),
        paint(ui::DIM, &format!("{:>8}", view::millis(took))),
    );
    let (hook, said) = said(report);
    if !said.is_empty() {
        let room = ui::width().saturating_sub(hook.chars().count() + 26);
        let hook = paint(ui::CHANGE, &hook);
        let said = short(&said, room.max(24));
        text.push_str(&format!("  {:NAME$} {hook} {said}\n", ""));
    }
    text
}

/// The name that the host uses; our own where there is no host.
fn name(report: &Report) -> &str {
    match &*report.event.native {
        "" => report.event.name.as_str(),
        native => native,
    }
}

/// Says in short what the agent is about to do, or did; `folder` is left out of paths.
pub(crate) fn what(data: Map, folder: &str) -> String {
    let action = ActionRecord {
        data,
        ..ActionRecord::default()
    };
    let told = action.telling().unwrap_or_default().replace(folder, "");
    match action.data.get("tool_name").and_then(Value::as_str) {
        Some(tool) => format!("{tool} {told}"),
        None => told,
    }
}
