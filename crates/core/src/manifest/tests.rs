mod broken;
mod commands;
mod hostile;

use std::fmt::Write as _;

use super::*;
use crate::hook::Speaks;

const SEED: &str = include_str!("../../../../fixtures/manifests/seed.json");
const EVERY_FIELD: &str = include_str!("../../../../fixtures/manifests/every-field.json");

/// Parses text that is JSON, whatever else is wrong with it.
fn parse(text: &str) -> Parsed {
    Manifest::parse(text).unwrap()
}

/// Puts one entry into a manifest that has nothing else.
fn entry(fields: &str) -> Parsed {
    parse(&format!(
        r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [{{{fields}}}]}}]}}}}"#
    ))
}

/// Writes findings and what is left of the manifest as a person would want to read them.
fn render(text: &str) -> String {
    let mut out = format!("{text}\n----\n");
    let parsed = match Manifest::parse(text) {
        Ok(parsed) => parsed,
        Err(finding) => {
            finding_line(&mut out, &finding, text);
            return out + "no manifest";
        }
    };
    for finding in &parsed.findings {
        finding_line(&mut out, finding, text);
    }
    for group in &parsed.manifest.groups {
        let matcher = group.matcher.as_str();
        writeln!(out, "{}[{}] matcher `{matcher}`", group.event, group.index).unwrap();
        for entry in &group.entries {
            let guard = if entry.guard { "guard " } else { "" };
            writeln!(out, "  {}: {guard}{:?}", entry.index, entry.action).unwrap();
        }
    }
    out
}

fn finding_line(out: &mut String, finding: &Finding, text: &str) {
    let Place { span, line, column } = &finding.at;
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let covered = text
        .get(span.clone())
        .unwrap()
        .lines()
        .next()
        .unwrap_or_default();
    writeln!(
        out,
        "{line}:{column} {word}: {} <{covered}>",
        finding.message
    )
    .unwrap();
    if let Some(help) = &finding.help {
        writeln!(out, "  help: {help}").unwrap();
    }
}

#[test]
fn the_sample_of_the_seed_is_read_without_a_finding() {
    let parsed = parse(SEED);
    assert_eq!(parsed.findings, []);
    insta::assert_debug_snapshot!("seed", parsed.manifest);
}

#[test]
fn every_field_is_read_and_comments_and_trailing_commas_are_accepted() {
    let parsed = parse(EVERY_FIELD);
    assert_eq!(parsed.findings, []);
    insta::assert_debug_snapshot!("every_field", parsed.manifest);
}

#[test]
fn a_mode_is_inherited_from_the_nearest_that_names_one() {
    let parsed = parse(
        r#"{"version": 1, "mode": "shadow", "hooks": {"stop": [
            {"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b", "mode": "enforce"}]},
            {"mode": "enforce", "hooks": [{"type": "command", "command": "c"}]}
        ]}}"#,
    );
    let modes: Vec<Vec<Mode>> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| group.entries.iter().map(|entry| entry.mode).collect())
        .collect();
    assert_eq!(
        modes,
        [vec![Mode::Shadow, Mode::Enforce], vec![Mode::Enforce]]
    );
}

#[test]
fn groups_are_numbered_within_their_event_under_whichever_name() {
    let parsed = parse(
        r#"{"version": 1, "hooks": {"PreToolUse": [{"hooks": []}, {"hooks": []}], "stop": [{"hooks": []}], "tool:pre": [{"hooks": []}]}}"#,
    );
    let numbers: Vec<_> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| (group.event.as_str(), group.index))
        .collect();
    assert_eq!(
        numbers,
        [
            ("PreToolUse", 0),
            ("PreToolUse", 1),
            ("stop", 0),
            ("tool:pre", 2)
        ]
    );
}

#[test]
fn a_timeout_is_in_seconds_and_may_be_a_fraction() {
    let rows = r#"
        0.25 => 250
        3e1 => 30000
        600 => 600000
        0.01 => 100 Warning: `timeout` is raised to 0.1 seconds
        601 => 601000 Warning: `timeout` is longer than 600 seconds
        30000000 => Error: `timeout` is longer than a day
        0 => Error: `timeout` must be more than 0
        -1 => Error: `timeout` must be more than 0
        NaN => Error: `timeout` must be a number of seconds, found `NaN`
        1e999 => Error: `timeout` must be a number of seconds, found `1e999`
        "30" => Error: `timeout` must be a number of seconds, found a string
    "#;
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let (timeout, expected) = row.trim().split_once(" => ").unwrap();
        let parsed = entry(&format!(
            r#""type": "command", "command": "x", "timeout": {timeout}"#
        ));
        let read = parsed.manifest.groups[0].entries[0].timeout;
        let millis = read.map(|read| read.as_millis().to_string());
        let findings = parsed.findings.iter();
        let told = findings.map(|found| format!("{:?}: {}", found.severity, found.message));
        let all: Vec<String> = millis.into_iter().chain(told).collect();
        assert_eq!(all.join(" "), expected, "{timeout}");
    }
}

