//! Hooks that are asked about an event in parts: one process for each, and one answer for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhook_confine::Refused;
use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::fit::corrected;
use anyhook_core::handler::Said;
use anyhook_core::hook::{Hook, Hooks, OnFault};
use anyhook_core::result::{HookId, HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;

use super::marks::Marks;
use crate::event::turn::Turn;
use crate::processes::Pool;
use crate::runners::{Prepared, PreparedPart};
use crate::sandbox;

/// The most parts that a hook is asked about. A patch of more files is refused at a gate: to look at some of them only
/// would be to look away.
const MOST: usize = 50;

/// The field of which a part knows its own piece only.
const INPUT: &str = "tool_input";

/// The processes of a dispatch, and what those know together that were asked about parts.
pub(super) struct Processes<'h> {
    pub(super) pool: Pool,
    hooks: &'h Hooks,
    marks: Marks,
    open: BTreeMap<HookId, Open>,
    /// Which part of which hook a process is, by its key; lower keys are hooks that were asked about the whole.
    keys: BTreeMap<usize, (HookId, usize)>,
    /// What the hooks that ran confined could touch and what was refused to them, in words.
    pub(super) confined: Vec<Box<str>>,
}

struct Open {
    events: Vec<Option<Arc<Event>>>,
    said: Vec<Option<Said>>,
    took: Duration,
}

/// What a hook said, when everything that it was asked about is answered.
pub(super) struct Answer {
    pub(super) id: HookId,
    pub(super) said: Said,
    pub(super) took: Duration,
}

impl<'h> Processes<'h> {
    pub(super) fn new(pool: Pool, hooks: &'h Hooks, marks: Marks) -> Self {
        Self {
            pool,
            hooks,
            marks,
            open: BTreeMap::new(),
            keys: BTreeMap::new(),
            confined: Vec::new(),
        }
    }

    /// Starts what a hook is asked, whole or part by part; no process may take longer than `left`. Returns its answer
    /// where there is nothing to wait for.
    pub(super) fn start(
        &mut self,
        id: HookId,
        parts: Vec<PreparedPart>,
        left: Duration,
        class: Class,
    ) -> Option<Answer> {
        let at_once = |said| Answer {
            id,
            said,
            took: Duration::ZERO,
        };
        let is_whole = parts.len() == 1 && parts.iter().all(|part| part.event.is_none());
        if parts.len() > MOST && class == Class::Gate {
            let many = parts.len();
            return Some(at_once(Ok(HookResult::deny(format!(
                "this patch touches {many} files, and a hook has to look at each of them; make patches of at most \
                 {MOST} files"
            )))));
        }
        let mut open = Open {
            events: Vec::new(),
            said: Vec::new(),
            took: Duration::ZERO,
        };
        for (at, part) in parts.into_iter().take(MOST).enumerate() {
            let said = match part.prepared {
                Prepared::Process(mut job) => {
                    job.deadline = job.deadline.min(left);
                    let key = if is_whole {
                        id.index()
                    } else {
                        self.part_key(id, at)
                    };
                    if let Some(hook) = self.hooks.get(id) {
                        self.marks.give(key, hook, &mut job);
                    }
                    self.pool.start(key, *job);
                    None
                }
                Prepared::Said(said) => Some(Ok(*said)),
                Prepared::Skip(_) => Some(Ok(HookResult::proceed())),
                Prepared::Fault(fault) => Some(Err(Box::new(fault))),
            };
            open.events.push(part.event);
            open.said.push(said);
        }
        if is_whole {
            return open.said.pop().flatten().map(at_once);
        }
        if open.said.iter().all(Option::is_some) {
            let hook = self.hooks.get(id)?;
            return Some(at_once(whole(hook, open.said.into_iter().flatten(), class)));
        }
        self.open.insert(id, open);
        None
    }

    fn part_key(&mut self, id: HookId, at: usize) -> usize {
        let key = self.hooks.list().len() + self.keys.len();
        self.keys.insert(key, (id, at));
        key
    }

