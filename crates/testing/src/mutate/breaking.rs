//! Breaking a hook: what the line loads instead of it, and what it reads instead of its answer.

use std::sync::Arc;

use anyhook::core::hook::Hook;
use anyhook::core::matcher::Matcher;
use anyhook::core::result::{HookResult, Kind, Verdict};
use anyhook::core::transcript::{Capture, End, Transcript};
use anyhook::line::Reading;
use serde_json::{Map, Value};

use super::make::{self, widened};
use super::{Mutant, Mutation};

/// How deep a decision may stand in an answer.
const DEEP: usize = 4;

impl Mutant {
    /// Tells whether an entry takes part, and changes what it is.
    pub(crate) fn lets(&self, entry: usize, hook: &mut Hook) -> bool {
        if entry != self.hook.entry {
            return true;
        }
        match &self.mutation {
            Mutation::Disabled => return false,
            Mutation::MatcherRemoved => set(hook, Some(Matcher::all())),
            Mutation::MatcherWidened => set(hook, widened(&hook.when)),
            Mutation::MatcherWithout(name) => set(hook, make::without(&hook.when, name)),
            // Nothing but the end follows the end.
            Mutation::MatcherEmptied => set(hook, Matcher::unanchored("$.").ok()),
            Mutation::WhenNegated => {
                hook.condition = hook.condition.as_deref().map(|text| negated(text).into());
            }
            Mutation::WhenRemoved => hook.condition = None,
            // These change what it says.
            Mutation::ExitCode
            | Mutation::Decision(_)
            | Mutation::Rewrite
            | Mutation::Injection => {}
        }
        true
    }

    /// Returns what a hook without a process is taken to say.
    pub(crate) fn takes(&self, entry: usize, mut said: HookResult) -> HookResult {
        if entry != self.hook.entry {
            return said;
        }
        match &self.mutation {
            Mutation::Decision(dropped) if *dropped == said.verdict.kind() => {
                said.verdict = Verdict::Continue;
            }
            Mutation::Rewrite if !said.effects.is_empty() => said.effects.edit().patch.clear(),
            Mutation::Injection if !said.effects.is_empty() => said.effects.edit().inject.clear(),
            _ => {}
        }
        said
    }

    /// Returns what is read instead of what a process left, where this mutant changes it.
    pub(crate) fn breaks(
        &self,
        entry: usize,
        raw: &Transcript,
        read: &Reading<'_>,
    ) -> Option<Transcript> {
        if entry != self.hook.entry {
            return None;
        }
        let said = read(raw).ok()?;
        let kind = said.verdict.kind();
        let has_code = raw.end == End::Code(2);
        match &self.mutation {
            Mutation::ExitCode if has_code => {
                let ended_well = Transcript {
                    end: End::Code(0),
                    ..raw.clone()
                };
                let passes = |now: &HookResult| now.verdict.kind() == Kind::Continue;
                Some(without(&ended_well, read, &[&passes]))
            }
            Mutation::Decision(dropped) if *dropped == kind && !has_code => {
                let passes = |now: &HookResult| now.verdict.kind() == Kind::Continue;
                let keeps = |now: &HookResult| passes(now) && now.effects == said.effects;
                Some(without(raw, read, &[&keeps, &passes]))
            }
            Mutation::Rewrite if !said.effects.patch().is_empty() => {
                let is_left =
                    |now: &HookResult| now.effects.patch().is_empty() && now.verdict.kind() == kind;
                Some(without(raw, read, &[&is_left]))
            }
            Mutation::Injection if !said.effects.inject().is_empty() => {
                let is_silent = |now: &HookResult| {
                    now.effects.inject().is_empty() && now.verdict.kind() == kind
                };
                Some(without(raw, read, &[&is_silent]))
            }
            _ => None,
        }
    }
}

/// The contrary of a condition.
pub(super) fn negated(condition: &str) -> String {
    format!("!({condition})")
}

fn set(hook: &mut Hook, matcher: Option<Matcher>) {
    if let Some(matcher) = matcher {
        let info = Arc::make_mut(&mut hook.info);
        info.matcher = Some(matcher.as_str().into());
        hook.when = matcher;
    }
}

/// What an answer has to read as.
type Meant<'m> = dyn Fn(&HookResult) -> bool + 'm;

/// Leaves out as little of an answer as makes it read as it is meant to, the first meaning that can be had. What to leave
/// out is asked of the line's own reader, so that every form of an answer can be broken and none has to be known here.
fn without(raw: &Transcript, read: &Reading<'_>, meant: &[&Meant<'_>]) -> Transcript {
    let candidates = candidates(raw);
    let found = meant.iter().find_map(|is_meant| {
        let is_it = |one: &&Transcript| read(one).is_ok_and(|said| is_meant(&said));
        candidates.iter().find(is_it).cloned()
    });
    found.unwrap_or_else(|| with_stdout(raw, ""))
}

/// The answer as it is, and without each of its fields, the innermost first.
fn candidates(raw: &Transcript) -> Vec<Transcript> {
    let mut all = vec![raw.clone()];
    let Ok(Value::Object(answer)) = serde_json::from_str(&raw.stdout.text()) else {
        return all;
    };
    let mut paths = Vec::new();
    places(&answer, &mut Vec::new(), &mut paths);
    paths.sort_by_key(|path: &Vec<String>| std::cmp::Reverse(path.len()));
    all.extend(paths.iter().map(|path| {
        let mut left = answer.clone();
        remove(&mut left, path);
        with_stdout(raw, &Value::Object(left).to_string())
    }));
    all
}

fn with_stdout(raw: &Transcript, text: &str) -> Transcript {
    Transcript {
        stdout: Capture {
            kept: text.as_bytes().to_vec(),
            dropped: 0,
        },
        ..raw.clone()
    }
}

fn places(object: &Map<String, Value>, at: &mut Vec<String>, into: &mut Vec<Vec<String>>) {
    for (key, value) in object {
        at.push(key.clone());
        into.push(at.clone());
        if let Value::Object(inner) = value
            && at.len() < DEEP
        {
            places(inner, at, into);
        }
        at.pop();
    }
}

fn remove(object: &mut Map<String, Value>, path: &[String]) {
    match path {
        [] => {}
        [last] => {
            object.shift_remove(last);
        }
        [first, rest @ ..] => {
            if let Some(Value::Object(inner)) = object.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}
