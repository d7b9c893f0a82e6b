//! Taking the known fields out of an answer, one by one.

use anyhook_core::event::{Event, Map};
use anyhook_core::question::{Answerer, Question};
use anyhook_core::result::{HookResult, Kind};
use serde_json::Value;

use super::{NO_REASON, Nesting, ParsedAnswer, SPECIFIC};
use crate::json;

const NO_QUESTION: &str = "A hook wants a person to approve this.";

/// Reads an answer.
pub(crate) fn read(mut top: Map, event: &Event, place: Nesting) -> ParsedAnswer {
    let mut reading = AnswerReader {
        event,
        answer: ParsedAnswer {
            reason: super::reason(&top),
            ..ParsedAnswer::default()
        },
        words: Vec::new(),
    };
    let nested = object(&mut top, SPECIFIC, &mut reading.answer.problems);
    reading.answer.is_nested = nested.is_some();
    let mut nested = nested.unwrap_or_default();
    reading.answer.names = text(&mut nested, "hookEventName", &mut reading.answer.problems);
    reading.specific(&mut nested);
    if place == Nesting::Anywhere {
        reading.specific(&mut top);
    } else {
        reading.decision(&mut top);
    }
    reading.common(&mut top);
    if !nested.is_empty() {
        top.insert(SPECIFIC.to_owned(), Value::Object(nested));
    }
    reading.answer.rest = top;
    reading.answer
}

/// A decision that was read, and the reason that stood beside it.
struct AnswerDecision {
    kind: Kind,
    who: Answerer,
    reason: Option<String>,
}

struct AnswerReader<'a> {
    event: &'a Event,
    answer: ParsedAnswer,
    words: Vec<AnswerDecision>,
}

impl AnswerReader<'_> {
    fn say(&mut self, more: impl FnOnce(HookResult) -> HookResult) {
        self.answer.result = more(std::mem::take(&mut self.answer.result));
    }

    /// Takes the fields that belong to one event.
    fn specific(&mut self, map: &mut Map) {
        let reason = text(map, "permissionDecisionReason", &mut self.answer.problems);
        if let Some(value) = taken(map, "permissionDecision") {
            self.word("permissionDecision", &value, reason);
        }
        self.decision(map);
        if let Some(input) = object(map, "updatedInput", &mut self.answer.problems) {
            self.updated_input(input);
        }
        for key in ["updatedToolOutput", "updatedMCPToolOutput"] {
            if let Some(output) = taken(map, key) {
                self.say(|result| result.modify("tool_result", output));
            }
        }
        if let Some(text) = text(map, "additionalContext", &mut self.answer.problems) {
            self.say(|result| result.inject(text));
        }
    }

    /// Takes a decision: a word, or an object with a behaviour.
    fn decision(&mut self, map: &mut Map) {
        match taken(map, "decision") {
            None => {}
            Some(Value::Object(mut decision)) => {
                let reason = text(&mut decision, "message", &mut self.answer.problems);
                match decision.shift_remove("behavior") {
                    Some(value) => self.word("decision.behavior", &value, reason),
                    None => self
                        .answer
                        .problems
                        .push("`decision` has no `behavior`".to_owned()),
                }
                if let Some(input) =
                    object(&mut decision, "updatedInput", &mut self.answer.problems)
                {
                    self.updated_input(input);
                }
                if !decision.is_empty() {
                    map.insert("decision".to_owned(), Value::Object(decision));
                }
            }
            Some(word) => {
                let reason = text(map, "reason", &mut self.answer.problems);
                self.word("decision", &word, reason);
            }
        }
    }

    fn word(&mut self, key: &str, value: &Value, reason: Option<String>) {
        let text = value.as_str().unwrap_or_default();
        let lower = text.trim().to_ascii_lowercase();
        let (kind, who) = match &*lower {
            "allow" | "approve" => (Kind::Allow, Answerer::Anyone),
            "ask" => (Kind::Ask, Answerer::Anyone),
            "defer" => (Kind::Ask, Answerer::Host),
            "deny" | "block" => (Kind::Deny, Answerer::Anyone),
            _ => {
                self.answer
                    .problems
                    .push(wrong(key, value, "allow, ask, deny or block"));
                return;
            }
        };
        if lower != text {
            self.answer
                .problems
                .push(wrong(key, value, "in lower case"));
        }
        self.words.push(AnswerDecision { kind, who, reason });
    }

    /// A rewritten input replaces the tool's arguments as a whole; on other events, the fields that it names.
    fn updated_input(&mut self, input: Map) {
        let mutable = self.event.name.mutable();
        if mutable.contains(&"tool_input") || self.event.name.spec().is_none() {
            self.say(|result| result.modify("tool_input", Value::Object(input)));
            return;
        }
        for (field, value) in input {
            if mutable.contains(&&*field) {
                self.say(|result| result.modify(field, value));
            } else {
                self.answer.problems.push(format!(
                    "`updatedInput` cannot change `{field}` on this event"
                ));
            }
        }
    }

    /// Takes what every event has, and folds the decisions.
    fn common(&mut self, top: &mut Map) {
        let goes_on = flag(top, "continue", &mut self.answer.problems);
        let stop = text(top, "stopReason", &mut self.answer.problems);
        let mut shared = text(top, "reason", &mut self.answer.problems);
        if flag(top, "suppressOutput", &mut self.answer.problems) == Some(true) {
            self.say(|mut result| {
                result.effects.edit().suppress_output = true;
                result
            });
        }
        let message = text(top, "systemMessage", &mut self.answer.problems);
        if let Some(text) = &message {
            self.say(|result| result.notify(text.as_str()));
        }
        let mut verdict = HookResult::proceed();
        for word in std::mem::take(&mut self.words) {
            // What a hook tells the person about its refusal is better than no reason.
            let restrains = word.kind >= Kind::Ask;
            let told = || message.clone().filter(|_| restrains);
            let reason = word.reason.or_else(|| shared.clone()).or_else(told);
            verdict = verdict.then(spoken(word.kind, word.who, reason));
        }
        if goes_on == Some(false) {
            let told = verdict.verdict.text();
            let told = Some(told).filter(|text| !text.is_empty());
            let reason = stop.or_else(|| shared.take()).or(told).or(message);
            verdict = verdict.then(HookResult::halt(reason.unwrap_or_else(no_reason)));
        }
        self.say(|result| verdict.then(result));
    }
}

