//! Access to files, limited with Landlock.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;
use rustix::process::getuid;

use anyhook_core::sandbox::Network;

use crate::failure::ConfineError;
use crate::report::ConfinementReport;
use crate::roots::places;
use crate::spec::Spec;
use crate::target::ResolvedPath;

/// The version of Landlock whose rights we know; an older kernel holds as many of them as it has.
const KNOWN: ABI = ABI::V6;

/// The places of the system that every program may read, and how each is opened.
pub(super) fn system_places() -> impl Iterator<Item = (&'static str, OFlags)> {
    let is_root = getuid().is_root();
    let settings = places("settings").filter(move |_| is_root);
    let all = ["/etc"].into_iter().filter(move |_| !is_root);
    let folders = places("system").chain(all);
    // Where `/bin` is a link, it leads to a folder that has its own rule.
    let folders = folders.map(|path| (path, OFlags::DIRECTORY | OFlags::NOFOLLOW));
    settings.map(|path| (path, OFlags::empty())).chain(folders)
}

/// What may be done below a folder that may be read.
fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(KNOWN)
}

/// What may be done below a folder that may be written: all but making devices and talking to them.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
}

/// Rules that are not put on yet.
pub(super) struct PendingRuleset(RulesetCreated);

/// Opens the places of a confinement and makes rules of them.
pub(super) fn rules(
    spec: &Spec,
    ours: Option<&Path>,
    report: &mut ConfinementReport,
) -> Result<PendingRuleset, ConfineError> {
    let making = ConfineError::confining("making rules for Landlock");
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(KNOWN)))
        .map_err(&making)?;
    if spec.network == Network::None {
        ruleset = ruleset
            .handle_access(AccessNet::from_all(KNOWN))
            .map_err(&making)?;
    }
    let mut rules = system_rules(PendingRuleset(ruleset.create().map_err(&making)?), ours)?;
    for target in &spec.read {
        rules = rules.with(named(target, "read", report), reading())?;
    }
    for target in &spec.write {
        rules = rules.with(named(target, "written", report), writing())?;
    }
    Ok(rules)
}

/// Allows what every program needs.
fn system_rules(
    mut rules: PendingRuleset,
    ours: Option<&Path>,
) -> Result<PendingRuleset, ConfineError> {
    for (path, how) in system_places() {
        // Of a file a rule takes what means something for one, so that its kind is not asked twice.
        rules = rules.with(system(path, how, true), reading())?;
    }
    let ours = ours.and_then(|path| system(path, OFlags::empty(), false));
    rules = rules.with(ours, reading())?;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in places("device") {
        rules = rules.with(system(path, OFlags::empty(), false), device)?;
    }
    Ok(rules)
}

impl PendingRuleset {
    /// Allows what was opened, if it was.
    fn with(
        self,
        opened: Option<OpenedPath>,
        access: BitFlags<AccessFs>,
    ) -> Result<Self, ConfineError> {
        let Some(opened) = opened else {
            return Ok(self);
        };
        let access = if opened.is_folder {
            access
        } else {
            access & AccessFs::from_file(KNOWN)
        };
        let ruleset = self.0.add_rule(PathBeneath::new(opened.at, access));
        ruleset
            .map(Self)
            .map_err(ConfineError::confining("making a rule for Landlock"))
    }
}

/// A place that was opened, to make a rule of it.
struct OpenedPath {
    at: OwnedFd,
    is_folder: bool,
}

pub(super) const AS_A_PLACE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// Opens a place of the system, if it is there.
fn system(path: impl AsRef<Path>, how: OFlags, is_folder: bool) -> Option<OpenedPath> {
    let at = open(path.as_ref(), AS_A_PLACE | how, Mode::empty()).ok()?;
    Some(OpenedPath { at, is_folder })
}

/// Opens a place that a person named, so that it can be read or written. What it is not, and what only a link leads to, is not opened, and the report says so:
/// a link that was put in its place would lead to any other.
fn named(target: &ResolvedPath, doing: &str, report: &mut ConfinementReport) -> Option<OpenedPath> {
    let path = target.path();
    let mut note = |why: &str| {
        report.note(format!(
            "`{}` {why}, so it cannot be {doing}",
            path.display()
        ));
        None
    };
    let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = openat2(CWD, path, AS_A_PLACE, Mode::empty(), links);
    let opened = opened.and_then(|at| {
        let is_folder = FileType::from_raw_mode(fstat(&at)?.st_mode) == FileType::Directory;
        Ok(OpenedPath { at, is_folder })
    });
    match opened {
        Ok(opened) if opened.is_folder == target.is_folder() => Some(opened),
        Ok(OpenedPath {
            is_folder: true, ..
        }) => note("is a folder and was named as a file (write `/**` behind it)"),
        Ok(_) => note("is a file and was named as a folder"),
        Err(Errno::LOOP) => note("has a link in it (name the place that it leads to)"),
        Err(Errno::NOENT | Errno::NOTDIR) => note("is not there"),
        Err(error) => note(&format!("cannot be opened ({error})")),
    }
}

/// Puts the rules on, and returns the version of Landlock that holds them.
pub(super) fn enforce(
    rules: PendingRuleset,
    report: &mut ConfinementReport,
) -> Result<Option<u8>, ConfineError> {
    let status = rules
        .0
        .restrict_self()
        .map_err(ConfineError::confining("putting on the rules of Landlock"))?;
    let is_on = status.ruleset != RulesetStatus::NotEnforced;
    let version = version_of(&status.landlock).filter(|_| is_on);
    match version {
        Some(version) => report.holds(format!("files by Landlock ABI {version}")),
        None => report.lacks(
            "files",
            "this kernel has no Landlock, or it is switched off",
        ),
    }
    if version.is_some_and(|version| version < 6) {
        report.note(
            "signals to other processes of this user are not refused (that needs Landlock ABI 6)",
        );
    }
    Ok(version)
}

fn version_of(status: &LandlockStatus) -> Option<u8> {
    match status {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => {
            let version = kernel_abi.unwrap_or(*effective_abi as i32);
            u8::try_from(version).ok()
        }
        _ => None,
    }
}

/// Returns the version of Landlock, by confining this thread.
pub(super) fn version() -> Option<u8> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))
        .ok()?;
    let status = rules.create().ok()?.restrict_self().ok()?;
    version_of(&status.landlock)
}
