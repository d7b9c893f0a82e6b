//! Reducing a difference to the smallest session that still shows it: first events go, then fields, then words.

use std::io;
use std::path::Path;

use anyhook::core::event::{Event, Map};
use anyhook::core::result::Kind;
use anyhook::world::World;
use serde_json::Value;

use super::answer::{Answer, Change};
use super::compare::{Comparison, compare, hook_of};
use super::history::{Reading, share};
use super::policy::{Hooks, Replayer};
use super::record::Record;

/// The smallest session that shows a difference.
#[derive(Debug)]
pub struct Shrunk {
    /// The kind of difference.
    pub change: Change,
    /// The hook that makes it.
    pub hook: String,
    /// The events, the one with the difference last.
    pub events: Vec<Event>,
    /// What all hooks say together before and after.
    pub decisions: [Kind; 2],
    /// How many events the session had up to it.
    pub from: usize,
}

/// So many smaller sessions are tried, and so many events before the difference are looked at.
const TRIES: usize = 4000;
const EARLIER: usize = 2000;

/// Finds a difference, the first one where no record is named, and reduces it; nothing where there is none.
pub fn shrink(
    comparison: &Comparison,
    reading: &Reading,
    (id, kind): (Option<&str>, Option<Change>),
) -> io::Result<Option<Shrunk>> {
    let id = match id {
        Some(id) => Some(id.to_owned()),
        None => first(comparison, reading, kind)?,
    };
    let Some(id) = id else { return Ok(None) };
    let session = session(reading, &id)?;
    let before = comparison.before.as_ref().unwrap_or(&Hooks::Today);
    let mut shrinking = Shrinking {
        sides: [before, &comparison.after],
        program: comparison.program.as_deref(),
        target: None,
        left: TRIES,
    };
    let Some(answers) = shrinking.answers(&session)? else {
        return Ok(None);
    };
    let mut changes = Change::between(&answers[0], &answers[1]).into_iter();
    let found = changes.find(|change| kind.is_none_or(|kind| kind == *change));
    let Some(change) = found else { return Ok(None) };
    let hook = hook_of(change, &answers[0], &answers[1]);
    shrinking.target = Some((change, hook.clone()));
    let from = session.len();
    let fewer = shrinking.events(session)?;
    let smallest = shrinking.fields(fewer)?;
    let answers = shrinking.answers(&smallest)?;
    let decisions = answers.map_or([Kind::Continue; 2], |both| both.map(|answer| answer.merged));
    let events: Result<Vec<Event>, _> = smallest.iter().map(Record::event).collect();
    Ok(events.ok().map(|events| Shrunk {
        change,
        hook,
        events,
        decisions,
        from,
    }))
}

/// The first record with a difference.
fn first(
    comparison: &Comparison,
    reading: &Reading,
    kind: Option<Change>,
) -> io::Result<Option<String>> {
    let (compared, _) = compare(comparison, reading)?;
    let groups = compared.groups.iter();
    let wanted = groups.filter(|((change, ..), _)| kind.is_none_or(|kind| kind == *change));
    let examples = wanted.flat_map(|(_, group)| &group.examples);
    Ok(examples.min().map(|example| example.id.clone()))
}

/// The records of the session of a record, up to it.
fn session(reading: &Reading, id: &str) -> io::Result<Vec<Record>> {
    let find = |target: &mut Option<Record>, _: u64, line: &[u8]| {
        if target.is_none() {
            *target = Record::read(line).filter(|record| &*record.id == id);
        }
    };
    let (found, _) = share(reading, vec![None], find)?;
    let Some(target) = found.into_iter().flatten().next() else {
        return Ok(Vec::new());
    };
    let (host, name) = (&target.event.host, &target.event.session);
    let take = |(all, is_over): &mut (Vec<Record>, bool), _: u64, line: &[u8]| {
        let record = Record::read(line).filter(|_| !*is_over);
        if let Some(record) =
            record.filter(|one| (&one.event.host, &one.event.session) == (host, name))
        {
            *is_over = &*record.id == id;
            if *is_over || name.is_some() {
                all.push(record);
            }
        }
    };
    let (all, _) = share(reading, vec![(Vec::new(), false)], take)?;
    let mut session: Vec<Record> = all.into_iter().flat_map(|(all, _)| all).collect();
    session.drain(..session.len().saturating_sub(EARLIER));
    Ok(session)
}

