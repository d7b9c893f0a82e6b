//! A process for every call of every tool.

use anyhook_core::manifest::{Action, Severity};

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH015",
    slug: "every-tool",
    severity: Severity::Warning,
    about: "A hook starts a process, or asks a model, at every call of every tool.",
    page: "An agent reads a hundred files to change one. A hook without a matcher starts a process at each of them: a \
           script in Node costs the session some fifty milliseconds a call. Name the tools that the hook is about, or \
           say as `when` what it looks for: a condition is answered without a process.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"matcher": "Write|Edit", "hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for site in linted.sites().filter(super::linted::Site::is_about_tools) {
        let does = match &site.entry.action {
            Action::Command(_) => "starts a process",
            Action::Prompt(_) => "asks a model",
            Action::Http(_) => "asks a server",
            Action::Rule(_) | Action::Builtin(_) | Action::Broken(_) => continue,
        };
        let narrowed = site.entry.when.is_some() || site.entry.only.is_some() || site.entry.once;
        // A matcher that cannot be read selects everything; that it cannot is said already.
        let broken = linted.document.field(&site.group.at, "matcher").is_some()
            && !matches!(
                site.group.matcher_text.as_deref().map(str::trim),
                Some("" | "*")
            );
        if narrowed || broken || !site.group.matcher.is_all() {
            continue;
        }
        let message = format!("this hook {does} at every call of every tool");
        let help = "name the tools that it is about: `\"matcher\": \"Write|Edit\"`";
        notes.push(Note::new(site.entry.at.clone(), message).help(help));
    }
    notes
}
