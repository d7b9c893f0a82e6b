//! Mount plans: which modules a session has, from where, and with which configuration.

use std::path::{Path, PathBuf};

use anyhook_care::packages::PackageError;
use anyhook_core::event::EventName;
use anyhook_core::manifest::{Code, Finding, Place, Severity};
use anyhook_core::taxonomy::{nearest, suggest};
use anyhook_engine::session::InjectionLimits;
use anyhook_engine::yaml::{self, LONGEST, Spanned};
use anyhook_registry::registry::Rules;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::source::ModuleSource;

/// The sections of a plan; those of other parts of an agent are theirs to read.
const SECTIONS: [&str; 10] = [
    "session",
    "hooks",
    "orchestrator",
    "context",
    "providers",
    "tools",
    "agents",
    "name",
    "description",
    "version",
];

/// The limits of a session.
const LIMITS: [&str; 3] = [
    "injection_size_limit",
    "injection_budget_per_turn",
    "strict",
];

/// The beginning of a plan.
const START: Place = Place {
    span: 0..0,
    line: 1,
    column: 1,
};

/// What is read of a plan.
#[derive(Default, Deserialize)]
struct PlanDocument {
    session: Option<Spanned<Value>>,
    hooks: Option<Vec<Spanned<Value>>>,
}

/// One module, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a `module`")]
struct PlanEntry {
    module: String,
    source: Option<String>,
    config: Option<Map<String, Value>>,
    priority: Option<i32>,
}

fn finding(severity: Severity, at: &Place, message: String, help: Option<String>) -> Finding {
    Finding {
        code: Code::BadValue,
        severity,
        message,
        help,
        at: at.clone(),
    }
}

fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// A mount plan.
///
/// Reading one never ends at the first mistake: every one is a [`Finding`] with its place, and an entry that has one is
/// not mounted, while the others are.
///
/// ```
/// use std::path::Path;
///
/// use anyhook::mounts::{ModuleEntry, Plan};
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
/// let [audit, guard]: &[ModuleEntry; 2] = plan.entries[..].try_into()?;
/// assert!(audit.problem.is_none() && audit.rules.enables("tool:pre"));
///
/// // What is wrong has a place.
/// assert_eq!((guard.at.line, plan.findings[0].at.line), (5, 5));
/// assert!(plan.findings[0].message.starts_with("unknown field `sorce`"));
/// assert_eq!(plan.folder, Path::new(""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The folder that sources count from, which is also that of the lock file.
    pub folder: PathBuf,
    /// The limits of the session.
    pub settings: InjectionLimits,
    /// The modules, in the order in which they are mounted.
    pub entries: Vec<ModuleEntry>,
    /// Everything that is wrong with it, in the order of the text.
    pub findings: Vec<Finding>,
}

/// One module of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleEntry {
    /// The module's name.
    pub module: String,
    /// Where it comes from, if the plan says so.
    pub source: Option<ModuleSource>,
    /// Its configuration: an object.
    pub config: Value,
    /// What the plan sets for everything it registers.
    pub rules: Rules,
    /// Where it stands.
    pub at: Place,
    /// Why it cannot be mounted, if something is wrong with the entry itself.
    pub problem: Option<String>,
}

impl ModuleEntry {
    /// Makes the entry of a module that stands in no plan.
    ///
    /// ```
    /// use anyhook::mounts::ModuleEntry;
    /// use serde_json::json;
    ///
    /// let entry = ModuleEntry::new("audit", json!({"level": "all"}));
    /// assert_eq!((entry.module.as_str(), entry.source), ("audit", None));
    /// ```
    pub fn new(module: &str, config: Value) -> Self {
        Self {
            module: module.to_owned(),
            source: None,
            config,
            rules: Rules::default(),
            at: START,
            problem: None,
        }
    }

    /// Takes what is written; the error says what is wrong with it.
    fn fill(&mut self, written: &Value, folder: &Path) -> Result<(), PackageError> {
        let wrong = |error: serde_json::Error| PackageError::new(error.to_string());
        let written = PlanEntry::deserialize(written).map_err(wrong)?;
        if written.module.trim().is_empty() {
            let error = PackageError::new("`module` must be a name");
            return Err(error.help("a module is found by its name"));
        }
        self.module = written.module;
        let config = written.config.unwrap_or_default();
        let mut rules = config.clone();
        rules.retain(|name, value| {
            matches!(&**name, "enabled_events" | "log_level") && !value.is_null()
        });
        self.config = config.into();
        let source = written.source.map(|text| ModuleSource::read(&text, folder));
        self.source = source.transpose()?;
        self.rules = Rules {
            priority: written.priority,
            ..Rules::deserialize(Value::Object(rules)).map_err(wrong)?
        };
        Ok(())
    }
}

