//! The facts of `ex_athena`, one test each, in the profile that follows it; through the loop where a fact is about it.

mod keys;
mod runs;

use std::sync::{Arc, Mutex};

use anyhook::HookRegistry;
use anyhook::athena::{
    EventInput, HookTable, Profile, Return, Table, TableAnswer, TableFunction, run_lifecycle,
    run_pre_tool_use,
};
use anyhook::core::matcher::Matcher;
use anyhook::core::result::Reason;
use anyhook::hooks;
use anyhook_agent::agent::{Agent, AgentSetup};
use anyhook_agent::limits::RunLimits;
use anyhook_agent::message::ChatMessage as Said;
use anyhook_agent::order::EventOrder;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Denial, Permission, PermissionPhase, Permissions};
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
    pub(crate) fn writes(&self, text: &'static str) -> TableFunction {
        let notes = self.clone();
        TableFunction::new(move |_, _| notes.add(text))
    }
}

fn like(table: Table) -> HookTable {
    table.profile(Profile::Compat).finish().unwrap()
}

fn flat(event: &str, function: TableFunction) -> Table {
    Table::new().listed(event, function)
}

/// An agent in the order of the original, with a table mounted.
fn mounted(kit: &Kit, table: &HookTable) -> Agent {
    with(kit, table, |_| ())
}

fn with(kit: &Kit, table: &HookTable, change: impl FnOnce(&mut AgentSetup)) -> Agent {
    let mut setup = AgentSetup {
        order: EventOrder::Athena,
        ..kit.setup()
    };
    change(&mut setup);
    let agent = kit.agent(setup);
    table.mount(agent.session.hooks());
    agent
}

pub(crate) fn answers(agent: &Agent) -> Vec<(String, bool)> {
    let all = agent.transcript.messages();
    let of = all.into_iter().filter_map(|message| match message {
        Said::Tool { text, failed, .. } => Some((text, failed)),
        _ => None,
    });
    of.collect()
}

fn pre(table: Table, tool: &str) -> TableAnswer {
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
        phase: PermissionPhase::Default,
        can_use_tool: Some(Arc::new(move |_| asked())),
        ..Permissions::default()
    }
}

#[test]
fn no_table_is_an_empty_one_and_an_unknown_event_is_a_mistake() {
    let empty = hooks! {}.finish().unwrap();
    assert!(empty.mount(&HookRegistry::new()).is_empty());
    assert_eq!(
        run_lifecycle(&like(hooks! {}), "Nonsense", &json!({})),
        TableAnswer::Ok
    );
    let mistakes = hooks! { PreTooluse: [|_, _| ()] }.finish().unwrap_err();
    assert_eq!(mistakes.0[0].what, "there is no event `PreTooluse`");
}

#[test]
fn a_compiled_pattern_is_used_as_it_is() {
    let deny = || TableFunction::new(|_, _| Return::deny("no"));
    let pattern = || Matcher::unanchored("(?i)^WRITE$").unwrap();
    let table = || Table::new().group("PreToolUse", pattern(), [deny()]);
    assert_eq!(pre(table(), "write"), TableAnswer::Deny(Reason::new("no")));
    assert_eq!(pre(table(), "rewrite"), TableAnswer::Ok);
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
fn a_crash_where_a_halt_is_heard_ends_the_run() {
    for (event, script) in [
        ("UserPromptSubmit", WRITE),
        ("PreIteration", WRITE),
        ("ChatParams", WRITE),
        ("PreToolUse", WRITE),
        ("PostToolUse", WRITE),
        // A tool that only reads runs beside others.
        ("PreToolUse", READ),
        ("PostToolUse", READ),
    ] {
        let kit = Kit::new(script);
        let crash = TableFunction::new(|_, _| -> Return { panic!("no clause matched") });
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
        TableAnswer::Halt(crashed("no clause matched", "panicked"))
    );
}

#[test]
fn a_crash_that_is_not_reported_skips_those_after_it_and_is_told() {
    let kit = Kit::new(WRITE);
    let notes = Notes::default();
    let table = Table::new()
        .listed(
            "Stop",
            TableFunction::new(|_, _| -> Return { panic!("oh") }),
        )
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
