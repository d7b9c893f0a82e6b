//! What a call would open, and whether the rules of the confinement refuse it.

use std::ffi::OsString;
use std::io::IoSliceMut;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::thread;

use libc::seccomp_notif;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use rustix::fs::{
    Access, CWD, FileType, Mode, OFlags, ResolveFlags, access, fstat, open, openat2, readlink,
};
use rustix::io::Errno;

use super::{address, link, low};
use crate::linux::files;
use crate::linux::told::{Does, Flags, Name};
use crate::programs;
use crate::refused::Tried;
use crate::report::Report;
use crate::spec::Spec;

/// What was seen of a call.
pub(super) enum Look {
    /// Nothing is refused: it is open, or it fails by itself.
    Passes,
    /// Its process could not be looked into.
    Unseen,
    /// It opens a file to write it.
    Writes(PathBuf),
    /// The rules do not open it, as far as names tell; the kernel can be asked.
    Refused(Tried, Attempt),
}

/// Reads where a call connects to.
pub(super) fn destination(call: &seccomp_notif) -> Option<SocketAddr> {
    let length = low(call.data.args[2]).min(128) as usize;
    address(&memory(call, call.data.args[1], length)?)
}

/// What is tried at a path.
type Kind = fn(PathBuf) -> Tried;

/// An attempt that can be repeated under the same rules.
pub(super) struct Attempt {
    at: OwnedFd,
    how: OFlags,
}

/// Looks at calls of one confined command.
#[derive(Debug)]
pub(super) struct Looker {
    spec: Spec,
    ours: PathBuf,
}

/// The longest path of the kernel.
const PATH: usize = 4096;
const PAGE: usize = 4096;

impl Looker {
    pub(super) fn new(spec: &Spec, helper: &Path) -> Self {
        Self {
            spec: spec.clone(),
            ours: programs::beside(helper),
        }
    }

    /// Looks at what a call does to the files that it names, while it waits.
    pub(super) fn look(&self, call: &seccomp_notif, does: Does) -> Look {
        self.seen(call, does).unwrap_or(Look::Unseen)
    }

    fn seen(&self, call: &seccomp_notif, does: Does) -> Option<Look> {
        // What is made, moved or removed is the link itself.
        let named = |name| Asked::of(call, name, OFlags::NOFOLLOW);
        Some(match does {
            Does::Opens(name, flags) => self.opens(&Asked::of(call, name, flags_of(call, flags)?)?),
            Does::Cuts(name) => self.opens(&Asked::of(call, name, OFlags::WRONLY)?),
            Does::Runs(name) => self.runs(&Asked::of(call, name, OFlags::RDONLY)?),
            Does::Makes(name) => self.makes(&named(name)?),
            Does::Removes(name) => self.changes(&named(name)?, Tried::Remove),
            Does::Moves(old, new) => self.renames((&named(old)?, Tried::Remove), &named(new)?),
            Does::Links(old, new) => self.renames((&named(old)?, Tried::Make), &named(new)?),
            // These name no file.
            Does::Connects => Look::Passes,
        })
    }

    fn opens(&self, asked: &Asked) -> Look {
        if asked.how.contains(OFlags::PATH) || asked.is_of_system() {
            return Look::Passes;
        }
        match asked.there() {
            Ok(at) => self.is_there(asked, at),
            Err(Errno::NOENT) if asked.how.contains(OFlags::CREATE) => {
                self.in_folder(asked, Tried::Write)
            }
            Err(Errno::LOOP) => Look::Unseen,
            Err(_) => Look::Passes,
        }
    }

    fn is_there(&self, asked: &Asked, at: OwnedFd) -> Look {
        let kind = fstat(&at).map(|is| FileType::from_raw_mode(is.st_mode));
        let name = name(&at).filter(|_| kind != Ok(FileType::Symlink));
        let is_made = OFlags::CREATE | OFlags::EXCL;
        // A pipe or a socket has no name, and a file that should be new fails by itself.
        let Some(name) = name.filter(|_| !asked.how.contains(is_made)) else {
            return Look::Passes;
        };
        let (need, how) = match asked.how & OFlags::RWMODE {
            OFlags::RDWR => (Access::READ_OK | Access::WRITE_OK, OFlags::RDWR),
            OFlags::WRONLY => (Access::WRITE_OK, OFlags::WRONLY),
            _ if asked.how.contains(OFlags::TRUNC) => (Access::WRITE_OK, OFlags::WRONLY),
            _ => (Access::READ_OK, OFlags::RDONLY),
        };
        let tried = if how == OFlags::RDONLY {
            Tried::Read(name.clone())
        } else {
            Tried::Write(name.clone())
        };
        self.judged(&name, tried, need, Attempt { at, how })
    }

