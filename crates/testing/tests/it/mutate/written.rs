//! The cases to write: what they are called, whom they ask, and that they notice what they are written for.

use std::collections::BTreeSet;

use anyhook_testing::{Mutated, Mutation, Survivor, coverage};
use serde_json::json;

use super::{all, mutants, survivors};
use crate::package::{Package, command};

/// Pastes the cases of all survivors, each into the file that is named.
fn paste(mutated: &Mutated) {
    for (_, Survivor { write, .. }) in mutated.survivors() {
        std::fs::write(&write.file, &write.text).unwrap();
    }
}

#[test]
fn every_case_to_write_has_a_name_of_its_own_that_no_case_and_no_file_has() {
    let guard =
        |tool: &str| json!({"name": "guard", "matcher": tool, "hooks": [command("exit 2")]});
    let long = "mcp__plugin_playwright_playwright__browser_take_screenshot";
    let package = Package::new(&json!({
        "pre-tool-use": [guard("Bash"), guard(&format!("Bash|{long}")), guard("^(Bash|mcp__a_b|mcp__A_B)$")],
        "post-tool-use": [guard("Bash")],
    }));
    // The name of one case, and the file of another, are those that would be given.
    let case = |stem: &str, name: &str, index: usize| {
        let text = format!(
            "name: {name}\nevent: pre-tool-use\nhook-index: {index}\nexpected:\n  exit-code: 2\n"
        );
        package.case(stem, &text);
    };
    case("a", "guard-matcher-removed", 0);
    case("guard-matcher-removed-2", "b", 1);
    case("c", "c", 2);
    package.case(
        "d",
        "name: d\nevent: post-tool-use\nexpected:\n  exit-code: 2\n",
    );
    let before = mutants(&package);
    let count = before.survivors().count();
    let files: BTreeSet<&str> = before
        .survivors()
        .map(|(_, one)| one.write.file.as_str())
        .collect();
    assert_eq!((count, files.len()), (7, 7), "{files:#?}");
    assert!(
        files.iter().all(|file| file.contains("/guard-")),
        "{files:#?}"
    );
    paste(&before);
    assert_eq!(survivors(&mutants(&package)), [""; 0]);
}

/// What comes of the mutant whose matcher is removed.
fn removed(package: &Package) -> String {
    let mutated = mutants(package);
    let mut all = all(&mutated).into_iter();
    all.find(|line| line.contains("matcher removed")).unwrap()
}

#[test]
fn a_condition_behind_a_matcher_is_no_excuse_where_it_lets_in_more() {
    let of = |matcher: &str, when: &str| {
        let rule = json!({"name": "guard", "type": "rule", "when": when, "then": {"deny": "no"}});
        Package::new(&json!({"pre-tool-use": [{"matcher": matcher, "hooks": [rule]}]}))
    };
    let case = |package: &Package, stem: &str, more: &str, overrides: &str, expected: &str| {
        let text = format!(
            "name: {stem}\nevent: pre-tool-use\n{more}input: {{overrides: {{{overrides}}}}}\nexpected: {{{expected}}}\n"
        );
        package.case(stem, &text);
    };
    let by_host = of("Bash", "host == 'claude-code'");
    case(&by_host, "a", "as: [claude-code]\n", "", "decision: deny");
    case(&by_host, "b", "", "", "fires: false");
    let by_name = of(
        "mcp__github__.*",
        "tool_name.startsWith('mcp__') && has(tool_input.command)",
    );
    case(
        &by_name,
        "a",
        "",
        "toolName: mcp__github__push",
        "decision: deny",
    );
    case(
        &by_name,
        "b",
        "",
        "toolName: mcp__github__push, toolInput.command: {$delete: true}",
        "fires: false",
    );
    // Something that no name which is tried can be.
    let by_length = of("Bash", "tool_name == 'Bash' || tool_name.size() == 31");
    case(&by_length, "a", "", "", "decision: deny");
    for (package, is_proven) in [(by_host, true), (by_name, true), (by_length, false)] {
        let before = mutants(&package);
        let found = before
            .survivors()
            .find(|(tried, _)| tried.mutation == Mutation::MatcherRemoved);
        let (_, survivor) = found.unwrap();
        assert_eq!(
            survivor.write.is_proven, is_proven,
            "{}",
            survivor.write.text
        );
        if is_proven {
            paste(&before);
            assert!(
                removed(&package).contains("killed by"),
                "{}",
                removed(&package)
            );
        }
    }
}

