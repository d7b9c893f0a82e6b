//! Coverage: the numbers of packages that were counted by hand.

use anyhook_testing::{Covered, How, Saw, coverage, run};
use serde_json::{Value, json};

use crate::package::{Package, command, lines};

fn named(name: &str, line: &str) -> Value {
    json!({"name": name, "type": "command", "command": line})
}

/// One line for each hook: outcomes, then branches, then what is missing.
fn table(hooks: &[Covered]) -> Vec<String> {
    let line = |hook: &Covered| {
        let mut parts = Vec::new();
        for row in &hook.rows {
            let cell = |saw: &Saw| Some(format!("{} {}", saw.as_str(), row.cases.get(saw)?));
            parts.push(row.event.clone());
            parts.extend(Saw::ALL.iter().filter_map(cell));
            parts.extend((row.not_asked > 0).then(|| format!("not asked {}", row.not_asked)));
        }
        let branches = hook.branches.iter();
        parts.extend(branches.map(|one| format!("{} {} {}", one.of, one.branch, one.cases)));
        let missing = hook.goals.iter().filter(|goal| !goal.is_covered);
        parts.extend(missing.map(|goal| format!("missing: {}", goal.goal)));
        format!("{}: {}", hook.hook.name, parts.join(", "))
    };
    hooks.iter().map(line).collect()
}

fn of(package: &Package) -> anyhook_testing::Coverage {
    let suite = package.read();
    let ran = package.run();
    let bad: Vec<String> = lines(&ran)
        .into_iter()
        .filter(|line| !line.starts_with("pass"))
        .collect();
    assert_eq!(bad, [""; 0]);
    coverage(&suite, &ran)
}

fn hand_counted() -> Package {
    let ask = r#"printf '%s' '{"hookSpecificOutput":{"hookEventName":"pre-tool-use","permissionDecision":"ask","permissionDecisionReason":"May it?"}}'"#;
    let rewrite = r#"printf '%s' '{"hookSpecificOutput":{"hookEventName":"pre-tool-use","updatedInput":{"command":"ls"}}}'"#;
    let rule = json!({"name": "no-main", "type": "rule", "when": "tool_input.command.contains('main')", "then": {"deny": "no"}});
    Package::new(&json!({
        "pre-tool-use": [
            {"matcher": "Write|Edit", "hooks": [named("protect", "grep -q production && exit 2; exit 0")]},
            {"matcher": "mcp__.*", "hooks": [named("asks", ask)]},
            {"matcher": "Bash", "hooks": [named("rewrites", rewrite), rule]},
            {"matcher": "Bash", "hooks": [named("fails", "exit 3")]},
        ],
        "post-tool-use": [{"hooks": [{"name": "slow", "type": "command", "command": "sleep 30", "timeout": 0.1}]}],
        "stop": [{"hooks": [named("never", "exit 2")]}],
    }))
}

/// A case of `pre-tool-use` about one entry.
fn case(name: &str, place: &str, overrides: &str, expected: &str) -> String {
    format!(
        "name: {name}\nevent: pre-tool-use\n{place}input:\n  overrides:\n{overrides}expected:\n  {expected}\n"
    )
}

fn cases(package: &Package) {
    let tool = |name: &str, path: &str| {
        format!("    toolName: {name}\n    toolInput: {{file_path: {path}}}\n")
    };
    let bash = |line: &str| format!("    toolInput.command: {line}\n");
    let all = [
        ("a", "", tool("Write", "production/a"), "exit-code: 2"),
        ("b", "", tool("Write", "src/a"), "exit-code: 0"),
        ("c", "", tool("Read", "src/a"), "fires: false"),
        (
            "d",
            "hook-index: 1\n",
            tool("mcp__db__drop", "x"),
            "decision: ask",
        ),
        ("e", "hook-index: 1\n", tool("Bash", "x"), "fires: false"),
        (
            "f",
            "hook-index: 2\nentry-index: 0\n",
            bash("dir"),
            "rewrites: {tool_input: {command: ls}}",
        ),
        (
            "g",
            "hook-index: 2\nentry-index: 1\n",
            bash("git push origin main"),
            "decision: deny",
        ),
        ("h", "hook-index: 3\n", bash("true"), "exit-code: 3"),
    ];
    for (name, place, overrides, expected) in all {
        package.case(name, &case(name, place, &overrides, expected));
    }
    package.expects("i", "post-tool-use", "timeout: true");
}

#[test]
fn the_numbers_are_those_that_were_counted_by_hand() {
    let package = hand_counted();
    cases(&package);
    let found = of(&package);
    let mut told = table(&found.hooks);
    told.sort();
    assert_eq!(
        told,
        [
            "asks: pre-tool-use, asked 1, not asked 1, matcher hit 1, matcher miss 1",
            "fails: pre-tool-use, fault 1, matcher Bash 1, missing: it does more than let pass",
            "never: stop, missing: it is asked, missing: it does more than let pass",
            "no-main: pre-tool-use, denied 1, matcher Bash 1, when hit 1, when miss 0, missing: its `when` does not hold",
            "protect: pre-tool-use, allowed 1, denied 1, not asked 1, matcher Write 2, matcher Edit 0, \
             missing: its matcher selects `Edit`",
            "rewrites: pre-tool-use, rewrote 1, matcher Bash 1",
            "slow: post-tool-use, timeout 1",
        ]
    );
    // asks 4, fails 3, never 2, no-main 4, protect 4, rewrites 3, slow 1: 21, and 5 are missing.
    let counted = found.counted();
    assert_eq!((counted.covered, counted.total), (16, 21));
    assert!(counted.is_below(76.2) && !counted.is_below(76.1));
}

