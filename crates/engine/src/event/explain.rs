//! Explaining: which hooks would be asked about an event, which would not, and why. Nothing is started.

use std::path::PathBuf;
use std::sync::Arc;

use anyhook_core::event::EventName;
use anyhook_core::fault::Fault;
use anyhook_core::handler::{Handler, HandlerReply};
use anyhook_core::hook::{self, Hook, HookInfo, Hooks, WaitMode};
use anyhook_core::manifest::{Action, SnapshotMode, UnknownPolicy};
use anyhook_core::matcher::Hit;
use anyhook_core::report::{Heading, SkipReason};
use anyhook_core::result::{HookId, HookResult};
use anyhook_effects::effect::{self, Effect};
use anyhook_wires::DecodeError;

use super::Context;
use super::turn::EventRun;
use crate::approvals::{self, Approval};
use crate::files;
use crate::load::{DisabledHook, Layer, ManifestFile, Remark};
use crate::processes::Job;
use crate::rules::Facts;
use crate::runners::{self, RunnerReply, RunnerRequest};
use crate::trust::{Trust, TrustedManifest};
use crate::world::RunMode;

/// What would happen to one event.
#[derive(Debug)]
pub struct EventExplanation {
    /// The event.
    pub event: Heading,
    /// What the call does; empty for an event without one.
    pub effects: Vec<Effect>,
    /// The same in sentences for people.
    pub sentences: Vec<String>,
    /// What our own guard and the rules that count say together, as the model and the person would read it.
    pub said: HookResult,
    /// Every hook that was loaded, in the order in which they are asked.
    pub hooks: Vec<HookExplanation>,
    /// The hooks that are switched off, and by what.
    pub off: Vec<DisabledHook>,
    /// What the person should know about the files.
    pub remarks: Vec<Remark>,
    /// What is trusted of the files that were found.
    pub trusted: Vec<TrustedManifest>,
    /// What was approved for events of this name, and is not used up.
    pub approvals: Vec<Approval>,
}

/// What would happen to one hook.
#[derive(Debug)]
pub struct HookExplanation {
    /// Who it is, and where it was written.
    pub hook: Arc<HookInfo>,
    /// The layer of its file; nothing where it is ours.
    pub layer: Option<Layer>,
    /// The event that it is for.
    pub event: EventName,
    /// Whether the answer waits for it.
    pub pace: WaitMode,
    /// The part of its condition that decided, where it has one and it was looked at.
    pub clause: Option<Box<str>>,
    /// What the rule does besides an answer.
    pub rule: RuleEffect,
    /// Whether it would be asked.
    pub fires: HookSelection,
}

/// What a rule that answers does to an action besides what it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleEffect {
    /// Nothing.
    #[default]
    None,
    /// The shell command runs confined.
    Confines,
    /// What may be destroyed is kept before.
    Keeps,
}

impl RuleEffect {
    fn of(hook: &Hook) -> Self {
        let Some(Action::Rule(then)) = hook.action() else {
            return Self::None;
        };
        if then.confine.is_some() || then.unknown == Some(UnknownPolicy::Confine) {
            return Self::Confines;
        }
        match then.keeps() {
            SnapshotMode::No => Self::None,
            _ => Self::Keeps,
        }
    }
}

/// Whether a hook would be asked.
#[derive(Debug)]
pub enum HookSelection {
    /// It would.
    Yes {
        /// By the subject's own name, or by another name of the same thing.
        hit: Hit,
        /// Its turn, from 1; hooks with the same turn are asked side by side.
        turn: usize,
        /// What asking it comes to.
        by: HookPreview,
    },
    /// It would not.
    No(SkipReason),
}

/// What asking a hook comes to.
#[derive(Debug)]
pub enum HookPreview {
    /// A process.
    Process(Box<Job>),
    /// Code of ours or a rule, which was asked: it starts nothing.
    Ours(HookResult),
    /// It cannot be asked, and this is what its failure is.
    Fault {
        /// The failure.
        fault: Fault,
        /// What it says about the event; nothing where the action goes on.
        refusal: Option<HookResult>,
    },
}

