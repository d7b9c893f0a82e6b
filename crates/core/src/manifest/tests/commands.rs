//! What a command is on each system, and what cannot be one.

use super::*;
use crate::asking::Pace;

fn command(fields: &str) -> Command {
    let parsed = entry(&format!(r#""type": "command", {fields}"#));
    assert_eq!(parsed.findings, []);
    match parsed.manifest.groups[0].entries[0].action.clone() {
        Action::Command(command) => command,
        other => panic!("{other:?}"),
    }
}

fn errors(parsed: &Parsed) -> Vec<String> {
    let errors = parsed.findings.iter();
    errors.map(|finding| finding.message.clone()).collect()
}

#[test]
fn each_field_of_a_system_takes_the_place_of_the_general_one() {
    let read = command(
        r#""command": "./lint ${file}", "env": {"A": "1", "B": "1"}, "cwd": "here", "shell": "bash",
           "windows": {"command": "lint.ps1", "shell": "pwsh", "env": {"B": "2", "C": "2"}, "cwd": "there"},
           "macos": {"args": ["-m"]}"#,
    );
    let env = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let own = pairs.iter();
        own.map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    };
    let general = Command {
        command: "./lint ${file}".into(),
        env: env(&[("A", "1"), ("B", "1")]),
        cwd: Some("here".into()),
        shell: Shell::named("bash"),
        ..Command::default()
    };
    assert_eq!(read.for_os("linux"), general);
    assert_eq!(
        read.for_os("windows"),
        Command {
            command: "lint.ps1".into(),
            env: env(&[("A", "1"), ("B", "2"), ("C", "2")]),
            cwd: Some("there".into()),
            shell: Shell::named("pwsh"),
            ..Command::default()
        }
    );
    let mac = Command {
        args: Some(vec!["-m".into()]),
        ..general
    };
    assert_eq!(read.for_os("macos"), mac);
}

#[test]
fn another_command_of_a_system_does_not_get_the_arguments_of_the_general_one() {
    let read = command(r#""command": "a", "args": ["x"], "linux": {"command": "b | c"}"#);
    assert_eq!(read.for_os("linux").args, None);
    assert_eq!(read.for_os("macos").args, Some(vec!["x".into()]));
}

#[test]
fn an_unknown_shell_is_an_error_that_names_the_near_one() {
    let parsed = entry(r#""type": "command", "command": "x", "shell": "bsh""#);
    assert_eq!(errors(&parsed), ["`shell` cannot be `bsh`"]);
    assert_eq!(
        parsed.findings[0].help.as_deref(),
        Some("did you mean `bash`?")
    );
}

#[test]
fn a_placeholder_is_spelled_as_its_shell_reads_it_and_nothing_else_is_touched() {
    let spelled = |name: &str, line: &str| Shell::named(name).unwrap().spelled(line);
    let line = "a ${file} $x ${x:y} ${} ${";
    assert_eq!(spelled("bash", line), line);
    assert_eq!(spelled("pwsh", line), "a ${env:file} $x ${x:y} ${} ${");
}

#[test]
fn nothing_depends_on_a_hook_in_the_background() {
    let broken = |fields: &str| {
        let parsed = entry(fields);
        let entry = parsed.manifest.groups[0].entries[0].clone();
        (
            errors(&parsed),
            entry.guard,
            matches!(entry.action, Action::Broken(_)),
        )
    };
    let guard = broken(r#""type": "command", "command": "x", "async": true, "guard": true"#);
    let said = "`async`: a background hook cannot guard".to_owned();
    assert_eq!(guard, (vec![said], true, true), "its fault denies");
    let fault = broken(r#""type": "command", "command": "x", "async": true, "on-failure": "halt""#);
    let said = "`async`: the failure of a background hook cannot block".to_owned();
    assert_eq!(fault, (vec![said], false, true));
    let rule = broken(r#""type": "rule", "then": {"deny": "no"}, "async": true"#);
    let said = "`async`: a rule starts nothing that could go on in the background".to_owned();
    assert_eq!(rule, (vec![said], false, true));
    let fine = entry(r#""type": "prompt", "prompt": "x", "async": true, "on-failure": "continue""#);
    assert_eq!(fine.findings, []);
    assert_eq!(fine.manifest.groups[0].entries[0].pace, Pace::Background);
}

#[test]
fn what_cannot_be_read_switches_nothing_off() {
    let off = |fields: &str| {
        let parsed = entry(&format!(r#""type": "command", "command": "x", {fields}"#));
        parsed.manifest.groups[0].entries[0].enabled
    };
    assert!(!off(r#""enabled": false"#));
    for enabled in [r#""no""#, "0", "null", "false, \"enabled\": false"] {
        assert!(off(&format!(r#""enabled": {enabled}"#)), "{enabled}");
    }
}

#[test]
fn a_name_that_is_switched_off_is_that_of_a_hook_of_a_group_or_of_a_place() {
    let parsed = parse(
        r#"{"version": 1, "disable": ["style", "format", "stop[1][1]"], "hooks": {"stop": [
            {"name": "style", "hooks": [{"type": "command", "command": "a"}]},
            {"hooks": [{"type": "command", "command": "b", "name": "format"}, {"type": "command", "command": "c"}]}
        ]}}"#,
    );
    let Manifest {
        disable, groups, ..
    } = &parsed.manifest;
    let meant: Vec<Vec<bool>> = groups
        .iter()
        .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)))
        .map(|(group, entry)| disable.iter().map(|off| off.means(group, entry)).collect())
        .collect();
    assert_eq!(
        meant,
        [
            [true, false, false],
            [false, true, false],
            [false, false, true]
        ]
    );
}
