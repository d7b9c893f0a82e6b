//! What the run does with an answer, and whom it tells.

use super::*;

#[test]
fn a_halt_that_submits_is_a_success_and_stops() {
    let kit = Kit::new(WRITE);
    let submits = TableFunction::new(|_, _| Return::submitted(json!({"answer": 42})));
    let mut agent = mounted(&kit, &like(flat("PostToolUse", submits)));
    let finish = agent.run("go").finish;
    assert_eq!(finish, Finish::Submitted(json!({"answer": 42})));
    assert_eq!(kit.seen.only(&["stop", "stop-failure"]), ["stop"]);
}

#[test]
fn repeated_denials_are_counted_for_tools_that_write_and_for_those_that_read() {
    for call in [WRITE, READ] {
        let one = call.split_once("}, \"").unwrap().0.trim_start_matches('[');
        let kit = Kit::new(&format!("[{one}}}, {one}}}, {one}}}, {one}}}]"));
        let denies = TableFunction::new(|_, _| Return::deny("no"));
        let finish = mounted(&kit, &like(flat("PreToolUse", denies)))
            .run("go")
            .finish;
        assert_eq!(finish.as_str(), "error_consecutive_mistakes");
    }
}

#[test]
fn an_answer_of_can_use_tool_is_a_denial_with_a_code_or_a_halt() {
    let kit = Kit::new(WRITE);
    let seen: Arc<Mutex<Value>> = Arc::default();
    let kept = seen.clone();
    let table = hooks! { ToolDenied: [move |input: &EventInput<'_>, _: Option<&str>| {
        *kept.lock().unwrap() = input.get("denial").unwrap().into_owned();
    }] };
    let mut agent = with(&kit, &like(table), |setup| {
        setup.permissions = asks(|| Permission::Deny(Denial::by_user("not today")));
    });
    agent.run("go");
    let denial = seen.lock().unwrap().clone();
    assert_eq!(
        (&denial["reason"], &denial["code"]),
        (&json!("not today"), &json!("user_denied"))
    );

    let kit = Kit::new(WRITE);
    let mut agent = with(&kit, &like(hooks! {}), |setup| {
        setup.permissions = asks(|| Permission::Halt("go home".into()));
    });
    assert_eq!(agent.run("go").finish, Finish::Halted("go home".into()));
}

#[test]
fn the_model_reads_a_denial_as_an_error_and_what_was_added_below_a_result() {
    let kit = Kit::new(WRITE);
    let denies = TableFunction::new(|_, _| Return::deny("protected_path"));
    let mut agent = mounted(&kit, &like(flat("PreToolUse", denies)));
    agent.run("go");
    assert_eq!(
        answers(&agent),
        [("denied by a hook: protected_path".to_owned(), true)]
    );

    let kit = Kit::new(READ);
    let adds = TableFunction::new(|_, _| Return::Augment("look elsewhere".into()));
    let mut agent = mounted(&kit, &like(flat("PostToolUse", adds)));
    agent.run("go");
    // Also to the result of a tool that failed: there is no `a.txt`.
    let (text, failed) = &answers(&agent)[0];
    assert!(*failed && text.ends_with("\n\nlook elsewhere"), "{text}");
}

#[test]
fn in_the_original_every_transform_sees_the_first_prompt_and_the_last_one_wins() {
    let kit = Kit::new(r#"["done"]"#);
    let adds = |more: &'static str| {
        TableFunction::new(move |input: &EventInput<'_>, _: Option<&str>| {
            Return::Transform(format!("{} {more}", input.text("prompt").unwrap()))
        })
    };
    let table = Table::new()
        .listed("UserPromptSubmit", adds("one"))
        .listed("UserPromptSubmit", adds("two"));
    mounted(&kit, &like(table)).run("go");
    assert!(kit.last_request().contains("go two") && !kit.last_request().contains("go one"));
}
