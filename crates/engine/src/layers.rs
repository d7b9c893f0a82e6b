//! Layers: where hooks come from, which of them a person has to trust first, and who may switch off whose.
//!
//! The hooks of all layers run. A nearer layer adds to them. It may switch off hooks of its own and of layers that are
//! nearer still, by name; never one of a layer further out, and no layer one of the administrator.
//!
//! ```
//! use anyhook_engine::layers::{LAYERS, Layer, LayerRow};
//!
//! let LayerRow { name, files, .. } = Layer::Local.row();
//! assert_eq!((*name, files[0]), ("local", "./.anyhook/hooks.local.json"));
//! assert!(LAYERS.windows(2).all(|pair| pair[0].layer < pair[1].layer), "from the outermost");
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

/// One layer.
///
/// ```
/// use anyhook_engine::layers::{Layer, LayerRow};
/// let LayerRow { summary, .. } = Layer::Managed.row();
/// assert!(summary.ends_with('.'));
/// ```
#[derive(Debug)]
pub struct LayerRow {
    /// Which it is.
    pub layer: Layer,
    /// Its name for people.
    pub name: &'static str,
    /// Its files. `$managed` and `$config` are folders of [`FOLDERS`], `~` is the person's home, `.` the project's folder or
    /// one above it, and `*` the name of a package. Of several the first that is there counts.
    pub files: &'static [&'static str],
    /// What it is for, in one sentence.
    pub summary: &'static str,
}

/// Every layer, from the outermost.
///
/// ```
/// use anyhook_engine::layers::LAYERS;
/// let names: Vec<_> = LAYERS.iter().map(|row| row.name).collect();
/// assert_eq!(names, ["managed", "user", "project", "local", "package", "named"]);
/// ```
pub static LAYERS: &[LayerRow] = &[
    LayerRow {
        layer: Layer::Managed,
        name: "managed",
        files: &["$managed/hooks.json"],
        summary: "Of the administrator: always trusted, and only the administrator switches its hooks off.",
    },
    LayerRow {
        layer: Layer::User,
        name: "user",
        files: &["$config/hooks.json"],
        summary: "The person's own, for every project: always trusted.",
    },
    LayerRow {
        layer: Layer::Project,
        name: "project",
        files: &["./.anyhook/hooks.json", "./hooks/hooks.json"],
        summary: "What came with the project; runs when a person trusts it.",
    },
    LayerRow {
        layer: Layer::Local,
        name: "local",
        files: &["./.anyhook/hooks.local.json", "./hooks/hooks.local.json"],
        summary: "Beside the project's and not committed; runs when a person trusts it.",
    },
    LayerRow {
        layer: Layer::Package,
        name: "package",
        files: &[
            "./.agent-packages/*/hooks/hooks.json",
            "~/.aam/packages/*/hooks/hooks.json",
        ],
        summary: "Of packages that were installed; each runs when a person trusts it.",
    },
    NAMED,
];

const NAMED: LayerRow = LayerRow {
    layer: Layer::Named,
    name: "named",
    files: &[],
    summary: "The file that a person named on the command line, and then no other.",
};

/// A folder of ours, and where it is on each system.
///
/// ```
/// use anyhook_engine::layers::{FOLDERS, Folder};
///
/// let managed: &Folder = FOLDERS.iter().find(|folder| folder.name == "managed").unwrap();
/// assert_eq!((managed.linux, managed.on("linux")), ("/etc/anyhook", "/etc/anyhook"));
/// assert_eq!(Folder::on(managed, "windows"), r"C:\ProgramData\anyhook");
/// ```
#[derive(Debug)]
pub struct Folder {
    /// The name by which [`LAYERS`] calls it.
    pub name: &'static str,
    /// Where it is on Linux.
    pub linux: &'static str,
    /// Where it is on macOS.
    pub macos: &'static str,
    /// Where it is on Windows.
    pub windows: &'static str,
    /// What stands in it, in one sentence.
    pub summary: &'static str,
}

/// Every folder of ours.
///
/// ```
/// use anyhook_engine::layers::FOLDERS;
/// let config = FOLDERS.iter().find(|folder| folder.name == "config").unwrap();
/// assert_eq!(config.on("macos"), config.on("linux"), "XDG on every Unix");
/// ```
pub static FOLDERS: &[Folder] = &[
    Folder {
        name: "managed",
        linux: "/etc/anyhook",
        macos: "/Library/Application Support/anyhook",
        windows: r"C:\ProgramData\anyhook",
        summary: "Hooks and settings of the administrator.",
    },
    Folder {
        name: "config",
        linux: "${XDG_CONFIG_HOME:-~/.config}/anyhook",
        macos: "${XDG_CONFIG_HOME:-~/.config}/anyhook",
        windows: r"%APPDATA%\anyhook",
        summary: "Hooks and settings of the person.",
    },
    Folder {
        name: "state",
        linux: "${XDG_STATE_HOME:-~/.local/state}/anyhook",
        macos: "${XDG_STATE_HOME:-~/.local/state}/anyhook",
        windows: r"%LOCALAPPDATA%\anyhook",
        summary: "What is remembered: sessions, reports, pins.",
    },
];

impl Folder {
    /// Returns where it is on a system, as [`std::env::consts::OS`] names it; every Unix but macOS is as Linux.
    pub fn on(&self, os: &str) -> &'static str {
        match os {
            "macos" => self.macos,
            "windows" => self.windows,
            _ => self.linux,
        }
    }
}

/// Returns the folder of the administrator.
pub(crate) fn managed() -> PathBuf {
    let folder = FOLDERS.iter().find(|folder| folder.name == "managed");
    folder
        .map(|folder| folder.on(std::env::consts::OS))
        .unwrap_or_default()
        .into()
}

impl Layer {
    /// Returns its row.
    pub fn row(self) -> &'static LayerRow {
        let row = LAYERS.iter().find(|row| row.layer == self);
        row.unwrap_or(&NAMED)
    }

    /// Returns its name for people.
    ///
    /// ```
    /// use anyhook_engine::layers::Layer;
    /// assert_eq!(Layer::name(Layer::Package), "package");
    /// ```
    pub fn name(self) -> &'static str {
        self.row().name
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

    fn names(self) -> impl Iterator<Item = &'static str> {
        let names = self.row().files.iter();
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
