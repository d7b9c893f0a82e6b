//! The network at the moment of a hook.

use std::collections::BTreeSet;

use anyhook_core::manifest::Severity;

use super::linted::Linted;
use super::script::{self, Language};
use super::{File, Lint, Note, Sample, shell_lines};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH016",
    slug: "network",
    severity: Severity::Warning,
    about: "A hook goes to the network while the agent waits.",
    page: "A hook that needs the network is slow where the network is, fails where there is none, and runs whatever the \
           other end sends today: `npx -y tool` downloads and executes the newest version at every call. Install what \
           the hook needs beforehand, name a version, and send reports in the background.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "npx -y some-checker", "timeout": 20}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "npx --no-install some-checker", "timeout": 20}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let help = "install what it needs beforehand, or let it run in the background";
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let calls = script::calls(command);
        if let Some(what) = calls.iter().find_map(|call| reaches(call)) {
            let message = format!("{what} while the agent waits");
            notes.push(Note::new(linted.command_at(site), message).help(help));
        }
    }
    let mut seen = BTreeSet::new();
    for (_, script, text) in linted.texts() {
        if script.language != Language::Shell || !seen.insert(&script.path) {
            continue;
        }
        for line in shell_lines::lines(text) {
            let calls = line.commands();
            // What a shell puts into the background is not waited for.
            let waits = !line.text.ends_with('&');
            if let Some(what) = calls
                .iter()
                .find_map(|call| reaches(call))
                .filter(|_| waits)
            {
                let message = format!("{what} while the agent waits");
                notes.push(Note::new(line.at, message).help(help).of(&script.path));
            }
        }
    }
    notes
}

/// Says how a call reaches the network, if it surely does.
fn reaches(call: &[String]) -> Option<String> {
    let (program, words) = call.split_first()?;
    let program = program.rsplit('/').next()?;
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&**word));
    let first = words.iter().find(|word| !word.starts_with('-'));
    let first = first.map(String::as_str);
    let is_local = words
        .iter()
        .any(|word| word.contains("localhost") || word.contains("127.0.0.1"));
    let downloads = match program {
        "npx" => has(&["-y", "--yes"]) || first.is_some_and(|name| name.rfind('@') > Some(0)),
        "uvx" | "bunx" => true,
        "pipx" => first == Some("run"),
        "pnpm" | "yarn" => first == Some("dlx"),
        "npm" => matches!(first, Some("install" | "i" | "ci" | "exec")),
        "pip" | "pip3" => first == Some("install"),
        _ => false,
    };
    if downloads {
        return Some(format!("`{program}` may download a program"));
    }
    let asks = matches!(program, "curl" | "wget") && !is_local;
    let asks = asks
        && words
            .iter()
            .any(|word| word.contains("://") || word.contains('$'));
    asks.then(|| format!("`{program}` goes to the network"))
}
