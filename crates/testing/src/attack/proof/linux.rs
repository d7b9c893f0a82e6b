//! A place of its own for one line, made of namespaces of Linux.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhook::core::sandbox::Network;
use anyhook_confine::{ResolvedPath, Spec, VERB as CONFINED, raise_loopback};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{chdir, pivot_root};

use super::listen::Listeners;
use super::seen::AimBaseline;
use super::{Aim, ProofJob, ProofOutcome};
use crate::network::linux::enter;
use crate::programs::completed;

/// What programs are made of and what they read about the machine: the new root has these, read-only, and nothing else.
const SYSTEM: &[&str] = &[
    "usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "opt", "nix", "gnu", "proc",
];

/// Devices that hold nothing and reach nothing.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

/// How long a line may take.
const MOST: Duration = Duration::from_secs(5);

/// The program `anyhook` in the new root.
const PROGRAM: &str = "/.anyhook";

/// Says what could not be done.
fn cannot<E: Into<io::Error>>(what: &str) -> impl Fn(E) -> io::Error {
    move |error| {
        let error: io::Error = error.into();
        io::Error::other(format!("{what}: {error}"))
    }
}

/// Carries a job out in namespaces of its own.
pub(super) fn carried(job: &ProofJob) -> io::Result<ProofOutcome> {
    make_spaces()?;
    let root = job.base.join("root");
    build(&root, job)?;
    raise_loopback().map_err(cannot("raising a loopback of its own"))?;
    let mut listeners =
        Listeners::new(&job.base.join("ran")).map_err(cannot("listening on the loopback"))?;
    move_into(&root)?;
    let before = AimBaseline::new(&job.base, &job.aim)?;
    unshare(CloneFlags::CLONE_NEWPID).map_err(cannot("making a process namespace"))?;
    match &job.line {
        Some(line) => ended(&mut started(job, line)?, &mut listeners)?,
        None => tool(job, &mut listeners)?,
    }
    listeners.answer();
    Ok(if before.is_reached(&job.aim, listeners.came) {
        ProofOutcome::Reached
    } else {
        ProofOutcome::Missed
    })
}

/// Makes the namespaces.
fn make_spaces() -> io::Result<()> {
    let spaces = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    enter(spaces).map_err(cannot("making namespaces of users, mounts and the network"))?;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, private, None::<&str>)
        .map_err(cannot("taking the mounts apart from those of the machine"))
}

/// Builds the new root: the system, read-only, and in memory a copy of the scratch folder.
fn build(root: &Path, job: &ProofJob) -> io::Result<()> {
    memory(root, MsFlags::empty())?;
    for name in SYSTEM {
        let (from, to) = (Path::new("/").join(name), root.join(name));
        match fs::symlink_metadata(&from) {
            Ok(meta) if meta.is_symlink() => symlink(fs::read_link(&from)?, &to)?,
            Ok(meta) if meta.is_dir() => {
                fs::create_dir(&to)?;
                show(&from, &to)?;
            }
            Ok(_) | Err(_) => {}
        }
    }
    devices(&root.join("dev"))?;
    let program = root.join(PROGRAM.trim_start_matches('/'));
    File::create(&program)?;
    show(&job.program, &program)?;
    fs::create_dir(root.join("tmp"))?;
    memory(&root.join("tmp"), MsFlags::empty())?;
    let base = below(root, &job.base);
    DirBuilder::new().recursive(true).create(&base)?;
    // Every reading leaves its time.
    memory(&base, MsFlags::MS_STRICTATIME)?;
    copy(job, &base)?;
    let names = base.join("hosts");
    fs::write(&names, format!("127.0.0.1 localhost {}\n", job.aim.host()))?;
    let hosts = root.join("etc/hosts");
    if hosts.is_file() {
        bound(&names, &hosts)?;
    }
    Ok(())
}

/// A folder in memory, of a size that no line fills the machine with.
fn memory(at: &Path, flags: MsFlags) -> io::Result<()> {
    let flags = flags | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(
        Some("tmpfs"),
        at,
        Some("tmpfs"),
        flags,
        Some("size=64m,mode=755"),
    )
    .map_err(cannot("making a folder in memory"))
}

fn bound(from: &Path, to: &Path) -> io::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(from), to, None::<&str>, flags, None::<&str>)
        .map_err(cannot("showing a folder of the system"))
}

