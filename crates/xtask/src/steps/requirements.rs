//! Every requirement names a proof, and every proof exists.
//!
//! The format of a page is documented in `docs/requirements/README.md`. On some other pages, tables cite tests in the same form.

mod page;

use std::collections::BTreeMap;
use std::path::Path;

use super::{Done, Failure, Outcome, STEPS};
use crate::say;
use crate::source::{functions, tests_of, tokens};
use crate::workspace::Workspace;
use page::{Page, Requirement};

const FOLDER: &str = "docs/requirements";
/// The pages of which each table is read whose last column is headed so.
const CITING: (&[&str], &str) = (&["docs/security.md"], "| Tests |");

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut pages = pages(workspace)?;
    if pages.is_empty() {
        return Ok(Outcome::Skipped(format!(
            "{FOLDER}: there are no pages yet"
        )));
    }
    pages.extend(CITING.0.iter().map(|page| (*page).to_owned()));
    let proofs = Proofs::collect(workspace)?;
    let mut findings = Vec::new();
    let mut count = 0;
    for path in &pages {
        let text = workspace.read(path)?;
        let page = Page::read(&if CITING.0.contains(&&**path) {
            citing(&text)
        } else {
            text
        });
        count += page.requirements.len();
        findings.extend(
            page.errors
                .iter()
                .map(|(line, error)| format!("{path}:{line}: {error}")),
        );
        if page.requirements.is_empty() {
            findings.push(format!("{path}: no requirement"));
        }
        for requirement in &page.requirements {
            findings.extend(proofs.missing(workspace, path, requirement));
        }
    }
    say::line(format!("{count} requirements on {} pages", pages.len()));
    Failure::unless_empty(findings)
}

fn pages(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let files = workspace.files()?;
    let pages = files.iter().filter(|file| {
        let is_page =
            file.extension().is_some_and(|end| end == "md") && !file.ends_with("README.md");
        is_page && file.parent() == Some(Path::new(FOLDER))
    });
    Ok(pages
        .map(|file| file.to_string_lossy().into_owned())
        .collect())
}

/// Keeps the tables that cite tests, and empties every other line.
fn citing(text: &str) -> String {
    let mut is_inside = false;
    let kept = text.lines().map(|line| {
        is_inside = line.starts_with('|') && (is_inside || line.ends_with(CITING.1));
        format!("{}\n", if is_inside { line } else { "" })
    });
    kept.collect()
}

/// Everything in the sources that a requirement may point to.
#[derive(Debug, Default)]
struct Proofs {
    /// Test names; the flag says whether a plain run leaves the test out.
    tests: BTreeMap<String, bool>,
    /// Functions and files below `benches/`.
    benches: Vec<String>,
    /// Files with an example in their documentation that is run.
    doctests: Vec<String>,
}

impl Proofs {
    fn collect(workspace: &Workspace) -> Result<Self, Failure> {
        let mut proofs = Self::default();
        for path in workspace.files()? {
            let name = path.to_string_lossy().into_owned();
            match path.extension().and_then(|end| end.to_str()) {
                Some("rs") => proofs.rust(&name, &workspace.read(&path)?),
                Some("py") => proofs.python(&workspace.read(&path)?),
                _ => {}
            }
        }
        Ok(proofs)
    }

