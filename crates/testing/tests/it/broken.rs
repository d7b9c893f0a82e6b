//! Broken inputs: each is told with its place, and the other cases still run.

use serde_json::json;

use crate::package::{Package, command, lines, told};

const GOOD: &str = "name: good\nevent: pre-tool-use\n";

fn package() -> Package {
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"matcher": "Write|Bash", "hooks": [command("exit 0")]},
            {"hooks": [command("exit 0"), command("exit 2")]},
        ],
    }));
    package.case("zz-good", GOOD);
    let endless = package.path().join("hooks/tests/fixtures/zero.json");
    std::os::unix::fs::symlink("/dev/zero", endless).unwrap();
    package
}

/// What is told about this case, where all others go on.
fn problems(case: &str) -> Vec<String> {
    let package = package();
    package.case("a", case);
    let suite = package.read();
    let ran = anyhook_testing::run(&suite.cases, &anyhook_testing::How::default(), &mut |_| {});
    assert_eq!(lines(&ran), ["pass good"], "{case}");
    told(&suite)
}

/// What stands behind the name of a case, and what is told of it, place by place. `⏎` is the end of a line.
const WRONG: &str = r"
event: [pre-tool-use ⇒ 2:8:
name: b⏎event: pre-tool-use ⇒ 2:1:
event: pre-tool-usee ⇒ 2:8: no event is called `pre-tool-usee`
event: pre-tool-use⏎input:⏎  overrides: {tooName: Bash, command: ls} ⇒ 4:15: `tooName` is no field of `pre-tool-use` ⇒ 4:30: `command` is no field of `pre-tool-use`
event: pre-tool-use⏎mode: dispatch⏎expected: {decision: [deny, ask]} ⇒ 4:22: one value belongs here, and no list or mapping
event: stop ⇒ 2:8: the manifest has no hook on `stop`
event: pre-tool-use⏎expected:⏎  timeout: yes ⇒ 4:12: `true` or `false` belongs here
event: pre-tool-use⏎expected:⏎  exit-cod: 0 ⇒ 4:3: unknown field `exit-cod`, expected one of exit-code,
event: pre-tool-use⏎expected: {fault: timeout} ⇒ 3:19:
event: pre-tool-use⏎hook-index: 7 ⇒ 3:13: `pre-tool-use` has 2 groups, and there is no index 7
event: pre-tool-use⏎hook-index: 1⏎entry-index: 2 ⇒ 4:14: the group has 2 entries, and there is no index 2
event: pre-tool-use⏎hook-index: 1 ⇒ 3:13: the group has 2 entries: name one with `entry-index`, or ask all hooks with `mode: dispatch`
event: pre-tool-use⏎skip: true ⇒ 3:7: `skip` is a text that says why the case is not run
event: pre-tool-use⏎skip: '' ⇒ 3:7: `skip` is a text that says why the case is not run
event: pre-tool-use⏎input:⏎  fixture: fixtures/none.json ⇒ 4:12: the fixture `fixtures/none.json` cannot be read:
event: pre-tool-use⏎input:⏎  fixture: fixtures ⇒ 4:12: the fixture `fixtures` cannot be read: it is not a regular file
event: pre-tool-use⏎input:⏎  fixture: fixtures/zero.json ⇒ 4:12: the fixture `fixtures/zero.json` cannot be read: it is not a regular file
event: pre-tool-use⏎input:⏎  fixture: /dev/zero ⇒ 4:12: the fixture `/dev/zero` is not below the folder of tests
event: pre-tool-use⏎input:⏎  fixture: ../hooks.json ⇒ 4:12: the fixture `../hooks.json` is not below the folder of tests
event: pre-tool-use⏎input:⏎  fixture: fixtures/../../hooks.json ⇒ 4:12: the fixture `fixtures/../../hooks.json` is not below
event: pre-tool-use⏎input:⏎  fixture: fixtures/write.json⏎  overrides:⏎    toolInput.file_path.deep: 1 ⇒ 6:5: `toolInput.file_path.deep` cannot be overridden: `toolInput.file_path` is a string, and nothing can stand below it
event: pre-tool-use⏎stubs: {git: {exit: 256}} ⇒ 3:14: `exit` is a whole number from 0 to 255
event: pre-tool-use⏎stubs: {git: {stdout: 5}} ⇒ 3:14: `stdout` of a stub is a text
event: pre-tool-use⏎workspace: {a: x, a/b: y} ⇒ 3:12: `a` is a file, and `a/b` cannot be in it
event: pre-tool-use⏎input:⏎  overrides:⏎    toolInput:⏎      <<: {a: b} ⇒ 6:7: `<<` takes over fields from elsewhere: write them out
event: pre-tool-use⏎mode: dispatch⏎as: [claude-code]⏎expected:⏎  on:⏎    cursor: {decision: deny} ⇒ 7:13: this case is not played as `cursor`: name it in `as`
event: pre-tool-use⏎mode: dispatch⏎as: [cursor]⏎expected: {on: {cursor: {injects: [{$regexp: x}]}}} ⇒ 1:7: no matcher is called `$regexp`; there are $contains, $regex, $absent and $any
event: pre-tool-use⏎mode: dispatch⏎as: claud-code⏎workspace: none⏎timeout: 0⏎expected:⏎  exit-code: 0⏎  files:⏎    ../x: y ⇒ 8:14: an exit code is that of one hook: assert `decision` ⇒ 10:11: `../x` is no path below the workspace ⇒ 4:5: no host is called `claud-code` ⇒ 5:12: there is no folder `none` below the tests ⇒ 6:10: `timeout` must be above 0 and at most 3600, a
event: pre-tool-use⏎stubs:⏎  npx: none.sh⏎expected:⏎  stdout-json:⏎    a: {$regexp: x} ⇒ 7:5: no matcher is called `$regexp`; there are $co ⇒ 4:8: there is no file `none.sh` below the tests";

#[test]
fn what_is_wrong_with_a_case_is_told_at_its_place_and_the_others_go_on() {
    for row in WRONG.lines().skip(1) {
        let (case, expected) = row.split_once(" ⇒ ").unwrap();
        let told = problems(&format!("name: a\n{}\n", case.replace('⏎', "\n")));
        let expected: Vec<&str> = expected.split(" ⇒ ").collect();
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(&format!("a.yaml:{expected}")), "{told}");
        }
    }
}