#[test]
fn a_dispatch_counts_for_every_hook_that_it_offers_the_event() {
    let package = hand_counted();
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nmode: dispatch\nmatrix:\n  toolInput.command: [git push origin main, make]\n",
    );
    package.case(
        "b",
        "name: b\nevent: pre-tool-use\nmode: dispatch\ninput:\n  fixture: fixtures/write.json\n",
    );
    let suite = package.read();
    let found = coverage(&suite, &package.run());
    let told = table(&found.hooks);
    let of = |name: &str| {
        told.iter()
            .find(|line| line.starts_with(name))
            .unwrap()
            .as_str()
    };
    assert_eq!(
        of("no-main"),
        "no-main: pre-tool-use, not asked 3, matcher Bash 2, when hit 0, when miss 2, \
         missing: it is asked, missing: its `when` holds",
        "`rewrites` stands before it, so the command is `ls` when its turn comes"
    );
    assert_eq!(
        of("protect"),
        "protect: pre-tool-use, allowed 1, not asked 2, matcher Write 1, matcher Edit 0, \
         missing: it does more than let pass, missing: its matcher selects `Edit`"
    );
}

#[test]
fn a_hook_that_is_asked_in_an_earlier_event_counts_once_for_each_case() {
    let package = Package::new(&json!({
        "pre-tool-use": [{"matcher": "Write|Edit", "hooks": [named("frozen", "exit 2")]}],
        "post-tool-use": [{"hooks": [named("notes", "exit 0")]}],
        "stop": [{"hooks": [named("tidy", "exit 2")]}],
    }));
    let earlier =
        |tool: &str| format!("    - event: pre-tool-use\n      overrides: {{toolName: {tool}}}\n");
    let before = earlier("Write") + &earlier("Write") + &earlier("Bash");
    package.case(
        "a",
        &format!("name: a\nevent: stop\ninput:\n  before:\n{before}expected:\n  exit-code: 2\n"),
    );
    package.case(
        "b",
        &format!(
            "name: b\nevent: stop\ninput:\n  before:\n{}expected:\n  exit-code: 2\n",
            earlier("Bash")
        ),
    );
    assert_eq!(
        table(&of(&package).hooks),
        [
            "frozen: pre-tool-use, denied 1, not asked 1, matcher Write 1, matcher Edit 0, \
             missing: its matcher selects `Edit`",
            "notes: post-tool-use, missing: it is asked",
            "tidy: stop, denied 2",
        ]
    );
}

#[test]
fn a_hook_that_no_case_asks_is_named_with_the_case_to_write() {
    let package = hand_counted();
    cases(&package);
    let found = of(&package);
    let unasked: Vec<&Covered> = found
        .hooks
        .iter()
        .filter(|hook| hook.sketch.is_some())
        .collect();
    let [never] = unasked[..] else {
        panic!("{unasked:?}")
    };
    let written = never.sketch.as_ref().unwrap();
    let root = package.path();
    assert_eq!(
        written.file,
        root.join("hooks/tests/cases/never-is-asked.yaml")
            .to_string_lossy()
    );
    assert_eq!(
        written.text,
        "# Say what the hook is to answer.\nname: never-is-asked\nevent: stop\nexpected:\n  fires: true\n"
    );
    package.case("never-is-asked", &written.text);
    assert!(of(&package).hooks.iter().all(|hook| hook.sketch.is_none()));
}

#[test]
fn several_packages_are_counted_together_and_one_without_tests_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    for name in ["one", "two"] {
        let hooks = json!({"version": 1, "hooks": {"stop": [{"hooks": [command("exit 2")]}]}});
        write(&format!("{name}/hooks/hooks.json"), &hooks.to_string());
    }
    write(
        "one/hooks/tests/cases/a.yaml",
        "name: a\nevent: stop\nexpected:\n  exit-code: 2\n",
    );
    let suite = anyhook_testing::read(&[folder.path().to_path_buf()]);
    let ran = run(&suite.cases, &How::default(), &mut |_| {});
    let found = coverage(&suite, &ran);
    assert_eq!(
        table(&found.hooks),
        [
            "stop[0][0]: stop, denied 1",
            "stop[0][0]: stop, missing: it is asked, missing: it does more than let pass",
        ]
    );
    assert_eq!((found.counted().covered, found.counted().total), (2, 4));
}

#[test]
fn a_case_to_write_counts_the_entries_that_are_switched_off() {
    let off = json!({"type": "command", "command": "exit 0", "enabled": false});
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"hooks": [off]},
            {"hooks": [off, named("one", "exit 2")]},
        ],
        "stop": [{"hooks": [named("end", "exit 2")]}],
    }));
    for hook in of(&package).hooks {
        let written = hook.sketch.unwrap();
        package.case(&hook.hook.name, &written.text);
    }
    assert_eq!(
        table(&of(&package).hooks),
        ["one: pre-tool-use, denied 1", "end: stop, denied 1"]
    );
}

#[test]
fn a_pattern_that_selects_everything_has_no_branches() {
    let group = |pattern: &str| json!({"matcher": pattern, "hooks": [named(pattern, "exit 2")]});
    let package = Package::new(&json!({"pre-tool-use": [group(".*"), group("mcp__.*")]}));
    package.expects("a", "pre-tool-use", "exit-code: 2");
    let found = of(&package).hooks;
    let branches: Vec<usize> = found.iter().map(|hook| hook.branches.len()).collect();
    assert_eq!(branches, [0, 2]);
}
