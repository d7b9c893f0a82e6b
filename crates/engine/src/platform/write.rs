//! Writing what this platform can do into a project: into its own folder for packages, and through no link.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;
use serde_json::Value;

use super::FILE;
use crate::files::FileError;

/// The most that is read of a file that stands there already.
const LONGEST: u64 = 1024 * 1024;

/// Whether the folder for packages is made where it is missing.
///
/// ```
/// use anyhook_engine::platform::Folder;
/// assert_ne!(Folder::Wanted, Folder::Made);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// It has to be there: it says that the project wants the file.
    Wanted,
    /// It is made.
    Made,
}

/// Whether something was written.
///
/// ```
/// use anyhook_engine::platform::{Folder, Wrote, write};
///
/// let project = tempfile::tempdir()?;
/// let wrote = write(project.path(), &serde_json::json!({}), Folder::Wanted)?;
/// assert_eq!(wrote, Wrote::NoFolder);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// The file is new, or says something else than it did.
    Yes,
    /// It said the same already.
    Same,
    /// The project has no folder for packages.
    NoFolder,
}

/// Writes the facts into a project. A link in the place of the folder or of the file is never followed: the first is an
/// error, and the second is replaced.
///
/// ```
/// use anyhook_engine::platform::{FILE, Folder, Wrote, capabilities, write};
///
/// let project = tempfile::tempdir()?;
/// let facts = capabilities();
/// assert_eq!(write(project.path(), &facts, Folder::Wanted)?, Wrote::NoFolder);
/// assert_eq!(write(project.path(), &facts, Folder::Made)?, Wrote::Yes);
/// assert_eq!(write(project.path(), &facts, Folder::Wanted)?, Wrote::Same);
/// let text = std::fs::read_to_string(project.path().join(FILE))?;
/// assert_eq!(serde_json::from_str::<serde_json::Value>(&text)?, facts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(project: &Path, facts: &Value, folder: Folder) -> Result<Wrote, FileError> {
    let (inside, name) = FILE.split_once('/').unwrap_or(("", FILE));
    let at = project.join(inside);
    let io = |doing, errno: Errno| FileError::Io {
        doing,
        path: project.join(FILE),
        source: errno.into(),
    };
    if folder == Folder::Made {
        match mkdirat(CWD, &at, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(io("make the folder of", errno)),
        }
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // What is made in the folder is made in this one, whatever stands at its path by then.
    let dir = match openat(CWD, &at, flags | OFlags::RDONLY, Mode::empty()) {
        Ok(dir) => dir,
        Err(Errno::NOENT) => return Ok(Wrote::NoFolder),
        Err(errno) => return Err(io("open the folder of", errno)),
    };
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(facts).unwrap_or_default()
    );
    let reading = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(there) = openat(&dir, name, reading, Mode::empty())
        && says(there.into(), &text)
    {
        return Ok(Wrote::Same);
    }
    let fresh = format!("{name}.{}", std::process::id());
    let making =
        OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // What a process of this number left here when it was ended.
    _ = unlinkat(&dir, &*fresh, AtFlags::empty());
    let made = openat(&dir, &*fresh, making, Mode::from_raw_mode(0o644));
    let mut made = File::from(made.map_err(|errno| io("make", errno))?);
    let written = made
        .write_all(text.as_bytes())
        .map_err(|source| FileError::Io {
            doing: "write",
            path: project.join(FILE),
            source,
        });
    let moved = written
        .and_then(|()| renameat(&dir, &*fresh, &dir, name).map_err(|errno| io("replace", errno)));
    if moved.is_err() {
        _ = unlinkat(&dir, &*fresh, AtFlags::empty());
    }
    moved.map(|()| Wrote::Yes)
}

fn says(file: File, text: &str) -> bool {
    let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
    let mut found = Vec::new();
    is_file && file.take(LONGEST).read_to_end(&mut found).is_ok() && found == text.as_bytes()
}
