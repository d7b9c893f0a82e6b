//! The facts of `ex_athena`, one test each, in the profile that follows it; through the loop where a fact is about it.

mod keys;
mod runs;

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use anyhook::HookRegistry;
use anyhook::athena::{
    Function, Hooks, Input, Lifecycle, Message, Outputs, PostTool, PreTool, Profile, Return, Table,
    events, run_lifecycle, run_lifecycle_with_outputs, run_post_tool_use, run_pre_tool_use,
};
use anyhook::core::matcher::Matcher;
use anyhook::core::result::{Kind, Reason};
use anyhook::hooks;
use anyhook_agent::agent::{Agent, Setup};
use anyhook_agent::limits::Limits;
use anyhook_agent::message::Message as Said;
use anyhook_agent::order::ATHENA;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Denial, Permission, Permissions, Phase};
use serde_json::{Value, json};

use crate::kit::Kit;

pub(crate) const READ: &str =
    r#"[{"calls": [{"name": "read", "input": {"file_path": "a.txt"}}]}, "one line"]"#;
pub(crate) const WRITE: &str = r#"[{"calls": [{"id": "c1", "name": "write", "input": {"file_path": "a.txt", "content": "x"}}]}, "done"]"#;

/// What functions saw, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A function that writes this down.
    pub(crate) fn writes(&self, text: &'static str) -> Function {
        let notes = self.clone();
        Function::new(move |_, _| notes.add(text))
    }

    /// A function that writes down the event, its id, and a value of its payload.
    pub(crate) fn sees(&self, key: &'static str) -> Function {
        let notes = self.clone();
        Function::new(move |input: &Input<'_>, id: Option<&str>| {
            let value = input.get(key).unwrap_or_default();
            notes.add(format!("{} {} {value}", input.event(), id.unwrap_or("nil")));
        })
    }
}

fn like(table: Table) -> Hooks {
    table.profile(Profile::Compat).finish().unwrap()
}

fn flat(event: &str, function: Function) -> Table {
    Table::new().listed(event, function)
}

/// An agent in the order of the original, with a table mounted.
fn mounted(kit: &Kit, table: &Hooks) -> Agent {
    with(kit, table, |_| ())
}

fn with(kit: &Kit, table: &Hooks, change: impl FnOnce(&mut Setup)) -> Agent {
    let mut setup = Setup {
        order: &ATHENA,
        ..kit.setup()
    };
    change(&mut setup);
    let agent = kit.agent(setup);
    table.mount(agent.session().hooks());
    agent
}

pub(crate) fn answers(agent: &Agent) -> Vec<(String, bool)> {
    let all = agent.transcript().messages();
    let of = all.into_iter().filter_map(|message| match message {
        Said::Tool { text, failed, .. } => Some((text, failed)),
        _ => None,
    });
    of.collect()
}

fn pre(table: Table, tool: &str) -> PreTool {
    run_pre_tool_use(&like(table), tool, &json!({"path": "a"}), Some("c1"))
}

fn crashed(message: &str, kind: &str) -> Reason {
    Reason {
        code: Some("hook_crashed".into()),
        detail: Some(json!({"message": message, "kind": kind})),
        ..Reason::new(message)
    }
}

fn asks(asked: impl Fn() -> Permission + Send + Sync + 'static) -> Permissions {
    Permissions {
        phase: Phase::Default,
        can_use_tool: Some(Arc::new(move |_| asked())),
        ..Permissions::default()
    }
}

#[test]
fn no_table_is_an_empty_one_and_an_unknown_event_is_a_mistake() {
    assert!(hooks! {}.finish().unwrap().is_empty());
    assert_eq!(
        run_lifecycle(&like(hooks! {}), "Nonsense", &json!({})),
        Lifecycle::Ok
    );
    let mistakes = hooks! { PreTooluse: [|_, _| ()] }.finish().unwrap_err();
    assert_eq!(mistakes.0[0].what, "there is no event `PreTooluse`");
}

#[test]
fn groups_and_functions_mix_and_a_function_is_for_every_tool() {
    let notes = Notes::default();
    let table = Table::new()
        .group("PreToolUse", "write", [notes.writes("write only")])
        .listed("PreToolUse", notes.writes("every tool"));
    let hooks = like(table);
    run_pre_tool_use(&hooks, "read", &json!({}), None);
    run_pre_tool_use(&hooks, "write", &json!({}), None);
    assert_eq!(notes.all(), ["every tool", "write only", "every tool"]);
}

