//! Layers: where hooks come from, which of them a person has to trust first, and who may switch off whose (D30).
//!
//! The hooks of all layers run. A nearer layer adds to them. It may switch off hooks of its own and of layers that are
//! nearer still, by name; never one of a layer further out, and nobody one of whoever manages the machine.
//!
//! ```
//! use anyhook::layers::{LAYERS, Layer, LayerRow, may_switch_off};
//! use anyhook::load::Found;
//!
//! let LayerRow { name, files, .. } = Layer::Local.row();
//! assert_eq!((*name, files[0]), ("local", "./.anyhook/hooks.local.json"));
//! assert!(LAYERS.windows(2).all(|pair| pair[0].layer < pair[1].layer), "from the outermost");
//!
//! let user = Found { file: "/home/me/.config/anyhook/hooks.json".into(), layer: Layer::User };
//! let project = Found { file: "/p/hooks/hooks.json".into(), layer: Layer::Project };
//! let managed = Found { file: "/etc/anyhook/hooks.json".into(), layer: Layer::Managed };
//! assert!(may_switch_off(&user, &project) && !may_switch_off(&project, &user));
//! assert!(!may_switch_off(&managed, &managed));
//! ```

mod survey;

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::load::Found;
use crate::trust::package_root;
pub use survey::{Listed, Runs, Setting, Survey, Surveyed};

