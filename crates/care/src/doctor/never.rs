//! Checks for hooks on events that this agent never sends.

use anyhook_core::event::EventName;
use anyhook_core::hook::Hook;
use anyhook_core::matcher::{Hit, Subject};
use anyhook_engine::trust::Standing;
use anyhook_wires::{Host, tools};

use super::presence::Presence;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "never",
    summary: "no hook waits for an event or a tool that this agent does not have",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let trusted = seen
        .manifests
        .iter()
        .filter(|manifest| manifest.standing == Standing::Trusted);
    let hooks = trusted.flat_map(|manifest| manifest.hooks.iter());
    hooks.filter_map(|hook| finding(seen.host, hook)).collect()
}

fn finding(host: &'static dyn Host, hook: &Hook) -> Option<Finding> {
    let (what, fix) = wrong(host, hook)?;
    let why = "it is never asked under this agent";
    let finding = Finding::advice(&ROW, what, why, Fix::by_hand(fix));
    Some(match &hook.info.source {
        Some(source) => {
            let line = usize::try_from(source.line).ok();
            finding.at(source.file.as_ref().as_ref(), line)
        }
        None => finding,
    })
}

fn wrong(host: &dyn Host, hook: &Hook) -> Option<(String, String)> {
    let (name, id) = (anyhook_engine::text::plain(&hook.info.name), host.id());
    let event = anyhook_engine::text::plain(hook.event.universal());
    let shown = anyhook_engine::text::word(&event);
    let mut rows = host.rows().iter();
    if !rows.any(|row| hook.event.covers(&EventName::new(row.event))) {
        return Some((
            format!("the hook `{name}` is for `{event}`, which {id} does not have"),
            format!("anyhook events {shown}   # which agents have it"),
        ));
    }
    if can_match(host, hook) {
        return None;
    }
    let matcher = anyhook_engine::text::plain(hook.info.matcher.as_deref().unwrap_or_default());
    Some((
        format!("the hook `{name}` matches `{matcher}`, and {id} has no such tool"),
        format!("anyhook events {shown}   # what a matcher looks at"),
    ))
}

/// Tells whether any tool of a host can be meant. Tools of MCP servers have whatever names their servers give them.
fn can_match(host: &dyn Host, hook: &Hook) -> bool {
    let is_tool = hook.event.spec().and_then(|spec| spec.subject) == Some("tool_name");
    let text = hook.when.as_str();
    if !is_tool || hook.when.is_all() || text.to_ascii_lowercase().contains("mcp") {
        return true;
    }
    let rows = host.facts().tools.rows;
    let own = rows.iter().flat_map(|tool| [tool.name, tool.is]);
    let known: Vec<&str> = if rows.is_empty() {
        tools::all().collect()
    } else {
        own.collect()
    };
    known.iter().any(|name| {
        let subject = Subject {
            name,
            also: tools::also(name),
            canonical: None,
        };
        hook.when.selects(Some(&subject)) != Hit::No
    })
}
