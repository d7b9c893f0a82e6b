//! One hook of a host's file.

use std::time::Duration;

use anyhook_core::hook::{MatchCondition, MatchTarget, Mode, OnFault, WaitMode};
use anyhook_core::manifest::{
    Action, Code, Command, Condition, Entry, FindingCollector, Place, kind,
};
use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::conditions::PermissionRule;
use super::node::{self, Node, NodeAccess};
use super::{FailurePolicy, NativeFormat, PromptHook, RefusalValue, conditions, is_ours};
use crate::settings::json::value;

/// Longer than this is a mistake, and a danger to arithmetic with clocks.
pub(super) const A_DAY: Duration = Duration::from_hours(24);

/// A longer input of a tool cannot be handed to a process.
const LONGEST_INPUT: usize = 64 * 1024;

/// What an entry belongs to.
pub(super) struct EntryContext<'a> {
    pub(super) format: &'static NativeFormat,
    /// The event as the host calls it.
    pub(super) native: &'a str,
    /// The event as we do.
    pub(super) event: &'a str,
}

/// Reads one entry; nothing for one that is our own, or that its host would never run.
pub(super) fn read(
    about: &EntryContext<'_>,
    node: &Node<'_>,
    notes: &mut FindingCollector,
) -> Option<Entry> {
    if node.as_object().is_none() {
        let message = format!("a hook must be an object, found {}", kind(node));
        notes.error(node, message.as_str(), None);
        return Some(broken(message, notes.place(node)));
    }
    let (only, when) = condition(about, node, notes)?;
    let entry = match action(about, node, notes)? {
        Ok(fields) => {
            let range = node.range();
            let properties = fields.into_iter();
            let properties = properties
                .map(|(name, value)| node::field(name.to_owned(), value.range(), value))
                .collect();
            Entry::read(&Object { range, properties }, notes)
        }
        Err(action) => Entry {
            action: *action,
            ..broken(String::new(), notes.place(node))
        },
    };
    if matches!(&entry.action, Action::Command(command) if command.args.is_none() && is_ours(&command.command))
    {
        return None;
    }
    Some(Entry {
        on_failure: Some(on_failure(about, node)),
        timeout: Some(timeout(about, node, notes)),
        pace: pace(about, node, notes),
        name: node
            .get("name")
            .and_then(NodeAccess::word)
            .map(str::to_owned),
        enabled: !is_off(about, node),
        only,
        when,
        ..entry
    })
}

/// An entry that cannot be read refuses nothing: a host's own file may hold what only the host runs.
pub(super) fn broken(message: String, at: Place) -> Entry {
    Entry {
        on_failure: Some(OnFault::Continue),
        ..Entry::broken(message, Mode::Enforce, at)
    }
}

/// The fields of a hook that runs here as in a universal file, or what another one does.
type EntryFields<'n> = Result<Vec<(&'static str, Node<'n>)>, Box<Action>>;

/// Tells whether an entry says that it is off, at a host that looks there.
fn is_off(about: &EntryContext<'_>, node: &Node<'_>) -> bool {
    let enabled = node.get("enabled");
    about.format.writes.holds.contains(&"enabled") && enabled.is_some_and(|node| node.is(false))
}

/// Reads the condition of an entry; nothing where the host never runs it.
fn condition(
    about: &EntryContext<'_>,
    node: &Node<'_>,
    notes: &mut FindingCollector,
) -> Option<(Option<MatchCondition>, Option<Condition>)> {
    let Some(rule) = node.get("if") else {
        return Some((None, None));
    };
    if !about.event.starts_with("tool:") && about.event != "approval:required" {
        let message = format!(
            "`if` stands on `{}`, where the hook never runs",
            about.native
        );
        notes.warn(rule, message, None).code(Code::NoEffect);
        return None;
    }
    let read = rule
        .word()
        .and_then(|text| conditions::rule(about.format, text));
    if read.as_ref().is_none_or(|read| !read.is_judged) {
        let of_tool = read
            .as_ref()
            .map(|read| format!(" of `{}`", read.tool.as_str()));
        let message = format!(
            "the rule of `if` cannot be judged here: the hook is asked about every call{}",
            of_tool.unwrap_or_default()
        );
        let help = "let the script itself leave what it does not want";
        notes
            .warn(rule, message, Some(help))
            .code(Code::ReadOtherwise);
    }
    let Some(PermissionRule { tool, when, .. }) = read else {
        return Some((None, None));
    };
    let at = notes.place(rule);
    let only = MatchCondition {
        at: MatchTarget::Subject,
        matcher: tool,
    };
    Some((Some(only), when.map(|text| Condition { text, at })))
}

