//! Places: folders and files, which is all that the kernel's rules know.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A place as people write it: `./**` is all of the project, `~/.gitconfig` one file of the home.
///
/// The kernel's rules know folders with all that is in them, and single files. A pattern that says anything else is an error,
/// because the next rule that the kernel could hold would be a wider one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SandboxPath {
    /// Where it is counted from.
    pub root: PathRoot,
    /// Its path below that: names only.
    pub below: PathBuf,
    /// How much of it is meant.
    pub extent: Extent,
}

/// Where a place is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathRoot {
    /// The project.
    Project,
    /// The home of the person.
    Home,
    /// The folder of the package.
    Package,
    /// The folder that belongs to this package alone.
    Private,
    /// The root of the system.
    System,
}

/// How each root is written.
const ROOTS: &[(PathRoot, &str)] = &[
    (PathRoot::Project, "."),
    (PathRoot::Project, "${PROJECT_ROOT}"),
    (PathRoot::Project, "${PROJECT_DIR}"),
    (PathRoot::Home, "~"),
    (PathRoot::Package, "${PACKAGE_ROOT}"),
    (PathRoot::Private, "${PRIVATE}"),
];

/// How much of a place is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The file of this name.
    File,
    /// The folder of this name, with all that is in it.
    Folder,
}

/// A place that cannot be said to the kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}` {why}")]
pub struct SandboxPathError {
    /// The place, as it was written.
    pub place: String,
    /// What is wrong with it, in words that name no place.
    pub why: &'static str,
    /// What to write instead.
    pub help: &'static str,
}

// Why a place cannot be said, and what to write instead.
const PATTERN: [&str; 2] = [
    "is a pattern, and the kernel knows folders and files only",
    "name a folder with all that is in it (`./src/**`), or one file (`./notes.txt`)",
];
const BARE: [&str; 2] = [
    "is a folder, and a name without `/**` is one file",
    "name the folder with all that is in it: `./**`",
];
const LOOSE: [&str; 2] = [
    "does not say where it begins",
    "begin with `./` (the project), `~/` (the home), `/`, `${PACKAGE_ROOT}/` or `${PRIVATE}/`",
];
const UPWARD: [&str; 2] = [
    "goes up, so it could be any folder",
    "name the folder itself, without `..`",
];

/// The signs that make a pattern of a name.
const SIGNS: &[char] = &['*', '?', '[', ']', '{', '}'];

impl SandboxPath {
    fn all_of(root: PathRoot) -> Self {
        Self {
            root,
            below: PathBuf::new(),
            extent: Extent::Folder,
        }
    }

    /// All of the project.
    pub fn project() -> Self {
        Self::all_of(PathRoot::Project)
    }

    /// All of the package.
    pub fn package() -> Self {
        Self::all_of(PathRoot::Package)
    }

    /// All of the package's private folder.
    pub fn private() -> Self {
        Self::all_of(PathRoot::Private)
    }

    /// Tells whether all of another place is in this one, as far as their names tell: two that are counted from different
    /// folders are apart, unless one is all of the system.
    pub fn holds(&self, other: &Self) -> bool {
        let is_all = self.root == PathRoot::System && self.below.as_os_str().is_empty();
        let is_below = self.root == other.root && other.below.starts_with(&self.below);
        self == other || (self.extent == Extent::Folder && (is_all || is_below))
    }
}

impl FromStr for SandboxPath {
    type Err = SandboxPathError;

    fn from_str(text: &str) -> Result<Self, SandboxPathError> {
        let refused = |[why, help]: [&'static str; 2]| SandboxPathError {
            place: text.to_owned(),
            why,
            help,
        };
        let (folder, extent) = match text.strip_suffix("/**") {
            Some(folder) => (folder, Extent::Folder),
            None => (text, Extent::File),
        };
        let found = ROOTS.iter().find_map(|(root, written)| {
            let rest = folder.strip_prefix(written)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((*root, rest))
        });
        let (root, rest) = match found {
            Some(found) => found,
            None if text.starts_with('/') => (PathRoot::System, folder),
            None if folder.contains(SIGNS) && !text.starts_with("${") => {
                return Err(refused(PATTERN));
            }
            None => return Err(refused(LOOSE)),
        };
        if rest.contains(SIGNS) {
            return Err(refused(PATTERN));
        }
        let mut below = PathBuf::new();
        for part in Path::new(rest).components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::ParentDir => return Err(refused(UPWARD)),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        if extent == Extent::File && below.as_os_str().is_empty() {
            // A whole root without `/**`: the kernel has no rule for a folder without what is in it.
            return Err(refused(BARE));
        }
        Ok(Self {
            root,
            below,
            extent,
        })
    }
}

impl TryFrom<String> for SandboxPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
            .map_err(|error: SandboxPathError| format!("{error}: {}", error.help))
    }
}

impl fmt::Display for SandboxPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = ROOTS.iter().find(|(root, _)| *root == self.root);
        f.write_str(written.map_or("", |(_, written)| written))?;
        if !self.below.as_os_str().is_empty() {
            write!(f, "/{}", self.below.display())?;
        }
        f.write_str(match self.extent {
            Extent::File => "",
            Extent::Folder => "/**",
        })
    }
}

impl From<SandboxPath> for String {
    fn from(place: SandboxPath) -> Self {
        place.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_has_no_rule_for_is_an_error_and_never_a_wider_rule() {
        for told in include_str!("refused.txt").lines().skip(1) {
            let (_, text) = told.split_once('`').unwrap();
            let (text, _) = text.split_once('`').unwrap();
            let error = text.parse::<SandboxPath>().unwrap_err();
            assert_eq!(error.to_string(), told);
        }
    }

    #[test]
    fn a_place_holds_what_is_in_it_and_nothing_that_only_begins_so() {
        let place = |text: &str| text.parse::<SandboxPath>().unwrap();
        for row in include_str!("held.txt").lines().skip(1) {
            let [outer, holds, inner] = row.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let is_held = place(outer).holds(&place(inner));
            assert_eq!(is_held, holds == "holds", "{row}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_place_is_written_as_it_was_read(text in "(\\.|~|\\$\\{PRIVATE\\})?(/[a-z.]{1,4}){0,3}(/\\*\\*)?") {
            if let Ok(place) = text.parse::<SandboxPath>() {
                proptest::prop_assert_eq!(place.to_string().parse::<SandboxPath>(), Ok(place));
            }
        }
    }
}
