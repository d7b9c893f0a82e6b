//! Counting what the record holds.

use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::time::Duration;

use anyhook_core::ports::StoreError;
use anyhook_core::report::{Report, Step, StepOutcome};
use anyhook_core::result::{HookResult, Kind};
use anyhook_engine::stores::{Filter, Jsonl};
use serde::{Serialize, Serializer};

use super::day;

/// The events of a day, an agent or a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct EventCounts {
    /// All of them.
    pub events: u64,
    /// Those that were refused.
    pub refused: u64,
}

/// What a hook did.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct HookCounts {
    /// How often it said something.
    pub answered: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Questions.
    pub asked: u64,
    /// How often it would have refused in shadow mode.
    #[serde(rename = "would_refuse")]
    pub would: u64,
    /// Failures.
    pub faults: u64,
    /// How often it was asked at all.
    pub looked: u64,
    /// How long its answers took.
    #[serde(rename = "p50_p95_p99_us")]
    pub times: Times,
}

impl HookCounts {
    /// Tells whether it was never asked about an event.
    pub fn is_idle(&self) -> bool {
        self.looked == 0
    }
}

/// How often something took so many microseconds, rounded.
///
/// ```
/// use std::time::Duration;
///
/// let mut times = anyhook_care::record::Times::default();
/// (1..=100).for_each(|time| times.add(Duration::from_micros(time)));
/// assert_eq!((times.count(), times.percentiles()), (100, [50, 95, 99]));
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Times(BTreeMap<u32, u64>);

impl Times {
    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        *self.0.entry(rounded(time)).or_default() += 1;
    }

    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the time within which half, 95 and 99 of a hundred stayed, in microseconds: at most one in a hundred too
    /// short.
    pub fn percentiles(&self) -> [u32; 3] {
        let all = self.count();
        [50, 95, 99].map(|part| {
            let wanted = (all * part).div_ceil(100);
            let mut reached = 0;
            let mut times = self.0.iter();
            let found = times.find(|(_, count)| {
                reached += **count;
                reached >= wanted
            });
            found.map(|(time, _)| *time).unwrap_or_default()
        })
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.percentiles().serialize(to)
    }
}

/// Keeps the first eight bits of a time in microseconds: so there are some hundred times and not a million.
fn rounded(time: Duration) -> u32 {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    let less = (u32::BITS - micros.leading_zeros()).saturating_sub(8);
    (micros >> less) << less
}

/// What was counted.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All of them.
    pub events: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Questions.
    pub asked: u64,
    /// Questions that the host put, after which the call ran.
    #[serde(rename = "answered_yes")]
    pub yes: u64,
    /// Failures.
    pub faults: u64,
    /// Calls of transcripts, which are not among the events.
    pub imported: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// By day of UTC.
    pub days: BTreeMap<String, EventCounts>,
    /// By agent.
    pub hosts: BTreeMap<String, EventCounts>,
    /// By project.
    pub projects: BTreeMap<String, EventCounts>,
    /// By hook.
    pub hooks: BTreeMap<String, HookCounts>,
    /// The calls that were asked about, and those that ran: hashes of session and call.
    #[serde(skip)]
    questions: HashSet<u64>,
    #[serde(skip)]
    ran: HashSet<u64>,
}

/// Counts the records of a store that fit a filter, but for its texts.
pub fn count(store: &Jsonl, wanted: &Filter) -> Result<Counts, StoreError> {
    let mut all = Counts::default();
    store.lines(&mut |line| all.line(line, wanted))?;
    all.yes = all.questions.intersection(&all.ran).count() as u64;
    Ok(all)
}

