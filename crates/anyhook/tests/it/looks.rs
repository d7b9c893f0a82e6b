//! Each look of an event at its session is a file that is locked, read and understood: two are enough.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use anyhook::core::effects::Injection;
use anyhook::core::fit::UndeliveredText;
use anyhook::core::report::Report;
use anyhook::event::Context;
use anyhook::state::{
    FlightGuard, MemoryState, PriorState, SessionKey, SessionState, State, StateError,
};
use serde_json::json;

use crate::lines::{line, world};

/// A state that counts the looks, and in which another process leaves a text around one of them.
#[derive(Default)]
struct Watched {
    kept: MemoryState,
    looks: Mutex<usize>,
    left: Option<Left>,
}

enum Left {
    Before(usize),
    After(usize),
}

impl Watched {
    fn leave(&self, key: &SessionKey) -> Result<(), StateError> {
        let text = UndeliveredText::Injection(Injection::new("the build is green"));
        self.kept
            .update(key, &mut |session| session.post(text.clone()).unwrap())
            .map(drop)
    }
}

impl State for Watched {
    fn update(
        &self,
        key: &SessionKey,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<PriorState, StateError> {
        let mut looks = self.looks.lock().unwrap();
        *looks += 1;
        if matches!(self.left, Some(Left::Before(look)) if look == *looks) {
            self.leave(key)?;
        }
        let loaded = self.kept.update(key, change)?;
        if matches!(self.left, Some(Left::After(look)) if look == *looks) {
            self.leave(key)?;
        }
        Ok(loaded)
    }

    fn look(&self, key: &SessionKey) -> Option<SessionState> {
        self.kept.look(key)
    }

    fn flight(
        &self,
        key: &SessionKey,
        event: &str,
        patience: Duration,
    ) -> Result<FlightGuard, StateError> {
        self.kept.flight(key, event, patience)
    }

    fn sweep(&self, now: i64) {
        self.kept.sweep(now);
    }
}

/// Tells an event of Claude Code, for which one hook is a program.
fn told(home: &Path, state: &Watched, event: &str, command: &str) -> Report {
    let manifest = home.join("hooks.json");
    let hook = json!([{"hooks": [{"type": "command", "command": command, "name": "it"}]}]);
    let hooks = json!({"pre-tool-use": hook, "stop": hook});
    let text = json!({"version": 1, "hooks": hooks}).to_string();
    std::fs::write(&manifest, text).unwrap();
    let world = world(home);
    let line = Context {
        manifest: Some(manifest),
        state: Some(state),
        ..line(&world)
    };
    let payload = json!({
        "session_id": "s-1", "transcript_path": "/t", "cwd": home, "hook_event_name": event,
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
    });
    let mut answered = line.run(payload.to_string().as_bytes());
    answered.settle();
    answered.report
}

fn injected(report: &Report) -> Vec<&str> {
    let said = report.said.as_ref().unwrap().effects.inject();
    said.iter().map(|text| &*text.text).collect()
}

#[test]
fn what_another_process_leaves_while_hooks_run_is_said_by_this_event() {
    let home = tempfile::tempdir().unwrap();
    let state = Watched {
        left: Some(Left::Before(2)),
        ..Watched::default()
    };
    let report = told(home.path(), &state, "PreToolUse", "true");
    assert_eq!(injected(&report), ["the build is green"]);
}

#[test]
fn what_another_process_leaves_after_the_last_look_is_said_by_the_next_event_once() {
    let home = tempfile::tempdir().unwrap();
    let state = Watched {
        left: Some(Left::After(2)),
        ..Watched::default()
    };
    let first = told(home.path(), &state, "PreToolUse", "true");
    assert_eq!(injected(&first), Vec::<&str>::new());
    let state = Watched {
        kept: state.kept,
        ..Watched::default()
    };
    let next = told(home.path(), &state, "PreToolUse", "true; true");
    assert_eq!(injected(&next), ["the build is green"]);
    let third = told(home.path(), &state, "PreToolUse", "true; true; true");
    assert_eq!(injected(&third), Vec::<&str>::new());
}
