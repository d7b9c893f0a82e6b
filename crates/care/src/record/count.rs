//! Counting: each record is read as little as the counts need, several files at a time.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use anyhook_core::ports::StoreError;
use anyhook_engine::stores::{Jsonl, lines_of, side_by_side, threads};
use serde::{Deserialize, Serialize};

/// Which records count.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Not before this moment, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Of this agent.
    pub host: Option<String>,
    /// In this folder or below it.
    pub project: Option<PathBuf>,
}

/// The events of a day, an agent or a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All of them.
    pub events: u64,
    /// Those that were refused.
    pub refused: u64,
}

/// What a hook did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OfHook {
    /// How often it said something.
    pub answered: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Questions.
    pub asked: u64,
    /// How often it would have refused in shadow mode.
    pub would: u64,
    /// Failures.
    pub faults: u64,
    /// How often it was asked at all.
    pub looked: u64,
    /// How often it took so many microseconds, rounded.
    times: BTreeMap<u32, u64>,
}

impl OfHook {
    /// Tells whether it was never asked about an event.
    pub fn is_idle(&self) -> bool {
        self.looked == 0
    }

    fn took(&mut self, micros: u64) {
        self.looked += 1;
        *self.times.entry(rounded(micros)).or_default() += 1;
    }

    fn join(&mut self, other: Self) {
        self.answered += other.answered;
        self.refused += other.refused;
        self.asked += other.asked;
        self.would += other.would;
        self.faults += other.faults;
        self.looked += other.looked;
        for (time, count) in other.times {
            *self.times.entry(time).or_default() += count;
        }
    }

    /// Returns the time in which half, 95 and 99 of a hundred of its answers came, in microseconds: at most one in a hundred
    /// too short.
    pub fn percentiles(&self) -> [u32; 3] {
        let all: u64 = self.times.values().sum();
        [50, 95, 99].map(|part| {
            let wanted = (all * part).div_ceil(100);
            let mut reached = 0;
            let mut times = self.times.iter();
            let found = times.find(|(_, count)| {
                reached += **count;
                reached >= wanted
            });
            found.map(|(time, _)| *time).unwrap_or_default()
        })
    }
}

/// Keeps the first eight bits of a time: so there are some hundred times and not a million.
fn rounded(micros: u64) -> u32 {
    let micros = u32::try_from(micros).unwrap_or(u32::MAX);
    let less = (u32::BITS - micros.leading_zeros()).saturating_sub(8);
    (micros >> less) << less
}

/// What was counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// All of them.
    pub events: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Questions.
    pub asked: u64,
    /// Questions that the host put, after which the call ran.
    pub yes: u64,
    /// Failures.
    pub faults: u64,
    /// Calls of transcripts, which are not among the events.
    pub imported: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// By day of UTC.
    pub days: BTreeMap<String, Tally>,
    /// By agent.
    pub hosts: BTreeMap<String, Tally>,
    /// By project.
    pub projects: BTreeMap<String, Tally>,
    /// By hook.
    pub hooks: BTreeMap<String, OfHook>,
    /// Days by their number since 1970, until they get a name.
    by_day: HashMap<i64, Tally>,
    /// The calls that were asked about, and those that ran: hashes of session and call.
    questions: HashSet<u64>,
    ran: HashSet<u64>,
}

/// As much of a record as is counted.
#[derive(Deserialize)]
struct Lean<'l> {
    at: Option<i64>,
    #[serde(borrow)]
    event: Event<'l>,
    #[serde(borrow)]
    result: Answer<'l>,
    #[serde(borrow)]
    said: Option<Answer<'l>>,
    #[serde(borrow)]
    hooks: Vec<Hook<'l>>,
    #[serde(borrow)]
    steps: Vec<Step<'l>>,
    #[serde(borrow)]
    action: Option<Action<'l>>,
}

#[derive(Deserialize)]
struct Event<'l> {
    #[serde(borrow)]
    name: Cow<'l, str>,
    #[serde(borrow, default)]
    host: Cow<'l, str>,
    #[serde(borrow)]
    session: Option<Cow<'l, str>>,
}

