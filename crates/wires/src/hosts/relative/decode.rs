//! Reading the answer of a hook that is written for a host of the family, by that host's own rule.
//!
//! Where JSON counts is each host's own ([`JsonCondition`]). What a host would drop with a failed run is a fault here; but a refusal,
//! a question or a stop in it stands, so that no hook is understood to say less than it meant.

mod object;

use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};

use super::row::{Exit2Meaning, Form, HostRow, PlainTextMeaning};
use super::{Host, JsonCondition, Schema};
use crate::answer::{self, ParsedAnswer, given, invalid, warning};
use crate::dialects::{BLOCK, SUCCESS, blocked, code, failed};
pub(in crate::hosts) use object::approves;

/// What a hook of a host left behind, and the event that it was asked about.
#[derive(Clone, Copy)]
pub(in crate::hosts) struct HookRun<'a> {
    pub(in crate::hosts) host: &'a Host,
    pub(in crate::hosts) raw: &'a Transcript,
    pub(in crate::hosts) event: &'a Event,
    /// What the host has for the event; nothing where it does not have it.
    pub(in crate::hosts) row: Option<&'a HostRow>,
}

impl HookRun<'_> {
    pub(in crate::hosts) fn has_form(self, form: Form) -> bool {
        self.row.is_some_and(|row| row.form == form)
    }

    /// Takes out of an answer what only this host has on this event.
    pub(in crate::hosts) fn own_answers(self, fields: &mut Map) -> HookResult {
        let names = self.row.map_or(&[][..], |row| row.natives).iter();
        let own: Map = names
            .filter_map(|name| Some(((*name).to_owned(), answer::taken(fields, name)?)))
            .collect();
        if own.is_empty() {
            return HookResult::proceed();
        }
        HookResult::proceed().native(self.host.id, own)
    }

    /// Returns what exit code 2 does: on an event that the host does not have it refuses, as at its gates.
    pub(in crate::hosts) fn exit_2(self) -> Exit2Meaning {
        self.row.map_or(Exit2Meaning::Blocks, |row| row.exit_2)
    }

    /// Reads an answer.
    pub(in crate::hosts) fn read(self) -> HandlerResult {
        let Self { host, raw, .. } = self;
        let stderr = raw.stderr.text();
        let why = match &raw.end {
            End::NotStarted(why) => Some(&**why),
            End::Code(code) if *code != SUCCESS => Some(""),
            End::Code(_) | End::Signal(_) | End::TimedOut => None,
        };
        if let (Exit2Meaning::BlocksAtEveryCode, Some(why)) = (self.exit_2(), why) {
            return Ok(HookResult::deny(match stderr.trim() {
                "" => given(why),
                text => text,
            }));
        }
        let code = code(raw)?;
        let has_reason = !stderr.trim().is_empty();
        if host.aborts == Some(code) {
            return Ok(HookResult::halt(given(stderr.trim())));
        }
        if let Some(said) = self.whatever_the_code(code) {
            return said;
        }
        if let Some(said) = self.beside(code) {
            return Ok(said);
        }
        match (code, self.exit_2()) {
            (SUCCESS, _) => self.success(),
            (BLOCK, Exit2Meaning::BlocksIfFound) if is_missing(raw) => {
                Err(failed(code, raw).into())
            }
            (BLOCK, Exit2Meaning::Blocks | Exit2Meaning::BlocksIfFound) => Ok(self.refused()),
            (BLOCK, Exit2Meaning::BlocksWithReason) if has_reason => Ok(self.refused()),
            (BLOCK, Exit2Meaning::Tells) if has_reason => {
                Ok(HookResult::proceed().notifying(warning(stderr.trim())))
            }
            _ => Err(failed(code, raw).into()),
        }
    }

    /// Tells whether what a hook printed is read as JSON. At a gate an object that was cut off may have been meant as a refusal:
    /// it is a fault and no text, so that a guard refuses.
    fn is_document(self, text: &str) -> bool {
        let Self { host, raw, row, .. } = self;
        let is_gate = row.is_some_and(HostRow::is_gate);
        let has_end = text.ends_with('}') || raw.stdout.dropped > 0 || is_gate;
        let is_list = matches!(host.schema, Schema::Closed(_)) && text.starts_with('[');
        is_list || text.starts_with('{') && (host.json != JsonCondition::AtEveryCode || has_end)
    }

    /// Reads JSON where all of it counts at every exit code. Exit code 2 refuses besides: for the reason of the JSON where that
    /// refuses too, else for the standard error.
    fn whatever_the_code(self, code: i32) -> Option<HandlerResult> {
        let raw = self.raw;
        let stdout = raw.stdout.text();
        let text = answer::trimmed(&stdout);
        if self.host.json != JsonCondition::AtEveryCode || !self.is_document(text) {
            return None;
        }
        let answer = self.document(text);
        if code != BLOCK
            || !matches!(
                self.exit_2(),
                Exit2Meaning::Blocks | Exit2Meaning::BlocksIfFound
            )
        {
            return Some(answer.and_then(ParsedAnswer::settled));
        }
        let reason = answer.as_ref().ok().and_then(|answer| {
            // Of an answer with a field of the wrong type the host takes nothing, not even its reason.
            let is_sound = answer.problems.is_empty();
            let refuses = answer.result.verdict.kind() >= Kind::Deny;
            let counts = is_sound && (refuses || raw.stderr.text().trim().is_empty());
            answer.reason.clone().filter(|_| counts)
        });
        let said = answer.and_then(ParsedAnswer::settled);
        Some(Ok(blocked(said, reason.as_deref(), raw)))
    }

    /// Reads JSON that counts though the run is no success, or though it stands on the standard error. Of a failed run only what
    /// refuses is taken: whether the rest counts is not worth the risk.
    fn beside(self, code: i32) -> Option<HookResult> {
        let (stdout, stderr) = (self.raw.stdout.text(), self.raw.stderr.text());
        let (stdout, stderr) = (answer::trimmed(&stdout), answer::trimmed(&stderr));
        let text = match (self.host.json, code) {
            (JsonCondition::OnSuccess | JsonCondition::AtEveryCode, _)
            | (JsonCondition::Always, SUCCESS)
            | (JsonCondition::OnEitherStream, BLOCK) => "",
            (JsonCondition::OnEitherStream, _) if stdout.is_empty() => stderr,
            (JsonCondition::OnEitherStream, SUCCESS) => "",
            (JsonCondition::Always | JsonCondition::OnEitherStream, _) => stdout,
        };
        let is_object = text.starts_with('{');
        let answer = is_object.then(|| self.document(text).ok())??;
        let said = answer.settled().ok()?;
        match code {
            SUCCESS => Some(said),
            _ if said.verdict.kind() < Kind::Ask => None,
            BLOCK => Some(said.then(self.refused())),
            _ => Some(said),
        }
    }

    fn refused(self) -> HookResult {
        let said = blocked(Ok(HookResult::proceed()), None, self.raw);
        let text = said.verdict.text();
        if self.has_form(Form::Result) {
            return said.modify("tool_result", text.as_str());
        }
        said
    }

    fn success(self) -> HandlerResult {
        let stdout = self.raw.stdout.text();
        let text = answer::trimmed(&stdout);
        let kind = self.row.map_or(PlainTextMeaning::Ignored, |row| row.text);
        if kind != PlainTextMeaning::AsIs && self.is_document(text) {
            return self.document(text)?.settled();
        }
        let has_texts = self.row.is_some_and(|row| row.can.inject.is_some());
        match kind {
            PlainTextMeaning::Wanted if text.is_empty() => Ok(HookResult::deny(
                "the hook printed nothing, and the agent waits for what it prints",
            )),
            _ if text.is_empty() => Ok(HookResult::proceed()),
            PlainTextMeaning::AsIs if !has_texts => Ok(HookResult::proceed()),
            PlainTextMeaning::Context | PlainTextMeaning::AsIs => {
                Ok(HookResult::proceed().inject(text))
            }
            PlainTextMeaning::Ignored | PlainTextMeaning::Wanted => Ok(HookResult::proceed()),
            PlainTextMeaning::Fails => {
                Err(invalid("it printed text where only JSON or nothing may stand").into())
            }
        }
    }

    /// Tells whether the host takes what it cannot read, such as several documents, for a text for the model. At a gate it
    /// is a fault here all the same: it may have been meant as a refusal.
    fn is_text(self) -> bool {
        let Self { host, raw, row, .. } = self;
        let takes_text = |row: &HostRow| row.text == PlainTextMeaning::Context && !row.is_gate();
        let is_whole = raw.end == End::Code(SUCCESS) && raw.stdout.dropped == 0;
        host.json == JsonCondition::AtEveryCode && is_whole && row.is_some_and(takes_text)
    }

    /// Reads the one document.
    pub(in crate::hosts) fn document(self, text: &str) -> Result<ParsedAnswer, Box<Fault>> {
        let (object, problem) = match answer::document(text, self.raw) {
            Ok(read) => read,
            Err(fault) if self.is_text() => {
                let result = HookResult::proceed().inject(text);
                return Ok(ParsedAnswer {
                    result: result.notifying(warning(&*fault.text)),
                    ..ParsedAnswer::default()
                });
            }
            Err(fault) => return Err(fault),
        };
        Ok(self.answered(object, problem))
    }
}

/// Tells that a shell left with 2 because it did not find the script.
fn is_missing(raw: &Transcript) -> bool {
    let stderr = raw.stderr.text();
    let names_it = stderr.contains("No such file or directory") || stderr.contains("not found");
    names_it && answer::trimmed(&raw.stdout.text()).is_empty()
}
