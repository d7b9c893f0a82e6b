//! What hooks made of arguments, of a prompt or of a result: what the host would overlook of it, and how it is written.

use anyhook_core::can::{Capabilities, RewriteCoupling};
use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind};
use serde_json::Value;

use super::AnswerEncoder;
use crate::IgnoredRewrite;
use crate::fitted::NO_OBJECT;
use crate::hosts::relative::row::Form;
use crate::hosts::relative::{Host, InputUpdate};
use crate::payload::{self, RESULT};

impl Host {
    /// Returns a rewrite of a result that the host would overlook in the form that it has; [`crate::fitted`] makes a refusal of it.
    pub fn overlooks(&self, event: &Event, result: &HookResult) -> Option<IgnoredRewrite> {
        let can = self.can(event);
        let kind = result.verdict.kind();
        can.rewrite.iter().find_map(|field| {
            let value = result.effects.rewrite(field)?.value.as_ref()?;
            let is_input = *field != RESULT;
            let why = match (self.odd.value)(self, event, field, value.json()) {
                _ if is_input && kind >= Kind::Deny => None,
                Ok(_) if is_input && kind == Kind::Ask && !is_carried(&can, kind) => {
                    Some(UNAPPROVED.to_owned())
                }
                Ok(value) => (self.odd.overlooks)(event, field, &value).map(str::to_owned),
                Err(why) => Some(why),
            };
            Some(IgnoredRewrite {
                field: (*field).to_owned(),
                why: why?,
            })
        })
    }
}

const UNAPPROVED: &str = "a hook changed the arguments, and no person has approved the new ones";

/// Tells whether a verdict of this kind carries new arguments.
fn is_carried(can: &Capabilities, kind: Kind) -> bool {
    match (can.coupling, kind) {
        (_, Kind::Allow) | (RewriteCoupling::Free, Kind::Continue) => true,
        (RewriteCoupling::Free | RewriteCoupling::Permission, Kind::Ask) => can.says(Kind::Ask),
        _ => false,
    }
}

/// Returns what a hook made of a field as a host of the family takes it.
pub(in crate::hosts) fn value(
    host: &Host,
    event: &Event,
    field: &str,
    value: Value,
) -> Result<Value, String> {
    if field != "tool_input" {
        return Ok(value);
    }
    let input = payload::native_input(event, host.id, host.facts.tools, value);
    let Value::Object(fields) = &input else {
        return Err(NO_OBJECT.to_owned());
    };
    match missing(host, event, fields) {
        None => Ok(input),
        Some(why) => Err(why),
    }
}

/// Tells why the host would not run the tool with exactly these arguments, which have their names here.
pub(in crate::hosts::relative) fn missing(
    host: &Host,
    event: &Event,
    fields: &Map,
) -> Option<String> {
    let call = payload::fields(event, host.id, host.facts.tools);
    let tool = call.get("tool_name").and_then(Value::as_str);
    let missing = match host.updates {
        InputUpdate::Replace(needs) => needs
            .iter()
            .find(|(name, field)| {
                Some(*name) == tool && !fields.get(*field).is_some_and(Value::is_string)
            })
            .map(|(_, field)| (*field).to_owned()),
        InputUpdate::Merge => {
            let old = call.get("tool_input").and_then(Value::as_object);
            let mut old = old.into_iter().flat_map(Map::keys);
            old.find(|key| !fields.contains_key(*key)).cloned()
        }
    };
    missing
        .map(|field| format!("a hook took the argument `{field}` away, which cannot be said here"))
}

impl AnswerEncoder<'_> {
    /// Writes what hooks made of arguments, of a prompt or of a result.
    pub(super) fn rewrites(&mut self) {
        let Some(event) = self.event else {
            return;
        };
        let mut patch = self.result.effects.patch().iter();
        let is_unsaid = patch.any(|one| !self.can.rewrite.contains(&&*one.field));
        if is_unsaid && self.row.is_gate() && self.result.verdict.kind() < Kind::Ask {
            self.refuse("a hook changed what this host does not let it change");
        }
        for field in self.can.rewrite {
            let rewrite = self.result.effects.rewrite(field);
            let Some(value) = rewrite.and_then(|rewrite| rewrite.value.as_ref()) else {
                continue;
            };
            let value = (self.host.odd.value)(self.host, event, field, value.json());
            match value {
                _ if *field != RESULT => self.input(field, value),
                Ok(value) => self.output(value),
                Err(why) => self.refuse(&why),
            }
        }
    }

    /// Writes new arguments. What was not fitted away, and would be overlooked or has no permission, is a refusal.
    fn input(&mut self, field: &str, value: Result<Value, String>) {
        let kind = self.result.verdict.kind();
        if kind >= Kind::Deny {
            return;
        }
        if !is_carried(&self.can, kind) {
            self.refuse(UNAPPROVED);
            return;
        }
        let input = match value {
            Ok(input) => input,
            Err(why) => return self.refuse(&why),
        };
        let stands_alone = self.row.can.coupling == RewriteCoupling::Free;
        match (self.row.form, kind) {
            (Form::Behavior, _) => self.behavior("allow", ""),
            // The host takes them without a decision, and asks its own questions about them.
            (Form::Permission, Kind::Continue) if stands_alone => {}
            (Form::Permission, Kind::Continue | Kind::Allow) => self.permission("allow", ""),
            _ => {}
        }
        let name = self.name_of(field);
        self.rewritten(name, input);
    }

    /// Writes a new result, or a text in its place; other values as their JSON. One without a word in it would leave the old
    /// result standing.
    fn output(&mut self, value: Value) {
        if self.row.form != Form::Result {
            let name = self.name_of(RESULT);
            self.within(name, value);
            return;
        }
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let text = match text.trim() {
            "" => "a hook took the result away".to_owned(),
            _ => text,
        };
        self.block(&text);
        self.instead = Some(text);
    }

    fn name_of<'f>(&self, field: &'f str) -> &'f str {
        let mut names = self.host.words.rewrites.iter();
        names
            .find(|(ours, _)| *ours == field)
            .map_or(field, |(_, name)| name)
    }
}
