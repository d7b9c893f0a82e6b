//! The payloads of a run: the keys of the original, each of them every time.

use super::*;

/// Events and their payloads, in order.
type Kept = Arc<Mutex<Vec<(String, Value)>>>;

/// A table that keeps the payload of every event.
fn keeping(events: &[&str]) -> (HookTable, Kept) {
    let kept = Kept::default();
    let mut table = Table::new();
    for event in events {
        let kept = kept.clone();
        let keeps = TableFunction::new(move |input: &EventInput<'_>, _: Option<&str>| {
            let payload = Value::Object(input.json());
            kept.lock().unwrap().push((input.event().into(), payload));
        });
        table = table.listed(event, keeps);
    }
    (like(table), kept)
}

#[test]
fn a_child_is_told_who_its_parent_is_and_a_parent_that_it_has_none() {
    let spawn = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]}"#;
    let kit = Kit::new(&format!(r#"[{spawn}, "leaf", "done"]"#));
    let (table, kept) = keeping(&["SessionStart", "SessionEnd", "Stop"]);
    mounted(&kit, &table).run("go");
    let parents = |event: &str| {
        let kept = kept.lock().unwrap();
        let of = kept.iter().filter(|(name, _)| name == event);
        let both = of.map(|(_, all)| (all["session_id"].clone(), all["parent_session_id"].clone()));
        both.collect::<Vec<_>>()
    };
    let (root, child) = ((json!("s1"), Value::Null), (json!("s1.1"), json!("s1")));
    assert_eq!(parents("SessionStart"), [root.clone(), child.clone()]);
    assert_eq!(parents("Stop"), [child.clone(), root.clone()]);
    assert_eq!(parents("SessionEnd"), [child, root]);
}

#[test]
fn a_failed_run_says_why_to_the_functions_of_stop_failure() {
    let call = r#"{"calls": [{"name": "read", "input": {"file_path": "a.txt"}}]}"#;
    let kit = Kit::new(&format!("[{call}, {call}]"));
    let (table, kept) = keeping(&["StopFailure"]);
    let mut agent = with(&kit, &table, |setup| {
        setup.limits = RunLimits {
            turns: 1,
            ..RunLimits::default()
        };
    });
    agent.run("go");
    let kept = kept.lock().unwrap();
    let [(_, told)] = &kept[..] else {
        panic!("{kept:?}");
    };
    assert_eq!(
        *told,
        json!({
            "session_id": "s1", "parent_session_id": null, "finish_reason": "error_max_turns", "result": "",
            "error": "the model was asked 1 times, which is the most for one prompt",
        })
    );
}

#[test]
fn every_key_of_an_event_is_there_in_each_payload() {
    let kit = Kit::new(WRITE);
    let (table, kept) = keeping(&["PreIteration", "PreToolUse", "PostToolUse"]);
    mounted(&kit, &table).run("go");
    let kept = kept.lock().unwrap();
    let keys = |event: &str| {
        let (_, all) = kept.iter().find(|(name, _)| name == event).unwrap();
        let mut keys: Vec<&str> = all
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(
        keys("PreIteration"),
        [
            "fingerprint",
            "iteration",
            "session_id",
            "unproductive_iterations"
        ]
    );
    assert_eq!(keys("PreToolUse"), ["content", "file_path", "tool_name"]);
    assert_eq!(
        keys("PostToolUse"),
        ["arguments", "cwd", "result", "tool_name"]
    );
}

/// Which fingerprint it is, counted from the first, and how many iterations came to nothing.
fn progress(kit: &Kit, table: &HookTable, kept: &Kept) -> Vec<(usize, Value)> {
    mounted(kit, table).run("go");
    let kept = kept.lock().unwrap();
    let mut seen: Vec<Value> = Vec::new();
    let each = kept.iter().map(|(_, all)| {
        let print = all["fingerprint"].clone();
        let at = seen.iter().position(|one| *one == print);
        let at = at.unwrap_or_else(|| {
            seen.push(print);
            seen.len() - 1
        });
        (at, all["unproductive_iterations"].clone())
    });
    each.collect()
}

#[test]
fn an_iteration_that_calls_the_same_with_the_same_result_and_says_nothing_came_to_nothing() {
    let read = |text: &str| json!({"text": text, "calls": [{"name": "read", "input": {"file_path": "a.txt"}}]});
    let write =
        json!({"calls": [{"name": "write", "input": {"file_path": "a.txt", "content": "new"}}]});
    let seen = |script: &Value| {
        let kit = Kit::new(&script.to_string());
        std::fs::write(kit.path().join("a.txt"), "old").unwrap();
        let (table, kept) = keeping(&["PreIteration"]);
        let first = progress(&kit, &table, &kept);
        assert_eq!(kept.lock().unwrap()[0].1["fingerprint"], json!([]));
        first
    };
    let row = |print: usize, count: u32| (print, json!(count));
    let same = json!([read(""), read(""), read(""), "done"]);
    assert_eq!(seen(&same), [row(0, 0), row(1, 0), row(1, 1), row(1, 2)]);
    // What it says is progress, and so is another result of the same call.
    let talks = json!([read(""), read("I look again"), read(""), "done"]);
    assert_eq!(seen(&talks), [row(0, 0), row(1, 0), row(1, 0), row(1, 1)]);
    let other = json!([read(""), write, read(""), "done"]);
    assert_eq!(seen(&other), [row(0, 0), row(1, 0), row(2, 0), row(3, 0)]);
}
