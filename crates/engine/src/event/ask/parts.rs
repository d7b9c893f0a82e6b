//! Hooks that are asked about an event in parts: one process for each, and one answer for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhook_confine::AccessRefusals;
use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::fit::corrected;
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{Hook, Hooks, OnFault};
use anyhook_core::result::{HookId, HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;

use super::marks::ProcessMarks;
use crate::event::Caller;
use crate::event::turn::EventRun;
use crate::processes::Pool;
use crate::runners::{PreparedPart, RunnerReply};
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
    marks: ProcessMarks,
    open: BTreeMap<HookId, OpenHook>,
    /// Which part of which hook a process is, by its key.
    keys: Vec<(HookId, usize)>,
    /// What the hooks that ran confined could touch and what was refused to them, in words.
    pub(super) confined: Vec<Box<str>>,
}

/// What a hook is asked, one or more parts; a part without an event is the whole.
#[derive(Default)]
struct OpenHook {
    events: Vec<Option<Arc<Event>>>,
    said: Vec<Option<HandlerResult>>,
    took: Duration,
}

/// What a hook said, when everything that it was asked about is answered.
pub(super) struct HookAnswer {
    pub(super) id: HookId,
    pub(super) said: HandlerResult,
    pub(super) took: Duration,
}

impl<'h> Processes<'h> {
    pub(super) fn new(pool: Pool, hooks: &'h Hooks, marks: ProcessMarks) -> Self {
        Self {
            pool,
            hooks,
            marks,
            open: BTreeMap::new(),
            keys: Vec::new(),
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
    ) -> Option<HookAnswer> {
        if parts.len() > MOST && class == Class::Gate {
            let many = parts.len();
            let said = HookResult::deny(format!(
                "this patch touches {many} files, and a hook has to look at each of them; make patches of at most \
                 {MOST} files"
            ));
            return Some(HookAnswer {
                id,
                said: Ok(said),
                took: Duration::ZERO,
            });
        }
        let hook = self.hooks.get(id)?;
        let mut open = OpenHook::default();
        for (at, part) in parts.into_iter().take(MOST).enumerate() {
            let said = match part.prepared {
                Ok(RunnerReply::Process(mut job)) => {
                    job.deadline = job.deadline.min(left);
                    let key = self.keys.len();
                    self.keys.push((id, at));
                    self.marks.give(key, hook, &mut job);
                    self.pool.start(key, *job);
                    None
                }
                Ok(RunnerReply::Said(said)) => Some(Ok(*said)),
                Err(fault) => Some(Err(Box::new(fault))),
            };
            open.events.push(part.event);
            open.said.push(said);
        }
        self.answer(id, open, class)
    }

    /// Takes what a process left. When it was the last of its hook, returns what the hook says.
    pub(super) fn ended(
        &mut self,
        key: usize,
        mut raw: Transcript,
        event: &Event,
        turn: &mut EventRun<'_>,
    ) -> Option<HookAnswer> {
        let (id, at) = *self.keys.get(key)?;
        let hook = self.hooks.get(id)?;
        let refused = self.pool.refused(key);
        self.reached(hook, &mut raw, refused.as_ref());
        let mut open = self.open.remove(&id)?;
        let part = open.events.get(at)?.as_deref().unwrap_or(event);
        let mut said = self.marks.judged(key, hook, turn.read(hook, &raw, part));
        // A replay holds more than an agent's run does: how a hook ends that could not write there is no answer of it.
        let is_held = refused.is_some_and(|refused| !refused.is_nothing());
        let is_written = raw.stdout.text().trim_start().starts_with('{');
        if turn.context.caller == Caller::Again && is_held && !is_written {
            said = Ok(HookResult::default());
            self.confined.push(sandbox::unheard(&hook.info.name));
        }
        *open.said.get_mut(at)? = Some(said);
        open.took = open.took.max(raw.took);
        self.answer(id, open, event.name.class())
    }

    /// Returns what a hook says, where every part of it is answered.
    fn answer(&mut self, id: HookId, mut open: OpenHook, class: Class) -> Option<HookAnswer> {
        if open.said.iter().any(Option::is_none) {
            self.open.insert(id, open);
            return None;
        }
        let said = match &open.events[..] {
            [None] => open.said.pop().flatten()?,
            _ => whole(self.hooks.get(id)?, open.said.into_iter().flatten(), class),
        };
        let took = open.took;
        Some(HookAnswer { id, said, took })
    }

    /// Takes off what the helper said of a hook that ran confined, and keeps it in words, with what was refused to it.
    fn reached(&mut self, hook: &Hook, raw: &mut Transcript, refused: Option<&AccessRefusals>) {
        let Some(sandbox) = hook.sandbox.as_deref() else {
            return;
        };
        let reached = sandbox::reached(raw);
        for remark in sandbox::remarks(&hook.info.name, sandbox, reached.as_ref(), refused) {
            if !self.confined.contains(&remark) {
                self.confined.push(remark);
            }
        }
    }
}

/// Makes one answer of those about all parts. It approves only what every part approves, and a rewrite of a part cannot
/// be said for the whole: it is a refusal that holds the corrected value.
fn whole(hook: &Hook, said: impl Iterator<Item = HandlerResult>, class: Class) -> HandlerResult {
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
    if said.effects.patch().is_empty() {
        return said;
    }
    let patch = &mut said.effects.edit().patch;
    let own: Vec<_> = patch
        .extract_if(.., |rewrite| rewrite.field == INPUT)
        .collect();
    let own = own.iter().filter(|_| class == Class::Gate);
    own.fold(said, |said, rewrite| {
        let reasons = [corrected(rewrite)].into();
        said.then(HookResult::from(Verdict::Deny { reasons }))
    })
}
