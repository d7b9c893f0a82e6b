//! The forms in which a hook may answer, in the order in which they are tried.
//!
//! A hook of a universal manifest ends with an exit code, and may print an object in one of the dialects of this table.
//! A hook that is written for one host is read by that host's own rule instead ([`crate::Host::read_result`]).
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::event::Event;
//! use anyhook_core::result::{HookResult, Kind};
//! use anyhook_core::transcript::{Capture, End, Transcript};
//! use anyhook_wires::dialects::read_universal;
//! use serde_json::json;
//!
//! let event =
//!     Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "npm i"}}));
//! let ended = |code, stdout: &str, stderr: &str| Transcript {
//!     stdout: Capture { kept: stdout.into(), dropped: 0 },
//!     stderr: Capture { kept: stderr.into(), dropped: 0 },
//!     end: End::Code(code),
//!     took: Duration::ZERO,
//! };
//! let read = |code, stdout, stderr| read_universal(&ended(code, stdout, stderr), &event);
//!
//! // Three ways to refuse.
//! assert_eq!(read(2, "", "frozen").unwrap(), HookResult::deny("frozen"));
//! assert_eq!(
//!     read(0, r#"{"action": "deny", "reason": "frozen"}"#, "").unwrap(),
//!     HookResult::deny("frozen")
//! );
//! assert_eq!(
//!     read(0, r#"{"decision": "block", "reason": "frozen"}"#, "").unwrap().verdict.kind(),
//!     Kind::Deny
//! );
//! // Nothing said, nothing meant; and an end that means nothing is a failure.
//! assert!(read(0, "{}", "").unwrap().is_identity());
//! assert!(read(7, "", "").is_err());
//! ```

pub mod amplifier;
pub(crate) mod athena;
mod exit_code;
mod hooks_json;

use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;

use crate::answer::{self, invalid, warning};
use crate::json::{self, ParsedOutput};

pub(crate) use exit_code::{BLOCK, SUCCESS, blocked, code, failed};

/// One form of an answer.
struct Dialect {
    /// Tells whether an object is an answer of this form. Of several that own one, the first in the table reads it.
    owns: fn(&Map) -> bool,
    /// Takes what is of this form out of an object that it owns. What is wrong with it is a fault, unless it refuses or asks
    /// all the same: then that stands.
    read: fn(&mut Map, &Event) -> HandlerResult,
}

/// Every form. The empty object is of none: the exit code says everything then.
static DIALECTS: [Dialect; 3] = [
    Dialect {
        owns: athena::owns,
        read: athena::read,
    },
    Dialect {
        owns: amplifier::owns,
        read: amplifier::read,
    },
    Dialect {
        owns: hooks_json::owns,
        read: hooks_json::read,
    },
];

/// The events on which plain text is a text for the model.
const TEXT_IS_CONTEXT: &[&str] = &["session-start", "pre-prompt"];

/// Reads what a hook of a universal manifest answered.
///
/// - Exit 0: what it printed decides. Nothing, and `{}`, is Continue. Plain text is a text for the model on
///   session-start and pre-prompt, and is otherwise left to the report.
/// - Exit 2: a refusal, whatever it printed; for the reason of the JSON, else of the standard error.
/// - Any other end is a fault.
/// - What was too long to be read to its end is a fault too, for its end may have been a refusal. A refusal or a question
///   before it stands, and a text for the model is told with a warning.
///
/// Of several objects the one that decides most gravely counts; every object's effects are kept. What looks like an answer and
/// cannot be read is a fault, but a refusal or a question that could be read stands, with a warning beside it.
pub fn read_universal(raw: &Transcript, event: &Event) -> HandlerResult {
    let code = code(raw)?;
    if code != SUCCESS && code != exit_code::BLOCK {
        return Err(failed(code, raw).into());
    }
    let printed = json::printed(&raw.stdout.text());
    let mut given = printed.objects.iter();
    let reason = given.find_map(|object| dialect(object).and_then(|_| answer::reason(object)));
    let said = objects(printed, raw, event);
    if code == exit_code::BLOCK {
        return Ok(blocked(said, reason.as_deref(), raw));
    }
    let said = said?;
    let is_silent = said.verdict.kind() == Kind::Continue && said.effects.notify().is_empty();
    if reason.is_some() && is_silent {
        return Ok(said.notifying(warning("a hook gave a reason and no decision")));
    }
    Ok(said)
}

fn dialect(object: &Map) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| (dialect.owns)(object))
}

