//! One hook of a host's file.

use std::time::Duration;

use anyhook_core::hook::{At, Mode, OnFault, Only, Pace};
use anyhook_core::manifest::{Action, Code, Command, Entry, Http, Prompt, When};

use super::conditions::{Judged, Rule};
use super::node::{Node, Of};
use super::read::Notes;
use super::{Failure, NativeFormat, Prompts, Refuses, conditions, is_ours};

/// Longer than this is a mistake, and a danger to arithmetic with clocks.
pub(super) const A_DAY: Duration = Duration::from_hours(24);

/// A longer input of a tool cannot be handed to a process.
const LONGEST_INPUT: usize = 64 * 1024;

/// What an entry belongs to.
pub(super) struct About<'a> {
    pub(super) format: &'static NativeFormat,
    /// The event as the host calls it.
    pub(super) native: &'a str,
    /// The event as we do.
    pub(super) event: &'static str,
}

/// Reads one entry; nothing for one that is our own, or that its host would never run.
pub(super) fn read(about: &About<'_>, node: &Node, notes: &mut Notes) -> Option<Entry> {
    if !node.is_table() {
        let message = format!("a hook must be an object, found {}", node.kind());
        notes.error(&node.span, message.as_str());
        return Some(Entry::broken(
            message,
            Mode::Enforce,
            notes.place(&node.span),
        ));
    }
    let (only, when) = condition(about, node, notes).ok()?;
    let action = action(about, node, notes)?;
    Some(Entry {
        on_failure: Some(on_failure(about, node)),
        timeout: Some(timeout(about, node, notes)),
        pace: pace(about, node, notes),
        name: node.get("name").and_then(Node::text).map(str::to_owned),
        enabled: !is_off(about, node),
        only,
        when,
        action,
        ..Entry::broken(String::new(), Mode::Enforce, notes.place(&node.span))
    })
}

/// Tells whether an entry says that it is off, at a host that looks there.
fn is_off(about: &About<'_>, node: &Node) -> bool {
    let is_false = |node: &Node| node.value == Of::Bool(false);
    about.format.writes.holds.contains(&"enabled") && node.get("enabled").is_some_and(is_false)
}

/// The host never runs the entry.
struct NeverRuns;

/// Reads the condition of an entry.
fn condition(
    about: &About<'_>,
    node: &Node,
    notes: &mut Notes,
) -> Result<(Option<Only>, Option<When>), NeverRuns> {
    let Some(rule) = node.get("if") else {
        return Ok((None, None));
    };
    if !about.event.starts_with("tool:") && about.event != "approval:required" {
        let message = format!(
            "`if` stands on `{}`, where the hook never runs",
            about.native
        );
        notes.warn(Code::NoEffect, &rule.span, message, "");
        return Err(NeverRuns);
    }
    let read = rule
        .text()
        .and_then(|text| conditions::rule(about.format, text));
    let what = match &read {
        Some(Rule {
            about: Judged::Every | Judged::When(_),
            ..
        }) => None,
        Some(Rule {
            tool,
            about: Judged::No,
        }) => Some(format!("every call of `{}`", tool.as_str())),
        None => Some("every call".to_owned()),
    };
    if let Some(what) = what {
        let message =
            format!("the rule of `if` cannot be judged here: the hook is asked about {what}");
        let help = "let the script itself leave what it does not want";
        notes.warn(Code::ReadOtherwise, &rule.span, message, help);
    }
    let Some(read) = read else {
        return Ok((None, None));
    };
    let when = match read.about {
        Judged::When(text) => Some(When {
            text,
            at: notes.place(&rule.span),
        }),
        Judged::Every | Judged::No => None,
    };
    let only = Only {
        at: At::Subject,
        matcher: read.tool,
    };
    Ok((Some(only), when))
}