impl Counts {
    fn line(&mut self, line: &[u8], wanted: &Filter) {
        match serde_json::from_slice::<Report>(line) {
            Ok(record) if wanted.takes(&record) => self.record(&record),
            Ok(_) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    fn record(&mut self, record: &Report) {
        if record.imported().is_some() {
            self.imported += 1;
            return;
        }
        self.events += 1;
        let refused = u64::from(is_refusal(record.answer()));
        self.refused += refused;
        let project = record.action.as_ref();
        let project = project.and_then(|action| action.project.as_deref());
        let day = day(record.at.unwrap_or_default());
        let tallies = [
            tally(&mut self.days, &day),
            tally(&mut self.hosts, &record.event.host),
            tally(&mut self.projects, project.unwrap_or_default()),
        ];
        for tally in tallies.into_iter().flatten() {
            tally.events += 1;
            tally.refused += refused;
        }
        self.questions(record);
        for hook in record.hooks.iter() {
            if !self.hooks.contains_key(&*hook.name) {
                self.hooks
                    .insert(hook.name.to_string(), HookCounts::default());
            }
        }
        for step in &record.steps {
            self.step(record, step);
        }
    }

    /// Notes a question, and what the agent told afterwards: a call that ran was approved.
    fn questions(&mut self, record: &Report) {
        let asks = record.result.verdict.kind() == Kind::Ask;
        self.asked += u64::from(asks);
        let ran = matches!(record.event.name.as_str(), "tool:post" | "tool:error");
        let action = record.action.as_ref();
        let call = action.and_then(|action| action.text("tool_use_id"));
        if let (Some(session), Some(call), true) =
            (record.event.session.as_deref(), call, asks || ran)
        {
            let calls = if asks {
                &mut self.questions
            } else {
                &mut self.ran
            };
            let mut hasher = std::hash::DefaultHasher::new();
            (session, call).hash(&mut hasher);
            calls.insert(hasher.finish());
        }
    }

    fn step(&mut self, record: &Report, step: &Step) {
        let hook = record.hook(step.hook);
        let Some(hook) = hook.and_then(|hook| self.hooks.get_mut(&*hook.name)) else {
            return;
        };
        match &step.became {
            StepOutcome::Said(said) => {
                let said = said.as_deref();
                hook.answered += u64::from(said.is_some());
                hook.refused += u64::from(said.is_some_and(is_refusal));
                hook.asked += u64::from(said.is_some_and(|said| said.verdict.kind() == Kind::Ask));
            }
            StepOutcome::Would(would) => hook.would += u64::from(is_refusal(would)),
            StepOutcome::Failed { .. } => {
                hook.faults += 1;
                self.faults += 1;
            }
            StepOutcome::NotAsked(_) => return,
        }
        hook.looked += 1;
        hook.times.add(step.took.unwrap_or_default());
    }
}

/// Returns the tally of a name, without a copy of the name where it is known; none for no name.
fn tally<'t>(
    all: &'t mut BTreeMap<String, EventCounts>,
    name: &str,
) -> Option<&'t mut EventCounts> {
    if name.is_empty() {
        return None;
    }
    if !all.contains_key(name) {
        all.insert(name.to_owned(), EventCounts::default());
    }
    all.get_mut(name)
}

fn is_refusal(said: &HookResult) -> bool {
    matches!(said.verdict.kind(), Kind::Deny | Kind::Halt)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(at: i64, event: &str, said: &HookResult, took: u64) -> String {
        let hook = |name| json!({"name": name, "priority": 0, "guard": false, "shadow": false});
        let value = json!({
            "version": 1, "id": "a", "at": at, "result": said,
            "event": {"name": event, "host": "codex-cli", "session": "s"},
            "hooks": [hook("lint"), hook("idle")],
            "steps": [{"hook": 0, "became": {"said": said}, "took_us": took}, {"hook": 1, "became": {"not_asked": "no_match"}}],
            "action": {"project": "/shop", "data": {"tool_use_id": "c1", "x": [1]}},
        });
        value.to_string()
    }

    #[test]
    fn refusals_questions_and_times_are_counted_by_day_agent_project_and_hook() {
        let mut one = Counts::default();
        let wanted = Filter {
            since: Some(5),
            ..Filter::default()
        };
        for took in 1..=99 {
            one.line(
                record(86_400_000, "tool:pre", &HookResult::deny("no"), took).as_bytes(),
                &wanted,
            );
        }
        one.line(
            record(4, "tool:pre", &HookResult::deny("no"), 7).as_bytes(),
            &wanted,
        );
        one.line(
            record(5, "tool:pre", &HookResult::ask("?"), 100).as_bytes(),
            &wanted,
        );
        one.line(
            record(6, "tool:post", &HookResult::default(), 0).as_bytes(),
            &wanted,
        );
        one.line(b"{\"version\":", &wanted);
        assert_eq!(
            (one.events, one.refused, one.asked, one.unreadable),
            (101, 99, 1, 1)
        );
        assert_eq!(
            one.questions.intersection(&one.ran).count(),
            1,
            "the call that was asked about ran"
        );
        assert_eq!(
            one.projects["/shop"],
            EventCounts {
                events: 101,
                refused: 99
            }
        );
        assert_eq!(
            (day(0), day(86_400_000)),
            ("1970-01-01".into(), "1970-01-02".into())
        );
        let lint = &one.hooks["lint"];
        assert_eq!(
            (lint.refused, lint.asked, lint.times.percentiles()),
            (99, 1, [50, 95, 99])
        );
        assert!(one.hooks["idle"].is_idle());
    }
}
