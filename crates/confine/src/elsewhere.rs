//! Systems without Landlock and seccomp: nothing is confined, and every part that was asked for is named.

use std::io;

use anyhook_core::sandbox::Network;

use crate::failure::Failure;
use crate::report::{Level, Report};
use crate::spec::Spec;

/// Says what this kernel can do: nothing of it.
pub fn level() -> Level {
    Level::default()
}

/// There is no namespace here whose loopback could be raised.
pub fn raise_loopback() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Names what is not confined.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
pub(crate) fn confine(spec: &Spec, report: &mut Report) -> Result<(), Failure> {
    let os = std::env::consts::OS;
    let why = || format!("anyhook cannot confine commands on {os} yet");
    report.lacks("files", why());
    match spec.network {
        Network::None | Network::Loopback => report.lacks("network", why()),
        Network::Any => {}
    }
    let limits = [
        ("memory", spec.memory.is_some()),
        ("processes", spec.processes.is_some()),
        ("cpu", spec.cpu.is_some()),
        ("size of files", spec.file_size.is_some()),
    ];
    for (what, _) in limits.into_iter().filter(|(_, asked)| *asked) {
        report.lacks(what, why());
    }
    Ok(())
}
