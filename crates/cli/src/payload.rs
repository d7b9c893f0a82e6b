//! The event as a hook's own commands see it: `get` and `say`, called many times by one hook.
//!
//! Where anyhook runs the hook, the payload is a private file named by `ANYHOOK_PAYLOAD` (D27). Where an agent runs the
//! hook itself, the first call reads the standard input and keeps it for the next call of the same hook.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::files::{self, Durable};

use crate::error::Problem;
use crate::exit::Exit;

/// More than this is no event.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;

/// What one hook left for its next call is forgotten after this time.
const KEPT: Duration = Duration::from_mins(10);

/// Returns the bytes of the event that the calling hook was asked about.
pub(crate) fn read() -> Result<Vec<u8>, Problem> {
    if let Some(file) = std::env::var_os("ANYHOOK_PAYLOAD").map(PathBuf::from) {
        let found = kept_in(&file)?;
        return found.ok_or_else(|| {
            Problem::new(Exit::NoInput, "the file named by ANYHOOK_PAYLOAD is gone")
        });
    }
    let kept = kept_file();
    if let Some(bytes) = kept.as_ref().and_then(|file| kept_in(file).ok().flatten()) {
        return Ok(bytes);
    }
    let bytes = stdin()?;
    if let Some(file) = kept {
        keep(&file, &bytes);
    }
    Ok(bytes)
}

fn kept_in(file: &Path) -> Result<Option<Vec<u8>>, Problem> {
    files::read(file, LARGEST)
        .map_err(|error| Problem::new(Exit::NoInput, "cannot read the event").because(error))
}

/// Reads all of standard input, up to the bound.
pub(crate) fn stdin() -> Result<Vec<u8>, Problem> {
    bounded(std::io::stdin().lock())
}

fn bounded(from: impl Read) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Problem::new(Exit::Io, "cannot read the event").because(error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Problem::new(Exit::Data, "the event is larger than 64 MiB"));
    }
    Ok(bytes)
}

/// Names the file in which the standard input of this hook is kept: by the process that calls us and the moment it
/// began, so that no other hook ever reads it.
fn kept_file() -> Option<PathBuf> {
    let parent = rustix::process::getppid()?.as_raw_nonzero();
    let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).ok()?;
    // The name of a program may hold anything: the fields begin after its closing bracket.
    let began = stat
        .rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .to_owned();
    let places = anyhook::world::World::real().places?;
    let name = files::name_of(&[parent.to_string().as_bytes(), began.as_bytes()]);
    Some(places.payloads().join(name))
}

/// Keeps the standard input for the next call, and forgets what other hooks left. Without a file the next call finds
/// nothing to read, and says so.
fn keep(file: &Path, bytes: &[u8]) {
    let Some(folder) = file.parent() else { return };
    if files::private_dir(folder).is_err() {
        return;
    }
    for old in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = old
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            let _ = std::fs::remove_file(old.path());
        }
    }
    let _ = files::replace(file, bytes, Durable::No);
}
