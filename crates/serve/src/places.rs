//! The server's own folder: private, in the state of its person.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhook::files::{self, FileError};
use anyhook::world::World;

use crate::error::ServeError;

/// The longest path of a socket that every system takes.
const LONGEST_SOCKET: usize = 100;

/// The folder of the server, `serve` in the folder where Anyhook remembers things. Only its person may enter it.
///
/// ```
/// use anyhook::world::{UserFolders, World};
/// use anyhook_serve::ServerFolder;
///
/// let place = tempfile::tempdir()?;
/// let state = place.path().join("state");
/// let places = UserFolders { home: place.path().into(), config: place.path().join("config"), state };
/// let world = World { places: Some(places), ..World::real() };
/// let folder = ServerFolder::of(&world)?;
/// assert!(folder.file("socket").starts_with(place.path()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ServerFolder(PathBuf);

impl ServerFolder {
    /// Returns the folder of a person's server, and makes it where it is missing.
    pub fn of(world: &World) -> Result<Self, ServeError> {
        let places = world.places.as_ref().ok_or_else(|| {
            let what = "there is no home folder, so no place for the tokens of clients";
            ServeError::new(78, what, "set HOME to a folder that exists")
        })?;
        let folder = places.state.join("serve");
        files::private_dir(&folder)?;
        Ok(Self(folder))
    }

    /// Returns a file of the server: its `socket`; its `lock`, which it holds as long as it runs; `running.json`, in which it
    /// says where it listens; `open.html`, by which a browser is led to the page.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the socket, or says that no system takes a path of this length.
    pub(crate) fn bindable(&self) -> Result<PathBuf, ServeError> {
        let path = self.file("socket");
        if path.as_os_str().len() > LONGEST_SOCKET {
            let what = format!("the path of the socket is too long: `{}`", path.display());
            let help = "set XDG_STATE_HOME to a folder with a shorter path";
            return Err(ServeError::new(78, what, help));
        }
        Ok(path)
    }

    /// Returns a folder of the server: the `tokens` of clients, or the `links` that let a browser in.
    pub(crate) fn below(&self, name: &str) -> Result<PathBuf, FileError> {
        let folder = self.0.join(name);
        files::private_dir(&folder)?;
        Ok(folder)
    }

    /// Makes a file that only its person reads, and that was not there.
    pub(crate) fn create(file: &Path) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(file)
    }
}
