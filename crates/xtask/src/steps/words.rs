//! Words that a reader, whose second language English is, had to read twice, and what to say in their place.
//!
//! Pages are read whole but for their blocks of code. Words that a test or a generator writes are found on its page.

use std::path::Path;

use super::{Done, Failure};
use crate::workspace::Workspace;

/// A word, and the advice.
type Word = (&'static str, &'static str);

#[rustfmt::skip]
const WORDS: &[Word] = &[
    ("nobody", "say who does not do it, or that no person, program or hook does"),
    ("somebody", "name who: a person, the administrator, another program"),
    ("anybody", "name who: a person, any program"),
    ("whoever", "name who: the person who, the program that"),
    ("what stands", "say what is there, or what the file has"),
    ("that stands", "say that it is there"),
    ("is told as", "say `is listed as` or `is reported as`"),
    ("are told as", "say `are listed as` or `are reported as`"),
    ("graver", "say stricter"),
    ("hitherto", "say until now"),
    ("thereby", "say by this"),
    ("lest", "say so that … not"),
];

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut findings = Vec::new();
    for path in workspace.files()? {
        if !is_page(&path) {
            continue;
        }
        let text = workspace.read(&path)?;
        findings.extend(found(&path.display().to_string(), &text));
    }
    Failure::unless_empty(findings)
}

/// Requirements quote the words of others, and the page about style names what to avoid.
fn is_page(path: &Path) -> bool {
    let is_quoted = ["STYLE.md", "docs/requirements", "fixtures", "crates"]
        .iter()
        .any(|folder| path.starts_with(folder));
    path.extension().is_some_and(|end| end == "md") && !is_quoted
}

/// One line for each word of the list outside blocks of code.
fn found(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // Every second piece is code: the names of tests and flags stay as they are.
        let prose: String = line.split('`').step_by(2).collect();
        let prose = prose
            .to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), " ");
        let line = format!(" {prose} ");
        let hits = WORDS
            .iter()
            .filter(|(word, _)| line.contains(&format!(" {word} ")));
        findings.extend(hits.map(|(word, advice)| format!("{file}:{number}: `{word}`: {advice}")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn a_word_of_the_list_is_found_outside_code_and_only_as_a_whole() {
        let page = "Nobody waits.\n```text\nnobody\n```\nThe latest, (whoever) `nobody` is.\n";
        assert_eq!(
            found("a.md", page),
            [
                "a.md:1: `nobody`: say who does not do it, or that no person, program or hook does",
                "a.md:5: `whoever`: name who: the person who, the program that",
            ]
        );
    }
}
