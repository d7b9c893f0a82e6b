//! What a call would open, and whether the rules of the confinement refuse it.

use std::ffi::{OsStr, OsString};
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use libc::seccomp_notif;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use rustix::fs::{
    Access, CWD, FileType, Mode, OFlags, ResolveFlags, access, fstat, open, openat2, readlink,
};
use rustix::io::Errno;

use super::{address, is_elsewhere, link, low};
use crate::linux::files;
use crate::linux::told::{FlagsArgument, PathArgument, SyscallKind};
use crate::programs;
use crate::refused::AccessAttempt;
use crate::spec::Spec;

/// What was seen of a call: what the rules do not open for it, if anything, or the error of a call that fails by itself. `FAULT`
/// and `LOOP` say that its process could not be looked into.
pub(super) type CallInspection = Result<Option<AccessAttempt>, Errno>;

/// Looks at a connection: in a network of its own there is nothing but its loopback.
fn connects(call: &seccomp_notif) -> CallInspection {
    let length = low(call.data.args[2]).min(128) as usize;
    let bytes = memory(call, call.data.args[1], length);
    let address = bytes
        .and_then(|bytes| address(&bytes))
        .ok_or(Errno::FAULT)?;
    Ok(is_elsewhere(address.ip()).then_some(AccessAttempt::Connect(address)))
}

/// What is tried at a path.
type AttemptKind = fn(PathBuf) -> AccessAttempt;

/// Looks at calls of one confined command.
#[derive(Debug)]
pub(super) struct CallInspector {
    spec: Spec,
    ours: PathBuf,
}

/// The longest path of the kernel.
const PATH: usize = 4096;
const PAGE: usize = 4096;

impl CallInspector {
    pub(super) fn new(spec: &Spec, helper: &Path) -> Self {
        Self {
            spec: spec.clone(),
            ours: programs::beside(helper),
        }
    }

    /// Looks at what a call does to what it names, while it waits.
    pub(super) fn look(&self, call: &seccomp_notif, does: SyscallKind) -> CallInspection {
        let request = |name, how| PathRequest::of(call, name, how).ok_or(Errno::FAULT);
        // What is made, moved or removed is the link itself.
        let named = |name| request(name, OFlags::NOFOLLOW);
        match does {
            SyscallKind::Opens(name, flags) => {
                let how = flags_of(call, flags).ok_or(Errno::FAULT)?;
                self.opens(&request(name, how)?)
            }
            SyscallKind::Runs(name) => self.runs(&request(name, OFlags::RDONLY)?),
            SyscallKind::Makes(name) => self.makes(&named(name)?),
            SyscallKind::Removes(name) => self.changes(&named(name)?, AccessAttempt::Remove),
            SyscallKind::Moves(old, new) => {
                self.renames(&named(old)?, AccessAttempt::Remove, &named(new)?)
            }
            SyscallKind::Links(old, new) => {
                self.renames(&named(old)?, AccessAttempt::Make, &named(new)?)
            }
            SyscallKind::Connects => connects(call),
        }
    }

    fn opens(&self, asked: &PathRequest) -> CallInspection {
        if asked.how.contains(OFlags::PATH) || asked.is_of_system() {
            return Ok(None);
        }
        let at = match asked.there() {
            Err(Errno::NOENT) if asked.how.contains(OFlags::CREATE) => {
                return self.in_folder(asked, AccessAttempt::Write);
            }
            there => there?,
        };
        let is_link =
            fstat(&at).map(|is| FileType::from_raw_mode(is.st_mode)) == Ok(FileType::Symlink);
        // A link that is not followed, and a file that should be new, fail by themselves.
        if is_link || asked.how.contains(OFlags::CREATE | OFlags::EXCL) {
            return Ok(None);
        }
        let mode = asked.how & OFlags::RWMODE;
        let (kind, need): (AttemptKind, _) = match mode {
            OFlags::RDWR => (AccessAttempt::Write, Access::READ_OK | Access::WRITE_OK),
            OFlags::WRONLY => (AccessAttempt::Write, Access::WRITE_OK),
            _ if asked.how.contains(OFlags::TRUNC) => (AccessAttempt::Write, Access::WRITE_OK),
            _ => (AccessAttempt::Read, Access::READ_OK),
        };
        Ok(self.judged(&at, None, kind, need))
    }

    /// Looks at a program: what may be read may be run, and nothing else.
    fn runs(&self, asked: &PathRequest) -> CallInspection {
        if asked.is_of_system() {
            return Ok(None);
        }
        let need = Access::READ_OK | Access::EXEC_OK;
        Ok(self.judged(&asked.there()?, None, AccessAttempt::Run, need))
    }

