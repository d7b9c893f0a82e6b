//! Packages as text: hooks, files and cases as their authors write them, and what is told about them. A `.txt` beside holds one
//! behind each `===`: its hooks, or a shell line behind `$`, or behind `&` whose hooks it has too; behind `@` a case or a file;
//! behind `=>` a line that is told, or how it begins, before `…`.

use std::num::NonZeroUsize;

use anyhook_testing::{TestOptions, run};
use serde_json::Value;

use crate::package::{Package, lines, told};

/// One of them.
struct Written {
    name: String,
    hooks: String,
    files: Vec<(String, String)>,
    expected: Vec<String>,
}

/// Every package of a text.
fn written(text: &str) -> Vec<Written> {
    text.split("\n=== ").skip(1).map(Written::read).collect()
}

/// Fails unless of each package of a text exactly that is told which stands behind it.
pub(crate) fn hold(text: &str, tell: impl Fn(&Package) -> Vec<String>) {
    let all = written(text);
    let told = all
        .iter()
        .filter_map(|one| one.wrong(&tell(&one.package(&all))));
    assert_eq!(told.collect::<String>(), "");
}

/// The package of this name.
pub(crate) fn named(text: &str, name: &str) -> Package {
    let all = written(text);
    let one = all.iter().find(|one| one.name == name).unwrap();
    one.package(&all)
}

impl Written {
    fn read(section: &str) -> Self {
        let (name, text) = section.split_once('\n').unwrap();
        let mut one = Self {
            name: name.into(),
            hooks: String::new(),
            files: Vec::new(),
            expected: Vec::new(),
        };
        for line in text.trim_end_matches('\n').split('\n') {
            if let Some(file) = line.strip_prefix("@ ") {
                one.files.push((file.into(), String::new()));
            } else if let Some(told) = line.strip_prefix("=> ") {
                one.expected.push(told.into());
            } else {
                let into = one
                    .files
                    .last_mut()
                    .map_or(&mut one.hooks, |last| &mut last.1);
                *into += &format!("{line}\n");
            }
        }
        one
    }

    fn package(&self, all: &[Self]) -> Package {
        let mut hooks = self.hooks.trim_end();
        if let Some(other) = hooks.strip_prefix("& ") {
            let other = all.iter().find(|one| one.name == other).unwrap();
            hooks = other.hooks.trim_end();
        }
        let package = match hooks.strip_prefix("$ ") {
            Some(line) => Package::of(line),
            None => Package::new(&serde_json::from_str::<Value>(hooks).unwrap()),
        };
        for (file, text) in &self.files {
            if file.contains('/') {
                package.write(file, text);
            } else {
                package.case(file, text);
            }
        }
        package
    }

    /// What is told instead, where it is not exactly what stands there.
    fn wrong(&self, found: &[String]) -> Option<String> {
        let is_so = |(told, expected): (&String, &String)| match expected.strip_suffix('…') {
            Some(begins) => told.starts_with(begins),
            None => told == expected,
        };
        let all = found.len() == self.expected.len() && found.iter().zip(&self.expected).all(is_so);
        (!all).then(|| format!("\n=== {}\n=> {}", self.name, found.join("\n=> ")))
    }
}

#[test]
fn what_is_told_of_each_package_and_its_cases_is_what_stands_beside_it() {
    hold(include_str!("packages.txt"), |package| {
        let suite = package.read();
        let how = TestOptions {
            jobs: NonZeroUsize::MIN,
            ..TestOptions::default()
        };
        let ran = run(&suite.cases, &how, &mut |_| {});
        [told(&suite), lines(&ran)].concat()
    });
}
