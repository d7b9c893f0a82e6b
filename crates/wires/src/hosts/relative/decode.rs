//! Reading the answer of a hook that is written for a host of the family, by that host's own rule.
//!
//! Where JSON counts is each host's own ([`Counts`]). What a host would drop with a failed run is a fault here; but a refusal,
//! a question or a stop in it stands, so that no hook is understood to say less than it meant.

mod object;

use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};

use super::row::{Exit2, Form, HostRow, Text};
use super::{Counts, Host, Schema};
use crate::answer::{self, Answer, given, invalid, warning};
use crate::dialects::{BLOCK, SUCCESS, blocked, code, failed};
pub(in crate::hosts) use object::{answered, approves};

/// Reads an answer. An event that the host does not have is refused by exit 2 like its gates.
pub(in crate::hosts) fn read(
    host: &Host,
    raw: &Transcript,
    event: &Event,
    row: Option<&HostRow>,
) -> Said {
    let code = code(raw)?;
    let stderr = raw.stderr.text();
    let has_reason = !stderr.trim().is_empty();
    if host.aborts == Some(code) {
        return Ok(HookResult::halt(given(stderr.trim())));
    }
    let exit_2 = row.map_or(Exit2::Blocks, |row| row.exit_2);
    if let Some(said) = whatever_the_code(host, code, raw, event, row) {
        return said;
    }
    if let Some(said) = beside(host, code, raw, event, row) {
        return Ok(said);
    }
    match (code, exit_2) {
        (SUCCESS, _) => success(host, raw, event, row),
        (BLOCK, Exit2::BlocksIfFound) if is_missing(raw) => Err(failed(code, raw).into()),
        (BLOCK, Exit2::Blocks | Exit2::BlocksIfFound) => Ok(refused(raw, row)),
        (BLOCK, Exit2::BlocksWithReason) if has_reason => Ok(refused(raw, row)),
        (BLOCK, Exit2::Tells) if has_reason => {
            Ok(HookResult::proceed().notifying(warning(stderr.trim())))
        }
        _ => Err(failed(code, raw).into()),
    }
}

/// Tells whether what a hook printed is read as JSON. At a gate an object that was cut off may have been meant as a refusal:
/// it is a fault and no text, so that a guard refuses.
fn is_document(host: &Host, text: &str, raw: &Transcript, row: Option<&HostRow>) -> bool {
    let is_gate = row.is_some_and(HostRow::is_gate);
    let has_end = text.ends_with('}') || raw.stdout.dropped > 0 || is_gate;
    let is_list = matches!(host.schema, Schema::Closed(_)) && text.starts_with('[');
    is_list || text.starts_with('{') && (host.json != Counts::AtEveryCode || has_end)
}

/// Tells that a shell left with 2 because it did not find the script.
fn is_missing(raw: &Transcript) -> bool {
    let stderr = raw.stderr.text();
    let names_it = stderr.contains("No such file or directory") || stderr.contains("not found");
    names_it && answer::trimmed(&raw.stdout.text()).is_empty()
}

/// Reads JSON where all of it counts at every exit code. Exit code 2 refuses besides: for the reason of the JSON where that
/// refuses too, else for the standard error.
fn whatever_the_code(
    host: &Host,
    code: i32,
    raw: &Transcript,
    event: &Event,
    row: Option<&HostRow>,
) -> Option<Said> {
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
    if host.json != Counts::AtEveryCode || !is_document(host, text, raw, row) {
        return None;
    }
    let answer = document(host, text, raw, event, row);
    let exit_2 = row.map_or(Exit2::Blocks, |row| row.exit_2);
    if code != BLOCK || !matches!(exit_2, Exit2::Blocks | Exit2::BlocksIfFound) {
        return Some(answer.and_then(Answer::settled));
    }
    let reason = answer.as_ref().ok().and_then(|answer| {
        // Of an answer with a field of the wrong type the host takes nothing, not even its reason.
        let is_sound = answer.problems.is_empty();
        let refuses = answer.result.verdict.kind() >= Kind::Deny;
        let counts = is_sound && (refuses || raw.stderr.text().trim().is_empty());
        answer.reason.clone().filter(|_| counts)
    });
    let said = answer.and_then(Answer::settled);
    Some(Ok(blocked(said, reason.as_deref(), raw)))
}

