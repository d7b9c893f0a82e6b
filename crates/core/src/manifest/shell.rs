//! The shells that a hook may name: one row each.

use serde::Serialize;

/// A shell that reads command lines.
///
/// ```
/// use anyhook_core::manifest::{SHELLS, Shell};
///
/// let Shell { programs, before, .. } = Shell::named("pwsh").ok_or("no such shell")?;
/// assert_eq!(programs[0], "pwsh");
/// assert_eq!(before.last(), Some(&"-Command"));
/// assert!(SHELLS.iter().any(|shell| shell.name == "sh"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Shell {
    /// Its name in `shell`.
    pub name: &'static str,
    /// The programs that it may be, the first one that is there counts.
    pub programs: &'static [&'static str],
    /// The arguments before the command line.
    pub before: &'static [&'static str],
    /// How it spells a variable of its environment that stands as `${NAME}` in a command line.
    pub spells: Spells,
}

/// How a shell reads `${NAME}`.
///
/// ```
/// use anyhook_core::manifest::{Shell, Spells};
///
/// assert_eq!(Shell::named("bash").map(|shell| shell.spells), Some(Spells::AsWritten));
/// assert_eq!(Shell::named("pwsh").map(|shell| shell.spells), Some(Spells::Env));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Spells {
    /// As it stands.
    AsWritten,
    /// As `${env:NAME}`.
    Env,
}

/// Every shell.
///
/// ```
/// use anyhook_core::manifest::SHELLS;
/// let names: Vec<_> = SHELLS.iter().map(|shell| shell.name).collect();
/// assert_eq!(names, ["sh", "bash", "pwsh"]);
/// ```
pub static SHELLS: &[Shell] = &[
    Shell {
        name: "sh",
        programs: &["sh"],
        before: &["-c"],
        spells: Spells::AsWritten,
    },
    Shell {
        name: "bash",
        programs: &["bash"],
        before: &["-c"],
        spells: Spells::AsWritten,
    },
    Shell {
        name: "pwsh",
        programs: &["pwsh", "powershell"],
        before: &["-NoProfile", "-NonInteractive", "-Command"],
        spells: Spells::Env,
    },
];

impl Shell {
    /// Finds a shell by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHELLS.iter().find(|shell| shell.name == name)
    }

    /// Writes a command line as this shell reads it.
    ///
    /// ```
    /// use anyhook_core::manifest::Shell;
    ///
    /// let line = "lint ${file}; echo ${PROJECT_DIR}";
    /// let spelled = Shell::named("pwsh").map(|shell| shell.spelled(line));
    /// assert_eq!(spelled.as_deref(), Some("lint ${env:file}; echo ${env:PROJECT_DIR}"));
    /// ```
    pub fn spelled(&self, line: &str) -> String {
        let Spells::Env = self.spells else {
            return line.to_owned();
        };
        let mut spelled = String::with_capacity(line.len() + 16);
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("${") {
            spelled.push_str(before);
            let name = after.split_once('}').map(|(name, _)| name);
            let is_name = |name: &str| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            spelled.push_str(if name.is_some_and(is_name) {
                "${env:"
            } else {
                "${"
            });
            rest = after;
        }
        spelled.push_str(rest);
        spelled
    }
}
