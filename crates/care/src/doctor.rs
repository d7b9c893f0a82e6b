//! Checks every agent on this machine: whether it asks Anyhook, whether it obeys, and what prevents it.
//!
//! First each host is looked at as it is on this machine ([`HostPresence`]): its program, its settings files, our entries in
//! them, and what those entries really do when they are run ([`RehearsalResult`]). Then each row of [`CHECKS`] says what is wrong
//! about it. The checks answer four questions, a module each: is it installed, is it asked, is it obeyed, is it fast.
//!
//! Looking changes nothing: the command lines of our entries are run with a private configuration and a private state, in
//! which one hook refuses everything, so no hook of the person is asked and no session is touched.
//!
//! ```
//! use anyhook_care::doctor::{CHECKS, Diagnosis, SuggestedFix, DoctorSeverity, look};
//! use anyhook_care::install::Installer;
//! use anyhook_engine::world::{UserFolders, World};
//!
//! // A home in which no agent is used.
//! let home = tempfile::tempdir()?;
//! let folder = |name: &str| home.path().join(name);
//! let places = UserFolders { home: home.path().into(), config: folder("config"), state: folder("state") };
//! let world = World {
//!     env: [("PATH".into(), folder("bin").into())].into(),
//!     cwd: home.path().into(),
//!     places: Some(places),
//!     ..World::real()
//! };
//! let program = folder("anyhook");
//! let root = home.path();
//! let installer = Installer { world: &world, program: &program, root, os: "linux", probe: || () };
//! assert!(look(&installer, None).is_empty());
//!
//! // An agent that a person asks about is looked at all the same.
//! let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
//! let diagnosis = Diagnosis::of(look(&installer, Some(claude)).remove(0));
//! assert!(!diagnosis.seen.is_installed() && !diagnosis.is_healthy());
//! let entries = &diagnosis.findings[1];
//! assert_eq!((entries.check, entries.severity), ("entries", DoctorSeverity::Problem));
//! assert_eq!(entries.fix, SuggestedFix::from("anyhook install --host claude-code"));
//!
//! // Whether an agent is guarded is the person's to say, so nothing would be done by itself.
//! assert!(diagnosis.remedies().is_empty());
//! assert!(CHECKS.iter().any(|(slug, _)| *slug == "self-test"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asked;
mod fast;
mod installed;
mod obeyed;
mod presence;
mod rehearsal;

use std::path::{Path, PathBuf};

use anyhook_wires::settings::Scope;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::install::{InstallError, Installer};

pub use presence::{AgentProgram, HostFile, HostPresence, look};
pub use rehearsal::{RehearsalOutcome, RehearsalResult};

/// One way in which an agent may fail to ask us, or to hear us: its name, as in the JSON form, and what looks for it.
pub type DoctorCheck = (&'static str, fn(&HostPresence<'_>) -> Vec<DoctorFinding>);

/// Every check, in the order in which a person reads the findings.
pub static CHECKS: &[DoctorCheck] = &[
    // The agent is there.
    ("agent", installed::agent),
    // The settings files can be read and understood.
    ("settings-file", installed::settings_files),
    // The agent takes them as a whole.
    ("dropped-file", installed::dropped),
    // Every event calls us, under its own name.
    ("entries", installed::entries),
    // No entry means us and is written so that a shell runs something else.
    ("quoting", installed::quoting),
    // The program that the entries name is there, runs, and is this version.
    ("program", installed::programs),
    // Every entry runs in the host's shell, and a refusal is heard as one.
    ("self-test", obeyed::self_test),
    // The agent itself was seen to obey, in the version that is here.
    ("verified", obeyed::verified),
    // The agent waits as long as the entry says.
    ("timeout", fast::timeout),
    // No switch of the agent turns our entries off.
    ("switches", asked::switches),
    // The agent trusts this folder and our entries.
    ("trust", asked::trust),
    // No event calls us twice.
    ("twice", asked::twice),
    // The hooks of this project may run.
    ("project", asked::project),
    // Only an administrator can change the managed hooks.
    ("managed", asked::managed),
    // The agent has an answer for a hook with nothing to say.
    ("neutral", obeyed::neutral),
];