#[test]
fn a_group_under_a_lifecycle_event_is_a_mistake_for_each_of_them() {
    let of_tools = ["PreToolUse", "PostToolUse"];
    for event in events().filter(|event| !of_tools.contains(event)) {
        let table = Table::new().group(event, "write", [Function::new(|_, _| ())]);
        let mistakes = table.profile(Profile::Compat).finish().unwrap_err();
        assert_eq!(
            mistakes.0[0].what,
            format!("`{event}` is about no tool, so it takes functions and no groups")
        );
    }
}

#[test]
fn no_matcher_and_an_empty_one_are_for_every_tool() {
    let deny = || Function::new(|_, _| Return::deny("no"));
    let denied = PreTool::Deny(Reason::new("no"));
    assert_eq!(
        pre(Table::new().group("PreToolUse", None, [deny()]), "x"),
        denied
    );
    assert_eq!(
        pre(Table::new().group("PreToolUse", "", [deny()]), "x"),
        denied
    );
    assert_eq!(
        pre(
            hooks! { PreToolUse: [{ hooks: [|_, _| Return::deny("no")] }] },
            "x"
        ),
        denied
    );
}

#[test]
fn a_text_is_a_pattern_that_is_not_anchored_and_minds_case() {
    let hits = |pattern: &str, tool: &str| {
        let deny = Function::new(|_, _| Return::deny("no"));
        pre(Table::new().group("PreToolUse", pattern, [deny]), tool) != PreTool::Ok
    };
    assert!(hits("edit", "notebook_edit") && hits("(?i)write", "Write"));
    assert!(!hits("Write", "write") && !hits("write", "Write"));
    let star = Table::new().group("PreToolUse", "*", [Function::new(|_, _| ())]);
    let mistakes = star.finish().unwrap_err();
    assert_eq!(mistakes.0[0].at.entry, "PreToolUse[0].matcher");
}

#[test]
fn a_compiled_pattern_is_used_as_it_is() {
    let deny = || Function::new(|_, _| Return::deny("no"));
    let pattern = || Matcher::unanchored("(?i)^WRITE$").unwrap();
    let table = || Table::new().group("PreToolUse", pattern(), [deny()]);
    assert_eq!(pre(table(), "write"), PreTool::Deny(Reason::new("no")));
    assert_eq!(pre(table(), "rewrite"), PreTool::Ok);
}

#[test]
fn a_matcher_sees_the_tools_own_name_only() {
    let kit = Kit::new(WRITE);
    let notes = Notes::default();
    let table = Table::new()
        .group("PreToolUse", "Write", [notes.writes("by another name")])
        .group("PreToolUse", "a.txt", [notes.writes("by an argument")])
        .group("PreToolUse", "^write$", [notes.writes("by its own")]);
    mounted(&kit, &like(table)).run("go");
    assert_eq!(notes.all(), ["by its own"]);
}

#[test]
fn a_bad_table_is_told_at_once_and_not_at_the_first_call() {
    let table = hooks! {
        PreToolUse: [{ matcher: "(", hooks: [|_, _| ()] }],
        Stop: [{ matcher: "write", hooks: [|_, _| ()] }],
    };
    let mistakes = table.profile(Profile::Compat).finish().unwrap_err();
    let entries: Vec<&str> = mistakes.0.iter().map(|one| &*one.at.entry).collect();
    assert_eq!(entries, ["PreToolUse[0].matcher", "Stop[0]"]);
    assert!(mistakes.0[0].what.starts_with("`(` is no pattern"));
}

#[test]
fn a_function_that_cannot_be_called_is_a_crash_of_it_and_halts() {
    // Another arity does not compile here; what is left of the fact is that a function which fails halts.
    let table = hooks! { PreToolUse: [|_, _| Err::<(), _>("bad arity")] };
    assert_eq!(
        pre(table, "x"),
        PreTool::Halt(crashed("bad arity", "errored"))
    );
}

#[test]
fn functions_are_asked_in_the_order_of_the_table() {
    let notes = Notes::default();
    let table = Table::new()
        .group("PreToolUse", None, [notes.writes("1"), notes.writes("2")])
        .listed("PreToolUse", notes.writes("3"))
        .group("PreToolUse", "x", [notes.writes("4")]);
    assert_eq!(pre(table, "x"), PreTool::Ok);
    assert_eq!(notes.all(), ["1", "2", "3", "4"]);
}

