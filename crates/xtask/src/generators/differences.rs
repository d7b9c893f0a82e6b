//! `docs/reference/differences.md`: where we differ from Amplifier, from the comments above the tests that prove it (D44).
//!
//! ```text
//! // differs: row 8, hyphen constant
//! // says: What the documents say.
//! // does: What Amplifier's code does.
//! // here: What happens here, which the test below shows.
//! // strict: What the switch of the Python package makes of it, if anything.
//! #[test]
//! fn row_8_both_spellings_of_pre_compact_are_one_event() {
//! ```
//!
//! A comment goes on in the next line. What happens in Rust and in Python is shown by a test of each: one comment has the
//! texts, the other one is its first line alone. The page is as true as the tests are: a comment without a test below it
//! fails, and so does a row or a difference that no test of one of the languages shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Written;
use crate::done::Failure;
use crate::source::{Test, tests_of, tokens};
use crate::workspace::Workspace;

const PAGE: &str = "docs/reference/differences.md";

/// How many rows there are in which Amplifier's documents and its code disagree.
const ROWS: usize = 30;

/// Where we differ from a document on purpose.
const ON_PURPOSE: &[&str] = &[
    "timestamp",
    "unnamed handlers listed",
    "hyphen constant",
    "size limit on",
    "default allow without an approver",
    "tool output hidden",
    "pre-compact can block",
    "plain matchers exact",
    "what is left of a stored text",
];

/// Where only the Python package differs: Rust has nothing of the kind.
const OF_PYTHON: &[&str] = &[
    "JSON values",
    "over the size limit",
    "unknown arguments",
    "more events",
    "class names",
];

/// What one of the languages does not have.
const ONE_SIDED: &[(&str, Language)] = &[
    // A decorator, and `isinstance`.
    ("row 1", Language::Python),
    ("row 26", Language::Python),
];

const HEAD: &str = "\
# Differences from Amplifier

<!-- Written by `cargo xtask generate` from the `differs:` comments above the tests that the lines name. -->

Anyhook has the words of Amplifier's hooks: a registry, handlers, results. Where Amplifier's documents and its code disagree,
or a document says something that would leave a gate open, this page says what happens here, in Rust and in Python alike. Each
line is shown by the tests that it names.

A Python program that needs what Amplifier does turns the switch on: `anyhook.compat.strict()`, also in a `with` block, or
`ANYHOOK_AMPLIFIER_STRICT=1` in the environment. The last column says what the switch changes. No switch opens a gate that
would be shut.
";

const COLUMNS: &str =
    "| The documents say | Amplifier does | Here | In Rust | In Python | With `strict()` |\n|";
const RULE: &str = "---|---|---|---|---|---|---|";

pub(crate) fn files(workspace: &Workspace) -> Result<Vec<Written>, Failure> {
    let mut found = Found::default();
    for path in workspace.files()? {
        let is_rust = path.extension().is_some_and(|end| end == "rs");
        let is_python = path.extension().is_some_and(|end| end == "py");
        // This file shows how a comment is written.
        if (is_rust || is_python) && !path.ends_with("generators/differences.rs") {
            found.file(&path.to_string_lossy(), &workspace.read(&path)?, is_rust);
        }
    }
    let text = found.page()?;
    Ok(vec![Written::new(PAGE, text)])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
}

const LANGUAGES: [Language; 2] = [Language::Rust, Language::Python];

/// One comment, with the test below it; or those of both languages together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    /// What the documents say, what Amplifier does, what happens here, and what the switch makes of it.
    texts: [String; 4],
    /// The tests, by language.
    tests: [String; 2],
}

const KEYS: [&str; 4] = ["says: ", "does: ", "here: ", "strict: "];

/// Every comment of the sources, by what it is about.
#[derive(Debug, Default)]
struct Found {
    lines: BTreeMap<String, Line>,
    wrong: Vec<String>,
}

