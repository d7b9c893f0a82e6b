//! Reads a JSON answer by the powers that its event's row gives to each field.

use serde_json::Value;

use super::reading::Reading;
use super::{Power, Reach, ReasonIn, permission, shapes};
use crate::Gate;
use crate::output::{Kind, Object, field, text_field, word};

impl Reading<'_> {
    /// Takes all that a JSON answer says, or nothing of it where one field has the wrong kind.
    pub(super) fn take(&mut self, object: &Object) -> bool {
        let mut fresh = Self::new(self.row, self.payload);
        match fresh.interpret(object) {
            Ok(()) => {
                *self = fresh;
                true
            }
            Err(why) => {
                self.done.ignored.push("stdout".to_owned());
                self.error(why);
                false
            }
        }
    }

    fn interpret(&mut self, object: &Object) -> Result<(), String> {
        if object.get("async") == Some(&Value::Bool(true)) {
            self.native("async", Value::Bool(true));
            self.ignore_all(object.keys().filter(|key| *key != "async"), "");
            return Ok(());
        }
        for (name, power) in &self.row.common {
            self.apply("", name, *power, object, object)?;
        }
        self.decision(object)?;
        let known = |key: &str| self.row.common.iter().any(|(name, _)| *name == key);
        let rest = object.keys().filter(|key| {
            !known(key) && !["decision", "reason", "hookSpecificOutput"].contains(&key.as_str())
        });
        let rest: Vec<_> = rest.collect();
        self.ignore_all(rest.into_iter(), "");
        if let Some(Value::Object(specific)) = field(object, "hookSpecificOutput", Kind::Object)? {
            self.specific(object, specific)?;
        }
        Ok(())
    }

    /// Reads `hookSpecificOutput`, which counts only under the name of its event.
    fn specific(&mut self, top: &Object, specific: &Object) -> Result<(), String> {
        let named = specific.get("hookEventName").and_then(Value::as_str);
        if named != Some(self.row.event) {
            self.done.ignored.push("hookSpecificOutput".to_owned());
            self.error(format!(
                "`hookEventName` must be `{}`, not `{}`",
                self.row.event,
                named.unwrap_or_default()
            ));
            return Ok(());
        }
        for (name, power) in &self.row.specific {
            self.apply("hookSpecificOutput.", name, *power, top, specific)?;
        }
        let known = |key: &str| self.row.specific.iter().any(|(name, _)| *name == key);
        let rest: Vec<_> = specific
            .keys()
            .filter(|key| *key != "hookEventName" && !known(key))
            .collect();
        self.ignore_all(rest.into_iter(), "hookSpecificOutput.");
        Ok(())
    }

    fn apply(
        &mut self,
        prefix: &str,
        name: &'static str,
        power: Power,
        top: &Object,
        object: &Object,
    ) -> Result<(), String> {
        match power {
            Power::Part => {
                text_field(object, name)?;
            }
            Power::Nothing => self.ignore_all(object.keys().filter(|key| *key == name), prefix),
            Power::Unheeded => {
                field(object, name, Kind::Flag)?;
                self.ignore_all(object.keys().filter(|key| *key == name), prefix);
            }
            Power::Continue => self.stop(object)?,
            Power::ContinueAfter => {
                self.stop(object)?;
                self.is_after = true;
            }
            Power::SendsOn => {
                let said = text_field(object, name)?.unwrap_or_default();
                if !said.is_empty() && self.done.gate == Gate::Runs {
                    self.done.gate = Gate::KeepsWorking;
                }
                self.tell(&format!("{prefix}{name}"), &said, Reach::Model);
            }
            Power::Says(reach) => {
                let said = text_field(object, name)?.unwrap_or_default();
                self.tell(&format!("{prefix}{name}"), &said, reach);
            }
            Power::Native(kind) => {
                if let Some(value) = field(object, name, kind)? {
                    self.native(name, value.clone());
                }
            }
            Power::Permission(words, from) => self.permission(words, from, top, object)?,
            Power::Vetoes(words) => self.veto(words, object)?,
            Power::Spoils => {
                let is_said = field(object, name, Kind::Object)?.is_some();
                if is_said && self.done.gate == Gate::Runs {
                    self.done.gate = Gate::Refused { erased: false };
                }
            }
            Power::Input => {
                let value = field(object, name, Kind::Object)?;
                self.input = value.map(|value| ("hookSpecificOutput.updatedInput", value.clone()));
            }
            Power::Output => self.output(object.get(name), name, shapes::fits),
            Power::McpOutput => {
                self.output(object.get(name), name, |payload, _| shapes::is_mcp(payload));
            }
            Power::Dialog => {
                if let Some(Value::Object(dialog)) = field(object, name, Kind::Object)? {
                    self.dialog(dialog)?;
                }
            }
            Power::Elicited => self.elicited(object)?,
        }
        Ok(())
    }

    fn stop(&mut self, object: &Object) -> Result<(), String> {
        let why = text_field(object, "stopReason")?;
        let goes_on = field(object, "continue", Kind::Flag)?;
        if goes_on == Some(&Value::Bool(false)) {
            let why = why.unwrap_or_default();
            self.tell("stopReason", &why, Reach::Person);
            self.done.stops_agent = Some(why);
        } else if why.is_some() {
            self.done.ignored.push("stopReason".to_owned());
        }
        Ok(())
    }

    /// Reads the top-level `decision` and its `reason`.
    fn decision(&mut self, object: &Object) -> Result<(), String> {
        let Some(decision) = &self.row.decision else {
            let names = object.keys();
            self.ignore_all(
                names.filter(|key| ["decision", "reason"].contains(&key.as_str())),
                "",
            );
            return Ok(());
        };
        let why = text_field(object, "reason")?;
        let (gate, to) = match (
            word(object, "decision", &["approve", "block"])?,
            decision.approve,
        ) {
            (Some("block"), _) => {
                self.refuses = true;
                (decision.block.gate(self.payload), decision.block.to)
            }
            (Some(_), Some(gate)) => (gate, Reach::None),
            (Some(_), None) => {
                self.done.ignored.push("decision".to_owned());
                (Gate::Runs, Reach::None)
            }
            (None, _) => (Gate::Runs, Reach::None),
        };
        self.done.gate = gate;
        self.because("reason", why, to);
        Ok(())
    }

    fn permission(
        &mut self,
        words: &[&str],
        from: ReasonIn,
        top: &Object,
        object: &Object,
    ) -> Result<(), String> {
        let said = word(object, "permissionDecision", words)?;
        let (name, why) = match from {
            ReasonIn::TopReason => ("reason", text_field(top, "reason")?),
            ReasonIn::PermissionDecisionReason => (
                "hookSpecificOutput.permissionDecisionReason",
                text_field(object, "permissionDecisionReason")?,
            ),
        };
        let Some(said) = said else {
            if why.is_some() && name != "reason" {
                self.done.ignored.push(name.to_owned());
            }
            return Ok(());
        };
        let refused = self
            .row
            .decision
            .as_ref()
            .map_or(Reach::None, |it| it.block.to);
        if top.contains_key("decision") {
            self.done.ignored.push("decision".to_owned());
        }
        self.forget_reason(name);
        self.refuses = said == "deny";
        let (gate, to) = permission(said, refused);
        self.done.gate = gate;
        self.because(name, why, to);
        Ok(())
    }

    /// Reads a decision for which no person is asked.
    fn veto(&mut self, words: &[&str], object: &Object) -> Result<(), String> {
        let said = word(object, "permissionDecision", words)?;
        let why = text_field(object, "permissionDecisionReason")?;
        if said.is_some_and(|said| said != "allow") {
            self.refuses = true;
            self.done.gate = Gate::Refused { erased: false };
            let to = self
                .row
                .decision
                .as_ref()
                .map_or(Reach::None, |it| it.block.to);
            self.because("hookSpecificOutput.permissionDecisionReason", why, to);
        } else if why.is_some() {
            let name = "hookSpecificOutput.permissionDecisionReason";
            self.done.ignored.push(name.to_owned());
        }
        Ok(())
    }

    fn dialog(&mut self, dialog: &Object) -> Result<(), String> {
        const ALLOWS: &[&str] = &["updatedInput", "updatedPermissions"];
        const DENIES: &[&str] = &["message", "interrupt"];
        let allowed = word(dialog, "behavior", &["allow", "deny"])?;
        let input = field(dialog, "updatedInput", Kind::Object)?;
        let permissions = field(dialog, "updatedPermissions", Kind::List)?;
        let message = text_field(dialog, "message")?;
        let interrupt = field(dialog, "interrupt", Kind::Flag)?;
        let heard = match allowed {
            Some("allow") => {
                self.done.gate = Gate::RunsWithoutPrompt;
                self.input =
                    input.map(|input| ("hookSpecificOutput.decision.updatedInput", input.clone()));
                if let Some(permissions) = permissions {
                    self.native("updatedPermissions", permissions.clone());
                }
                ALLOWS
            }
            Some(_) => {
                self.done.gate = Gate::Refused { erased: false };
                self.because("hookSpecificOutput.decision.message", message, Reach::Model);
                if interrupt == Some(&Value::Bool(true)) {
                    self.native("interrupt", Value::Bool(true));
                }
                DENIES
            }
            None => return Err("`behavior` must be allow or deny".to_owned()),
        };
        let rest = dialog
            .keys()
            .filter(|key| *key != "behavior" && !heard.contains(&key.as_str()));
        self.ignore_all(rest, "hookSpecificOutput.decision.");
        Ok(())
    }

    fn elicited(&mut self, object: &Object) -> Result<(), String> {
        let Some(action) = word(object, "action", &["accept", "decline", "cancel"])? else {
            return Ok(());
        };
        self.done.gate = match action {
            "accept" => Gate::RunsWithoutPrompt,
            _ => Gate::Refused { erased: false },
        };
        self.native("action", Value::from(action));
        Ok(())
    }

    fn output(&mut self, value: Option<&Value>, name: &str, takes: fn(&Value, &Value) -> bool) {
        match value {
            Some(value) if takes(self.payload, value) => self.done.result = Some(value.clone()),
            Some(_) => self.done.ignored.push(format!("hookSpecificOutput.{name}")),
            None => {}
        }
    }
}
