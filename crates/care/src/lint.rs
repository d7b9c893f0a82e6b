//! The lints of a manifest: named rules that find mistakes before a hook runs, each with a page and with samples.
//!
//! [`check`] reads a text as [`load::parse`](anyhook_engine::load::parse) does and looks at what came out, and at the
//! scripts that it names. It starts no process, and whatever it reads it only reads: a script is judged by its text, and
//! where the text leaves a doubt nothing is said.
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook_core::manifest::Severity;
//! use anyhook_care::lint::{LintContext, LintFinding, LINTS, Lint, apply, check, lint};
//!
//! let text = r#"{"hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!     {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}}
//! ]}]}}"#;
//! let found = check(Path::new("hooks/hooks.json"), text, &LintContext::default());
//! let LintFinding { lint: Lint { code, slug, .. }, severity, fix, .. } = &found[0];
//! assert_eq!((*code, *slug, *severity), ("AH010", "no-version", Severity::Warning));
//!
//! // What is safe to mend is mended by a few edits of the text.
//! let mended = apply(text, fix.as_ref().into_iter());
//! assert!(mended.starts_with(r#"{"version": 1, "hooks""#), "{mended}");
//! assert_eq!(check(Path::new("hooks/hooks.json"), &mended, &LintContext::default()), []);
//!
//! // Every rule has a page, and samples that prove it.
//! assert!(LINTS.iter().all(|row| !row.page.is_empty() && !row.bad.files.is_empty()));
//! assert_eq!(lint("ah010").map(|row| row.slug), Some("no-version"));
//! ```

mod answers;
mod document;
mod fix;
mod lines;
mod linted;
mod matchers;
mod natives;
mod page;
mod rules;
mod script;
mod scripts;
mod timeouts;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhook_core::manifest::{Code, Finding, Place, Severity};
use anyhook_wires::Host;
use anyhook_wires::native_files::NativeFormat;

pub use fix::{Fix, apply};
use linted::LintTarget;
pub use page::{LintSample, SampleFile};

/// One rule.
///
/// All but what it looks for stands on its page in `docs/lints`.
#[derive(Debug)]
pub struct Lint {
    /// Its code, which never changes its meaning: `AH012`.
    pub code: &'static str,
    /// Its name for people, in words and hyphens.
    pub slug: &'static str,
    /// How bad a finding of it is.
    pub severity: Severity,
    /// What it finds, as one sentence.
    pub about: &'static str,
    /// Why that matters and what to do instead.
    pub page: &'static str,
    /// A package that has exactly one finding of this rule, and no other.
    pub bad: LintSample,
    /// The same package, mended.
    pub good: LintSample,
    /// Looks for more than the reader of manifests says.
    find: Option<LintCheck>,
}

impl Lint {
    /// Tells whether a finding of this rule at a place says all that another finding says, and more.
    fn is_graver_than(&self, said: &LintFinding, at: &Place) -> bool {
        let reader = matches!(said.lint.code, "AH001" | "AH004");
        self.code == "AH048" && reader && said.at.span == at.span
    }
}

