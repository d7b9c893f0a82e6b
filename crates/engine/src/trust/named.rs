//! Which files the words of a text may mean.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhook_effects::shell::visit::{ABOVE, HERE};

use crate::shell::patterns;

/// A variable has as many values in one word.
const MOST: usize = 64;

/// What stands for the root of the package, and for that of the project: each has several names.
pub(super) const PACKAGE: &str = "${+}";
pub(super) const PROJECT: &str = "${-}";

/// By which tree a file is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// By the package, of which a copy runs.
    Copy,
    /// By the project's folder, where the live file stands.
    Live,
}

/// What is known where a text stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Where {
    /// The folders that plain words count from.
    pub(super) bases: Vec<(PathBuf, Reach)>,
    /// The folder of the script that the text is.
    pub(super) script: Option<PathBuf>,
    /// The values that variables may have.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
}

/// A word with its variables filled in, and what it counts from.
struct Filled {
    word: String,
    from: From,
}

/// What a word counts from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The folders of plain words.
    Bases,
    /// The folder of the script.
    Script,
    /// That one or one above.
    Above,
    /// The root of the package.
    Package,
    /// That of the project.
    Project,
    /// Some folder of which nothing is known.
    Anywhere,
}

impl Where {
    /// Returns the paths below the root that a word may mean, whether they are there or not.
    pub(super) fn named(&self, root: &Path, word: &str) -> Vec<(PathBuf, Reach)> {
        let filled = expanded(word, &self.values);
        let paths = filled.iter().flat_map(|filled| {
            let bases = self.bases_of(filled.from);
            let paths = bases.into_iter().filter_map(|(base, reach)| {
                let path = below(root, base, &filled.word)?;
                Some(
                    matching(root, path)
                        .into_iter()
                        .map(move |path| (path, reach)),
                )
            });
            paths.flatten().collect::<Vec<_>>()
        });
        paths.collect()
    }

    fn bases_of(&self, from: From) -> Vec<(&Path, Reach)> {
        let root = Path::new("");
        match (from, &self.script) {
            (From::Package, _) => vec![(root, Reach::Copy)],
            (From::Project, _) => vec![(root, Reach::Live)],
            (From::Script, Some(script)) => vec![(script, Reach::Copy)],
            (From::Above, Some(script)) => script.ancestors().map(|at| (at, Reach::Copy)).collect(),
            (From::Anywhere, Some(script)) => {
                script.ancestors().map(|at| (at, Reach::Live)).collect()
            }
            (From::Bases, _) | (_, None) => {
                let bases = self.bases.iter();
                bases
                    .map(|(base, reach)| (base.as_path(), *reach))
                    .collect()
            }
        }
    }

    /// Tells whether a word begins with the folder of its script, or with the root of its package.
    pub(super) fn is_own(&self, word: &str) -> bool {
        let filled = expanded(word, &self.values);
        let mut froms = filled.iter().map(|filled| filled.from);
        froms.any(|from| matches!(from, From::Script | From::Above | From::Package))
    }

    /// Tells whether a word names a folder, or has an ending: without, it is looked for on `PATH` alone.
    pub(super) fn is_file(&self, word: &str) -> bool {
        let is_one = |filled: &Filled| {
            filled.word.contains('/') || Path::new(&filled.word).extension().is_some()
        };
        word.contains('/') || expanded(word, &self.values).iter().any(is_one)
    }
}

/// Returns the path below the root that a word means, if it stays there.
pub(super) fn below(root: &Path, base: impl AsRef<Path>, word: &str) -> Option<PathBuf> {
    if word.contains('\0') {
        return None;
    }
    let word = Path::new(word);
    let word = match word.strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        Err(_) if word.is_absolute() => return None,
        Err(_) => base.as_ref().join(word),
    };
    let mut path = PathBuf::new();
    for part in word.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Returns a path, or the paths that it stands for as a pattern.
fn matching(root: &Path, path: PathBuf) -> Vec<PathBuf> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name.filter(|name| name.contains('*')) else {
        return vec![path];
    };
    // Of a name of which nothing is known any file of a folder may be meant, but not any file of the whole project.
    if name == "*" && parent == Path::new("") {
        return Vec::new();
    }
    let entries = root.join(parent).read_dir();
    let names = entries.into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let fits = names.filter(|other| patterns::name_matches(other, name));
    fits.map(|name| parent.join(name)).collect()
}

/// Puts known values in the place of variables, and `*` in the place of what is not known.
fn expanded(word: &str, values: &BTreeMap<String, BTreeSet<String>>) -> Vec<Filled> {
    let mut words = vec![word.to_owned()];
    for _ in 0..4 {
        let next = words.iter().flat_map(|word| one_more(word, values));
        words = next.take(MOST).collect();
    }
    let filled = words.iter().map(|word| patterned(&word.replace('\0', "$")));
    filled.filter(|filled| !filled.word.is_empty()).collect()
}

/// Fills the first variable that was not looked at; one that has no value is marked.
fn one_more(word: &str, values: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let name = word
        .split_once("${")
        .and_then(|(_, rest)| Some(rest.split_once('}')?.0));
    let known = name.and_then(|name| Some((name, values.get(name)?)));
    let Some((name, known)) = known else {
        return vec![word.replacen("${", "\0{", 1)];
    };
    let variable = format!("${{{name}}}");
    let value = |value: &String| value.replace(&variable, "${?}");
    known
        .iter()
        .map(|one| word.replace(&variable, &value(one)))
        .collect()
}

fn patterned(word: &str) -> Filled {
    let marked = [
        (HERE, From::Script),
        (ABOVE, From::Above),
        (PACKAGE, From::Package),
        (PROJECT, From::Project),
    ];
    let behind = |(mark, from): (&str, From)| {
        let rest = word.strip_prefix(mark)?;
        Some((
            rest.strip_prefix('/').or(rest.is_empty().then_some("."))?,
            from,
        ))
    };
    if let Some((rest, from)) = marked.into_iter().find_map(behind) {
        let Filled { word, .. } = patterned(rest);
        return Filled { word, from };
    }
    let mut text = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("${") {
        text.push_str(before);
        text.push('*');
        rest = after.split_once('}').map_or("", |(_, behind)| behind);
    }
    text.push_str(rest);
    let known = text.trim_start_matches('*');
    let inside = known.strip_prefix('/').filter(|_| known.len() < text.len());
    match inside {
        Some(inside) => Filled {
            word: inside.to_owned(),
            from: From::Anywhere,
        },
        // Of a word that is one variable, nothing is known.
        None if known.is_empty() && word.starts_with("${") => Filled {
            word: String::new(),
            from: From::Anywhere,
        },
        None => Filled {
            word: text,
            from: From::Bases,
        },
    }
}