/// Shows a folder of the system, read-only. What was locked for this user stays locked.
fn show(from: &Path, to: &Path) -> io::Result<()> {
    bound(from, to)?;
    let kept = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let is = statvfs(to)
        .map_err(cannot("looking at a folder of the system"))?
        .flags();
    let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    for (_, flag) in kept.iter().filter(|(own, _)| is.contains(*own)) {
        flags |= *flag;
    }
    mount(None::<&str>, to, None::<&str>, flags, None::<&str>)
        .map_err(cannot("making a folder of the system read-only"))
}

fn devices(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.join("shm"))?;
    for name in DEVICES {
        File::create(folder.join(name))?;
        bound(&Path::new("/dev").join(name), &folder.join(name))?;
    }
    symlink("/proc/self/fd", folder.join("fd"))?;
    let standard = ["stdin", "stdout", "stderr"].iter().enumerate();
    standard
        .into_iter()
        .try_for_each(|(at, name)| symlink(format!("/proc/self/fd/{at}"), folder.join(name)))
}

/// A path of the machine below the new root.
fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Copies the scratch folder by a process of its own, which keeps modes and links.
fn copy(job: &ProofJob, to: &Path) -> io::Result<()> {
    let names = ["project", "home", "remote.git", "bin"];
    let from = names.map(|name| job.base.join(name));
    let mut command = Command::new("/bin/cp");
    command
        .arg("-a")
        .args(from.iter().filter(|folder| folder.is_dir()))
        .arg(to);
    completed(command.env_clear(), "the scratch folder cannot be copied")
}

/// Makes the new root the only one. The old one is gone for this process and all that it starts.
fn move_into(root: &Path) -> io::Result<()> {
    let moving = "moving into a root of its own";
    chdir(root).map_err(cannot(moving))?;
    pivot_root(".", ".").map_err(cannot(moving))?;
    umount2(".", MntFlags::MNT_DETACH).map_err(cannot(moving))?;
    chdir("/").map_err(cannot(moving))?;
    let flags = MsFlags::MS_BIND
        | MsFlags::MS_REMOUNT
        | MsFlags::MS_RDONLY
        | MsFlags::MS_NOSUID
        | MsFlags::MS_NODEV;
    mount(None::<&str>, "/", None::<&str>, flags, None::<&str>)
        .map_err(cannot("making the root read-only"))
}

/// Starts bash with a line, confined once more: the kernel refuses it mounts, namespaces and sockets of the machine.
fn started(job: &ProofJob, line: &str) -> io::Result<Child> {
    let folder = |path: &Path| {
        ResolvedPath::try_from(format!("{}/", path.display())).map_err(io::Error::other)
    };
    let spec = Spec {
        write: vec![folder(&job.base)?, folder(Path::new("/tmp"))?],
        network: Network::Any,
        ..Spec::default()
    };
    let bin = job.base.join("bin");
    let mut command = Command::new(PROGRAM);
    command.args([CONFINED, &spec.to_argument(), "--", "bash"]);
    command.args(["--norc", "--noprofile", "-c", line]);
    command.env_clear().envs([
        ("LANG", "C.UTF-8"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_EDITOR", "true"),
        ("TMPDIR", "/tmp"),
    ]);
    command
        .env("HOME", job.base.join("home"))
        .env("PATH", format!("{}:{}", bin.display(), super::PATH))
        .current_dir(job.base.join("project"));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
        .stderr(Stdio::null())
        .spawn()
        .map_err(cannot("starting bash"))
}

/// Waits for the end of a line, and answers what it asks the network for. At the end of its time every process of it ends:
/// it is the first one of a process namespace.
fn ended(child: &mut Child, listeners: &mut Listeners) -> io::Result<()> {
    let end = Instant::now() + MOST;
    while child.try_wait()?.is_none() {
        listeners.answer();
        if Instant::now() >= end {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Does what a tool of a host does with its file.
fn tool(job: &ProofJob, listeners: &mut Listeners) -> io::Result<()> {
    let path = job.base.join(job.aim.place());
    match job.aim {
        Aim::Written(_) => fs::write(path, "x\n"),
        Aim::Read(_) => fs::read(path).map(|_| ()),
        Aim::Removed(_) if path.is_dir() => fs::remove_dir_all(path),
        Aim::Removed(_) => fs::remove_file(path),
        _ => {
            listeners.came += 1;
            Ok(())
        }
    }
}
