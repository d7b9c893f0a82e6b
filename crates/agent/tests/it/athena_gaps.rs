//! The gaps in the design of `ex_athena` (A10), one test each, closed in the safe profile.

use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use anyhook::HookRegistry;
use anyhook::athena::{
    EventInput, HookTable, Return, Table, TableAnswer, TableFunction, events, run_lifecycle,
    run_pre_tool_use,
};
use anyhook::core::effects::Injection;
use anyhook::core::event::Event;
use anyhook::core::fault::FaultKind;
use anyhook::core::result::{HookResult, Kind, Reason};
use anyhook::hooks;
use anyhook_agent::agent::Agent;
use anyhook_agent::limits::RunLimits;
use serde_json::json;

use crate::athena::{Notes, WRITE, answers};
use crate::kit::Kit;

fn safe(table: Table) -> HookTable {
    table.finish().unwrap()
}

fn mounted(kit: &Kit, table: Table) -> Agent {
    let agent = kit.free();
    safe(table).mount(agent.session.hooks());
    agent
}

#[test]
fn a_return_that_an_event_does_not_know_is_a_fault_that_halts() {
    let all = || {
        [
            Return::deny("d"),
            Return::inject(Injection::new("i")),
            Return::Transform("t".into()),
            Return::Augment("a".into()),
            Return::Other(json!("deny")),
        ]
    };
    let mut known = BTreeSet::new();
    for event in events() {
        for (index, said) in all().into_iter().enumerate() {
            let word = ["Deny", "Inject", "Transform", "Augment", "Other"][index];
            let says = TableFunction::new(move |_, _| said.clone());
            let registry = HookRegistry::new();
            safe(Table::new().listed(event, says)).mount(&registry);
            let mut event_now = Event::new(event, json!({"tool_name": "x", "prompt": "p"}));
            let report = registry.dispatch_blocking(&mut event_now);
            let faults: Vec<FaultKind> = report.faults().map(|(_, fault)| fault.kind).collect();
            if faults.is_empty() {
                known.insert(format!("{event} {word}"));
            } else {
                assert_eq!(faults, [FaultKind::InvalidAnswer]);
                assert_eq!(report.result.verdict.kind(), Kind::Halt);
            }
        }
    }
    let injects = events().filter(|event| !["PreToolUse", "PostToolUse"].contains(event));
    let mut wanted: BTreeSet<String> = injects.map(|event| format!("{event} Inject")).collect();
    for more in [
        "PreToolUse Deny",
        "PermissionRequest Deny",
        "UserPromptSubmit Transform",
        "PostToolUse Augment",
    ] {
        wanted.insert(more.to_owned());
    }
    assert_eq!(known, wanted);
}

#[test]
fn a_matcher_that_selects_no_tool_is_a_mistake_and_one_by_another_name_is_none() {
    let tools = || ["read", "write", "edit"];
    let dead = hooks! { PreToolUse: [{ matcher: "^Ship$", hooks: [|_, _| ()] }] };
    let mistakes = dead.tools(tools()).finish().unwrap_err();
    assert_eq!(
        mistakes.0[0].what,
        "`^Ship$` selects no tool, so its functions are never asked"
    );
    // The first example of the seed: it never fires in the original.
    let kit = Kit::new(WRITE);
    let notes = Notes::default();
    let table = Table::new().group("PreToolUse", "Write|Edit", [notes.writes("asked")]);
    mounted(&kit, table.tools(tools())).run("go");
    assert_eq!(notes.all(), ["asked"]);
}

#[test]
fn a_hook_that_throws_or_hangs_ends_the_run_in_order() {
    let (release, held) = channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let hangs = TableFunction::new(move |_, _| drop(held.lock().map(|held| held.recv())));
    let throws = TableFunction::new(|_, _| -> Return { std::panic::panic_any(1_u8) });
    for function in [throws, hangs] {
        let kit = Kit::new(WRITE);
        let limits = RunLimits {
            hook: std::time::Duration::from_millis(50),
            ..RunLimits::default()
        };
        let mut agent = kit.limited(limits);
        safe(Table::new().listed("PreToolUse", function)).mount(agent.session.hooks());
        assert_eq!(agent.run("go").finish.as_str(), "error_halted");
        assert_eq!(answers(&agent).len(), 1);
        assert_eq!(kit.seen.names().last().unwrap(), "session:end");
    }
    drop(release);
}

#[test]
fn a_guard_of_a_table_is_asked_again_about_what_a_later_hook_rewrote() {
    let kit = Kit::new(WRITE);
    let guard =
        TableFunction::new(
            |input: &EventInput<'_>, _: Option<&str>| match input.text("path") {
                Some(path) if path.contains("secrets") => Return::deny("protected_path"),
                _ => Return::Ok,
            },
        );
    let mut agent = mounted(&kit, Table::new().group("PreToolUse", "write", [guard]));
    agent.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify(
            "tool_input",
            json!({"file_path": "secrets", "content": "x"}),
        )
    });
    agent.run("go");
    assert!(!kit.path().join("secrets").exists());
}

#[test]
fn a_permission_that_a_table_refuses_is_never_read_as_granted() {
    let denies = safe(hooks! { PermissionRequest: [|_, _| Return::deny("ask me tomorrow")] });
    assert_eq!(
        run_lifecycle(&denies, "PermissionRequest", &json!({"tool_name": "x"})),
        TableAnswer::Deny(Reason::new("ask me tomorrow"))
    );
    let halts = safe(hooks! { PreToolUse: [|_, _| Return::Other(json!("deny"))] });
    let said = run_pre_tool_use(&halts, "x", &json!({}), None);
    assert!(matches!(said, TableAnswer::Halt(why) if why.text.contains("no return")));
}
