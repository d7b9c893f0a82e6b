//! Comparing the answers before and after a change, over a whole history.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook::core::report::{ActionRecord, Outcome, Report};
use anyhook::core::result::Kind;
use anyhook::record::short;
use anyhook::text::plain;
use anyhook::world::World;
use serde::Serialize;

use super::answer::{AnswerChange, ReplayAnswer};
use super::history::{HistoryScan, share};
use super::policy::{ReplayHooks, Replayer};
use super::record::{Exclusion, verdict};

/// What is compared.
#[derive(Debug)]
pub struct Comparison {
    /// What was said before; nothing means what the record says.
    pub before: Option<ReplayHooks>,
    /// What is said after.
    pub after: ReplayHooks,
    /// The program `anyhook`, which confines commands.
    pub program: Option<PathBuf>,
}

/// What differences have in common: their kind, the hook that makes them, and the shape of the action.
pub type DifferenceKey = (AnswerChange, String, String);

/// What came of it.
#[derive(Debug, Default)]
pub struct Backtest {
    /// How many events hooks were asked about.
    pub asked: u64,
    /// How many records were left, by the reason.
    pub left: BTreeMap<Exclusion, u64>,
    /// How many events hooks were not asked about that would be under an agent.
    pub passed: BTreeMap<Box<str>, u64>,
    /// What is said after, by verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// The differences, by kind, hook and shape of the action.
    pub groups: BTreeMap<DifferenceKey, DifferenceGroup>,
}

/// Differences of one kind, hook and shape.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct DifferenceGroup {
    /// How many.
    pub count: u64,
    /// What became of the action then.
    pub then: PastOutcomes,
    /// The first ones.
    pub examples: Vec<DifferenceExample>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DifferenceExample {
    /// Its place in the history.
    #[serde(skip)]
    pub place: u64,
    /// The id of the record.
    pub id: String,
    /// What was attempted.
    pub what: String,
    /// What was said before.
    pub before: String,
    /// What is said after.
    pub after: String,
}

const SHOWN: usize = 3;
const LONGEST: usize = 160;
/// So many calls wait for what became of them.
const PENDING: usize = 1 << 16;

/// How often a person said yes then, it ran without a question, and it was refused.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct PastOutcomes {
    /// A person said yes.
    pub approved: u64,
    /// It ran without a question.
    pub ran: u64,
    /// It was refused.
    pub refused: u64,
}

/// What became of one action: the number that counts it.
type OutcomeCounter = fn(&mut PastOutcomes) -> &mut u64;

const APPROVED: OutcomeCounter = |then| &mut then.approved;
const RAN: OutcomeCounter = |then| &mut then.ran;
const REFUSED: OutcomeCounter = |then| &mut then.refused;

struct ComparisonWorker<'c> {
    before: Option<Replayer>,
    after: Replayer,
    compared: &'c Mutex<Backtest>,
    /// Calls of which it is not known yet what became of them: whether a hook asked, and the differences.
    pending: HashMap<u64, (bool, Vec<DifferenceKey>)>,
}

/// Compares two sides over a history, and counts the records that were taken.
pub fn compare(comparison: &Comparison, reading: &HistoryScan) -> io::Result<(Backtest, u64)> {
    let replayer = |hooks: &ReplayHooks| {
        let world = World {
            interrupted: Arc::clone(&reading.interrupted),
            ..World::real()
        };
        Replayer::new(hooks, comparison.program.as_deref(), world)
    };
    let compared = Mutex::default();
    let workers: io::Result<Vec<ComparisonWorker<'_>>> = (0..reading.jobs.get())
        .map(|_| {
            Ok(ComparisonWorker {
                before: comparison.before.as_ref().map(replayer).transpose()?,
                after: replayer(&comparison.after)?,
                compared: &compared,
                pending: HashMap::new(),
            })
        })
        .collect();
    let taken = share(reading, workers?, ComparisonWorker::line)?;
    let compared = compared.into_inner();
    Ok((compared.unwrap_or_else(PoisonError::into_inner), taken))
}