#[test]
fn a_slip_is_told_with_what_was_meant_and_the_dialects_of_a_package_are_played() {
    let package = package();
    package.case("a", "name: a\nevent: pre-tool-usee\n");
    let help = package.read().problems[0].finding.help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `pre-tool-use`?"));
    let config = "\u{feff}{\"version\": 1, \"dialects\": [\"cursor\"]}";
    package.write("hooks/tests/test-config.json", config);
    let on = "mode: dispatch\nexpected: {decision: continue, on: {cursor: {decision: deny}}}";
    package.case("a", &format!("name: a\nevent: pre-tool-use\n{on}\n"));
    assert_eq!(told(&package.read()), [""; 0]);
}

#[test]
fn a_broken_configuration_is_told_and_other_packages_run() {
    let (broken, good) = (package(), package());
    for (config, expected) in [
        ("{\"version\": 2}", "1:2: `version` must be 1, and is 2"),
        ("{}", "1:2: missing field `version`"),
        (
            "{\"env\": {\"timeout\": \"\\\"{\"}, \"version\": 1,\n \"timeout\": 0}",
            "2:2: `timeout` must be above 0 and at most 3600, and is 0",
        ),
    ] {
        broken.write("hooks/tests/test-config.json", config);
        let suite = anyhook_testing::read(&[broken.path(), good.path()]);
        assert_eq!(suite.cases.len(), 1, "{config}");
        assert_eq!(told(&suite), [format!("test-config.json:{expected}")]);
    }
}