#[test]
fn a_function_that_is_listed_twice_runs_twice() {
    let notes = Notes::default();
    let one = notes.writes("again");
    pre(
        Table::new().group("PreToolUse", None, [one.clone(), one]),
        "x",
    );
    assert_eq!(notes.all(), ["again", "again"]);
}

#[test]
fn arguments_stand_beside_the_tools_name_and_cannot_pose_as_it() {
    let seen: Arc<Mutex<Value>> = Arc::default();
    let kept = seen.clone();
    let table = hooks! { PreToolUse: [move |input: &Input<'_>, id: Option<&str>| {
        *kept.lock().unwrap() = json!([input.json(), id, input.text("tool_name")]);
    }] };
    let input = json!({"path": "a", "tool_name": "read"});
    run_pre_tool_use(&like(table), "write", &input, Some("c1"));
    let payload = json!({"path": "a", "tool_name": "write"});
    assert_eq!(*seen.lock().unwrap(), json!([payload, "c1", "write"]));
}

#[test]
fn the_second_argument_is_the_call_else_the_session_else_nothing() {
    let notes = Notes::default();
    let table = Table::new()
        .listed("PostToolUseFailure", notes.sees("reason"))
        .listed("Stop", notes.sees("finish_reason"))
        .listed("SubagentStop", notes.sees("outcome"));
    let hooks = like(table);
    let payload = json!({"tool_use_id": "c1", "session_id": "s1", "reason": "enoent"});
    run_lifecycle(&hooks, "PostToolUseFailure", &payload);
    let payload = json!({"session_id": "s1", "finish_reason": "stop"});
    run_lifecycle(&hooks, "Stop", &payload);
    run_lifecycle(&hooks, "SubagentStop", &json!({"outcome": "ok"}));
    assert_eq!(
        notes.all(),
        [
            "PostToolUseFailure c1 \"enoent\"",
            "Stop s1 \"stop\"",
            "SubagentStop nil \"ok\""
        ]
    );
    // In a loop, where every event has a session, it is nothing too.
    let kit = Kit::new(
        r#"[{"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]}, "looked", "done"]"#,
    );
    let notes = Notes::default();
    mounted(&kit, &like(flat("SubagentStart", notes.sees("prompt")))).run("go");
    assert_eq!(notes.all(), ["SubagentStart nil \"look\""]);
}

#[test]
fn of_a_denial_and_a_halt_the_first_is_the_answer() {
    let denies = || Function::new(|_, _| Return::deny("d"));
    let halts = || Function::new(|_, _| Return::halt("h"));
    let of = |functions: [Function; 2]| pre(Table::new().group("PreToolUse", None, functions), "x");
    assert_eq!(of([denies(), halts()]), PreTool::Deny(Reason::new("d")));
    assert_eq!(of([halts(), denies()]), PreTool::Halt(Reason::new("h")));
}

#[test]
fn a_halt_beats_what_was_added_wherever_it_stands() {
    let adds = || Function::new(|_, _| Return::Augment("a".into()));
    let halts = || Function::new(|_, _| Return::halt("h"));
    for functions in [[adds(), halts()], [halts(), adds()]] {
        let hooks = like(Table::new().group("PostToolUse", None, functions));
        let said = run_post_tool_use(&hooks, "x", &json!({"result": "r"}), None);
        assert_eq!(said, PostTool::Halt(Reason::new("h")));
    }
    let texts = ["a", "", "b"].map(|text| Function::new(move |_, _| Return::Augment(text.into())));
    let hooks = like(Table::new().group("PostToolUse", None, texts));
    assert_eq!(
        run_post_tool_use(&hooks, "x", &json!({}), None),
        PostTool::Augment("a\n\nb".into())
    );
}

#[test]
fn a_halt_keeps_what_was_said_before_it() {
    let hooks = like(hooks! { UserPromptSubmit: [
        |_, _| Return::inject(Message::user("be brief")),
        |_, _| Return::Transform("new".into()),
        |_, _| Return::halt("enough"),
        |_, _| Return::Transform("never".into()),
    ] });
    assert_eq!(
        run_lifecycle_with_outputs(&hooks, "UserPromptSubmit", &json!({"prompt": "old"})),
        Outputs {
            halt: Some(Reason::new("enough")),
            deny: None,
            injects: vec![Message::user("be brief")],
            transform: Some("new".into()),
        }
    );
}

