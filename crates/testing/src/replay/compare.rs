//! Comparing the answers before and after a change, over a whole history.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook::core::report::{Action, Outcome, Report};
use anyhook::core::result::Kind;
use anyhook::record::short;
use anyhook::text::plain;
use anyhook::world::World;
use serde::Serialize;

use super::answer::{Answer, Change};
use super::history::{Reading, share};
use super::policy::{Hooks, Replayer};
use super::record::{Left, verdict};

/// What is compared.
#[derive(Debug)]
pub struct Comparison {
    /// What was said before; nothing means what the record says.
    pub before: Option<Hooks>,
    /// What is said after.
    pub after: Hooks,
    /// The program `anyhook`, which confines commands.
    pub program: Option<PathBuf>,
}

/// What differences have in common: their kind, the hook that makes them, and the shape of the action.
pub type Key = (Change, String, String);

/// What came of it.
#[derive(Debug, Default)]
pub struct Compared {
    /// How many events hooks were asked about.
    pub asked: u64,
    /// How many records were left, by the reason.
    pub left: BTreeMap<Left, u64>,
    /// How many events hooks were not asked about that would be under an agent.
    pub passed: BTreeMap<Box<str>, u64>,
    /// What is said after, by verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// The differences, by kind, hook and shape of the action.
    pub groups: BTreeMap<Key, Group>,
}

/// Differences of one kind, hook and shape.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// How many.
    pub count: u64,
    /// What became of the action then.
    pub then: Then,
    /// The first ones.
    pub examples: Vec<Example>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Example {
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
pub struct Then {
    /// A person said yes.
    pub approved: u64,
    /// It ran without a question.
    pub ran: u64,
    /// It was refused.
    pub refused: u64,
}

/// What became of one action: the number that counts it.
type Fate = fn(&mut Then) -> &mut u64;

const APPROVED: Fate = |then| &mut then.approved;
const RAN: Fate = |then| &mut then.ran;
const REFUSED: Fate = |then| &mut then.refused;

struct Worker<'c> {
    before: Option<Replayer>,
    after: Replayer,
    compared: &'c Mutex<Compared>,
    /// Calls of which it is not known yet what became of them: whether a hook asked, and the differences.
    pending: HashMap<u64, (bool, Vec<Key>)>,
}

/// Compares two sides over a history, and counts the records that were taken.
pub fn compare(comparison: &Comparison, reading: &Reading) -> io::Result<(Compared, u64)> {
    let replayer = |hooks: &Hooks| {
        let world = World {
            interrupted: Arc::clone(&reading.interrupted),
            ..World::real()
        };
        Replayer::new(hooks, comparison.program.as_deref(), world)
    };
    let compared = Mutex::default();
    let workers: io::Result<Vec<Worker<'_>>> = (0..reading.jobs.get())
        .map(|_| {
            Ok(Worker {
                before: comparison.before.as_ref().map(replayer).transpose()?,
                after: replayer(&comparison.after)?,
                compared: &compared,
                pending: HashMap::new(),
            })
        })
        .collect();
    let taken = share(reading, workers?, Worker::line)?;
    let compared = compared.into_inner();
    Ok((compared.unwrap_or_else(PoisonError::into_inner), taken))
}

impl<'c> Worker<'c> {
    /// What all workers count together.
    fn counted(&self) -> MutexGuard<'c, Compared> {
        // Nothing under this lock can panic halfway through a change.
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&mut self, place: u64, line: &[u8]) {
        let Ok(record) = serde_json::from_slice::<Report>(line) else {
            *self.counted().left.entry(Left::Unread).or_default() += 1;
            return;
        };
        self.became(&record);
        match self.answers(&record) {
            Ok((before, after)) => self.differ(place, &record, &before, &after),
            Err(left) => *self.counted().left.entry(left).or_default() += 1,
        }
    }

    fn answers(&mut self, record: &Report) -> Result<(Answer, Answer), Left> {
        let before = self.before.as_mut().map(|before| before.ask(record));
        let (before, after) = (before.transpose()?, self.after.ask(record)?);
        // Of what was recorded only the verdict is compared: its texts name the record, and are redacted.
        let recorded = || Answer {
            kind: verdict(record).unwrap_or(after.kind),
            decided: None,
            ..after.clone()
        };
        Ok((before.unwrap_or_else(recorded), after))
    }

    fn differ(&mut self, place: u64, record: &Report, before: &Answer, after: &Answer) {
        let mut all = self.counted();
        all.asked += 1;
        *all.verdicts.entry(after.kind.as_str()).or_default() += 1;
        for hook in after.passed.union(&before.passed) {
            *all.passed.entry(hook.clone()).or_default() += 1;
        }
        let changes = Change::between(before, after);
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

    fn score(&self, keys: &[Key], fate: Fate) {
        let mut all = self.counted();
        for key in keys {
            if let Some(group) = all.groups.get_mut(key) {
                *fate(&mut group.then) += 1;
            }
        }
    }
}

impl Compared {
    /// How many differences of a kind there are.
    pub fn count(&self, change: Change) -> u64 {
        let groups = self.groups.iter().filter(|((of, ..), _)| *of == change);
        groups.map(|(_, group)| group.count).sum()
    }
}

/// What the record itself knows of what became of the action.
fn fate(record: &Report) -> Option<Fate> {
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
fn hook_of(change: Change, before: &Answer, after: &Answer) -> String {
    let found = match change {
        Change::Allowed => before.decided.clone().or_else(|| after.decided.clone()),
        Change::Refused | Change::Asked => after.decided.clone().or_else(|| before.decided.clone()),
        Change::Rewrite | Change::Text => {
            let new = after.by.iter().find(|hook| !before.by.contains(hook));
            let gone = || before.by.iter().find(|hook| !after.by.contains(hook));
            new.or_else(gone).or_else(|| after.by.first()).cloned()
        }
        Change::Fault => after
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
    change: Change,
    before: &Answer,
    after: &Answer,
) -> Example {
    let telling = record.action.as_deref().and_then(Action::telling);
    Example {
        place,
        id: record.id.to_string(),
        what: short(&telling.unwrap_or_else(|| shape(record)), LONGEST),
        before: said(change, before),
        after: said(change, after),
    }
}

fn said(change: Change, answer: &Answer) -> String {
    let verdict = answer.kind.as_str();
    let detail = match change {
        Change::Refused | Change::Allowed | Change::Asked | Change::Text => answer.text.join(" "),
        Change::Rewrite => {
            let all = answer.rewrites.iter().map(|(field, value)| {
                let value = value
                    .as_ref()
                    .map_or_else(|| "removed".to_owned(), ToString::to_string);
                format!("{field} = {value}")
            });
            all.collect::<Vec<_>>().join(", ")
        }
        Change::Fault => {
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