impl<'c> ComparisonWorker<'c> {
    /// What all workers count together.
    fn counted(&self) -> MutexGuard<'c, Backtest> {
        // Nothing under this lock can panic halfway through a change.
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&mut self, place: u64, line: &[u8]) {
        let Ok(record) = serde_json::from_slice::<Report>(line) else {
            return self.leave(Exclusion::Unread);
        };
        self.became(&record);
        match self.answers(&record) {
            Ok((before, after)) => self.differ(place, &record, &before, &after),
            Err(left) => self.leave(left),
        }
    }

    fn leave(&self, why: Exclusion) {
        *self.counted().left.entry(why).or_default() += 1;
    }

    fn answers(&mut self, record: &Report) -> Result<(ReplayAnswer, ReplayAnswer), Exclusion> {
        let before = self.before.as_mut().map(|before| before.ask(record));
        let (before, after) = (before.transpose()?, self.after.ask(record)?);
        // Of what was recorded only the verdict is compared: its texts name the record, and are redacted.
        let recorded = || ReplayAnswer {
            kind: verdict(record).unwrap_or(after.kind),
            decided: None,
            ..after.clone()
        };
        Ok((before.unwrap_or_else(recorded), after))
    }

    fn differ(&mut self, place: u64, record: &Report, before: &ReplayAnswer, after: &ReplayAnswer) {
        let mut all = self.counted();
        all.asked += 1;
        *all.verdicts.entry(after.kind.as_str()).or_default() += 1;
        for hook in after.passed.union(&before.passed) {
            *all.passed.entry(hook.clone()).or_default() += 1;
        }
        let changes = AnswerChange::between(before, after);
        if changes.is_empty() {
            return;
        }
        let keys: Vec<_> = changes
            .into_iter()
            .map(|change| (change, hook_of(change, before, after), shape(record)))
            .collect();
        for key in &keys {
            let group = all.groups.entry(key.clone()).or_default();
            group.count += 1;
            let last = group.examples.last().map(|last| last.place);
            if group.examples.len() < SHOWN || last.is_some_and(|last| place < last) {
                let example = example(place, record, key.0, before, after);
                group.examples.push(example);
                group.examples.sort();
                group.examples.truncate(SHOWN);
            }
        }
        drop(all);
        match fate(record) {
            Some(fate) => self.score(&keys, fate),
            None => {
                if let (Some(call), true) = (call(record), self.pending.len() < PENDING) {
                    let asked = record.result.verdict.kind() == Kind::Ask;
                    self.pending.insert(call, (asked, keys));
                }
            }
        }
    }

    /// Hears what became of a call: one that an event after it tells of ran.
    fn became(&mut self, record: &Report) {
        if !matches!(record.event.name.as_str(), "tool:post" | "tool:error")
            || self.pending.is_empty()
        {
            return;
        }
        let known = call(record).and_then(|call| self.pending.remove(&call));
        if let Some((asked, keys)) = known {
            self.score(&keys, if asked { APPROVED } else { RAN });
        }
    }

    fn score(&self, keys: &[DifferenceKey], fate: OutcomeCounter) {
        let mut all = self.counted();
        for key in keys {
            if let Some(group) = all.groups.get_mut(key) {
                *fate(&mut group.then) += 1;
            }
        }
    }
}

impl Backtest {
    /// How many differences of a kind there are.
    pub fn count(&self, change: AnswerChange) -> u64 {
        let groups = self.groups.iter().filter(|((of, ..), _)| *of == change);
        groups.map(|(_, group)| group.count).sum()
    }
}

/// What the record itself knows of what became of the action.
fn fate(record: &Report) -> Option<OutcomeCounter> {
    if let Some(imported) = record.imported() {
        return match imported.outcome {
            Outcome::Ran | Outcome::Failed => Some(RAN),
            Outcome::Refused => Some(REFUSED),
            Outcome::Unknown => None,
        };
    }
    (verdict(record)? >= Kind::Deny).then_some(REFUSED)
}