impl Found {
    fn file(&mut self, path: &str, text: &str, is_rust: bool) {
        if !text.contains("differs: ") {
            return;
        }
        let tests = if is_rust {
            tests_of(&tokens(text))
        } else {
            Vec::new()
        };
        let lines: Vec<&str> = text.lines().collect();
        let comment = if is_rust { "// " } else { "# " };
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let about = line.trim_start().strip_prefix(comment);
            if let Some(about) = about.and_then(|text| text.strip_prefix("differs: ")) {
                let place = format!("{path}:{at}");
                let rest = lines.get(at..).unwrap_or_default();
                self.comment(&place, about, rest, comment, is_rust.then_some(&tests[..]));
            }
        }
    }

    /// Reads one comment: its texts, and the function below it.
    fn comment(
        &mut self,
        place: &str,
        about: &str,
        rest: &[&str],
        comment: &str,
        tests: Option<&[Test]>,
    ) {
        let mut line = Line::default();
        let mut current = None;
        let mut below = rest.iter().map(|line| line.trim());
        let code = below.by_ref().find(|text| {
            let Some(text) = text.strip_prefix(comment) else {
                return true;
            };
            let mut keys = KEYS.iter().enumerate();
            let begun = keys.find_map(|(at, key)| Some((at, text.strip_prefix(key)?)));
            let words = begun.map_or(text, |(_, words)| words);
            current = begun.map(|(at, _)| at).or(current);
            if let Some(field) = current.and_then(|at| line.texts.get_mut(at)) {
                let gap = if field.is_empty() { "" } else { " " };
                *field = format!("{field}{gap}{words}");
            }
            false
        });
        let name = code.into_iter().chain(below).take(40).find_map(function);
        let runs = |name: &&str| match tests {
            Some(tests) => tests
                .iter()
                .any(|test| test.name == **name && !test.ignored),
            None => name.starts_with("test_"),
        };
        match name.filter(runs) {
            Some(name) => {
                let language = if tests.is_some() {
                    Language::Rust
                } else {
                    Language::Python
                };
                if let Some(test) = line.tests.get_mut(language as usize) {
                    name.clone_into(test);
                }
            }
            None => self
                .wrong
                .push(format!("{place}: no test that is run stands below it")),
        }
        let mut needed = line.texts.iter().take(3);
        if line.has_texts() && needed.any(String::is_empty) {
            let text = format!("{place}: `says:`, `does:` and `here:` have to stand below it");
            self.wrong.push(text);
        }
        for name in about.split(", ") {
            self.name(place, name.trim(), &line);
        }
    }

    fn name(&mut self, place: &str, name: &str, line: &Line) {
        let is_row = row_of(name).is_some_and(|row| (1..=ROWS).contains(&row));
        if !(is_row || ON_PURPOSE.contains(&name) || OF_PYTHON.contains(&name)) {
            self.wrong.push(format!("{place}: `{name}` is unknown"));
            return;
        }
        let held = self.lines.entry(name.to_owned()).or_default();
        if let Err(what) = held.add(line) {
            self.wrong.push(format!("{place}: `{name}` has two {what}"));
        }
    }

    /// Lists what has no texts, or no test of a language that it concerns.
    fn lacking(&self) -> Vec<String> {
        let rows = (1..=ROWS).map(|row| format!("row {row}"));
        let others = ON_PURPOSE
            .iter()
            .chain(OF_PYTHON)
            .map(|name| (*name).to_owned());
        let mut lacking = Vec::new();
        for name in rows.chain(others) {
            let Some(line) = self.lines.get(&name) else {
                lacking.push(format!("`{name}` has no test with a `differs:` comment"));
                continue;
            };
            if !line.has_texts() {
                lacking.push(format!("`{name}` has no `says:`, `does:` and `here:`"));
            }
            for (language, test) in LANGUAGES.into_iter().zip(&line.tests) {
                if test.is_empty() && concerns(&name, language) {
                    lacking.push(format!("`{name}` has no test in {language:?}"));
                }
            }
        }
        lacking
    }

    fn page(mut self) -> Result<String, Failure> {
        let lacking = self.lacking();
        self.wrong.extend(lacking);
        if !self.wrong.is_empty() {
            return Err(Failure(self.wrong));
        }
        let mut page = String::from(HEAD);
        let failure = |cause| Failure::because("the page", cause);
        self.write(&mut page).map_err(failure)?;
        Ok(page)
    }

    fn write(&self, page: &mut String) -> std::fmt::Result {
        writeln!(page, "\n## Where the documents and the code disagree\n")?;
        writeln!(page, "| # {COLUMNS}{RULE}")?;
        for row in 1..=ROWS {
            if let Some(line) = self.lines.get(&format!("row {row}")) {
                writeln!(page, "| {row} {}", cells(line))?;
            }
        }
        let parts = [
            ("Where we differ on purpose", ON_PURPOSE),
            ("Where only the Python package differs", OF_PYTHON),
        ];
        for (title, names) in parts {
            writeln!(page, "\n## {title}\n\n| What {COLUMNS}{RULE}")?;
            for name in names {
                if let Some(line) = self.lines.get(*name) {
                    writeln!(page, "| {name} {}", cells(line))?;
                }
            }
        }
        Ok(())
    }
}

impl Line {
    fn has_texts(&self) -> bool {
        self.texts.iter().any(|text| !text.is_empty())
    }

