//! What a case may expect of one hook: its exit code, its output, that it is asked at all.

use serde_json::json;

use crate::package::{Package, command, lines, told};

/// The lines of a case on `pre-tool-use` that expects this.
fn case(expected: &str) -> String {
    let indented = expected.replace('\n', "\n  ");
    format!("name: only\nevent: pre-tool-use\nexpected:\n  {indented}\n")
}

/// A hook, what its case expects, and how the case goes. `⏎` is the end of a line.
const HELD: &str = r#"
echo out; echo err >&2 ⇒ exit-code: 0⏎stdout-contains: [out]⏎stderr-contains: [err]⏎not-contains: [none] ⇒ pass only
echo out; echo err >&2 ⇒ exit-code: 3 ⇒ fail only; exit-code: expected 3, found 0
echo out; echo err >&2 ⇒ stdout-contains: [err]⏎stderr-contains: [out] ⇒ fail only; stdout-contains: stdout does not contain "err"; stderr-contains: stderr does not contain "out"
echo out; echo err >&2 ⇒ not-contains: [out, err] ⇒ fail only; not-contains: the output contains "out"; not-contains: the output contains "err"
echo out; echo err >&2 ⇒ stdout-json: {} ⇒ fail only; stdout-json: stdout is no JSON: expected value at line 1 column 1
printf '\033[31mred\033[0m\r\n' ⇒ stdout-contains: ["red\n"]⏎not-contains: ["\e"] ⇒ pass only
exit 1 ⇒ not-contains: [x] ⇒ fail only; fault: `pre-tool-use[0][0]` failed (exit_code): exit code 1
exit 1 ⇒ exit-code: 1 ⇒ pass only
exit 1 ⇒ fault: exit_code ⇒ pass only
exit 1 ⇒ fault: timed_out⏎exit-code: 1 ⇒ fail only; fault: a failure of kind `timed_out` was expected, and no hook failed so
echo '{"decision": "blok"' ⇒ exit-code: 0 ⇒ fail only; fault: `pre-tool-use[0][0]` failed (invalid_answer)
echo '{"formatted": true, "files": 1}' ⇒ exit-code: 0⏎stdout-json: {formatted: true} ⇒ pass only
echo '{"formatted": true, "files": 1}' ⇒ exit-code: 0⏎stdout-json: {formatted: false} ⇒ fail only; stdout-json
echo '{"formatted": true, "files": 1}' ⇒ stdout-json: {formatted: true} ⇒ fail only; fault: `pre-tool-use[0][0]` failed (invalid_answer)
echo '{"formatted": true, "files": 1}' ⇒ exit-code: 0 ⇒ fail only; fault: `pre-tool-use[0][0]` failed (invalid_answer)
echo '{"formatted": true, "files": 1}' ⇒ exit-code: 0⏎stdout-contains: [formatted] ⇒ fail only; fault: `pre-tool-use[0][0]` failed (invalid_answer)
exit 0 ⇒ fires: [gaurd, "pre-tool-use[0][0]"] ⇒ fail only; fires: `gaurd` was not asked: no hook of the package is called that"#;