    /// Looks at a program: what may be read may be run, and nothing else.
    fn runs(&self, asked: &Asked) -> Look {
        if asked.is_of_system() {
            return Look::Passes;
        }
        let at = match asked.there() {
            Ok(at) => at,
            Err(Errno::LOOP) => return Look::Unseen,
            Err(_) => return Look::Passes,
        };
        let Some(name) = name(&at) else {
            return Look::Passes;
        };
        let (need, how) = (Access::READ_OK | Access::EXEC_OK, OFlags::RDONLY);
        self.judged(&name, Tried::Run(name.clone()), need, Attempt { at, how })
    }

    /// Looks at what is to be made; what is there already fails by itself.
    fn makes(&self, asked: &Asked) -> Look {
        match asked.there() {
            Err(Errno::NOENT) => self.in_folder(asked, Tried::Make),
            Err(Errno::LOOP) => Look::Unseen,
            Ok(_) | Err(_) => Look::Passes,
        }
    }

    /// Looks at what loses its name, or gets another: what is not there fails by itself.
    fn changes(&self, asked: &Asked, tried: Kind) -> Look {
        match asked.there() {
            Ok(_) => self.in_folder(asked, tried),
            Err(Errno::LOOP) => Look::Unseen,
            Err(_) => Look::Passes,
        }
    }

    /// Looks at both names; the second one counts where nothing is refused at the first.
    fn renames(&self, (old, tried): (&Asked, Kind), new: &Asked) -> Look {
        match self.changes(old, tried) {
            Look::Passes if old.there().is_ok() => self.in_folder(new, Tried::Make),
            look => look,
        }
    }

    /// Looks at a name in a folder that is there: it takes a right of the folder to make, move or remove it.
    fn in_folder(&self, asked: &Asked, tried: Kind) -> Look {
        let at = asked.folder();
        let name = at.as_ref().ok().and_then(name);
        let file = asked.path.file_name();
        let (Ok(at), Some(name), Some(file)) = (at, name, file) else {
            return Look::Passes;
        };
        let need = Access::WRITE_OK | Access::EXEC_OK;
        // A file without a name needs the same right of the folder, and leaves nothing.
        let how = OFlags::TMPFILE | OFlags::WRONLY;
        self.judged(&name, tried(name.join(file)), need, Attempt { at, how })
    }

    /// Judges by names whether the rules open a place for what was tried.
    fn judged(&self, place: &Path, tried: Tried, need: Access, attempt: Attempt) -> Look {
        let writes = attempt.how != OFlags::RDONLY;
        if self.opens_it(place, writes) {
            return match tried {
                Tried::Write(name) => Look::Writes(name),
                _ => Look::Passes,
            };
        }
        // What the modes of the file refuse, the confinement does not.
        if access(link(&attempt.at), need).is_err() {
            return Look::Passes;
        }
        Look::Refused(tried, attempt)
    }

    /// Tells whether a place is below one that is open, by its name.
    fn opens_it(&self, name: &Path, writes: bool) -> bool {
        let holds = |targets: &[crate::target::Target]| {
            targets.iter().any(|target| {
                let path = target.path();
                name == path || target.is_folder() && name.starts_with(path)
            })
        };
        if holds(&self.spec.write) || files::DEVICES.iter().any(|device| name == *device) {
            return true;
        }
        let system = || files::system_places().any(|place| name.starts_with(place));
        !writes && (holds(&self.spec.read) || system() || self.ours == name)
    }

    /// Asks the kernel, under the same rules: a thread takes them on, tries the same, and ends. It may do no more than the
    /// command itself, and does not make, empty or wait for anything.
    pub(super) fn is_refused(&self, attempt: &Attempt) -> bool {
        let (spec, ours, path) = (self.spec.clone(), self.ours.clone(), link(&attempt.at));
        let how = attempt.how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let judge = thread::Builder::new().spawn(move || {
            let rules = files::rules(&spec, Some(&ours), &mut Report::default()).ok()?;
            files::enforce(rules, &mut Report::default()).ok()??;
            match open(path, how, Mode::RUSR | Mode::WUSR) {
                Ok(_) => Some(false),
                Err(Errno::ACCESS) => Some(true),
                Err(_) => None,
            }
        });
        let said = judge.ok().and_then(|judge| judge.join().ok()).flatten();
        // Where the kernel does not say, names do.
        said.unwrap_or(true)
    }
}

/// What a call asks for.
struct Asked {
    thread: u32,
    /// The descriptor from which a relative path counts.
    from: i32,
    path: PathBuf,
    how: OFlags,
}

impl Asked {
    fn of(call: &seccomp_notif, name: Name, how: OFlags) -> Option<Self> {
        let from = name.from.map_or(Some(libc::AT_FDCWD), |from| {
            Some(low(*call.data.args.get(from)?).cast_signed())
        });
        let bytes = memory(call, *call.data.args.get(name.at)?, PATH)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let path = PathBuf::from(OsString::from_vec(bytes.get(..end)?.to_vec()));
        Some(Self {
            thread: call.pid,
            from: from?,
            path: as_of(call.pid, path),
            how,
        })
    }

