//! The conditions of a hook in a host's file: matchers as that host reads them, and permission rules.

use anyhook_core::hook::{MatchCondition, MatchTarget};
use anyhook_core::manifest::{Code, FindingCollector, kind};
use anyhook_core::matcher::{Matcher, PatternError};

use super::node::{Node, NodeAccess};
use super::{MatcherSyntax, NativeFormat};

/// Reads the matcher of an element. One that cannot be compiled here selects everything, with a finding.
pub(super) fn matcher(
    format: &NativeFormat,
    native: &str,
    element: &Node<'_>,
    notes: &mut FindingCollector,
) -> Option<Matcher> {
    let node = element.get("matcher")?;
    let is_ignored = |form: &&super::EventForm| form.native == native && form.at.is_none();
    if format.matching == MatcherSyntax::Nothing
        || format.events.iter().any(|form| is_ignored(&form))
    {
        return None;
    }
    let Some(text) = node.word() else {
        let message = format!("`matcher` must be a string, found {}", kind(node));
        let help = "until then its hooks are asked about everything";
        notes.warn(node, message, Some(help)).code(Code::BadPattern);
        return None;
    };
    if matches!(text.trim(), "" | "*" | "**") {
        return None;
    }
    match compiled(format.matching, &spelled(format, text))
        .and_then(|matcher| widened(format, matcher))
    {
        Ok(matcher) => Some(own(format, matcher)),
        Err(error) => {
            let message = format!(
                "the matcher `{}` cannot be read here ({error}), so its hooks are asked about everything",
                shown(text)
            );
            let help = Some(&*error.help).filter(|help| !help.is_empty());
            notes.warn(node, message, help).code(Code::BadPattern);
            None
        }
    }
}

/// Lets a matcher look at the host's own names only, where they are known.
fn own(format: &NativeFormat, matcher: Matcher) -> Matcher {
    match format.names {
        [] => matcher,
        names => matcher.looking_at(names),
    }
}

/// Adds to a pattern what its host means by it beyond the names of its own tools: kinds of tools, and tools of servers.
fn spelled(format: &NativeFormat, text: &str) -> String {
    let words = text.split('|').map(str::trim);
    let kinds = words.filter_map(|word| format.kinds.iter().find(|(kind, _)| *kind == word));
    let mut more: Vec<String> = kinds.map(|(_, pattern)| (*pattern).to_owned()).collect();
    let of_servers = format
        .servers
        .iter()
        .fold(text.to_owned(), |text, (there, here)| {
            replaced(&text, there, here)
        });
    more.extend(Some(of_servers).filter(|other| other != text));
    if more.is_empty() {
        return text.to_owned();
    }
    format!("(?:{text})|{}", more.join("|"))
}

/// Replaces a mark of a pattern wherever it is neither quoted nor the beginning of a class.
fn replaced(text: &str, there: &str, here: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(there) {
        said.push_str(before);
        let is_mark = !before.ends_with(['\\', '[']);
        said.push_str(if is_mark { here } else { there });
        rest = after;
    }
    said.push_str(rest);
    said
}

fn compiled(matching: MatcherSyntax, text: &str) -> Result<Matcher, PatternError> {
    match matching {
        MatcherSyntax::Nothing => Ok(Matcher::all()),
        MatcherSyntax::Names(marks) => {
            let is_name =
                |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|' || marks.contains(c);
            if text.chars().all(is_name) {
                Matcher::parse(text)
            } else {
                pattern(text)
            }
        }
        MatcherSyntax::Pattern => pattern(text),
        MatcherSyntax::Whole => {
            // By itself first: `a)|(b` is no pattern, and would become one between the brackets.
            pattern(text)?;
            pattern(&format!("^(?:{text})$"))
        }
    }
}

/// Compiles a pattern of an agent's file; most agents read it as JavaScript does, which can look around.
fn pattern(text: &str) -> Result<Matcher, PatternError> {
    Matcher::unanchored(text).or_else(|error| Matcher::pcre(text).map_err(|_| error))
}

/// Adds the tools that the host calls by the name of one that is selected.
fn widened(format: &NativeFormat, matcher: Matcher) -> Result<Matcher, PatternError> {
    let selects = |name: &str| matcher.takes(name, &[]);
    let under = format.under.iter();
    let more: Vec<&str> = under
        .filter(|(tool, other)| selects(tool) && !selects(other))
        .map(|(_, other)| *other)
        .collect();
    match (matcher.names(), &more[..]) {
        (_, []) => Ok(matcher),
        ([], more) => {
            let more = more.join("|");
            pattern(&format!("(?:{})|^(?:{more})$", matcher.as_str()))
        }
        (_, more) => Matcher::parse(&format!("{}|{}", matcher.as_str(), more.join("|"))),
    }
}

