//! What happened to each answer of a hook: whether its reader got it, in plain words.

use anyhook_core::effects::Rewrite;
use anyhook_core::event::Datum;
use anyhook_core::fit::{Loss, LossKind, Substitute, UndeliveredText};
use anyhook_core::report::Report;
use anyhook_core::result::{HookResult, Kind, Verdict};

use super::short;

/// Says in one line what hooks said about an event, and of each part that its reader did not hear, that it is so.
pub(super) fn in_short(report: &Report) -> String {
    told(&report.result, &report.losses)
}

/// Says in one line what a result says.
pub fn said_in_short(said: &HookResult) -> String {
    told(said, &[])
}

fn told(result: &HookResult, losses: &[Loss]) -> String {
    let effects = &result.effects;
    let mut parts: Vec<String> = verdict(&result.verdict, losses).into_iter().collect();
    let rewrites = effects.patch().iter().map(|rewrite| {
        let is_lost = |loss: &Loss| loss.what == LossKind::Rewrite(rewrite.field.clone());
        let word = if losses.iter().any(is_lost) {
            "could not rewrite"
        } else {
            "rewrote"
        };
        format!("{word} {}", rewritten(rewrite))
    });
    parts.extend(rewrites);
    let injects = effects.inject().iter();
    parts.extend(injects.map(|injection| {
        let mut unsaid = losses
            .iter()
            .filter(|loss| loss.what == LossKind::Injection);
        let found = unsaid.find(|loss| match loss.text {
            Some(_) => loses(loss, &injection.text),
            None => loss.by == injection.by,
        });
        let told = match found.map(|loss| loss.became) {
            None => "told the model",
            Some(Substitute::Later) => "not yet told the model",
            Some(Substitute::Notice) if !is_unheard(losses, &injection.text) => {
                "told only the person"
            }
            Some(_) => "not told the model",
        };
        format!("{told}: {}", injection.text)
    }));
    let notices = effects.notify().iter();
    parts.extend(notices.map(|notice| {
        let told = if is_unheard(losses, &notice.text) {
            "not told the person"
        } else {
            "told the person"
        };
        format!("{told}: {}", notice.text)
    }));
    parts.join("; ")
}

/// Tells whether a text for the person did not reach the person.
fn is_unheard(losses: &[Loss], text: &str) -> bool {
    let mut notices = losses.iter().filter(|loss| loss.what == LossKind::Notice);
    notices.any(|loss| loses(loss, text))
}

/// Tells whether a loss is of this text.
fn loses(loss: &Loss, text: &str) -> bool {
    loss.text.as_ref().is_some_and(|lost| text_of(lost) == text)
}

fn text_of(lost: &UndeliveredText) -> &str {
    match lost {
        UndeliveredText::Injection(injection) => &injection.text,
        UndeliveredText::Notice(notice) => &notice.text,
    }
}

fn verdict(verdict: &Verdict, losses: &[Loss]) -> Option<String> {
    let (kind, text) = (verdict.kind(), verdict.text());
    if kind == Kind::Continue {
        return None;
    }
    let mut steps = losses.iter();
    let is_kept = losses.iter().any(Loss::is_kept_halt);
    let last =
        steps.rfind(|loss| matches!(loss.what, LossKind::Verdict(_)) && !loss.is_kept_halt());
    let is_lost = |text: &str| losses.iter().any(|loss| loses(loss, text));
    let has_lost_reason = verdict.reasons().iter().any(|reason| is_lost(&reason.text));
    let so = match last.map(|loss| loss.became) {
        _ if is_kept => " kept",
        None | Some(Substitute::Default) => "",
        Some(Substitute::Verdict(Kind::Continue)) => " without a word",
        Some(Substitute::Verdict(kind)) => match kind {
            Kind::Halt => " as halt",
            Kind::Deny => " as deny",
            Kind::Continue | Kind::Allow | Kind::Ask => " as ask",
        },
        Some(Substitute::Injection | Substitute::Notice) if has_lost_reason => " not said",
        Some(Substitute::Injection) => " only told the model",
        Some(Substitute::Notice) => " only told the person",
        Some(Substitute::Later | Substitute::Nothing) => " not said",
    };
    let said = format!("{}{so}", kind.as_str());
    Some(if text.is_empty() {
        said
    } else {
        format!("{said}: {text}")
    })
}

/// Says what could not be said, and what was said in its place.
pub fn lost(loss: &Loss) -> String {
    if loss.is_kept_halt() {
        return "`halt`: the agent was not stopped; what it does next is refused".to_owned();
    }
    let what = match &loss.what {
        LossKind::Verdict(kind) => format!("`{}`", kind.as_str()),
        LossKind::Rewrite(field) => format!("the rewrite of `{field}`"),
        LossKind::BareRewrite => "a rewrite without a permission".to_owned(),
        LossKind::Injection => "a text for the model".to_owned(),
        LossKind::Role(role) => format!("the role {role:?} of a text").to_lowercase(),
        LossKind::Lifetime(lifetime) => {
            format!("the lifetime {lifetime:?} of a text").to_lowercase()
        }
        LossKind::Place(place) => format!("the place {place:?} of a text").to_lowercase(),
        LossKind::Length(bytes) => format!("all {bytes} bytes of a text for the model"),
        LossKind::Notice => "a text for the person".to_owned(),
        LossKind::Native(host) => format!("an answer that only {host} has"),
        LossKind::Mark(name) => format!("the mark `{name}`, which no session keeps"),
        LossKind::Snapshot(what) => format!("a part of the snapshot: {what}"),
    };
    let became = match loss.became {
        Substitute::Verdict(Kind::Continue) => "the agent may stop, and hears no reason".to_owned(),
        Substitute::Verdict(kind) => format!("it became `{}`", kind.as_str()),
        Substitute::Injection => "it was told to the model".to_owned(),
        Substitute::Notice => "it was told to the person".to_owned(),
        Substitute::Later => "it waits for the session's next event that can".to_owned(),
        Substitute::Default => "the host decides for itself".to_owned(),
        Substitute::Nothing => "nothing was said".to_owned(),
    };
    match loss.text.as_ref().map(text_of) {
        Some(text) => format!("{what}: {became}: {text}"),
        None => format!("{what}: {became}"),
    }
}

/// Says which field a hook rewrote, and its new value, cut to 300 characters.
pub fn rewritten(rewrite: &Rewrite) -> String {
    match &rewrite.value {
        None => format!("{} = nothing", rewrite.field),
        Some(value) => format!("{} = {}", rewrite.field, short(&value_of(value), 300)),
    }
}

/// Shows the one telling value of a tool's input, if it has one, else all of it.
fn value_of(value: &Datum) -> String {
    let json = value.json();
    let telling = json
        .get("command")
        .or_else(|| json.get("file_path"))
        .and_then(serde_json::Value::as_str);
    telling.map_or_else(|| json.to_string(), str::to_owned)
}
