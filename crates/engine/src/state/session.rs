//! The kept state of one session, and its size limits.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhook_core::effects::{Level, Notice};
use anyhook_core::fit::UndeliveredText;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use serde::{Deserialize, Serialize};

use super::turn::{PendingHalt, TurnState};
use super::{Approval, FLIGHT, ModelUsage, StateVersion, Tally, millis};
use crate::files;

const MOST_MARKS: usize = 4096;
const MOST_COUNTERS: usize = 1024;
const MOST_APPROVALS: usize = 256;
const MOST_ANSWERS: usize = 32;
const MOST_ANSWER_BYTES: usize = 256 * 1024;
const MOST_OUTBOX: usize = 64;
const MOST_OUTBOX_BYTES: usize = 64 * 1024;
const LONGEST_KEY: usize = 128;
const LONGEST_EVENT_MS: i64 = 600_000;

/// Everything that is kept of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// The version of this form.
    pub version: StateVersion,
    /// When something last happened that has a time.
    pub seen: i64,
    /// How many turns began.
    pub turn: u64,
    /// The hooks that had their one time, and when.
    pub once: BTreeMap<String, i64>,
    /// Whatever is counted.
    pub counters: BTreeMap<String, u64>,
    /// What was already said to the person, and when.
    pub said: BTreeMap<String, i64>,
    /// What an event could not say and a later one may.
    pub outbox: Vec<UndeliveredText>,
    /// How many texts did not fit into the outbox since it was last collected.
    pub outbox_refused: u64,
    /// The answers of the last two seconds.
    pub answers: Vec<FlightAnswer>,
    /// What a person approved for the session.
    pub approvals: Approvals,
    /// What the hooks of the session asked of a model.
    #[serde(skip_serializing_if = "is_default")]
    pub models: ModelUsage,
    /// The marks that its rules set, and the calls that it made.
    #[serde(skip_serializing_if = "is_default")]
    pub tally: Tally,
    /// The prompt that the turn is about.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) about: TurnState,
    /// A halt that the host was not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) halted: Option<PendingHalt>,
    /// How the files that guard were before git brought what it did not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) brought: Option<GuardFiles>,
    /// The folder of the project in which it began; no later event moves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
}

/// The files that guard, as they were before git brought what it did not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GuardFiles {
    /// The turn in which that began.
    pub(crate) turn: u64,
    /// The digest of each file; of one that was not there, nothing.
    pub(crate) files: BTreeMap<String, String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a person approved for the session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Approvals {
    /// Each approval, by what it is bound to.
    pub granted: BTreeMap<String, Approval>,
}

/// The answer that one event got, for another process with the very same event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlightAnswer {
    /// What happened, and which hooks were asked about it.
    pub key: String,
    /// When it was answered.
    pub at: i64,
    /// Who asked.
    pub asker: Asker,
    /// The other hosts that took this answer for their own telling of the event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
    /// What all hooks said together.
    pub result: HookResult,
}

/// Who asks about an event, and in which words.
///
/// An agent that reads another agent's hook files too fires one event twice, in both hosts' forms: then host and payload
/// differ, and it is one event all the same. But two payloads that differ may be two events: an agent with a shell can tell
/// one in another host's form, with other fields around the same tool call, and would hear Continue. So what lets a gate
/// event pass serves the very same payload only.
///
/// ```
/// use anyhook_engine::core::result::HookResult;
/// use anyhook_engine::core::taxonomy::Class;
/// use anyhook_engine::state::{Asker, FlightAnswer, SessionState};
///
/// let asker = |host: &str| Asker { host: host.into(), payload: host.into(), call: None };
/// let mut session = SessionState::default();
/// let mut heard = |result: HookResult| {
///     let (key, taken) = ("call 7".to_owned(), Vec::new());
///     session.remember(FlightAnswer { key, at: 0, asker: asker("claude-code"), taken, result });
///     let other = asker("cursor");
///     session.answer_for("call 7", &other, Class::Gate, 1)
/// };
/// assert!(heard(HookResult::deny("frozen")).is_some());
/// assert!(heard(HookResult::proceed()).is_none(), "another payload is judged by itself");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The host.
    pub host: String,
    /// The hash of the whole payload.
    pub payload: String,
    /// The host's own id of the call, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl FlightAnswer {
    /// Tells whether this answers what another process asks about an event of this class. The same host asks the same thing
    /// in the same words; another host tells each event once, so it takes an answer once.
    fn serves(&self, asker: &Asker, class: Class) -> bool {
        if self.asker.host == asker.host {
            return self.asker.payload == asker.payload;
        }
        let lets_pass = class == Class::Gate && self.result.verdict.kind() < Kind::Ask;
        let other_call = matches!((&self.asker.call, &asker.call), (Some(a), Some(b)) if a != b);
        !lets_pass && !other_call && !self.taken.contains(&asker.host)
    }
}