/// Where a manifest came from, from the outermost to the nearest.
///
/// ```
/// use anyhook::layers::Layer;
///
/// assert!(Layer::Managed < Layer::User && Layer::Project < Layer::Local);
/// assert!(Layer::Package.needs_trust() && !Layer::User.needs_trust());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The file of whoever manages the machine.
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
/// use anyhook::layers::{Layer, LayerRow};
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
/// use anyhook::layers::LAYERS;
/// let names: Vec<_> = LAYERS.iter().map(|row| row.name).collect();
/// assert_eq!(names, ["managed", "user", "project", "local", "package", "named"]);
/// ```
pub static LAYERS: &[LayerRow] = &[
    LayerRow {
        layer: Layer::Managed,
        name: "managed",
        files: &["$managed/hooks.json"],
        summary: "Of whoever manages the machine: always trusted, and nobody switches its hooks off.",
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
/// use anyhook::layers::{FOLDERS, Folder};
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
/// use anyhook::layers::FOLDERS;
/// let config = FOLDERS.iter().find(|folder| folder.name == "config").unwrap();
/// assert_eq!(config.on("macos"), config.on("linux"), "XDG on every Unix");
/// ```
pub static FOLDERS: &[Folder] = &[
    Folder {
        name: "managed",
        linux: "/etc/anyhook",
        macos: "/Library/Application Support/anyhook",
        windows: r"C:\ProgramData\anyhook",
        summary: "Hooks and settings of whoever manages the machine.",
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

/// Returns the folder of whoever manages this machine.
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
    /// use anyhook::layers::Layer;
    /// assert_eq!(Layer::name(Layer::Package), "package");
    /// ```
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Tells whether a person has to trust its files before they run (D23).
    pub fn needs_trust(self) -> bool {
        match self {
            Self::Project | Self::Local | Self::Package => true,
            Self::Managed | Self::User | Self::Named => false,
        }
    }

    /// Returns the files of this layer in a folder of a project.
    pub(crate) fn below(self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let names = self.row().files.iter();
        let names = names.filter_map(|file| file.strip_prefix("./"));
        names
            .filter(|name| !name.contains('*'))
            .map(move |name| folder.join(name))
    }
}

/// The folders of a project and of a home in which packages are installed.
pub(crate) const PACKAGES: (&str, &str) = (".agent-packages", ".aam/packages");

/// The name of a manifest in a package.
pub(crate) const OF_PACKAGE: &str = "hooks/hooks.json";

/// Returns the folder of packages that a manifest of a package stands in.
pub(crate) fn packages_of(manifest: &Path) -> Option<&Path> {
    let package = manifest.ancestors().nth(2)?;
    let packages = package.parent()?;
    let is_its = manifest.strip_prefix(package).ok()? == Path::new(OF_PACKAGE);
    let is_one = packages.ends_with(PACKAGES.0) || packages.ends_with(PACKAGES.1);
    (is_its && is_one).then_some(packages)
}

/// Tells whether a file may switch off hooks of another: those of its own layer and of nearer ones. What a project says
/// holds below its own folder only, and a package speaks for itself.
///
/// ```
/// use anyhook::layers::{Layer, may_switch_off};
/// use anyhook::load::Found;
///
/// let project = |folder: &str| Found {
///     file: format!("{folder}/hooks/hooks.json").into(),
///     layer: Layer::Project,
/// };
/// assert!(may_switch_off(&project("/p"), &project("/p/vendor")));
/// assert!(!may_switch_off(&project("/p/vendor"), &project("/p")), "a guard of the whole stays");
/// ```
pub fn may_switch_off(by: &Found, of: &Found) -> bool {
    if of.layer == Layer::Managed || by.layer > of.layer {
        return false;
    }
    match by.layer {
        Layer::Managed | Layer::User => true,
        Layer::Project | Layer::Local | Layer::Package | Layer::Named => {
            package_root(&of.file).starts_with(package_root(&by.file))
        }
    }
}

/// Tells what lets somebody else than an administrator change a file or folder of the managed layer.
///
/// ```
/// use anyhook::layers::changeable;
///
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("hooks.json");
/// std::fs::write(&file, "{}")?;
/// std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o666))?;
/// assert!(changeable(&std::fs::metadata(&file)?).is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn changeable(meta: &Metadata) -> Option<String> {
    by_owner(meta.uid(), meta.mode())
}

fn by_owner(owner: u32, mode: u32) -> Option<String> {
    if owner != 0 {
        Some(format!("it belongs to the user {owner} and not to root"))
    } else if mode & 0o002 != 0 {
        Some("everybody may write it".to_owned())
    } else if mode & 0o020 != 0 {
        Some("its group may write it".to_owned())
    } else {
        None
    }
}

/// Looks at the files of the managed layer that are there, and returns those that others may change, with why.
///
/// ```
/// use anyhook::layers::managed_trouble;
/// use anyhook::world::World;
///
/// let place = tempfile::tempdir()?;
/// let world = World { managed: place.path().join("nothing"), ..World::real() };
/// assert_eq!(managed_trouble(&world), []);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn managed_trouble(world: &crate::world::World) -> Vec<(PathBuf, String)> {
    let folder = &world.managed;
    let files = ["hooks.json", "config.toml"].map(|name| folder.join(name));
    let there = std::iter::once(folder.clone()).chain(files);
    there
        .filter_map(|path| {
            let why = changeable(&std::fs::metadata(&path).ok()?)?;
            Some((path, why))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_may_be_able_to_change_what_is_managed() {
        let told = [
            (0, 0o644),
            (0, 0o755),
            (1000, 0o644),
            (0, 0o666),
            (0, 0o664),
        ]
        .map(|(owner, mode)| by_owner(owner, mode));
        assert_eq!(
            told,
            [
                None,
                None,
                Some("it belongs to the user 1000 and not to root".into()),
                Some("everybody may write it".into()),
                Some("its group may write it".into()),
            ]
        );
    }

    #[test]
    fn every_layer_switches_off_its_own_and_nearer_ones_and_nobody_a_managed_one() {
        let at = |file: &str, layer| Found {
            file: file.into(),
            layer,
        };
        let all = [
            at("/etc/anyhook/hooks.json", Layer::Managed),
            at("/h/.config/anyhook/hooks.json", Layer::User),
            at("/p/hooks/hooks.json", Layer::Project),
            at("/p/hooks/hooks.local.json", Layer::Local),
            at("/p/.agent-packages/x/hooks/hooks.json", Layer::Package),
        ];
        let may: Vec<Vec<bool>> = all
            .iter()
            .map(|by| all.iter().map(|of| may_switch_off(by, of)).collect())
            .collect();
        assert_eq!(
            may,
            [
                [false, true, true, true, true],
                [false, true, true, true, true],
                [false, false, true, true, true],
                [false, false, false, true, true],
                [false, false, false, false, true],
            ]
        );
    }

    #[test]
    fn a_package_and_a_project_speak_for_what_stands_below_them_alone() {
        let package = |name: &str| Found {
            file: format!("/p/.agent-packages/{name}/hooks/hooks.json").into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&package("a"), &package("b")));
        let project = Found {
            file: "/p/hooks/hooks.json".into(),
            layer: Layer::Project,
        };
        let of_home = Found {
            file: "/h/.aam/packages/x/hooks/hooks.json".into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&project, &of_home));
    }

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
        assert_eq!(of("/p/.agent-packages/x/hooks/other.json"), None);
    }
}
