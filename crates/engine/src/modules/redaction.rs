//! `redaction`: removes secrets and personal data from every event, before it is stored or sent.
//!
//! It is built on the rules of [`anyhook_core::redact`]. What it finds becomes a rewrite of the field; where a host cannot
//! be told of the rewrite, the ladder holds, so that what was to be hidden is refused and not passed on.

use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookRole;
use anyhook_core::redact::{RULES, RedactionClass, Redactor};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::nearest;
use serde::Deserialize;
use serde_json::{Value, json};

use super::config::{ConfigErrors, read};
use super::{BuiltInModule, Module, ModuleContext};

/// The row.
pub(super) static ROW: Module = Module {
    name: "redaction",
    aliases: &["hooks-redaction", "hook-redaction"],
    summary: "Hides secrets and personal data in every event.",
    events: &["*"],
    priority: 12,
    role: HookRole::Decide,
    guard: true,
    make,
};

/// The name of the rule of fields that are called a secret.
const NAMED: &str = "named-field";

/// What the event says about what was hidden.
const FIELD: &str = "redaction";

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RedactionSettings {
    rules: Option<Vec<String>>,
    allowlist: Vec<String>,
    skip_events: Vec<EventName>,
}

impl RedactionSettings {
    /// Says what is wrong with each list.
    fn wrong(&self) -> ConfigErrors {
        let is_rule = |name: &str| {
            name == NAMED || class(name).is_some() || RULES.iter().any(|rule| rule.id == name)
        };
        let mut rules = self.rules.iter().flatten();
        let unknown = rules.find(|name| !is_rule(name)).map(|name| {
            let ids = RULES.iter().map(|rule| rule.id);
            let near = nearest(name, ids.chain(["secrets", "pii", NAMED]));
            let help = near.map(|near| format!("; did you mean `{near}`?"));
            let help = help.unwrap_or_default();
            format!("`rules` cannot be read: there is no rule `{name}`{help}")
        });
        let mut paths = self.allowlist.iter();
        let nameless = paths.any(|path| matches!(path.as_str(), "" | "*"));
        let nameless =
            nameless.then(|| "`allowlist` cannot be read: a path must name a field".to_owned());
        ConfigErrors(unknown.into_iter().chain(nameless).collect())
    }
}

struct Redaction {
    redactor: Redactor,
    skipped: Vec<EventName>,
}

fn make(config: &Map) -> Result<Box<dyn BuiltInModule>, ConfigErrors> {
    let settings: RedactionSettings = read(config)?;
    let wrong = settings.wrong();
    if !wrong.0.is_empty() {
        return Err(wrong);
    }
    Ok(Box::new(Redaction {
        redactor: picked(settings.rules.as_deref()).allowing(&settings.allowlist),
        skipped: settings.skip_events,
    }))
}

/// The classes by the names that they have in settings.
fn class(name: &str) -> Option<RedactionClass> {
    match name {
        "secrets" => Some(RedactionClass::Secret),
        "pii" | "pii-basic" => Some(RedactionClass::Personal),
        _ => None,
    }
}

fn picked(rules: Option<&[String]>) -> Redactor {
    let Some(rules) = rules else {
        return Redactor::default();
    };
    let named = |what: &str| rules.iter().any(|rule| rule == what);
    let has = |wanted: RedactionClass| rules.iter().any(|rule| class(rule) == Some(wanted));
    let redactor = Redactor::picking(|rule| named(rule.id) || has(rule.class));
    if named(NAMED) || has(RedactionClass::Secret) {
        redactor.with_named_fields()
    } else {
        redactor
    }
}

impl BuiltInModule for Redaction {
    fn answer(&self, event: &Event, _: &ModuleContext<'_>) -> HandlerResult {
        if self.skipped.iter().any(|name| name.covers(&event.name)) {
            return Ok(HookResult::proceed());
        }
        let data = event.data.json();
        let mut safe = Value::Object(data.clone().into_owned());
        let rules: Vec<&str> = self.redactor.value(&mut safe).into_iter().collect();
        let (Value::Object(safe), false) = (safe, rules.is_empty()) else {
            return Ok(HookResult::proceed());
        };
        let mut said = HookResult::proceed();
        // A field whose name is a secret goes, and comes back by another name.
        for name in data.keys().filter(|name| !safe.contains_key(*name)) {
            said = said.remove(name.clone());
        }
        for (name, value) in safe {
            if data.get(&name) != Some(&value) {
                said = said.modify(name, value);
            }
        }
        Ok(said.modify(FIELD, json!({"applied": true, "rules": rules})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::RunMode;
    use crate::world::World;

    fn said(config: &Value, name: &str, data: Value) -> HookResult {
        let world = World::real();
        let around = ModuleContext {
            world: &world,
            project: &world.cwd,
            pass: RunMode::Real,
        };
        let made = ROW.made(config.as_object().unwrap()).unwrap();
        made.answer(&Event::new(name, data), &around).unwrap()
    }

    #[test]
    fn what_is_hidden_is_a_rewrite_that_names_its_rules() {
        let data = json!({"prompt": "I am jane@example.org", "password": "x", "session_id": "s1"});
        let said = said(&json!({}), "prompt:submit", data);
        let expected = HookResult::proceed()
            .modify("prompt", json!("I am [REDACTED:PII:email]"))
            .modify("password", json!("[REDACTED:SECRET:named-field]"))
            .modify(
                "redaction",
                json!({"applied": true, "rules": ["email", "named-field"]}),
            );
        assert_eq!(said, expected);
    }

    #[test]
    fn an_event_without_secrets_gets_no_answer() {
        let data = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert!(said(&json!({}), "tool:pre", data).is_identity());
    }

    #[test]
    fn a_field_whose_name_is_a_secret_comes_back_by_another_name() {
        let said = said(
            &json!({}),
            "my:event",
            json!({"jane@example.org": {"n": 1}}),
        );
        let expected = HookResult::proceed()
            .remove("jane@example.org")
            .modify("[REDACTED:PII:email]", json!({"n": 1}))
            .modify("redaction", json!({"applied": true, "rules": ["email"]}));
        assert_eq!(said, expected);
    }

    #[test]
    fn settings_choose_rules_fields_and_events() {
        let data = || json!({"a": "jane@example.org", "b": "+44 20 7946 0958"});
        let only = said(&json!({"rules": ["phone"]}), "my:event", data());
        assert_eq!(
            only.effects.patch().len(),
            2,
            "`b` and what is said about it"
        );
        let allowed = said(&json!({"allowlist": ["a", "b"]}), "my:event", data());
        assert!(allowed.is_identity());
        let skipped = said(&json!({"skip_events": ["my:*"]}), "my:event", data());
        assert!(skipped.is_identity());
    }

    #[test]
    fn an_unknown_rule_is_an_error() {
        let config = json!({"rules": ["secrets", "emial"], "allowlist": ["*"]});
        let errors = ROW.made(config.as_object().unwrap()).err().unwrap();
        assert_eq!(
            errors.to_string(),
            "`rules` cannot be read: there is no rule `emial`; did you mean `email`?; `allowlist` cannot be read: a path must \
             name a field"
        );
    }
}
