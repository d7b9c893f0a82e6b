//! Writing a result as a host of the family reads it: exit 0 and one JSON document, nothing at all, or exit 2.
//!
//! A host with a closed schema drops an answer with one word too many and lets the action run, so nothing is written that
//! the row does not have.

use anyhook_core::can::{Can, Coupling};
use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind};
use serde_json::Value;

use super::row::{Form, HostRow, Speech};
use super::{Notices, Reasons, Relative, Schema, Updates};
use crate::answer::{Place, Written, given, notices};
use crate::fitted::NO_OBJECT;
use crate::{Host, Overlooked, Reply, payload};

/// Writes a fitted result. Without an event, the row alone tells what can be said.
pub(super) fn reply(
    host: &Relative,
    row: &HostRow,
    event: Option<&Event>,
    result: &HookResult,
) -> Reply {
    let mut answer = Encoding::new(host, row, event, result);
    answer.verdict();
    answer.rewrites();
    answer.texts();
    (host.odd.natives)(&mut answer);
    answer.finish()
}

/// Finds a rewrite that the host would drop, and then go on with what was there before.
pub(super) fn overlooks(
    host: &Relative,
    row: &HostRow,
    event: &Event,
    result: &HookResult,
) -> Option<Overlooked> {
    let can = host.can(event);
    let kind = result.verdict.kind();
    row.native.can.rewrite.iter().find_map(|field| {
        let value = result.effects.rewrite(field)?.value.as_ref()?;
        let is_input = *field != RESULT;
        let why = match (host.odd.value)(host, event, field, value.json()) {
            _ if is_input && kind >= Kind::Deny => None,
            Ok(_) if is_input && kind == Kind::Ask && !is_carried(&can, kind) => {
                Some(UNAPPROVED.to_owned())
            }
            Ok(value) => (host.odd.overlooks)(event, field, &value).map(str::to_owned),
            Err(why) => Some(why),
        };
        Some(Overlooked {
            field: (*field).to_owned(),
            why: why?,
        })
    })
}

const UNAPPROVED: &str = "a hook changed the arguments, and no person has approved the new ones";

/// The field that holds what a tool returned.
const RESULT: &str = "tool_result";

/// Tells whether a verdict of this kind carries new arguments.
fn is_carried(can: &Can, kind: Kind) -> bool {
    match (can.coupling, kind) {
        (_, Kind::Allow) | (Coupling::Free, Kind::Continue) => true,
        (Coupling::Free | Coupling::Permission, Kind::Ask) => can.says(Kind::Ask),
        _ => false,
    }
}

/// Returns what a hook made of a field as a host of the family takes it.
pub(in crate::hosts) fn value(
    host: &Relative,
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
pub(super) fn missing(host: &Relative, event: &Event, fields: &Map) -> Option<String> {
    let call = payload::fields(event, host.id, host.facts.tools);
    let tool = call.get("tool_name").and_then(Value::as_str);
    let missing = match host.updates {
        Updates::Replace(needs) => needs
            .iter()
            .find(|(name, field)| {
                Some(*name) == tool && !fields.get(*field).is_some_and(Value::is_string)
            })
            .map(|(_, field)| (*field).to_owned()),
        Updates::Merge => {
            let old = call.get("tool_input").and_then(Value::as_object);
            let mut old = old.into_iter().flat_map(Map::keys);
            old.find(|key| !fields.contains_key(*key)).cloned()
        }
    };
    missing
        .map(|field| format!("a hook took the argument `{field}` away, which cannot be said here"))
}

/// An answer that is being written.
pub(in crate::hosts) struct Encoding<'a> {
    host: &'a Relative,
    pub(in crate::hosts) row: &'a HostRow,
    event: Option<&'a Event>,
    pub(in crate::hosts) can: Can,
    pub(in crate::hosts) result: &'a HookResult,
    pub(in crate::hosts) says: Written,
    /// The reason of a refusal by exit code.
    exit_2: Option<String>,
    /// The text that the model sees in the place of a result.
    instead: Option<String>,
    /// What the person is told by exit code.
    warning: Option<String>,
    /// What is printed in the place of JSON.
    pub(in crate::hosts) plain: Option<String>,
}

impl<'a> Encoding<'a> {
    pub(in crate::hosts) fn new(
        host: &'a Relative,
        row: &'a HostRow,
        event: Option<&'a Event>,
        result: &'a HookResult,
    ) -> Self {
        Self {
            host,
            row,
            event,
            can: event.map_or(row.native.can, |event| host.can(event)),
            result,
            says: Written::default(),
            exit_2: None,
            instead: None,
            warning: None,
            plain: None,
        }
    }

    pub(in crate::hosts) fn verdict(&mut self) {
        let text = self.result.verdict.text();
        let asks = matches!(self.row.form, Form::Permission | Form::Switch);
        match self.result.verdict.kind() {
            Kind::Continue => {}
            Kind::Allow => self.allow(&text),
            Kind::Ask if asks && self.can.says(Kind::Ask) => self.ask(&text),
            Kind::Ask | Kind::Deny => self.refuse(&text),
            Kind::Halt => self.halt(&text),
        }
    }

