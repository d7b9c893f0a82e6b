//! A timeline: one line for each event, with the action, the answers of the hooks, and the time it took.

use std::time::Duration;

use anyhook::core::fit::Loss;
use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::record::{in_short, trouble};
use serde_json::Value;

use crate::ui::{self, paint, short};
use crate::view;

/// So wide is the column of the events' names.
const NAME: usize = 18;

/// Writes one event as a line, and what its hooks said as another one.
pub(crate) fn line(report: &Report, what: &str, took: Duration) -> String {
    let kind = view::kind(report);
    let word = if report.result.is_identity() {
        ""
    } else {
        kind.as_str()
    };
    let word = if kind == Kind::Continue && !word.is_empty() {
        said_besides(report)
    } else {
        word
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
    if !report.result.is_identity() {
        let hook = hook_of(report);
        let room = ui::width()
            .saturating_sub(hook.chars().count() + 26)
            .max(24);
        let said = in_short(report);
        let said = said.strip_prefix(&format!("{word}: ")).unwrap_or(&said);
        let said = said.strip_prefix(&format!("Rule {hook}: ")).unwrap_or(said);
        let said = short(said, room);
        text.push_str(&format!(
            "  {:NAME$} {} {said}\n",
            "",
            paint(ui::CHANGE, &hook)
        ));
    }
    for trouble in trouble(report) {
        text.push_str(&format!("  {:NAME$} {}\n", "", paint(ui::DENY, &trouble)));
    }
    text
}

fn said_besides(report: &Report) -> &'static str {
    if report.losses.iter().any(Loss::is_kept_halt) {
        return "kept";
    }
    let effects = &report.result.effects;
    match (effects.patch().is_empty(), effects.inject().is_empty()) {
        (false, _) => "rewrite",
        (true, false) => "inject",
        (true, true) => "notify",
    }
}

/// Names the hook that led the answer.
fn hook_of(report: &Report) -> String {
    let effects = &report.result.effects;
    let by = report
        .decided_by()
        .or_else(|| effects.patch().first().and_then(|rewrite| rewrite.by))
        .or_else(|| effects.inject().first().and_then(|injection| injection.by))
        .or_else(|| effects.notify().first().and_then(|notice| notice.by));
    by.and_then(|by| report.hook(by))
        .map(|hook| hook.name.to_string())
        .unwrap_or_default()
}

/// The name that the host uses; our own where there is no host.
fn name(report: &Report) -> &str {
    match &*report.event.native {
        "" => report.event.name.as_str(),
        native => native,
    }
}

/// Says in short what the agent is about to do, or did; `folder` is left out of paths.
pub(crate) fn what(payload: &Value, folder: &str) -> String {
    let text = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .map(|text| text.replace(folder, ""))
    };
    let input = payload.get("tool_input");
    let inner = |name: &str| text(input.and_then(|input| input.get(name)));
    let inputs = ["command", "file_path", "path", "prompt"];
    let fields = [
        "prompt",
        "message",
        "task",
        "stage",
        "last_assistant_message",
        "source",
        "reason",
    ];
    let input = inputs.into_iter().find_map(inner);
    let detail = input.or_else(|| fields.into_iter().find_map(|name| text(payload.get(name))));
    let detail = detail.unwrap_or_default();
    match text(payload.get("tool_name")) {
        Some(tool) => format!("{tool} {detail}"),
        None => detail,
    }
}
