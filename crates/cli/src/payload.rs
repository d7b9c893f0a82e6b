//! The event as a hook's own commands see it: `get` and `say`, called many times by one hook.
//!
//! Where anyhook runs the hook, the payload is a private file named by `ANYHOOK_PAYLOAD` (D27). Where an agent runs the
//! hook itself, the first call reads the standard input and keeps it for the next call of the same hook.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use anyhook::files;
use sha2::{Digest, Sha256};

use crate::error::Problem;
use crate::exit::Exit;

/// More than this is no event.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// Returns the bytes of the event that the calling hook was asked about.
pub fn read() -> Result<Vec<u8>, Problem> {
    if let Some(file) = std::env::var_os("ANYHOOK_PAYLOAD").map(PathBuf::from) {
        return bounded(open(&file).map_err(|error| Problem::unreadable(&file, error))?);
    }
    let kept = kept_file();
    if let Some(bytes) = kept
        .as_ref()
        .and_then(|file| bounded(open(file).ok()?).ok())
    {
        return Ok(bytes);
    }
    let bytes = stdin()?;
    if let Some(file) = kept {
        keep(&file, &bytes);
    }
    Ok(bytes)
}

/// Reads all of standard input, up to the bound.
pub fn stdin() -> Result<Vec<u8>, Problem> {
    bounded(std::io::stdin().lock())
}

fn open(file: &std::path::Path) -> std::io::Result<File> {
    files::open_private(file)
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
    let name = Sha256::digest(format!("{parent}:{began}"));
    let name: String = name
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(places.payloads().join(name))
}

/// Keeps the standard input for the next call, and forgets what other hooks left. Without a file the next call finds
/// nothing to read, and says so.
fn keep(file: &std::path::Path, bytes: &[u8]) {
    let Some(folder) = file.parent() else { return };
    if files::private_dir(folder).is_err() {
        return;
    }
    files::sweep(folder, std::time::Duration::from_mins(10));
    let Ok(mut kept) = tempfile::NamedTempFile::new_in(folder) else {
        return;
    };
    if kept.write_all(bytes).is_ok() {
        let _ = kept.persist(file);
    }
}