    /// Takes what a process left. When it was the last of its hook, returns what the hook says.
    pub(super) fn ended(
        &mut self,
        key: usize,
        mut raw: Transcript,
        event: &Event,
        turn: &mut Turn<'_>,
    ) -> Option<Answer> {
        let took = raw.took;
        let part = self.keys.get(&key).copied();
        let id = match part {
            Some((id, _)) => id,
            None => HookId(u32::try_from(key).ok()?),
        };
        let refused = self.pool.refused(key);
        self.reached(id, &mut raw, refused.as_ref());
        let raw = &raw;
        let Some((id, at)) = part else {
            let hook = self.hooks.get(id)?;
            let said = self.marks.judged(key, hook, turn.read(hook, raw, event));
            return Some(Answer { id, said, took });
        };
        let hook = self.hooks.get(id)?;
        let open = self.open.get_mut(&id)?;
        let part = open.events.get(at)?.as_deref().unwrap_or(event);
        let said = self.marks.judged(key, hook, turn.read(hook, raw, part));
        *open.said.get_mut(at)? = Some(said);
        open.took = open.took.max(took);
        if open.said.iter().any(Option::is_none) {
            return None;
        }
        let open = self.open.remove(&id)?;
        let said = whole(hook, open.said.into_iter().flatten(), event.name.class());
        let took = open.took;
        Some(Answer { id, said, took })
    }
}

impl Processes<'_> {
    /// Takes off what the helper said of a hook that ran confined, and keeps it in words, with what was refused to it.
    fn reached(&mut self, id: HookId, raw: &mut Transcript, refused: Option<&Refused>) {
        let Some(hook) = self.hooks.get(id) else {
            return;
        };
        let Some(sandbox) = hook.sandbox.as_deref() else {
            return;
        };
        let reached = sandbox::reached(raw);
        for remark in sandbox::remarks(&hook.info.name, sandbox, &reached, refused) {
            if !self.confined.contains(&remark) {
                self.confined.push(remark);
            }
        }
    }
}

/// Makes one answer of those about all parts. It approves only what every part approves, and a rewrite of a part cannot
/// be said for the whole: it is a refusal that holds the corrected value.
fn whole(hook: &Hook, said: impl Iterator<Item = Said>, class: Class) -> Said {
    let (mut folded, mut fault) = (HookResult::default(), None::<Box<Fault>>);
    let mut all_allow = true;
    for said in said {
        match said {
            Ok(said) => {
                all_allow &= said.verdict.kind() == Kind::Allow;
                folded = folded.then(refused(said, class));
            }
            Err(failed) => {
                all_allow = false;
                fault = fault.or(Some(failed));
            }
        }
    }
    if folded.verdict.kind() == Kind::Allow && !all_allow {
        folded.verdict = Verdict::Continue;
    }
    match fault {
        // What refuses already is not made lighter by a part that failed; a question is, where a failure refuses.
        Some(fault) if folded.verdict.kind() < Kind::Ask => Err(fault),
        Some(fault) if folded.verdict.kind() == Kind::Ask && hook.on_fault != OnFault::Continue => {
            Err(fault)
        }
        Some(_) | None => Ok(folded),
    }
}

fn refused(mut said: HookResult, class: Class) -> HookResult {
    if said
        .effects
        .patch()
        .iter()
        .all(|rewrite| rewrite.field != INPUT)
    {
        return said;
    }
    let patch = std::mem::take(&mut said.effects.edit().patch);
    let (own, rest): (Vec<_>, Vec<_>) = patch
        .into_iter()
        .partition(|rewrite| rewrite.field == INPUT);
    said.effects.edit().patch = rest;
    if class != Class::Gate {
        return said;
    }
    own.iter().fold(said, |said, rewrite| {
        let reasons = [corrected(rewrite)].into();
        said.then(HookResult::from(Verdict::Deny { reasons }))
    })
}
