//! Systems without Landlock and seccomp: macOS confines files and the network by Seatbelt, others nothing; every part that was
//! asked for and cannot be had is named.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use anyhook_core::sandbox::Network;

use crate::failure::ConfineError;
use crate::programs::ours;
use crate::report::{ConfinementReport, KernelSupport};
use crate::seatbelt::{PROGRAM, profile};
use crate::spec::Spec;

/// Says what this system can do.
pub fn level() -> KernelSupport {
    KernelSupport {
        seatbelt: has_seatbelt(),
        ..KernelSupport::default()
    }
}

fn has_seatbelt() -> bool {
    cfg!(target_os = "macos") && Path::new(PROGRAM).is_file()
}

/// Begins the command: by `sandbox-exec` where there is one, else nothing confines it.
pub(crate) fn starting(spec: &Spec, program: &OsStr) -> Command {
    if !has_seatbelt() {
        return Command::new(program);
    }
    let profile = profile(spec, ours().as_deref());
    let mut command = Command::new(PROGRAM);
    command.arg("-p").arg(profile).arg(program);
    command
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
    report: &mut ConfinementReport,
) -> Result<(), ConfineError> {
    let os = std::env::consts::OS;
    let why = || format!("anyhook cannot confine commands on {os} yet");
    if has_seatbelt() {
        report.holds(format!(
            "files and network {} by Seatbelt",
            spec.network.as_str()
        ));
    } else {
        report.lacks("files", why());
        if spec.network != Network::Any {
            report.lacks("network", why());
        }
    }
    if spec.processes.is_some() {
        report.lacks("processes", why());
    }
    if spec.file_size.is_some() {
        report.lacks("size of files", why());
    }
    Ok(())
}

/// Hears what one confined command opens: nothing of it here.
#[cfg(unix)]
#[derive(Debug)]
pub struct AccessMonitor(std::convert::Infallible);

#[cfg(unix)]
impl AccessMonitor {
    /// Says that no call is told here.
    pub fn begin(_: &Spec, _: &Path) -> io::Result<(Self, std::os::fd::OwnedFd)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns what was refused.
    pub fn refused(&self) -> Option<crate::AccessRefusals> {
        match self.0 {}
    }

    /// Returns why calls are not answered any more.
    pub fn failed(&self) -> Option<io::Error> {
        match self.0 {}
    }
}
