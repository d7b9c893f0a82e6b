mod approvers;
mod book;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, Origin, OriginTool};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::manifest::Manifest;
use anyhook_core::matcher::Matcher;
use anyhook_core::ports::Approver;
use anyhook_core::question::{Answer, AnswerLifetime, Answerer, Choice, Grants, Question};
use anyhook_core::result::{HookId, HookResult, Kind, Reason, Verdict};
use serde_json::{Value, json};

use super::*;
use crate::guarded;
use crate::state::{MemoryState, SessionKey, SessionState, State};

const NOW: i64 = 1_000_000_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A host at whose gates no person can be asked.
const MUTE: Capabilities = Capabilities {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..Capabilities::EVERYTHING
};

/// A package with two hooks and a script, a book and a session.
struct Place {
    folder: tempfile::TempDir,
    book: ApprovalBook,
    state: MemoryState,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("hooks/scripts")).unwrap();
        let place = Self {
            book: ApprovalBook::new(folder.path().join("approvals")),
            folder,
            state: MemoryState::default(),
        };
        place.write("scripts/ask.sh", "exit 0");
        place.write("hooks.json", &manifest("one", "sh hooks/scripts/ask.sh"));
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join("hooks").join(name), text).unwrap();
    }

    /// The hooks, as the file has them now.
    fn hooks(&self) -> Hooks {
        self.loaded().into_iter().collect()
    }

    fn loaded(&self) -> Vec<Hook> {
        let file = self.folder.path().join("hooks/hooks.json");
        let text = std::fs::read_to_string(&file).unwrap();
        let parsed = Manifest::parse(&text).unwrap();
        assert_eq!(parsed.findings, []);
        crate::load::hooks(&parsed.manifest, &file)
    }

    fn settle(&self, event: &Event, result: &HookResult, hooks: &Hooks, now: i64) -> Settlement {
        self.settle_by(event, result, hooks, now, &MUTE, &[])
    }

    #[expect(clippy::too_many_arguments, reason = "each test sets another of them")]
    fn settle_by(
        &self,
        event: &Event,
        result: &HookResult,
        hooks: &Hooks,
        now: i64,
        can: &Capabilities,
        approvers: &[&dyn Approver],
    ) -> Settlement {
        let session = event.session().unwrap_or_default();
        let key = SessionKey::new("codex", session);
        let session = (!session.is_empty()).then_some((&key, &self.state as &dyn State));
        let with = SettlementContext {
            hooks,
            can,
            book: Some(&self.book),
            session,
            now,
            approvers,
        };
        let settled = settle(event, result.clone(), &with);
        assert_eq!(settled.trouble, [""; 0]);
        settled
    }

    /// Leaves the question open, as the line does.
    fn open(&self, event: &Event, result: &HookResult, hooks: &Hooks, now: i64) -> OpenQuestion {
        let exact = ExactAction::of(event, result);
        let puts = put_all(result, hooks, &exact).unwrap();
        let session = event.session().unwrap_or_default();
        let key = SessionKey::new("codex", session);
        let about = ApprovalSubject::of(event, &exact, Some(&key));
        let code = self.book.open(about, &exact.text, puts, now).unwrap();
        let open = self.book.waiting(now).unwrap();
        open.into_iter().find(|open| open.code == code).unwrap()
    }

    /// Opens the question and says yes to it.
    fn approve(&self, event: &Event, result: &HookResult, hooks: &Hooks, lasts: AnswerLifetime) {
        let open = self.open(event, result, hooks, NOW);
        let yes = open.asked.iter().map(|_| yes(lasts)).collect::<Vec<_>>();
        let _ = self
            .book
            .approve(&open, &yes, Some(&self.state), NOW)
            .unwrap();
    }
}

fn manifest(name: &str, command: &str) -> String {
    let hook = |name: &str| json!({"type": "command", "command": command, "name": name});
    json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook(name), hook("two")]}]}})
        .to_string()
}

fn yes(lasts: AnswerLifetime) -> ApprovalAnswer {
    ApprovalAnswer {
        grants: Grants::Proceed,
        lasts,
    }
}

fn bash(command: &str, call: &str) -> Event {
    called(
        "s-1",
        &json!({
            "session_id": "s-1", "tool_use_id": call, "cwd": "/p", "tool_name": "Bash",
            "tool_input": {"command": command, "timeout": 5},
        }),
    )
}

fn called(session: &str, data: &Value) -> Event {
    let mut event = Event::new("tool:pre", data.clone());
    event.origin = Some(Box::new(Origin {
        host: "codex".into(),
        native: "PreToolUse".into(),
        session: Some(session.into()),
        ..Origin::default()
    }));
    event
}

