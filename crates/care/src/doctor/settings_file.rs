//! Whether the agent's settings files can be read.

use super::presence::{Presence, Wrong};
use super::{Check, Finding, Fix};
use anyhook_engine::text::word;

/// The row.
pub(super) const ROW: Check = Check {
    slug: "settings-file",
    summary: "the settings files can be read and understood",
    run,
};

const WHY: &str = "an agent that cannot read its settings runs without hooks, and we do not touch a file that we do not understand";

fn run(seen: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &seen.files {
        let Err(wrong) = &file.entries else { continue };
        let shown = word(&file.path.to_string_lossy());
        findings.push(match wrong {
            Wrong::Unreadable(why) => {
                let what = format!("the {} settings cannot be read: {why}", file.scope.name());
                let fix = Fix::by_hand(format!("ls -l {shown}"));
                Finding::problem(&ROW, what, WHY, fix).at(&file.path, None)
            }
            Wrong::Syntax(error) => {
                let what = format!(
                    "the {} settings have a mistake at line {}, column {}: {}",
                    file.scope.name(),
                    error.line,
                    error.column,
                    error.what
                );
                let fix = Fix::by_hand(format!("\"${{EDITOR:-vi}}\" +{} {shown}", error.line));
                Finding::problem(&ROW, what, WHY, fix).at(&file.path, Some(error.line))
            }
        });
    }
    findings
}
