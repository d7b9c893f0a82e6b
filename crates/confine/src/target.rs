//! Places as absolute paths, which is the form that the helper program gets.

use std::path::Path;

use anyhook_core::sandbox::{Extent, PathRoot, SandboxPath, SandboxPathError};
use serde::{Deserialize, Serialize};

use crate::roots::Roots;

/// A path that is no text: it would be another one in a line.
pub(crate) fn not_text(place: &impl ToString) -> SandboxPathError {
    SandboxPathError {
        place: place.to_string(),
        why: "has a name that is no text",
        help: "rename the folder, or name one above it",
    }
}

/// A place that is found: an absolute path, which ends in `/` where all below it is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResolvedPath {
    path: String,
    extent: Extent,
}

impl ResolvedPath {
    /// Finds a place below these folders.
    pub fn of(place: &SandboxPath, roots: &Roots) -> Result<Self, SandboxPathError> {
        let root = match place.root {
            PathRoot::Project => Some(&*roots.project),
            PathRoot::Home => roots.home.as_deref(),
            PathRoot::Package => roots.package.as_deref(),
            PathRoot::Private => roots.private.as_deref(),
            PathRoot::System => Some(Path::new("/")),
        };
        let root = root.ok_or_else(|| nowhere(place))?;
        let target = Self::new(&root.join(&place.below), place.extent);
        target.ok_or_else(|| not_text(place))
    }

    /// Takes a path. It reaches the helper as text, so one that is no text is no target.
    fn new(path: &Path, extent: Extent) -> Option<Self> {
        let path = path.to_str()?.trim_end_matches('/').to_owned();
        Some(Self { path, extent })
    }

    /// Takes one file.
    pub fn file(path: &Path) -> Option<Self> {
        Self::new(path, Extent::File)
    }

    /// Takes a folder with all that is in it.
    pub fn folder(path: &Path) -> Option<Self> {
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

impl TryFrom<String> for ResolvedPath {
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

impl From<ResolvedPath> for String {
    fn from(target: ResolvedPath) -> Self {
        match target.extent {
            Extent::File => target.path,
            Extent::Folder => target.path + "/",
        }
    }
}

/// A place that is counted from a folder which there is not.
fn nowhere(place: &SandboxPath) -> SandboxPathError {
    let (why, help) = match place.root {
        PathRoot::Home => (
            "is in the home, and there is none",
            "set HOME, or write the folder from `/` on",
        ),
        PathRoot::Project | PathRoot::Package | PathRoot::Private | PathRoot::System => (
            "is of a package, and no package is confined here",
            "only a hook has these folders: write the folder from `/` on",
        ),
    };
    SandboxPathError {
        place: place.to_string(),
        why,
        help,
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

    fn found(text: &str) -> Result<ResolvedPath, SandboxPathError> {
        let place: SandboxPath = text.parse().unwrap_or_else(|error| panic!("{error}"));
        ResolvedPath::of(&place, &roots())
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
            let found = found(text).unwrap();
            assert_eq!(String::from(found.clone()), target, "{text}");
            let target: ResolvedPath = target.to_owned().try_into().unwrap();
            assert_eq!(target, found, "the helper reads what was written");
            assert!(target.path().is_absolute());
        }
    }

    #[test]
    fn a_place_without_its_root_is_named() {
        let told = found("${PACKAGE_ROOT}/lib/**").unwrap_err();
        assert_eq!(
            told.to_string(),
            "`${PACKAGE_ROOT}/lib/**` is of a package, and no package is confined here"
        );
        let nowhere = Roots {
            home: None,
            ..roots()
        };
        let home: SandboxPath = "~/x".parse().unwrap();
        assert_eq!(
            ResolvedPath::of(&home, &nowhere).unwrap_err().help,
            "set HOME, or write the folder from `/` on"
        );
    }
}
