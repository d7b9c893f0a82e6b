//! Checks every agent on this machine: whether it asks Anyhook, whether it obeys, and what prevents it.
//!
//! First each host is looked at as it is on this machine ([`Presence`]): its program, its settings files, our entries in
//! them, and what those entries really do when they are run ([`Trial`]). Then each row of [`CHECKS`] says what is wrong
//! about it. A check reads nothing but what was seen.
//!
//! Looking changes nothing: the command lines of our entries are run with a private configuration and a private state, in
//! which one hook refuses everything, so no hook of the person is asked and no session is touched.
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook_care::doctor::{
//!     Agent, CHECKS, Check, Diagnosis, File, Finding, Fix, Outcome, Presence, Remedy, Severity, Trial, look,
//! };
//! use anyhook_care::install::{Installer, unhindered};
//! use anyhook_wires::settings::Scope;
//! use anyhook_engine::world::{Places, World};
//!
//! // A home in which no agent is used.
//! let home = tempfile::tempdir()?;
//! let folder = |name: &str| home.path().join(name);
//! let places = Places { home: home.path().into(), config: folder("config"), state: folder("state") };
//! let world = World {
//!     env: [("PATH".into(), folder("bin").into())].into(),
//!     cwd: home.path().into(),
//!     places: Some(places),
//!     ..World::real()
//! };
//! let program = folder("anyhook");
//! let root = home.path();
//! let installer = Installer { world: &world, program: &program, root, os: "linux", probe: &unhindered };
//! assert!(look(&installer, None).is_empty());
//!
//! // An agent that a person asks about is looked at all the same.
//! let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
//! let seen: Presence = look(&installer, Some(claude)).remove(0);
//! let (agent, files, trials): (&Option<Agent>, &[File], &[Trial]) = (&seen.agent, &seen.files, &seen.trials);
//! assert!(agent.is_none() && files.is_empty() && !seen.is_installed());
//! assert!(seen.verified.is_none() && !seen.is_verified());
//! assert!(!trials.iter().any(|trial| trial.outcome == Outcome::Refused));
//! assert_eq!(files.iter().filter(|file| file.is_readable()).map(File::own_entries).sum::<usize>(), 0);
//!
//! let diagnosis = Diagnosis::of(seen);
//! let Finding { check, severity, fix, .. } = &diagnosis.findings[1];
//! assert_eq!((*check, *severity), ("entries", Severity::Problem));
//! assert_eq!(*fix, Fix::by_hand("anyhook install --host claude-code"));
//! assert!(!diagnosis.is_healthy());
//!
//! // Whether an agent is guarded is the person's to say, so nothing would be done by itself.
//! assert!(diagnosis.remedies().is_empty());
//! let again: Option<Remedy> = Fix::install("claude-code", Scope::User).safe;
//! assert_eq!(again, Some(Remedy::Install { host: "claude-code", scope: Scope::User }));
//! assert!(again.is_some_and(|remedy| remedy.apply(&installer).is_err()), "there is no program to put there");
//!
//! assert!(CHECKS.iter().any(|Check { slug, .. }| *slug == "self-test"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod entries;
mod fast;
mod judging;
mod look;
mod managed;
mod obeyed;
mod presence;
mod program;
mod project;
mod quoting;
mod reading;
mod rehearsal;
mod sample;
mod server;
mod settings_file;
mod switches;
mod trust;
mod twice;
mod versions;

use std::path::{Path, PathBuf};

use anyhook_wires::Host;
use anyhook_wires::settings::Scope;
use serde::Serialize;

use crate::install::{Adopting, Change, InstallError, Installer, Which};

pub use look::look;
pub use presence::{Agent, File, Presence};
pub use rehearsal::{Outcome, Trial};

use look::Asked;
use sample::sample;

/// One way in which an agent may fail to ask us, or to hear us.
#[derive(Debug)]
pub struct Check {
    /// Its name, as in the JSON form.
    pub slug: &'static str,
    /// What it looks for, in one sentence.
    pub summary: &'static str,
    /// Looks for it in what was seen of one host.
    pub run: fn(&Presence) -> Vec<Finding>,
}

/// Every check, in the order in which a person reads the findings.
pub static CHECKS: &[Check] = &[
    agent::ROW,
    settings_file::ROW,
    entries::ROW,
    quoting::ROW,
    program::ROW,
    obeyed::SELF_TEST,
    obeyed::VERIFIED,
    fast::TIMEOUT,
    switches::ROW,
    trust::ROW,
    twice::ROW,
    project::ROW,
    managed::ROW,
    fast::SLOW,
    obeyed::NEUTRAL,
];

/// Something that a person should know about a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is the case: lowercase, no period.
    pub what: String,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line in that file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Why it matters.
    pub why: String,
    /// What to do about it.
    pub fix: Fix,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is good to know.
    Advice,
    /// Hooks do not hold, or not all of them.
    Problem,
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What a person types.
    pub command: String,
    /// What `--fix` does; nothing where it is for the person to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<Remedy>,
}

