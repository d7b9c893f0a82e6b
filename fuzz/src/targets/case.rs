//! Every payload of the corpus, read by its host; and the first line of an input, which names one.

use std::fs;
use std::sync::LazyLock;

use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Kind};
use anyhook::core::taxonomy::Class;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::{Host, HostRow, Neutral, Reply, fitted};
use anyhook_readers::{Answer, Behaviour, Gravity, reader};
use serde_json::{Value, json};

use crate::corpus::{files, root};

/// One payload of one host.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) wire: &'static Host,
    pub(super) native: String,
    pub(super) payload: Value,
    pub(super) event: Event,
}

/// One payload of every event of every host.
pub(super) static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases: Vec<Case> = Vec::new();
    for (wire, native, payload) in payloads() {
        let is_known = |case: &Case| case.wire.id() == wire.id() && case.native == native;
        let bytes = payload.to_string();
        let Ok(event) = wire.read_event(bytes.as_bytes(), Some(&native)) else {
            panic!("{} cannot read its own {native}", wire.id());
        };
        if !cases.iter().any(is_known) {
            cases.push(Case {
                wire,
                native,
                payload,
                event,
            });
        }
    }
    assert!(cases.len() > 150, "{} cases", cases.len());
    cases
});

/// Every payload of the corpus: of which host, of which event of it.
pub(super) fn payloads() -> Vec<(&'static Host, String, Value)> {
    let mut all = Vec::new();
    for wire in HOSTS {
        let own = files(format!("fixtures/hosts/{}", wire.id())).into_iter();
        for file in own.filter(|file| {
            !file
                .components()
                .any(|part| part.as_os_str() == "responses")
        }) {
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let native = native_of(wire, &stem).to_owned();
            let bytes = fs::read(&file).unwrap_or_default();
            let payloads: Vec<Value> = serde_json::from_slice(&bytes).unwrap_or_default();
            all.extend(
                payloads
                    .into_iter()
                    .map(|payload| (*wire, native.clone(), payload)),
            );
        }
        // An Amplifier loop sends the canonical events themselves.
        if wire.id() == "amplifier" {
            for row in wire.rows() {
                let file = format!("fixtures/events/{}.json", row.name.replace(':', "."));
                let bytes = fs::read(root().join(file)).unwrap_or_default();
                let data: Value = serde_json::from_slice(&bytes).unwrap_or_else(|_| json!({}));
                all.push((
                    *wire,
                    row.name.to_owned(),
                    json!({"event": row.name, "data": data}),
                ));
            }
        }
    }
    all
}

/// The event of a fixture by its name, behind which a point may say which one of several it is. Some events have points of their
/// own.
pub(super) fn native_of<'s>(wire: &Host, stem: &'s str) -> &'s str {
    let shorter = |stem: &&'s str| Some(stem.rsplit_once('.')?.0);
    let mut stems = std::iter::successors(Some(stem), shorter);
    let named = stems.find(|stem| wire.row(stem).is_some());
    named.unwrap_or_else(|| stem.split('.').next().unwrap_or_default())
}

/// The words of the first line, and everything behind it.
pub(super) fn head(bytes: &[u8]) -> (Vec<String>, &[u8]) {
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len());
    let line = bytes.get(..end).unwrap_or_default();
    let words = String::from_utf8_lossy(line)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    (words, bytes.get(end + 1..).unwrap_or_default())
}

/// A number for a word, so that every word chooses something.
pub(super) fn number(word: &str) -> usize {
    word.bytes().fold(7, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(byte))
    })
}

/// The host of this name; of another name, or of one that no reader judges, some host that has a reader.
pub(super) fn wire(name: &str) -> &'static Host {
    let judged = || HOSTS.iter().filter(|host| reader(host.id()).is_some());
    let some = judged()
        .nth(number(name) % judged().count().max(1))
        .copied();
    anyhook::wires::host(name)
        .filter(|host| reader(host.id()).is_some())
        .or(some)
        .unwrap_or(&anyhook::wires::hosts::universal::UNIVERSAL)
}

impl Case {
    /// The case of a host and an event; of other words, some case of that host.
    pub(super) fn of(wire: &'static Host, native: &str) -> &'static Self {
        let own: Vec<&Self> = CASES
            .iter()
            .filter(|case| case.wire.id() == wire.id())
            .collect();
        let some = own.get(number(native) % own.len().max(1)).copied();
        let named = own.iter().find(|case| case.native == native).copied();
        named
            .or(some)
            .unwrap_or_else(|| panic!("{} has no payload", wire.id()))
    }

    /// What the host does with an answer, by the reader that shares no code with us.
    pub(super) fn reads(&self, stdout: &[u8], stderr: &[u8], exit: i32) -> Behaviour {
        let host =
            reader(self.wire.id()).unwrap_or_else(|| panic!("{} has no reader", self.wire.id()));
        host.reads(&Answer {
            event: &self.native,
            payload: &self.payload,
            stdout,
            stderr,
            exit,
        })
    }

    /// Says a result to the host and lets it judge: what was meant is never softened, and nothing is approved that no person
    /// allowed.
    pub(super) fn judge(&self, meant: HookResult) {
        let class = self.event.name.class();
        let can = self.wire.can(&self.event);
        let (said, _) = fitted(self.wire, &self.event, meant, &can);
        let reply = self.wire.write_result(&self.event, &said);
        let Reply {
            stdout,
            stderr,
            exit,
        } = &reply;
        let done = self.reads(stdout.as_bytes(), stderr.as_bytes(), i32::from(*exit));
        let what = format!(
            "{} {}\n{said:#?}\n{reply:?}\n{done:?}",
            self.wire.id(),
            self.native
        );
        let row = self.wire.row(&self.native);
        let least = match row.map_or(Neutral::Silent, HostRow::neutral) {
            Neutral::Silent => Gravity::Nothing,
            Neutral::Allow => Gravity::Allow,
        };
        let gate = matches!(class, Class::Gate | Class::Continuation);
        let kind = said.verdict.kind();
        let holds = match kind {
            Kind::Continue => !said.effects.patch().is_empty() || done.gravity() >= least,
            Kind::Allow => can.says(Kind::Allow) || !said.effects.patch().is_empty(),
            Kind::Ask => done.gravity() >= Gravity::Ask,
            Kind::Deny | Kind::Halt => {
                // A continuation that is halted really stops.
                let stops = kind == Kind::Halt && class == Class::Continuation;
                let is_free = stops || !gate || !can.says(Kind::Deny);
                is_free || done.gravity() >= Gravity::Refuse
            }
        };
        assert!(holds, "{what}");
    }
}
