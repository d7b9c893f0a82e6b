//! What a lasting approval would have let through in the past, by the record: shown before it is given.

use std::collections::BTreeSet;

use anyhook_core::ports::StoreError;
use anyhook_core::report::{Report, StepOutcome};
use anyhook_core::result::Kind;
use anyhook_engine::approvals::OpenQuestion;
use anyhook_engine::stores::Jsonl;

use super::time;

/// What the record has of exactly one action.
///
/// ```
/// use anyhook_care::record::ActionHistory;
/// let none = ActionHistory { events: 12, ..ActionHistory::default() };
/// assert_eq!(none.sentence(), "In the record (12 events) this exact action never happened before.");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionHistory {
    /// All events of the record.
    pub events: u64,
    /// Those of exactly this action.
    pub same: u64,
    /// Those of them at which these hooks asked and none refused: they would have passed without a question.
    pub passed: u64,
    /// Those of them that a hook refused: they would be refused still.
    pub refused: u64,
    /// The sessions of this action.
    pub sessions: BTreeSet<String>,
    /// When it happened last, in milliseconds since 1970.
    pub last: Option<i64>,
    /// Events of the same kind that cannot be compared, because the record hides or cuts a part of them.
    pub unknown: u64,
}

/// Asks the record what a yes for always to this question would have let through.
pub fn past(store: &Jsonl, open: &OpenQuestion) -> Result<ActionHistory, StoreError> {
    let mut past = ActionHistory::default();
    store.lines(&mut |line| {
        past.events += 1;
        // Most lines are of other events, and need not be read.
        let host = open.about.host.as_bytes();
        if !host.is_empty() && !line.windows(host.len()).any(|part| part == host) {
            return;
        }
        if let Some(report) = read(line) {
            past.add(&report, open);
        }
    })?;
    Ok(past)
}

fn read(line: &[u8]) -> Option<Report> {
    Report::from_json(serde_json::from_slice(line).ok()?).ok()
}

impl ActionHistory {
    fn add(&mut self, report: &Report, open: &OpenQuestion) {
        match open.is_of(report) {
            Some(false) => return,
            None => {
                let is_kind = report.event.name.as_str() == open.about.event;
                self.unknown += u64::from(is_kind && report.action.is_some());
                return;
            }
            Some(true) => {}
        }
        self.same += 1;
        self.last = self.last.max(report.at);
        self.sessions
            .extend(report.event.session.as_deref().map(str::to_owned));
        let said = report.steps.iter().filter_map(|step| match &step.became {
            StepOutcome::Said(Some(said)) => Some((report.hook(step.hook)?, said.verdict.kind())),
            _ => None,
        });
        let (mut is_asked, mut is_refused) = (false, false);
        for (hook, kind) in said {
            is_refused |= matches!(kind, Kind::Deny | Kind::Halt);
            is_asked |= kind == Kind::Ask && open.asked.iter().any(|put| *put.hook == *hook.name);
        }
        self.refused += u64::from(is_refused);
        self.passed += u64::from(is_asked && !is_refused);
    }

    /// Says it to a person who is about to answer.
    pub fn sentence(&self) -> String {
        let events = self.events;
        let mut text = if self.same == 0 {
            format!("In the record ({events} events) this exact action never happened before.")
        } else {
            format!(
                "In the record ({events} events) this exact action happened {} in {}, last on {}: {} would have passed without \
                 asking you, {} was blocked by a hook and would be blocked still.",
                times(self.same),
                sessions(self.sessions.len()),
                time(self.last, "%Y-%m-%d %H:%M"),
                self.passed,
                self.refused,
            )
        };
        if self.unknown > 0 {
            let more = format!(
                " {} more of its kind cannot be compared, because the record hides or cuts a part of them.",
                self.unknown
            );
            text.push_str(&more);
        }
        text
    }
}

fn times(many: u64) -> String {
    match many {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    }
}

