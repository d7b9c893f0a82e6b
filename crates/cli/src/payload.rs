//! The event as `get` and `say` see it, the commands that one hook calls many times.
//!
//! Where anyhook runs the hook, the payload is a private file named by `ANYHOOK_PAYLOAD`. Where an agent runs the
//! hook itself, the first call reads the standard input and keeps it for the next call of the same hook, which finds it empty.

use std::io::{IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use anyhook::files::{self, Durability};
use anyhook::world::{MARK, World};

use crate::error::CliError;
use crate::exit::Exit;
use crate::ui;

/// More than this is no event: one with a large file in it is.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;

/// Returns the bytes of the event that the calling hook was asked about.
///
/// A file that no longer holds what its name says was written to by another hook: then the standard input counts.
pub(crate) fn read() -> Result<Vec<u8>, CliError> {
    let given = std::env::var_os("ANYHOOK_PAYLOAD").map(PathBuf::from);
    let digest = given.as_deref().and_then(digest);
    let is_it = |bytes: &Vec<u8>| digest.is_none_or(|digest| files::digest(bytes) == digest);
    if let Some(file) = &given {
        match kept_in(file) {
            Ok(Some(bytes)) if is_it(&bytes) => return Ok(bytes),
            Err(problem) if digest.is_none() => return Err(problem),
            Ok(None) if digest.is_none() => {
                return Err(changed("the file named by ANYHOOK_PAYLOAD is gone"));
            }
            Ok(_) | Err(_) => {}
        }
    }
    expects("the event");
    let kept = kept_file();
    // What stands on the standard input comes first: a parent that outlives its hooks must not hand one hook's event to
    // the next. Only a call that finds it read already asks what an earlier call of the same hook kept.
    let bytes = stdin()?;
    if bytes.is_empty() {
        let found = kept.as_ref().and_then(|file| kept_in(file).ok().flatten());
        if let Some(bytes) = found.filter(is_it) {
            return Ok(bytes);
        }
    }
    if !is_it(&bytes) {
        return Err(changed(
            "the file named by ANYHOOK_PAYLOAD was changed by another hook",
        ));
    }
    if let Some(file) = kept.filter(|_| !bytes.is_empty()) {
        keep(&file, &bytes);
    }
    Ok(bytes)
}

fn changed(what: &str) -> CliError {
    CliError::new(Exit::NoInput, what)
}

/// Returns what the name of a payload's file says about its content: only our own code names it by that.
fn digest(file: &Path) -> Option<&str> {
    let (digest, _) = file.file_name()?.to_str()?.split_once('-')?;
    let is_one = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then_some(digest)
}

fn kept_in(file: &Path) -> Result<Option<Vec<u8>>, CliError> {
    files::read(file, LARGEST)
        .map_err(|error| CliError::new(Exit::NoInput, "cannot read the event").because(error))
}

/// Says that a command of ours failed inside a hook: it did not see the event, whatever its shell goes on with.
pub(crate) fn failed() {
    let Some(mark) = std::env::var_os(MARK).map(PathBuf::from) else {
        return;
    };
    // Every program can set a variable: nothing is removed but an empty file of the name that we give.
    let name = mark.file_name().and_then(|name| name.to_str());
    let is_mark = name.is_some_and(|name| name.starts_with("mark-"));
    let meta = mark.symlink_metadata();
    if is_mark && meta.is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
        // A hook that runs confined may only write into it.
        if std::fs::remove_file(&mark).is_err() {
            let _ = std::fs::write(&mark, "failed\n");
        }
    }
}

/// Tells a person who is expected to type, so that waiting does not look like hanging.
pub(crate) fn expects(what: &str) {
    if std::io::stdin().is_terminal() {
        ui::err(&format!(
            "reading {what} from the terminal; end it with Ctrl-D\n"
        ));
    }
}

/// Reads all of standard input, up to the bound.
pub(crate) fn stdin() -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let stdin = std::io::stdin().lock();
    stdin
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::new(Exit::Io, "cannot read the event").because(error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(CliError::new(Exit::Data, "the event is larger than 64 MiB"));
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
    let places = World::real().places?;
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
    World::real().sweep_payloads();
    let _ = files::replace(file, bytes, Durability::No);
}
