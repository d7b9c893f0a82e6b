//! Words that a reader, whose second language English is, had to read twice, and what to say in their place.
//!
//! Pages are read whole but for their blocks of code. Words that a test or a generator writes are found on its page. Of code
//! the comments and the names of functions are read, for the words that hide who acts.

use std::path::Path;

use super::{Done, Failure};
use crate::workspace::Workspace;

/// A word, and the advice.
type Word = (&'static str, &'static str);

/// Words that hide who acts: on pages, in comments and in the names of functions.
#[rustfmt::skip]
const ACTORS: &[Word] = &[
    ("nobody", "say who does not do it, or that no person, program or hook does"),
    ("somebody", "name who: a person, the administrator, another program"),
    ("whoever", "name who: the person who, the program that"),
];

/// Words of pages alone.
#[rustfmt::skip]
const WORDS: &[Word] = &[
    ("anybody", "name who: a person, any program"),
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
        let file = path.display().to_string();
        if is_page(&path) {
            findings.extend(found(&file, &workspace.read(&path)?, &[ACTORS, WORDS]));
        } else if is_code(&path) {
            findings.extend(found(&file, &prose(&workspace.read(&path)?), &[ACTORS]));
        }
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

fn is_code(path: &Path) -> bool {
    let is_quoted = path.starts_with("fixtures") || path.ends_with(file!());
    path.extension()
        .is_some_and(|end| end == "rs" || end == "py")
        && !is_quoted
}

/// What a person wrote for a person: comments and the names of functions, each on its line.
fn prose(code: &str) -> String {
    let of_line = |line: &str| {
        let line = line.trim_start();
        let comment = line
            .strip_prefix("//")
            .map(|text| text.trim_start_matches(['/', '!']));
        let comment = comment.or_else(|| line.strip_prefix("# "));
        let name = || {
            let named = line.split_once("fn ").or_else(|| line.split_once("def "));
            named.and_then(|(_, name)| name.split('(').next())
        };
        comment.or_else(name).unwrap_or_default().to_owned() + "\n"
    };
    code.lines().map(of_line).collect()
}

/// One line for each word of the lists outside blocks of code.
fn found(file: &str, text: &str, lists: &[&[Word]]) -> Vec<String> {
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
        let hits = lists
            .iter()
            .copied()
            .flatten()
            .filter(|(word, _)| line.contains(&format!(" {word} ")));
        findings.extend(hits.map(|(word, advice)| format!("{file}:{number}: `{word}`: {advice}")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{ACTORS, WORDS, found, prose};

    #[test]
    fn a_word_of_the_list_is_found_outside_code_and_only_as_a_whole() {
        let page = "Nobody waits.\n```text\nnobody\n```\nThe latest, (whoever) `nobody` is.\n";
        assert_eq!(
            found("a.md", page, &[ACTORS, WORDS]),
            [
                "a.md:1: `nobody`: say who does not do it, or that no person, program or hook does",
                "a.md:5: `whoever`: name who: the person who, the program that",
            ]
        );
    }

    #[test]
    fn of_code_only_comments_and_names_of_functions_are_read() {
        let code = "/// Nobody waits.\n/// ```\n/// nobody();\n/// ```\nfn a_hook_that_nobody_knows(nobody: u8) {\n    \
                    let nobody = \"nobody\";\n    // For whoever.\n}\n    async def test_somebody():\n";
        let found = found("a.rs", &prose(code), &[ACTORS]);
        let places: Vec<_> = found
            .iter()
            .map(|line| line.split(": ").take(2).collect::<Vec<_>>())
            .collect();
        assert_eq!(
            places,
            [
                ["a.rs:1", "`nobody`"],
                ["a.rs:5", "`nobody`"],
                ["a.rs:7", "`whoever`"],
                ["a.rs:9", "`somebody`"],
            ]
        );
    }
}