    /// Tells whether it reads a file of the system by a name that leads nowhere else: most opens of most programs do.
    fn is_of_system(&self) -> bool {
        const PROGRAMS: &[&str] = &["/usr/", "/lib/", "/lib64/"];
        let path = self.path.as_os_str().as_bytes();
        let is_below = PROGRAMS
            .iter()
            .any(|place| path.starts_with(place.as_bytes()));
        let reads = !self
            .how
            .intersects(OFlags::RWMODE | OFlags::TRUNC | OFlags::CREATE);
        is_below && reads && !path.windows(2).any(|pair| pair == b"..")
    }

    /// Opens the place of what is named, without opening what is there.
    fn there(&self) -> Result<OwnedFd, Errno> {
        self.place(&self.path, self.how & OFlags::NOFOLLOW)
    }

    /// Opens the place of the folder in which it is named.
    fn folder(&self) -> Result<OwnedFd, Errno> {
        let folder = self.path.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        self.place(folder.unwrap_or_else(|| ".".as_ref()), OFlags::empty())
    }

    /// Opens the place of a path as the thread of the call would find it.
    fn place(&self, path: &Path, links: OFlags) -> Result<OwnedFd, Errno> {
        const PLACE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
        let how = PLACE | links;
        if path.is_absolute() {
            // A link in `/proc` means another place to us, unless it names the thread.
            let named = path.starts_with("/proc");
            let links = if named {
                ResolveFlags::empty()
            } else {
                ResolveFlags::NO_MAGICLINKS
            };
            return openat2(CWD, path, how, Mode::empty(), links);
        }
        let from = match self.from {
            libc::AT_FDCWD => format!("/proc/{}/cwd", self.thread),
            number => format!("/proc/{}/fd/{number}", self.thread),
        };
        let from = open(from, PLACE | OFlags::DIRECTORY, Mode::empty())?;
        openat2(from, path, how, Mode::empty(), ResolveFlags::NO_MAGICLINKS)
    }
}

/// Returns how a call opens a file.
fn flags_of(call: &seccomp_notif, flags: Flags) -> Option<OFlags> {
    let bits = match flags {
        Flags::Are(flags) => flags.cast_unsigned(),
        Flags::In(at) => low(*call.data.args.get(at)?),
        Flags::Behind(at) => {
            let how = memory(call, *call.data.args.get(at)?, 8)?;
            low(u64::from_ne_bytes(how.try_into().ok()?))
        }
    };
    Some(OFlags::from_bits_retain(bits))
}

/// Names that mean another file to each process, as they are for this thread.
fn as_of(thread: u32, path: PathBuf) -> PathBuf {
    let process = format!("/proc/{thread}");
    let own = [
        ("/proc/self", String::new()),
        ("/proc/thread-self", String::new()),
        ("/dev/fd", "fd".to_owned()),
        ("/dev/stdin", "fd/0".to_owned()),
        ("/dev/stdout", "fd/1".to_owned()),
        ("/dev/stderr", "fd/2".to_owned()),
    ];
    let mut led = own.iter().filter_map(|(name, below)| {
        let rest = path.strip_prefix(name).ok()?;
        let parts = [Path::new(below), rest];
        let parts = parts
            .into_iter()
            .filter(|part| !part.as_os_str().is_empty());
        Some(parts.fold(PathBuf::from(&process), |led, part| led.join(part)))
    });
    led.next().unwrap_or(path)
}

/// Returns the name of what was opened, without links in it.
fn name(at: &OwnedFd) -> Option<PathBuf> {
    let name = readlink(link(at), Vec::new()).ok()?;
    let name = PathBuf::from(OsString::from_vec(name.into_bytes()));
    Some(name).filter(|name| name.is_absolute())
}

/// Reads memory of the thread that waits: up to so many bytes, and as many as there are.
fn memory(call: &seccomp_notif, address: u64, most: usize) -> Option<Vec<u8>> {
    let base = usize::try_from(address).ok()?;
    let to_the_page = (PAGE - base % PAGE).min(most);
    let part = |base: usize, len: usize| RemoteIoVec { base, len };
    // What is behind the page may not be there.
    let parts = [
        part(base, to_the_page),
        part(base.checked_add(to_the_page)?, most - to_the_page),
    ];
    let mut bytes = vec![0; most];
    let pid = Pid::from_raw(i32::try_from(call.pid).ok()?);
    let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &parts).ok()?;
    bytes.truncate(read);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_another_file_to_each_process_are_those_of_the_thread() {
        for (path, led) in [
            ("/proc/self/environ", "/proc/7/environ"),
            ("/proc/thread-self/fd/3", "/proc/7/fd/3"),
            ("/dev/fd/63", "/proc/7/fd/63"),
            ("/dev/stdin", "/proc/7/fd/0"),
            ("/proc/selfish", "/proc/selfish"),
            ("/dev/null", "/dev/null"),
            ("x", "x"),
        ] {
            assert_eq!(as_of(7, path.into()), Path::new(led));
        }
    }
}
