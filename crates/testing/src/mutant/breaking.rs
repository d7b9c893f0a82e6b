//! Breaking a hook: what the line loads instead of it, and what it reads instead of its answer.

use std::sync::Arc;

use anyhook::core::hook::Hook;
use anyhook::core::matcher::Matcher;
use anyhook::core::result::{HookResult, Kind, Verdict};
use anyhook::core::transcript::{End, Transcript};
use anyhook::event::TranscriptReader;

use super::answer::reduced;
use super::{Mutant, Mutation};

impl Mutant<'_> {
    /// Tells whether an entry takes part, and changes what it is.
    pub(crate) fn lets(&self, entry: usize, hook: &mut Hook) -> bool {
        if entry != self.tested.key.entry {
            return true;
        }
        match &self.mutation {
            Mutation::Disabled => return false,
            Mutation::MatcherRemoved => set(hook, Some(Matcher::all())),
            Mutation::MatcherWidened => set(hook, widened(&hook.when)),
            Mutation::MatcherWithout(name) => set(hook, without(&hook.when, name)),
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
        if entry != self.tested.key.entry {
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
        read: &TranscriptReader<'_>,
    ) -> Option<Transcript> {
        if entry != self.tested.key.entry {
            return None;
        }
        let said = read(raw).ok()?;
        let kind = said.verdict.kind();
        let has_code = raw.end == End::Code(2);
        let passes = |now: &HookResult| now.verdict.kind() == Kind::Continue;
        let is_same = |now: &HookResult| now.verdict.kind() == kind;
        let keeps_effects = |now: &HookResult| now.effects == said.effects;
        match &self.mutation {
            Mutation::ExitCode if has_code => {
                let ended_well = Transcript {
                    end: End::Code(0),
                    ..raw.clone()
                };
                Some(reduced(&ended_well, read, &[&passes]))
            }
            Mutation::Decision(dropped) if *dropped == kind && !has_code => {
                let keeps = |now: &HookResult| passes(now) && keeps_effects(now);
                Some(reduced(raw, read, &[&keeps, &passes]))
            }
            Mutation::Rewrite if !said.effects.patch().is_empty() => {
                let is_left = |now: &HookResult| now.effects.patch().is_empty() && is_same(now);
                Some(reduced(raw, read, &[&is_left]))
            }
            Mutation::Injection if !said.effects.inject().is_empty() => {
                let is_silent = |now: &HookResult| now.effects.inject().is_empty() && is_same(now);
                Some(reduced(raw, read, &[&is_silent]))
            }
            _ => None,
        }
    }
}

/// The contrary of a condition.
pub(crate) fn negated(condition: &str) -> String {
    format!("!({condition})")
}

fn set(hook: &mut Hook, matcher: Option<Matcher>) {
    if let Some(matcher) = matcher {
        let info = Arc::make_mut(&mut hook.info);
        info.matcher = Some(matcher.as_str().into());
        hook.when = matcher;
    }
}

/// A list without one of its names; nothing where none would be left.
pub(crate) fn without(matcher: &Matcher, name: &str) -> Option<Matcher> {
    let names = matcher.names().iter().map(|other| &**other);
    let rest: Vec<&str> = names.filter(|other| *other != name).collect();
    Matcher::parse(&rest.join("|"))
        .ok()
        .filter(|rest| !rest.is_all())
}

/// A matcher that selects more than this one, where there is one.
pub(crate) fn widened(matcher: &Matcher) -> Option<Matcher> {
    let text = if matcher.names().is_empty() {
        let text = matcher.as_str();
        let bare = text.strip_prefix('^').unwrap_or(text);
        bare.strip_suffix('$').unwrap_or(bare).to_owned()
    } else {
        matcher.names().join("|")
    };
    let is_other = !matcher.names().is_empty() || text != matcher.as_str();
    Matcher::unanchored(&text)
        .ok()
        .filter(|_| is_other && !text.is_empty())
}
