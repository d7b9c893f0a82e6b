//! Mount plans: which modules a session has, from where, and with which configuration.

use std::path::{Path, PathBuf};

use anyhook_core::event::EventName;
use anyhook_core::manifest::{Finding, Place, Severity};
use anyhook_core::taxonomy::{nearest, suggest};
use serde_json::{Map, Value};

use super::source::Source;
use super::tree::{Key, Node, Tree, names_twice, wrong};
use crate::registry::{LogLevel, Rules};
use crate::session::Settings;

/// The longest plan that is read.
const LONGEST: u64 = 256 * 1024;

/// The sections of a plan: our own, and those of somebody else that we leave alone.
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

/// The fields of an entry of `hooks`.
const FIELDS: [&str; 4] = ["module", "source", "config", "priority"];

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
        let bytes =
            crate::trust::read(file).map_err(|why| failed(format!("cannot be read: {why}")))?;
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

struct Reading {
    plan: Plan,
}

impl Reading {
    fn error(&mut self, at: &Place, message: impl Into<String>, help: Option<String>) {
        self.plan.findings.push(wrong(at, message, help));
    }

    fn document(&mut self, document: &Node) {
        let Tree::Map(sections) = &document.tree else {
            let message = format!("a mount plan must be an object, found {}", document.kind());
            let help = "begin with `hooks:` and a list of modules";
            return self.error(&document.at, message, Some(help.into()));
        };
        names_twice(sections, &mut self.plan.findings);
        for (key, section) in sections {
            match key.name.as_str() {
                "session" => self.session(section),
                "hooks" => self.hooks(section),
                name if SECTIONS.contains(&name) => {}
                name => {
                    let help = nearest(name, SECTIONS.into_iter());
                    self.plan.findings.push(Finding {
                        severity: Severity::Warning,
                        message: format!("nobody reads the section `{name}`"),
                        help: help.map(|near| format!("did you mean `{near}`?")),
                        at: key.at.clone(),
                    });
                }
            }
        }
        if !sections.iter().any(|(key, _)| key.name == "hooks") {
            let message = "the plan has no `hooks`";
            self.plan.findings.push(Finding {
                severity: Severity::Warning,
                message: message.into(),
                help: Some("write `hooks:` and a list of modules".into()),
                at: document.at.clone(),
            });
        }
    }

    fn session(&mut self, section: &Node) {
        section.twice(&mut self.plan.findings);
        let mut document = Map::new();
        document.insert("session".into(), section.value());
        match Settings::read(&Value::Object(document)) {
            Ok(settings) => self.plan.settings = settings,
            Err(error) => {
                let why = crate::files::with_causes(&error);
                self.error(&section.at, why, None);
            }
        }
    }

    fn hooks(&mut self, section: &Node) {
        match &section.tree {
            Tree::Null => {}
            Tree::List(list) => list.iter().for_each(|entry| self.entry(entry)),
            Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::Map(_) => {
                let message = format!("`hooks` must be a list, found {}", section.kind());
                let help = "write each module as `- module: NAME`";
                self.error(&section.at, message, Some(help.into()));
            }
        }
    }

    fn entry(&mut self, node: &Node) {
        let before = self.plan.findings.len();
        let mut entry = Entry {
            at: node.at.clone(),
            ..Entry::new("", Value::Object(Map::new()))
        };
        match &node.tree {
            Tree::Map(fields) => {
                node.twice(&mut self.plan.findings);
                for (key, value) in fields {
                    self.field(key, value, &mut entry);
                }
                if !fields.iter().any(|(key, _)| key.name == "module") {
                    let help = "a module is found by its name";
                    self.error(&node.at, "`module` is missing", Some(help.into()));
                }
            }
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => {
                let message = format!("a module must be an object, found {}", node.kind());
                self.error(&node.at, message, Some("write `- module: NAME`".into()));
            }
        }
        let mut own = self.plan.findings.iter().skip(before);
        let error = own.find(|finding| finding.severity == Severity::Error);
        entry.problem = error.map(|finding| finding.message.clone());
        self.plan.entries.push(entry);
    }

    fn field(&mut self, key: &Key, value: &Node, entry: &mut Entry) {
        match (key.name.as_str(), &value.tree) {
            ("module", Tree::Text(name)) if !name.trim().is_empty() => {
                entry.module.clone_from(name);
            }
            ("module", _) => self.must_be("module", "a name", value),
            ("source" | "config", Tree::Null) => {}
            ("source", Tree::Text(text)) => match Source::read(text, &self.plan.folder) {
                Ok(source) => entry.source = Some(source),
                Err(error) => self.error(&value.at, error.what, error.help.map(str::to_owned)),
            },
            ("source", _) => self.must_be("source", "a text", value),
            ("config", Tree::Map(fields)) => {
                entry.config = value.value();
                for (key, value) in fields {
                    self.known_config(key, value, entry);
                }
            }
            ("config", _) => self.must_be("config", "an object", value),
            ("priority", Tree::Number(number)) => {
                let whole = number
                    .as_i64()
                    .and_then(|number| i32::try_from(number).ok());
                match whole {
                    Some(priority) => entry.rules.priority = Some(priority),
                    None => self.must_be("priority", "a whole number", value),
                }
            }
            ("priority", _) => self.must_be("priority", "a whole number", value),
            (name, _) => {
                let help = match nearest(name, FIELDS.into_iter()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "what the module itself reads stands in its `config`".to_owned(),
                };
                let message = format!("a module has no field `{name}`");
                self.error(&key.at, message, Some(help));
            }
        }
    }

    fn must_be(&mut self, field: &str, what: &str, found: &Node) {
        let message = format!("`{field}` must be {what}, found {}", found.kind());
        self.error(&found.at, message, None);
    }

    /// Reads what every module may have in its configuration (D38).
    fn known_config(&mut self, key: &Key, value: &Node, entry: &mut Entry) {
        match (key.name.as_str(), &value.tree) {
            ("enabled_events" | "log_level", Tree::Null) => {}
            ("enabled_events", Tree::List(list)) => {
                let mut enabled: Vec<Box<str>> = Vec::new();
                for name in list {
                    match &name.tree {
                        Tree::Text(text) => {
                            self.event(text, &name.at);
                            enabled.push(text.as_str().into());
                        }
                        _ => self.must_be("enabled_events", "a list of events", name),
                    }
                }
                entry.rules.enabled = Some(enabled);
            }
            ("enabled_events", _) => self.must_be("enabled_events", "a list of events", value),
            ("log_level", Tree::Text(text)) => {
                if let Some(level) = LogLevel::read(text) {
                    entry.rules.log = level;
                } else {
                    let message = format!("no log level is called `{text}`");
                    let help = format!("levels are {}", LogLevel::NAMES.join(", "));
                    self.error(&value.at, message, Some(help));
                }
            }
            ("log_level", _) => self.must_be("log_level", "a text", value),
            _ => {}
        }
    }

    /// An event that nobody knows is legal (D1); one that is nearly known is a slip, and would switch a module off.
    fn event(&mut self, name: &str, at: &Place) {
        let event = EventName::new(name);
        if event.spec().is_some() || name.contains('*') {
            return;
        }
        if let Some(near) = suggest(name) {
            self.plan.findings.push(Finding {
                severity: Severity::Warning,
                message: format!("no event of the catalogue is called `{name}`"),
                help: Some(format!("did you mean `{near}`?")),
                at: at.clone(),
            });
        }
    }
}