impl Context<'_> {
    /// Tells what [`Context::run`] would do with this payload, and starts nothing.
    pub fn explain(&self, payload: &[u8]) -> Result<EventExplanation, DecodeError> {
        let event = self.read(payload)?;
        let mut held = self.hold(&event, &mut |hooks, _| hooks);
        let off = std::mem::take(&mut held.loaded.off);
        let layer_of = |hook: &Hook| {
            let file = &hook.info.source.as_ref()?.file;
            let is_it = |found: &&ManifestFile| *found.file.to_string_lossy() == **file;
            held.found.iter().find(is_it).map(|found| found.layer)
        };
        let hooks = held.about(&event);
        let all: Vec<&Hook> = hooks.list().iter().map(AsRef::as_ref).collect();
        let mut turn = EventRun::begin(self, &held, &hooks, &event);
        turn.pass = RunMode::Told;
        turn.look_back(&event);
        let shared = turn.plain(&event, &all);
        let mut remarks = held.loaded.remarks.clone();
        let trusted = self.trusted(&held.found);
        let mut approvals = approvals::given(self.world).unwrap_or_else(|error| {
            let text = format!("what was approved cannot be read: {error}");
            remarks.push(Remark::new("approvals", text));
            Vec::new()
        });
        approvals.retain(|given| given.about.event == event.name.as_str());
        let mut turns = TurnCounter::default();
        let home = self.world.home();
        let facts = Facts::new(&event, &shared.project, home).sharing(&shared.last_call);
        let explain = |(at, hook): (usize, &Arc<Hook>)| {
            let selected = hooks.selected(at, &event);
            let asking = turn.asking(hook, &event, &shared);
            let clause = selected.is_ok().then(|| clause(&asking));
            let by = selected.and_then(|_| self.means(&asking));
            HookExplanation {
                hook: Arc::clone(&hook.info),
                layer: layer_of(hook),
                event: hook.event.clone(),
                pace: hook.pace,
                clause: clause.flatten(),
                rule: RuleEffect::of(hook),
                fires: match (selected, by) {
                    (Ok(hit), Ok(by)) => HookSelection::Yes {
                        hit,
                        turn: turns.of(hook, &by),
                        by,
                    },
                    (Err(why), _) | (_, Err(why)) => HookSelection::No(why),
                },
            }
        };
        let explained: Vec<HookExplanation> =
            hooks.list().iter().enumerate().map(explain).collect();
        let effects = facts.effects().unwrap_or_default();
        let mut said = together(&hooks, &explained);
        turn.word(&mut said.verdict, &event, &shared);
        Ok(EventExplanation {
            event: Heading::from(&event),
            sentences: effect::sentences(&effects, &shared.project),
            effects,
            said,
            hooks: explained,
            off,
            remarks,
            trusted,
            approvals,
        })
    }

    /// Lists what the person trusted of these files.
    fn trusted(&self, found: &[ManifestFile]) -> Vec<TrustedManifest> {
        let Some(places) = &self.world.places else {
            return Vec::new();
        };
        let mut kept = Trust::of(places).kept();
        let files: Vec<PathBuf> = found.iter().map(|found| files::real(&found.file)).collect();
        kept.retain(|kept| files.contains(&files::real(&kept.manifest)));
        kept
    }

    /// Finds what asking a hook comes to, or why it would not be asked after all.
    fn means(&self, asking: &RunnerRequest<'_>) -> Result<HookPreview, SkipReason> {
        let failed = |fault: Fault| {
            let class = asking.event.name.class();
            let refusal = asking.hook.refusal(&fault, class, self.loading.strict);
            let refusal = refusal.map(HookResult::from);
            HookPreview::Fault { fault, refusal }
        };
        let action = match &asking.hook.handler {
            Handler::InProcess(handler) => {
                return Ok(match handler.handle(asking.event) {
                    HandlerReply::Ready(Ok(said)) => HookPreview::Ours(said),
                    HandlerReply::Ready(Err(fault)) => failed(*fault),
                    // The hooks that a line makes itself are all ready.
                    HandlerReply::Pending(_) => HookPreview::Ours(HookResult::proceed()),
                });
            }
            Handler::Declared(action) => action,
        };
        // Of several parts the first that is looked at stands for all.
        let first = runners::prepare_parts(action, asking)?.swap_remove(0);
        Ok(match first.prepared {
            Err(fault) => failed(fault),
            Ok(RunnerReply::Said(said)) => HookPreview::Ours(*said),
            Ok(RunnerReply::Process(job)) => HookPreview::Process(job),
        })
    }
}

