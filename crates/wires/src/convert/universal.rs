//! The parts of a universal file, and the matchers that say there what a host's say.

use anyhook_core::event::Map;
use anyhook_core::hook::MatchTarget;
use anyhook_core::manifest::{Command, Group, HttpAction};
use anyhook_core::matcher::Matcher;
use serde_json::{Value, json};

use super::Conversion;
use super::matchers::{self, MatcherMeaning, UNIVERSAL};
use crate::json;
use crate::native_files::NativeFormat;
use crate::tools;

/// Says the matcher of a group, which selects at least what its host's does: the tools that its event is about, and what its
/// text selects. Nothing where that cannot be said.
pub(super) fn matcher(
    group: &Group,
    from: &NativeFormat,
    losses: &mut Conversion,
) -> Option<String> {
    let text = group.matcher_text.as_deref();
    let native = group.speaks.as_ref().map(|speaks| &*speaks.native);
    let form = from.events.iter().find(|form| Some(form.native) == native);
    if text.is_some()
        && form.is_some_and(|form| form.at.is_some_and(|at| at != MatchTarget::Subject))
    {
        let what = "its matcher looks at something else than the name of a tool: its hooks are asked about all of those";
        losses.lose(&group.at, what);
    }
    let meaning = match form.map(|form| (form.tools, form.at)) {
        None | Some((None, Some(MatchTarget::Subject))) => matchers::read(from.matching, text),
        Some((Some(tools), _)) => matchers::read(UNIVERSAL, Some(tools)),
        Some((None, _)) => MatcherMeaning::All,
    };
    let is_tool = group.spec.and_then(|spec| spec.subject) == Some("tool_name");
    let meaning = match meaning {
        MatcherMeaning::Names(names) if is_tool => {
            let mut names: Vec<String> = names
                .iter()
                .map(|name| tools::canonical(name).to_owned())
                .collect();
            let said = Matcher::parse(&names.join("|")).ok()?;
            // What the host calls by one of these names, or means by it.
            let more = missing(&group.matcher, &said).map(tools::canonical);
            names.extend(more.map(str::to_owned));
            MatcherMeaning::of_names(names.into_iter())
        }
        MatcherMeaning::Somewhere(ref pattern) if is_tool => {
            let what = format!("the names of tools in the pattern `{pattern}` stay what they are");
            losses.lose(&group.at, what);
            // As it was read, it says tools of servers and kinds of tools too.
            MatcherMeaning::Somewhere(group.matcher.as_str().to_owned())
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

/// Writes a command; what every host that has the field writes the same way too.
pub(super) fn of_command(command: &Command) -> Map {
    let env = command.env.iter();
    let env: Map = env
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let mut fields = json::map([
        ("type", "command".into()),
        ("command", command.command.as_str().into()),
    ]);
    let more = [
        ("args", command.args.as_ref().map(|args| json!(args))),
        ("env", (!env.is_empty()).then_some(Value::Object(env))),
        ("cwd", command.cwd.as_deref().map(Value::from)),
    ];
    let more = more.into_iter();
    fields.extend(more.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    fields
}

/// Writes a hook that asks a server.
pub(super) fn of_http(http: &HttpAction) -> Map {
    let mut fields = json::map([("type", "http".into()), ("url", http.url.as_str().into())]);
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