#[test]
fn what_a_hook_does_is_held_against_what_its_case_expects() {
    for row in HELD.lines().skip(1) {
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
fn a_hook_that_is_never_asked_fails_its_case_and_says_which_matcher_and_why() {
    let package = Package::new(&json!({"pre-tool-use": [
        {"matcher": "Write|Edit", "hooks": [command("exit 2")]},
        {"hooks": [{"type": "command", "command": "exit 2", "when": "tool_input.command == 'rm'"}]},
        {"hooks": [command("cat ${file}")]},
        {"matcher": "Bash|Read", "hooks": [command("exit 1")]},
    ]}));
    package.expects("a", "pre-tool-use", "exit-code: 0");
    package.case("b", "name: b\nevent: pre-tool-use\nhook-index: 1\n");
    package.case("c", "name: c\nevent: pre-tool-use\nhook-index: 2\n");
    package.expects("d", "pre-tool-use", "fires: false");
    package.case(
        "g",
        "name: g\nevent: pre-tool-use\nhook-index: 3\nexpected:\n  exit-code: 2\n",
    );
    assert_eq!(
        lines(&package.run()),
        [
            "fail a; fires: `pre-tool-use[0][0]` is never asked about this payload: its matcher `Write|Edit` does not select `Bash`; that of `hook-index: 3` does",
            "fail b; fires: `pre-tool-use[1][0]` is never asked about this payload: its condition, `when` or the `effect` of its group, does not hold",
            "fail c; fires: `pre-tool-use[2][0]` is never asked about this payload: the event names no file for `${file}`",
            "pass d",
            "fail g; exit-code: expected 2, found 1, which is a failure of the hook and no answer",
        ]
    );
}

#[test]
fn a_fixture_of_another_shape_fails_and_one_of_the_same_shape_is_sent_as_the_event() {
    let package = Package::new(&json!({
        "stop": [{"hooks": [command("exit 0")]}],
        "post-tool-use": [{"hooks": [command("grep -q '\"hookEventName\":\"post-tool-use\"'")]}],
    }));
    package.case(
        "a",
        "name: a\nevent: stop\ninput:\n  fixture: fixtures/write.json\n",
    );
    package.case(
        "b",
        "name: b\nevent: post-tool-use\ninput:\n  fixture: fixtures/write.json\n",
    );
    assert_eq!(
        lines(&package.run()),
        [
            "fail a; event: the case is about `stop`, and its payload is a `pre-tool-use`",
            "pass b"
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

#[test]
fn a_rule_is_tested_by_what_it_makes_the_line_answer() {
    let package = Package::new(&json!({"pre-tool-use": [{"matcher": "Bash", "hooks": [
        {"type": "rule", "when": "runs('rm')", "then": {"deny": "no rm here"}},
    ]}]}));
    package.case("a", "name: a\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.command: rm x\nexpected:\n  \
        exit-code: 0\n  stdout-json:\n    hookSpecificOutput:\n      permissionDecision: deny\n      permissionDecisionReason: no rm here. This is because it runs `rm x`.\n");
    package.expects("b", "pre-tool-use", "fires: false");
    assert_eq!(lines(&package.run()), ["pass a", "pass b"]);
}

#[test]
fn a_case_that_is_skipped_says_why() {
    let package = Package::of("exit 0");
    package.case("a", "name: a\nevent: pre-tool-use\nskip: needs a printer\n");
    assert_eq!(lines(&package.run()), ["skip a; needs a printer"]);
}

#[test]
fn values_of_a_matrix_that_read_the_same_are_told_by_their_numbers() {
    let package = Package::of("exit 0");
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nmatrix:\n  toolInput.n: [1, \"1\", two, \"it's\"]\n",
    );
    assert_eq!(
        lines(&package.run()),
        [
            "pass a[toolInput.n=#0]",
            "pass a[toolInput.n=#1]",
            "pass a[toolInput.n=two]",
            "pass a[toolInput.n=#3]",
        ]
    );
}

#[test]
fn a_file_that_is_there_and_cannot_be_read_is_not_absent() {
    let package = Package::of("ln -s /etc/passwd link; mkdir folder; exit 0");
    let case = |path: &str| {
        format!(
            "name: only\nevent: pre-tool-use\nworkspace: {{a.txt: a}}\nexpected:\n  files:\n    {path}: {{$absent: true}}\n"
        )
    };
    for path in ["link", "folder"] {
        assert_eq!(
            package.try_case(&case(path)),
            [format!(
                "fail only; files: `{path}` is there, and is no file that can be read"
            )]
        );
    }
    assert_eq!(package.try_case(&case("nothing")), ["pass only"]);
}

#[test]
fn a_hook_of_a_type_that_cannot_run_is_skipped_and_says_so() {
    let package =
        Package::new(&json!({"stop": [{"hooks": [{"type": "prompt", "prompt": "Done?"}]}]}));
    package.case("a", "name: a\nevent: stop\n");
    assert_eq!(
        lines(&package.run()),
        [
            "skip a; a test asks no model: say what it answers with `input.model-response`, and hooks of type `prompt` are run"
        ]
    );
}

#[test]
fn a_matrix_multiplies_a_case_by_its_values() {
    let package = Package::of(
        "grep -q '\"tool_name\":\"Write\".*/etc/\\|/etc/.*\"tool_name\":\"Write\"' && exit 2; exit 0",
    );
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\ninput:\n  fixture: fixtures/write.json\nmatrix:\n  toolName: [Write, Edit]\n  \
         toolInput.file_path: [/etc/passwd, \"a'b\"]\nexpected:\n  exit-code: 2\n",
    );
    assert_eq!(
        lines(&package.run()),
        [
            "pass a[toolName=Write,toolInput.file_path=/etc/passwd]",
            "fail a[toolName=Write,toolInput.file_path=#1]; exit-code: expected 2, found 0",
            "fail a[toolName=Edit,toolInput.file_path=/etc/passwd]; exit-code: expected 2, found 0",
            "fail a[toolName=Edit,toolInput.file_path=#1]; exit-code: expected 2, found 0",
        ]
    );
}

#[test]
fn what_is_sent_is_checked_when_the_matrix_has_changed_it_and_not_before() {
    let package = Package::of("exit 0");
    let text = |names: &str| {
        format!(
            "name: a\nevent: pre-tool-use\ninput:\n  overrides:\n    toolName: Write\n    tool_name: Edit\n\
             matrix:\n  tool_name: [{names}]\n"
        )
    };
    package.case("a", &text("Write"));
    assert_eq!(lines(&package.run()), ["pass a[tool_name=Write]"]);
    package.case("a", &text("Write, Bash"));
    assert_eq!(
        told(&package.read()),
        ["a.yaml:6:5: the payload is no event: `toolName` and `tool_name` hold different values"]
    );
}
