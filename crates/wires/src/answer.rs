//! Reading the object that a hook answered with, field by field.
//!
//! What is known is taken out and checked; what is left belongs to another reader. A known field of a wrong type is a
//! problem that names field and value, and a problem never makes an answer softer: a refusal beside it stands.

mod document;
mod reading;
mod written;

use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Map;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

pub(crate) use document::{document, trimmed};
pub(crate) use reading::{flag, object, read, shown, taken, text, wrong};
pub(crate) use written::{given, notices};

/// What is said where a hook refuses without a reason.
pub(crate) const NO_REASON: &str = "a hook refused this and gave no reason";

/// The object that holds what belongs to one event.
pub(crate) const SPECIFIC: &str = "hookSpecificOutput";

/// Where the fields that belong to one event may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// In `hookSpecificOutput` only.
    Nested,
    /// There, or beside it.
    Anywhere,
}

/// An answer, read.
#[derive(Debug, Default)]
pub(crate) struct ParsedAnswer {
    /// What it says.
    pub(crate) result: HookResult,
    /// Whether it has fields that belong to one event.
    pub(crate) is_nested: bool,
    /// The first reason that it gives, whatever it decides.
    pub(crate) reason: Option<String>,
    /// The event that it names.
    pub(crate) names: Option<String>,
    /// What is wrong with it.
    pub(crate) problems: Vec<String>,
    /// The fields that were not taken, where they stood.
    pub(crate) rest: Map,
}

/// Returns the first reason that an answer gives, whatever it decides.
pub(crate) fn reason(top: &Map) -> Option<String> {
    let nested = top.get(SPECIFIC).and_then(Value::as_object);
    let decision = |map: &Map| map.get("decision")?.get("message").cloned();
    let given = |map: &Map| map.get("permissionDecisionReason").cloned();
    let all = [
        nested.and_then(given),
        nested.and_then(decision),
        given(top),
        top.get("reason").cloned(),
        decision(top),
        top.get("stopReason").cloned(),
    ];
    let mut texts = all.iter().flatten().filter_map(Value::as_str);
    texts.find(|text| !text.is_empty()).map(str::to_owned)
}

impl ParsedAnswer {
    /// Adds what is wrong, and makes of it what it is: a refusal or a question stands, anything lighter is a fault.
    pub(crate) fn settled(self) -> HandlerResult {
        if self.problems.is_empty() {
            return Ok(self.result);
        }
        let mut text = self.problems.join("; ");
        if self.result.verdict.kind() >= Kind::Ask {
            return Ok(self.result.notifying(warning(text)));
        }
        // The answer is dropped; its words to the person are not.
        let own = self.result.effects.notify().iter();
        for notice in own.filter(|notice| notice.level != Level::Warning) {
            text.push_str("; it said: ");
            text.push_str(&notice.text);
        }
        Err(Box::new(Fault::new(FaultKind::InvalidAnswer, text)))
    }

    /// Adds something to what it says.
    pub(crate) fn say(&mut self, more: HookResult) {
        let result = std::mem::take(&mut self.result);
        self.result = result.then(more);
    }

    /// Tells the person that the hook made a mistake.
    pub(crate) fn warn(&mut self, text: String) {
        let result = std::mem::take(&mut self.result);
        self.result = result.notifying(warning(text));
    }

    /// Takes an approval back: it was not meant for this event.
    pub(crate) fn distrust(&mut self) {
        if self.result.verdict.kind() == Kind::Allow {
            self.result.verdict = Verdict::Continue;
        }
    }
}

/// Makes a notice about a hook's own mistake.
pub(crate) fn warning(text: impl Into<String>) -> Notice {
    Notice::new(text).at(Level::Warning)
}

/// Says what is wrong with an answer.
pub(crate) fn invalid(text: impl Into<String>) -> Fault {
    Fault::new(FaultKind::InvalidAnswer, text)
}
