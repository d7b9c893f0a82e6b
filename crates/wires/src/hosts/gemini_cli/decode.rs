//! Reading the answer of a hook that is written for Gemini CLI, by Gemini CLI's own rule.
//!
//! The first stream with a text counts. JSON decides by itself at every exit code; a plain text refuses at every code
//! from 2 on, and 127, where the script is missing, is such a code.

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use serde_json::Value;

use super::{ID, TOOLS};
use crate::answer::{self, Answer, NO_REASON, SPECIFIC, invalid, trimmed, warning};
use crate::dialects::{code, failed};
use crate::hosts::relative::row::{Form, HostRow};
use crate::hosts::relative::{Relative, decode as family};
use crate::{json, payload};

/// Reads an answer. An event that Gemini CLI does not have is refused like its gates.
pub(super) fn read(
    host: &Relative,
    raw: &Transcript,
    event: &Event,
    row: Option<&HostRow>,
) -> Said {
    let decoding = Decoding {
        host,
        raw,
        event,
        row,
    };
    match &raw.end {
        End::Code(code) => decoding.text(*code),
        // The host runs hooks in a shell, which says that the script is missing and leaves with 127.
        End::NotStarted(why) => decoding.refused(why, 127),
        // It takes this for success. What a hook said before it died counts if it restrains; its silence is a failure.
        End::Signal(_) => match decoding.text(0) {
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

struct Decoding<'a> {
    host: &'a Relative,
    raw: &'a Transcript,
    event: &'a Event,
    row: Option<&'a HostRow>,
}

impl Decoding<'_> {
    /// Tells whether the person sees nothing of what a hook says.
    fn is_mute(&self) -> bool {
        let can = self.row.map_or(Can::NOTHING, |row| row.native.can);
        can.notify == Shown::No
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
            0 if whole.is_empty() || self.is_mute() => Ok(HookResult::proceed()),
            0 => Ok(HookResult::proceed().notify(whole)),
            code => Err(failed(code, self.raw).into()),
        }
    }

    /// What a plain text with such an exit code says.
    fn refused(&self, text: &str, code: i32) -> Said {
        match form(self.row) {
            Form::None => Err(failed(code, self.raw).into()),
            Form::Result => Ok(replaced(self.event, text.to_owned())),
            _ => Ok(HookResult::deny(text)),
        }
    }

    /// Reads the one document.
    fn document(&self, text: &str) -> Said {
        let (top, problem) = match answer::document(text, self.raw) {
            Ok(read) => read,
            Err(fault) => return self.unreadable(text, fault),
        };
        let answer = family::answered(self.host, top, problem, self.event, self.row);
        if restrains(&answer.result) {
            return Ok(warned(answer));
        }
        answer.settled()
    }

    fn unreadable(&self, text: &str, fault: Box<Fault>) -> Said {
        let problem = &*fault.text;
        let decision = json::glimpse(text.as_bytes(), "decision");
        let denies = decision.as_deref().is_some_and(is_denial);
        let said = match form(self.row) {
            Form::Result if denies => replaced(self.event, NO_REASON.to_owned()),
            form if denies && form != Form::None => HookResult::deny(NO_REASON),
            _ => return Err(fault),
        };
        Ok(said.notifying(warning(problem)))
    }
}

fn form(row: Option<&HostRow>) -> Form {
    row.map_or(Form::Block, |row| row.form)
}

/// The host shows the reason in the place of the tool's result. Another host may take no result of this shape, so there the
/// reason is said as a refusal, too.
fn replaced(event: &Event, reason: String) -> HookResult {
    let said = HookResult::proceed().modify("tool_result", Value::from(reason.as_str()));
    let origin = event.origin.as_deref();
    if origin.is_some_and(|origin| origin.host == ID) {
        return said;
    }
    HookResult::deny(reason).then(said)
}

/// Takes what this host reads in a way of its own.
pub(super) fn before(
    _: &Relative,
    event: &Event,
    row: Option<&HostRow>,
    top: &mut Map,
    problems: &mut Vec<String>,
) -> HookResult {
    let mut said = HookResult::proceed();
    match form(row) {
        Form::None => deafen(top),
        Form::Result => {
            let decision = top.get("decision").and_then(Value::as_str);
            if decision.is_some_and(is_denial) {
                top.shift_remove("decision");
                said = replaced(event, reason(top));
            }
        }
        _ => {}
    }
    if let Some(Value::Object(fields)) = top.get_mut(SPECIFIC) {
        said = said.then(specific(event, row, fields, problems));
    }
    said
}

/// Takes what belongs to one event of this host, and drops what only Claude Code reads there.
fn specific(
    event: &Event,
    row: Option<&HostRow>,
    fields: &mut Map,
    problems: &mut Vec<String>,
) -> HookResult {
    for foreign in ["updatedInput", "updatedToolOutput", "updatedMCPToolOutput"] {
        fields.shift_remove(foreign);
    }
    let mut said = HookResult::proceed();
    let Some(row) = row else {
        return said;
    };
    for field in row.native.can.rewrite {
        let Some(given) = fields.shift_remove(*field) else {
            continue;
        };
        match merged(event, field, given) {
            Ok(value) => said = said.modify(*field, value),
            Err(problem) => problems.push(problem),
        }
    }
    let natives: Map = row
        .natives
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), fields.shift_remove(*name)?)))
        .collect();
    if !natives.is_empty() {
        said = said.native(ID, natives);
    }
    said
}

/// New arguments are merged into those that are there, as the document has it: a hook of this host need not name all of them,
/// and cannot take one away.
fn merged(event: &Event, field: &str, given: Value) -> Result<Value, String> {
    let Value::Object(given) = given else {
        return Err(format!("`{field}` must be an object"));
    };
    let own = payload::fields(event, ID, &TOOLS);
    let old = own.get(field).and_then(Value::as_object);
    let mut whole = old.cloned().unwrap_or_default();
    whole.extend(given);
    let whole = Value::Object(whole);
    if field != "tool_input" {
        return Ok(whole);
    }
    payload::canonical_input(event, ID, &TOOLS, whole).map_err(|error| error.what)
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
