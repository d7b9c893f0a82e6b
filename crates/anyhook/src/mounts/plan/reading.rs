//! From a document to a plan: every field, and everything that is wrong with it.

use anyhook_core::event::EventName;
use anyhook_core::manifest::{Code, Finding, Place, Severity};
use anyhook_core::taxonomy::{nearest, suggest};
use anyhook_engine::session::Settings;
use anyhook_registry::registry::LogLevel;
use serde_json::{Map, Value};

use super::{Entry, Plan};
use crate::mounts::source::Source;
use crate::mounts::tree::{Key, Node, Tree, names_twice, wrong};

/// The sections of a plan: our own, and those of other programs that we leave alone.
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

/// The limits of a session.
const LIMITS: [&str; 2] = ["injection_size_limit", "injection_budget_per_turn"];

/// A plan that is being read.
pub(super) struct Reading {
    pub(super) plan: Plan,
}

impl Reading {
    fn error(&mut self, at: &Place, message: impl Into<String>, help: Option<String>) {
        self.plan.findings.push(wrong(at, message, help));
    }

    pub(super) fn document(&mut self, document: &Node) {
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
                        code: Code::BadValue,
                        severity: Severity::Warning,
                        message: format!("the section `{name}` is unknown and ignored"),
                        help: help.map(|near| format!("did you mean `{near}`?")),
                        at: key.at.clone(),
                    });
                }
            }
        }
        if !sections.iter().any(|(key, _)| key.name == "hooks") {
            let message = "the plan has no `hooks`";
            self.plan.findings.push(Finding {
                code: Code::BadValue,
                severity: Severity::Warning,
                message: message.into(),
                help: Some("write `hooks:` and a list of modules".into()),
                at: document.at.clone(),
            });
        }
    }

    fn session(&mut self, section: &Node) {
        section.twice(&mut self.plan.findings);
        let fields = match &section.tree {
            Tree::Null => return,
            Tree::Map(fields) => fields,
            Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => {
                return self.must_be("session", "an object", section);
            }
        };
        let before = self.plan.findings.len();
        for (key, value) in fields {
            self.limit(key, value);
        }
        if self.plan.findings.len() > before {
            // Limits that make no sense are not lifted: the defaults hold.
            return;
        }
        let document = Map::from_iter([("session".to_owned(), section.value())]);
        match Settings::read(&Value::Object(document)) {
            Ok(settings) => self.plan.settings = settings,
            Err(error) => {
                let why = anyhook_engine::files::with_causes(&error);
                self.error(&section.at, why, None);
            }
        }
    }

    /// Checks one limit. What else stands in `session` belongs to another program, unless it is nearly one of ours.
    fn limit(&mut self, key: &Key, value: &Node) {
        let is_count = match &value.tree {
            Tree::Null => true,
            Tree::Number(number) => number.is_u64(),
            Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Map(_) => false,
        };
        match key.name.as_str() {
            name if LIMITS.contains(&name) && !is_count => {
                self.must_be(name, "a whole number, or `null` for no limit", value);
            }
            "strict" if !matches!(value.tree, Tree::Bool(_)) => {
                self.must_be("strict", "`true` or `false`", value);
            }
            name if LIMITS.contains(&name) || name == "strict" => {}
            name => {
                if let Some(near) = nearest(name, LIMITS.into_iter()) {
                    let message = format!("a session has no field `{name}`");
                    self.error(&key.at, message, Some(format!("did you mean `{near}`?")));
                }
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
        let found_is = match &found.tree {
            Tree::Number(number) => format!("`{number}`"),
            Tree::Null | Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Map(_) => {
                found.kind().to_owned()
            }
        };
        let message = format!("`{field}` must be {what}, found {found_is}");
        self.error(&found.at, message, None);
    }

    /// Reads what every module may have in its configuration.
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

    /// An unknown event is legal; one that is nearly known is a slip, and would switch a module off.
    fn event(&mut self, name: &str, at: &Place) {
        let event = EventName::new(name);
        if event.spec().is_some() || name.contains('*') {
            return;
        }
        if let Some(near) = suggest(name) {
            self.plan.findings.push(Finding {
                code: Code::BadValue,
                severity: Severity::Warning,
                message: format!("no event of the catalogue is called `{name}`"),
                help: Some(format!("did you mean `{near}`?")),
                at: at.clone(),
            });
        }
    }
}
