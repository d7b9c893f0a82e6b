//! Texts for the model: cleaned, within the limits, stored once, and nothing lost.

use anyhook::core::effects::{Injection, Level, Lifetime, Notice, Placement, Role};
use anyhook::core::event::EventName;
use anyhook::core::fault::{Fault, FaultKind};
use anyhook::core::result::{HookResult, Kind};
use anyhook::session::{HookFailure, place};
use anyhook::state::{FileState, SessionKey, State};

use super::*;

/// A session whose texts go into this conversation.
fn storing(context: &Arc<Conversation>) -> Session {
    session(|setup| setup.context = Some(context.clone()))
}

#[test]
fn a_text_is_stored_with_its_hook_its_event_and_the_time() {
    let context = Arc::new(Conversation::default());
    let session = storing(&context);
    let text = Injection {
        role: Role::User,
        name: Some("lint\u{7}er".into()),
        ..Injection::new("two \u{1b}[31merrors\u{0}")
    };
    let said = HookResult::proceed().injecting(text);
    let processed = lint(&session, said);
    assert_eq!(processed.result, HookResult::proceed());
    assert_eq!(
        *context.messages.lock().unwrap(),
        [InjectedMessage {
            role: Role::User,
            text: "two errors".into(),
            name: Some("linter".into()),
            hook: "lint".into(),
            event: EventName::new("tool:pre"),
            at: NOON,
            lifetime: Lifetime::Stored,
            place: Placement::Message,
        }]
    );
}

#[test]
fn an_ephemeral_text_is_never_stored_and_is_left_for_the_next_request() {
    let context = Arc::new(Conversation::default());
    let session = storing(&context);
    let todo = Injection {
        place: Placement::LastToolResult,
        ..Injection::new("todo: 2").ephemeral()
    };
    let said = HookResult::proceed()
        .injecting(todo)
        .injecting(Injection::new("now").ephemeral());
    let left = session.process_blocking(said, &event("ls"), "todo").result;
    assert_eq!(context.texts(), [""; 0]);

    // It belongs to the last tool result, where there is one, and to a message of its own where there is none.
    let mut request = vec![json!({"role": "tool", "content": "ok"})];
    place(left.effects.inject(), &mut request);
    assert_eq!(
        request,
        [
            json!({"role": "tool", "content": "ok\n\ntodo: 2"}),
            json!({"role": "system", "content": "now"}),
        ]
    );
    let mut request = vec![json!({"role": "user", "content": "go"})];
    place(&left.effects.inject()[..1], &mut request);
    assert_eq!(request[1], json!({"role": "system", "content": "todo: 2"}));
    let mut request = vec![json!({"role": "tool", "content": [{"type": "image"}]})];
    place(&left.effects.inject()[..1], &mut request);
    assert_eq!(
        request[0]["content"][1],
        json!({"type": "text", "text": "todo: 2"})
    );
}

#[test]
fn a_stored_text_goes_to_the_last_tool_result_or_else_into_a_message() {
    let text = Injection {
        place: Placement::LastToolResult,
        ..Injection::new("lint: 2")
    };
    for (has_tool_result, expected) in [(true, (1, 0)), (false, (0, 1))] {
        let context = Arc::new(Conversation {
            has_tool_result,
            ..Conversation::default()
        });
        let session = storing(&context);
        let said = HookResult::proceed().injecting(text.clone());
        lint(&session, said);
        let appended = context.appended.lock().unwrap().len();
        assert_eq!((appended, context.texts().len()), expected);
    }
}

#[test]
fn what_no_conversation_takes_is_left_in_the_result_and_told() {
    struct Full;
    impl ContextStore for Full {
        fn add_message(&self, message: &InjectedMessage) -> Result<(), PortError> {
            match &*message.text {
                "panic" => panic!("no table"),
                _ => Err(PortError::new("the conversation is full")),
            }
        }
    }
    let said = HookResult::proceed().inject("panic").inject("two");
    let alone = session(|_| ()).process_blocking(said.clone(), &event("ls"), "lint");
    assert_eq!(
        (alone.result.effects.inject().len(), alone.remarks.len()),
        (2, 0)
    );

    let session = session(|setup| setup.context = Some(Arc::new(Full)));
    let processed = lint(&session, said);
    assert_eq!(processed.result.effects.inject().len(), 2);
    assert_eq!(
        processed.remarks,
        [
            "the text of `lint` could not be stored: the handler panicked: no table".into(),
            "the text of `lint` could not be stored: the conversation is full".into(),
        ]
    );
}

#[test]
fn a_text_over_the_size_is_its_first_lines_and_a_private_file_with_all_of_it() {
    use std::os::unix::fs::MetadataExt;
    let place = tempfile::tempdir().unwrap();
    let context = Arc::new(Conversation::default());
    let session = session(|setup| {
        setup.context = Some(context.clone());
        setup.files = Some(place.path().join("values"));
    });
    let audit = Audit::of(&session, "policy:violation", "policy details");
    let text = "a line of the report\n".repeat(1000);
    lint(&session, HookResult::proceed().inject(&text));

    let stored = &context.texts()[0];
    assert!(stored.len() <= 10_240, "{}", stored.len());
    let (lines, told) = stored.rsplit_once('\n').unwrap();
    assert!(text.starts_with(lines) && lines.ends_with("report"));
    let file = told
        .split("in the file ")
        .nth(1)
        .unwrap()
        .trim_end_matches(']');
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
    assert_eq!(std::fs::metadata(file).unwrap().mode() & 0o777, 0o600);
    assert!(told.contains(" of 21000 bytes"), "{told}");
    assert_eq!(
        audit.take(),
        [json!({
            "event": "policy:violation", "policy": "session.injection_size_limit",
            "details": {"hook_name": "lint", "size": 21000, "limit": 10240, "file": file},
        })]
    );
}

