//! A mark for each command that runs: a file that `anyhook get` and `anyhook say` remove when they fail inside it.
//!
//! A guard in `sh` asks with `$(anyhook get …)`, and a shell goes on when that fails. Then the guard would let pass what it
//! never saw. The mark is there before the hook starts, because to remove a file works also where none can be written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhook_confine::ResolvedPath;
use anyhook_core::effects::{Level, Notice};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{Hook, OnFault};
use anyhook_core::manifest::Action;
use anyhook_core::result::Kind;
use tempfile::TempPath;

use crate::files;
use crate::processes::Job;
use crate::world::{MARK, UserFolders, World};

const FAILED: &str =
    "`anyhook get` or `anyhook say` failed inside it, so it did not see the whole event";

/// The marks of the processes that run.
pub(super) struct ProcessMarks {
    folder: Option<PathBuf>,
    given: BTreeMap<usize, TempPath>,
}

impl ProcessMarks {
    pub(super) fn of(world: &World) -> Self {
        Self {
            folder: world.places.as_ref().map(UserFolders::payloads),
            given: BTreeMap::new(),
        }
    }

    /// Gives a command its mark. Without a folder of ours there is none, and its exit code is all that it can say.
    pub(super) fn give(&mut self, key: usize, hook: &Hook, job: &mut Job) {
        if !matches!(hook.action(), Some(Action::Command(_))) {
            return;
        }
        let Some(mark) = self.make() else { return };
        job.env.push((MARK.into(), mark.as_os_str().to_owned()));
        // What is confined cannot remove a file of ours, and writes into it instead.
        let target = mark.canonicalize().ok();
        let target = target.and_then(|mark| ResolvedPath::file(&mark));
        if let Some(confined) = &mut job.confined {
            confined.spec.write.extend(target);
        }
        self.given.insert(key, mark);
    }

    fn make(&self) -> Option<TempPath> {
        let folder = self.folder.as_ref()?;
        let file = || tempfile::Builder::new().prefix("mark-").tempfile_in(folder);
        let made = file().ok().or_else(|| {
            files::private_dir(folder).ok()?;
            file().ok()
        });
        Some(made?.into_temp_path())
    }

    /// Returns what a process says, of which this was read.
    pub(super) fn judged(&mut self, key: usize, hook: &Hook, said: HandlerResult) -> HandlerResult {
        let mark = self.given.remove(&key);
        let is_whole = |mark: TempPath| mark.symlink_metadata().is_ok_and(|meta| meta.len() == 0);
        if mark.is_none_or(is_whole) {
            return said;
        }
        let said = said?;
        let refuses = said.verdict.kind() >= Kind::Deny;
        let decides = hook.on_fault != OnFault::Continue || said.verdict.kind() == Kind::Allow;
        if decides && !refuses {
            return Err(Box::new(Fault::new(FaultKind::Errored, FAILED)));
        }
        let text = format!("anyhook: the hook `{}`: {FAILED}", hook.info.name);
        Ok(said.notifying(Notice::new(text).at(Level::Warning)))
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::event::Event;
    use anyhook_core::handler::Handler;
    use anyhook_core::manifest::Command;
    use anyhook_core::result::HookResult;

    use super::*;

    /// What a hook says whose mark is gone.
    fn said_without(on_fault: OnFault, said: HookResult) -> HandlerResult {
        let place = tempfile::tempdir().unwrap();
        let mut marks = ProcessMarks {
            folder: Some(place.path().join("payloads")),
            given: BTreeMap::new(),
        };
        let action = Action::Command(Command::default());
        let mut hook = Hook::new("tool:pre", "look", Handler::Declared(Box::new(action)));
        hook.on_fault = on_fault;
        let mut job = Job {
            program: "/bin/true".into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: "/".into(),
            stdin: [].into(),
            deadline: std::time::Duration::from_secs(1),
            confined: None,
        };
        marks.give(0, &hook, &mut job);
        assert_eq!(marks.judged(0, &hook, Ok(said.clone())), Ok(said.clone()));
        marks.give(0, &hook, &mut job);
        let (_, mark) = job.env.last().unwrap();
        std::fs::remove_file(mark).unwrap();
        marks.judged(0, &hook, Ok(said))
    }

    #[test]
    fn a_guard_that_did_not_see_the_event_failed_unless_it_refuses() {
        let of = |said| said_without(OnFault::Deny, said);
        assert!(of(HookResult::proceed()).is_err());
        assert!(of(HookResult::ask("Go on?")).is_err());
        assert!(of(HookResult::allow_because("fine")).is_err());
        assert_eq!(of(HookResult::deny("no")).unwrap().verdict.text(), "no");
    }

    #[test]
    fn a_hook_that_guards_nothing_is_told_of_and_its_answer_stays_but_for_an_approval() {
        let of = |said| said_without(OnFault::Continue, said);
        let kept = of(HookResult::proceed().inject("lint: 2 errors")).unwrap();
        assert_eq!(kept.effects.inject().len(), 1);
        assert!(
            kept.effects.notify()[0]
                .text
                .contains("did not see the whole event")
        );
        assert_eq!(
            of(HookResult::ask("Go on?")).unwrap().verdict.kind(),
            Kind::Ask
        );
        assert!(of(HookResult::allow_because("fine")).is_err());
    }

    #[test]
    fn code_of_the_program_has_no_mark() {
        let mut marks = ProcessMarks {
            folder: None,
            given: BTreeMap::new(),
        };
        let hook = Hook::on("stop", |_: &Event| ());
        assert!(marks.judged(3, &hook, Ok(HookResult::proceed())).is_ok());
    }
}
