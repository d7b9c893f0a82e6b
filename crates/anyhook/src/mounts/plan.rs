//! Mount plans: which modules a session has, from where, and with which configuration.

mod reading;

use std::path::{Path, PathBuf};

use anyhook_core::manifest::{Finding, Place, Severity};
use anyhook_engine::session::Settings;
use anyhook_registry::registry::Rules;
use serde_json::Value;

use super::source::Source;
use super::tree::{Node, wrong};
use reading::Reading;

/// The longest plan that is read.
const LONGEST: u64 = 256 * 1024;

/// A mount plan.
///
/// Reading one never ends at the first mistake: every one is a [`Finding`] with its place, and an entry that has one is
/// not mounted, while the others are.
///
/// ```
/// use std::path::Path;
///
/// use anyhook::mounts::{Entry, Plan};
///
/// let plan = Plan::read(
///     Path::new("plan.json"),
///     r#"{
///         "session": {"injection_size_limit": 4096},
///         "hooks": [
///             {"module": "audit", "config": {"enabled_events": ["tool:*"]}},
///             {"module": "guard", "sorce": "./guard"}
///         ]
///     }"#,
/// )?;
/// assert_eq!(plan.settings.injection_size_limit, Some(4096));
/// let [audit, guard]: &[Entry; 2] = plan.entries[..].try_into()?;
/// assert!(audit.problem.is_none() && audit.rules.enables("tool:pre"));
///
/// // What is wrong has a place and advice.
/// assert_eq!((guard.at.line, plan.findings[0].at.line), (5, 5));
/// assert_eq!(plan.findings[0].help.as_deref(), Some("did you mean `source`?"));
/// assert_eq!(plan.folder, Path::new(""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The folder that sources count from, which is also that of the lock file.
    pub folder: PathBuf,
    /// The limits of the session.
    pub settings: Settings,
    /// The modules, in the order in which they are mounted.
    pub entries: Vec<Entry>,
    /// Everything that is wrong with it, in the order of the text.
    pub findings: Vec<Finding>,
}

/// One module of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The module's name.
    pub module: String,
    /// Where it comes from, if the plan says so.
    pub source: Option<Source>,
    /// Its configuration: an object.
    pub config: Value,
    /// What the plan sets for everything it registers.
    pub rules: Rules,
    /// Where it stands.
    pub at: Place,
    /// Why it cannot be mounted, if something is wrong with the entry itself.
    pub problem: Option<String>,
}

impl Entry {
    /// Makes the entry of a module that stands in no plan.
    ///
    /// ```
    /// use anyhook::mounts::Entry;
    /// use serde_json::json;
    ///
    /// let entry = Entry::new("audit", json!({"level": "all"}));
    /// assert_eq!((entry.module.as_str(), entry.source), ("audit", None));
    /// ```
    pub fn new(module: &str, config: Value) -> Self {
        let start = Place {
            span: 0..0,
            line: 1,
            column: 1,
        };
        Self {
            module: module.to_owned(),
            source: None,
            config,
            rules: Rules::default(),
            at: start,
            problem: None,
        }
    }
}

/// A plan that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .finding.message)]
pub struct PlanError {
    /// What is wrong, and where.
    pub finding: Finding,
    /// The text, where there was one.
    pub text: Option<String>,
}

impl Plan {
    /// Reads a plan from its file: JSON if the name ends in `.json`, else YAML, of which JSON is a part.
    ///
    /// ```
    /// use anyhook::mounts::{Plan, PlanError};
    ///
    /// let place = tempfile::tempdir()?;
    /// let missing: PlanError = Plan::open(&place.path().join("plan.json")).unwrap_err();
    /// assert!(missing.to_string().starts_with("cannot be read"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(file: &Path) -> Result<Self, PlanError> {
        let failed = |message: String| PlanError {
            finding: wrong(&Entry::new("", Value::Null).at, message, None),
            text: None,
        };
        let bytes = anyhook_engine::files::read_document(file)
            .map_err(|why| failed(format!("cannot be read: {why}")))?;
        if bytes.len() as u64 > LONGEST {
            return Err(failed(format!("has more than {LONGEST} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("is no text in UTF-8".into()))?;
        Self::read(file, &text).map_err(|finding| PlanError {
            finding,
            text: Some(text),
        })
    }

    /// Reads the text of a plan; what cannot be read as a document at all is the error.
    pub fn read(file: &Path, text: &str) -> Result<Self, Finding> {
        let is_json = file.extension().is_some_and(|end| end == "json");
        let document = Node::read(text, is_json)?;
        let mut reading = Reading {
            plan: Self {
                folder: file.parent().unwrap_or(Path::new("")).to_path_buf(),
                ..Self::default()
            },
        };
        reading.document(&document);
        let mut plan = reading.plan;
        plan.findings.sort_by_key(|finding| finding.at.span.start);
        Ok(plan)
    }

    /// Tells whether anything is wrong with it that keeps a module from being mounted, or the limits from being kept.
    pub fn has_errors(&self) -> bool {
        let mut all = self.findings.iter();
        all.any(|finding| finding.severity == Severity::Error)
    }
}
