//! Systems without Landlock and seccomp: macOS confines files and the network by Seatbelt, others nothing; every part that was
//! asked for and cannot be had is named.

use std::ffi::OsStr;
use std::io;
use std::process::Command;

use anyhook_core::sandbox::Network;

use crate::failure::Failure;
use crate::report::{Level, Report};
use crate::spec::Spec;

/// Says what this system can do.
pub fn level() -> Level {
    Level {
        seatbelt: has_seatbelt(),
        ..Level::default()
    }
}

#[cfg(target_os = "macos")]
fn has_seatbelt() -> bool {
    std::path::Path::new(crate::seatbelt::PROGRAM).is_file()
}

#[cfg(not(target_os = "macos"))]
fn has_seatbelt() -> bool {
    false
}

/// Begins the command: by `sandbox-exec` where there is one.
#[cfg(target_os = "macos")]
pub(crate) fn starting(spec: &Spec, program: &OsStr) -> Command {
    if !has_seatbelt() {
        return Command::new(program);
    }
    let profile = crate::seatbelt::profile(spec, crate::programs::ours().as_deref());
    let mut command = Command::new(crate::seatbelt::PROGRAM);
    command.arg("-p").arg(profile).arg(program);
    command
}

/// Begins the command: nothing confines it.
#[cfg(not(target_os = "macos"))]
pub(crate) fn starting(_: &Spec, program: &OsStr) -> Command {
    Command::new(program)
}

/// Nothing is loaded here to look names up.
pub fn names_without_plugins() {}

/// There is no namespace here whose loopback could be raised.
pub fn raise_loopback() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Names what is not confined.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
pub(crate) fn confine(
    spec: &Spec,
    _watcher: Option<i32>,
    report: &mut Report,
) -> Result<(), Failure> {
    let os = std::env::consts::OS;
    let why = || format!("anyhook cannot confine commands on {os} yet");
    if has_seatbelt() {
        report.holds(format!(
            "files and network {} by Seatbelt",
            spec.network.as_str()
        ));
    } else {
        report.lacks("files", why());
        match spec.network {
            Network::None | Network::Loopback => report.lacks("network", why()),
            Network::Any => {}
        }
    }
    let limits = [
        ("processes", spec.processes.is_some()),
        ("size of files", spec.file_size.is_some()),
    ];
    for (what, _) in limits.into_iter().filter(|(_, asked)| *asked) {
        report.lacks(what, why());
    }
    Ok(())
}

/// Hears what one confined command opens: nothing of it here.
#[cfg(unix)]
#[derive(Debug)]
pub struct Watch(std::convert::Infallible);

#[cfg(unix)]
impl Watch {
    /// Says that no call is told here.
    pub fn begin(_: &Spec, _: &std::path::Path) -> io::Result<(Self, std::os::fd::OwnedFd)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns what was refused.
    pub fn refused(&self) -> Option<crate::Refused> {
        match self.0 {}
    }

    /// Returns why calls are not answered any more.
    pub fn failed(&self) -> Option<io::Error> {
        match self.0 {}
    }
}
