//! The pages of the rules in `docs/lints`: each is the text for people, what `check --explain` prints, and its own test.

use anyhook_core::manifest::Severity;

use super::{Lint, LintCheck};

/// A small package that shows a rule, and proves it. The first file is the manifest.
///
/// ```
/// use anyhook_care::lint::{LintSample, lint};
///
/// let LintSample { files, host } = &lint("absent-event").unwrap().bad;
/// assert_eq!((files.len(), *host), (1, Some("windsurf")));
/// ```
#[derive(Debug, Clone)]
pub struct LintSample {
    /// Its files.
    pub files: Vec<SampleFile>,
    /// The host that it is judged for besides its own, by id.
    pub host: Option<&'static str>,
}

/// A file of a sample.
///
/// ```
/// use anyhook_care::lint::{SampleFile, lint};
///
/// let [_, SampleFile { path, text, executable }] = &lint("no-shebang").unwrap().bad.files[..] else { panic!() };
/// assert_eq!((*path, *executable), ("scripts/tidy.sh", true));
/// assert!(!text.starts_with("#!"));
/// ```
#[derive(Debug, Clone)]
pub struct SampleFile {
    /// Where it stands in the package.
    pub path: &'static str,
    /// What it holds.
    pub text: String,
    /// Whether it may be executed.
    pub executable: bool,
}

/// Reads the page of a rule. A page without one of its parts has an empty one, which a test finds.
pub(super) fn read(code: &'static str, page: &'static str, find: Option<LintCheck>) -> Lint {
    let page = page.strip_prefix("---\n").unwrap_or(page);
    let (head, body) = page.split_once("\n---\n").unwrap_or_default();
    let (why, samples) = body.split_once("\n## Bad\n").unwrap_or_default();
    let (bad, good) = samples.split_once("\n## Good\n").unwrap_or_default();
    let field = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let host = field("host");
    let sample = |text| LintSample {
        files: files(text),
        host,
    };
    Lint {
        code,
        slug: field("name").unwrap_or_default(),
        severity: match field("severity") {
            Some("warning") => Severity::Warning,
            _ => Severity::Error,
        },
        about: field("summary").unwrap_or_default(),
        page: why.trim(),
        bad: sample(bad),
        good: sample(good),
        find,
    }
}

/// Reads the fenced blocks, each behind a line with its path in backticks and with what else is to say about the file.
fn files(sample: &'static str) -> Vec<SampleFile> {
    let parts: Vec<&str> = sample.split("```").collect();
    let file = |(about, block): (&'static str, &str)| {
        let (_, text) = block.split_once('\n')?;
        let is_of_windows = about.contains("with Windows line endings");
        Some(SampleFile {
            path: about.split('`').nth(1)?,
            text: if is_of_windows {
                text.replace('\n', "\r\n")
            } else {
                text.to_owned()
            },
            executable: about.contains(", executable"),
        })
    };
    let blocks = parts.iter().step_by(2).zip(parts.iter().skip(1).step_by(2));
    blocks
        .filter_map(|(about, block)| file((about, block)))
        .collect()
}