#[test]
fn hooks_see_calls_in_their_order_also_where_they_are_asked_about_together() {
    let kit = Kit::new(
        r#"[{"calls": [{"name": "read", "input": {"file_path": "a"}},
            {"name": "write", "input": {"file_path": "b", "content": ""}},
            {"name": "read", "input": {"file_path": "c"}}, {"name": "read", "input": {"file_path": "d"}}]}]"#,
    );
    let notes = Notes::default();
    mounted(&kit, &like(flat("PreToolUse", notes.sees("path")))).run("go");
    let paths: Vec<String> = notes
        .all()
        .iter()
        .map(|note| note.rsplit(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(paths, ["\"a\"", "\"b\"", "\"c\"", "\"d\""]);
}

#[test]
fn a_crash_where_a_halt_is_heard_ends_the_run() {
    for event in [
        "UserPromptSubmit",
        "PreIteration",
        "ChatParams",
        "PreToolUse",
        "PostToolUse",
    ] {
        let kit = Kit::new(WRITE);
        let crash = Function::new(|_, _| -> Return { panic!("no clause matched") });
        let outcome = mounted(&kit, &like(flat(event, crash))).run("go");
        assert_eq!(outcome.finish.as_str(), "error_halted", "{event}");
        assert!(
            outcome.finish.told().contains("no clause matched"),
            "{event}"
        );
    }
    let crash = hooks! { Stop: [|_, _| -> Return { panic!("no clause matched") }] };
    assert_eq!(
        run_lifecycle(&like(crash), "Stop", &json!({})),
        Lifecycle::Halt(crashed("no clause matched", "panicked"))
    );
}

#[test]
fn a_crash_that_is_not_reported_skips_those_after_it_and_is_told() {
    let kit = Kit::new(WRITE);
    let notes = Notes::default();
    let table = Table::new()
        .listed("Stop", Function::new(|_, _| -> Return { panic!("oh") }))
        .listed("Stop", notes.writes("after the crash"));
    let faults: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = faults.clone();
    let mut agent = with(&kit, &like(table), |setup| {
        setup.watcher = Some(Arc::new(move |acted| {
            let texts = acted
                .report
                .faults()
                .map(|(_, fault)| fault.text.to_string());
            told.lock().unwrap().extend(texts);
        }));
    });
    assert_eq!(agent.run("go").finish, Finish::Stop);
    assert_eq!(notes.all(), Vec::<String>::new());
    assert_eq!(*faults.lock().unwrap(), ["the handler panicked: oh"]);
}

#[test]
fn what_a_hook_throws_reaches_no_caller() {
    let kit = Kit::new(WRITE);
    let throws = Function::new(|_, _| -> Return { std::panic::panic_any(5_u8) });
    let outcome = mounted(&kit, &like(flat("PreToolUse", throws))).run("go");
    assert_eq!(outcome.finish.as_str(), "error_halted");
    let ends = ["tool:pre", "stop-failure", "session:end"];
    assert_eq!(kit.seen.only(&ends), ends);
}

#[test]
fn what_a_hook_throws_about_a_tool_that_runs_beside_others_ends_nothing_else() {
    let kit = Kit::new(READ);
    let throws = Function::new(|_, _| -> Return { std::panic::panic_any(5_u8) });
    let mut agent = mounted(&kit, &like(flat("PostToolUse", throws)));
    assert_eq!(agent.run("go").finish.as_str(), "error_halted");
    assert_eq!(answers(&agent).len(), 1);
}

#[test]
fn a_crash_about_a_tool_that_only_reads_is_an_ordinary_halt() {
    let kit = Kit::new(READ);
    let table = Table::new().group(
        "PreToolUse",
        "read",
        [Function::new(|_, _| -> Return { panic!("oh") })],
    );
    let outcome = mounted(&kit, &like(table)).run("go");
    assert_eq!(outcome.finish.as_str(), "error_halted");
}

#[test]
fn a_hook_that_hangs_is_given_up_and_halts() {
    let kit = Kit::new(WRITE);
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let hangs = Function::new(move |_, _| drop(held.lock().map(|held| held.recv())));
    let mut agent = with(&kit, &like(flat("PreToolUse", hangs)), |setup| {
        setup.limits = Limits {
            hook: std::time::Duration::from_millis(50),
            ..Limits::default()
        };
    });
    assert_eq!(agent.run("go").finish.as_str(), "error_halted");
    assert!(!kit.path().join("a.txt").exists());
    drop(release);
}