/// Takes a field; one that is `null` is as good as absent.
pub(crate) fn taken(map: &mut Map, key: &str) -> Option<Value> {
    map.shift_remove(key).filter(|value| !value.is_null())
}

/// Takes an object.
pub(crate) fn object(map: &mut Map, key: &str, problems: &mut Vec<String>) -> Option<Map> {
    match taken(map, key)? {
        Value::Object(object) => Some(object),
        other => {
            problems.push(wrong(key, &other, "an object"));
            None
        }
    }
}

/// Takes a text; an empty one is none.
pub(crate) fn text(map: &mut Map, key: &str, problems: &mut Vec<String>) -> Option<String> {
    match taken(map, key)? {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        other => {
            problems.push(wrong(key, &other, "a string"));
            None
        }
    }
}

/// Takes a flag. A boolean in quotes is a problem, and is understood.
pub(crate) fn flag(map: &mut Map, key: &str, problems: &mut Vec<String>) -> Option<bool> {
    match taken(map, key)? {
        Value::Bool(flag) => Some(flag),
        other => {
            problems.push(wrong(key, &other, "true or false"));
            other.as_str().and_then(|text| text.parse().ok())
        }
    }
}

/// Says what a field holds, and what it must be.
pub(crate) fn wrong(key: &str, value: &Value, wanted: &str) -> String {
    let (found, shown) = (json::kind(value), shown(value));
    format!("`{key}` must be {wanted}, and is {found}: `{shown}`")
}

/// Writes a value, and of a long one the beginning.
pub(crate) fn shown(value: &Value) -> String {
    let whole = value.to_string();
    let mut shown: String = whole.chars().take(80).collect();
    if shown.len() < whole.len() {
        shown.push('…');
    }
    shown
}

fn no_reason() -> String {
    NO_REASON.to_owned()
}

fn spoken(kind: Kind, who: Answerer, reason: Option<String>) -> HookResult {
    match kind {
        Kind::Continue => HookResult::proceed(),
        Kind::Allow => HookResult::allow_because(reason.unwrap_or_default()),
        Kind::Ask => {
            let prompt = reason.unwrap_or_else(|| NO_QUESTION.to_owned());
            let mut question = Question::new(prompt);
            question.who = who;
            HookResult::asks(question)
        }
        Kind::Deny => HookResult::deny(reason.unwrap_or_else(no_reason)),
        Kind::Halt => HookResult::halt(reason.unwrap_or_else(no_reason)),
    }
}
