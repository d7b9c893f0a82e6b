//! Writing a result as a host of the family reads it: exit 0 and one JSON document, nothing at all, or exit 2.
//!
//! A host with a closed schema drops an answer with one word too many and lets the action run, so nothing is written that
//! the row does not have.

mod fields;
mod rewrites;

use anyhook_core::can::{Capabilities, Visibility};
use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind};

use serde_json::{Value, json};

use super::row::{Form, HostRow};
use super::{ContextForm, Host, MissingReason, NoticeForm, Schema};
use crate::Reply;
use crate::answer::{Nesting, SPECIFIC, given, notices};
pub(super) use rewrites::missing;
pub(in crate::hosts) use rewrites::value;

/// Writes a fitted result. Without an event, the row alone tells what can be said.
pub(in crate::hosts) fn reply(
    host: &Host,
    row: &HostRow,
    event: Option<&Event>,
    result: &HookResult,
) -> Reply {
    let mut answer = AnswerEncoder::new(host, row, event, result);
    answer.verdict();
    answer.rewrites();
    answer.texts();
    (host.odd.natives)(&mut answer);
    answer.finish()
}

/// Refuses an event that could not be read. Where nothing can be refused, nothing is said.
pub(in crate::hosts) fn refuse(host: &Host, row: Option<&'static HostRow>, reason: &str) -> Reply {
    match row {
        None => Reply::exit_2(reason),
        Some(row) if row.is_gate() && row.can.says(Kind::Deny) => {
            (host.odd.reply)(host, row, None, &HookResult::deny(reason))
        }
        Some(_) => host.silence(),
    }
}

/// An answer that is being written.
pub(in crate::hosts) struct AnswerEncoder<'a> {
    host: &'a Host,
    pub(in crate::hosts) row: &'a HostRow,
    event: Option<&'a Event>,
    pub(in crate::hosts) can: Capabilities,
    pub(in crate::hosts) result: &'a HookResult,
    /// What is said in fields for any event.
    pub(in crate::hosts) top: Map,
    /// What is said in those of this event.
    pub(in crate::hosts) specific: Map,
    /// The reason of a refusal by exit code.
    exit_2: Option<String>,
    /// The text that the model sees in the place of a result.
    instead: Option<String>,
    /// What the person is told by exit code.
    warning: Option<String>,
    /// What is printed in the place of JSON.
    pub(in crate::hosts) plain: Option<String>,
}

impl<'a> AnswerEncoder<'a> {
    pub(in crate::hosts) fn new(
        host: &'a Host,
        row: &'a HostRow,
        event: Option<&'a Event>,
        result: &'a HookResult,
    ) -> Self {
        Self {
            host,
            row,
            event,
            can: event.map_or(row.can, |event| host.can(event)),
            result,
            top: Map::new(),
            specific: Map::new(),
            exit_2: None,
            instead: None,
            warning: None,
            plain: None,
        }
    }

    pub(in crate::hosts) fn verdict(&mut self) {
        let text = self.result.verdict.text();
        let asks = matches!(
            self.row.form,
            Form::Permission | Form::Switch | Form::Decision | Form::Permit
        );
        // Without one of these the host takes the answer for a broken one.
        match self.row.form {
            Form::Permit => self.say("permission", "allow"),
            Form::Continue => self.say("continue", true),
            Form::Cancel => self.say("cancel", false),
            _ => {}
        }
        match self.result.verdict.kind() {
            Kind::Continue => {}
            Kind::Allow => self.allow(&text),
            Kind::Ask if asks && self.can.says(Kind::Ask) => {
                let word = (self.host.odd.ask)(self.result);
                match self.row.form {
                    Form::Switch => self.switch(word, &text),
                    Form::Decision => self.decide(word, &text),
                    Form::Permit => self.permit(word, &text),
                    _ => self.permission(word, self.reason(&text)),
                }
            }
            Kind::Ask | Kind::Deny => self.refuse(&text),
            Kind::Halt => self.halt(&text),
        }
    }

