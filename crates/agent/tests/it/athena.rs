//! The facts of `ex_athena` that hold here too, through the loop where a fact is about it.

use std::sync::{Arc, Mutex};

use anyhook::athena::{
    Function, Input, Lifecycle, PreTool, Return, Table, events, run_lifecycle, run_pre_tool_use,
};
use anyhook::core::matcher::Matcher;
use anyhook::core::result::Reason;
use anyhook::hooks;
use anyhook_agent::agent::Agent;
use anyhook_agent::message::Message as Said;
use anyhook_agent::outcome::Finish;
use serde_json::json;

use crate::kit::Kit;

pub(crate) const READ: &str =
    r#"[{"calls": [{"name": "read", "input": {"file_path": "a.txt"}}]}, "one line"]"#;
pub(crate) const WRITE: &str = r#"[{"calls": [{"id": "c1", "name": "write", "input": {"file_path": "a.txt", "content": "x"}}]}, "done"]"#;

/// What functions saw, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A function that writes this down.
    pub(crate) fn writes(&self, text: &'static str) -> Function {
        let notes = self.0.clone();
        Function::new(move |_, _| notes.lock().unwrap().push(text.to_owned()))
    }

    /// A function that writes down the event, its id, and a value of its payload.
    pub(crate) fn sees(&self, key: &'static str) -> Function {
        let notes = self.0.clone();
        Function::new(move |input: &Input<'_>, id: Option<&str>| {
            let value = input.get(key).unwrap_or_default();
            let note = format!("{} {} {value}", input.event(), id.unwrap_or("nil"));
            notes.lock().unwrap().push(note);
        })
    }
}

/// An agent with a table mounted.
pub(crate) fn mounted(kit: &Kit, table: Table) -> Agent {
    let agent = kit.free();
    let table = table.finish().unwrap();
    table.mount(agent.session().hooks());
    agent
}

fn flat(event: &str, function: Function) -> Table {
    Table::new().listed(event, function)
}

pub(crate) fn answers(agent: &Agent) -> Vec<(String, bool)> {
    let all = agent.transcript().messages();
    let of = all.into_iter().filter_map(|message| match message {
        Said::Tool { text, failed, .. } => Some((text, failed)),
        _ => None,
    });
    of.collect()
}

#[test]
fn no_table_is_an_empty_one_and_what_is_wrong_with_one_is_told_at_once() {
    let empty = hooks! {}.finish().unwrap();
    assert!(empty.is_empty());
    assert_eq!(run_lifecycle(&empty, "Nonsense", &json!({})), Lifecycle::Ok);
    let table = hooks! {
        PreTooluse: [|_, _| ()],
        PreToolUse: [{ matcher: "(", hooks: [|_, _| ()] }],
    };
    let of_tools = ["PreToolUse", "PostToolUse"];
    let flat = events().filter(|event| !of_tools.contains(event));
    let nothing = || [Function::new(|_, _| ())];
    let table = flat.fold(table, |table, event| table.group(event, "write", nothing()));
    let mistakes = table.finish().unwrap_err().0;
    assert_eq!(mistakes[0].what, "there is no event `PreTooluse`");
    assert_eq!(mistakes[1].at.entry, "PreToolUse[0].matcher");
    assert!(mistakes[1].what.starts_with("`(` is no pattern"));
    let groups = mistakes.iter().skip(2);
    let is_told =
        |what: &str| what.ends_with("is about no tool, so it takes functions and no groups");
    assert!(groups.clone().all(|mistake| is_told(&mistake.what)));
    assert_eq!(groups.count(), 17);
}

#[test]
fn a_compiled_pattern_is_used_as_it_is() {
    let pattern = Matcher::unanchored("(?i)^WRITE$").unwrap();
    let deny = Function::new(|_, _| Return::deny("no"));
    let table = Table::new().group("PreToolUse", pattern, [deny]);
    let table = table.finish().unwrap();
    let said = |tool| run_pre_tool_use(&table, tool, &json!({"path": "a"}), Some("c1"));
    assert_eq!(said("write"), PreTool::Deny(Reason::new("no")));
    assert_eq!(said("rewrite"), PreTool::Ok);
}

#[test]
fn hooks_see_calls_in_their_order_also_where_they_are_asked_about_together() {
    let kit = Kit::new(
        r#"[{"calls": [{"name": "read", "input": {"file_path": "a"}},
            {"name": "write", "input": {"file_path": "b", "content": ""}},
            {"name": "read", "input": {"file_path": "c"}}, {"name": "read", "input": {"file_path": "d"}}]}]"#,
    );
    let notes = Notes::default();
    mounted(&kit, flat("PreToolUse", notes.sees("path"))).run("go");
    let notes = notes.all();
    let paths: Vec<&str> = notes
        .iter()
        .filter_map(|note| note.rsplit(' ').next())
        .collect();
    assert_eq!(paths, ["\"a\"", "\"b\"", "\"c\"", "\"d\""]);
}

