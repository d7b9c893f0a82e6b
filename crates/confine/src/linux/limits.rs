//! Limits of memory, processes and time, and the rights of the root user.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs,
};

use crate::failure::Failure;
use crate::report::Report;
use crate::spec::Spec;

/// What a root user keeps: to work on the files of others, as far as Landlock lets it.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Gives up the rights of a root user, for this process and all that it starts. A program that would bring them back
/// (`sudo`) does not.
pub(super) fn drop_capabilities() -> Result<(), Failure> {
    let dropped = capabilities(None).and_then(|has| {
        set_no_new_privs(true)?;
        let kept = CapabilitySets {
            effective: has.effective & KEPT,
            permitted: has.permitted & KEPT,
            inheritable: CapabilitySet::empty(),
        };
        set_capabilities(None, kept)
    });
    dropped.map_err(|error| Failure::confining("giving up the rights of the root user", error))
}

/// Sets the limits. There is never a core file: it would hold what was read.
pub(super) fn set(spec: &Spec, report: &mut Report) -> Result<(), Failure> {
    limit(Resource::Core, 0, 0)?;
    if let Some(seconds) = spec.cpu {
        // At the first the process is told to end, at the second it ends.
        limit(
            Resource::Cpu,
            seconds.get(),
            seconds.get().saturating_add(1),
        )?;
        report.holds(format!("{seconds} seconds of a processor for each process"));
    }
    let is_counted = !report.lacks.iter().any(|lack| lack.what == "processes");
    if let Some(most) = spec.processes.filter(|_| is_counted) {
        limit(Resource::Nproc, most.get().into(), most.get().into())?;
        report.holds(format!("{most} processes"));
    }
    if let Some(memory) = spec.memory {
        limit(Resource::As, memory.bytes(), memory.bytes())?;
        report.holds(format!("{memory} of memory for each process"));
    }
    if let Some(size) = spec.file_size {
        limit(Resource::Fsize, size.bytes(), size.bytes())?;
        report.holds(format!("{size} for each file that it writes"));
    }
    Ok(())
}

/// Sets one limit, never above the one that holds already.
fn limit(of: Resource, soft: u64, hard: u64) -> Result<(), Failure> {
    let most = getrlimit(of).maximum.unwrap_or(u64::MAX);
    let new = Rlimit {
        current: Some(soft.min(most)),
        maximum: Some(hard.min(most)),
    };
    setrlimit(of, new).map_err(|error| Failure::confining("setting a limit", error))
}