    fn reason<'t>(&self, reason: &'t str) -> &'t str {
        match self.host.words.reasons {
            Reasons::Always => given(reason),
            Reasons::IfGiven => reason,
        }
    }

    /// An approval alone is said only where the row has one; one that carries new arguments is said with them.
    fn allow(&mut self, reason: &str) {
        if !self.can.says(Kind::Allow) {
            return;
        }
        let reason = match self.host.schema {
            Schema::Open => reason,
            Schema::Closed(_) => "",
        };
        match self.row.form {
            Form::Permission => self.says.permission("allow", reason),
            Form::Switch => self.says.switch("allow", reason),
            // An approval has no message here.
            Form::Behavior => self.says.behavior("allow", ""),
            Form::Answer => self.says.within("behavior", "allow"),
            Form::Block
            | Form::Twice
            | Form::Result
            | Form::Stop
            | Form::Exit2
            | Form::Path
            | Form::None => {}
        }
    }

    fn ask(&mut self, reason: &str) {
        match self.row.form {
            Form::Switch => self.says.switch("ask", reason),
            _ => {
                let word = (self.host.odd.ask)(self.result);
                self.says.permission(word, self.reason(reason));
            }
        }
    }

    pub(in crate::hosts) fn refuse(&mut self, reason: &str) {
        let always = self.reason(reason);
        match self.row.form {
            Form::Permission => self.says.permission("deny", always),
            Form::Switch => self.says.switch("deny", reason),
            Form::Behavior => self.says.behavior("deny", always),
            Form::Answer => {
                self.says.within("behavior", "deny");
                self.says.within("message", always);
            }
            Form::Block | Form::Result => self.block(reason),
            Form::Twice => {
                self.block(reason);
                self.says.within("decision", self.host.words.refusal);
                self.says.within("reason", given(reason));
            }
            Form::Stop => self.stop(reason),
            Form::Exit2 | Form::Path => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    fn block(&mut self, reason: &str) {
        self.says.decide(self.host.words.refusal, reason);
    }

    fn stop(&mut self, reason: &str) {
        self.says.say("continue", false);
        match self.reason(reason) {
            "" => {}
            reason => self.says.say("stopReason", reason),
        }
    }

    /// The agent stops; and what it was about to do is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        let halts = self.can.says(Kind::Halt);
        if halts && self.row.form == Form::Answer {
            self.refuse(reason);
            self.says.within("interrupt", true);
            return;
        }
        if halts {
            self.stop(reason);
        }
        let is_gate = self.row.native.is_gate();
        if !(is_gate || !halts) || !self.can.says(Kind::Deny) {
            return;
        }
        match self.row.form {
            // Beside an exit code the stop would not be read; a host that does not know this word here overlooks it.
            Form::Exit2 if halts => self.block(reason),
            _ => self.refuse(reason),
        }
    }

    /// Writes what hooks made of arguments, of a prompt or of a result.
    fn rewrites(&mut self) {
        let Some(event) = self.event else {
            return;
        };
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
        let stands_alone = self.row.native.can.coupling == Coupling::Free;
        match (self.row.form, kind) {
            (Form::Behavior, _) => self.says.behavior("allow", ""),
            // The host takes them without a decision, and asks its own questions about them.
            (Form::Permission, Kind::Continue) if stands_alone => {}
            (Form::Permission, Kind::Continue | Kind::Allow) => self.says.permission("allow", ""),
            _ => {}
        }
        let name = self.name_of(field);
        self.says.rewritten(name, input);
    }

    /// Writes a new result, or a text in its place; other values as their JSON. One without a word in it would leave the old
    /// result standing.
    fn output(&mut self, value: Value) {
        if self.row.form != Form::Result {
            let name = self.name_of(RESULT);
            self.says.within(name, value);
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

    fn texts(&mut self) {
        let effects = &self.result.effects;
        // What already stands in the place of the result need not be told beside it.
        let instead = self.instead.as_deref();
        let is_new = |text: &&str| Some(*text) != instead;
        let texts = effects.inject().iter().map(|said| &*said.text);
        let texts: Vec<&str> = texts.filter(is_new).collect();
        if self.can.inject.is_some() && !texts.is_empty() {
            let text = texts.join("\n\n");
            match self.row.speech {
                Speech::Context | Speech::SendsOn => self.says.within("additionalContext", text),
                Speech::Message(..) => self.says.say("systemMessage", text),
            }
        }
        if let Some(text) = notices(&self.can, self.result) {
            match (&mut self.exit_2, self.host.words.notices) {
                // What stands on the standard output is not read beside an exit code.
                (Some(reason), _) => *reason = format!("{}\n{text}", given(reason)),
                (None, Notices::SystemMessage) => self.says.say("systemMessage", text),
                (None, Notices::Warning) => self.warning = Some(text),
            }
        }
        let hides = effects.get().is_some_and(|given| given.suppress_output);
        if hides && (self.host.odd.hides)(self.row, &self.can) {
            self.says.say("suppressOutput", true);
        }
    }

    /// Writes the answers that only this event of this host has, under their own names.
    pub(in crate::hosts) fn own_answers(&mut self) {
        let natives = self.result.effects.native().iter();
        for native in natives.filter(|native| self.can.native.contains(&&*native.wire)) {
            for name in self.row.natives {
                if let Some(value) = native.fields.get(*name) {
                    self.says.within(name, value.clone());
                }
            }
        }
    }

    fn finish(self) -> Reply {
        if let Some(reason) = self.exit_2 {
            return Reply {
                stdout: self.host.words.beside_exit_2.to_owned(),
                ..Reply::exit_2(&reason)
            };
        }
        if let Some(stdout) = self.plain {
            return Reply {
                stdout,
                ..Reply::default()
            };
        }
        let said = match self.host.words.place {
            Place::Nested => self.says.reply(self.row.native.name),
            Place::Anywhere => self.says.flat(),
        };
        match self.warning {
            None => said,
            Some(warning) => Reply {
                stderr: format!("{warning}\n"),
                exit: 2,
                ..said
            },
        }
    }
}
