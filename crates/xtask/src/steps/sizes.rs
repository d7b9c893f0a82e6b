//! Small functions, small files, nothing left for later, no large blobs.
//!
//! A file says why it is long in one of its first ten lines: `// size: REASON`. Test code is not counted, and an example
//! of the documentation is test code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Done, Failure};
use crate::say;
use crate::source::{functions, test_modules, test_ranges, tokens, without_strings};
use crate::workspace::Workspace;

const FUNCTION: Limit = Limit { warn: 40, fail: 60 };
const FILE: Limit = Limit {
    warn: 300,
    fail: 500,
};
const BLOB: u64 = 1024 * 1024;

/// Words that mean that something is not finished; in pieces, so that this list is none of them.
const LATER: &[&str] = &[
    concat!("to", "do!("),
    concat!("un", "implemented!("),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

struct Limit {
    warn: usize,
    fail: usize,
}

/// What one file has too much of.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    warnings: Vec<String>,
    errors: Vec<String>,
    excuse: Option<String>,
}

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut sources = Vec::new();
    for path in workspace.rust_files()? {
        let text = workspace.read(&path)?;
        sources.push((path, text));
    }
    let tests: Vec<PathBuf> = sources
        .iter()
        .flat_map(|(path, text)| test_files(path, text))
        .collect();
    let mut errors = blobs(workspace)?;
    for (path, text) in &sources {
        let name = path.display().to_string();
        errors.extend(later(&name, text));
        if is_test(path, &tests) {
            continue;
        }
        let found = sizes(&name, text);
        found
            .warnings
            .iter()
            .for_each(|warning| say::line(format!("warning: {warning}")));
        found
            .excuse
            .iter()
            .for_each(|excuse| say::line(format!("excused: {name}: {excuse}")));
        errors.extend(found.errors);
    }
    Failure::unless_empty(errors)
}

fn sizes(name: &str, text: &str) -> Findings {
    let tokens = tokens(text);
    let tests = test_ranges(&tokens);
    let is_shipped = |line: usize| !tests.iter().any(|range| range.contains(&line));
    let mut found = Findings::default();
    for function in functions(&tokens) {
        if is_shipped(function.line) {
            let what = format!(
                "{name}:{}: `{}` has {} lines",
                function.line, function.name, function.lines
            );
            found.add(&FUNCTION, function.lines, &what);
        }
    }
    let shown = examples(text);
    let lines = (1..=text.lines().count())
        .filter(|line| is_shipped(*line) && !shown.contains(line))
        .count();
    found.add(
        &FILE,
        lines,
        &format!("{name}: {lines} lines without tests"),
    );
    if let Some(reason) = excuse(text) {
        found.excuse = (!found.errors.is_empty()).then(|| reason.to_owned());
        found.errors.clear();
    }
    found
}

/// The lines of the documentation's examples, from 1, their fences included.
fn examples(text: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let docs = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let is_fence = docs.is_some_and(|docs| docs.trim_start().starts_with("```"));
        // Documentation that ends inside an example does not hide the code behind it.
        is_open = docs.is_some() && (is_open != is_fence);
        if is_open || is_fence {
            found.insert(at + 1);
        }
    }
    found
}

impl Findings {
    fn add(&mut self, limit: &Limit, lines: usize, what: &str) {
        if lines > limit.fail {
            self.errors
                .push(format!("{what}, more than {}", limit.fail));
        } else if lines > limit.warn {
            self.warnings
                .push(format!("{what}, more than {}", limit.warn));
        }
    }
}

/// The reason in `// size: REASON`.
fn excuse(text: &str) -> Option<&str> {
    let reasons = text
        .lines()
        .take(10)
        .filter_map(|line| line.trim_start().strip_prefix("// size:"));
    reasons.map(str::trim).find(|reason| !reason.is_empty())
}

fn later(name: &str, text: &str) -> Vec<String> {
    let text = without_strings(text);
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words = LATER.iter().filter(|word| line.contains(**word));
        found.extend(
            words.map(|word| format!("{name}:{}: `{word}` leaves something for later", number + 1)),
        );
    }
    found
}

fn is_test(path: &Path, declared: &[PathBuf]) -> bool {
    let in_folder = path
        .parent()
        .is_some_and(|folder| folder.components().any(|part| part.as_os_str() == "tests"));
    let of_module = declared
        .iter()
        .any(|module| path.starts_with(module) || path == module.with_extension("rs"));
    in_folder || of_module || path.file_name().is_some_and(|name| name == "tests.rs")
}