/// Something that happens once in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnceMark<'a> {
    /// A hook is asked.
    Once(&'a str),
    /// Something is said to the person.
    Said(&'a str),
}

impl SessionState {
    /// Tells whether this is the first time in the session, and marks it.
    ///
    /// Of more than 4,096 marks the oldest is forgotten: something said twice is better than a full disk.
    pub fn first(&mut self, mark: OnceMark<'_>, now: i64) -> bool {
        self.seen = self.seen.max(now);
        let (marks, key) = match mark {
            OnceMark::Once(key) => (&mut self.once, key),
            OnceMark::Said(key) => (&mut self.said, key),
        };
        let key = short(key);
        if marks.contains_key(&*key) {
            return false;
        }
        make_room(marks, MOST_MARKS, |at| *at);
        marks.insert(key.into_owned(), now);
        true
    }

    /// Counts one more, and returns how many that makes.
    ///
    /// Beyond 1,024 names the others share one counter, so a count may be too high and is never too low.
    pub fn count(&mut self, name: &str) -> u64 {
        let key = self.counter(name);
        let counter = self.counters.entry(key).or_default();
        *counter = counter.saturating_add(1);
        *counter
    }

    /// Sets a counter back to nothing.
    pub fn reset(&mut self, name: &str) {
        let key = self.counter(name);
        self.counters.remove(&key);
    }

    fn counter(&self, name: &str) -> String {
        let key = short(name);
        if self.counters.contains_key(&*key) || self.counters.len() < MOST_COUNTERS {
            key.into_owned()
        } else {
            "others".into()
        }
    }

    /// Takes the answer that the very same event got a moment before `now`.
    ///
    /// An answer may also be up to ten minutes younger than `now`: who waited for a flight took its time before that. Of the end
    /// of a turn it is always so: an agent that was sent on may want to stop again at once, in the very same words.
    pub fn answer_for(
        &mut self,
        key: &str,
        asker: &Asker,
        class: Class,
        now: i64,
    ) -> Option<HookResult> {
        let earliest = match class {
            Class::Continuation => now,
            _ => now.saturating_sub(millis(FLIGHT)),
        };
        let latest = now.saturating_add(LONGEST_EVENT_MS);
        let key = short(key);
        let found = self.answers.iter_mut().rev().find(|flight| {
            let in_time = (earliest..=latest).contains(&flight.at);
            flight.key == *key && in_time && flight.serves(asker, class)
        })?;
        if found.asker.host != asker.host {
            found.taken.push(asker.host.clone());
        }
        Some(found.result.clone())
    }

    /// Keeps an answer for two seconds; not one that is too large or too deep: the second process asks the hooks again.
    pub fn remember(&mut self, mut flight: FlightAnswer) {
        self.seen = self.seen.max(flight.at);
        flight.key = short(&flight.key).into_owned();
        let earliest = flight.at.saturating_sub(millis(FLIGHT));
        self.answers.retain(|old| {
            old.at >= earliest && (old.key != flight.key || old.asker.host != flight.asker.host)
        });
        if !survives(&flight) {
            return;
        }
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.remove(0);
        }
        self.answers.push(flight);
    }

    /// Remembers what a person approved for the session. Of more than 256 approvals the oldest is forgotten: it is asked
    /// about again. [`Approvals`] shows one.
    ///
    /// ```
    /// use anyhook_engine::approvals::Approval;
    /// use anyhook_engine::state::SessionState;
    ///
    /// let approval: Approval = serde_json::from_value(serde_json::json!({
    ///     "key": "5f2a90c1d7",
    ///     "about": {"host": "codex", "event": "tool:pre", "summary": "Bash git push"},
    ///     "hook": "careful",
    ///     "grants": "proceed",
    ///     "lasts": "session",
    ///     "at": 1000,
    /// }))?;
    /// let mut session = SessionState::default();
    /// session.approve(approval);
    /// assert_eq!((session.approvals.granted.len(), session.seen), (1, 1000));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn approve(&mut self, approval: Approval) {
        self.seen = self.seen.max(approval.at);
        let granted = &mut self.approvals.granted;
        if !granted.contains_key(&approval.key) {
            make_room(granted, MOST_APPROVALS, |approval| approval.at);
        }
        granted.insert(approval.key.clone(), approval);
    }

    /// Puts a text into the outbox, or gives it back where 64 texts or 64 KiB are already waiting.
    ///
    /// What is given back is for the caller to tell; [`Self::collect_outbox`] tells how many there were.
    pub fn post(&mut self, text: UndeliveredText) -> Result<(), UndeliveredText> {
        let waiting: usize = self.outbox.iter().map(weight).sum();
        if self.outbox.len() >= MOST_OUTBOX || waiting + weight(&text) > MOST_OUTBOX_BYTES {
            self.outbox_refused = self.outbox_refused.saturating_add(1);
            return Err(text);
        }
        self.outbox.push(text);
        Ok(())
    }

    /// Takes out what this event can say, the oldest first, and a notice about what did not fit if it can say notices.
    pub fn collect_outbox(
        &mut self,
        can: impl Fn(&UndeliveredText) -> bool,
    ) -> Vec<UndeliveredText> {
        let (mut now, later) = std::mem::take(&mut self.outbox).into_iter().partition(&can);
        self.outbox = later;
        if self.outbox_refused > 0 {
            let text = format!(
                "Anyhook: {} texts of hooks could not be kept for later, the outbox was full. `anyhook log` has them.",
                self.outbox_refused
            );
            let told = UndeliveredText::Notice(Notice::new(text).at(Level::Warning));
            if can(&told) {
                self.outbox_refused = 0;
                Vec::push(&mut now, told);
            }
        }
        now
    }
}

