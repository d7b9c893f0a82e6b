//! Places: folders and files, which is all that the kernel's rules know.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::roots::Roots;

/// A place as people write it: `./**` is all of the project, `~/.gitconfig` one file of the home.
///
/// The kernel's rules know folders with all that is in them, and single files. A pattern that says anything else is an error,
/// because the next rule that the kernel could hold would be a wider one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Place {
    root: Root,
    below: PathBuf,
    extent: Extent,
}

/// Where a place is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Project,
    Home,
    Package,
    Private,
    System,
}

/// How each root is written.
const ROOTS: &[(Root, &str)] = &[
    (Root::Project, "."),
    (Root::Project, "${PROJECT_ROOT}"),
    (Root::Project, "${PROJECT_DIR}"),
    (Root::Home, "~"),
    (Root::Package, "${PACKAGE_ROOT}"),
    (Root::Private, "${PRIVATE}"),
];

/// How much of a place is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The file of this name.
    File,
    /// The folder of this name, with all that is in it.
    Folder,
}

/// Returns the folder that a root stands for.
fn folder(roots: &Roots, root: Root) -> Option<&Path> {
    match root {
        Root::Project => Some(&roots.project),
        Root::Home => roots.home.as_deref(),
        Root::Package => roots.package.as_deref(),
        Root::Private => roots.private.as_deref(),
        Root::System => Some(Path::new("/")),
    }
}

/// A place that cannot be said to the kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}` {kind}")]
pub struct PlaceError {
    /// The place, as it was written.
    pub place: String,
    kind: Unsayable,
}

impl PlaceError {
    /// A path that is no text.
    pub(crate) fn not_text(path: &Path) -> Self {
        Self {
            place: path.display().to_string(),
            kind: Unsayable::NotText,
        }
    }

    /// Says what to write instead.
    pub fn help(&self) -> &'static str {
        self.kind.help()
    }
}

/// Why a place cannot be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unsayable {
    Pattern,
    Loose,
    Upward,
    NotText,
    NoHome,
    NoPackage,
}

impl Unsayable {
    fn help(self) -> &'static str {
        match self {
            Self::Pattern => {
                "name a folder with all that is in it (`./src/**`), or one file (`./notes.txt`)"
            }
            Self::Loose => {
                "begin with `./` (the project), `~/` (the home), `/`, `${PACKAGE_ROOT}/` or `${PRIVATE}/`"
            }
            Self::Upward => "name the folder itself, without `..`",
            Self::NotText => "rename the folder, or name one above it",
            Self::NoHome => "set HOME, or write the folder from `/` on",
            Self::NoPackage => {
                "only a hook of a package has these folders: write the folder from `/` on"
            }
        }
    }
}

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pattern => "is a pattern, and the kernel knows folders and files only",
            Self::Loose => "does not say where it begins",
            Self::Upward => "goes up, so it could be any folder",
            Self::NotText => "has a name that is no text",
            Self::NoHome => "is in the home, and there is none",
            Self::NoPackage => "is of a package, and no package is confined here",
        })
    }
}

/// The signs that make a pattern of a name.
const SIGNS: &[char] = &['*', '?', '[', ']', '{', '}'];

impl Place {
    fn all_of(root: Root) -> Self {
        Self {
            root,
            below: PathBuf::new(),
            extent: Extent::Folder,
        }
    }

    /// All of the project.
    pub fn project() -> Self {
        Self::all_of(Root::Project)
    }

    /// All of the package.
    pub fn package() -> Self {
        Self::all_of(Root::Package)
    }

    /// All of the package's private folder.
    pub fn private() -> Self {
        Self::all_of(Root::Private)
    }

    /// Finds the place below these folders.
    pub fn target(&self, roots: &Roots) -> Result<Target, PlaceError> {
        let refused = |kind| PlaceError {
            place: self.to_string(),
            kind,
        };
        let missing = match self.root {
            Root::Home => Unsayable::NoHome,
            Root::Project | Root::Package | Root::Private | Root::System => Unsayable::NoPackage,
        };
        let root = folder(roots, self.root).ok_or_else(|| refused(missing))?;
        let target = Target::new(&root.join(&self.below), self.extent);
        target.ok_or_else(|| refused(Unsayable::NotText))
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let refused = |kind| PlaceError {
            place: text.to_owned(),
            kind,
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
            None if text.starts_with('/') => (Root::System, folder),
            None if folder.contains(SIGNS) && !text.starts_with("${") => {
                return Err(refused(Unsayable::Pattern));
            }
            None => return Err(refused(Unsayable::Loose)),
        };
        if rest.contains(SIGNS) {
            return Err(refused(Unsayable::Pattern));
        }
        let mut below = PathBuf::new();
        for part in Path::new(rest).components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::ParentDir => return Err(refused(Unsayable::Upward)),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        if extent == Extent::File && below.as_os_str().is_empty() {
            // A whole root without `/**`: the kernel has no rule for a folder without what is in it.
            return Err(refused(Unsayable::Pattern));
        }
        Ok(Self {
            root,
            below,
            extent,
        })
    }
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
            .map_err(|error: PlaceError| format!("{error}: {}", error.help()))
    }
}

