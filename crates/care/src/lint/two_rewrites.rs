//! Two hooks that write the same field.

use anyhook_core::manifest::{Action, Severity};

use super::linted::{Linted, Site};
use super::shell_lines::lines;
use super::unknown_tool::selects;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH042",
    slug: "two-rewrites",
    severity: Severity::Warning,
    about: "Two hooks of one event rewrite the same field of the same tool.",
    page: "Both are asked about the call as it was made, so neither sees what the other wrote. One of the two rewrites holds, \
           and the other one is gone: a line that was put into a sandbox by one hook runs without it because another hook \
           took a flag away. Let one hook write both, or let their conditions exclude each other.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('npm')", "then": {"modify": {"tool_input": {"command": "nice {{tool_input.command}}"}}}},
  {"type": "rule", "when": "runs('npm install')", "then": {"modify": {"tool_input": {"command": "{{tool_input.command}} --offline"}}}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('npm')", "then": {"modify": {"tool_input": {"command": "nice {{tool_input.command}}"}}}},
  {"type": "rule", "when": "runs('pip')", "then": {"modify": {"tool_input": {"command": "{{tool_input.command}} --no-index"}}}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

/// The words by which a script says a new input; it replaces all of it.
const REWRITES: &[&str] = &["updatedInput", "updated_input"];
/// All fields.
const ALL: &str = "*";

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let rewriting: Vec<(Site<'_>, Vec<String>)> = linted
        .sites()
        .map(|site| (site, fields(linted, site)))
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    let mut notes = Vec::new();
    for (at, (site, fields)) in rewriting.iter().enumerate() {
        let mut before = rewriting.iter().take(at);
        let same = |other: &Vec<String>| {
            let mut all = fields.iter();
            all.find(|field| *field == ALL || other.iter().any(|of| of == *field || of == ALL))
                .cloned()
        };
        let twin = before.find_map(|(other, theirs)| {
            let field = same(theirs).filter(|_| meet(*site, *other))?;
            Some((other, field))
        });
        if let Some((other, field)) = twin {
            let line = other.entry.at.line;
            let what = if field == ALL {
                "the input".to_owned()
            } else {
                format!("`{field}`")
            };
            let message = format!("this rewrites {what}, and so does the hook in line {line}");
            let help = "one of the two rewrites is lost where both hold: let one hook write both";
            notes.push(Note::new(site.entry.at.clone(), message).help(help));
        }
    }
    notes
}

/// Returns the fields that a hook surely can rewrite.
fn fields(linted: &Linted<'_>, site: Site<'_>) -> Vec<String> {
    let says = |text: &str| {
        let mut lines = lines(text).into_iter();
        lines.any(|line| REWRITES.iter().any(|word| line.text.contains(word)))
    };
    match &site.entry.action {
        Action::Rule(then) => then.modify.iter().map(|(field, _)| field.clone()).collect(),
        Action::Command(command) => {
            let mut texts = linted.texts();
            let script = texts.any(|(of, _, text)| of.entry.at == site.entry.at && says(text));
            let all = script || says(&command.command);
            all.then(|| ALL.to_owned()).into_iter().collect()
        }
        Action::Prompt(_) | Action::Http(_) | Action::Builtin(_) | Action::Broken(_) => Vec::new(),
    }
}

/// Tells whether two hooks may hold for the same call.
fn meet(one: Site<'_>, other: Site<'_>) -> bool {
    let event = |site: Site<'_>| site.group.spec.map(|spec| spec.name);
    let matchers = one.group.matcher.is_all()
        || other.group.matcher.is_all()
        || one.group.matcher == other.group.matcher
        || super::unknown_tool::known()
            .any(|tool| selects(one.group, tool) && selects(other.group, tool));
    let program = |site: Site<'_>| {
        let when = site.entry.when.as_ref()?.text.trim();
        let first = when.strip_prefix("runs('")?.split(['\'', ' ']).next()?;
        (!when.contains("||")).then(|| first.to_owned())
    };
    let apart = match (program(one), program(other)) {
        (Some(one), Some(other)) => one != other,
        (_, _) => false,
    };
    event(one).is_some() && event(one) == event(other) && matchers && !apart
}
