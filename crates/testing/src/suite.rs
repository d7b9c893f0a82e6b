//! The tests of packages on disk: found, read, and everything wrong with them told at once.

mod find;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook::core::manifest::{Entry, Group, Manifest, Severity};
use anyhook::load;
use anyhook::trust::package_root;

use crate::case::CaseFile;
use crate::config::TestConfig;
use crate::files;
use crate::package::{Package, named};
use crate::plan::{self, Case};
use crate::problem::{Problem, finding};
use anyhook::yaml;
use find::{ManifestTests, find, shown};

/// The tests that were found.
#[derive(Debug, Default)]
pub struct Suite {
    /// Every case that can run, in the order of the files.
    pub cases: Vec<Case>,
    /// What is wrong with the others, and with the packages.
    pub problems: Vec<Problem>,
    /// The packages, each once for each of its folders of tests; those without tests too.
    pub packages: Vec<Arc<Package>>,
    /// How many cases were not asked for.
    pub not_asked: usize,
}

/// Reads the tests of packages: of each folder that is one or holds some, of a folder of tests, or of a file of cases.
pub fn read(paths: &[PathBuf]) -> Suite {
    let mut suite = Suite::default();
    for path in paths {
        let Ok(real) = path.canonicalize() else {
            suite
                .problems
                .push(Problem::of_file(path, "there is no such file or folder"));
            continue;
        };
        let found = find(&real);
        if found.is_empty() {
            let message = "no hook package is here: it has a `hooks/hooks.json`, and tests in `hooks/tests` or `tests`";
            let mut problem = Problem::of_file(path, message);
            problem.finding.help = Some("anyhook init writes a first one".to_owned());
            suite.problems.push(problem);
        }
        for found in found {
            let shown = shown(path, &real, &found.manifest);
            let (root, before) = (package_root(&found.manifest), suite.problems.len());
            suite.add(&found, &shown);
            for problem in suite.problems.iter_mut().skip(before) {
                problem.file = named(&shown, &root, &problem.file);
            }
        }
    }
    // Folders may lie in each other, and a file may be named beside its package: each thing counts once.
    let mut seen = BTreeSet::new();
    let place = |package: &Package| format!("{:?}", (&package.manifest, &package.tests));
    suite.packages.retain(|package| seen.insert(place(package)));
    let identity = |case: &Case| format!("{}\t{}", case.file.display(), case.id);
    suite.cases.retain(|case| seen.insert(identity(case)));
    let mut told = BTreeSet::new();
    suite
        .problems
        .retain(|problem| told.insert(problem.to_string()));
    suite
}

impl Suite {
    fn add(&mut self, found: &ManifestTests, shown: &Path) {
        let groups = match groups(&found.manifest) {
            Ok(groups) => groups,
            // a test of hooks that are not the ones in the file would prove nothing.
            Err(problems) => return self.problems.extend(problems),
        };
        let root = package_root(&found.manifest);
        let none = [root.join("tests")];
        let folders = if found.tests.is_empty() {
            &none
        } else {
            &*found.tests
        };
        for tests in folders {
            match TestConfig::read(tests) {
                Ok(config) => {
                    let package = Arc::new(Package {
                        root: root.clone(),
                        shown: shown.to_path_buf(),
                        manifest: found.manifest.clone(),
                        tests: tests.clone(),
                        groups: groups.clone(),
                        config,
                    });
                    self.packages.push(Arc::clone(&package));
                    self.read_cases(&package, found.only.as_deref());
                }
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    fn read_cases(&mut self, package: &Arc<Package>, only: Option<&Path>) {
        let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
        let (files, problems) = files::cases(&package.tests);
        if only.is_none() {
            self.problems.extend(problems);
        }
        for file in &files {
            let read = read_case(file).and_then(|(text, case)| {
                // The first of the name keeps it.
                if let Some(first) = names.get(&case.name.value) {
                    return Err(vec![named_twice(file, &text, &case, first)]);
                }
                names.insert(case.name.value.clone(), file.clone());
                plan::cases(package, file, &text, &case)
            });
            if only.is_some_and(|only| only != file) {
                continue;
            }
            match read {
                Ok(cases) => self.cases.extend(cases),
                Err(problems) => self.problems.extend(problems),
            }
        }
    }
}

fn named_twice(file: &Path, text: &str, case: &CaseFile, first: &Path) -> Problem {
    let stem = first.file_name().unwrap_or_default().to_string_lossy();
    let message = format!("`{}` is the name of `{stem}` too", case.name.value);
    Problem::at(file, text, finding(yaml::of(&case.name), message, None))
}

/// Reads a manifest, or everything that is wrong with it.
fn groups(manifest: &Path) -> Result<Vec<Group>, Vec<Problem>> {
    let bytes = anyhook::files::read_document(manifest).map_err(|error| {
        vec![Problem::of_file(
            manifest,
            format!("cannot be read: {error}"),
        )]
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let parsed = load::parse(manifest, &text)
        .map_err(|finding| vec![Problem::at(manifest, &text, finding)])?;
    let mut errors = parsed.findings;
    errors.retain(|finding| finding.severity == Severity::Error);
    if errors.is_empty() {
        return Ok(switched(parsed.manifest));
    }
    Err(errors
        .into_iter()
        .map(|finding| Problem::at(manifest, &text, finding))
        .collect())
}

/// The groups of a manifest, in which an entry that the file's own `disable` names is switched off like one that says so
/// itself: the loader hands over neither.
fn switched(manifest: Manifest) -> Vec<Group> {
    let Manifest {
        mut groups,
        disable,
        ..
    } = manifest;
    for group in &mut groups {
        let named = |entry: &Entry| disable.iter().any(|name| name.means(group, entry));
        let off: Vec<bool> = group.entries.iter().map(named).collect();
        for (entry, is_off) in group.entries.iter_mut().zip(off) {
            entry.enabled &= !is_off;
        }
    }
    groups
}

fn read_case(file: &Path) -> Result<(String, Arc<CaseFile>), Vec<Problem>> {
    let text = files::text(file, yaml::LONGEST);
    let text = text.map_err(|why| vec![Problem::of_file(file, why)])?;
    match yaml::read(&text) {
        Ok(case) => Ok((text, Arc::new(case))),
        Err(finding) => Err(vec![Problem::at(file, &text, finding)]),
    }
}