/// Puts a matcher where the event has it: on the subject, or beside the tools that the event is about.
pub(super) fn of_event(
    format: &NativeFormat,
    native: &str,
    matcher: Option<Matcher>,
) -> (Option<Matcher>, Option<MatchCondition>) {
    let Some(form) = format.events.iter().find(|form| form.native == native) else {
        return (matcher, None);
    };
    let tools = form.tools.and_then(|tools| Matcher::parse(tools).ok());
    match (tools, form.at) {
        (None, Some(MatchTarget::Subject) | None) => (matcher, None),
        (tools, at) => {
            let only = matcher.map(|matcher| MatchCondition {
                at: at.unwrap_or(MatchTarget::Subject),
                matcher,
            });
            (tools, only)
        }
    }
}

/// A permission rule such as `Bash(git push *)`.
pub(super) struct PermissionRule {
    /// The tool that it names.
    pub(super) tool: Matcher,
    /// What stands in its brackets, as an expression over the canonical call, which holds wherever the rule would, and sometimes
    /// more; nothing where it is about every call of the tool.
    pub(super) when: Option<String>,
    /// Whether it can be judged here: else the hook is asked about every call of the tool, which is more and never less.
    pub(super) is_judged: bool,
}

/// Reads a permission rule; nothing where it is none.
pub(super) fn rule(format: &NativeFormat, text: &str) -> Option<PermissionRule> {
    let text = text.trim();
    let (tool, inside) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
        None => (text, None),
    };
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if tool.is_empty() || !tool.chars().all(is_letter) {
        return None;
    }
    let inside = inside.map(str::trim).filter(|it| !matches!(*it, "" | "*"));
    let when = inside.and_then(|inside| match tool {
        "Bash" => command(inside),
        "Edit" | "Write" | "Read" | "NotebookEdit" => files(inside),
        _ => None,
    });
    let is_judged = inside.is_none() || when.is_some();
    let tool = widened(format, Matcher::parse(tool).ok()?).ok()?;
    Some(PermissionRule {
        tool: own(format, tool),
        when,
        is_judged,
    })
}

/// The expression of a command's pattern: some command of the line begins so. Of options the order is not looked at, which
/// is more than the host means. A `*` anywhere but at the end after a blank cannot be said.
fn command(line: &str) -> Option<String> {
    let begin = line.strip_suffix(":*").or_else(|| line.strip_suffix(" *"));
    let words: Vec<&str> = begin.unwrap_or(line).split_whitespace().collect();
    let is_plain = |word: &&str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        word.chars().all(is_letter)
    };
    let is_option = |word: &&str| word.starts_with('-');
    let begins = words.iter().position(is_option).unwrap_or(words.len());
    let (verb, options) = words.split_at_checked(begins)?;
    if verb.is_empty() || !words.iter().all(is_plain) || !options.iter().all(is_option) {
        return None;
    }
    let options = options.iter().map(|word| (*word).to_owned());
    let quoted: Vec<String> = std::iter::once(verb.join(" "))
        .chain(options)
        .map(|text| format!("'{text}'"))
        .collect();
    Some(format!(
        "!has(tool_input.command) || runs({})",
        quoted.join(", ")
    ))
}

/// The expression of a file's pattern: a file of the call matches, or lies below what matches. What counts from the folder
/// of the settings is looked for in every folder.
fn files(path: &str) -> Option<String> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-./*~".contains(c);
    if path.ends_with('/') || !path.chars().all(is_letter) {
        return None;
    }
    let pattern = match (path.strip_prefix("//"), path.strip_prefix('/')) {
        (Some(absolute), _) => format!("/{absolute}"),
        (None, Some(of_settings)) => format!("**/{of_settings}"),
        (None, None) => path.trim_start_matches("./").to_owned(),
    };
    let deep = if pattern.contains('/') { "" } else { "**/" };
    Some(format!(
        "!has(tool_input.file_path) || touches('{pattern}', '{deep}{pattern}/**')"
    ))
}

/// Shows what a file says without what a terminal would obey.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    let tame = |c: char| if c.is_control() || c == '`' { '?' } else { c };
    short.chars().map(tame).collect()
}