/// Reads JSON that counts though the run is no success, or though it stands on the standard error. Of a failed run only what
/// refuses is taken: whether the rest counts is not worth the risk.
fn beside(
    host: &Host,
    code: i32,
    raw: &Transcript,
    event: &Event,
    row: Option<&HostRow>,
) -> Option<HookResult> {
    let (stdout, stderr) = (raw.stdout.text(), raw.stderr.text());
    let (stdout, stderr) = (answer::trimmed(&stdout), answer::trimmed(&stderr));
    let text = match (host.json, code) {
        (Counts::OnSuccess | Counts::AtEveryCode, _)
        | (Counts::Always, SUCCESS)
        | (Counts::OnEitherStream, BLOCK) => "",
        (Counts::OnEitherStream, _) if stdout.is_empty() => stderr,
        (Counts::OnEitherStream, SUCCESS) => "",
        (Counts::Always | Counts::OnEitherStream, _) => stdout,
    };
    let is_object = text.starts_with('{');
    let answer = is_object.then(|| document(host, text, raw, event, row).ok())??;
    let said = answer.settled().ok()?;
    match code {
        SUCCESS => Some(said),
        _ if said.verdict.kind() < Kind::Ask => None,
        BLOCK => Some(said.then(refused(raw, row))),
        _ => Some(said),
    }
}

fn refused(raw: &Transcript, row: Option<&HostRow>) -> HookResult {
    let said = blocked(Ok(HookResult::proceed()), None, raw);
    let text = said.verdict.text();
    if row.is_some_and(|row| row.form == Form::Result) {
        return said.modify("tool_result", text.as_str());
    }
    said
}

fn success(host: &Host, raw: &Transcript, event: &Event, row: Option<&HostRow>) -> Said {
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
    let kind = row.map_or(Text::Ignored, |row| row.text);
    if kind != Text::AsIs && is_document(host, text, raw, row) {
        return document(host, text, raw, event, row)?.settled();
    }
    let has_texts = row.is_some_and(|row| row.can.inject.is_some());
    match kind {
        _ if text.is_empty() => Ok(HookResult::proceed()),
        Text::AsIs if !has_texts => Ok(HookResult::proceed()),
        Text::Context | Text::AsIs => Ok(HookResult::proceed().inject(text)),
        Text::Ignored | Text::Path => Ok(HookResult::proceed()),
        Text::Fails => Err(invalid("it printed text where only JSON or nothing may stand").into()),
    }
}

/// Tells whether the host takes what it cannot read, such as several documents, for a text for the model. At a gate it
/// is a fault here all the same: it may have been meant as a refusal.
fn is_text(host: &Host, raw: &Transcript, row: Option<&HostRow>) -> bool {
    let takes_text = |row: &HostRow| row.text == Text::Context && !row.is_gate();
    let is_whole = raw.end == End::Code(SUCCESS) && raw.stdout.dropped == 0;
    host.json == Counts::AtEveryCode && is_whole && row.is_some_and(takes_text)
}

/// Reads the one document.
fn document(
    host: &Host,
    text: &str,
    raw: &Transcript,
    event: &Event,
    row: Option<&HostRow>,
) -> Result<Answer, Box<Fault>> {
    let (object, problem) = match answer::document(text, raw) {
        Ok(read) => read,
        Err(fault) if is_text(host, raw, row) => {
            let result = HookResult::proceed().inject(text);
            return Ok(Answer {
                result: result.notifying(warning(&*fault.text)),
                ..Answer::default()
            });
        }
        Err(fault) => return Err(fault),
    };
    Ok(answered(host, object, problem, event, row))
}