    /// Looks at what is to be made; what is there already fails by itself.
    fn makes(&self, asked: &PathRequest) -> CallInspection {
        match asked.there() {
            Err(Errno::NOENT) => self.in_folder(asked, AccessAttempt::Make),
            there => there.map(|_| None),
        }
    }

    /// Looks at what loses its name, or gets another: what is not there fails by itself.
    fn changes(&self, asked: &PathRequest, kind: AttemptKind) -> CallInspection {
        asked.there()?;
        self.in_folder(asked, kind)
    }

    /// Looks at both names; the second one counts where nothing is refused at the first.
    fn renames(&self, old: &PathRequest, kind: AttemptKind, new: &PathRequest) -> CallInspection {
        match self.changes(old, kind)? {
            None => self.in_folder(new, AccessAttempt::Make),
            refused => Ok(refused),
        }
    }

    /// Looks at a name in a folder that is there: it takes a right of the folder to make, move or remove it.
    fn in_folder(&self, asked: &PathRequest, kind: AttemptKind) -> CallInspection {
        let need = Access::WRITE_OK | Access::EXEC_OK;
        Ok(self.judged(&asked.folder()?, asked.path.file_name(), kind, need))
    }

    /// Judges by names whether the rules open a place for what was tried. What the modes of the file refuse, the
    /// confinement does not.
    fn judged(
        &self,
        at: &OwnedFd,
        below: Option<&OsStr>,
        kind: AttemptKind,
        need: Access,
    ) -> Option<AccessAttempt> {
        // A pipe or a socket has no name.
        let place = name(at)?;
        let is_refused = !self.opens_it(&place, need.contains(Access::WRITE_OK))
            && access(link(at), need).is_ok();
        let place = below.map_or_else(|| place.clone(), |below| place.join(below));
        is_refused.then(|| kind(place))
    }

    /// Tells whether a place is below one that is open, by its name.
    fn opens_it(&self, name: &Path, writes: bool) -> bool {
        let holds = |targets: &[crate::target::ResolvedPath]| {
            targets.iter().any(|target| {
                let path = target.path();
                name == path || target.is_folder() && name.starts_with(path)
            })
        };
        let system = || files::system_places().any(|(place, _)| name.starts_with(place));
        let reads = || holds(&self.spec.read) || system() || self.ours == name;
        holds(&self.spec.write) || !writes && reads()
    }
}

/// What a call asks for.
struct PathRequest {
    thread: u32,
    /// The descriptor from which a relative path counts.
    from: i32,
    path: PathBuf,
    how: OFlags,
}

impl PathRequest {
    fn of(call: &seccomp_notif, name: PathArgument, how: OFlags) -> Option<Self> {
        let from = name.from.map_or(Some(libc::AT_FDCWD), |from| {
            Some(low(*call.data.args.get(from)?).cast_signed())
        });
        let bytes = memory(call, *call.data.args.get(name.at)?, PATH)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let path = PathBuf::from(OsString::from_vec(bytes.get(..end)?.to_vec()));
        Some(Self {
            thread: call.pid,
            from: from?,
            path,
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
        let how = files::AS_A_PLACE | links;
        // What stands there is another thing to each process, or no file.
        if ["/proc", "/dev"]
            .iter()
            .any(|other| path.starts_with(other))
        {
            return Err(Errno::NOENT);
        }
        if path.is_absolute() {
            return openat2(CWD, path, how, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
        }
        let from = match self.from {
            libc::AT_FDCWD => format!("/proc/{}/cwd", self.thread),
            number => format!("/proc/{}/fd/{number}", self.thread),
        };
        let from = open(from, files::AS_A_PLACE | OFlags::DIRECTORY, Mode::empty())?;
        openat2(from, path, how, Mode::empty(), ResolveFlags::NO_MAGICLINKS)
    }
}

/// Returns how a call opens a file.
fn flags_of(call: &seccomp_notif, flags: FlagsArgument) -> Option<OFlags> {
    let bits = match flags {
        FlagsArgument::Are(flags) => flags.cast_unsigned(),
        FlagsArgument::In(at) => low(*call.data.args.get(at)?),
        FlagsArgument::Behind(at) => {
            let how = memory(call, *call.data.args.get(at)?, 8)?;
            low(u64::from_ne_bytes(how.try_into().ok()?))
        }
    };
    Some(OFlags::from_bits_retain(bits))
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
