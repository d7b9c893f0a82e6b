//! `anyhook list platform`: what this platform can do, for programs that ask before they rely on it.

use anyhook::platform::{capabilities, of_host};
use serde_json::Value;

use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::Form;
use crate::ui::{self, paint};

/// Prints the events and types of hooks that programs can rely on, of all agents or of one.
pub(super) fn run(host: Option<&str>, form: Form) -> Result<Exit, Problem> {
    let named = host.map(error::host).transpose()?;
    let facts = named.map_or_else(capabilities, of_host);
    form.say(&facts, page)?;
    Ok(Exit::Done)
}

fn page(facts: &Value) -> String {
    let words = |value: &Value| {
        let list = value.as_array().into_iter().flatten();
        let words: Vec<&str> = list.filter_map(Value::as_str).collect();
        words.join(", ")
    };
    let one = |facts: &Value| {
        let name = facts.get("platform").and_then(Value::as_str);
        let field = |name: &str| words(facts.get(name).unwrap_or(&Value::Null));
        format!(
            "{}\n{}{}",
            paint(ui::BOLD, name.unwrap_or_default()),
            ui::beside("  events     ", 13, &field("hook_events")),
            ui::beside("  may block  ", 13, &field("blocking_events")),
        )
    };
    let hosts = facts.get("hosts").and_then(Value::as_array);
    let mut text = match hosts {
        Some(hosts) => hosts.iter().map(one).collect(),
        None => one(facts),
    };
    let types = words(facts.get("hook_types").unwrap_or(&Value::Null));
    text.push_str(&format!("\nhooks are of type {types}\n"));
    text
}
