//! Reading what a hook answered that is written for Gemini CLI, by Gemini CLI's own rule.
//!
//! The first stream with a text counts. JSON decides by itself at every exit code; a plain text refuses at every code
//! from 2 on, and 127, where the script is missing, is such a code.

use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use serde_json::Value;

use super::rows::{Deny, Row};
use super::{ID, TOOLS};
use crate::answer::{self, Answer, NO_REASON, Place, SPECIFIC, invalid, trimmed, warning};
use crate::dialects::{code, failed};
use crate::{json, payload};

/// Reads an answer. An event that Gemini CLI does not have is refused like its gates.
pub(super) fn read(raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let hearing = Hearing { raw, event, row };
    match &raw.end {
        End::Code(code) => hearing.text(*code),
        // The host runs hooks in a shell, which says that the script is missing and leaves with 127.
        End::NotStarted(why) => hearing.refused(why, 127),
        // It takes this for success. What a hook said before it died counts if it restrains; its silence is a failure.
        End::Signal(_) => match hearing.text(0) {
            Ok(said) if restrains(&said) => Ok(said),
            _ => Err(code(raw).err().unwrap_or_else(|| failed(0, raw).into())),
        },
        End::TimedOut => Err(code(raw).err().unwrap_or_else(|| failed(0, raw).into())),
    }
}

fn restrains(said: &HookResult) -> bool {
    said.verdict.kind() >= Kind::Ask || !said.effects.patch().is_empty()
}

/// What restrains stands, whatever else is wrong with the answer.
fn warned(answer: Answer) -> HookResult {
    if answer.problems.is_empty() {
        return answer.result;
    }
    answer.result.notifying(warning(answer.problems.join("; ")))
}

struct Hearing<'a> {
    raw: &'a Transcript,
    event: &'a Event,
    row: Option<&'a Row>,
}