#[test]
fn a_guard_that_cannot_be_read_is_a_guard() {
    for guard in [r#""yes""#, "1", "null", "[]"] {
        let parsed = entry(&format!(
            r#""type": "command", "command": "x", "guard": {guard}"#
        ));
        let entry = &parsed.manifest.groups[0].entries[0];
        assert!(
            entry.guard && matches!(entry.action, Action::Broken(_)),
            "{guard}"
        );
    }
    let parsed = entry(r#""type": "command", "command": "x", "guard": false, "guard": true"#);
    assert!(parsed.manifest.groups[0].entries[0].guard);
}

#[test]
fn a_rule_for_failures_that_cannot_be_read_denies() {
    let parsed = entry(r#""type": "command", "command": "x", "on-failure": "dny""#);
    assert_eq!(
        parsed.manifest.groups[0].entries[0].on_failure,
        Some(OnFault::Deny)
    );
    let parsed = entry(
        r#""type": "command", "command": "x", "on-failure": "continue", "onFailure": "deny""#,
    );
    assert_eq!(
        parsed.manifest.groups[0].entries[0].on_failure,
        Some(OnFault::Deny)
    );
}

#[test]
fn columns_are_counted_in_characters_over_every_kind_of_line_ending() {
    let text = "\u{feff}{\"version\": 1,\r\n\"é漢😀\": 1, \"x\": 2,\r\"y\": 3,\n\t\"hooks\": {}, \"z\": 4}";
    let places: Vec<_> = parse(text)
        .findings
        .into_iter()
        .map(|finding| {
            (
                finding.at.line,
                finding.at.column,
                text.get(finding.at.span).unwrap().to_owned(),
            )
        })
        .collect();
    let at = |line, column, text: &str| (line, column, text.to_owned());
    assert_eq!(
        places,
        [
            at(2, 1, "\"é漢😀\""),
            at(2, 11, "\"x\""),
            at(3, 1, "\"y\""),
            at(4, 15, "\"z\"")
        ]
    );
    let first = Manifest::parse("\u{feff}[]").unwrap_err().at;
    assert_eq!(
        first,
        Place {
            span: 3..5,
            line: 1,
            column: 1
        }
    );
}

#[test]
fn a_broken_matcher_refuses_where_something_can_be_refused_unless_its_hook_says_else() {
    for matcher in [r#""(?!Bash).*""#, r#""[""#, "3"] {
        let rule = |event: &str, more: &str| {
            let parsed = parse(&format!(
                r#"{{"version": 1, "hooks": {{"{event}": [{{"matcher": {matcher}, "hooks": [
                {{"type": "command", "command": "x"{more}}}]}}]}}}}"#
            ));
            let entry = &parsed.manifest.groups[0].entries[0];
            assert!(matches!(entry.action, Action::Broken(_)), "{matcher}");
            entry.on_failure
        };
        assert_eq!(rule("pre-tool-use", ""), Some(OnFault::Deny));
        assert_eq!(rule("post-tool-use", ""), None);
        let says = r#", "on-failure": "continue""#;
        assert_eq!(rule("pre-tool-use", says), Some(OnFault::Continue));
    }
}

fn with_effect(event: &str, effect: &str) -> Parsed {
    parse(&format!(
        r#"{{"version": 1, "hooks": {{"{event}": [{{"effect": {effect}, "hooks": [
        {{"type": "command", "command": "x"}}]}}]}}}}"#
    ))
}

#[test]
fn a_group_names_one_effect_or_a_list_of_them() {
    for (effect, wanted) in [
        (r#""fs.write""#, &["fs.write"][..]),
        (r#"["net", "vcs.push"]"#, &["net", "vcs.push"]),
    ] {
        let parsed = with_effect("pre-tool-use", effect);
        assert_eq!(parsed.findings, []);
        assert_eq!(parsed.manifest.groups[0].effects, wanted);
    }
}

#[test]
fn a_group_whose_effects_cannot_be_read_refuses_at_a_gate_and_is_for_every_call() {
    for (effect, message) in [
        (r#""fs.wirte""#, "`effect` cannot be `fs.wirte`"),
        (r#"["net", 3]"#, "`effect` must be a string, found a number"),
        ("[]", "`effect` names no effect"),
    ] {
        let parsed = with_effect("pre-tool-use", effect);
        let [finding] = &*parsed.findings else {
            panic!("{:?}", parsed.findings)
        };
        assert_eq!(finding.message, message);
        let group = &parsed.manifest.groups[0];
        let entry = &group.entries[0];
        assert!(matches!(entry.action, Action::Broken(_)), "{effect}");
        assert_eq!(entry.on_failure, Some(OnFault::Deny), "{effect}");
        assert!(group.effects.is_empty(), "{effect}");
    }
}

#[test]
fn an_effect_on_an_event_that_is_no_call_is_told_and_never_keeps_a_hook_from_being_asked() {
    let parsed = with_effect("stop", r#""net""#);
    let [finding] = &*parsed.findings else {
        panic!("{:?}", parsed.findings)
    };
    assert_eq!(
        finding.message,
        "`effect` says nothing about `stop`, which is no call of a tool"
    );
    assert!(parsed.manifest.groups[0].effects.is_empty());
}

#[test]
fn a_group_may_speak_the_words_of_an_agent_and_one_that_does_not_name_its_event_is_an_error() {
    let read = |speaks: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"stop": [{{"speaks": {speaks}, "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
        );
        let parsed = Manifest::parse(&text).unwrap();
        let speaks = parsed.manifest.groups[0].speaks.clone();
        (speaks, parsed.has_errors())
    };
    let stop = Speaks {
        host: "claude-code".into(),
        native: "Stop".into(),
    };
    assert_eq!(read(r#""claude-code Stop""#), (Some(stop), false));
    for wrong in [r#""claude-code""#, "7"] {
        assert_eq!(read(wrong), (None, true), "{wrong}");
    }
}
