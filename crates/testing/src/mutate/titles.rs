//! Names for cases to write: each is that of no other case, and of no file that is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhook::yaml;

use crate::case::CaseFile;
use crate::files;
use crate::roster::Tested;
use crate::spread::spread;

/// The longest name of a case.
const LONGEST: usize = 64;

/// So much of the hook's own name stands in front, however long the rest is.
const OWN: usize = 24;

/// The names that are taken, by the folder of tests.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    taken: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Titles {
    /// Gives a name to a case that says something of a hook, and takes it.
    pub(crate) fn title(&mut self, tested: &Tested, what: &str) -> String {
        let tests = &tested.package.tests;
        let taken = self.taken.entry(tests.clone());
        let taken = taken.or_insert_with(|| there(&tests.join("cases")));
        let (hook, what) = (slug(&tested.who.name), slug(what));
        let numbered = (2..u32::MAX).map(|number| format!("-{number}"));
        let mut names = std::iter::once(String::new())
            .chain(numbered)
            .map(|number| joined(&hook, &what, &number));
        let name = names.find(|name| !taken.contains(name)).unwrap_or(what);
        taken.insert(name.clone());
        name
    }
}

/// The names of the cases that are there, and those of their files: a new file must not be written over one of them.
fn there(cases: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(cases).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let both = spread(&files, |file| {
        // Some systems take `A.yaml` for `a.yaml`.
        let stem = file.file_stem().map(|stem| stem.to_string_lossy());
        let stem = stem.map(|stem| stem.to_ascii_lowercase());
        let text = files::text(file, yaml::LONGEST).ok();
        let case = text.and_then(|text| yaml::read::<CaseFile>(&text).ok());
        [stem, case.map(|case| case.name.value)]
    });
    both.into_iter().flatten().flatten().collect()
}

/// Puts a name together that is short enough to be that of a case.
fn joined(hook: &str, what: &str, number: &str) -> String {
    // A digit or two more leave the beginning as it is.
    let room = LONGEST.saturating_sub(what.len() + 4).max(OWN);
    let hook = cut(hook, room);
    let room = LONGEST.saturating_sub(hook.len() + 1 + number.len());
    let parts = [hook, cut(what, room)];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-") + number
}

/// The beginning of a slug, which is ASCII.
fn cut(slug: &str, room: usize) -> &str {
    let text = slug.get(..room).unwrap_or(slug);
    text.trim_end_matches('-')
}

fn slug(text: &str) -> String {
    let plain = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' });
    let plain: String = plain.collect::<String>().to_ascii_lowercase();
    plain.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::is_name;

    #[test]
    fn a_name_begins_with_the_hook_and_is_one_however_long_its_parts_are() {
        let long = "a-very-long-name".repeat(8);
        for (hook, what) in [
            ("guard", "matcher-removed"),
            (&long, "matcher-removed"),
            ("guard", &long),
            (&long, &long),
            ("", &long),
        ] {
            for number in ["", "-2", "-4294967294"] {
                let name = joined(hook, what, number);
                let own = hook.get(..5).unwrap_or_default();
                assert!(is_name(&name) && name.starts_with(own), "{name}");
                assert!(name.ends_with(number) && !name.contains("--"), "{name}");
            }
        }
        assert_eq!(joined("guard", "is-asked", "-2"), "guard-is-asked-2");
    }
}