impl Hearing<'_> {
    fn deny(&self) -> Deny {
        self.row.map_or(Deny::Refuses, |row| row.deny)
    }

    fn text(&self, code: i32) -> Said {
        let (stdout, stderr) = (self.raw.stdout.text(), self.raw.stderr.text());
        let text = Some(trimmed(&stdout)).filter(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| trimmed(&stderr));
        match serde_json::from_str::<Value>(text) {
            // A text in quotes is parsed once more.
            Ok(Value::String(inner)) => self.inner(trimmed(&inner), text, code),
            Ok(Value::Object(_)) => self.document(text),
            Ok(_) => Err(invalid("it answered with JSON that is no object").into()),
            Err(_) => self.broken(text, text, code),
        }
    }

    fn inner(&self, inner: &str, whole: &str, code: i32) -> Said {
        match serde_json::from_str::<Value>(inner) {
            Ok(Value::Object(_)) => self.document(inner),
            Ok(_) => Err(invalid("it answered with JSON that is no object").into()),
            Err(_) => self.broken(inner, whole, code),
        }
    }

    /// A text that is no JSON. Where it was meant to be an answer it counts as far as it can be made out, but what the
    /// host refuses stays refused.
    fn broken(&self, inner: &str, whole: &str, code: i32) -> Said {
        if code >= 2 && !whole.is_empty() {
            return self.refused(whole, code);
        }
        if inner.starts_with('{') {
            return self.document(inner);
        }
        match code {
            0 if whole.is_empty() || self.row.is_none_or(Row::is_mute) => Ok(HookResult::proceed()),
            0 => Ok(HookResult::proceed().notify(whole)),
            code => Err(failed(code, self.raw).into()),
        }
    }

    /// What a plain text with such an exit code says.
    fn refused(&self, text: &str, code: i32) -> Said {
        match self.deny() {
            Deny::Refuses => Ok(HookResult::deny(text)),
            Deny::Replaces => Ok(self.replaced(text.to_owned())),
            Deny::Nothing => Err(failed(code, self.raw).into()),
        }
    }

    /// The host shows the reason in the place of the tool's result. Another host may take no result of this shape, so
    /// there the reason is said as a refusal, too.
    fn replaced(&self, reason: String) -> HookResult {
        let said = HookResult::proceed().modify("tool_result", Value::from(reason.as_str()));
        let origin = self.event.origin.as_deref();
        if origin.is_some_and(|origin| origin.host == ID) {
            return said;
        }
        HookResult::deny(reason).then(said)
    }

    /// Reads the one document.
    fn document(&self, text: &str) -> Said {
        let (top, problem) = match answer::document(text, self.raw) {
            Ok(read) => read,
            Err(fault) => return self.unreadable(text, fault),
        };
        let mut answer = self.object(top);
        answer.problems.extend(problem);
        if restrains(&answer.result) {
            return Ok(warned(answer));
        }
        answer.settled()
    }

    fn unreadable(&self, text: &str, fault: Box<Fault>) -> Said {
        let problem = &*fault.text;
        let decision = json::glimpse(text.as_bytes(), "decision");
        let denies = decision.as_deref().is_some_and(is_denial);
        match self.deny() {
            Deny::Refuses if denies => Ok(HookResult::deny(NO_REASON).notifying(warning(problem))),
            Deny::Replaces if denies => {
                let said = self.replaced(NO_REASON.to_owned());
                Ok(said.notifying(warning(problem)))
            }
            Deny::Refuses | Deny::Replaces | Deny::Nothing => Err(fault),
        }
    }

    fn object(&self, mut top: Map) -> Answer {
        let mut problems = Vec::new();
        let mut extra = HookResult::proceed();
        match self.deny() {
            Deny::Refuses => {}
            Deny::Nothing => deafen(&mut top),
            Deny::Replaces => {
                let decision = top.get("decision").and_then(Value::as_str);
                if decision.is_some_and(is_denial) {
                    top.shift_remove("decision");
                    extra = extra.then(self.replaced(reason(&top)));
                }
            }
        }
        if let Some(Value::Object(specific)) = top.get_mut(SPECIFIC) {
            extra = extra.then(self.specific(specific, &mut problems));
        }
        let mut answer = answer::read(top, self.event, Place::Nested);
        answer.distrust();
        answer.problems.append(&mut problems);
        answer.rest.clear();
        answer.result = std::mem::take(&mut answer.result).then(extra);
        answer
    }

    /// Takes what belongs to one event of this host, and drops what only Claude Code reads there.
    fn specific(&self, specific: &mut Map, problems: &mut Vec<String>) -> HookResult {
        for foreign in ["updatedInput", "updatedToolOutput", "updatedMCPToolOutput"] {
            specific.shift_remove(foreign);
        }
        let mut said = HookResult::proceed();
        let Some(row) = self.row else {
            return said;
        };
        for field in row.native.can.rewrite {
            let Some(given) = specific.shift_remove(*field) else {
                continue;
            };
            match self.merged(field, given) {
                Ok(value) => said = said.modify(*field, value),
                Err(problem) => problems.push(problem),
            }
        }
        let fields = row.natives.iter();
        let natives: Map = fields
            .filter_map(|name| Some(((*name).to_owned(), specific.shift_remove(*name)?)))
            .collect();
        if !natives.is_empty() {
            said = said.native(ID, natives);
        }
        said
    }

    /// New arguments are merged into those that are there, as the document has it: a hook of this host need not name
    /// all of them, and cannot take one away.
    fn merged(&self, field: &str, given: Value) -> Result<Value, String> {
        let Value::Object(given) = given else {
            return Err(format!("`{field}` must be an object"));
        };
        let own = payload::fields(self.event, ID, &TOOLS);
        let old = own.get(field).and_then(Value::as_object);
        let mut whole = old.cloned().unwrap_or_default();
        whole.extend(given);
        let whole = Value::Object(whole);
        if field != "tool_input" {
            return Ok(whole);
        }
        payload::canonical_input(self.event, ID, &TOOLS, whole).map_err(|error| error.what)
    }
}

fn is_denial(decision: &str) -> bool {
    matches!(&*decision.trim().to_ascii_lowercase(), "deny" | "block")
}

/// Drops what the host does not look at on this event.
fn deafen(top: &mut Map) {
    for field in ["decision", "reason", "continue", "stopReason"] {
        top.shift_remove(field);
    }
}

/// The reason as the host finds it.
fn reason(top: &Map) -> String {
    let mut texts = ["stopReason", "reason"]
        .iter()
        .filter_map(|field| top.get(*field)?.as_str());
    let found = texts.find(|text| !text.is_empty());
    found.unwrap_or(NO_REASON).to_owned()
}