/// Makes a plan of modules that stand in no file.
impl From<Vec<ModuleEntry>> for Plan {
    fn from(entries: Vec<ModuleEntry>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }
}

impl Plan {
    /// Reads a plan from its file: JSON if the name ends in `.json`, else YAML, of which JSON is a part.
    ///
    /// ```
    /// use anyhook::core::manifest::Finding;
    /// use anyhook::mounts::Plan;
    ///
    /// let place = tempfile::tempdir()?;
    /// let missing: Finding = Plan::open(&place.path().join("plan.json")).unwrap_err();
    /// assert!(missing.to_string().starts_with("cannot be read"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(file: &Path) -> Result<Self, Finding> {
        let failed = |message: String| finding(Severity::Error, &START, message, None);
        let bytes = anyhook_engine::files::read_document(file)
            .map_err(|why| failed(format!("cannot be read: {why}")))?;
        if bytes.len() as u64 > LONGEST {
            return Err(failed(format!("has more than {LONGEST} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("is no text in UTF-8".into()))?;
        Self::read(file, &text)
    }

    /// Reads the text of a plan; what cannot be read as a document at all is the error.
    pub fn read(file: &Path, text: &str) -> Result<Self, Finding> {
        let sections: Option<Map<String, Value>> = yaml::read(text)?;
        let document: Option<PlanDocument> = yaml::read(text)?;
        let document = document.unwrap_or_default();
        let mut plan = Self {
            folder: file.parent().unwrap_or(Path::new("")).to_path_buf(),
            ..Self::default()
        };
        let mut warn = |at: &Place, message: String, help: Option<String>| {
            let warning = finding(Severity::Warning, at, message, help);
            plan.findings.push(warning);
        };
        for name in sections.iter().flat_map(Map::keys) {
            if !SECTIONS.contains(&&**name) {
                let near = nearest(name, SECTIONS.into_iter());
                let message = format!("the section `{name}` is unknown and ignored");
                warn(&START, message, near.map(did_you_mean));
            }
        }
        if document.hooks.is_none() {
            let help = "write `hooks:` and a list of modules";
            warn(&START, "the plan has no `hooks`".into(), Some(help.into()));
        }
        if let Some(session) = &document.session {
            plan.session(session);
        }
        for written in document.hooks.unwrap_or_default() {
            plan.entry(&written);
        }
        plan.findings.sort_by_key(|finding| finding.at.span.start);
        Ok(plan)
    }

    /// Takes the limits. Where one makes no sense none is lifted: the defaults hold.
    fn session(&mut self, session: &Spanned<Value>) {
        let document = Map::from_iter([("session".to_owned(), session.value.clone())]);
        let mut names = session.value.as_object().into_iter().flat_map(Map::keys);
        let near = names.find_map(|name| {
            let near = nearest(name, LIMITS.into_iter()).filter(|_| !LIMITS.contains(&&**name));
            Some((format!("a session has no field `{name}`"), near?))
        });
        let (message, help) = match (near, InjectionLimits::read(&document.into())) {
            (Some((message, near)), _) => (message, Some(did_you_mean(near))),
            (None, Err(error)) => (anyhook_engine::files::with_causes(&error), None),
            (None, Ok(settings)) => {
                self.settings = settings;
                return;
            }
        };
        let wrong = finding(Severity::Error, &yaml::of(session), message, help);
        self.findings.push(wrong);
    }

    fn entry(&mut self, written: &Spanned<Value>) {
        let at = yaml::of(written);
        let mut entry = ModuleEntry::new("", Map::new().into());
        entry.at = at.clone();
        if let Err(PackageError { what, help }) = entry.fill(&written.value, &self.folder) {
            entry.problem = Some(what.clone());
            let wrong = finding(Severity::Error, &at, what, help);
            self.findings.push(wrong);
        }
        for event in entry.rules.enabled.iter().flatten() {
            let is_known = EventName::new(event).spec().is_some() || event.contains('*');
            if let Some(near) = suggest(event).filter(|_| !is_known) {
                let message = format!("no event of the catalogue is called `{event}`");
                let help = Some(did_you_mean(near));
                let warning = finding(Severity::Warning, &at, message, help);
                self.findings.push(warning);
            }
        }
        self.entries.push(entry);
    }

    /// Tells whether anything is wrong with it that keeps a module from being mounted, or the limits from being kept.
    pub fn has_errors(&self) -> bool {
        let mut all = self.findings.iter();
        all.any(|finding| finding.severity == Severity::Error)
    }
}