#[test]
fn a_crash_ends_the_run() {
    for event in [
        "UserPromptSubmit",
        "PreIteration",
        "ChatParams",
        "PreToolUse",
        "PostToolUse",
    ] {
        let kit = Kit::new(WRITE);
        let crash = Function::new(|_, _| -> Return { panic!("no clause matched") });
        let finish = mounted(&kit, flat(event, crash)).run("go").finish;
        assert_eq!(finish.as_str(), "error_halted", "{event}");
        assert!(finish.told().contains("no clause matched"), "{event}");
    }
}

#[test]
fn after_a_halt_every_call_has_its_result() {
    let kit = Kit::new(
        r#"[{"calls": [{"name": "write", "input": {"file_path": "a", "content": "1"}},
            {"name": "write", "input": {"file_path": "b", "content": "2"}}]}]"#,
    );
    let halts = Function::new(|_, _| Return::halt("enough"));
    let mut agent = mounted(&kit, flat("PostToolUse", halts));
    assert_eq!(agent.run("go").finish, Finish::Halted("enough".into()));
    let ran = ("wrote 1 bytes to `a`".to_owned(), false);
    let not_run = ("not run: halted: enough".to_owned(), true);
    assert_eq!(answers(&agent), [ran, not_run]);
}

#[test]
fn a_halt_that_submits_is_a_success_and_stops() {
    let kit = Kit::new(WRITE);
    let submits = Function::new(|_, _| Return::submitted(json!({"answer": 42})));
    let finish = mounted(&kit, flat("PostToolUse", submits)).run("go").finish;
    assert_eq!(finish, Finish::Submitted(json!({"answer": 42})));
    assert_eq!(kit.seen.only(&["stop", "stop-failure"]), ["stop"]);
}

#[test]
fn repeated_denials_are_counted_for_tools_that_write_and_for_those_that_read() {
    for call in [WRITE, READ] {
        let one = call.split_once("}, \"").unwrap().0.trim_start_matches('[');
        let kit = Kit::new(&format!("[{one}}}, {one}}}, {one}}}, {one}}}]"));
        let denies = Function::new(|_, _| Return::deny("no"));
        let finish = mounted(&kit, flat("PreToolUse", denies)).run("go").finish;
        assert_eq!(finish.as_str(), "error_consecutive_mistakes");
    }
}

#[test]
fn the_model_reads_a_denial_as_an_error_and_what_was_added_below_a_result() {
    let kit = Kit::new(WRITE);
    let denies = Function::new(|_, _| Return::deny("protected_path"));
    let mut agent = mounted(&kit, flat("PreToolUse", denies));
    agent.run("go");
    let told = ("denied by a hook: protected_path".to_owned(), true);
    assert_eq!(answers(&agent), [told]);

    let kit = Kit::new(READ);
    std::fs::write(kit.path().join("a.txt"), "one").unwrap();
    let adds = Function::new(|_, _| Return::Augment("look elsewhere".into()));
    let mut agent = mounted(&kit, flat("PostToolUse", adds));
    agent.run("go");
    assert_eq!(
        answers(&agent),
        [("one\n\nlook elsewhere".to_owned(), false)]
    );
}

#[test]
fn a_child_and_a_grandchild_are_told_to_the_roots_table_with_their_parents_and_their_place() {
    let spawn = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "deeper"}}]}"#;
    let kit = Kit::new(&format!(r#"[{spawn}, {spawn}, "leaf", "middle", "done"]"#));
    let notes = Notes::default();
    let table = flat("SubagentStart", notes.sees("parent_session_id"));
    let table = table.listed("SubagentStop", notes.sees("isolation"));
    mounted(&kit, table.listed("Stop", notes.sees("parent_session_id"))).run("go");
    let place = r#"{"kind":"in_process","reason":"requested"}"#;
    assert_eq!(
        notes.all(),
        [
            "SubagentStart s1 \"s1\"",
            "SubagentStart s1.1 \"s1.1\"",
            "Stop s1.1.1 \"s1.1\"",
            &format!("SubagentStop s1.1 {place}"),
            "Stop s1.1 \"s1\"",
            &format!("SubagentStop s1 {place}"),
            "Stop s1 null",
        ]
    );
}