    fn rust(&mut self, path: &str, text: &str) {
        let tokens = tokens(text);
        for test in tests_of(&tokens) {
            let ignored = self.tests.entry(test.name).or_insert(test.ignored);
            *ignored &= test.ignored;
        }
        if path.starts_with("benches/") {
            self.benches
                .extend(functions(&tokens).into_iter().map(|function| function.name));
            self.benches.extend(
                Path::new(path)
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
        if has_doctest(text) {
            self.doctests.push(path.to_owned());
        }
    }

    fn python(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim_start();
            let Some(rest) = line
                .strip_prefix("def ")
                .or_else(|| line.strip_prefix("async def "))
            else {
                continue;
            };
            let name = rest.split('(').next().unwrap_or(rest).trim();
            if name.starts_with("test_") {
                self.tests.insert(name.to_owned(), false);
            }
        }
    }

    fn missing(&self, workspace: &Workspace, path: &str, requirement: &Requirement) -> Vec<String> {
        let at = format!("{path}:{}", requirement.line);
        let complaints = requirement
            .proofs
            .iter()
            .filter_map(|proof| self.complaint(workspace, proof));
        complaints
            .map(|complaint| format!("{at}: {complaint}"))
            .collect()
    }

    fn complaint(&self, workspace: &Workspace, proof: &str) -> Option<String> {
        let (kind, name) = proof.split_once(':').unwrap_or(("test", proof));
        let name = name.trim();
        let exists = match kind {
            "manual" => !name.is_empty(),
            "file" => workspace.has(name),
            "xtask" => STEPS.iter().any(|step| step.name == name),
            "bench" => self.benches.iter().any(|bench| bench == name),
            "doctest" => self.doctests.iter().any(|file| file == name),
            "test" if self.tests.get(name) == Some(&true) => {
                return Some(format!(
                    "the test `{name}` is ignored, so it proves nothing"
                ));
            }
            "test" => self.tests.contains_key(name),
            _ => return Some(format!("`{kind}:` is no kind of proof")),
        };
        (!exists).then(|| format!("there is no {kind} `{name}`"))
    }
}

/// Whether the documentation in a file holds an example that `cargo test` runs.
fn has_doctest(text: &str) -> bool {
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(doc) = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        else {
            continue;
        };
        let Some(language) = doc.trim().strip_prefix("```") else {
            continue;
        };
        inside = !inside;
        let plain = language
            .split(',')
            .all(|word| matches!(word.trim(), "" | "rust" | "should_panic"));
        if inside && plain {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proofs() -> Proofs {
        let mut proofs = Proofs::default();
        proofs.rust("crates/a/src/lib.rs", "/// ```\n/// a();\n/// ```\n#[test] fn a_law() {}\n#[test] #[ignore] fn a_slow_one() {}");
        proofs.rust("benches/src/fold.rs", "fn then_of_two() {}");
        proofs.python("def test_in_python(x):\n    pass\ndef helper(): pass\n");
        proofs
    }

    #[test]
    fn a_proof_of_every_kind_is_found() {
        let workspace = Workspace::find().unwrap();
        let found = [
            "a_law",
            "test_in_python",
            "bench:then_of_two",
            "bench:fold",
            "doctest:crates/a/src/lib.rs",
            "xtask:tree",
            "file:Cargo.toml",
            "manual: look at the timeline",
        ];
        for proof in found {
            assert_eq!(proofs().complaint(&workspace, proof), None, "{proof}");
        }
    }

    #[test]
    fn what_does_not_exist_is_named_with_its_kind() {
        let workspace = Workspace::find().unwrap();
        let complaints = [
            ("no_law", "there is no test `no_law`"),
            ("helper", "there is no test `helper`"),
            (
                "a_slow_one",
                "the test `a_slow_one` is ignored, so it proves nothing",
            ),
            ("bench:none", "there is no bench `none`"),
            (
                "doctest:benches/src/fold.rs",
                "there is no doctest `benches/src/fold.rs`",
            ),
            ("xtask:lint", "there is no xtask `lint`"),
            ("file:../secret", "there is no file `../secret`"),
            ("manual:", "there is no manual ``"),
            ("hope:so", "`hope:` is no kind of proof"),
        ];
        for (proof, complaint) in complaints {
            assert_eq!(
                proofs().complaint(&workspace, proof).as_deref(),
                Some(complaint)
            );
        }
    }

    #[test]
    fn of_another_page_the_tables_that_cite_tests_are_read() {
        let other = "- a bullet\n| A | B |\n|---|---|\n| a | b |\n\n";
        let table = "| A | Tests |\n|---|---|\n| a | `a_law` |\n";
        let page = Page::read(&citing(&format!("{other}{table}\n{other}")));
        let found = page.requirements.iter();
        let found: Vec<_> = found.map(|one| (one.line, &*one.proofs)).collect();
        assert_eq!(
            (found, page.errors),
            (vec![(8, &["a_law".to_owned()][..])], vec![])
        );
    }

    #[test]
    fn a_name_that_runs_somewhere_is_not_ignored() {
        let mut proofs = proofs();
        proofs.rust("b.rs", "#[test] fn a_slow_one() {}");
        assert_eq!(proofs.tests.get("a_slow_one"), Some(&false));
    }

    #[test]
    fn an_example_that_is_not_run_is_no_doctest() {
        assert!(has_doctest("//! ```rust\n//! a();\n//! ```\n"));
        assert!(!has_doctest("/// ```text\n/// a\n/// ```\nfn f() {}"));
        assert!(!has_doctest("/// ```no_run\n/// a();\n/// ```\n"));
        assert!(!has_doctest("// ```\n// a();\n// ```\n"));
    }
}