    /// Adds what the comment of the other language says.
    fn add(&mut self, other: &Self) -> Result<(), &'static str> {
        if other.has_texts() {
            if self.has_texts() {
                return Err("texts");
            }
            self.texts.clone_from(&other.texts);
        }
        for (test, other) in self.tests.iter_mut().zip(&other.tests) {
            if !other.is_empty() && !std::mem::replace(test, other.clone()).is_empty() {
                return Err("tests");
            }
        }
        Ok(())
    }
}

fn concerns(name: &str, language: Language) -> bool {
    let is_pythons = OF_PYTHON.contains(&name);
    let mut one_sided = ONE_SIDED.iter().filter(|(of, _)| *of == name);
    one_sided.all(|(_, only)| *only == language) && !(is_pythons && language == Language::Rust)
}

fn row_of(name: &str) -> Option<usize> {
    name.strip_prefix("row ")?.parse().ok()
}

fn cells(line: &Line) -> String {
    let or_none = |text: String| {
        if text.is_empty() {
            "–".to_owned()
        } else {
            text
        }
    };
    let [says, does, here, strict] = &line.texts;
    let [says, does, here, strict] =
        [says, does, here, strict].map(|text| text.replace('|', "\\|"));
    let tests = line.tests.each_ref().map(|test| match &**test {
        "" => String::new(),
        test => format!("`{test}`"),
    });
    let [rust, python] = tests.map(or_none);
    let strict = or_none(strict);
    format!("| {says} | {does} | {here} | {rust} | {python} | {strict} |")
}

/// Returns the name of the function that a line begins.
fn function(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.find(|word| matches!(*word, "fn" | "def"))?;
    words.next()?.split('(').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "// differs: row 8, hyphen constant\n// says: One\n// thing.\n// does: Two.\n// here: Three.\n\
                        #[test]\nfn it_is_so() {}\n";

    fn found(text: &str) -> Found {
        let mut found = Found::default();
        found.file("a.rs", text, true);
        found
    }

    #[test]
    fn a_comment_is_a_line_of_each_thing_that_it_names() {
        let found = found(GOOD);
        let line = Line {
            texts: ["One thing.", "Two.", "Three.", ""].map(String::from),
            tests: ["it_is_so", ""].map(String::from),
        };
        let lines = ["hyphen constant", "row 8"].map(|name| (name.to_owned(), line.clone()));
        assert_eq!((found.lines, found.wrong), (lines.into(), vec![]));
        assert_eq!(
            cells(&line),
            "| One thing. | Two. | Three. | `it_is_so` | – | – |"
        );
    }

    #[test]
    fn a_python_test_has_a_line_as_well() {
        let mut found = Found::default();
        let text = GOOD
            .replace("// ", "# ")
            .replace("#[test]\nfn it", "async def test_it");
        found.file("a.py", &text, false);
        assert_eq!(found.lines["row 8"].tests, ["", "test_it_is_so"]);
        assert_eq!(found.wrong, Vec::<String>::new());
    }

    #[test]
    fn a_comment_of_the_other_language_adds_its_test_and_both_languages_need_one() {
        let mut found = found(GOOD);
        assert!(
            found
                .lacking()
                .contains(&"`row 8` has no test in Python".to_owned())
        );
        let bare = "# differs: row 8\n@pytest.mark.parametrize(\n    \"a\",\n    [1],\n)\ndef test_so(a):\n";
        found.file("a.py", bare, false);
        assert_eq!(found.lines["row 8"].tests, ["it_is_so", "test_so"]);
        assert!(
            !found
                .lacking()
                .iter()
                .any(|text| text.starts_with("`row 8`"))
        );
        found.file("b.py", bare, false);
        assert_eq!(found.wrong, ["b.py:1: `row 8` has two tests"]);
    }

    #[test]
    fn a_line_without_a_test_fails_and_so_does_a_row_without_a_line() {
        let cases = [
            (
                GOOD.replace("#[test]\n", ""),
                "a.rs:1: no test that is run stands below it",
            ),
            (
                GOOD.replace("#[test]", "#[test]\n#[ignore = \"slow\"]"),
                "a.rs:1: no test that is run stands below it",
            ),
            (
                GOOD.replace("does: ", "did: "),
                "a.rs:1: `says:`, `does:` and `here:` have to stand below it",
            ),
            (
                GOOD.replace("row 8", "row 31"),
                "a.rs:1: `row 31` is unknown",
            ),
            (GOOD.repeat(2), "a.rs:8: `row 8` has two texts"),
        ];
        for (text, wrong) in cases {
            assert_eq!(
                found(&text).wrong.first().map(String::as_str),
                Some(wrong),
                "{text}"
            );
        }
        let failure = found(GOOD).page().unwrap_err();
        assert!(
            failure
                .0
                .contains(&"`row 9` has no test with a `differs:` comment".to_owned())
        );
    }
}
