//! Writing a result as Gemini CLI reads it: exit 0 and one JSON document, or nothing at all on either stream.

use anyhook_core::can::Can;
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

use super::payloads::{self, words};
use super::rows::{Deny, Row};
use super::{ID, TOOLS, find};
use crate::answer::{NO_REASON, Written, given, notices};
use crate::{NativeEvent, Overlooked, Reply, payload};

/// Arguments that only tell what a call is for: it does the same whether they are there or not.
const INERT: &[&str] = &["description", "instruction"];

/// Writes a fitted result.
pub(super) fn reply(row: &Row, event: &Event, result: &HookResult) -> Reply {
    let mut answer = Writing {
        row,
        can: &row.native.can,
        event,
        result,
        says: Written::default(),
        replaced: None,
    };
    answer.verdict();
    answer.rewrites();
    answer.texts();
    answer.natives();
    answer.finish()
}

/// Refuses an event that could not be read. Where nothing can be refused, nothing is said.
pub(super) fn refusal(native: &NativeEvent, reason: &str) -> Reply {
    let is_refusable = |row: &&Row| row.native.is_gate() && native.can.says(Kind::Deny);
    let Some(row) = find(native.name).filter(is_refusable) else {
        return Reply::default();
    };
    let event = Event::new(native.event, Map::new());
    reply(row, &event, &HookResult::deny(reason))
}

/// Finds new arguments that the host would not take as they are.
pub(super) fn overlooks(row: &Row, event: &Event, result: &HookResult) -> Option<Overlooked> {
    if row.deny != Deny::Refuses || result.verdict.kind() >= Kind::Deny {
        return None;
    }
    row.native.can.rewrite.iter().find_map(|field| {
        let value = result.effects.rewrite(field)?.value.as_ref()?;
        let why = taken(event, field, value).err()?;
        Some(Overlooked {
            field: (*field).to_owned(),
            why,
        })
    })
}

/// Returns new arguments, all of them, by their names here. The host may keep an argument that is not named, so one that a
/// hook took away would come back: then they are an error, and so are some that are no object.
fn taken(event: &Event, field: &str, value: &Datum) -> Result<Map, String> {
    let value = value.json();
    let whole = match field {
        "tool_input" => payload::native_input(event, ID, &TOOLS, value),
        _ => value,
    };
    let Value::Object(mut whole) = whole else {
        return Err(format!(
            "a hook changed `{field}` to something that is no object"
        ));
    };
    let mut own = payload::fields(event, ID, &TOOLS);
    payloads::lower(event, None, &mut own);
    let old = own.get(field).and_then(Value::as_object);
    if let Some(old) = old {
        payloads::unaddressed(&mut whole, old);
    }
    let missing: Vec<String> = old
        .into_iter()
        .flat_map(Map::keys)
        .filter(|key| !whole.contains_key(*key) && !INERT.contains(&&***key))
        .map(|key| format!("`{key}`"))
        .collect();
    if missing.is_empty() {
        return Ok(whole);
    }
    Err(format!(
        "A hook took {} out of `{field}`, and Gemini CLI might put it back. Try again with: {}",
        missing.join(", "),
        Value::Object(whole)
    ))
}

struct Writing<'a> {
    row: &'a Row,
    can: &'a Can,
    event: &'a Event,
    result: &'a HookResult,
    says: Written,
    /// The text that takes the place of the tool's result.
    replaced: Option<String>,
}

impl Writing<'_> {
    fn verdict(&mut self) {
        let text = self.result.verdict.text();
        match &self.result.verdict {
            Verdict::Continue | Verdict::Allow { .. } => {}
            Verdict::Ask { .. } | Verdict::Deny { .. } => self.refuse(&text),
            Verdict::Halt { .. } => self.halt(&text),
        }
    }

    fn refuse(&mut self, reason: &str) {
        if self.row.deny == Deny::Refuses {
            self.deny(reason, NO_REASON);
        }
    }

    fn deny(&mut self, reason: &str, otherwise: &str) {
        let reason = if reason.is_empty() { otherwise } else { reason };
        self.says.say("decision", "deny");
        self.says.say("reason", reason);
    }

    /// The agent stops; and what it was about to do is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        let halts = self.can.says(Kind::Halt);
        if halts {
            self.says.say("continue", false);
            self.says.say("stopReason", given(reason));
        }
        if self.row.native.is_gate() || !halts {
            self.refuse(reason);
        }
    }

    fn rewrites(&mut self) {
        for field in self.can.rewrite {
            let rewrite = self.result.effects.rewrite(field);
            let Some(value) = rewrite.and_then(|rewrite| rewrite.value.as_ref()) else {
                continue;
            };
            match self.row.deny {
                Deny::Replaces => self.replace(&value.json()),
                Deny::Refuses | Deny::Nothing if self.result.verdict.kind() >= Kind::Deny => {}
                Deny::Refuses | Deny::Nothing => self.update(field, value),
            }
        }
    }

    fn replace(&mut self, value: &Value) {
        let text = words(value);
        self.deny(&text, "a hook took the output away");
        self.replaced = Some(text);
    }

    fn update(&mut self, field: &str, value: &Datum) {
        match taken(self.event, field, value) {
            Ok(whole) => self.says.within(field, whole),
            Err(why) => self.refuse(&why),
        }
    }

    fn texts(&mut self) {
        let effects = &self.result.effects;
        if self.can.inject.is_some() {
            let said = effects.inject().iter().map(|said| &*said.text);
            let texts: Vec<&str> = said
                .filter(|text| self.replaced.as_deref() != Some(*text))
                .collect();
            if !texts.is_empty() {
                self.says.within("additionalContext", texts.join("\n\n"));
            }
        }
        if let Some(text) = notices(self.can, self.result) {
            self.says.say("systemMessage", text);
        }
        let hides = effects.get().is_some_and(|given| given.suppress_output);
        if hides && self.row.deny != Deny::Nothing {
            self.says.say("suppressOutput", true);
        }
    }

    /// Answers that only this host has, each on the events that have it. An answer in the model's place counts beside a
    /// refusal only, and makes none.
    fn natives(&mut self) {
        let natives = self.result.effects.native().iter();
        for native in natives.filter(|native| native.wire == ID) {
            for name in self.row.natives {
                if let Some(value) = native.fields.get(*name) {
                    self.says.within(name, value.clone());
                }
            }
        }
    }

    fn finish(self) -> Reply {
        self.says.reply(self.row.native.name)
    }
}