/// Folds what each object says, and what is wrong with the rest.
fn objects(printed: ParsedOutput, raw: &Transcript, event: &Event) -> HandlerResult {
    let plain = printed.objects.is_empty() && printed.broken.is_none();
    let mut said = HookResult::proceed();
    let doubt = printed.doubt;
    let mut fault = printed
        .broken
        .map(|broken| Box::new(invalid(cut(raw, broken))));
    for object in printed.objects {
        match read_object(object, event) {
            Ok(more) => said = gravest_decision(said, more),
            Err(wrong) => fault = Some(fault.unwrap_or(wrong)),
        }
    }
    if plain && !printed.text.is_empty() && TEXT_IS_CONTEXT.contains(&event.name.universal()) {
        let said = said.inject(printed.text);
        return Ok(match too_long(raw) {
            None => said,
            Some(fault) => said.notifying(warning(format!(
                "a hook said more to the model than is kept: {}",
                fault.text
            ))),
        });
    }
    if let Some(doubt) = doubt.filter(|_| said.verdict.kind() == Kind::Allow) {
        let text = format!("it approved, and that does not count: {doubt}");
        // Also where it rewrites: what its failure means the hook says, and of a guard that is a refusal.
        fault.get_or_insert_with(|| Box::new(invalid(text)));
    }
    // What was not read may have been a refusal.
    let fault = fault.or_else(|| too_long(raw).map(Box::new));
    stands(said, fault)
}

/// Makes a fault of an answer with which something is wrong, unless it refuses or asks all the same: then that stands.
pub(crate) fn stands(said: HookResult, wrong: Option<Box<Fault>>) -> HandlerResult {
    match wrong {
        None => Ok(said),
        Some(fault) if said.verdict.kind() >= Kind::Ask => {
            Ok(said.notifying(warning(&*fault.text)))
        }
        Some(fault) => Err(fault),
    }
}

/// Reads an object in each form that it has fields of.
fn read_object(mut object: Map, event: &Event) -> HandlerResult {
    if object.is_empty() {
        return Ok(HookResult::proceed());
    }
    let reason = object.get("reason").cloned();
    let (mut said, mut next) = (None, dialect(&object));
    while let Some(form) = next {
        let more = (form.read)(&mut object, event);
        said = Some(match said {
            None => more,
            Some(said) => both(said, more),
        });
        next = dialect(&object);
        if let (Some(_), Some(reason)) = (next, &reason) {
            object.insert("reason".to_owned(), reason.clone());
        }
    }
    let names: Vec<String> = object.keys().map(|key| format!("`{key}`")).collect();
    let names = names.join(", ");
    match said {
        None => {
            let text = format!("it answered with {names}, which no form of an answer has");
            Err(invalid(text).into())
        }
        Some(Ok(said)) if !names.is_empty() => {
            let text = format!("a hook's answer has unknown fields: {names}");
            Ok(said.notifying(warning(text)))
        }
        Some(said) => said,
    }
}

/// What an answer says in two forms: a refusal in either is one, and what is wrong with one is told beside it.
fn both(ours: HandlerResult, theirs: HandlerResult) -> HandlerResult {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => Ok(ours.then(theirs)),
        (Ok(said), Err(fault)) | (Err(fault), Ok(said)) => stands(said, Some(fault)),
        (Err(fault), Err(_)) => Err(fault),
    }
}

/// The gravest decision counts, and of equals the first. Another one is told, and never counted: what it was meant to add is
/// unknown.
fn gravest_decision(mut said: HookResult, mut more: HookResult) -> HookResult {
    let (first, later) = (said.verdict.kind(), more.verdict.kind());
    if first == Kind::Continue || later == Kind::Continue {
        return said.then(more);
    }
    let idle = if later > first { &mut said } else { &mut more };
    idle.verdict = Verdict::Continue;
    let said = said.then(more);
    if first == later {
        return said;
    }
    said.notifying(warning(format!(
        "a hook decided twice: the graver answer, {}, counts, and {} does not",
        first.max(later).as_str(),
        first.min(later).as_str()
    )))
}

/// Says that a part of the output was thrown away.
fn too_long(raw: &Transcript) -> Option<Fault> {
    let kept = raw.stdout.kept.len();
    let text = match raw.stdout.dropped {
        0 => return None,
        dropped => format!("its output was cut after {kept} bytes, {dropped} more were dropped"),
    };
    Some(Fault::new(FaultKind::OverLimit, text))
}

/// Adds that the output was cut, which is why it cannot be read.
fn cut(raw: &Transcript, broken: String) -> String {
    match too_long(raw) {
        None => broken,
        Some(fault) => format!("{}; {broken}", fault.text),
    }
}

#[cfg(test)]
mod tests;
