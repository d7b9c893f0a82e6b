//! What the one object of an answer means.

use anyhook_core::can::RewriteCoupling;
use anyhook_core::event::{Datum, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

use super::HookRun;
use crate::answer::{self, Nesting, ParsedAnswer, SPECIFIC};
use crate::hosts::relative::encode::missing;
use crate::hosts::relative::row::{ContextDelivery, Form, HaltMeaning, HostRow};
use crate::hosts::relative::{Host, InputUpdate, MisnamedEvent, Schema};
use crate::payload;

impl HookRun<'_> {
    /// Reads the object of an answer; `problem` is what is wrong with its JSON.
    pub(in crate::hosts) fn answered(
        self,
        mut object: Map,
        problem: Option<String>,
    ) -> ParsedAnswer {
        let Self { host, row, .. } = self;
        let mut problems: Vec<String> = problem.into_iter().collect();
        if let (Schema::Closed(wrong), Some(row)) = (host.schema, row) {
            problems.extend(wrong(row, &object));
        }
        let approves = row.is_some_and(|row| self.approval(row, &object));
        let own = (host.odd.before)(self, &mut object, &mut problems);
        self.stop_as_block(&mut object);
        let replacement = row.and_then(|row| replacement(&object, row));
        self.discard(&mut object);
        let mut answer = answer::read(object, self.event, host.words.place);
        answer.problems.append(&mut problems);
        self.named(&mut answer);
        self.canonical(&mut answer);
        if !approves {
            answer.distrust();
        }
        answer.say(own);
        if row.is_some_and(|row| row.speech == ContextDelivery::SendsOn) {
            refuse_texts(&mut answer);
        }
        (host.odd.after)(&mut answer, row);
        if !answer.rest.is_empty() {
            let rest = std::mem::take(&mut answer.rest);
            answer.say(HookResult::proceed().native(host.id, rest));
        }
        self.prevented(&mut answer.result);
        if let Some(text) = replacement {
            answer.say(HookResult::proceed().modify("tool_result", text));
        }
        answer
    }

    /// Says a stop that only replaces a result as the block that does the same, where a block does.
    fn stop_as_block(self, object: &mut Map) {
        let is_block = self
            .row
            .is_some_and(|row| (row.form, row.halting()) == (Form::Result, HaltMeaning::Result));
        if is_block && stops(object) && object.get("decision").is_none_or(Value::is_null) {
            object.insert("decision".to_owned(), "block".into());
            let why = object.get("stopReason").cloned();
            object.insert("reason".to_owned(), why.unwrap_or_default());
        }
    }

    /// Drops what the host overlooks on this event: a hook that says it there does not mean anything by it. Of the wrong type
    /// it stays, and is a problem.
    fn discard(self, object: &mut Map) {
        let halt = self.row.map_or(HaltMeaning::Agent, HostRow::halting);
        if !matches!(halt, HaltMeaning::Ignored | HaltMeaning::Result) {
            return;
        }
        if object.get("continue").is_some_and(Value::is_boolean) {
            object.shift_remove("continue");
        }
        if object.get("stopReason").is_some_and(Value::is_string) {
            object.shift_remove("stopReason");
        }
    }

    /// Gives new arguments their canonical names. Where the host lays them over the old ones, so do we.
    fn canonical(self, answer: &mut ParsedAnswer) {
        let Self { host, event, .. } = self;
        let Some(rewrite) = answer.result.effects.rewrite("tool_input") else {
            return;
        };
        let mut input = rewrite.value.as_ref().map(Datum::json).unwrap_or_default();
        if host.updates == InputUpdate::Merge
            && let Some(Value::Object(mut old)) =
                payload::fields(event, host.id, host.facts.tools).shift_remove("tool_input")
            && let Value::Object(new) = input
        {
            old.extend(new);
            input = Value::Object(old);
        }
        let row = host.row_of(event);
        let stands_alone = row.is_some_and(|row| row.can.coupling == RewriteCoupling::Free);
        let is_taken = match answer.result.verdict.kind() {
            Kind::Allow => true,
            Kind::Continue => stands_alone,
            Kind::Ask | Kind::Deny | Kind::Halt => false,
        };
        match payload::canonical_input(event, host.id, host.facts.tools, input) {
            // The host does not run the tool at all with arguments that it cannot be called with.
            Ok(input)
                if host.updates != InputUpdate::Merge
                    && is_taken
                    && let Value::Object(fields) =
                        payload::native_input(event, host.id, host.facts.tools, input.clone())
                    && let Some(why) = missing(host, event, &fields) =>
            {
                answer.result.verdict = HookResult::deny(why).verdict;
            }
            Ok(input) => {
                for rewrite in &mut answer.result.effects.edit().patch {
                    if rewrite.field == "tool_input" {
                        rewrite.value = Some(Datum::Json(input.clone()));
                    }
                }
            }
            Err(error) => answer.problems.push(error.what),
        }
    }

    /// Tells whether the host would take the answer for an approval, on an event that has one. Anywhere else it approves nothing
    /// there, and so nothing here.
    fn approval(self, row: &HostRow, top: &Map) -> bool {
        let can = row.can;
        let is_sayable = can.says(Kind::Allow) || can.coupling == RewriteCoupling::Approval;
        is_sayable && (self.host.odd.approves)(self.host, row, top)
    }

    /// What ends the agent elsewhere only prevents the action here.
    fn prevented(self, said: &mut HookResult) {
        let is_action = self
            .row
            .is_some_and(|row| row.halting() == HaltMeaning::Action);
        if is_action && let Verdict::Halt { reasons } = &said.verdict {
            said.verdict = Verdict::Deny {
                reasons: reasons.clone(),
            };
        }
    }

    /// An answer that does not name the event by its own name is meant for another one: it is understood, but approves nothing.
    fn named(self, answer: &mut ParsedAnswer) {
        let Self {
            host, event, row, ..
        } = self;
        let expected = row.map(|row| row.name);
        let is_named = !answer.is_nested || answer.names.as_deref() == expected;
        if is_named || host.words.misnamed == MisnamedEvent::Accepted {
            return;
        }
        let expected = expected.unwrap_or(event.name.as_str());
        let wanted = match host.words.misnamed {
            MisnamedEvent::Dropped(name) => format!("{name} expects `{expected}` and drops it"),
            MisnamedEvent::Warned | MisnamedEvent::Accepted => {
                format!("{} expects `{expected}`", host.id)
            }
        };
        let named = answer.names.take().unwrap_or_default();
        answer.warn(format!(
            "a hook's answer names the event `{named}`; {wanted}"
        ));
        answer.distrust();
        if matches!(host.words.misnamed, MisnamedEvent::Dropped(_)) {
            answer.rest.shift_remove(SPECIFIC);
        }
    }
}

