//! What cannot be a command.

use super::*;
use crate::asking::Pace;

fn errors(parsed: &Parsed) -> Vec<String> {
    let errors = parsed.findings.iter();
    errors.map(|finding| finding.message.clone()).collect()
}

#[test]
fn a_field_for_one_system_is_an_error_that_breaks_the_hook() {
    let parsed = entry(r#""type": "command", "command": "a", "linux": {"command": "b"}"#);
    let said = "`linux` is no field: a hook is the same on every system";
    assert_eq!(errors(&parsed), ["unknown field `linux`", said]);
    let broken = Action::Broken(said.to_owned());
    assert_eq!(parsed.manifest.groups[0].entries[0].action, broken);
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
