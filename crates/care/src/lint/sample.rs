//! Small packages that show a rule, and prove it.

/// A small package. The first file is the manifest.
///
/// ```
/// use anyhook_care::lint::{Sample, lint};
///
/// let Sample { files, hosts } = lint("absent-event").unwrap().bad;
/// assert_eq!((files.len(), hosts), (1, &["windsurf"][..]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Its files.
    pub files: &'static [File],
    /// The hosts that it is judged for, by id.
    pub hosts: &'static [&'static str],
}

/// A file of a sample.
///
/// ```
/// use anyhook_care::lint::{File, lint};
///
/// let [_, File { path, text, executable }] = lint("no-shebang").unwrap().bad.files else { panic!() };
/// assert_eq!((*path, *executable), ("scripts/tidy.sh", true));
/// assert!(!text.starts_with("#!"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Where it stands in the package.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// Whether it may be executed.
    pub executable: bool,
}

impl Sample {
    pub(super) const fn of(files: &'static [File]) -> Self {
        Self { files, hosts: &[] }
    }
}

impl File {
    /// The manifest of the rules about a script: it runs `scripts/tidy.sh` itself.
    pub(super) const RUNS_TIDY: Self = Self::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "${PACKAGE_ROOT}/scripts/tidy.sh", "timeout": 5}
]}]}}"#,
    );

    pub(super) const fn at(path: &'static str, text: &'static str) -> Self {
        Self {
            path,
            text,
            executable: false,
        }
    }

    pub(super) const fn program(path: &'static str, text: &'static str) -> Self {
        Self {
            path,
            text,
            executable: true,
        }
    }
}