/// Reads what the hook does; nothing for our own entry.
fn action(about: &About<'_>, node: &Node, notes: &mut Notes) -> Option<Action> {
    let broken = |notes: &mut Notes, at: &Node, message: String| {
        notes.error(&at.span, message.as_str());
        Some(Action::Broken(message))
    };
    match node
        .get("type")
        .map_or(Ok("command"), |kind| kind.text().ok_or(kind))
    {
        Ok("command") if let Some(field) = elsewhere(about, node) => {
            let message =
                format!("`{field}` is for another system, and nothing is there for this one");
            let help = "the hook does not run here";
            notes.warn(Code::OtherSystem, &node.span, message.as_str(), help);
            Some(Action::Broken(message))
        }
        Ok("command") => match command(about, node) {
            Ok(command) if command.args.is_none() && is_ours(&command.command) => None,
            Ok(command) => Some(Action::Command(command)),
            Err(message) => broken(notes, node, message),
        },
        Ok("prompt")
            if about.format.prompts == Prompts::Judge
                && let Some(prompt) = node.get("prompt").and_then(Node::text) =>
        {
            Some(Action::Prompt(Prompt {
                prompt: prompt.to_owned(),
            }))
        }
        // A format that has the field knows the type.
        Ok("http") if about.format.writes.holds.contains(&"url") => match http(node) {
            Ok(http) => Some(Action::Http(http)),
            Err(message) => broken(notes, node, message),
        },
        Ok("mcp_tool") if about.format.writes.holds.contains(&"server") => match tool(node) {
            Ok(command) => Some(Action::Command(command)),
            Err(message) => broken(notes, node, message),
        },
        Ok(kind) if matches!(about.format.prompts, Prompts::Talk(talk) if talk == kind) => {
            let message = format!(
                "a hook of type `{kind}` talks to `{}` and decides nothing, so it is left out",
                about.format.host
            );
            notes.warn(Code::UnknownType, &node.span, message, "");
            None
        }
        Ok(kind) => {
            let kind = conditions::shown(kind);
            let message = format!(
                "a hook of type `{kind}` of `{}` cannot run here",
                about.format.host
            );
            notes.no_type(&node.span, message.as_str());
            Some(Action::Broken(message))
        }
        Err(kind) => {
            let message = format!("`type` must be a string, found {}", kind.kind());
            broken(notes, kind, message)
        }
    }
}

fn http(node: &Node) -> Result<Http, String> {
    let url = node.get("url").ok_or("`url` is missing")?;
    let variables = strings("allowedEnvVars", node)?.unwrap_or_default();
    Http::new(text("url", url)?, texts("headers", node)?, variables)
}

