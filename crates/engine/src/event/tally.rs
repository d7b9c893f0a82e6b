//! What a session has seen: read before its rules are asked, and kept after they answered.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::event::Event;
use anyhook_core::fit::{Loss, LossKind, Substitute};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::manifest::{Action, RuleAnswer};
use anyhook_core::report::{Step, StepOutcome};
use anyhook_core::result::{self, HookId};
use anyhook_effects::shell::LineAnalysis;

use super::turn::EventRun;
use crate::rules::{Facts, asks_memory, asks_written, counts_calls, written};

/// The events that tell of a call.
const CALLS: &[&str] = &["tool:pre", "tool:post", "tool:error"];

/// Tells what an event asks the session's memory for: whether a condition looks at it, and whether a call is counted.
fn wants(event: &Event, hooks: &Hooks) -> (bool, bool) {
    let mut all = hooks.list().iter();
    let asks = all.any(|hook| hook.event.covers(&event.name) && asks_memory(hook));
    let counts =
        CALLS.contains(&event.name.as_str()) && hooks.list().iter().any(|hook| counts_calls(hook));
    (asks, counts)
}

impl EventRun<'_> {
    /// Finds out what the session has seen, with this call; nothing where no condition asks or nothing is remembered.
    pub(super) fn recollect(&mut self, event: &Event) {
        let (asks, counts) = wants(event, self.hooks);
        let written = self.written(event);
        if !asks && !counts && written.is_empty() {
            return;
        }
        let tally = self.update(|session| {
            if counts {
                session.tally.hear(event);
            }
            session.tally.clone()
        });
        self.tally = tally.map(|mut tally| {
            tally.wrote(written);
            Arc::new(tally)
        });
    }

    /// Finds out the same and keeps nothing: for one who only looks, as this event would see it; and behind an event, which
    /// was counted.
    pub(super) fn look_back(&mut self, event: &Event) {
        let (asks, counts) = wants(event, self.hooks);
        let context = self.context;
        let Some((session, state)) = context.session(event).zip(context.state).filter(|_| asks)
        else {
            return;
        };
        let mut tally = state.look(&session).unwrap_or_default().tally;
        if !self.is_behind {
            if counts {
                tally.hear(event);
            }
            tally.wrote(self.written(event));
        }
        self.tally = Some(Arc::new(tally));
    }

    /// Remembers the files that a call writes, unless it is refused.
    pub(super) fn remember_written(&mut self, event: &Event, finished: &DispatchOutcome) {
        let is_refused = finished.result.verdict.kind() >= result::Kind::Deny;
        let written = if is_refused {
            Vec::new()
        } else {
            self.written(event)
        };
        if !written.is_empty() {
            self.update(|session| session.tally.wrote(written));
        }
    }

    /// Keeps the marks that rules set; those that could not be kept are losses.
    pub(super) fn mark(&mut self, finished: &mut DispatchOutcome) {
        let said = said(self.hooks, &finished.steps);
        let changes = said
            .iter()
            .flat_map(|(id, then)| then.marks.iter().map(move |mark| (*id, mark)));
        let changes: Vec<_> = changes.collect();
        if changes.is_empty() {
            return;
        }
        let kept = self.update(|session| {
            for (_, mark) in &changes {
                session.tally.change(mark);
            }
        });
        if kept.is_none() {
            let lost = changes.iter().map(|(id, mark)| {
                let what = LossKind::Mark(mark.name.clone().into());
                Loss::new(what, Substitute::Nothing, Some(*id))
            });
            self.late.extend(lost);
            return;
        }
        let remarks = changes.iter().map(|(_, mark)| {
            let done = if mark.lasts.is_some() {
                "set"
            } else {
                "taken away"
            };
            format!("the mark `{}` is {done}", mark.name).into()
        });
        finished.remarks.extend(remarks);
    }

    /// Returns what is remembered of the files that a call writes or may write, where a rule of these hooks asks for them.
    fn written(&self, event: &Event) -> Vec<String> {
        if event.name.as_str() != "tool:pre"
            || !self.hooks.list().iter().any(|hook| asks_written(hook))
        {
            return Vec::new();
        }
        let done = self.done(event).unwrap_or_default();
        written::names(&done.effects)
    }

    /// Returns what a call does.
    pub(super) fn done(&self, event: &Event) -> Option<Arc<LineAnalysis>> {
        let project = self.context.project(event);
        let facts = Facts::new(event, &project, self.context.world.home());
        facts.sharing(&self.held.last).done()
    }
}