/// Something that a person should know about a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// The check that found it.
    pub check: &'static str,
    /// How bad it is.
    pub severity: DoctorSeverity,
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
    pub fix: SuggestedFix,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DoctorSeverity {
    /// It is good to know.
    Advice,
    /// Hooks do not hold, or not all of them.
    Problem,
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuggestedFix {
    /// What a person types.
    pub command: String,
    /// What `--fix` does; nothing where it is for the person to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<Remedy>,
}

/// What `--fix` does: it writes the entries of a scope again, and the program that they call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Remedy {
    /// The host.
    pub host: &'static str,
    /// The name of the scope.
    pub scope: &'static str,
}

impl SuggestedFix {
    /// Writes the entries of a scope again. Those of the whole machine are root's to write.
    pub fn install(host: &'static str, scope: Scope) -> Self {
        let command = match scope {
            Scope::User => format!("anyhook install --host {host}"),
            Scope::Project | Scope::Local => {
                format!("anyhook install --host {host} --scope {}", scope.name())
            }
            Scope::Managed => {
                return format!("sudo anyhook install --host {host} --scope managed").into();
            }
        };
        Self {
            command,
            safe: Some(Remedy {
                host,
                scope: scope.name(),
            }),
        }
    }
}

/// A command for the person alone.
impl From<String> for SuggestedFix {
    fn from(command: String) -> Self {
        let safe = None;
        Self { command, safe }
    }
}

impl From<&str> for SuggestedFix {
    fn from(command: &str) -> Self {
        command.to_owned().into()
    }
}

/// What was found about one host.
#[derive(Debug)]
pub struct Diagnosis<'a> {
    /// The host as it is on this machine.
    pub seen: HostPresence<'a>,
    /// What is to be said about it, in the order of the checks.
    pub findings: Vec<DoctorFinding>,
}

impl<'a> Diagnosis<'a> {
    /// Holds every check against what was seen.
    pub fn of(seen: HostPresence<'a>) -> Self {
        let findings = CHECKS.iter().flat_map(|(check, find)| {
            let found = find(&seen).into_iter();
            found.map(|finding| DoctorFinding { check, ..finding })
        });
        Self {
            findings: findings.collect(),
            seen,
        }
    }

    /// Tells whether no finding is a problem.
    pub fn is_healthy(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.all(|finding| finding.severity < DoctorSeverity::Problem)
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

/// As programs read it; its fields are stable.
impl Serialize for Diagnosis<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let seen = &self.seen;
        let files = seen.files.iter().map(|file| {
            json!({
                "path": file.path, "scope": file.scope.name(), "readable": file.entries.is_ok(),
                "entries": file.own_entries(),
            })
        });
        let [refused, arrived] =
            [RehearsalOutcome::Refused, RehearsalOutcome::Arrived].map(|one| seen.ended(&one));
        let facts = json!({
            "host": seen.host.id(), "maturity": seen.host.facts().maturity.as_str(), "agent": seen.agent,
            "files": files.collect::<Vec<_>>(),
            "self_test": {"tried": seen.trials.len(), "refused": refused, "arrived": arrived},
            "verified": seen.verified, "is_verified": seen.is_verified(), "installed": seen.is_installed(),
            "healthy": self.is_healthy(), "findings": self.findings,
        });
        facts.serialize(to)
    }
}

impl Remedy {
    /// Does it.
    pub fn apply(self, installer: &Installer<'_>) -> Result<(), Vec<InstallError>> {
        let host = anyhook_wires::host(self.host).zip(Scope::named(self.scope));
        let Some((host, scope)) = host else {
            return Ok(());
        };
        let plan = installer.plan(Some(host), scope)?;
        installer.carry_out(&plan).map_err(|error| vec![error])
    }
}

impl DoctorFinding {
    /// Makes a problem.
    fn problem(what: impl Into<String>, why: &str, fix: impl Into<SuggestedFix>) -> Self {
        Self {
            check: "",
            severity: DoctorSeverity::Problem,
            what: what.into(),
            file: None,
            line: None,
            why: why.to_owned(),
            fix: fix.into(),
        }
    }

    /// Makes advice.
    fn advice(what: impl Into<String>, why: &str, fix: impl Into<SuggestedFix>) -> Self {
        Self {
            severity: DoctorSeverity::Advice,
            ..Self::problem(what, why, fix)
        }
    }

    /// Makes a problem that may be none here advice.
    fn only_advice(mut self, is_advice: bool) -> Self {
        if is_advice {
            self.severity = DoctorSeverity::Advice;
        }
        self
    }

    /// Says where it is.
    fn at(mut self, file: &Path, line: Option<usize>) -> Self {
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
