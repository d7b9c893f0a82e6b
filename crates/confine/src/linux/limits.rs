//! Limits of processes and of files, and the rights of the root user.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs,
};

use crate::failure::ConfineError;
use crate::report::ConfinementReport;
use crate::spec::Spec;

/// What a root user keeps: to work on the files of others, as far as Landlock lets it.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Gives up the rights of a root user, for this process and all that it starts. A program that would bring them back
/// (`sudo`) does not.
pub(super) fn drop_capabilities() -> Result<(), ConfineError> {
    let dropped = capabilities(None).and_then(|has| {
        set_no_new_privs(true)?;
        let kept = CapabilitySets {
            effective: has.effective & KEPT,
            permitted: has.permitted & KEPT,
            inheritable: CapabilitySet::empty(),
        };
        set_capabilities(None, kept)
    });
    dropped.map_err(ConfineError::confining(
        "giving up the rights of the root user",
    ))
}

/// Sets the limits. There is never a core file: it would hold what was read.
pub(super) fn set(spec: &Spec, report: &mut ConfinementReport) -> Result<(), ConfineError> {
    limit(Resource::Core, 0)?;
    let is_counted = !report.lacks.iter().any(|lack| lack.what == "processes");
    if let Some(most) = spec.processes.filter(|_| is_counted) {
        limit(Resource::Nproc, most.get().into())?;
        report.holds(format!("{most} processes"));
    }
    if let Some(size) = spec.file_size {
        limit(Resource::Fsize, size.get())?;
        report.holds(format!(
            "{} MB for each file that it writes",
            size.get() >> 20
        ));
    }
    Ok(())
}

/// Sets one limit, never above the one that holds already.
fn limit(of: Resource, most: u64) -> Result<(), ConfineError> {
    let most = most.min(getrlimit(of).maximum.unwrap_or(u64::MAX));
    let new = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(of, new).map_err(ConfineError::confining("setting a limit"))
}
