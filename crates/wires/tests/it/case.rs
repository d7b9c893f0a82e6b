//! One payload of one host, read: what is said to it, and what the host does with that.

use std::fmt::{self, Debug, Formatter};

use anyhook_core::effects::{Injection, Notice};
use anyhook_core::event::{Datum, Event};
use anyhook_core::fit::Loss;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Behaviour, reader};
use anyhook_wires::{Host, Reply, fitted, host};
use proptest::prelude::*;
use serde_json::Value;

use crate::fixtures::{ended, payloads};

#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) wire: &'static Host,
    pub(crate) native: String,
    pub(crate) payload: Value,
    pub(crate) event: Event,
}

impl Debug for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what())
    }
}

impl Case {
    pub(crate) fn new(id: &str, native: &str, payload: Value) -> Self {
        let wire = host(id).unwrap();
        let event = wire.read_event(payload.to_string().as_bytes(), Some(native));
        Self {
            wire,
            native: native.to_owned(),
            event: event.unwrap_or_else(|why| panic!("{id} {native}: {why}")),
            payload,
        }
    }

    /// Every payload of a host's corpus.
    pub(crate) fn all(id: &str) -> Vec<Self> {
        let all = payloads(id).into_iter();
        all.map(|(native, payload)| Self::new(id, &native, payload))
            .collect()
    }

    /// The first payload of each event of a host.
    pub(crate) fn firsts(id: &str) -> Vec<Self> {
        let mut all = Self::all(id);
        all.dedup_by(|later, first| later.native == first.native);
        all
    }

    pub(crate) fn first(id: &str, native: &str) -> Self {
        Self::such(id, native, |_| true)
    }

    /// The first payload of an event that is such a one.
    pub(crate) fn such(id: &str, native: &str, is_it: impl Fn(&Value) -> bool) -> Self {
        let mut all = payloads(id).into_iter();
        let found = all.find(|(name, payload)| name == native && is_it(payload));
        let (_, payload) = found.unwrap_or_else(|| panic!("{id} {native} has no such payload"));
        Self::new(id, native, payload)
    }

    pub(crate) fn what(&self) -> String {
        format!("{} {} {}", self.wire.id(), self.native, self.payload)
    }

    /// What we hear in what a hook of this host left behind.
    pub(crate) fn hears(&self, raw: &Transcript) -> HandlerResult {
        self.wire.read_as(raw, &self.event, &self.native)
    }

    /// What is said, once it is fitted, and what was lost.
    pub(crate) fn says(&self, meant: HookResult) -> (HookResult, Reply, Vec<Loss>) {
        let can = self.wire.can(&self.event);
        let (said, losses) = fitted(self.wire, &self.event, meant, &can);
        let reply = self.wire.write_result(&self.event, &said);
        (said, reply, losses)
    }

    /// What is said, as JSON, and what the host's reader does with it.
    pub(crate) fn told(&self, meant: HookResult) -> (Value, Behaviour) {
        let (_, reply, _) = self.says(meant);
        assert_eq!((reply.exit, &*reply.stderr), (0, ""), "{}", self.what());
        let answer = serde_json::from_str(&reply.stdout).unwrap_or_default();
        (answer, self.does(&left(&reply)))
    }

    /// What the host's reader does with what a process left behind.
    pub(crate) fn does(&self, raw: &Transcript) -> Behaviour {
        let End::Code(exit) = raw.end else {
            unreachable!("a process that ended");
        };
        reader(self.wire.id()).unwrap().reads(&Answer {
            event: &self.native,
            payload: &self.payload,
            stdout: &raw.stdout.kept,
            stderr: &raw.stderr.kept,
            exit,
        })
    }
}

/// An answer of ours as what a process left behind.
pub(crate) fn left(reply: &Reply) -> Transcript {
    ended(i32::from(reply.exit), &reply.stdout, &reply.stderr)
}

/// One result that hooks could come to, whose reason is of this form, with texts for the model and for the person.
pub(crate) fn results(reason: &'static str) -> impl Strategy<Value = HookResult> {
    let texts = || proptest::collection::vec("[a-zß🛒\"\\\\\n{}][a-z ]{0,12}", 0..3);
    let said = (0..5_u8, reason, texts(), texts());
    said.prop_map(|(verdict, reason, inject, notify)| {
        let result = match verdict {
            0 => HookResult::proceed(),
            1 => HookResult::allow_because(reason),
            2 => HookResult::ask(reason),
            3 => HookResult::deny(reason),
            _ => HookResult::halt(reason),
        };
        let told = inject.into_iter().map(Injection::new);
        let result = told.fold(result, HookResult::injecting);
        let shown = notify.into_iter().map(Notice::new);
        shown.fold(result, HookResult::notifying)
    })
}

/// What a result puts in the place of a field.
pub(crate) fn value(result: &HookResult, field: &str) -> Option<Value> {
    let rewrite = result.effects.rewrite(field)?;
    rewrite.value.as_ref().map(Datum::json)
}

/// What a result tells the model and the person.
pub(crate) fn texts(result: &HookResult) -> (String, String) {
    let (inject, notify) = (result.effects.inject(), result.effects.notify());
    let inject: Vec<&str> = inject.iter().map(|one| &*one.text).collect();
    let notify: Vec<&str> = notify.iter().map(|one| &*one.text).collect();
    (inject.join("\n\n"), notify.join("\n"))
}

/// What the reader of a host says that the host does, in a line: what is empty is left out.
pub(crate) fn deeds(done: &Behaviour) -> String {
    let mut parts = vec![format!("{:?}", done.gate)];
    let values = [("input", &done.input), ("result", &done.result)];
    parts.extend(
        values
            .iter()
            .filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))),
    );
    parts.extend(
        done.stops_agent
            .iter()
            .map(|text| format!("stops the agent: {text}")),
    );
    parts.extend(
        done.native
            .iter()
            .map(|(name, value)| format!("{name} {value}")),
    );
    let texts = [
        ("model sees", &done.model_sees),
        ("person sees", &done.person_sees),
        ("ignored", &done.ignored),
        ("errors", &done.errors),
    ];
    let texts = texts.iter().filter(|(_, texts)| !texts.is_empty());
    parts.extend(texts.map(|(name, texts)| format!("{name} {texts:?}")));
    parts.join(" | ")
}

/// What a result says, in a line.
pub(crate) fn words(said: &HookResult) -> String {
    let (verdict, effects) = (&said.verdict, &said.effects);
    let mut parts = vec![verdict.kind().as_str().to_owned(), verdict.text()];
    for rewrite in effects.patch() {
        let value = rewrite.value.as_ref().map(Datum::json).unwrap_or_default();
        parts.push(format!("{} = {value}", rewrite.field));
    }
    let (inject, notify) = (effects.inject().iter(), effects.notify().iter());
    parts.extend(inject.map(|one| format!("context {}", one.text)));
    parts.extend(notify.map(|one| format!("notice {}", one.text)));
    let natives = effects.native().iter();
    parts.extend(natives.map(|one| format!("native {}", Value::Object(one.fields.clone()))));
    let hides = effects.get().is_some_and(|all| all.suppress_output);
    parts.extend(hides.then(|| "hidden".to_owned()));
    parts.retain(|part| !part.is_empty());
    parts.join(" | ")
}