/// Reads what the hook does; nothing for what decides nothing.
fn action<'n>(
    about: &EntryContext<'_>,
    node: &Node<'n>,
    notes: &mut FindingCollector,
) -> Option<EntryFields<'n>> {
    let broken = |notes: &mut FindingCollector, at: &Node<'_>, message: String| {
        notes.error(at, message.as_str(), None);
        Some(Err(Box::new(Action::Broken(message))))
    };
    let holds = |field| about.format.writes.holds.contains(&field);
    let named = node.get("type");
    if let Some(other) = named.filter(|named| named.word().is_none()) {
        let message = format!("`type` must be a string, found {}", kind(other));
        return broken(notes, other, message);
    }
    let hook = |fields: &[(&'static str, &str)]| {
        let of = |(name, field): &(&'static str, &str)| Some((*name, node.get(field)?.clone()));
        let word = named.and_then(NodeAccess::word).unwrap_or("command");
        let named = [("type", node::text(word.to_owned(), node.range()))];
        let fields = fields.iter().filter_map(of);
        Some(Ok(named.into_iter().chain(fields).collect()))
    };
    match named.and_then(NodeAccess::word).unwrap_or("command") {
        "command" if let Some(field) = elsewhere(about, node) => {
            let message =
                format!("`{field}` is for another system, and nothing is there for this one");
            let help = "the hook does not run here";
            let notes = notes.warn(node, message.as_str(), Some(help));
            notes.code(Code::OtherSystem);
            Some(Err(Box::new(Action::Broken(message))))
        }
        "command" => {
            let shell = node.get("shell").and_then(NodeAccess::word);
            if let Some(shell) = shell.filter(|shell| *shell != "bash") {
                let shell = conditions::shown(shell);
                let message = format!("the shell `{shell}` is not there on this system");
                return broken(notes, node, message);
            }
            let mut lines = about.format.commands_here().peekable();
            let first = lines.peek().copied().unwrap_or_default();
            let Some(line) = lines.find(|field| node.get(field).is_some()) else {
                return broken(notes, node, format!("`{first}` is missing"));
            };
            hook(&[
                ("command", line),
                ("args", "args"),
                ("env", "env"),
                ("cwd", about.format.cwd),
            ])
        }
        "prompt" if about.format.prompts == PromptHook::Judge => hook(&[("prompt", "prompt")]),
        // A format that has the field knows the type.
        "http" if holds("url") => hook(&[
            ("url", "url"),
            ("headers", "headers"),
            ("allowed-env-vars", "allowedEnvVars"),
        ]),
        "mcp_tool" if holds("server") => match tool(node) {
            Ok(command) => Some(Err(Box::new(Action::Command(command)))),
            Err(message) => broken(notes, node, message),
        },
        other if matches!(about.format.prompts, PromptHook::Talk(talk) if talk == other) => {
            let message = format!(
                "a hook of type `{other}` talks to `{}` and decides nothing, so it is left out",
                about.format.host
            );
            notes.warn(node, message, None).code(Code::UnknownType);
            None
        }
        other => {
            let other = conditions::shown(other);
            let host = about.format.host;
            let message = format!("a hook of type `{other}` of `{host}` cannot run here");
            let notes = notes.error(node, message.as_str(), None);
            notes.code(Code::UnknownType);
            Some(Err(Box::new(Action::Broken(message))))
        }
    }
}

/// Reads the call of a tool of an MCP server, which a command of our own program makes.
fn tool(node: &Node<'_>) -> Result<Command, String> {
    let required = |field: &str| {
        let found = node
            .get(field)
            .ok_or_else(|| format!("`{field}` is missing"))?;
        let text = found
            .word()
            .filter(|text| !text.trim().is_empty() && !text.contains(['$', '\0']));
        let text = text.map(str::to_owned);
        text.ok_or_else(|| format!("`{field}` is no text, is empty, or holds a `$`"))
    };
    let (server, tool) = (required("server")?, required("tool")?);
    let input = match node.get("input") {
        Some(input) if input.as_object().is_none() => {
            return Err(format!("`input` must be an object, found {}", kind(input)));
        }
        Some(input) => value(input).to_string(),
        None => "{}".to_owned(),
    };
    if input.len() > LONGEST_INPUT {
        return Err("`input` is longer than 64 KiB".to_owned());
    }
    // The call fills the placeholders of its input by the event: written as JSON escapes, they are none of a command's.
    let input = input.replace('$', "\\u0024");
    let words = ["call-tool", &server, &tool, &input];
    Ok(Command {
        command: "anyhook".to_owned(),
        args: Some(words.map(str::to_owned).to_vec()),
        server: Some(server),
        ..Command::default()
    })
}

/// Names the field of a command that only another system runs. Its host does not run it here, so it refuses nothing: its one
/// fault a session tells the person.
fn elsewhere(about: &EntryContext<'_>, node: &Node<'_>) -> Option<&'static str> {
    let kind = node.get("type").map_or(Some("command"), NodeAccess::word);
    let mut here = about.format.commands_here();
    if kind != Some("command") || here.any(|field| node.get(field).is_some()) {
        return None;
    }
    let mut fields = about.format.commands.iter().map(|(field, _)| *field);
    fields.find(|field| node.get(field).is_some())
}