impl PartialEq for Lint {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

/// What looks for the findings of a rule.
#[derive(Debug, Clone, Copy)]
enum LintCheck {
    /// In any file.
    Any(fn(&LintTarget<'_>) -> Vec<Note>),
    /// In a file of an agent's own form.
    Native(fn(&LintTarget<'_>, &NativeFormat) -> Vec<Note>),
}

/// What a check knows besides the file.
#[derive(Debug, Clone, Default)]
pub struct LintContext {
    /// The hosts that the manifest is judged for besides its own form.
    pub hosts: Vec<&'static Host>,
    /// The `PATH` on which programs are looked for; without one no program is looked for.
    pub path: Option<OsString>,
    /// The person's home, in which scripts behind `~` are looked for; without a home they are not looked for.
    pub home: Option<PathBuf>,
}

/// One finding of one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct LintFinding {
    /// The rule.
    pub lint: &'static Lint,
    /// How bad it is: what the reader of manifests calls a warning stays one.
    pub severity: Severity,
    /// The file that it is in: the manifest, or a script that the manifest names.
    pub file: PathBuf,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it is.
    pub at: Place,
    /// How to mend it, where that is safe.
    pub fix: Option<Fix>,
}

/// What a rule says.
#[derive(Debug)]
struct Note {
    /// The script that it is about, where it is not the manifest.
    file: Option<PathBuf>,
    message: String,
    help: Option<String>,
    at: Place,
    fix: Option<Fix>,
    /// How bad it is, where it is not as bad as its rule says.
    severity: Option<Severity>,
}

impl Note {
    fn new(at: Place, message: impl Into<String>) -> Self {
        Self {
            file: None,
            message: one_line(&message.into()),
            help: None,
            at,
            fix: None,
            severity: None,
        }
    }

    fn error(mut self) -> Self {
        self.severity = Some(Severity::Error);
        self
    }

    fn warning(mut self) -> Self {
        self.severity = Some(Severity::Warning);
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(one_line(&help.into()));
        self
    }

    fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    fn of(mut self, script: &Path) -> Self {
        self.file = Some(script.to_owned());
        self
    }
}

/// Whatever a rule quotes was written by anybody, and a finding is one line of a terminal.
fn one_line(text: &str) -> String {
    anyhook_engine::text::plain(text).replace('\n', " ")
}

/// Reads the pages of these rules, each with what looks for more than the reader of manifests says.
macro_rules! rules {
    ($($code:ident: $find:expr,)*) => {
        vec![$(page::read(
            stringify!($code),
            include_str!(concat!("../lints/", stringify!($code), ".md")),
            $find,
        )),*]
    };
}

/// Every rule, by its code. The code of a rule that was withdrawn is not given again.
pub static LINTS: LazyLock<Vec<Lint>> = LazyLock::new(|| {
    use LintCheck::{Any, Native};

    rules! {
        AH001: None,
        AH002: None,
        AH003: Some(Native(natives::unknown_field)),
        AH004: None,
        AH005: None,
        AH006: None,
        AH007: Some(Native(natives::useless_matcher)),
        AH008: None,
        AH009: Some(Any(matchers::find)),
        AH010: None,
        AH011: Some(Any(matchers::widened)),
        AH012: Some(Native(timeouts::units)),
        AH013: Some(Any(timeouts::none)),
        AH017: Some(Any(scripts::missing)),
        AH018: Some(Any(scripts::not_executable)),
        AH019: Some(Any(scripts::no_shebang)),
        AH020: Some(Any(scripts::crlf)),
        AH021: Some(Any(lines::missing_program)),
        AH022: Some(Any(lines::unquoted)),
        AH023: Some(Any(lines::unset_variable)),
        AH024: Some(Any(lines::exit_one)),
        AH025: Some(Any(lines::stop_loop)),
        AH027: Some(Any(answers::ignored)),
        AH028: Some(Any(answers::absent_event)),
        AH029: Some(Any(answers::lossy)),
        AH032: Some(Any(rules::allow_by_part)),
        AH033: Some(Native(scripts::relative)),
        AH036: Some(Any(rules::soft_guard)),
        AH038: Some(Native(timeouts::short)),
        AH044: Some(Any(rules::lost_rewrite)),
        AH045: Some(Native(natives::misplaced_events)),
        AH046: Some(Any(rules::no_shell)),
        AH047: Some(Any(natives::dropped_file)),
        AH048: Some(Native(natives::dropped_permissions)),
        AH050: None,
        AH051: Some(Any(rules::same_name)),
        AH052: Some(Any(rules::stops_all)),
    }
});

/// Finds a rule by its code or by its name, whatever the case.
pub fn lint(name: &str) -> Option<&'static Lint> {
    let is_it =
        |row: &&Lint| row.code.eq_ignore_ascii_case(name) || row.slug.eq_ignore_ascii_case(name);
    LINTS.iter().find(is_it)
}

/// Finds everything that is wrong with a manifest and with the scripts that it names, in the order of the text, the
/// manifest first.
///
/// A text that cannot be read has the one finding that says so. A manifest of a host's own form is read as that host
/// reads it.
pub fn check(file: &Path, text: &str, how: &LintContext) -> Vec<LintFinding> {
    let (form, parsed) = linted::read(file, text);
    let mut all: Vec<LintFinding> = match &parsed {
        Err(fatal) => said(file, fatal).into_iter().collect(),
        Ok(parsed) => {
            let findings = parsed.findings.iter();
            findings.filter_map(|finding| said(file, finding)).collect()
        }
    };
    if let Ok(parsed) = &parsed {
        let linted = LintTarget::new(file, text, form, parsed, how);
        for lint in LINTS.iter() {
            let notes = match (lint.find, linted.format) {
                (Some(LintCheck::Any(find)), _) => find(&linted),
                (Some(LintCheck::Native(find)), Some(format)) => find(&linted, format),
                (Some(LintCheck::Native(_)), None) | (None, _) => continue,
            };
            // What is graver in this file is said once.
            all.retain(|said| {
                notes
                    .iter()
                    .all(|note| !lint.is_graver_than(said, &note.at))
            });
            all.extend(notes.into_iter().map(|note| found(lint, file, note)));
        }
    }
    let place = |found: &LintFinding| {
        let LintFinding {
            file: of, at, lint, ..
        } = found;
        (of != file, of.clone(), at.span.start, lint.code)
    };
    all.sort_by_key(place);
    all.dedup();
    all
}

/// Gives what the reader of manifests says to the rule that it belongs to.
fn said(file: &Path, finding: &Finding) -> Option<LintFinding> {
    let code = match finding.code {
        Code::BadValue => "AH001",
        Code::UnknownEvent | Code::MisspelledEvent => "AH002",
        Code::UnknownField | Code::MisspelledField => "AH003",
        Code::UnknownType => "AH004",
        Code::BadPattern => "AH005",
        Code::BadCondition => "AH006",
        Code::UselessMatcher => "AH007",
        Code::NoEffect => "AH008",
        Code::NoVersion => "AH010",
        Code::ReadOtherwise => "AH011",
        Code::UnitOfTime => "AH012",
        Code::OtherSystem => "AH050",
    };
    // The version goes behind the opening bracket, which is where the finding stands.
    let end = finding.at.span.end;
    let version = || Fix::one("add the version", end..end, r#""version": 1, "#);
    Some(LintFinding {
        lint: lint(code)?,
        severity: match finding.code {
            Code::MisspelledEvent | Code::MisspelledField => Severity::Error,
            _ => finding.severity,
        },
        file: file.to_owned(),
        message: finding.message.clone(),
        help: finding.help.clone(),
        at: finding.at.clone(),
        fix: (finding.code == Code::NoVersion).then(version),
    })
}

fn found(lint: &'static Lint, file: &Path, note: Note) -> LintFinding {
    LintFinding {
        lint,
        severity: note.severity.unwrap_or(lint.severity),
        file: note.file.unwrap_or_else(|| file.to_owned()),
        message: note.message,
        help: note.help,
        at: note.at,
        fix: note.fix,
    }
}
