//! The report of a confinement: which parts the kernel enforces, by which means, and which it does not.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a kernel can do.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KernelSupport {
    /// The version of Landlock, which refuses files.
    pub landlock: Option<u8>,
    /// Whether it has seccomp, which refuses system calls.
    pub seccomp: bool,
    /// Whether people may make user and network namespaces, as far as the settings of the kernel say.
    pub namespaces: bool,
    /// Whether it has Seatbelt, the sandbox of macOS, which refuses files and the network.
    pub seatbelt: bool,
}

impl KernelSupport {
    /// Tells whether nothing can be confined.
    pub fn is_none(&self) -> bool {
        self.landlock.is_none() && !self.seccomp && !self.seatbelt
    }
}

impl fmt::Display for KernelSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let landlock = self
            .landlock
            .map(|abi| format!("files by Landlock ABI {abi}"));
        let spaces = "a loopback of its own and a number of processes by namespaces";
        let others = [
            (self.seccomp, "network and system calls by seccomp"),
            (self.namespaces, spaces),
            (self.seatbelt, "files and the network by Seatbelt"),
        ];
        let others = others.into_iter().filter(|(has, _)| *has);
        let others = others.map(|(_, what)| what.to_owned());
        let has: Vec<String> = landlock.into_iter().chain(others).collect();
        if has.is_empty() {
            let os = std::env::consts::OS;
            return write!(
                f,
                "not confined here: {os} has neither Landlock nor seccomp nor Seatbelt"
            );
        }
        write!(f, "can confine: {}", has.join(", "))?;
        if self.landlock.is_none() && !self.seatbelt {
            f.write_str("; not files: this kernel has no Landlock, or it is switched off (see `lsm=` of the kernel)")?;
        }
        Ok(())
    }
}

/// What a confinement came to.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConfinementReport {
    /// What the kernel holds, and by which means.
    pub held: Vec<String>,
    /// What was asked for and cannot be had.
    pub lacks: Vec<ConfinementGap>,
    /// What is refused although it was allowed, and what else a person should know.
    pub notes: Vec<String>,
}

/// A part of a confinement that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConfinementGap {
    /// The part.
    pub what: String,
    /// Why.
    pub why: String,
}

impl ConfinementReport {
    /// Adds what the kernel holds.
    pub(crate) fn holds(&mut self, what: impl Into<String>) {
        self.held.push(what.into());
    }

    /// Adds what cannot be had.
    pub(crate) fn lacks(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.lacks.push(ConfinementGap {
            what: what.into(),
            why: why.into(),
        });
    }

    /// Adds what a person should know.
    #[cfg(target_os = "linux")]
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl fmt::Display for ConfinementGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl fmt::Display for ConfinementReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = (!self.held.is_empty()).then(|| format!("confined: {}", self.held.join(", ")));
        let what = match held {
            Some(_) => "not confined",
            None => "not confined here",
        };
        let mut lacks = self.lacks.iter().map(ToString::to_string);
        let first = lacks.next().map(|first| format!("{what}: {first}"));
        let parts = held.into_iter().chain(first).chain(lacks);
        let parts: Vec<String> = parts.chain(self.notes.iter().cloned()).collect();
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_in_words_what_a_kernel_can_do() {
        let all = KernelSupport {
            landlock: Some(4),
            seccomp: true,
            namespaces: true,
            seatbelt: false,
        };
        let told = "can confine: files by Landlock ABI 4, network and system calls by seccomp, \
                    a loopback of its own and a number of processes by namespaces";
        assert_eq!(all.to_string(), told);
        let some = KernelSupport {
            landlock: None,
            ..all
        };
        assert!(
            some.to_string()
                .contains("; not files: this kernel has no Landlock")
        );
        assert!(
            KernelSupport::default()
                .to_string()
                .starts_with("not confined here: ")
        );
    }

    #[test]
    fn a_report_says_what_is_held_and_names_what_is_not() {
        let mut report = ConfinementReport::default();
        report.lacks("processes", "the root user is not counted");
        assert_eq!(
            report.to_string(),
            "not confined here: processes: the root user is not counted"
        );
        report.holds("files by Landlock ABI 4");
        report.holds("network none by seccomp");
        report.lacks("size of files", "no");
        let told = "confined: files by Landlock ABI 4, network none by seccomp; \
                    not confined: processes: the root user is not counted; size of files: no";
        assert_eq!(report.to_string(), told);
    }
}
