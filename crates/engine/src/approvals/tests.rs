use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhook_core::can::Can;
use anyhook_core::event::{Event, Origin, OriginTool};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::manifest::Manifest;
use anyhook_core::matcher::Matcher;
use anyhook_core::ports::Approver;
use anyhook_core::question::{Answer, Choice, Question, Who};
use anyhook_core::result::{HookId, HookResult, Kind, Reason, Verdict};
use serde_json::{Value, json};

use super::*;
use crate::guarded;
use crate::state::{MemoryState, SessionKey, SessionState, State};

const NOW: i64 = 1_000_000_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A host at whose gates nobody can be asked.
const MUTE: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..Can::EVERYTHING
};

/// A package with two hooks and a script, a book and a session.
struct Place {
    folder: tempfile::TempDir,
    book: Book,
    state: MemoryState,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("hooks/scripts")).unwrap();
        let place = Self {
            book: Book::new(folder.path().join("approvals")),
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

    fn settle(&self, event: &Event, result: &HookResult, hooks: &Hooks, now: i64) -> Settled {
        self.settle_by(event, result, hooks, now, &MUTE, &[])
    }

    fn settle_by(
        &self,
        event: &Event,
        result: &HookResult,
        hooks: &Hooks,
        now: i64,
        can: &Can,
        approvers: &[&dyn Approver],
    ) -> Settled {
        let session = event.session().unwrap_or_default();
        let key = SessionKey::new("codex", session);
        let session = (!session.is_empty()).then_some((&key, &self.state as &dyn State));
        let known = Known::new(Some(&self.book), session, now);
        let with = Settling {
            hooks,
            can,
            known: Some(&known),
            approvers,
        };
        let settled = settle(event, result.clone(), &with);
        assert_eq!(known.trouble(), [""; 0]);
        settled
    }

    /// Leaves the question open, as the line does.
    fn open(&self, event: &Event, result: &HookResult, hooks: &Hooks, now: i64) -> Open {
        let exact = Exact::of(event, result);
        let puts = put_all(result, hooks, &exact).unwrap();
        let session = event.session().unwrap_or_default();
        let key = SessionKey::new("codex", session);
        let about = About::of(event, &exact, Some(&key));
        let code = self.book.open(about, &exact.text, puts, now).unwrap();
        let open = self.book.waiting(now).unwrap();
        open.into_iter().find(|open| open.code == code).unwrap()
    }

    /// Opens the question and says yes to it.
    fn approve(&self, event: &Event, result: &HookResult, hooks: &Hooks, lasts: Remember) {
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

fn yes(lasts: Remember) -> Answered {
    Answered {
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
fn d19_an_approval_settles_its_question_and_leaves_continue() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
    place.approve(&event, &asked, &hooks, Remember::Once);
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
fn d19_only_a_choice_that_grants_allow_gives_allow_and_not_by_a_tools_other_name() {
    let mut allow = question(0);
    allow.options = vec![Choice {
        label: "Run it".into(),
        grants: Grants::Allow,
        remember: Remember::Once,
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
        let answer = Answered {
            grants: Grants::Allow,
            lasts: Remember::Once,
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
fn d19_an_approval_for_once_serves_one_call_and_the_same_call_told_twice() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(&bash("ls", "1"), &asked, &hooks, Remember::Once);
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
fn d19_of_many_calls_at_the_same_moment_exactly_one_gets_an_approval_for_once() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(&bash("ls", "0"), &asked, &hooks, Remember::Once);
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
fn d19_an_approval_is_for_one_exact_action_of_one_session() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    place.approve(&bash("git push", "1"), &asked, &hooks, Remember::Session);
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
    let text = Exact::of(&native, &asked).text;
    assert!(
        text.starts_with("// codex calls this tool \"local_shell\"\n{"),
        "{text}"
    );
}

#[test]
fn d19_always_holds_in_every_session_until_the_hook_or_a_script_of_it_changes() {
    let place = Place::new();
    let asked = asks(&[0]);
    place.approve(&bash("ls", "1"), &asked, &place.hooks(), Remember::Always);
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
fn d19_every_question_needs_its_own_answer_and_only_the_open_ones_are_asked() {
    let place = Place::new();
    let hooks = place.hooks();
    let event = bash("ls", "1");
    place.approve(&event, &asks(&[0]), &hooks, Remember::Always);
    let both = asks(&[0, 1]);
    for can in [&MUTE, &Can::EVERYTHING] {
        let settled = place.settle_by(&event, &both, &hooks, NOW, can, &[]);
        assert_eq!(settled.result, asks(&[1]));
    }
    let other = Place::new();
    let hooks = other.hooks();
    other.approve(&event, &asks(&[0]), &hooks, Remember::Once);
    for _ in 0..2 {
        assert_eq!(other.settle(&event, &both, &hooks, NOW).result, both);
    }
    let alone = other.settle(&event, &asks(&[0]), &hooks, NOW);
    assert_eq!(alone.result, HookResult::proceed(), "it was not used up");
}

#[test]
fn d19_one_code_answers_every_question_of_an_event() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, both) = (bash("ls", "1"), asks(&[0, 1]));
    place.approve(&event, &both, &hooks, Remember::Once);
    let settled = place.settle(&event, &both, &hooks, NOW);
    assert_eq!(settled.result, HookResult::proceed());
}

#[test]
fn d8_an_approval_lifts_no_refusal() {
    let place = Place::new();
    let hooks = place.hooks();
    let event = bash("ls", "1");
    place.approve(&event, &asks(&[0]), &hooks, Remember::Always);
    for grave in [HookResult::deny("no"), HookResult::halt("stop")] {
        let folded = asks(&[0]).then(grave.clone());
        assert_eq!(place.settle(&event, &folded, &hooks, NOW).result, grave);
    }
}

#[test]
fn d28_what_anyhook_itself_asks_is_approved_for_once_and_no_longer() {
    let place = Place::new();
    let protected = guarded::Protected::default();
    let hooks: Hooks = [guarded::hook(protected)].into_iter().collect();
    let (event, asked) = (bash("anyhook trust", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert!(open.may_last(Remember::Once).is_ok());
    for lasts in [Remember::Session, Remember::Always] {
        let refused = place
            .book
            .approve(&open, &[yes(lasts)], Some(&place.state), NOW);
        assert!(matches!(refused, Err(BookError::TooLasting(_))));
    }
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
    place.approve(&event, &asked, &hooks, Remember::Once);
    let settled = place.settle(&event, &asked, &hooks, NOW);
    assert_eq!(settled.result, HookResult::proceed());
    // Nor does an approver's word last longer.
    let says = Says::always(Answer::AllowSession);
    let event = bash("anyhook trust", "9");
    place.settle_by(&event, &asked, &hooks, NOW, &MUTE, &[&says]);
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
}

/// Answers the same to every question, and counts them.
struct Says(Answer, AtomicUsize);

impl Says {
    fn always(answer: Answer) -> Self {
        Self(answer, AtomicUsize::new(0))
    }

    fn asked(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Approver for Says {
    fn answer(&self, _: &Event, _: &Question) -> Answer {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0
    }
}

#[test]
fn d19_an_approver_is_asked_only_where_the_host_cannot_ask_and_defers_to_the_next() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0, 1]));
    let settle = |can: &Can, one: &Says, two: &Says| {
        let approvers: [&dyn Approver; 2] = [one, two];
        let settled = place.settle_by(&event, &asked, &hooks, NOW, can, &approvers);
        (settled.result, one.asked(), two.asked())
    };
    let (defers, nods) = (Says::always(Answer::Defer), Says::always(Answer::AllowOnce));
    let natively = settle(&Can::EVERYTHING, &defers, &nods);
    assert_eq!(natively, (asked.clone(), 0, 0));
    let put = settle(&MUTE, &defers, &nods);
    assert_eq!(put, (HookResult::proceed(), 2, 2));
    let nobody = Says::always(Answer::Defer);
    assert_eq!(settle(&MUTE, &defers, &nobody).0, asked);
}

#[test]
fn d19_an_approvers_no_refuses_and_ends_the_asking() {
    let place = Place::new();
    let refuses = Says::always(Answer::Deny);
    let (event, asked) = (bash("ls", "1"), asks(&[0, 1]));
    let settled = place.settle_by(&event, &asked, &place.hooks(), NOW, &MUTE, &[&refuses]);
    let mut reason = Reason::new("A person refused this: Really?");
    reason.by = Some(HookId(0));
    let denied = Verdict::Deny {
        reasons: [reason].into(),
    };
    assert_eq!((settled.result.verdict, refuses.asked()), (denied, 1));
}

#[test]
fn d19_an_approvers_always_lasts_the_session_and_is_not_on_disk() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    let nods = Says::always(Answer::AllowAlways);
    place.settle_by(&bash("ls", "1"), &asked, &hooks, NOW, &MUTE, &[&nods]);
    let again = place.settle(&bash("ls", "2"), &asked, &hooks, NOW);
    assert_eq!(again.result, HookResult::proceed());
    assert_eq!(place.book.approvals(None, NOW).unwrap(), []);
    let data = bash("ls", "2").data.json().into_owned();
    let other = called("s-2", &Value::Object(data));
    assert_eq!(place.settle(&other, &asked, &hooks, NOW).result, asked);
}

#[test]
fn d4_what_only_the_host_may_answer_nobody_answers_for_it() {
    let place = Place::new();
    let hooks = place.hooks();
    let mut deferred = question(0);
    deferred.who = Who::Host;
    let (event, asked) = (bash("ls", "1"), HookResult::asks(deferred));
    let nods = Says::always(Answer::AllowOnce);
    let settled = place.settle_by(&event, &asked, &hooks, NOW, &MUTE, &[&nods]);
    assert_eq!((settled.result, nods.asked()), (asked.clone(), 0));
    assert_eq!(put_all(&asked, &hooks, &Exact::of(&event, &asked)), None);
}

#[test]
fn an_event_that_stops_nobody_asks_nobody() {
    let place = Place::new();
    let nods = Says::always(Answer::AllowOnce);
    let after = Event::new("tool:post", json!({"tool_name": "Bash"}));
    let asked = asks(&[0]);
    let settled = place.settle_by(&after, &asked, &place.hooks(), NOW, &MUTE, &[&nods]);
    assert_eq!((settled.result, nods.asked()), (asked, 0));
}

#[test]
fn d8_an_open_question_is_over_after_an_hour_and_an_approval_for_once_after_a_quarter() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert_eq!(
        place.book.waiting(NOW + HOUR).unwrap(),
        std::slice::from_ref(&open)
    );
    assert_eq!(place.book.waiting(NOW + HOUR + 1).unwrap(), []);
    let late = place
        .book
        .approve(&open, &[yes(Remember::Once)], None, NOW + HOUR + 1);
    assert!(matches!(late, Err(BookError::NoSuchCode)));
    place.approve(&event, &asked, &hooks, Remember::Once);
    let end = NOW + 15 * MINUTE;
    assert_eq!(place.settle(&event, &asked, &hooks, end + 1).result, asked);
    assert_eq!(
        place.settle(&event, &asked, &hooks, NOW - 1).result,
        asked,
        "a clock that was set back"
    );
    let settled = place.settle(&event, &asked, &hooks, end);
    assert_eq!(settled.result, HookResult::proceed());
}

#[test]
fn d8_a_code_works_once_and_only_for_what_was_shown() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert_eq!(open.code.len(), 6);
    assert_eq!(place.open(&event, &asked, &hooks, NOW), open, "one code");
    let mut swapped = open.clone();
    swapped.action = "something harmless".to_owned();
    let answer = [yes(Remember::Once)];
    let changed = place.book.approve(&swapped, &answer, None, NOW);
    assert!(matches!(changed, Err(BookError::Changed)));
    let too_few = place.book.approve(&open, &[], None, NOW);
    assert!(matches!(too_few, Err(BookError::Changed)));
    let _ = place.book.approve(&open, &answer, None, NOW).unwrap();
    let again = place.book.approve(&open, &answer, None, NOW);
    assert!(matches!(again, Err(BookError::NoSuchCode)));
    let next = place.open(&event, &asked, &hooks, NOW);
    assert_ne!(next.code, open.code);
    place.book.refuse(&next, NOW).unwrap();
    assert_eq!(place.book.waiting(NOW).unwrap(), []);
}

#[test]
fn a_question_that_no_person_could_read_is_not_left_open_and_neither_are_thousands() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    let long = bash(&"x".repeat(64 * 1024), "1");
    let exact = Exact::of(&long, &asked);
    let puts = put_all(&asked, &hooks, &exact).unwrap();
    let refused = place
        .book
        .open(About::of(&long, &exact, None), &exact.text, puts, NOW);
    assert!(matches!(refused, Err(BookError::TooLong(_))));
    for at in 0..70 {
        place.open(&bash(&format!("ls {at}"), "1"), &asked, &hooks, NOW + at);
    }
    let waiting = place.book.waiting(NOW + 70).unwrap();
    let summaries: Vec<&str> = waiting.iter().map(|open| &*open.about.summary).collect();
    assert_eq!(summaries.len(), 64);
    assert_eq!(summaries[0], "Bash {\"command\":\"ls 6\",\"timeout\":5}");
}

#[test]
fn a_file_that_cannot_be_understood_approves_nothing_and_goes_when_all_is_taken_back() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    place.approve(&event, &asked, &hooks, Remember::Always);
    let folder = place.folder.path().join("approvals");
    for (name, text) in [
        ("always.json", "{\"version\": 1, "),
        ("always.json", "[1, []]"),
        ("always.json", "{\"version\": 2, \"approvals\": []}"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
        let known = Known::new(Some(&place.book), None, NOW);
        let with = Settling {
            hooks: &hooks,
            can: &MUTE,
            known: Some(&known),
            approvers: &[],
        };
        assert_eq!(settle(&event, asked.clone(), &with).result, asked);
        assert!(known.trouble()[0].contains("always.json` cannot be understood"));
        let found = place.book.approvals(None, NOW);
        assert!(matches!(found, Err(BookError::Unreadable { .. })));
    }
    place.book.revoke(Which::All, None, NOW).unwrap();
    assert_eq!(place.book.approvals(None, NOW).unwrap(), []);
    std::fs::write(folder.join("open.json"), "garbage").unwrap();
    place.approve(&event, &asked, &hooks, Remember::Once);
    let settled = place.settle(&event, &asked, &hooks, NOW);
    assert_eq!(settled.result, HookResult::proceed());
}

#[test]
fn what_is_taken_back_is_asked_again() {
    let place = Place::new();
    let hooks = place.hooks();
    let sessions = crate::state::FileState::new(place.folder.path().join("sessions"));
    let asked = asks(&[0]);
    for (command, lasts) in [
        ("a", Remember::Once),
        ("b", Remember::Session),
        ("c", Remember::Always),
    ] {
        let open = place.open(&bash(command, "1"), &asked, &hooks, NOW);
        let _ = place
            .book
            .approve(&open, &[yes(lasts)], Some(&sessions), NOW)
            .unwrap();
    }
    let listed = || place.book.approvals(Some(&sessions), NOW).unwrap();
    let lasts = |all: &[Approval]| {
        all.iter()
            .map(|one| super::rank(one.lasts))
            .collect::<Vec<_>>()
    };
    let all = listed();
    assert_eq!(all.len(), 3);
    for one in &all {
        let which = Which::Of(one.id());
        let taken = place.book.revoke(which, Some(&sessions), NOW).unwrap();
        assert_eq!(taken, 1, "{:?}", lasts(&listed()));
    }
    assert_eq!(listed(), []);
    let nothing = place.book.revoke(Which::Of(""), Some(&sessions), NOW);
    assert_eq!(nothing.unwrap(), 0);
}

#[test]
fn the_files_are_for_one_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.approve(
        &bash("ls", "1"),
        &asks(&[0]),
        &place.hooks(),
        Remember::Always,
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = place.folder.path().join("approvals");
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn a_session_keeps_the_newest_approvals() {
    let place = Place::new();
    let event = bash("ls", "1");
    let asked = asks(&[0]);
    let exact = Exact::of(&event, &asked);
    let about = About::of(&event, &exact, None);
    let mut put = put_all(&asked, &place.hooks(), &exact).unwrap().remove(0);
    let mut session = SessionState::default();
    for at in 0..300 {
        put.key = format!("{at:04}");
        session.approve(Approval::new(&about, &put, yes(Remember::Session), at));
    }
    let kept: Vec<&String> = session.approvals.granted.keys().collect();
    assert_eq!((kept.len(), kept[0].as_str()), (256, "0044"));
}

#[test]
fn what_an_action_is_in_one_line_is_cut_between_letters() {
    let event = bash(&"é".repeat(300), "1");
    let summary = Exact::of(&event, &asks(&[0])).summary;
    assert!(summary.starts_with("Bash {\"command\":\"éé") && summary.ends_with("é…"));
    let prompt = Event::new("prompt:submit", json!({"prompt": "hi", "session_id": "s"}));
    let summary = Exact::of(&prompt, &asks(&[0])).summary;
    assert_eq!(summary, "{\"prompt\":\"hi\"}");
}