fn question(by: u32) -> Question {
    let mut question = Question::new("Really?");
    question.by = Some(HookId(by));
    question
}

fn asks(by: &[u32]) -> HookResult {
    let questions = by.iter().map(|by| question(*by));
    HookResult::from(Verdict::Ask {
        questions: questions.collect(),
    })
}

#[test]
fn an_approval_settles_its_question_and_leaves_continue() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
    place.approve(&event, &asked, &hooks, AnswerLifetime::Once);
    let with_text = asked.clone().inject("mind the budget");
    let settled = place.settle(&event, &with_text, &hooks, NOW);
    assert_eq!(
        settled.result,
        HookResult::proceed().inject("mind the budget")
    );
    let [remark] = settled.remarks.try_into().unwrap();
    assert!(remark.starts_with("the question of `one` was approved for once by a person ("));
}

#[test]
fn only_a_choice_that_grants_allow_gives_allow_and_not_by_a_tools_other_name() {
    let mut allow = question(0);
    allow.options = vec![Choice {
        label: "Run it".into(),
        grants: Grants::Allow,
        remember: AnswerLifetime::Once,
    }];
    let asked = HookResult::asks(allow);
    let verdict_for = |tool: &str| {
        let place = Place::new();
        let hooks = place.loaded().into_iter();
        let hooks: Hooks = hooks
            .map(|hook| hook.when(Matcher::parse(tool).unwrap()))
            .collect();
        let mut event = bash("ls", "1");
        event.also = &["run_shell_command"];
        let open = place.open(&event, &asked, &hooks, NOW);
        let answer = ApprovalAnswer {
            grants: Grants::Allow,
            lasts: AnswerLifetime::Once,
        };
        let _ = place.book.approve(&open, &[answer], None, NOW).unwrap();
        place.settle(&event, &asked, &hooks, NOW).result.verdict
    };
    let mut reason = Reason::new("A person approved this.");
    reason.by = Some(HookId(0));
    let allowed = Verdict::Allow {
        reasons: [reason].into(),
    };
    assert_eq!(verdict_for("Bash"), allowed);
    assert_eq!(verdict_for("run_shell_command"), Verdict::Continue);
}

#[test]
fn an_approval_for_once_serves_one_call_and_the_same_call_told_twice() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(&bash("ls", "1"), &asked, &hooks, AnswerLifetime::Once);
    let kind = |call: &str, now: i64| {
        let settled = place.settle(&bash("ls", call), &asked, &hooks, now);
        settled.result.verdict.kind()
    };
    assert_eq!(kind("2", NOW), Kind::Continue);
    assert_eq!(kind("3", NOW), Kind::Ask, "another call");
    assert_eq!(kind("2", NOW + 2000), Kind::Continue, "told twice");
    assert_eq!(kind("2", NOW + 2001), Kind::Ask, "too late to be the same");
}

#[test]
fn of_many_calls_at_the_same_moment_exactly_one_gets_an_approval_for_once() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(&bash("ls", "0"), &asked, &hooks, AnswerLifetime::Once);
    let passed = std::thread::scope(|scope| {
        let one = |call: usize| {
            let (place, hooks, asked) = (&place, &hooks, &asked);
            scope.spawn(move || {
                let event = bash("ls", &call.to_string());
                let settled = place.settle(&event, asked, hooks, NOW);
                settled.result.verdict.kind() == Kind::Continue
            })
        };
        let all: Vec<_> = (1..9).map(one).collect();
        let passed = all.into_iter().map(|one| one.join().unwrap());
        passed.filter(|passed| *passed).count()
    });
    assert_eq!(passed, 1);
}

