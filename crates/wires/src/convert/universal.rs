//! Writing the hooks of a host's file in the universal form.

use anyhook_core::event::Map;
use anyhook_core::hook::{At, OnFault, Pace};
use anyhook_core::manifest::{Action, Command, DEADLINE, Entry, Group, Http, Manifest};
use anyhook_core::matcher::Matcher;
use serde_json::{Value, json};

use super::matchers::{self, Meaning, UNIVERSAL};
use super::{Losses, listed};
use crate::native_files::NativeFormat;
use crate::settings::Unit;
use crate::tools;

/// Writes a whole file.
pub(super) fn file(manifest: &Manifest, from: &NativeFormat, losses: &mut Losses) -> Map {
    let mut events = Map::new();
    for group in &manifest.groups {
        let Some(matcher) = matcher(group, from, losses) else {
            let what = "its matcher selects what a universal one cannot: its hooks are left out";
            losses.add(&group.at, what);
            continue;
        };
        let entries = group.entries.iter();
        let hooks: Vec<Value> = entries
            .filter_map(|entry| hook(entry, losses).map(Value::Object))
            .collect();
        if hooks.is_empty() {
            continue;
        }
        let mut element = Map::new();
        if !matcher.is_empty() {
            element.insert("matcher".to_owned(), matcher.into());
        }
        if group.sequential {
            element.insert("sequential".to_owned(), true.into());
        }
        if let Some(speaks) = &group.speaks {
            let said = format!("{} {}", speaks.host, speaks.native);
            element.insert("speaks".to_owned(), said.into());
        }
        element.insert("hooks".to_owned(), hooks.into());
        let name = group.spec.map(|spec| spec.universal.unwrap_or(spec.name));
        let name = name.unwrap_or(&group.event).to_owned();
        listed(&mut events, name, vec![Value::Object(element)]);
    }
    object([("version", 1.into()), ("hooks", Value::Object(events))])
}

/// Says the matcher of a group, which selects at least what its host's does: the tools that its event is about, and what its
/// text selects. Nothing where that cannot be said.
fn matcher(group: &Group, from: &NativeFormat, losses: &mut Losses) -> Option<String> {
    let text = group.matcher_text.as_deref();
    let native = group.speaks.as_ref().map(|speaks| &*speaks.native);
    let form = from.events.iter().find(|form| Some(form.native) == native);
    if text.is_some() && form.is_some_and(|form| form.at.is_some_and(|at| at != At::Subject)) {
        let what = "its matcher looks at something else than the name of a tool: its hooks are asked about all of those";
        losses.add(&group.at, what);
    }
    let meaning = match form.map(|form| (form.tools, form.at)) {
        None | Some((None, Some(At::Subject))) => matchers::read(from.matching, text),
        Some((Some(tools), _)) => matchers::read(UNIVERSAL, Some(tools)),
        Some((None, _)) => Meaning::All,
    };
    let is_tool = group.spec.and_then(|spec| spec.subject) == Some("tool_name");
    let meaning = match meaning {
        Meaning::Names(names) if is_tool => {
            let names = names.iter().map(|name| tools::canonical(name).to_owned());
            let mut names: Vec<String> = names.collect();
            let said = Matcher::parse(&names.join("|")).ok()?;
            // What the host calls by one of these names, or means by it.
            let more = missing(&group.matcher, &said).map(tools::canonical);
            for name in more {
                if !names.iter().any(|said| said == name) {
                    names.push(name.to_owned());
                }
            }
            Meaning::Names(names)
        }
        Meaning::Somewhere(ref pattern) | Meaning::Whole(ref pattern) if is_tool => {
            let what = format!("the names of tools in the pattern `{pattern}` stay what they are");
            losses.add(&group.at, what);
            // As it was read, it says tools of servers and kinds of tools too.
            Meaning::Somewhere(group.matcher.as_str().to_owned())
        }
        other => other,
    };
    let Some(text) = matchers::write(UNIVERSAL, &meaning) else {
        return Some(String::new());
    };
    let said = Matcher::parse(&text).ok()?;
    let is_whole = !is_tool || missing(&group.matcher, &said).next().is_none();
    is_whole.then_some(text)
}

/// The names of tools that the first matcher selects and the second does not.
fn missing<'m>(all: &'m Matcher, said: &'m Matcher) -> impl Iterator<Item = &'static str> + 'm {
    let selects = |matcher: &Matcher, name| matcher.takes(name, tools::also(name));
    let names = tools::all().chain(["mcp__server__tool"]);
    names.filter(move |name| selects(all, name) && !selects(said, name))
}

fn hook(entry: &Entry, losses: &mut Losses) -> Option<Map> {
    let mut fields = match &entry.action {
        Action::Command(command) if command.server.is_some() => {
            let what = "it calls a tool of a server that only its own agent describes: the hook is left out";
            losses.add(&entry.at, what);
            return None;
        }
        Action::Command(command) => of_command(command),
        Action::Prompt(prompt) => object([
            ("type", "prompt".into()),
            ("prompt", (&*prompt.prompt).into()),
        ]),
        Action::Http(http) => of_http(http),
        // A host's file has no others.
        Action::Rule(_) | Action::Builtin(_) | Action::Broken(_) => return None,
    };
    let name = entry.name.as_ref().or(entry.called.as_ref());
    let time = entry.timeout.filter(|time| *time != DEADLINE);
    let more = [
        ("name", name.map(|name| name.as_str().into())),
        ("when", entry.when.as_ref().map(|when| (&*when.text).into())),
        ("timeout", time.map(|time| Unit::Seconds.number(time))),
        (
            "on-failure",
            (entry.on_failure == Some(OnFault::Deny)).then(|| "deny".into()),
        ),
        (
            "async",
            (entry.pace == Pace::Background).then(|| true.into()),
        ),
        ("enabled", (!entry.enabled).then(|| false.into())),
    ];
    fields.extend(given(more));
    if entry.only.is_some() {
        let what = "the hook is asked about everything that the matcher of its group selects";
        losses.add(&entry.at, what);
    }
    losses.hooks.push(entry.at.span.clone());
    Some(fields)
}

pub(super) fn object<const N: usize>(fields: [(&str, Value); N]) -> Map {
    given(fields.map(|(name, value)| (name, Some(value)))).collect()
}

/// The fields that have a value.
fn given<const N: usize>(
    fields: [(&str, Option<Value>); N],
) -> impl Iterator<Item = (String, Value)> {
    let fields = fields.into_iter();
    fields.filter_map(|(name, value)| Some((name.to_owned(), value?)))
}

/// Writes a command; what every host that has the field writes the same way too.
pub(super) fn of_command(command: &Command) -> Map {
    let env = command.env.iter();
    let env: Map = env
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let mut fields = object([
        ("type", "command".into()),
        ("command", command.command.as_str().into()),
    ]);
    let more = [
        ("args", command.args.as_ref().map(|args| json!(args))),
        ("env", (!env.is_empty()).then_some(Value::Object(env))),
        ("cwd", command.cwd.as_deref().map(Value::from)),
    ];
    fields.extend(given(more));
    fields
}

/// Writes a hook that asks a server.
pub(super) fn of_http(http: &Http) -> Map {
    let mut fields = object([("type", "http".into()), ("url", http.url.as_str().into())]);
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