#[test]
fn an_alias_bomb_is_refused_and_costs_nothing() {
    let mut bomb = String::from(
        "name: a\nevent: pre-tool-use\ninput:\n  overrides:\n    k0: &a0 [x, x, x, x, x, x, x, x, x, x]\n",
    );
    for level in 1..20 {
        let below = format!("*a{}", level - 1);
        let all = vec![below; 10].join(", ");
        bomb.push_str(&format!("    k{level}: &a{level} [{all}]\n"));
    }
    let told = problems(&bomb);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("a.yaml:") && !told[0].starts_with("a.yaml:1:1:"),
        "{told:?}"
    );
    assert!(
        told[0].ends_with("aliases stand for too much: write it out"),
        "{told:?}"
    );
}

#[test]
fn a_broken_fixture_is_told_in_the_fixture() {
    let package = package();
    package.write("hooks/tests/fixtures/bad.json", "{\n  \"toolName\": ,\n}");
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\ninput:\n  fixture: fixtures/bad.json\n",
    );
    package.write(
        "hooks/tests/fixtures/twins.json",
        r#"{"toolName": "Bash", "tool_name": "Write"}"#,
    );
    package.case(
        "b",
        "name: b\nevent: pre-tool-use\ninput:\n  fixture: fixtures/twins.json\n",
    );
    package.write("hooks/tests/fixtures/list.json", "[]");
    package.case(
        "c",
        "name: c\nevent: pre-tool-use\ninput:\n  fixture: fixtures/list.json\n",
    );
    assert_eq!(
        told(&package.read()),
        [
            "bad.json:2:15: expected value",
            "b.yaml:2:8: the payload is no event: `toolName` and `tool_name` hold different values",
            "c.yaml:4:12: the fixture `fixtures/list.json` is no JSON object",
        ]
    );
}

#[test]
fn a_name_that_is_taken_or_no_name_is_told_and_the_first_keeps_it() {
    let package = package();
    package.case("zzz-second", "name: good\nevent: pre-tool-use\n");
    package.case("zzz-third", "name: Good One\nevent: pre-tool-use\n");
    assert_eq!(
        told(&package.read()),
        [
            "zzz-second.yaml:1:7: `good` is the name of `zz-good.yaml` too",
            "zzz-third.yaml:1:7: `Good One` is no name of a case: it has 1 to 64 of a-z, 0-9 and `-`",
        ]
    );
    let ids: Vec<_> = package
        .read()
        .cases
        .iter()
        .map(anyhook_testing::Case::stem)
        .collect();
    assert_eq!(ids, ["zz-good"]);
}

#[test]
fn every_error_of_a_manifest_is_told_and_none_of_its_cases_runs() {
    let package = package();
    package.write("hooks/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"hooks\": [{\"type\": \"command\"}, {\"type\": \"x\"}]}]}}");
    let suite = package.read();
    assert_eq!((told(&suite).len(), suite.cases.len()), (2, 0));
}