/// Writes the cases of the hooks that none asks, and tells which hooks are left.
fn unasked(package: &Package) -> Vec<String> {
    let suite = package.read();
    let found = coverage(&suite, &package.run());
    let unasked = found.hooks.into_iter().filter_map(|hook| {
        let write = hook.write?;
        std::fs::create_dir_all(package.path().join("hooks/tests/cases")).unwrap();
        std::fs::write(write.file, write.text).unwrap();
        Some(hook.hook.name)
    });
    unasked.collect()
}

#[test]
fn a_case_to_write_says_what_the_model_answers_and_which_file_the_call_names() {
    let named = |name: &str, line: &str| json!({"name": name, "type": "command", "command": line});
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"matcher": "Bash", "hooks": [{"name": "asks", "type": "prompt", "prompt": "ok?"}]},
            {"matcher": "Write", "hooks": [named("one", "test -n ${file}")]},
            {"hooks": [named("many", "test -n \"$files\"")]},
        ],
    }));
    assert_eq!(unasked(&package), ["asks", "one", "many"]);
    assert_eq!(unasked(&package), [""; 0]);
}

#[test]
fn a_hook_without_a_process_has_no_exit_code_to_refuse_by() {
    let module = json!({"name": "files", "type": "builtin", "module": "file-guard", "config": {"blocked_paths": [".env*"]}});
    let package = Package::new(&json!({"pre-tool-use": [{"hooks": [module]}]}));
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nexpected:\n  fires: true\n",
    );
    let mutated = mutants(&package);
    assert_eq!(
        survivors(&mutated),
        ["files: decision `deny` dropped (sketch)"]
    );
    let (_, survivor) = mutated.survivors().next().unwrap();
    let text = &survivor.write.text;
    assert!(text.ends_with("expected:\n  decision: deny\n"), "{text}");
}

#[test]
fn a_hook_on_a_pattern_of_events_is_asked_by_one_of_them_together_with_all_others() {
    let named = |name: &str, line: &str| json!({"name": name, "type": "command", "command": line});
    let package = Package::new(&json!({
        "tool:*": [{"matcher": "Bash", "hooks": [named("guard", "exit 2")]}],
        "pre-tool-use": [{"hooks": [named("beside", "exit 0")]}],
        "session:*": [{"hooks": [named("never", "exit 0")]}],
    }));
    package.write(
        "hooks/tests/test-config.json",
        r#"{"version": 1, "observers": ["beside", "never"]}"#,
    );
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nmode: dispatch\nexpected:\n  decision: deny\n",
    );
    let before = mutants(&package);
    assert_eq!(
        survivors(&before),
        [
            "guard: matcher removed",
            "beside: hook disabled",
            "never: hook disabled"
        ]
    );
    paste(&before);
    assert_eq!(survivors(&mutants(&package)), [""; 0]);
}

#[test]
fn a_pattern_that_leaves_out_a_line_break_has_a_case_that_shows_it() {
    for pattern in ["^.*$", ".+"] {
        let package = Package::new(&json!({
            "pre-tool-use": [{"matcher": pattern, "hooks": [command("echo no >&2; exit 2")]}],
        }));
        package.case(
            "a",
            "name: a\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n",
        );
        let weak = mutants(&package);
        assert_eq!(
            survivors(&weak),
            ["pre-tool-use[0][0]: matcher removed"],
            "{pattern}"
        );
        paste(&weak);
        assert_eq!(survivors(&mutants(&package)), [""; 0], "{pattern}");
    }
}