/// Makes a refusal of each text for the model: the host goes on with it where the agent wanted to end.
fn refuse_texts(answer: &mut ParsedAnswer) {
    if answer.result.effects.inject().is_empty() {
        return;
    }
    for said in std::mem::take(&mut answer.result.effects.edit().inject) {
        answer.say(HookResult::deny(said.text));
    }
}

fn stops(object: &Map) -> bool {
    object.get("continue") == Some(&Value::Bool(false))
}

/// Returns the text that takes the place of the tool's result.
fn replacement(object: &Map, row: &HostRow) -> Option<String> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    if row.form == Form::Result {
        let is_block = text("decision") == Some("block");
        // The reason of a stop takes the result's place even if it is blank.
        let is_stop = row.halting() == HaltMeaning::Result && stops(object);
        let is_given = |reason: &&str| !reason.trim().is_empty() || is_stop && !reason.is_empty();
        let reason = text("reason").filter(|reason| is_block && is_given(reason));
        return reason.map(str::to_owned);
    }
    let mut reasons = ["stopReason", "reason"].into_iter().filter_map(text);
    let reason = reasons.find(|reason| !reason.is_empty());
    let is_replaced = row.halting() == HaltMeaning::Result && stops(object);
    reason.filter(|_| is_replaced).map(str::to_owned)
}

/// Tells whether an approval stands where a host of the family looks for one.
pub(in crate::hosts) fn approves(host: &Host, row: &HostRow, top: &Map) -> bool {
    let specific = match host.words.place {
        Nesting::Nested => top.get(SPECIFIC).and_then(Value::as_object),
        Nesting::Anywhere => Some(top),
    };
    let word = match row.form {
        Form::Permission | Form::Switch => specific.and_then(|it| it.get("permissionDecision")),
        Form::Behavior => specific.and_then(|it| it.get("decision")?.get("behavior")),
        Form::Answer => top.get("behavior"),
        // The others have no word for it.
        _ => None,
    };
    word.and_then(Value::as_str) == Some("allow")
}
