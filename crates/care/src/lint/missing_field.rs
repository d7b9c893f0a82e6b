//! A condition that reads what a tool does not have.

use std::path::Path;

use anyhook_core::event::Event;
use anyhook_core::hook::Mode;
use anyhook_core::manifest::Action;
use anyhook_engine::rules::{Facts, When};
use serde_json::{Value, json};

use super::Note;
use super::linted::{Linted, Site};
use super::unknown_tool::selects;

/// What each tool surely is called with.
fn calls() -> [(&'static str, Value); 10] {
    let file = "/p/a.txt";
    [
        ("Bash", json!({"command": "true"})),
        ("Write", json!({"file_path": file, "content": "a"})),
        (
            "Edit",
            json!({"file_path": file, "old_string": "a", "new_string": "b"}),
        ),
        ("Read", json!({"file_path": file})),
        ("Glob", json!({"pattern": "*"})),
        ("Grep", json!({"pattern": "a"})),
        (
            "WebFetch",
            json!({"url": "http://localhost/", "prompt": "a"}),
        ),
        ("WebSearch", json!({"query": "a"})),
        ("Agent", json!({"description": "a", "prompt": "a"})),
        ("TodoWrite", json!({"todos": []})),
    ]
}

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    linted
        .sites()
        .filter_map(|site| of_site(linted, site))
        .collect()
}

fn of_site(linted: &Linted<'_>, site: Site<'_>) -> Option<Note> {
    let spec = site.group.spec.filter(|_| site.is_about_tools())?;
    let when = site.entry.when.as_ref()?;
    let is_rule = matches!(site.entry.action, Action::Rule(_)) && site.entry.mode == Mode::Enforce;
    let read = When::read(&when.text).ok().filter(|_| is_rule)?;
    let calls = calls().into_iter();
    let refused = calls.filter_map(|(tool, input)| {
        if !site.group.matcher.is_all() && !selects(site.group, tool) {
            return None;
        }
        let data = json!({"cwd": "/p", "tool_name": tool, "tool_input": input, "tool_result": ""});
        let event = Event::new(spec.name, data);
        let why = read
            .decide(&Facts::new(&event, Path::new("/p"), None))
            .err()?;
        let field = why.strip_prefix("the event has no `tool_input.")?;
        Some((tool, field.trim_end_matches('`').to_owned()))
    });
    let refused: Vec<(&str, String)> = refused.collect();
    let (_, field) = refused.first()?;
    let tools: Vec<String> = refused.iter().map(|(t, _)| format!("`{t}`")).collect();
    let message = format!(
        "this rule refuses every call of {}, which has no `tool_input.{field}`",
        tools.join(", ")
    );
    let help = format!("name the tools in the matcher, or ask `has(tool_input.{field})` first");
    Some(Note::new(linted.at(site, "when"), message).help(help))
}