/// Reads the call of a tool of an MCP server, which a command of our own program makes.
fn tool(node: &Node) -> Result<Command, String> {
    let required = |field: &str| {
        let found = node.get(field);
        let text = text(field, found.ok_or_else(|| format!("`{field}` is missing"))?)?;
        let is_name = !text.trim().is_empty() && !text.contains('$');
        is_name
            .then_some(text)
            .ok_or_else(|| format!("`{field}` is empty, or holds a `$`"))
    };
    let (server, tool) = (required("server")?, required("tool")?);
    let input = match node.get("input") {
        Some(input) if !input.is_table() => {
            return Err(format!("`input` must be an object, found {}", input.kind()));
        }
        Some(input) => input.to_json().to_string(),
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

fn command(about: &About<'_>, node: &Node) -> Result<Command, String> {
    if let Some(shell) = node.get("shell").and_then(Node::text)
        && shell != "bash"
    {
        let shell = conditions::shown(shell);
        return Err(format!("the shell `{shell}` is not there on this system"));
    }
    let mut fields = about.format.commands_here();
    let line = about
        .format
        .commands_here()
        .find_map(|field| node.get(field));
    let Some(line) = line else {
        let field = fields.next().unwrap_or_default();
        return Err(format!("`{field}` is missing"));
    };
    let command = text("command", line)?;
    if command.trim().is_empty() {
        return Err("the command is empty".to_owned());
    }
    let folder = about.format.cwd;
    Ok(Command {
        command,
        args: strings("args", node)?,
        env: env(node)?,
        cwd: node.get(folder).map(|cwd| text(folder, cwd)).transpose()?,
        ..Command::default()
    })
}

/// Names the field of a command that only another system runs. Its host does not run it here, so it refuses nothing: its one
/// fault a session tells the person.
fn elsewhere(about: &About<'_>, node: &Node) -> Option<&'static str> {
    let kind = node.get("type").map_or(Some("command"), Node::text);
    let mut here = about.format.commands_here();
    if kind != Some("command") || here.any(|field| node.get(field).is_some()) {
        return None;
    }
    let mut fields = about.format.commands.iter().map(|(field, _)| *field);
    fields.find(|field| node.get(field).is_some())
}

/// Reads text that survives being an argument or a variable of a process.
fn text(field: &str, node: &Node) -> Result<String, String> {
    match node.text() {
        Some(text) if text.contains('\0') => Err(format!("`{field}` holds a NUL character")),
        Some(text) => Ok(text.to_owned()),
        None => Err(format!("`{field}` must be a string, found {}", node.kind())),
    }
}

fn strings(field: &str, node: &Node) -> Result<Option<Vec<String>>, String> {
    let Some(found) = node.get(field) else {
        return Ok(None);
    };
    let Of::List(list) = &found.value else {
        let kind = found.kind();
        return Err(format!("`{field}` must be a list of strings, found {kind}"));
    };
    let strings: Result<_, _> = list.iter().map(|item| text(field, item)).collect();
    strings.map(Some)
}

/// Reads an object of strings.
fn texts(field: &str, node: &Node) -> Result<Vec<(String, String)>, String> {
    let Some(found) = node.get(field) else {
        return Ok(Vec::new());
    };
    if !found.is_table() {
        let kind = found.kind();
        return Err(format!(
            "`{field}` must be an object of strings, found {kind}"
        ));
    }
    let texts = found.fields().iter();
    texts
        .map(|one| Ok((one.key.clone(), text(field, &one.node)?)))
        .collect()
}

fn env(node: &Node) -> Result<Vec<(String, String)>, String> {
    let env = texts("env", node)?;
    let is_no_name = |name: &str| name.is_empty() || name.contains(['=', '\0']);
    match env.iter().find(|(name, _)| is_no_name(name)) {
        Some((name, _)) => {
            let name = conditions::shown(name);
            Err(format!("`{name}` cannot be the name of a variable"))
        }
        None => Ok(env),
    }
}

fn on_failure(about: &About<'_>, node: &Node) -> OnFault {
    let refuses = match about.format.failure {
        _ if elsewhere(about, node).is_some() => false,
        Failure::Never => false,
        Failure::On(events) => events.contains(&about.native),
        // A value that is none of the host's: the author cared about failures and misspelled how.
        Failure::Where(field, value) => {
            node.get(field)
                .is_some_and(|node| match (&node.value, value) {
                    (Of::Bool(is), Refuses::True) => *is,
                    (Of::Text(word), Refuses::Word(_)) => word != "continue",
                    (Of::Text(word), Refuses::Unless(_, passes)) => word != passes,
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

fn timeout(about: &About<'_>, node: &Node, notes: &mut Notes) -> Duration {
    let rule = &about.format.timeout;
    let is_prompt = node.get("type").and_then(Node::text) == Some("prompt");
    let (unit, default) = match rule.prompts.filter(|_| is_prompt) {
        Some(of_prompts) => (of_prompts.unit, of_prompts.default),
        None => (rule.unit, rule.of(about.native)),
    };
    let Some(said) = rule.fields.iter().find_map(|field| node.get(field)) else {
        return default;
    };
    let count = match &said.value {
        Of::Number(number) => number.parse().ok(),
        _ => None,
    };
    if let (Some(0.0), Some(zero)) = (count, rule.zero) {
        return zero;
    }
    let time = count
        .and_then(|count: f64| unit.time(count))
        .filter(|time| !time.is_zero() && *time <= A_DAY);
    time.unwrap_or_else(|| {
        let message = "the timeout cannot be read, so the hook has its host's default";
        notes.warn(Code::ReadOtherwise, &said.span, message, "");
        default
    })
}

/// A hook in the background controls nothing at its host, and nothing here. A host that knows no such field waits
/// for the hook and hears its refusal, so the field says nothing there.
fn pace(about: &About<'_>, node: &Node, notes: &mut Notes) -> Pace {
    if !about.format.writes.holds.contains(&"async") {
        return Pace::Waited;
    }
    let is_true = |field: &str| {
        let node = node.get(field);
        node.is_some_and(|node| node.value == Of::Bool(true))
    };
    if is_true("asyncRewake") {
        let message = "a background hook wakes no agent here: its text is delivered with the session's next event";
        notes.warn(Code::ReadOtherwise, &node.span, message, "");
        return Pace::Background;
    }
    if is_true("async") {
        Pace::Background
    } else {
        Pace::Waited
    }
}