impl fmt::Display for Place {
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

impl From<Place> for String {
    fn from(place: Place) -> Self {
        place.to_string()
    }
}

/// A place that is found: an absolute path, which ends in `/` where all below it is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Target {
    path: String,
    extent: Extent,
}

impl Target {
    /// Takes a path. It reaches the helper as text, so one that is no text is no target.
    fn new(path: &Path, extent: Extent) -> Option<Self> {
        let path = path.to_str()?.trim_end_matches('/').to_owned();
        Some(Self { path, extent })
    }

    /// Takes a folder with all that is in it.
    pub(crate) fn folder(path: &Path) -> Option<Self> {
        Self::new(path, Extent::Folder)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        Path::new(if self.path.is_empty() {
            "/"
        } else {
            &self.path
        })
    }

    /// Says whether all below the path is meant.
    pub fn is_folder(&self) -> bool {
        self.extent == Extent::Folder
    }
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if !Path::new(&text).is_absolute() {
            return Err(format!("`{text}` is no path from the root on"));
        }
        let extent = if text.ends_with('/') {
            Extent::Folder
        } else {
            Extent::File
        };
        Ok(Self {
            path: text.trim_end_matches('/').to_owned(),
            extent,
        })
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        match target.extent {
            Extent::File => target.path,
            Extent::Folder => target.path + "/",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        Roots {
            project: "/home/ann/[shop]".into(),
            home: Some("/home/ann".into()),
            package: None,
            private: None,
            programs: Vec::new(),
        }
    }

    fn found(text: &str) -> String {
        let place: Place = text.parse().unwrap_or_else(|error| panic!("{error}"));
        place
            .target(&roots())
            .unwrap_or_else(|error| panic!("{error}"))
            .into()
    }

    #[test]
    fn folders_and_files_are_found_below_their_roots() {
        for (text, target) in [
            ("./**", "/home/ann/[shop]/"),
            ("${PROJECT_ROOT}/**", "/home/ann/[shop]/"),
            ("./src/./lib/**", "/home/ann/[shop]/src/lib/"),
            ("./notes.txt", "/home/ann/[shop]/notes.txt"),
            ("~/**", "/home/ann/"),
            ("~/.ssh/config", "/home/ann/.ssh/config"),
            ("/**", "/"),
            ("/var//tmp/**", "/var/tmp/"),
            ("./a\nb", "/home/ann/[shop]/a\nb"),
        ] {
            assert_eq!(found(text), target, "{text}");
            let target: Target = target.to_owned().try_into().unwrap();
            assert_eq!(
                String::from(target.clone()),
                found(text),
                "the helper reads what was written"
            );
            assert!(target.path().is_absolute());
        }
    }

    #[test]
    fn what_the_kernel_has_no_rule_for_is_an_error_and_never_a_wider_rule() {
        for (text, why) in [
            ("./src/*.rs", "is a pattern"),
            ("./src/*", "is a pattern"),
            ("./**/secret", "is a pattern"),
            ("./{a,b}/**", "is a pattern"),
            ("./a?/**", "is a pattern"),
            ("./[a]/**", "is a pattern"),
            ("**", "is a pattern"),
            ("*", "is a pattern"),
            (".", "is a pattern"),
            ("~", "is a pattern"),
            ("/", "is a pattern"),
            ("", "does not say where it begins"),
            ("src/**", "does not say where it begins"),
            ("~ann/**", "does not say where it begins"),
            (".ssh/**", "does not say where it begins"),
            ("$HOME/**", "does not say where it begins"),
            ("${HOME}/**", "does not say where it begins"),
            ("./../**", "goes up"),
            ("~/a/../../**", "goes up"),
            ("/tmp/..", "goes up"),
        ] {
            let refused = text.parse::<Place>().map(|place| place.to_string());
            let refused = refused.map_err(|error| error.to_string());
            assert!(
                matches!(&refused, Err(told) if told.starts_with(&format!("`{text}` {why}"))),
                "{text}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_place_without_its_root_is_named() {
        let package: Place = "${PACKAGE_ROOT}/lib/**".parse().unwrap();
        let told = package.target(&roots()).unwrap_err();
        assert_eq!(
            told.to_string(),
            "`${PACKAGE_ROOT}/lib/**` is of a package, and no package is confined here"
        );
        let nowhere = Roots {
            home: None,
            ..roots()
        };
        let home: Place = "~/x".parse().unwrap();
        assert_eq!(
            home.target(&nowhere).unwrap_err().help(),
            "set HOME, or write the folder from `/` on"
        );
    }

    proptest::proptest! {
        #[test]
        fn a_place_is_written_as_it_was_read(text in "(\\.|~|\\$\\{PRIVATE\\})?(/[a-z.]{1,4}){0,3}(/\\*\\*)?") {
            if let Ok(place) = text.parse::<Place>() {
                proptest::prop_assert_eq!(place.to_string().parse::<Place>(), Ok(place));
            }
        }
    }
}