/// Returns the part of a condition that decides.
fn clause(asking: &RunnerRequest<'_>) -> Option<Box<str>> {
    let decided = runners::decided(asking.hook, &asking.facts()).ok()??;
    let text = asking.hook.condition.as_deref()?;
    text.get(decided.clause).map(Box::from)
}

/// Folds what those say who answer without a process, failures too, each with its name on it.
fn together(hooks: &Hooks, explained: &[HookExplanation]) -> HookResult {
    let mut all = HookResult::proceed();
    for ((hook, explanation), at) in hooks.list().iter().zip(explained).zip(0..) {
        let HookSelection::Yes { by, .. } = &explanation.fires else {
            continue;
        };
        let said = match by {
            HookPreview::Ours(said) => Some(said).filter(|_| hook.counts()),
            HookPreview::Fault { refusal, .. } => refusal.as_ref(),
            HookPreview::Process(_) => None,
        };
        if let Some(said) = said {
            let mut said = said.clone();
            said.stamp(HookId(at));
            all = all.then(said);
        }
    }
    all
}

/// Counts turns: declared hooks of one priority are asked side by side, unless their group says otherwise.
#[derive(Default)]
struct TurnCounter {
    now: usize,
    together: Option<i32>,
}

impl TurnCounter {
    fn of(&mut self, hook: &Hook, by: &HookPreview) -> usize {
        // What has nothing to say makes no one wait.
        if matches!(by, HookPreview::Ours(said) if said.is_identity()) {
            return self.now;
        }
        let priority = hook.info.priority;
        let is_beside = hook.is_declared() && hook.turn == hook::Concurrency::Together;
        if !(is_beside && self.together == Some(priority)) {
            self.now += 1;
        }
        self.together = is_beside.then_some(priority);
        self.now
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::manifest::Manifest;
    use anyhook_core::result::Kind;

    use crate::tests::{line, nobody};

    #[test]
    fn what_fails_says_what_it_says_when_it_runs() {
        let place = tempfile::tempdir().unwrap();
        let world = nobody(place.path());
        let payload = br#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
        for (hook, kind) in [
            (
                r#""type": "rule", "when": "tool_input.foo == 'x'", "then": {"deny": "no"}"#,
                Kind::Deny,
            ),
            (
                r#""type": "rule", "mode": "shadow", "when": "tool_input.foo == 'x'", "then": {"deny": "no"}"#,
                Kind::Continue,
            ),
            (
                r#""type": "rule", "when": "tool_name == 'Write'", "then": {"deny": "no"}"#,
                Kind::Continue,
            ),
        ] {
            let text = format!(
                r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"hooks": [{{{hook}}}]}}]}}}}"#
            );
            assert!(Manifest::parse(&text).is_ok());
            std::fs::write(place.path().join("hooks.json"), text).unwrap();
            let context = line(&world, place.path());
            let explained = context.explain(payload).unwrap().said;
            let ran = context.run(payload).report.result.verdict.kind();
            assert_eq!((explained.verdict.kind(), ran), (kind, kind), "{hook}");
        }
    }
}