#[test]
fn without_a_file_system_a_text_over_the_size_is_refused_with_a_fault() {
    let context = Arc::new(Conversation::default());
    let session = storing(&context);
    let audit = Audit::of(&session, "hook:error", "hook_name hook_event kind error");
    let said = HookResult::deny("no")
        .inject("x".repeat(10_241))
        .inject("short");
    let processed = lint(&session, said);
    let text =
        "its text is 10241 bytes long, and 10240 are the most; there is no folder for the rest";
    assert_eq!(
        processed.faults,
        [HookFailure {
            hook: "lint".into(),
            fault: Fault::new(FaultKind::OverLimit, text),
        }]
    );
    assert_eq!(context.texts(), ["short"]);
    assert_eq!(
        processed.result.verdict.kind(),
        Kind::Deny,
        "the verdict stands"
    );
    assert_eq!(
        audit.take(),
        [json!({
            "event": "hook:error", "hook_name": "lint", "hook_event": "tool:pre", "kind": "over_limit", "error": text,
        })]
    );
}

/// How many faults and remarks come of a text of seven tokens.
fn told(session: &Session) -> (usize, usize) {
    let processed = lint(
        session,
        HookResult::proceed().inject("1234567890123456789012345678"),
    );
    (processed.faults.len(), processed.remarks.len())
}

#[test]
fn over_the_budget_a_text_is_delivered_and_flagged_and_refused_where_strict() {
    for (strict, kept) in [(false, 2), (true, 1)] {
        let context = Arc::new(Conversation::default());
        let limits = json!({"injection_budget_per_turn": 10, "strict": strict});
        let session = session(|setup| {
            setup.context = Some(context.clone());
            setup.settings = settings(limits);
        });
        let audit = Audit::of(&session, "policy:violation", "policy details");
        assert_eq!((told(&session), audit.take().len()), ((0, 0), 0));
        assert_eq!(told(&session), (2 - kept, kept - 1));
        assert_eq!(context.texts().len(), kept);
        assert_eq!(session.injected_tokens().unwrap(), 7 * kept as u64);
        let details = json!({
            "hook_name": "lint", "tokens": 7, "spent": 14, "budget": 10, "refused": strict,
        });
        assert_eq!(
            audit.take(),
            [json!({
                "event": "policy:violation", "policy": "session.injection_budget_per_turn", "details": details,
            })]
        );

        // A turn begins with a prompt.
        session.emit_blocking("UserPromptSubmit", json!({"prompt": "go on"}));
        assert_eq!(session.injected_tokens().unwrap(), 0);
        assert_eq!(told(&session).1, 0);
    }
}

#[test]
fn null_is_no_limit_zero_is_one_and_what_is_no_number_is_an_error() {
    let none = settings(json!({"injection_size_limit": null, "injection_budget_per_turn": null}));
    assert_eq!(
        (none.injection_size_limit, none.injection_budget_per_turn),
        (None, None)
    );
    assert_eq!(
        settings(json!({"raw": true, "orchestrator": "loop"})),
        InjectionLimits::default()
    );
    assert_eq!(
        InjectionLimits::read(&json!({})).unwrap(),
        InjectionLimits::default()
    );
    let document = json!({"session": {"injection_size_limit": "10 KB"}});
    assert_eq!(
        InjectionLimits::read(&document).unwrap_err().to_string(),
        "`session` cannot be understood"
    );

    let context = Arc::new(Conversation::default());
    let session = session(|setup| {
        setup.context = Some(context.clone());
        setup.settings = settings(json!({"injection_size_limit": 0}));
    });
    let processed = lint(&session, HookResult::proceed().inject("x"));
    assert_eq!((processed.faults.len(), context.texts().len()), (1, 0));
}

#[test]
fn two_processes_of_one_session_share_the_budget_of_a_turn_and_a_lost_state_is_told() {
    let place = tempfile::tempdir().unwrap();
    let limits = json!({"injection_budget_per_turn": 10, "strict": true});
    let process = || {
        session(|setup| {
            setup.host = "my-agent".into();
            setup.settings = settings(limits.clone());
            setup.state = Arc::new(FileState::new(place.path().join("sessions")));
        })
    };
    assert_eq!(told(&process()).0, 0);
    assert_eq!(told(&process()).0, 1);
    let _ = process().reset_turn().unwrap();
    assert_eq!(told(&process()).0, 0);

    let state = FileState::new(place.path().join("sessions"));
    let key = SessionKey::new("my-agent", "s1");
    let mut turn = 0;
    let _ = state.update(&key, &mut |state| turn = state.turn).unwrap();
    assert_eq!(turn, 1);
    let broken = session(|setup| {
        setup.settings = settings(limits.clone());
        setup.state = Arc::new(FileState::new("/dev/null/nowhere"));
    });
    // What cannot be counted is over a strict budget.
    assert_eq!(told(&broken), (1, 1));
}

#[test]
fn messages_for_the_person_keep_level_and_source_and_are_not_lost() {
    let screen = Arc::new(Screen::default());
    let session = session(|setup| setup.display = Some(screen.clone()));
    let said = HookResult::proceed()
        .notify("all \u{1b}[1mgood")
        .notifying(Notice::new("no linter").at(Level::Error));
    let processed = lint(&session, said);
    assert_eq!(processed.result, HookResult::proceed());
    assert_eq!(
        screen.take(),
        ["Info lint: all good", "Error lint: no linter"]
    );
}
