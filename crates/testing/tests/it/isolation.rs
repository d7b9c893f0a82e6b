//! What a hook of a test sees of the world, and what one case leaves to the next.

use std::num::NonZeroUsize;

use anyhook_testing::{CaseMode, CaseOutcome, NetworkAccess, Selection, TestOptions};
use serde_json::json;

use crate::package::{Package, command, lines};

const A: &str = "name: a\nevent: pre-tool-use\n";
const B: &str = "name: b\nevent: pre-tool-use\n";

#[test]
fn a_hook_sees_a_clean_environment_and_what_the_tests_give_it() {
    let package = Package::of("env | sort");
    package.write(
        "hooks/tests/test-config.json",
        r#"{"version": 1, "env": {"FROM_CONFIG": "${PACKAGE_ROOT}/x", "BOTH": "config"}, "inherit-env": ["CARGO_PKG_NAME"]}"#,
    );
    package.case("a", &format!("{A}env: {{BOTH: case}}\n"));
    let ran = package.run();
    let stdout = ran[0]
        .evidence
        .as_ref()
        .unwrap()
        .words(CaseMode::Hook)
        .stdout;
    let root = package.path();
    let names: Vec<&str> = stdout
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    let not_ours = |name: &&&str| {
        !name.starts_with("ANYHOOK_") && !["_", "OLDPWD", "PWD", "SHLVL"].contains(*name)
    };
    let names: Vec<&&str> = names.iter().filter(not_ours).collect();
    assert_eq!(
        names,
        [
            &"BOTH",
            &"CARGO_PKG_NAME",
            &"CLAUDE_PLUGIN_ROOT",
            &"CLAUDE_PROJECT_DIR",
            &"FROM_CONFIG",
            &"HOME",
            &"LANG",
            &"PACKAGE_ROOT",
            &"PATH",
            &"PROJECT_DIR",
            &"PROJECT_ROOT",
            &"PYTHONDONTWRITEBYTECODE",
            &"TMPDIR",
        ]
    );
    let has = |line: String| {
        assert!(
            stdout.lines().any(|other| other == line),
            "{line}\n{stdout}"
        );
    };
    has("BOTH=case".to_owned());
    has(format!("FROM_CONFIG={}/x", root.display()));
    has(format!("PACKAGE_ROOT={}", root.display()));
    has(format!("PROJECT_DIR={}", root.display()));
}

#[test]
fn what_a_hook_makes_of_its_folders_reaches_no_other_case() {
    // It is asked twice; the second time everything has to be as it was the first time.
    let package = Package::of(
        "cd \"$HOME/..\" && ls -A && ls -ld home tmp | cut -c1-10; touch beside; mkdir -p folder/x; chmod 0 folder; chmod 1711 home tmp",
    );
    package.case("a", A).case("b", B);
    let ran = package.run();
    let said = ran
        .iter()
        .map(|ran| ran.evidence.as_ref().unwrap().words(CaseMode::Hook).stdout);
    let said: Vec<String> = said.collect();
    assert!(said[0].starts_with("home\ntmp\nd"), "{said:?}");
    assert_eq!(said[0], said[1]);
}

#[test]
fn a_link_in_the_place_of_the_folders_does_not_clear_what_is_behind_it() {
    let victim = tempfile::tempdir().unwrap();
    let kept = victim.path().join("home/kept");
    std::fs::create_dir_all(&kept).unwrap();
    let package = Package::of(&format!(
        "place=\"${{HOME%/*}}\"; cd /; rm -rf \"$place\"; ln -s '{}' \"$place\"",
        victim.path().display()
    ));
    package.case("a", A);
    assert_eq!(lines(&package.run()), ["pass a"]);
    assert!(kept.is_dir());
}

