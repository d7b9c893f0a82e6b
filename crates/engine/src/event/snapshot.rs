//! A snapshot of what an action may destroy, before the answer lets it happen.

use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::event::Event;
use anyhook_core::fit::{Loss, LossKind, Substitute};
use anyhook_core::manifest::SnapshotMode;
use anyhook_core::result::{HookResult, Kind};

use super::Caller;
use super::tally::said;
use super::turn::EventRun;
use crate::files::with_causes;
use crate::text::{plain, quoted};
use crate::undo::{SnapshotRequest, Snapshots, need};

/// How much of an action is shown.
const SHOWN: usize = 200;

impl EventRun<'_> {
    /// Takes the snapshot that rules ask for, where the action may go on and may destroy something. What could not be kept is
    /// a loss, and a question where the rule says so.
    pub(super) fn snapshot(&mut self, event: &Event, finished: &mut DispatchOutcome) {
        let rules = said(self.hooks, &finished.steps).into_iter();
        let wanted = rules.map(|(by, then)| (then.keeps(), by)).max();
        let Some((wanted, by)) = wanted.filter(|(wanted, _)| *wanted != SnapshotMode::No) else {
            return;
        };
        let is_told = self.context.caller == Caller::Again;
        if is_told || !self.may_go_on(&finished.result) {
            return;
        }
        let Some(missing) = self.take(event, finished) else {
            return;
        };
        if wanted == SnapshotMode::OrAsk && !missing.is_empty() {
            let question = format!(
                "Not all of what this may destroy could be kept: {}. Go on?",
                missing.join("; ")
            );
            let mut asks = HookResult::ask(question);
            asks.stamp(by);
            finished.result = std::mem::take(&mut finished.result).then(asks);
        }
        let missing = missing.into_iter().map(|what| {
            let what = LossKind::Snapshot(what.into());
            Loss::new(what, Substitute::Nothing, Some(by))
        });
        self.late.extend(missing);
    }

    /// Tells whether the action may follow; a question that no person can answer now is a refusal.
    fn may_go_on(&self, said: &HookResult) -> bool {
        match said.verdict.kind() {
            Kind::Continue | Kind::Allow => true,
            Kind::Ask => {
                self.can.says(Kind::Ask) || !self.context.patience(self.hooks, said).is_zero()
            }
            Kind::Deny | Kind::Halt => false,
        }
    }

    /// Keeps what an action may destroy, and returns what could not be kept; nothing where it destroys nothing.
    fn take(&self, event: &Event, finished: &mut DispatchOutcome) -> Option<Vec<String>> {
        let world = self.context.world;
        let project = self.context.project(event);
        let done = self.done(event)?;
        let folder = event.text("cwd").map(|folder| project.join(&*folder));
        let folder = folder.unwrap_or_else(|| project.clone());
        let need = need(&done, &[&folder, &project])?;
        let wish = SnapshotRequest {
            id: &self.id,
            at: world.clock.now(),
            action: action(event),
            session: event.session().map(str::to_owned),
            need,
        };
        let taken = Snapshots::of(world).map(|snapshots| snapshots.take(wish));
        match taken {
            Some(Ok(taken)) => {
                let remark = format!(
                    "a snapshot was kept in {} ms: anyhook undo {}",
                    taken.milliseconds, taken.id
                );
                finished.remarks.push(remark.into());
                Some(taken.losses)
            }
            Some(Err(error)) => Some(vec![with_causes(&error)]),
            None => Some(vec!["there is no home folder to keep it in".to_owned()]),
        }
    }
}

/// Says in a line what an action is.
fn action(event: &Event) -> String {
    let data = event.data.json();
    let input = data.get("tool_input");
    let names = ["command", "file_path", "path"];
    let said = names.iter().find_map(|name| input?.get(*name)?.as_str());
    let tool = event.text("tool_name").unwrap_or_default();
    plain(&format!(
        "{tool} {}",
        quoted(said.unwrap_or_default(), SHOWN)
    ))
}
