//! Every decision that is cited by its number has an entry, and every entry is cited.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Done, Failure};
use crate::say;
use crate::workspace::Workspace;

const PAGE: &str = "docs/design/decisions.md";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let page = workspace.read(PAGE)?;
    let entries: BTreeSet<u32> = page.lines().filter_map(entry).collect();
    let mut findings = Vec::new();
    let mut cited = BTreeSet::new();
    for path in workspace.files()? {
        if !is_read(&path) {
            continue;
        }
        for (number, line) in (1..).zip(workspace.read(&path)?.lines()) {
            for decision in citations(line) {
                cited.insert(decision);
                if !entries.contains(&decision) {
                    let file = path.display();
                    findings.push(format!(
                        "{file}:{number}: D{decision} has no entry in {PAGE}"
                    ));
                }
            }
        }
    }
    let unused = entries.difference(&cited);
    findings.extend(unused.map(|decision| format!("{PAGE}: D{decision} is cited nowhere")));
    say::line(format!("{} decisions, each with an entry", cited.len()));
    Failure::unless_empty(findings)
}

fn is_read(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    path != Path::new(PAGE) && matches!(end, Some("rs" | "md" | "py"))
}

/// Reads the number of an entry: `- **D13** …`.
fn entry(line: &str) -> Option<u32> {
    let (number, _) = line.strip_prefix("- **D")?.split_once("**")?;
    number.parse().ok()
}

/// Finds `D13` and the like, as a word of its own.
fn citations(line: &str) -> impl Iterator<Item = u32> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    words.filter_map(|word| {
        let number = word.strip_prefix('D')?;
        let is_number = (1..=2).contains(&number.len()) && !number.starts_with('0');
        is_number.then(|| number.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::{citations, entry};

    #[test]
    fn a_decision_is_cited_as_a_word_of_its_own() {
        // In pieces, so that the line that tests it is no citation itself.
        let line = ["(D8, D19); d7_a_test, AD9, D", "0, D100, 3D4 and D13."].concat();
        assert_eq!(citations(&line).collect::<Vec<_>>(), [8, 19, 13]);
        assert_eq!(entry("- **D13** A hook that fails"), Some(13));
        assert_eq!(entry("- D13"), None);
    }
}