#[test]
fn a_workspace_is_copied_and_its_files_are_judged() {
    let package = Package::of("echo more >> src/a.txt; rm gone.txt; pwd; test -x run.sh");
    package.write("hooks/tests/workspaces/one/src/a.txt", "one\n");
    package.write("hooks/tests/workspaces/one/gone.txt", "x");
    let script = package.path().join("hooks/tests/workspaces/one/run.sh");
    std::fs::write(&script, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let case = "event: pre-tool-use\nworkspace: workspaces/one\ninput:\n  fixture: fixtures/write.json\n  overrides:\n    \
                toolInput.file_path: ${PROJECT_DIR}/src/a.txt\nexpected:\n  exit-code: 0\n  files:\n    \
                src/a.txt: \"one\\nmore\\n\"\n    gone.txt: {$absent: true}\n    run.sh: {$contains: '#!'}\n";
    package
        .case("a", &format!("name: a\n{case}"))
        .case("b", &format!("name: b\n{case}"));
    package.case("c", "name: c\nevent: pre-tool-use\nworkspace: workspaces/one\nexpected:\n  files:\n    src/a.txt: one\n");
    let ran = package.run();
    assert_eq!(
        lines(&ran),
        [
            "pass a",
            "pass b",
            "fail c; files: `src/a.txt` is not as expected"
        ]
    );
    assert_eq!(
        std::fs::read_to_string(package.path().join("hooks/tests/workspaces/one/src/a.txt"))
            .unwrap(),
        "one\n"
    );
    let evidence = ran[0].evidence.as_ref().unwrap();
    let cwd = evidence.sent["cwd"].as_str().unwrap();
    assert_eq!(
        evidence.sent["toolInput"]["file_path"],
        json!(format!("{cwd}/src/a.txt"))
    );
    assert_eq!(evidence.words(CaseMode::Hook).stdout.trim(), cwd);
}

#[test]
fn what_a_hook_leaves_running_is_ended_and_marked() {
    let package = Package::new(&json!({"pre-tool-use": [
        {"hooks": [command("sleep 300 >/dev/null 2>&1 & exit 0")]},
        {"hooks": [command("exit 0")]},
    ]}));
    package
        .case("a", A)
        .case("b", "name: b\nevent: pre-tool-use\nhook-index: 1\n");
    let ran = package.run();
    assert_eq!(lines(&ran), ["pass a", "pass b"]);
    assert_eq!(
        ran.iter()
            .map(anyhook_testing::CaseRun::leaks)
            .collect::<Vec<_>>(),
        [true, false]
    );
}

#[test]
fn a_hook_that_does_not_listen_is_killed_with_everything_that_it_started() {
    let package = Package::new(&json!({"pre-tool-use": [{"hooks": [{
        "type": "command", "timeout": 0.2,
        "command": "trap '' TERM; sleep 301 & echo $$ $! > \"$PACKAGE_ROOT/pids\"; while :; do sleep 1; done",
    }]}]}));
    package.expects("a", "pre-tool-use", "timeout: true");
    assert_eq!(lines(&package.run()), ["pass a"]);
    let pids = std::fs::read_to_string(package.path().join("pids")).unwrap();
    assert_eq!(pids.split_whitespace().count(), 2);
    for pid in pids.split_whitespace() {
        assert!(!std::path::Path::new("/proc").join(pid).exists(), "{pid}");
    }
}

#[test]
fn cases_side_by_side_are_told_in_their_order() {
    let package = Package::of("test -z \"$(ls -A \"$TMPDIR\")\" || exit 2; touch \"$TMPDIR/x\"");
    let mut wanted = Vec::new();
    for number in 10..40 {
        package.case(
            &format!("{number}"),
            &format!("name: c{number}\nevent: pre-tool-use\nexpected:\n  exit-code: 0\n"),
        );
        wanted.push(format!("pass c{number}"));
    }
    let how = TestOptions {
        jobs: NonZeroUsize::new(4).unwrap(),
        ..TestOptions::default()
    };
    assert_eq!(lines(&package.run_as(&how)), wanted);
}

#[test]
fn a_case_that_goes_otherwise_the_second_time_is_nondeterministic() {
    let package = Package::of("cat /proc/sys/kernel/random/uuid 2>/dev/null || date +%N");
    package.case("a", A);
    let fixed = Package::of("echo \"$TMPDIR\"");
    fixed.case("a", A);
    let how = TestOptions {
        repeat: NonZeroUsize::new(3).unwrap(),
        ..TestOptions::default()
    };
    let ran = package.run_as(&how);
    assert_eq!(ran[0].outcome, CaseOutcome::Nondeterministic);
    let differences = &ran[0].failures[0].differences;
    assert_eq!(differences[0].at, "`pre-tool-use[0][0]`.stdout", "{ran:?}");
    assert_eq!(lines(&fixed.run_as(&how)), ["pass a"]);
}

#[test]
fn what_goes_otherwise_is_told_with_the_command_that_shows_it_again() {
    let package = Package::new(&json!({"pre-tool-use": [{"hooks": [
        {"type": "command", "name": "counts", "command": "echo x >> n; echo same; grep -c x n >&2; \
            test \"$(grep -c x n)\" -ge 2 && exit 2; exit 0"},
    ]}]}));
    package.case("a", "name: a\nevent: pre-tool-use\n");
    let how = TestOptions {
        repeat: NonZeroUsize::new(3).unwrap(),
        network: NetworkAccess::Allowed,
        ..TestOptions::default()
    };
    let ran = package.run_as(&how);
    assert_eq!(
        lines(&ran),
        ["nondeterministic a; repeat: the first run is expected, and the next is found"]
    );
    let difference = &ran[0].failures[0].differences[0];
    let told = [
        difference.expected.clone(),
        difference.found.clone().unwrap(),
    ];
    assert_eq!(
        (&*difference.at, told),
        ("`counts`.exit code", [0.into(), 2.into()])
    );
    let folder = package.path();
    assert_eq!(
        ran[0].replay,
        format!(
            "anyhook test {} --case a --repeat 3 --net",
            folder.display()
        )
    );
}

#[test]
fn cases_are_chosen_by_name_stem_event_and_tool() {
    let package = Package::new(&json!({
        "pre-tool-use": [{"hooks": [command("exit 0")]}],
        "stop": [{"hooks": [command("exit 0")]}],
    }));
    package.case("01-first", "name: alpha\nevent: pre-tool-use\n");
    package.case(
        "02-second",
        "name: beta\nevent: PreToolUse\ninput:\n  fixture: fixtures/write.json\n",
    );
    package.case("03-third", "name: gamma\nevent: stop\n");
    let all = Selection::default;
    let one = |text: &str| vec![text.to_owned()];
    assert_eq!(
        package.selected(&Selection {
            cases: one("01-first"),
            ..all()
        }),
        ["alpha"]
    );
    assert_eq!(
        package.selected(&Selection {
            cases: one("*a*a"),
            ..all()
        }),
        ["alpha", "gamma"]
    );
    assert_eq!(
        package.selected(&Selection {
            events: one("PreToolUse"),
            ..all()
        }),
        ["alpha", "beta"]
    );
    assert_eq!(
        package.selected(&Selection {
            tools: one("Write"),
            ..all()
        }),
        ["beta"]
    );
    assert_eq!(
        package.selected(&Selection {
            tools: one("Write"),
            cases: one("alpha"),
            ..all()
        }),
        [""; 0]
    );
}