#[test]
fn an_approval_is_for_one_exact_action_of_one_session() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(
        &bash("git push", "1"),
        &asked,
        &hooks,
        AnswerLifetime::Session,
    );
    let kind = |data: &Value, session: &str, asked: &HookResult| {
        let settled = place.settle(&called(session, data), asked, &hooks, NOW);
        settled.result.verdict.kind()
    };
    let same = json!({
        "tool_input": {"timeout": 5, "command": "git push"}, "tool_name": "Bash", "cwd": "/p", "session_id": "s-1",
        "tool_use_id": "2", "turn_id": "t", "transcript_path": "/t",
    });
    assert_eq!(kind(&same, "s-1", &asked), Kind::Continue);
    assert_eq!(kind(&same, "s-2", &asked), Kind::Ask, "another session");
    for (field, value) in [
        ("tool_name", json!("Write")),
        (
            "tool_input",
            json!({"timeout": 5, "command": "git push --force"}),
        ),
        ("tool_input", json!({"command": "git push"})),
        ("cwd", json!("/q")),
        ("url", json!("https://elsewhere.example")),
        ("permission_mode", json!("bypassPermissions")),
    ] {
        let mut other = same.clone();
        other[field] = value;
        assert_eq!(kind(&other, "s-1", &asked), Kind::Ask, "{field}");
    }
    let rewritten = asked
        .clone()
        .modify("tool_input", json!({"command": "git push"}));
    assert_eq!(kind(&same, "s-1", &rewritten), Kind::Ask, "rewritten");
    let mut other = question(0);
    other.prompt = "Really, in production?".into();
    let other = HookResult::asks(other);
    assert_eq!(kind(&same, "s-1", &other), Kind::Ask, "another question");
    let other = asks(&[1]);
    assert_eq!(kind(&same, "s-1", &other), Kind::Ask, "another hook");
    let mut native = called("s-1", &same);
    native.origin.as_mut().unwrap().tool = Some(Box::new(OriginTool {
        name: "local_shell".into(),
        is: "Bash".into(),
        arguments: [].into(),
    }));
    let settled = place.settle(&native, &asked, &hooks, NOW);
    assert_eq!(settled.result, asked, "another tool of that name");
    let text = ExactAction::of(&native, &asked).text;
    assert!(
        text.starts_with("// codex calls this tool \"local_shell\"\n{"),
        "{text}"
    );
}

#[test]
fn always_holds_in_every_session_until_the_hook_or_a_script_of_it_changes() {
    let place = Place::new();
    let asked = asks(&[0]);
    place.approve(
        &bash("ls", "1"),
        &asked,
        &place.hooks(),
        AnswerLifetime::Always,
    );
    let data = bash("ls", "1").data.json().into_owned();
    let kind = || {
        let event = called("s-9", &Value::Object(data.clone()));
        let settled = place.settle(&event, &asked, &place.hooks(), NOW + 1000 * HOUR);
        settled.result.verdict.kind()
    };
    assert_eq!([kind(), kind()], [Kind::Continue; 2]);
    place.write("scripts/ask.sh", "exit 0 ");
    assert_eq!(kind(), Kind::Ask, "another script");
    place.write("scripts/ask.sh", "exit 0");
    assert_eq!(kind(), Kind::Continue);
    place.write("scripts/new.sh", "");
    assert_eq!(kind(), Kind::Ask, "one script more");
    std::fs::remove_file(place.folder.path().join("hooks/scripts/new.sh")).unwrap();
    place.write("hooks.json", &manifest("one", "sh  hooks/scripts/ask.sh"));
    assert_eq!(kind(), Kind::Ask, "another command");
    place.write("hooks.json", &manifest("uno", "sh hooks/scripts/ask.sh"));
    assert_eq!(kind(), Kind::Ask, "another name");
    place.write(
        "hooks.json",
        &format!("\n\n{}", manifest("one", "sh hooks/scripts/ask.sh")),
    );
    assert_eq!(kind(), Kind::Continue, "another line is the same hook");
}

#[test]
fn every_question_needs_its_own_answer_and_only_the_open_ones_are_asked() {
    let place = Place::new();
    let hooks = place.hooks();
    let event = bash("ls", "1");
    place.approve(&event, &asks(&[0]), &hooks, AnswerLifetime::Always);
    let both = asks(&[0, 1]);
    for can in [&MUTE, &Capabilities::EVERYTHING] {
        let settled = place.settle_by(&event, &both, &hooks, NOW, can, &[]);
        assert_eq!(settled.result, asks(&[1]));
    }
    let other = Place::new();
    let hooks = other.hooks();
    other.approve(&event, &asks(&[0]), &hooks, AnswerLifetime::Once);
    for _ in 0..2 {
        assert_eq!(other.settle(&event, &both, &hooks, NOW).result, both);
    }
    let alone = other.settle(&event, &asks(&[0]), &hooks, NOW);
    assert_eq!(alone.result, HookResult::proceed(), "it was not used up");
}

#[test]
fn one_code_answers_every_question_of_an_event() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, both) = (bash("ls", "1"), asks(&[0, 1]));
    place.approve(&event, &both, &hooks, AnswerLifetime::Once);
    let settled = place.settle(&event, &both, &hooks, NOW);
    assert_eq!(settled.result, HookResult::proceed());
}

#[test]
fn an_approval_lifts_no_refusal() {
    let place = Place::new();
    let hooks = place.hooks();
    let event = bash("ls", "1");
    place.approve(&event, &asks(&[0]), &hooks, AnswerLifetime::Always);
    for grave in [HookResult::deny("no"), HookResult::halt("stop")] {
        let folded = asks(&[0]).then(grave.clone());
        assert_eq!(place.settle(&event, &folded, &hooks, NOW).result, grave);
    }
}