/// The modules that a file declares for tests only, as paths without an extension.
fn test_files(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = ["lib", "main", "mod"]
        .iter()
        .any(|stem| path.file_stem().is_some_and(|found| found == *stem));
    let folder = if is_root {
        path.with_file_name("")
    } else {
        path.with_extension("")
    };
    test_modules(&tokens(text))
        .into_iter()
        .map(|name| folder.join(name))
        .collect()
}

fn blobs(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for file in workspace.files()? {
        let size = workspace
            .root
            .join(&file)
            .symlink_metadata()
            .map_or(0, |metadata| metadata.len());
        if size > BLOB {
            found.push(format!(
                "{}: {size} bytes, more than {BLOB}",
                file.display()
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_of_forty_lines_is_fine_and_one_more_is_a_warning() {
        assert_eq!(sizes("a.rs", &function(40)), Findings::default());
        let warnings = vec!["a.rs:1: `f` has 41 lines, more than 40".to_owned()];
        assert_eq!(
            sizes("a.rs", &function(41)),
            Findings {
                warnings,
                ..Findings::default()
            }
        );
    }

    #[test]
    fn a_function_over_sixty_lines_fails_unless_the_file_says_why() {
        let errors = vec!["a.rs:1: `f` has 61 lines, more than 60".to_owned()];
        assert_eq!(
            sizes("a.rs", &function(61)),
            Findings {
                errors,
                ..Findings::default()
            }
        );
        let excused = format!("// size: one table\n{}", function(61));
        let excuse = Some("one table".to_owned());
        assert_eq!(
            sizes("a.rs", &excused),
            Findings {
                excuse,
                ..Findings::default()
            }
        );
        let without_reason = format!("// size:\n{}", function(61));
        assert_eq!(sizes("a.rs", &without_reason).errors.len(), 1);
    }

    #[test]
    fn test_code_counts_for_neither_the_file_nor_its_functions() {
        let text = format!(
            "fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            function(600)
        );
        assert_eq!(sizes("a.rs", &text), Findings::default());
    }

    #[test]
    fn an_example_of_the_documentation_does_not_count_for_its_file() {
        let example = "/// ```\n/// assert!(true);\n/// ```\n";
        let text = format!("{}{}", example.repeat(100), "x;\n".repeat(300));
        assert_eq!(sizes("a.rs", &text), Findings::default());
        let open = format!("/// ```\n{}", "x;\n".repeat(301));
        assert_eq!(
            sizes("a.rs", &open).warnings.len(),
            1,
            "code behind a fence that is never closed"
        );
    }

    #[test]
    fn a_file_over_five_hundred_lines_fails() {
        let errors = vec!["a.rs: 501 lines without tests, more than 500".to_owned()];
        assert_eq!(
            sizes("a.rs", &"x;\n".repeat(501)),
            Findings {
                errors,
                ..Findings::default()
            }
        );
    }

    #[test]
    fn unfinished_words_are_found_in_code_and_comments_and_not_in_strings() {
        let word = LATER.last().unwrap();
        let text = format!("let a = \"{word}\";\nlet b = 1; // {word}: soon\n");
        assert_eq!(
            later("a.rs", &text),
            [format!("a.rs:2: `{word}` leaves something for later")]
        );
    }

    #[test]
    fn a_module_that_is_declared_for_tests_is_a_test_with_all_below_it() {
        let path = Path::new("crates/core/src/result.rs");
        let declared = test_files(path, "#[cfg(test)]\nmod laws;\nmod verdict;");
        assert_eq!(declared, [PathBuf::from("crates/core/src/result/laws")]);
        assert!(is_test(
            Path::new("crates/core/src/result/laws.rs"),
            &declared
        ));
        assert!(is_test(
            Path::new("crates/core/src/result/laws/fold.rs"),
            &declared
        ));
        assert!(!is_test(
            Path::new("crates/core/src/result/verdict.rs"),
            &declared
        ));
        assert_eq!(
            test_files(Path::new("a/src/lib.rs"), "#[cfg(test)] mod x;"),
            [PathBuf::from("a/src/x")]
        );
    }

    #[test]
    fn tests_files_and_folders_are_tests() {
        assert!(is_test(Path::new("crates/cli/tests/it/main.rs"), &[]));
        assert!(is_test(Path::new("crates/core/src/result/tests.rs"), &[]));
        assert!(!is_test(Path::new("crates/core/src/tests_of_time.rs"), &[]));
    }
}
