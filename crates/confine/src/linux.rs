//! The parts of a confinement on Linux, in the order in which they are applied.

mod calls;
mod files;
mod limits;
mod names;
mod notify;
mod spaces;
mod told;
mod watch;

use std::ffi::OsStr;
use std::process::Command;

use anyhook_core::sandbox::Network;

use crate::failure::ConfineError;
use crate::programs;
use crate::report::{ConfinementReport, KernelSupport};
use crate::spec::Spec;

pub use names::names_without_plugins;
pub use spaces::raise_loopback;
pub use watch::AccessMonitor;

/// Says what this kernel can do.
///
/// Landlock is tried in a thread of its own, which ends at once: only that thread is confined.
pub fn level() -> KernelSupport {
    KernelSupport {
        landlock: std::thread::spawn(files::version).join().ok().flatten(),
        seccomp: calls::can(),
        namespaces: spaces::can(),
        seatbelt: false,
    }
}

/// Confines this process.
///
/// Folders are opened and namespaces made while it still may; the filter of calls comes late, because it refuses what the
/// steps before it need; limits come last, because they hold for this process as well.
pub(crate) fn confine(
    spec: &Spec,
    watcher: Option<i32>,
    report: &mut ConfinementReport,
) -> Result<(), ConfineError> {
    let files = files::rules(spec, programs::ours().as_deref(), report)?;
    let has_calls = calls::can();
    let network = spaces::enter(spec, has_calls, report)?;
    limits::drop_capabilities()?;
    let landlock = files::enforce(files, report)?;
    close_fds::set_fds_cloexec(3, &[]);
    if has_calls {
        let told = calls::refuse(calls::FilterSettings {
            network,
            files: landlock,
            metadata: spec.write.is_empty(),
            // An older Landlock needs a filter of its own for what opens files.
            is_told: watcher.is_some() && landlock.is_some_and(|version| version >= 3),
        })?;
        if let (Some(told), Some(watcher)) = (told, watcher) {
            notify::pass_on(&told, watcher)
                .map_err(ConfineError::confining("passing on what it opens"))?;
        }
    }
    said(network, has_calls, report);
    limits::set(spec, report)
}

/// Begins the command: this process is confined, so it is the program itself.
pub(crate) fn starting(_: &Spec, program: &OsStr) -> Command {
    Command::new(program)
}

/// Says who holds the network.
fn said(network: spaces::NetworkIsolation, has_calls: bool, report: &mut ConfinementReport) {
    let word = network.network.as_str();
    match (network.network, has_calls, network.is_cut_off) {
        (Network::None, true, _) => report.holds("network none by seccomp"),
        (Network::None | Network::Loopback, _, true) => {
            report.holds(format!("network {word} by a network namespace"));
        }
        (Network::None | Network::Loopback, _, false) => {
            report.lacks(
                "network",
                "this kernel has neither seccomp nor a network namespace for this user",
            );
        }
        (Network::Any, true, _) => report.holds("network any, without sockets of this machine"),
        (Network::Any, false, _) => {
            report.lacks("sockets of this machine", "this kernel has no seccomp");
        }
    }
    if !has_calls {
        report.lacks(
            "system calls",
            "this kernel has no seccomp for this processor",
        );
    }
}