fn sessions(many: usize) -> String {
    match many {
        1 => "one session".to_owned(),
        many => format!("{many} sessions"),
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::result::HookResult;
    use anyhook_engine::stores::RecordDetail;
    use serde_json::{Value, json};

    use super::*;

    fn open() -> OpenQuestion {
        let action = "// cursor calls this tool \"Shell\"\n{\"tool_input\": {\"command\": \"npm publish\"}, \"cwd\": \"/p\"}";
        let open = json!({
            "code": "K7F2Q9", "at": 9, "action": action,
            "about": {"host": "codex-cli", "event": "tool:pre", "summary": "Bash"},
            "asked": [{"key": "k", "hook": "careful", "prompt": "Really?", "options": [], "longest": "always"}],
        });
        serde_json::from_value(open).unwrap()
    }

    /// An event with what each of its hooks said, and something else about it.
    fn report(at: i64, command: &str, said: &[(&str, &str)], more: &Value) -> Report {
        let hooks = said
            .iter()
            .map(|(hook, _)| json!({"name": hook, "priority": 0, "guard": true, "shadow": false}));
        let steps = said.iter().enumerate().map(|(at, (_, verdict))| {
            let said = match *verdict {
                "ask" => HookResult::ask("Really?"),
                _ => HookResult::deny("frozen"),
            };
            json!({"hook": at, "became": {"said": said}})
        });
        let mut value = json!({
            "version": 1, "id": format!("r{at}"), "at": at,
            "event": {"name": "tool:pre", "host": "codex-cli", "session": format!("s-{}", at % 2)},
            "result": {"verdict": "continue"},
            "hooks": hooks.collect::<Vec<_>>(), "steps": steps.collect::<Vec<_>>(),
            "action": {"data": {"cwd": "/p", "tool_input": {"command": command}, "session_id": at, "tool_use_id": at}},
        });
        let fields = value.as_object_mut().unwrap();
        for (name, part) in more.as_object().into_iter().flatten() {
            let place = fields.get_mut(name).and_then(Value::as_object_mut);
            place.unwrap().extend(part.as_object().unwrap().clone());
        }
        Report::from_json(value).unwrap()
    }

    #[test]
    fn a_lasting_yes_is_held_against_every_event_of_exactly_this_action() {
        let home = tempfile::tempdir().unwrap();
        let store = Jsonl::new(home.path(), RecordDetail::Payload);
        let asked = &[("careful", "ask")][..];
        let none = json!({});
        let all = [
            report(1, "npm publish", asked, &none),
            report(2, "npm publish", asked, &none),
            report(
                3,
                "npm publish",
                &[("careful", "ask"), ("freeze", "deny")],
                &none,
            ),
            // Another hook asked; another command, agent, folder; a part that the record does not have; a transcript.
            report(4, "npm publish", &[("other", "ask")], &none),
            report(5, "npm publish --tag x", asked, &none),
            report(
                6,
                "npm publish",
                asked,
                &json!({"event": {"host": "cursor"}}),
            ),
            report(
                7,
                "npm publish",
                asked,
                &json!({"action": {"data": {"cwd": "/q", "tool_input": {"command": "npm publish"}}}}),
            ),
            report(
                8,
                "npm publish",
                asked,
                &json!({"action": {"hidden": ["token"]}}),
            ),
        ];
        store.append_all(&all).unwrap();
        store.append(&all[0]).unwrap();
        let found = past(&store, &open()).unwrap();
        let expected = ActionHistory {
            events: 9,
            same: 5,
            passed: 3,
            refused: 1,
            sessions: ["s-0", "s-1"].map(str::to_owned).into(),
            last: Some(4),
            unknown: 1,
        };
        assert_eq!(found, expected);
        assert_eq!(
            found.sentence(),
            "In the record (9 events) this exact action happened 5 times in 2 sessions, last on 1970-01-01 00:00: 3 would have \
             passed without asking you, 1 was blocked by a hook and would be blocked still. 1 more of its kind cannot be \
             compared, because the record hides or cuts a part of them."
        );
    }
}