/// Names a call: what an agent tells of it later has the same name.
fn call(record: &Report) -> Option<u64> {
    let id = record.action.as_deref()?.text("tool_use_id")?;
    let mut hasher = DefaultHasher::new();
    (&record.event.host, &record.event.session, id).hash(&mut hasher);
    Some(hasher.finish())
}

/// The hook that makes a difference.
fn hook_of(change: AnswerChange, before: &ReplayAnswer, after: &ReplayAnswer) -> String {
    let found = match change {
        AnswerChange::Allowed => before.decided.clone().or_else(|| after.decided.clone()),
        AnswerChange::Refused | AnswerChange::Asked => {
            after.decided.clone().or_else(|| before.decided.clone())
        }
        AnswerChange::Rewrite | AnswerChange::Text => {
            let new = after.by.iter().find(|hook| !before.by.contains(hook));
            let gone = || before.by.iter().find(|hook| !after.by.contains(hook));
            new.or_else(gone).or_else(|| after.by.first()).cloned()
        }
        AnswerChange::Fault => after
            .faults
            .difference(&before.faults)
            .next()
            .map(|(hook, _)| hook.clone()),
    };
    let found = found
        .or_else(|| after.by.first().cloned())
        .or_else(|| before.by.first().cloned());
    found.map_or_else(|| "no hook".to_owned(), |name| plain(&name))
}

/// Programs whose first word says what they do.
const VERBS: &str = "apt apt-get aws brew bun cargo docker gcloud gh git go helm kubectl make npm pip pnpm poetry systemctl \
                     terraform uv yarn";

/// The kind of action: the tool with the program and its verb, or with the form of the file's name.
fn shape(record: &Report) -> String {
    let name = record.event.name.universal();
    let Some(tool) = record.event.subject.as_deref() else {
        return plain(name);
    };
    let action = record.action.as_deref();
    let input = action.and_then(|action| action.data.get("tool_input"));
    let text = |field| input.and_then(|input| input.get(field)?.as_str());
    let detail = match (text("command"), text("file_path")) {
        (Some(command), _) => program(command),
        (None, Some(path)) => form(path),
        (None, None) => String::new(),
    };
    plain(format!("{tool} {detail}").trim_end())
}

fn program(command: &str) -> String {
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('='));
    let first = words.next().unwrap_or_default();
    let first = first.rsplit('/').next().unwrap_or_default();
    let is_verb = |word: &&str| {
        word.chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '-')
            && !word.starts_with('-')
    };
    match words
        .next()
        .filter(is_verb)
        .filter(|_| VERBS.split(' ').any(|verb| verb == first))
    {
        Some(verb) => format!("{first} {verb}"),
        None => first.to_owned(),
    }
}

fn form(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("*.{ending}"),
        Some(_) | None => name.to_owned(),
    }
}

fn example(
    place: u64,
    record: &Report,
    change: AnswerChange,
    before: &ReplayAnswer,
    after: &ReplayAnswer,
) -> DifferenceExample {
    let telling = record.action.as_deref().and_then(ActionRecord::telling);
    DifferenceExample {
        place,
        id: record.id.to_string(),
        what: short(&telling.unwrap_or_else(|| shape(record)), LONGEST),
        before: said(change, before),
        after: said(change, after),
    }
}

fn said(change: AnswerChange, answer: &ReplayAnswer) -> String {
    let verdict = answer.kind.as_str();
    let detail = match change {
        AnswerChange::Refused
        | AnswerChange::Allowed
        | AnswerChange::Asked
        | AnswerChange::Text => answer.text.join(" "),
        AnswerChange::Rewrite => {
            let all = answer.rewrites.iter().map(|(field, value)| {
                let value = value
                    .as_ref()
                    .map_or_else(|| "removed".to_owned(), ToString::to_string);
                format!("{field} = {value}")
            });
            all.collect::<Vec<_>>().join(", ")
        }
        AnswerChange::Fault => {
            let all = answer
                .faults
                .iter()
                .map(|(hook, kind)| format!("{hook}: {kind}"));
            all.collect::<Vec<_>>().join(", ")
        }
    };
    if detail.is_empty() {
        return verdict.to_owned();
    }
    format!("{verdict}: {}", short(&detail, LONGEST))
}