/// An answer that would not come back from a file as it went in would spoil the whole file: it is left out instead.
fn survives(flight: &FlightAnswer) -> bool {
    let alone = SessionState {
        answers: vec![flight.clone()],
        ..SessionState::default()
    };
    let Ok(bytes) = serde_json::to_vec(&alone) else {
        return false;
    };
    bytes.len() <= MOST_ANSWER_BYTES && serde_json::from_slice::<SessionState>(&bytes).is_ok()
}

fn weight(text: &UndeliveredText) -> usize {
    match text {
        UndeliveredText::Injection(injection) => {
            injection.text.len() + injection.name.as_ref().map_or(0, |name| name.len())
        }
        UndeliveredText::Notice(notice) => notice.text.len(),
    }
}

/// Long keys are kept as their hash, so that names do not fill the disk.
fn short(key: &str) -> Cow<'_, str> {
    if key.len() <= LONGEST_KEY {
        Cow::Borrowed(key)
    } else {
        Cow::Owned(format!("sha256:{}", files::name_of(&[key.as_bytes()])))
    }
}

fn make_room<T>(map: &mut BTreeMap<String, T>, most: usize, at: impl Fn(&T) -> i64) {
    while map.len() >= most {
        let oldest = map.iter().min_by_key(|(_, value)| at(value));
        let Some(key) = oldest.map(|(key, _)| key.clone()) else {
            return;
        };
        map.remove(&key);
    }
}

#[cfg(test)]
mod tests;