struct Shrinking<'s> {
    sides: [&'s Hooks; 2],
    program: Option<&'s Path>,
    target: Option<(Change, String)>,
    left: usize,
}

impl Shrinking<'_> {
    /// What both sides say about the last event of a session.
    fn answers(&self, session: &[Record]) -> io::Result<Option<[Answer; 2]>> {
        let mut last = Vec::new();
        for side in self.sides {
            let mut replayer = Replayer::new(side, self.program, World::real())?;
            let mut answer = None;
            for record in session {
                answer = replayer.ask(record).ok();
            }
            last.extend(answer);
        }
        Ok(last.try_into().ok())
    }

    /// Tells whether a session still shows the difference. When enough was tried, nothing smaller is taken.
    fn shows(&mut self, session: &[Record]) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let Some([before, after]) = self.answers(session)? else {
            return Ok(false);
        };
        let changes = Change::between(&before, &after);
        Ok(self.target.as_ref().is_some_and(|(change, hook)| {
            changes.contains(change) && hook_of(*change, &before, &after) == *hook
        }))
    }

    /// Takes out parts of a list as long as the difference stays: halves first, then smaller ones.
    fn fewer<T: Clone>(
        &mut self,
        mut all: Vec<T>,
        session: &dyn Fn(&[T]) -> Vec<Record>,
    ) -> io::Result<Vec<T>> {
        let mut size = all.len();
        while size > 0 {
            let mut at = 0;
            while at < all.len() {
                let mut less = all.clone();
                less.drain(at..(at + size).min(all.len()));
                if self.shows(&session(&less))? {
                    all = less;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(all)
    }

    /// Takes out events that the difference does not need.
    fn events(&mut self, mut session: Vec<Record>) -> io::Result<Vec<Record>> {
        let Some(last) = session.pop() else {
            return Ok(session);
        };
        let with = |earlier: &[Record]| [earlier, std::slice::from_ref(&last)].concat();
        let earlier = self.fewer(session, &with)?;
        Ok(with(&earlier))
    }

    /// Takes fields and words out of each event.
    fn fields(&mut self, mut session: Vec<Record>) -> io::Result<Vec<Record>> {
        for at in 0..session.len() {
            let Some(data) = session.get(at).map(data_of) else {
                continue;
            };
            for place in places(&data, &mut Vec::new()) {
                let mut less = session.clone();
                let removed = less
                    .get_mut(at)
                    .is_some_and(|record| edit(record, &place, None));
                if removed && self.shows(&less)? {
                    session = less;
                }
            }
            let Some(data) = session.get(at).map(data_of) else {
                continue;
            };
            for place in places(&data, &mut Vec::new()) {
                let Some(text) = look(&data, &place).and_then(Value::as_str) else {
                    continue;
                };
                let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                let with = |words: &[String]| {
                    let mut less = session.clone();
                    if let Some(record) = less.get_mut(at) {
                        edit(record, &place, Some(words.join(" ").into()));
                    }
                    less
                };
                let fewer = if words.len() > 1 {
                    self.fewer(words, &with)?
                } else {
                    words
                };
                let less = with(&fewer);
                session = less;
            }
        }
        Ok(session)
    }
}

fn data_of(record: &Record) -> Value {
    Value::Object(Map::clone(&record.data))
}

/// The places of all fields but the name of the tool, the outer ones first.
fn places(value: &Value, above: &mut Vec<String>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (name, inner) in value.as_object().into_iter().flatten() {
        if above.is_empty() && name == "tool_name" {
            continue;
        }
        above.push(name.clone());
        all.push(above.clone());
        all.extend(places(inner, above));
        above.pop();
    }
    all
}

fn look<'v>(value: &'v Value, place: &[String]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, name| value.get(name))
}

/// Changes or removes a field, if it is there.
fn edit(record: &mut Record, place: &[String], to: Option<Value>) -> bool {
    let Some((last, above)) = place.split_last() else {
        return false;
    };
    let mut data = data_of(record);
    let inner = above
        .iter()
        .try_fold(&mut data, |value, name| value.get_mut(name));
    let inner = inner.and_then(Value::as_object_mut);
    let is_done = match (inner, to) {
        (Some(inner), Some(to)) => inner.insert(last.clone(), to).is_some(),
        (Some(inner), None) => inner.shift_remove(last).is_some(),
        (None, _) => false,
    };
    if let Value::Object(data) = data {
        record.data = data.into();
    }
    is_done
}