/// What `--fix` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Writes the entries of a scope again, and the program that they call.
    Install {
        /// The host.
        host: &'static str,
        /// The scope.
        #[serde(serialize_with = "name_of")]
        scope: Scope,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn name_of<S: serde::Serializer>(scope: &Scope, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(scope.name())
}

impl Fix {
    /// A command for the person alone.
    pub fn by_hand(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            safe: None,
        }
    }

    /// Writes the entries of a scope again. Those of the whole machine are root's to write.
    pub fn install(host: &'static str, scope: Scope) -> Self {
        let command = match scope {
            Scope::User => format!("anyhook install --host {host}"),
            Scope::Project | Scope::Local => {
                format!("anyhook install --host {host} --scope {}", scope.name())
            }
            Scope::Managed => {
                return Self::by_hand(format!(
                    "sudo anyhook install --host {host} --scope managed"
                ));
            }
        };
        Self {
            command,
            safe: Some(Remedy::Install { host, scope }),
        }
    }
}

/// What was found about one host.
#[derive(Debug)]
pub struct Diagnosis {
    /// The host as it is on this machine.
    pub seen: Presence,
    /// What is to be said about it, in the order of the checks.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Holds every check against what was seen.
    pub fn of(seen: Presence) -> Self {
        let findings = CHECKS.iter().flat_map(|check| (check.run)(&seen)).collect();
        Self { seen, findings }
    }

    /// Tells whether no finding is a problem.
    pub fn is_healthy(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.all(|finding| finding.severity < Severity::Problem)
    }

    /// Returns what `--fix` would do, each thing once.
    pub fn remedies(&self) -> Vec<Remedy> {
        let mut all: Vec<Remedy> = Vec::new();
        for remedy in self.findings.iter().filter_map(|finding| finding.fix.safe) {
            if !all.contains(&remedy) {
                all.push(remedy);
            }
        }
        all
    }
}

impl Remedy {
    /// Does it, and returns the files that it was about.
    pub fn apply(self, installer: &Installer<'_>) -> Result<Vec<Change>, Vec<InstallError>> {
        match self {
            Self::Install { host, scope } => {
                let host: &'static dyn Host = anyhook_wires::host(host).ok_or_else(|| {
                    vec![InstallError::NoSettings {
                        host,
                        instead: "name an agent: anyhook install --host claude-code",
                    }]
                })?;
                let plan = installer.plan(Which::One(host), scope, Adopting::No)?;
                installer.carry_out(&plan).map_err(|error| vec![error])?;
                Ok(plan.changes)
            }
        }
    }
}

impl Finding {
    /// Makes a problem.
    pub(crate) fn problem(check: &Check, what: impl Into<String>, why: &str, fix: Fix) -> Self {
        Self {
            check: check.slug,
            severity: Severity::Problem,
            what: what.into(),
            file: None,
            line: None,
            why: why.to_owned(),
            fix,
        }
    }

    /// Makes advice.
    pub(crate) fn advice(check: &Check, what: impl Into<String>, why: &str, fix: Fix) -> Self {
        Self {
            severity: Severity::Advice,
            ..Self::problem(check, what, why, fix)
        }
    }

    /// Says where it is.
    pub(crate) fn at(mut self, file: &Path, line: Option<usize>) -> Self {
        self.file = Some(file.to_owned());
        self.line = line;
        self
    }
}

/// Writes names with commas; of many only the first and how many there are.
pub(crate) fn several(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [first, second, third, rest @ ..] if rest.len() > 1 => {
            format!("`{first}`, `{second}`, `{third}` and {} more", rest.len())
        }
        names => {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            quoted.join(", ")
        }
    }
}

#[cfg(test)]
mod tests;
