//! A list of names that became a pattern.

use anyhook_core::manifest::{Group, Severity};
use anyhook_wires::native_files::Matching;
use anyhook_wires::tools;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH035",
    slug: "wide-pattern",
    severity: Severity::Warning,
    about: "A name in a pattern also selects tools whose names hold it.",
    page: "`Write|Edit` is a list, and each word a whole name. One more alternative with a `.` or a `(` makes a regular \
           expression of all of it, which may match anywhere: `Edit` then selects `NotebookEdit` too, and `Write` \
           `TodoWrite`. Anchor the names, `^(Write|Edit)$|mcp__.*`, or make two groups.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Edit|mcp__files__.*", "hooks": [
  {"type": "rule", "when": "touches('**/.env*')", "then": {"deny": "it holds secrets"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "^Edit$|mcp__files__.*", "hooks": [
  {"type": "rule", "when": "touches('**/.env*')", "then": {"deny": "it holds secrets"}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    if linted
        .format
        .is_some_and(|format| format.matching == Matching::Whole)
    {
        return Vec::new();
    }
    let groups = linted.manifest.groups.iter();
    let about_tools = groups.filter(|group| {
        let is_tool = group
            .spec
            .is_some_and(|spec| spec.subject == Some("tool_name"));
        is_tool && group.entries.iter().all(|entry| entry.only.is_none())
    });
    about_tools
        .filter_map(|group| of_group(linted, group))
        .collect()
}

fn of_group(linted: &Linted<'_>, group: &Group) -> Option<Note> {
    let text = group.matcher_text.as_deref()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_list = text.chars().all(|c| is_name(c) || "- ,|".contains(c));
    // Inside brackets a bar divides something else, and what is anchored is meant.
    let names: Vec<&str> = text
        .split('|')
        .filter(|part| part.chars().all(is_name))
        .collect();
    if is_list || text.contains(['^', '$', '\\']) {
        return None;
    }
    let canonical = || tools::all().filter(|name| tools::canonical(name) == *name);
    let also = names.iter().find_map(|name| {
        let is_tool = canonical().any(|tool| tool == *name);
        let other = canonical().find(|tool| tool.contains(name) && !names.contains(tool))?;
        is_tool.then_some((name, other))
    });
    let (name, other) = also?;
    let message = format!("`{name}` in this pattern also selects `{other}`");
    let help = format!("write `^{name}$`, or give the pattern a group of its own");
    Some(Note::new(linted.matcher_at(group), message).help(help))
}
