//! One server per person: the lock that it holds, and what other processes can read about it.

use std::time::Duration;

use anyhook::files::{self, Durability, FileError, FileLock};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::error::ServeError;
use crate::page;
use crate::places::ServerFolder;

/// The file in which a server says where it listens, and what is said of one that did not yet.
const RUNNING: &str = "running.json";
const STARTING: &str = "it is starting";
/// The longest file that says where a server listens.
const LONGEST: u64 = 16 * 1024;
/// How long a server is given to end.
const PATIENCE: Duration = Duration::from_secs(15);

/// A server that runs, as it says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInstance {
    /// The version of the program.
    pub version: String,
    /// Its process.
    pub pid: i32,
    /// The address on which it listens, such as `127.0.0.1:7467`.
    pub address: String,
    /// The socket on which it listens.
    pub socket: std::path::PathBuf,
    /// The name of this machine by which a browser reaches the page: only its person knows it, so that no other server of this
    /// machine is sent the page's cookie.
    #[serde(default)]
    pub page: String,
}

impl ServerInstance {
    /// Makes a link that lets one browser in, once, by the name for browsers and by the address.
    pub fn links(&self, folder: &ServerFolder) -> Result<[String; 2], ServeError> {
        let (address, page, secret) = (&self.address, &self.page, page::link(folder)?);
        let port = address.rsplit(':').next().unwrap_or_default();
        let named = format!("http://{page}:{port}/open/{secret}");
        Ok([named, format!("http://{address}/open/{secret}")])
    }

    /// Says it in one line.
    pub(crate) fn line(&self) -> String {
        let (version, pid, address) = (&self.version, self.pid, &self.address);
        let socket = self.socket.display();
        format!("version {version}, process {pid}, {address} and {socket}")
    }
}

/// How long a server that starts waits for one who only looks whether a server runs.
const LOOKING: Duration = Duration::from_millis(200);

/// Takes the lock of the one server, which is held as long as it lives.
pub(crate) fn take(folder: &ServerFolder) -> Result<FileLock, ServeError> {
    let Some(lock) = lock(folder, LOOKING)? else {
        let what = said(folder).map_or_else(|| STARTING.to_owned(), |it| it.line());
        return Err(ServeError::runs(&what));
    };
    // What a server that was killed said of itself holds no longer.
    forget(folder);
    Ok(lock)
}

/// Takes the lock; nothing where a server has it for all that time.
fn lock(folder: &ServerFolder, patience: Duration) -> Result<Option<FileLock>, FileError> {
    match files::lock(&folder.file("lock"), patience) {
        Err(FileError::Busy { .. }) => Ok(None),
        taken => taken.map(Some),
    }
}

/// Says where the server listens.
pub(crate) fn tell(folder: &ServerFolder, running: &ServerInstance) -> Result<(), ServeError> {
    let text =
        serde_json::to_vec(running).map_err(ServeError::io("write down where it listens"))?;
    Ok(files::replace(
        &folder.file(RUNNING),
        &text,
        Durability::No,
    )?)
}

/// Forgets where a server listened.
pub(crate) fn forget(folder: &ServerFolder) {
    // Where it cannot be removed, the lock still says that none runs.
    let _ = std::fs::remove_file(folder.file(RUNNING));
}

/// Returns the server that runs, if one does.
pub(crate) fn find(folder: &ServerFolder) -> Result<Option<ServerInstance>, ServeError> {
    if lock(folder, Duration::ZERO)?.is_some() {
        return Ok(None);
    }
    let running = said(folder).ok_or_else(|| ServeError::runs(STARTING))?;
    Ok(Some(running))
}

/// Ends the server that runs, and waits until it has.
pub(crate) fn stop(folder: &ServerFolder) -> Result<ServerInstance, ServeError> {
    let running = find(folder)?.ok_or_else(ServeError::stopped)?;
    // No number but that of one process: others mean a whole group of them.
    let pid = Some(running.pid).filter(|pid| *pid > 1);
    let pid = pid
        .and_then(Pid::from_raw)
        .ok_or_else(ServeError::stopped)?;
    kill_process(pid, Signal::TERM).map_err(|error| {
        let error = std::io::Error::from(error);
        ServeError::io("end the server")(error)
    })?;
    if lock(folder, PATIENCE)?.is_none() {
        let what = format!("the server, process {}, has not ended", running.pid);
        let help = "an event may be long; try again, or end the process yourself";
        return Err(ServeError::new(74, what, help));
    }
    Ok(running)
}

fn said(folder: &ServerFolder) -> Option<ServerInstance> {
    let bytes = files::read(&folder.file(RUNNING), LONGEST).ok()??;
    serde_json::from_slice(&bytes).ok()
}
