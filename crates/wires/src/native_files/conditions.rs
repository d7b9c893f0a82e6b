//! What a hook of a host's file is asked about: matchers as that host reads them, and permission rules.

use anyhook_core::hook::{At, Only};
use anyhook_core::matcher::{Hit, Matcher, Subject};

use super::node::Node;
use super::read::Notes;
use super::{Matching, NativeFormat};

/// Reads the matcher of an element. One that cannot be compiled here selects everything, with a finding (D17).
pub(super) fn matcher(
    format: &NativeFormat,
    native: &str,
    element: &Node,
    notes: &mut Notes,
) -> Option<Matcher> {
    let node = element.get("matcher")?;
    let is_ignored = |form: &&super::EventForm| form.native == native && form.at.is_none();
    if format.matching == Matching::Nothing || format.events.iter().any(|form| is_ignored(&form)) {
        return None;
    }
    let Some(text) = node.text() else {
        let message = format!("`matcher` must be a string, found {}", node.kind());
        notes.warn(
            &node.span,
            message,
            "until then its hooks are asked about everything",
        );
        return None;
    };
    if matches!(text.trim(), "" | "*" | "**") {
        return None;
    }
    match compiled(format.matching, &spelled(format, text))
        .and_then(|matcher| widened(format, matcher))
    {
        Ok(matcher) => Some(matcher),
        Err(error) => {
            let message = format!(
                "the matcher `{}` cannot be read here ({error}), so its hooks are asked about everything",
                shown(text)
            );
            notes.warn(&node.span, message, &error.help);
            None
        }
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

fn compiled(
    matching: Matching,
    text: &str,
) -> Result<Matcher, anyhook_core::matcher::PatternError> {
    match matching {
        Matching::Nothing => Ok(Matcher::all()),
        Matching::Names(marks) => {
            let is_name =
                |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|' || marks.contains(c);
            if text.chars().all(is_name) {
                Matcher::parse(text)
            } else {
                Matcher::unanchored(text)
            }
        }
        Matching::Pattern => Matcher::unanchored(text),
        Matching::Whole => {
            // By itself first: `a)|(b` is no pattern, and would become one between the brackets.
            Matcher::unanchored(text)?;
            Matcher::unanchored(&format!("^(?:{text})$"))
        }
    }
}

/// Adds the tools that the host calls by the name of one that is selected.
fn widened(
    format: &NativeFormat,
    matcher: Matcher,
) -> Result<Matcher, anyhook_core::matcher::PatternError> {
    let selects = |name: &str| {
        let subject = Subject {
            name,
            also: &[],
            canonical: None,
        };
        matcher.selects(Some(&subject)) != Hit::No
    };
    let under = format.under.iter();
    let more: Vec<String> = under
        .filter(|(tool, other)| selects(tool) && !selects(other))
        .map(|(_, other)| format!("^{other}$"))
        .collect();
    if more.is_empty() {
        return Ok(matcher);
    }
    Matcher::unanchored(&format!("(?:{})|{}", matcher.as_str(), more.join("|")))
}

/// Puts a matcher where the event has it: on the subject, or beside the tools that the event is about.
pub(super) fn of_event(
    format: &NativeFormat,
    native: &str,
    matcher: Option<Matcher>,
) -> (Option<Matcher>, Option<Only>) {
    let Some(form) = format.events.iter().find(|form| form.native == native) else {
        return (matcher, None);
    };
    let tools = form.tools.and_then(|tools| Matcher::parse(tools).ok());
    match (tools, form.at) {
        (None, Some(At::Subject) | None) => (matcher, None),
        (tools, at) => {
            let only = matcher.map(|matcher| Only {
                at: at.unwrap_or(At::Subject),
                matcher,
            });
            (tools, only)
        }
    }
}

/// Reads a permission rule such as `Bash(git push *)` for the tool that it names. What stands in its brackets is not
/// judged here: the hook is asked about every call of the tool, which is more and never less.
pub(super) fn rule(text: &str) -> Option<Matcher> {
    let tool = text.split('(').next().unwrap_or_default().trim();
    let is_name = !tool.is_empty()
        && tool
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name.then(|| Matcher::parse(tool).ok()).flatten()
}

/// Shows what a file says without what a terminal would obey.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    let tame = |c: char| if c.is_control() || c == '`' { '?' } else { c };
    short.chars().map(tame).collect()
}
