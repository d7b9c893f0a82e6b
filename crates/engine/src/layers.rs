//! Layers: where hooks come from, which of them a person has to trust first, and who may switch off whose.
//!
//! The hooks of all layers run. A nearer layer adds to them. It may switch off hooks of its own and of layers that are
//! nearer still, by name; never one of a layer further out, and no layer one of the administrator.
//!
//! ```
//! use anyhook_engine::layers::{LAYERS, Layer};
//!
//! assert_eq!((Layer::Local.name(), Layer::Local.files()[0]), ("local", "./.anyhook/hooks.local.json"));
//! assert!(LAYERS.windows(2).all(|pair| pair[0] < pair[1]), "from the outermost");
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a manifest came from, from the outermost to the nearest.
///
/// ```
/// use anyhook_engine::layers::Layer;
///
/// assert!(Layer::Managed < Layer::User && Layer::Project < Layer::Local);
/// assert!(Layer::Package.needs_trust() && !Layer::User.needs_trust());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Layer {
    /// The file of the administrator.
    Managed,
    /// The person's own file, for every project.
    User,
    /// A file that came with a project, or was named by a host's command line.
    Project,
    /// The file beside a project's that is not committed.
    Local,
    /// The file of a package that was installed.
    Package,
    /// A file that the person named on a command line; no other holds then.
    Named,
}

/// The layers that have files of their own, from the outermost.
///
/// ```
/// use anyhook_engine::layers::LAYERS;
/// let names: Vec<_> = LAYERS.iter().map(|layer| layer.name()).collect();
/// assert_eq!(names, ["managed", "user", "project", "local", "package"]);
/// ```
pub const LAYERS: [Layer; 5] = [
    Layer::Managed,
    Layer::User,
    Layer::Project,
    Layer::Local,
    Layer::Package,
];

/// Returns the folder of the administrator.
pub(crate) fn managed() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/anyhook"
    } else {
        "/etc/anyhook"
    })
}

impl Layer {
    /// Returns its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Package => "package",
            Self::Named => "named",
        }
    }

    /// Returns its files. `$managed` and `$config` are the folders of the administrator and of the person, `~` is the person's
    /// home, `.` the project's folder or one above it, and `*` the name of a package. Of several the first that is there counts.
    pub const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Managed => &["$managed/hooks.json"],
            Self::User => &["$config/hooks.json"],
            Self::Project => &["./.anyhook/hooks.json", "./hooks/hooks.json"],
            Self::Local => &["./.anyhook/hooks.local.json", "./hooks/hooks.local.json"],
            Self::Package => &[
                "./.agent-packages/*/hooks/hooks.json",
                "~/.aam/packages/*/hooks/hooks.json",
            ],
            Self::Named => &[],
        }
    }

    /// Tells whether a person has to trust its files before they run.
    pub fn needs_trust(self) -> bool {
        match self {
            Self::Project | Self::Local | Self::Package => true,
            Self::Managed | Self::User | Self::Named => false,
        }
    }

    /// Returns the files of this layer in a folder of a project.
    pub(crate) fn below(self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        self.names().map(move |name| folder.join(name))
    }

    /// Returns the folder whose manifest of this layer a file is.
    pub(crate) fn folder_of(self, file: &Path) -> Option<&Path> {
        let name = self
            .names()
            .map(Path::new)
            .find(|name| file.ends_with(name))?;
        file.ancestors().nth(name.components().count())
    }

    /// Returns their names below such a folder.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let names = self.files().iter();
        let names = names.filter_map(|file| file.strip_prefix("./"));
        names.filter(|name| !name.contains('*'))
    }
}

/// The folders of a project and of a home in which packages are installed.
pub(crate) const PACKAGES: (&str, &str) = (".agent-packages", ".aam/packages");

/// The name of a manifest in a package.
pub(crate) const OF_PACKAGE: &str = "hooks/hooks.json";

/// Returns the folder of packages that a manifest of a package stands in. A manifest stands in a folder of its package.
pub(crate) fn packages_of(manifest: &Path) -> Option<&Path> {
    let is_one = |folder: &&Path| folder.ends_with(PACKAGES.0) || folder.ends_with(PACKAGES.1);
    manifest.ancestors().skip(3).find(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_known_by_its_place() {
        let of = |path: &'static str| packages_of(Path::new(path));
        assert_eq!(
            of("/p/.agent-packages/x/hooks/hooks.json"),
            Some(Path::new("/p/.agent-packages"))
        );
        assert_eq!(
            of("/h/.aam/packages/x/hooks/hooks.json"),
            Some(Path::new("/h/.aam/packages"))
        );
        assert_eq!(of("/p/x/hooks/hooks.json"), None);
        assert_eq!(of("/p/.agent-packages/hooks/hooks.json"), None);
        assert_eq!(
            of("/p/.agent-packages/x/claude-hooks/hooks.json"),
            Some(Path::new("/p/.agent-packages"))
        );
    }
}
