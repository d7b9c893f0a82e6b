//! What all hooks say together, in the universal form and as a host hears it.

use serde_json::json;

use crate::package::{Package, command, lines};
use crate::packages::named;

/// A package in which one hook rewrites, one informs, and one asks about the file of a secret.
fn package() -> Package {
    let all = include_str!("packages.txt");
    let package = named(all, "a dispatch asserts the decision and who was asked");
    std::fs::remove_dir_all(package.path().join("hooks/tests/cases")).unwrap();
    package
}

#[test]
fn a_part_of_what_the_model_is_told_is_told_apart_and_who_expects_nothing_fails() {
    let package = package();
    let head =
        "event: pre-tool-use\nmode: dispatch\ninput:\n  overrides:\n    toolInput.command: npm i\n";
    package.case(
        "a",
        &format!(
            "name: a\n{head}expected:\n  injects: [pnpm]\n  rewrites: {{tool_input.command: npm}}\n"
        ),
    );
    package.case(
        "d",
        &format!("name: d\n{head}expected:\n  rewrites: {{tool_input.command: pnpm i}}\n"),
    );
    package.case("b", &format!("name: b\n{head}"));
    package.case("c", &format!("name: c\n{head}expected: {{}}\n"));
    let nothing = "expected: nothing is expected, so nothing could fail: `anyhook test --bless` writes what happens";
    assert_eq!(
        lines(&package.run()),
        [
            "fail a; rewrites: `tool_input.command` is rewritten otherwise; \
             injects: the model is told more than \"pnpm\": a part of it is `{$contains: \"pnpm\"}`"
                .to_owned(),
            format!("fail b; {nothing}"),
            format!("fail c; {nothing}"),
            "pass d".to_owned(),
        ]
    );
}

#[test]
fn what_a_host_alone_was_to_do_is_told_at_the_line_where_that_stands() {
    let package = package();
    let head = "event: pre-tool-use\nas: [claude-code, gemini-cli]\ninput:\n  overrides:\n    toolName: Write\n    \
                toolInput: {file_path: a}\nmode: dispatch\nexpected:\n";
    let own = "  on:\n    # here\n    claude-code:\n      # why\n      losses: []\n      decision: allow\n    \
               gemini-cli: {losses: []}\n  decision: allow\n";
    package.case("a", &format!("name: a\n{head}{own}"));
    let folded = "  decision: allow\n  on:\n    gemini-cli: {decision: allow}\n";
    package.case("b", &format!("name: b\n{head}{folded}"));
    let ran = package.run();
    let told = |ran: &anyhook_testing::CaseRun| {
        let about: Vec<&str> = ran.failures.iter().map(|one| one.about).collect();
        (about, ran.line())
    };
    let told: Vec<_> = ran.iter().map(told).collect();
    let lines = [15, 17, 10, 12].map(|line| (vec!["decision"], line));
    assert_eq!(told, lines);
}

#[test]
fn a_case_is_played_in_the_form_of_each_host_and_read_by_its_own_reader() {
    let package = package();
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nmode: dispatch\nas: [universal, claude-code, codex-cli]\ninput:\n  \
         overrides:\n    toolInput.command: npm publish\nexpected:\n  decision: ask\n  fires: [pnpm, conventions, publish]\n  \
         losses: []\n  on:\n    codex-cli:\n      decision: deny\n      losses: [verdict ask]\n",
    );
    let ran = package.run();
    assert_eq!(
        lines(&ran),
        ["pass a", "pass a[as=claude-code]", "pass a[as=codex-cli]"]
    );
    let sent = |at: usize| ran[at].evidence.as_ref().unwrap().sent["hook_event_name"].clone();
    assert_eq!(
        [sent(1), sent(2)],
        [json!("PreToolUse"), json!("PreToolUse")]
    );
}

#[test]
fn the_dialects_of_a_package_play_every_case_and_skip_what_a_host_does_not_have() {
    let hosts = anyhook::wires::hosts::HOSTS.iter();
    let without = hosts
        .map(|host| (host.id(), host.row("stop-failure")))
        .find(|(_, row)| row.is_none());
    let (without, _) = without.unwrap();
    let package = Package::new(&json!({
        "pre-tool-use": [{"hooks": [command("exit 2")]}],
        "stop-failure": [{"hooks": [command("exit 0")]}],
    }));
    let config = json!({"version": 1, "dialects": ["claude-code", without]});
    package.write("hooks/tests/test-config.json", &config.to_string());
    package.expects("a", "pre-tool-use", "decision: deny");
    package.case("b", "name: b\nevent: stop-failure\n");
    assert_eq!(
        lines(&package.run()),
        [
            "pass a".to_owned(),
            "pass a[as=claude-code]".to_owned(),
            format!("pass a[as={without}]"),
            "pass b".to_owned(),
            "pass b[as=claude-code]".to_owned(),
            format!("skip b[as={without}]; `{without}` has no event for `stop-failure`"),
        ]
    );
}
