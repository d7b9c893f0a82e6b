//! Questions: put in one dialog, settled by what was chosen, and told of.

use anyhook::core::hook::Hook;
use anyhook::core::question::{Choice, DefaultAnswer};
use anyhook::core::result::{HookResult, Kind};

use super::*;

fn asking(approver: Arc<dyn Approver>) -> Session {
    session(|setup| setup.approvers = vec![approver])
}

fn options(labels: &[&str]) -> Question {
    Question {
        options: labels.iter().map(|label| Choice::labelled(label)).collect(),
        ..Question::new("push?")
    }
}

fn settled(session: &Session, question: Question, command: &str) -> Kind {
    let said = HookResult::asks(question);
    let processed = session.process_blocking(said, &event(command), "gate");
    processed.result.verdict.kind()
}

#[test]
fn no_person_to_ask_is_a_refusal_that_says_so() {
    let session = session(|_| ());
    let patient = Question {
        default: DefaultAnswer::Allow,
        ..Question::new("push?")
    };
    let processed = session.process_blocking(HookResult::asks(patient), &event("ls"), "gate");
    assert_eq!(processed.result.verdict.kind(), Kind::Deny);
    let text = "No person is here to answer, so this is refused: push?";
    assert_eq!(processed.result.verdict.text(), text);
}

#[test]
fn several_questions_on_one_event_are_put_in_one_dialog_and_one_no_refuses() {
    let person = Person::new(|question| match &*question.prompt {
        "two?" => Answer::Deny,
        _ => Answer::AllowOnce,
    });
    let session = asking(person.clone());
    for (name, prompt) in [("a", "one?"), ("b", "two?"), ("c", "three?")] {
        session
            .hooks()
            .register(Hook::on("tool:pre", move |_: &Event| HookResult::ask(prompt)).named(name));
    }
    let acted = session.emit_blocking("tool:pre", bash("git push"));
    assert_eq!(person.dialogs(), [["a: one?", "b: two?", "c: three?"]]);
    let verdict = &acted.processed.result.verdict;
    assert_eq!(
        (verdict.kind(), verdict.text()),
        (Kind::Deny, "A person refused this: two?".into())
    );
    assert_eq!(
        acted.report.decided_by(),
        acted.report.result.verdict.questions()[0].by
    );
}

#[test]
fn the_engine_keeps_the_timeout_and_the_default_holds_on_timeout_and_on_failure() {
    struct Asleep;
    impl Approver for Asleep {
        fn answer(&self, _: &Event, _: &Question) -> Answer {
            loop {
                std::thread::park();
            }
        }
    }
    struct Broken;
    impl Approver for Broken {
        fn answer(&self, _: &Event, _: &Question) -> Answer {
            panic!("no terminal")
        }
    }
    let question = |default| Question {
        timeout: Duration::from_millis(20),
        default,
        ..Question::new("push?")
    };
    let late = "No answer came in time, so this is refused: push?";
    for (default, kind, text, remarks) in [
        (DefaultAnswer::Deny, Kind::Deny, late, 0),
        (DefaultAnswer::Allow, Kind::Continue, "", 1),
    ] {
        let processed = lint(
            &asking(Arc::new(Asleep)),
            HookResult::asks(question(default)),
        );
        let verdict = processed.result.verdict;
        assert_eq!((verdict.kind(), &*verdict.text()), (kind, text));
        assert_eq!(processed.remarks.len(), remarks);
        let broken = Question {
            default,
            ..Question::new("push?")
        };
        assert_eq!(settled(&asking(Arc::new(Broken)), broken, "ls"), kind);
    }
}

#[test]
fn each_step_of_an_approval_is_an_event() {
    let session = asking(Person::saying("Allow always"));
    let fields = "operation hook_names prompt options timeout default decision cached hook_name";
    let audit = Audit::of(&session, "approval:*", fields);
    let ask = || settled(&session, options(&["Allow always", "Deny"]), "git push");
    ask();
    assert_eq!(
        audit.take(),
        [
            json!({"event": "approval:required", "operation": "push?", "hook_names": ["gate"]}),
            json!({"event": "approval:requested", "prompt": "push?", "options": ["Allow always", "Deny"], "timeout": 300.0, "default": "deny", "hook_name": "gate"}),
            json!({"event": "approval:decision", "prompt": "push?", "decision": "proceed", "cached": false, "hook_name": "gate"}),
            json!({"event": "approval:granted", "operation": "push?"}),
        ]
    );
    // What was approved before requires nothing of anybody.
    ask();
    assert_eq!(audit.names(), ["approval:decision", "approval:granted"]);

    let refused = asking(Person::saying("Approve"));
    let audit = Audit::of(&refused, "approval:*", "reason");
    settled(&refused, options(&["Allow"]), "git push");
    let last = audit.take().pop().unwrap();
    let denied = json!({"event": "approval:denied", "reason": "A person refused this: push?"});
    assert_eq!(last, denied);

    let late = asking(Person::new(|_| Answer::TimedOut));
    let audit = Audit::of(&late, "approval:timeout", "default_taken hook_name");
    settled(&late, options(&["Allow"]), "git push");
    assert_eq!(
        audit.take(),
        [json!({"event": "approval:timeout", "default_taken": "deny", "hook_name": "gate"})]
    );
}

#[test]
fn a_hook_may_refuse_in_the_persons_place_and_never_approve() {
    let person = Person::saying("Allow");
    let session = asking(person.clone());
    session.hooks().on("approval:required", |event: &Event| {
        match event.text("operation").as_deref() {
            Some("refuse?") => HookResult::deny("not on Fridays"),
            _ => HookResult::allow(),
        }
    });
    let kind = settled(&session, Question::new("push?"), "ls");
    // An approving hook spares the person no question.
    assert_eq!((kind, person.dialogs().len()), (Kind::Continue, 1));
    let said = HookResult::asks(Question::new("refuse?"));
    let verdict = lint(&session, said).result.verdict;
    let why = (verdict.text(), verdict.reasons()[0].by);
    assert_eq!(why, ("not on Fridays".into(), None));
    assert_eq!(person.dialogs().len(), 1);
}

#[test]
fn where_it_is_too_late_to_ask_the_person_reads_the_question() {
    let person = Person::saying("Allow");
    let screen = Arc::new(Screen::default());
    let session = session(|setup| {
        setup.approvers = vec![person.clone()];
        setup.display = Some(screen.clone());
    });
    let event = Event::new("tool:post", bash("git push"));
    let processed = session.process_blocking(HookResult::ask("undo?"), &event, "gate");
    assert_eq!(processed.result, HookResult::proceed());
    assert_eq!(
        screen.take(),
        ["Warning gate: it is too late to ask: undo?"]
    );
    assert_eq!(person.dialogs(), [[""; 0]; 0]);
}