fn on_failure(about: &EntryContext<'_>, node: &Node<'_>) -> OnFault {
    let refuses = match about.format.failure {
        _ if elsewhere(about, node).is_some() => false,
        FailurePolicy::Never => false,
        FailurePolicy::On(events) => events.contains(&about.native),
        // A value that is none of the host's: the author cared about failures and misspelled how.
        FailurePolicy::Where(field, value) => {
            node.get(field)
                .is_some_and(|node| match (node.word(), value) {
                    (None, RefusalValue::True) => !node.is(false),
                    (Some(word), RefusalValue::Word(_)) => word != "continue",
                    (Some(word), RefusalValue::Unless(_, passes)) => word != passes,
                    _ => true,
                })
        }
    };
    if refuses {
        OnFault::Deny
    } else {
        OnFault::Continue
    }
}

fn timeout(about: &EntryContext<'_>, node: &Node<'_>, notes: &mut FindingCollector) -> Duration {
    let rule = &about.format.timeout;
    let is_prompt = node.get("type").and_then(NodeAccess::word) == Some("prompt");
    let (unit, default) = match rule.prompts.filter(|_| is_prompt) {
        Some(of_prompts) => (of_prompts.unit, of_prompts.default),
        None => (rule.unit, rule.of(about.native)),
    };
    let Some(said) = rule.fields.iter().find_map(|field| node.get(field)) else {
        return default;
    };
    let count = said.as_number_lit();
    let count = count.and_then(|number| number.value.parse().ok());
    if let (Some(0.0), Some(zero)) = (count, rule.zero) {
        return zero;
    }
    let time = count
        .and_then(|count: f64| unit.time(count))
        .filter(|time| !time.is_zero() && *time <= A_DAY);
    time.unwrap_or_else(|| {
        let message = "the timeout cannot be read, so the hook has its host's default";
        notes.warn(said, message, None).code(Code::ReadOtherwise);
        default
    })
}

/// A hook in the background controls nothing at its host, and nothing here. A host that knows no such field waits
/// for the hook and hears its refusal, so the field says nothing there.
fn pace(about: &EntryContext<'_>, node: &Node<'_>, notes: &mut FindingCollector) -> WaitMode {
    if !about.format.writes.holds.contains(&"async") {
        return WaitMode::Waited;
    }
    let is_true = |field: &str| node.get(field).is_some_and(|node| node.is(true));
    let wakes = is_true("asyncRewake");
    if wakes {
        let message = "a background hook wakes no agent here: its text is delivered with the session's next event";
        notes.warn(node, message, None).code(Code::ReadOtherwise);
    }
    if wakes || is_true("async") {
        WaitMode::Background
    } else {
        WaitMode::Waited
    }
}