#[test]
fn what_looks_like_a_case_and_is_none_is_told() {
    let package = package();
    let cases = package.path().join("hooks/tests/cases");
    std::fs::create_dir(cases.join("folder.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", cases.join("link.yml")).unwrap();
    package.write("hooks/tests/cases/git/push.yaml", GOOD);
    package.write("hooks/tests/cases/data/files.txt", "no case");
    package.write("hooks/tests/cases/notes.txt", "no case");
    let suite = package.read();
    assert_eq!(
        told(&suite),
        [
            "folder.yaml:1:1: is no file that could be read",
            "git:1:1: `push.yaml` is not run: cases stand in `cases` itself, in no folder below",
            "link.yml:1:1: is no file that could be read",
        ]
    );
    assert_eq!(suite.cases.len(), 1);
    // Who names one file asks about that one.
    let one = anyhook_testing::read(&[cases.join("zz-good.yaml")]);
    assert_eq!((told(&one), one.cases.len()), (Vec::new(), 1));
}

#[test]
fn of_paths_that_overlap_everything_is_found_once() {
    let package = package();
    package.case("a", "name: [\n");
    let place = package.path();
    let cases = place.join("hooks/tests/cases");
    let file = |name: &str| cases.join(name);
    let paths = [
        file("zz-good.yaml"),
        place.clone(),
        place.clone(),
        file("a.yaml"),
        cases.clone(),
    ];
    let suite = anyhook_testing::read(&paths);
    let names: Vec<&str> = suite
        .cases
        .iter()
        .map(anyhook_testing::Case::name)
        .collect();
    assert_eq!(
        (names, suite.problems.len(), suite.packages.len()),
        (vec!["good"], 1, 1)
    );
}

#[test]
fn a_host_that_is_named_twice_is_played_once() {
    let package = package();
    package.case(
        "a",
        "name: a\nevent: pre-tool-use\nas: [cursor, cursor]\nexpected: {decision: continue}\n",
    );
    let suite = package.read();
    let ids: Vec<&str> = suite.cases.iter().map(|case| &*case.id).collect();
    assert_eq!(ids, ["a[as=cursor]", "good"]);
}

#[test]
fn a_folder_without_a_package_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let suite = anyhook_testing::read(&[folder.path().to_path_buf(), folder.path().join("none")]);
    assert_eq!((suite.problems.len(), suite.cases.len()), (2, 0));
}

#[test]
fn a_case_about_a_hook_that_is_switched_off_is_an_error_and_the_others_keep_their_places() {
    let off = json!({"type": "command", "command": "exit 2", "enabled": false});
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"matcher": "Write", "hooks": [off]},
            {"matcher": "Write", "hooks": [off, command("exit 2")]},
        ],
    }));
    let case = "event: pre-tool-use\ninput:\n  overrides:\n    toolName: Write\n";
    package.case("a", &format!("name: off\nhook-index: 0\n{case}"));
    package.case(
        "b",
        &format!("name: also-off\nhook-index: 1\nentry-index: 0\n{case}"),
    );
    package.case(
        "c",
        &format!("name: on\nhook-index: 1\nentry-index: 1\n{case}expected:\n  exit-code: 2\n"),
    );
    let suite = package.read();
    let ran = anyhook_testing::run(&suite.cases, &anyhook_testing::How::default(), &mut |_| {});
    assert_eq!(lines(&ran), ["pass on"]);
    let told = told(&suite);
    assert_eq!(told.len(), 2, "{told:?}");
    for told in told {
        assert!(
            told.ends_with("this hook is switched off, by its own `enabled` or by `disable`"),
            "{told}"
        );
    }
}

#[test]
fn a_hook_that_its_file_disables_is_switched_off_and_the_others_keep_their_places() {
    let package = package();
    let group =
        |name: &str, code: u8| json!({"name": name, "hooks": [command(&format!("exit {code}"))]});
    let manifest = json!({
        "version": 1, "disable": ["off"],
        "hooks": {"pre-tool-use": [group("off", 0), group("one", 2), group("two", 0)]},
    });
    package.write("hooks/hooks.json", &manifest.to_string());
    std::fs::remove_file(package.path().join("hooks/tests/cases/zz-good.yaml")).unwrap();
    for (at, code) in [(0, 0), (1, 2), (2, 0)] {
        let case = format!(
            "name: c{at}\nevent: pre-tool-use\nhook-index: {at}\nexpected:\n  exit-code: {code}\n"
        );
        package.case(&format!("c{at}"), &case);
    }
    let suite = package.read();
    assert_eq!(
        told(&suite),
        ["c0.yaml:3:13: this hook is switched off, by its own `enabled` or by `disable`"]
    );
    let ran = anyhook_testing::run(&suite.cases, &anyhook_testing::How::default(), &mut |_| {});
    assert_eq!(lines(&ran), ["pass c1", "pass c2"]);
}
