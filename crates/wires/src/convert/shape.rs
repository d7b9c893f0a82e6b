//! The shape of a file: its version, its lists, and their items as they are.

use anyhook_core::event::Map;
use anyhook_core::manifest::{Command, Http, Variant};
use serde_json::{Value, json};

use super::Format;
use crate::native_files::List;

/// Says which version a file names.
pub(super) fn version(to: Format) -> Option<Value> {
    let version = match to {
        Format::Universal => Some(1),
        Format::Native(format) => format.writes.version,
    };
    match lists(to) {
        List::Triggers => version.map(|version| format!("v{version}").into()),
        List::Groups | List::Hooks => version.map(Value::from),
    }
}

/// Says what the lists of a file hold.
pub(super) fn lists(to: Format) -> List {
    match to {
        Format::Universal => List::Groups,
        Format::Native(format) => format.writes.list,
    }
}

/// Says the hooks of an event as hooks that say it themselves.
pub(super) fn triggers((event, hooks): (String, Value)) -> Vec<Value> {
    let Value::Array(hooks) = hooks else {
        return Vec::new();
    };
    let said = hooks.into_iter().enumerate().map(|(at, hook)| {
        let Value::Object(mut hook) = hook else {
            return hook;
        };
        let mut action = Map::new();
        for field in ["type", "command"] {
            action.extend(
                hook.shift_remove(field)
                    .map(|value| (field.to_owned(), value)),
            );
        }
        // A name is asked for there.
        let name = hook.shift_remove("name");
        let name = name.unwrap_or_else(|| format!("{event} {}", at + 1).into());
        let head = [("name", name), ("trigger", event.as_str().into())];
        let head = head.into_iter().map(|(key, value)| (key.to_owned(), value));
        let mut said: Map = head.chain(hook).collect();
        said.insert("action".to_owned(), Value::Object(action));
        Value::Object(said)
    });
    said.collect()
}

/// Writes what one system has otherwise.
pub(super) fn of_system(variant: &Variant) -> Map {
    let env = variant.env.iter();
    let env: Map = env
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let all = [
        ("command", variant.command.as_deref().map(Value::from)),
        ("args", variant.args.as_ref().map(|args| json!(args))),
        ("env", (!env.is_empty()).then_some(Value::Object(env))),
        ("cwd", variant.cwd.as_deref().map(Value::from)),
        ("shell", variant.shell.map(|shell| shell.name.into())),
    ];
    let said = all.into_iter();
    said.filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// Writes the call of a tool as its agent's file has it.
pub(super) fn of_tool(command: &Command) -> Option<Map> {
    let [_, server, tool, input] = command.args.as_deref()? else {
        return None;
    };
    let input: Value = serde_json::from_str(input).ok()?;
    let fields = json!({"type": "mcp_tool", "server": server, "tool": tool, "input": input});
    fields.as_object().cloned()
}

/// Writes a hook that asks a server.
pub(super) fn of_http(http: &Http) -> Map {
    let mut fields = Map::new();
    fields.insert("type".to_owned(), "http".into());
    fields.insert("url".to_owned(), http.url.as_str().into());
    let headers = http.headers.iter();
    let headers: Map = headers
        .map(|(name, text)| (name.clone(), text.as_str().into()))
        .collect();
    if !headers.is_empty() {
        fields.insert("headers".to_owned(), headers.into());
    }
    if !http.variables.is_empty() {
        fields.insert("allowedEnvVars".to_owned(), http.variables.clone().into());
    }
    fields
}
