//! What a case may expect of one hook: its exit code, its output, that it is asked at all.

use serde_json::json;

use crate::package::Package;

/// The lines of a case on `pre-tool-use` that expects this.
fn case(expected: &str) -> String {
    let indented = expected.replace('\n', "\n  ");
    format!("name: only\nevent: pre-tool-use\nexpected:\n  {indented}\n")
}

/// The rows of `words.txt`: a hook, what its case expects, and how the case goes. `⏎` is the end of a line.
#[test]
fn what_a_hook_does_is_held_against_what_its_case_expects() {
    for row in include_str!("words.txt").lines() {
        let cells: Vec<&str> = row.split(" ⇒ ").collect();
        let [hook, expected, went] = cells[..] else {
            panic!("{row}")
        };
        let lines = Package::of(hook).try_case(&case(&expected.replace('⏎', "\n")));
        assert!(lines[0].starts_with(went), "{row}: {lines:?}");
    }
}

#[test]
fn json_differs_at_the_shortest_list_of_places() {
    let package = Package::of(
        r#"printf '%s' '{"hookSpecificOutput":{"hookEventName":"pre-tool-use","permissionDecision":"deny","permissionDecisionReason":"no"}}'"#,
    );
    package.case("only", &case("stdout-json:\n  hookSpecificOutput:\n    permissionDecision: allow\n    permissionDecisionReason: {$contains: n}\n    updatedInput: {$any: true}"));
    let ran = package.run();
    let differences: Vec<_> = ran[0].failures[0]
        .differences
        .iter()
        .map(|one| (one.at.as_str(), one.expected.clone(), one.found.clone()))
        .collect();
    assert_eq!(
        differences,
        [
            (
                "hookSpecificOutput.permissionDecision",
                json!("allow"),
                Some(json!("deny"))
            ),
            (
                "hookSpecificOutput.updatedInput",
                json!({"$any": true}),
                None
            ),
        ]
    );
}

#[test]
fn without_a_fixture_the_smallest_payload_is_sent() {
    let package = Package::of("cat");
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.deep.er: [1]\n",
    );
    let ran = package.run();
    let sent = &ran[0].evidence.as_ref().unwrap().sent;
    let root = package.path();
    assert_eq!(
        *sent,
        json!({
            "sessionId": "test-session",
            "toolName": "Bash",
            "toolInput": {"command": "true", "deep": {"er": [1]}},
            "hookEventName": "pre-tool-use",
            "cwd": root.to_str().unwrap(),
        })
    );
}
