//! Finds the file of a program, starts it, and says why it does not start.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhook_confine::AccessMonitor;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::starting::start_with;
use super::{Job, start};
use crate::text::line;

/// Finds the executable file that a name stands for, without a shell.
///
/// A name with a slash counts from `cwd`; any other is looked for in the directories of `path`, a value of `PATH`.
/// Entries that are empty or relative are skipped: they mean the directory we stand in, which is a stranger's
/// repository, and a file there must not pass for `git`. What is no regular file, or not executable by us, is skipped.
///
/// ```
/// use std::ffi::OsStr;
/// use std::path::Path;
///
/// use anyhook_engine::processes::find_program;
///
/// let sh = find_program(OsStr::new("sh"), OsStr::new("/usr/bin:/bin"), Path::new("/"));
/// assert!(sh.is_some_and(|file| file.ends_with("sh")));
/// // What lies in the folder we stand in does not pass for a program, whatever `PATH` says.
/// assert_eq!(find_program(OsStr::new("sh"), OsStr::new(":."), Path::new("/bin")), None);
/// ```
pub fn find_program(name: &OsStr, path: &OsStr, cwd: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.as_bytes().contains(&b'/') {
        return Some(cwd.join(name)).filter(|file| is_program(file));
    }
    std::env::split_paths(path)
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(name))
        .find(|file| is_program(file))
}

/// Where the programs of the machine are. Not `PATH`: what stands there may come from the agent that hooks guard.
pub(crate) const SYSTEM: &str = "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin";

/// Finds a program of the machine.
pub(crate) fn system_program(name: &str) -> Option<PathBuf> {
    find_program(name.as_ref(), SYSTEM.as_ref(), Path::new("/"))
}

pub(crate) fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

/// Tells whether a file may be a script: what holds a zero byte in its head is none.
fn is_text(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(256).read_to_end(&mut head));
    read.is_ok() && !head.contains(&0)
}

/// Says why a program did not start.
pub(super) fn explain(program: &Path, cwd: &Path, error: &io::Error) -> String {
    let shown = |path: &Path| line(&path.to_string_lossy());
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    let why = match errno {
        None if error.kind() == io::ErrorKind::InvalidInput => {
            "its path, an argument, a variable or the working directory holds a NUL byte".to_owned()
        }
        _ if !cwd.is_dir() => format!("the working directory `{}` does not exist", shown(cwd)),
        Some(Errno::NOENT) if fs::symlink_metadata(program).is_err() => "no such file".to_owned(),
        Some(Errno::NOENT) => "the interpreter that it names does not exist".to_owned(),
        Some(Errno::ACCESS) if program.is_dir() => "it is a directory".to_owned(),
        Some(Errno::ACCESS) if program.is_file() && !is_program(program) => {
            "it is not executable".to_owned()
        }
        Some(Errno::NOEXEC) => "it is neither a program of this system nor a script".to_owned(),
        Some(Errno::TOOBIG) => "its arguments and variables are too long for the system".to_owned(),
        _ => error.to_string(),
    };
    format!("cannot start `{}`: {why}", shown(program))
}

/// Starts a process as the leader of a group of its own.
///
/// It stays on the path of `posix_spawn`, whose cost does not grow with our memory: a full path, and no `pre_exec`.
pub(super) fn spawn(path: &Path, job: &Job) -> io::Result<(Child, Option<AccessMonitor>)> {
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(job.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(&job.cwd).process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    if let Some(confined) = &job.confined {
        let helper = confined.helper.first().map(Path::new);
        let helper = helper.unwrap_or(Path::new(""));
        // Where no call can be told, what is refused is not seen, which its report says.
        let watch = || AccessMonitor::begin(&confined.spec, helper).ok();
        let (watch, socket) = confined.watched.then(watch).flatten().unzip();
        let number = socket.as_ref().map(AsRawFd::as_raw_fd);
        let (program, args) = confined.line(path, &job.args, number);
        let mut command = command(&program);
        let child = match &socket {
            Some(socket) => start_with(command.args(args), socket)?,
            None => start(command.args(args))?,
        };
        return Ok((child, watch));
    }
    let spawned = start(command(path).args(&job.args));
    let child = match spawned {
        // A script without a first line that names its interpreter is one for `sh`, as every shell has it.
        Err(error)
            if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) && is_text(path) =>
        {
            start(command(Path::new("/bin/sh")).arg(path).args(&job.args))
        }
        spawned => spawned,
    };
    Ok((child?, None))
}