/// Returns what the rules say that were asked and count, each once.
pub(super) fn said<'h>(hooks: &'h Hooks, steps: &[Step]) -> Vec<(HookId, &'h RuleAnswer)> {
    let answered = steps
        .iter()
        .filter(|step| matches!(step.became, StepOutcome::Said(_)));
    let answered: BTreeSet<HookId> = answered.map(|step| step.hook).collect();
    let rules = answered.into_iter().filter_map(|id| {
        let hook: &Hook = hooks.get(id)?;
        match hook.action()? {
            Action::Rule(then) if hook.counts() => Some((id, then)),
            _ => None,
        }
    });
    rules.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anyhook_core::result::Kind;
    use serde_json::{Value, json};

    use crate::event::Context;
    use crate::state::FileState;
    use crate::tests::{line, nobody};

    const RULES: &str = r#"{"version": 1, "hooks": {
        "post-tool-use": [{"hooks": [
            {"type": "rule", "when": "tool_name == 'WebFetch'", "then": {"mark": "web"}},
            {"type": "rule", "when": "tool_name == 'Read'", "then": {"mark": "read", "for": "turn"}},
            {"type": "rule", "when": "tool_name == 'Write'", "then": {"unmark": "web"}}
        ]}],
        "pre-tool-use": [{"hooks": [
            {"type": "rule", "when": "pushes() && marked('web')", "then": {"ask": "Push?"}},
            {"type": "rule", "when": "runs('reads') && marks('read') < 2", "then": {"deny": "too few"}},
            {"type": "rule", "when": "runs('budget') && (calls() > 2 || session_calls('Bash') > 4)", "then": {"deny": "too many"}},
            {"type": "rule", "when": "repeats() >= 2", "then": {"deny": "again"}},
            {"type": "rule", "when": "written_here()", "then": {"deny": "written here"}}
        ]}]
    }}"#;

    /// Tells of events one after the other, each to a line of its own as another process would.
    struct Session {
        place: tempfile::TempDir,
        id: Value,
    }

    impl Session {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            std::fs::write(place.path().join("hooks.json"), RULES).unwrap();
            let id = json!("s1");
            Self { place, id }
        }

        fn hear(&self, event: &str, fields: &Value) -> (Kind, Vec<String>) {
            let folder: &Path = self.place.path();
            let (world, state) = (nobody(folder), FileState::new(folder.join("sessions")));
            let context = Context {
                state: Some(&state),
                ..line(&world, folder)
            };
            let mut payload = fields.clone();
            payload["hook_event_name"] = event.into();
            payload["session_id"] = self.id.clone();
            let report = context.run(payload.to_string().as_bytes()).report;
            let remarks = report.remarks.iter().map(ToString::to_string).collect();
            (report.result.verdict.kind(), remarks)
        }

        fn bash(&self, command: &str) -> Kind {
            let input = json!({"tool_name": "Bash", "tool_input": {"command": command}});
            self.hear("PreToolUse", &input).0
        }

        fn after(&self, tool: &str) -> Vec<String> {
            let input = json!({"tool_name": tool, "tool_input": {}, "tool_response": "x"});
            self.hear("PostToolUse", &input).1
        }

        fn fails(&self, command: &str) {
            let input =
                json!({"tool_name": "Bash", "tool_input": {"command": command}, "error": "1"});
            self.hear("PostToolUseFailure", &input);
        }

        fn writes(&self, file: &str) {
            let input =
                json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": "x"}});
            assert_eq!(self.hear("PreToolUse", &input).0, Kind::Continue);
        }

        fn prompt(&self) {
            self.hear("UserPromptSubmit", &json!({"prompt": "go on"}));
        }
    }

    #[test]
    fn a_mark_is_seen_by_the_next_event_until_it_is_taken_away() {
        let session = Session::new();
        assert_eq!(session.bash("git push"), Kind::Continue);
        assert_eq!(session.after("WebFetch"), ["the mark `web` is set"]);
        assert_eq!(session.bash("git push"), Kind::Ask);
        session.prompt();
        assert_eq!(
            session.bash("git push"),
            Kind::Ask,
            "it lasts for the session"
        );
        assert_eq!(session.after("Write"), ["the mark `web` is taken away"]);
        assert_eq!(session.bash("git push"), Kind::Continue);
    }

    #[test]
    fn a_mark_of_a_turn_ends_with_it_and_is_counted() {
        let session = Session::new();
        session.after("Read");
        assert_eq!(session.bash("reads"), Kind::Deny);
        session.after("Read");
        assert_eq!(session.bash("reads"), Kind::Continue);
        session.prompt();
        assert_eq!(session.bash("reads"), Kind::Deny);
    }

    #[test]
    fn calls_are_counted_for_the_turn_and_for_the_session() {
        let session = Session::new();
        let asked = ["budget", "budget", "budget"].map(|line| session.bash(line));
        assert_eq!(asked, [Kind::Continue, Kind::Continue, Kind::Deny]);
        session.prompt();
        let asked = ["budget", "budget"].map(|line| session.bash(line));
        assert_eq!(
            asked,
            [Kind::Continue, Kind::Deny],
            "the fourth and fifth of the session"
        );
    }

    #[test]
    fn only_the_same_call_that_failed_just_before_repeats() {
        let session = Session::new();
        for _ in 0..2 {
            assert_eq!(session.bash("make"), Kind::Continue);
            session.fails("make");
        }
        assert_eq!(session.bash("make all"), Kind::Continue, "another call");
        assert_eq!(session.bash("make"), Kind::Deny);
        session.fails("make all");
        assert_eq!(
            session.bash("make"),
            Kind::Continue,
            "another one was made between"
        );
    }

    #[test]
    fn what_is_not_remembered_is_refused_where_a_rule_asks_for_it() {
        let mut session = Session::new();
        session.id = Value::Null;
        assert_eq!(session.bash("git push"), Kind::Deny);
        assert_eq!(
            session.bash("ls"),
            Kind::Deny,
            "a rule that asks for repeats cannot tell"
        );
    }

    #[test]
    fn what_the_session_wrote_is_known_where_it_runs() {
        let session = Session::new();
        for free in [
            "sh deploy.sh",
            "make test",
            "npm run clean",
            "./a",
            "python3 tool.py",
        ] {
            assert_eq!(session.bash(free), Kind::Continue, "{free}");
        }
        for file in ["deploy.sh", "Makefile", "notes.md"] {
            session.writes(file);
        }
        assert_eq!(session.bash("echo 'rm x' > tool.py"), Kind::Continue);
        for runs in [
            "sh deploy.sh",
            "./sub/deploy.sh",
            "make test",
            "python3 tool.py",
        ] {
            assert_eq!(session.bash(runs), Kind::Deny, "{runs}");
        }
        let same_line = "echo '{}' > package.json; npm run clean";
        assert_eq!(session.bash(same_line), Kind::Deny);
        for free in ["cat deploy.sh notes.md", "cargo test", "./a"] {
            assert_eq!(session.bash(free), Kind::Continue, "{free}");
        }
        assert_eq!(session.bash("date > \"$OUT\""), Kind::Continue);
        assert_eq!(
            session.bash("./a"),
            Kind::Deny,
            "it may be what was written"
        );
    }

    #[test]
    fn what_was_refused_was_not_written() {
        let session = Session::new();
        let line = "echo '{}' > package.json; npm run clean";
        assert_eq!(session.bash(line), Kind::Deny);
        assert_eq!(session.bash("npm run clean"), Kind::Continue);
    }

    #[test]
    fn what_others_put_into_the_project_was_not_written_here() {
        for (lines, then) in [
            (
                "npm install\nruff check --fix .\npython3 -m venv .venv",
                Kind::Continue,
            ),
            (
                "mkdir -p /tmp\nfor d in */; do touch $d/.gitkeep; done",
                Kind::Continue,
            ),
            ("git fetch origin\ngit rebase origin/main", Kind::Continue),
            (
                "git fetch origin pull/6/head\ngit merge FETCH_HEAD",
                Kind::Deny,
            ),
            ("git fetch ../other main\ngit merge FETCH_HEAD", Kind::Deny),
            ("git remote update\ngit merge other/main", Kind::Deny),
            ("git bundle unbundle x.bundle", Kind::Deny),
            ("cp -r /tmp/other src", Kind::Deny),
        ] {
            let session = Session::new();
            for line in lines.lines() {
                session.bash(line);
            }
            assert_eq!(session.bash("./configure"), then, "{lines}");
        }
    }

    #[test]
    fn a_folder_for_what_is_passing_counts_where_it_is_named() {
        let session = Session::new();
        session.bash("cp -r /opt/other /tmp/other-place");
        for free in [
            "./configure",
            "cd sub && ./configure",
            "make -C /tmp/elsewhere",
        ] {
            assert_eq!(session.bash(free), Kind::Continue, "{free}");
        }
        for runs in [
            "bash /tmp/other-place/run.sh",
            "cd /tmp && cd other-place && ./configure",
            "make -C/tmp/other-place",
            "make -C/tmp/../tmp/other-place",
            "./configure '-DLIB=a;/tmp/other-place/lib'",
            "make --directory=/tmp/other-place",
            "PYTHONPATH=/tmp/other-place ./configure",
            "export LIB=/a:/tmp/other-place/lib; ./configure",
            "make -C $PLACE",
            "cd / && ./configure",
        ] {
            assert_eq!(session.bash(runs), Kind::Deny, "{runs}");
        }
    }

    #[test]
    fn a_program_that_is_told_to_run_a_written_file_or_module_runs_it() {
        let session = Session::new();
        session.writes("tools/own.py");
        for line in ["cat tools/own.py", "python3 other.py", "python3 -m other"] {
            assert_eq!(session.bash(line), Kind::Continue, "{line}");
        }
        let session = Session::new();
        session.writes("tools/own.py");
        for line in [
            "python3 -m tools.own",
            "uv run own.py",
            "uv run python -m own",
        ] {
            assert_eq!(session.bash(line), Kind::Deny, "{line}");
        }
    }
}
