//! A script that is found from one folder only.

use anyhook_core::manifest::Severity;
use anyhook_wires::native_files::{Folder, Variable};

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH033",
    slug: "relative-script",
    severity: Severity::Warning,
    about: "A script is named by a path that starts from wherever the agent happens to be.",
    page: "Some agents run hooks in the folder that the session is in. After a `cd`, or where the person started the \
           agent in a folder below, a relative path leads nowhere: the hook fails, and the action goes on. The agent \
           names the project's folder in a variable.",
    bad: Sample::of(&[
        File::at(
            ".claude/settings.json",
            r#"{"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "sh scripts/tidy.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    good: Sample::of(&[
        File::at(
            ".claude/settings.json",
            r#"{"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/scripts/tidy.sh\"", "timeout": 5}
]}]}}"#,
        ),
        File::at("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted
        .format
        .filter(|format| format.folder == Folder::Session)
    else {
        return Vec::new();
    };
    let project = format
        .variables
        .iter()
        .find(|(_, variable)| *variable == Variable::Project);
    let relative = linted.scripts.iter().filter(|script| script.relative);
    let notes = relative.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let message = format!(
            "`{}` starts from wherever `{}` happens to be",
            script.word, format.host
        );
        let note = Note::new(linted.command_at(site), message);
        Some(match project {
            Some((name, _)) => note.help(format!(
                "write `\"${name}/{}\"`",
                script.word.trim_start_matches("./")
            )),
            None => note.help("write the whole path"),
        })
    });
    notes.collect()
}