    fn reason<'t>(&self, reason: &'t str) -> &'t str {
        match self.host.words.reasons {
            MissingReason::Always => given(reason),
            MissingReason::IfGiven => reason,
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
            Form::Permission => self.permission("allow", reason),
            Form::Switch => self.switch("allow", reason),
            // An approval has no message here.
            Form::Behavior => self.behavior("allow", ""),
            Form::Answer => self.within("behavior", "allow"),
            // The others have no word for it.
            _ => {}
        }
    }

    /// Decides, with the reason in messages.
    fn permit(&mut self, decision: impl Into<Value>, reason: &str) {
        let field = match self.row.form {
            Form::Permit => "permission",
            _ => "continue",
        };
        self.say(field, decision);
        let is_shown = self.can.notify == Visibility::Yes || self.row.form == Form::Continue;
        if is_shown {
            self.say("user_message", given(reason));
        }
        if self.row.tells_model {
            self.say("agent_message", given(reason));
        }
    }

    pub(in crate::hosts) fn refuse(&mut self, reason: &str) {
        let always = self.reason(reason);
        match self.row.form {
            Form::Permission => self.permission("deny", always),
            Form::Switch => self.switch("deny", reason),
            Form::Behavior => self.behavior("deny", always),
            Form::Answer => {
                self.within("behavior", "deny");
                self.within("message", always);
            }
            Form::Decision | Form::Block | Form::Result => self.block(reason),
            Form::GoesOn => self.decide("continue", reason),
            Form::Twice => {
                self.block(reason);
                self.within("decision", self.host.words.refusal);
                self.within("reason", given(reason));
            }
            Form::Stop => self.stop(reason),
            Form::Permit => self.permit("deny", reason),
            Form::Continue => self.permit(false, reason),
            Form::Cancel => {
                self.say("cancel", true);
                self.say("errorMessage", given(reason));
            }
            Form::FollowUp => self.say("followup_message", given(reason)),
            Form::Exit2 => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    fn block(&mut self, reason: &str) {
        self.decide(self.host.words.refusal, reason);
    }

    fn stop(&mut self, reason: &str) {
        self.say("continue", false);
        match self.reason(reason) {
            "" => {}
            reason => self.say("stopReason", reason),
        }
    }

    /// The agent stops; and what it was about to do is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        let halts = self.can.says(Kind::Halt);
        if halts && self.row.form == Form::Cancel {
            return self.refuse(reason);
        }
        if halts && self.row.form == Form::Answer {
            self.refuse(reason);
            self.within("interrupt", true);
            return;
        }
        if halts {
            self.stop(reason);
        }
        let is_left = halts && !self.row.is_gate();
        if is_left || !self.can.says(Kind::Deny) {
            return;
        }
        match self.row.form {
            // Beside an exit code the stop would not be read; a host that does not know this word here overlooks it.
            Form::Exit2 if halts => self.block(reason),
            _ => self.refuse(reason),
        }
    }

    fn texts(&mut self) {
        let effects = &self.result.effects;
        // What already stands in the place of the result need not be told beside it.
        let instead = self.instead.as_deref();
        let is_new = |text: &&str| Some(*text) != instead;
        let texts = effects.inject().iter().map(|said| &*said.text);
        let texts: Vec<&str> = texts.filter(is_new).collect();
        if self.can.inject.is_some() && !texts.is_empty() {
            let mut text = texts.join("\n\n");
            // A plain text that begins like an answer would be read as one.
            if self.host.words.contexts == ContextForm::Plain
                && text.trim_start().starts_with(['{', '[', '"'])
            {
                text.insert_str(0, "Note: ");
            }
            match self.host.words.contexts {
                ContextForm::Field(name) => self.within(name, text),
                ContextForm::Plain => self.plain = Some(format!("{text}\n")),
                ContextForm::Steps => {
                    let step = json!({"ephemeralMessage": text});
                    self.say("injectSteps", vec![step]);
                }
            }
        }
        if let Some(text) = notices(&self.can, self.result) {
            match (&mut self.exit_2, self.host.words.notices) {
                // The agent does not read the standard output when there is an exit code.
                (Some(reason), _) => *reason = format!("{}\n{text}", given(reason)),
                (None, NoticeForm::Field(name)) => self.add(name, text),
                (None, NoticeForm::Warning) => self.warning = Some(text),
            }
        }
        let hides = effects.get().is_some_and(|given| given.suppress_output);
        if hides && (self.host.odd.hides)(self.row, &self.can) {
            self.say("suppressOutput", true);
        }
    }

    /// Writes the answers that only this event of this host has, under their own names.
    pub(in crate::hosts) fn own_answers(&mut self) {
        let natives = self.result.effects.native().iter();
        for native in natives.filter(|native| self.can.native.contains(&&*native.wire)) {
            for name in self.row.natives {
                if let Some(value) = native.fields.get(*name) {
                    self.within(name, value.clone());
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
            return Reply::printing(stdout);
        }
        let mut specific = self.specific;
        if self.host.words.place == Nesting::Nested && !specific.is_empty() {
            let name = match (self.row.name, self.event) {
                ("", Some(event)) => event.name.universal(),
                (name, _) => name,
            };
            specific.shift_insert(0, "hookEventName".to_owned(), name.into());
            specific = Map::from_iter([(SPECIFIC.to_owned(), specific.into())]);
        }
        let mut top = self.top;
        top.append(&mut specific);
        let said = if top.is_empty() {
            self.host.silence()
        } else {
            Reply::object(top)
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