#[derive(Deserialize)]
struct Answer<'l> {
    #[serde(borrow)]
    verdict: Cow<'l, str>,
}

#[derive(Deserialize)]
struct Hook<'l> {
    #[serde(borrow)]
    name: Cow<'l, str>,
}

#[derive(Deserialize)]
struct Step<'l> {
    hook: usize,
    #[serde(borrow)]
    became: Became<'l>,
    took_us: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Became<'l> {
    #[serde(borrow)]
    Said(Option<Answer<'l>>),
    #[serde(borrow)]
    Would(Answer<'l>),
    Failed(serde::de::IgnoredAny),
    NotAsked(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Action<'l> {
    #[serde(borrow)]
    project: Option<Cow<'l, str>>,
    #[serde(borrow)]
    data: Data<'l>,
    imported: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Data<'l> {
    #[serde(borrow)]
    tool_use_id: Option<Cow<'l, str>>,
}

/// Counts all records of a store.
pub fn count(store: &Jsonl, wanted: &Wanted) -> Result<Counted, StoreError> {
    let segments = store.segments();
    let one = |path: &Path| {
        let mut counted = Counted::default();
        lines_of(path, &mut |line| counted.line(line, wanted))?;
        Ok(counted)
    };
    let mut all = Counted::default();
    for together in segments.chunks(threads()) {
        side_by_side(together, &one)?
            .into_iter()
            .for_each(|part| all.join(part));
    }
    all.yes = all.questions.intersection(&all.ran).count() as u64;
    for (day, tally) in std::mem::take(&mut all.by_day) {
        all.days.insert(named(day), tally);
    }
    Ok(all)
}

/// Names a day by its date; days are those of UTC.
fn named(day: i64) -> String {
    let at = jiff::Timestamp::from_second(day.saturating_mul(86_400)).unwrap_or_default();
    at.strftime("%Y-%m-%d").to_string()
}

impl Counted {
    fn line(&mut self, line: &[u8], wanted: &Wanted) {
        match serde_json::from_slice::<Lean<'_>>(line) {
            Ok(record) if record.is_wanted(wanted) => self.record(&record),
            Ok(_) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    fn record(&mut self, record: &Lean<'_>) {
        let action = record.action.as_ref();
        if action.is_some_and(|action| action.imported.is_some()) {
            self.imported += 1;
            return;
        }
        self.events += 1;
        let said = record.said.as_ref().unwrap_or(&record.result);
        let refused = u64::from(is_refusal(&said.verdict));
        self.refused += refused;
        let project = action.and_then(|action| action.project.as_deref());
        let day = record.at.unwrap_or_default().div_euclid(86_400_000);
        let tallies = [
            Some(self.by_day.entry(day).or_default()),
            tally(&mut self.hosts, &record.event.host),
            tally(&mut self.projects, project.unwrap_or_default()),
        ];
        for tally in tallies.into_iter().flatten() {
            tally.events += 1;
            tally.refused += refused;
        }
        self.questions(record);
        for hook in &record.hooks {
            if !self.hooks.contains_key(&*hook.name) {
                self.hooks.insert(hook.name.to_string(), OfHook::default());
            }
        }
        record.steps.iter().for_each(|step| self.step(record, step));
    }

    /// Notes a question, and what the agent told afterwards: a call that ran was approved.
    fn questions(&mut self, record: &Lean<'_>) {
        let asks = record.result.verdict == "ask";
        self.asked += u64::from(asks);
        let ran = matches!(&*record.event.name, "tool:post" | "tool:error");
        let call = record
            .action
            .as_ref()
            .and_then(|action| action.data.tool_use_id.as_deref());
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

    fn step(&mut self, record: &Lean<'_>, step: &Step<'_>) {
        let Some(hook) = record
            .hooks
            .get(step.hook)
            .and_then(|hook| self.hooks.get_mut(&*hook.name))
        else {
            return;
        };
        match &step.became {
            Became::Said(said) => {
                let verdict = said.as_ref().map(|said| &*said.verdict);
                hook.answered += u64::from(said.is_some());
                hook.refused += u64::from(verdict.is_some_and(is_refusal));
                hook.asked += u64::from(verdict == Some("ask"));
            }
            Became::Would(would) => hook.would += u64::from(is_refusal(&would.verdict)),
            Became::Failed(_) => {
                hook.faults += 1;
                self.faults += 1;
            }
            Became::NotAsked(_) => return,
        }
        hook.took(step.took_us.unwrap_or_default());
    }

    fn join(&mut self, other: Self) {
        self.events += other.events;
        self.refused += other.refused;
        self.asked += other.asked;
        self.faults += other.faults;
        self.imported += other.imported;
        self.unreadable += other.unreadable;
        self.questions.extend(other.questions);
        self.ran.extend(other.ran);
        let all = [
            (&mut self.hosts, other.hosts),
            (&mut self.projects, other.projects),
        ];
        for (into, from) in all {
            for (name, tally) in from {
                into.entry(name).or_default().add(tally);
            }
        }
        for (day, tally) in other.by_day {
            self.by_day.entry(day).or_default().add(tally);
        }
        for (name, hook) in other.hooks {
            self.hooks.entry(name).or_default().join(hook);
        }
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.events += other.events;
        self.refused += other.refused;
    }
}

impl Lean<'_> {
    fn is_wanted(&self, wanted: &Wanted) -> bool {
        let project = self
            .action
            .as_ref()
            .and_then(|action| action.project.as_deref());
        wanted
            .since
            .is_none_or(|since| self.at.is_some_and(|at| at >= since))
            && wanted
                .host
                .as_ref()
                .is_none_or(|host| self.event.host == **host)
            && wanted.project.as_ref().is_none_or(|folder| {
                project.is_some_and(|project| Path::new(project).starts_with(folder))
            })
    }
}

/// Returns the tally of a name, without a copy of the name where it is known; none for no name.
fn tally<'t>(all: &'t mut BTreeMap<String, Tally>, name: &str) -> Option<&'t mut Tally> {
    if name.is_empty() {
        return None;
    }
    if !all.contains_key(name) {
        all.insert(name.to_owned(), Tally::default());
    }
    all.get_mut(name)
}

fn is_refusal(verdict: &str) -> bool {
    matches!(verdict, "deny" | "halt")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at: i64, event: &str, verdict: &str, took: u64) -> String {
        format!(
            r#"{{"version":1,"id":"a","at":{at},"event":{{"name":"{event}","host":"codex-cli","session":"s"}},"result":{{"verdict":"{verdict}"}},
            "hooks":[{{"name":"lint"}},{{"name":"idle"}}],"steps":[{{"hook":0,"became":{{"said":{{"verdict":"{verdict}"}}}},"took_us":{took}}},
            {{"hook":1,"became":{{"not_asked":"no_match"}}}}],"action":{{"project":"/shop","data":{{"tool_use_id":"c1","x":[1]}}}}}}"#
        )
    }

    #[test]
    fn refusals_questions_and_times_are_counted_by_day_agent_project_and_hook() {
        let (mut one, mut two) = (Counted::default(), Counted::default());
        let wanted = Wanted {
            since: Some(5),
            ..Wanted::default()
        };
        for took in 1..=99 {
            one.line(
                record(86_400_000, "tool:pre", "deny", took).as_bytes(),
                &wanted,
            );
        }
        one.line(record(4, "tool:pre", "deny", 7).as_bytes(), &wanted);
        two.line(record(5, "tool:pre", "ask", 100).as_bytes(), &wanted);
        two.line(record(6, "tool:post", "continue", 0).as_bytes(), &wanted);
        two.line(b"{\"version\":", &wanted);
        one.join(two);
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
            Tally {
                events: 101,
                refused: 99
            }
        );
        assert_eq!(
            (named(0), named(1)),
            ("1970-01-01".into(), "1970-01-02".into())
        );
        let lint = &one.hooks["lint"];
        assert_eq!(
            (lint.refused, lint.asked, lint.percentiles()),
            (99, 1, [50, 95, 99])
        );
        assert!(one.hooks["idle"].is_idle());
    }
}
