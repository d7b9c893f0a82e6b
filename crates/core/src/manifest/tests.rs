mod broken;
mod hostile;

use std::fmt::Write as _;

use super::*;

const SEED: &str = include_str!("../../../../fixtures/manifests/seed.json");
const EVERY_FIELD: &str = include_str!("../../../../fixtures/manifests/every-field.json");

/// Parses text that is JSON, whatever else is wrong with it.
fn parse(text: &str) -> ParsedManifest {
    Manifest::parse(text).unwrap()
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

/// What is found in a manifest of one hook, and what is left of its group and of itself.
fn read(row: &str) -> String {
    let [event, group, entry] = row.split(" | ").collect::<Vec<_>>()[..] else {
        panic!("{row}")
    };
    let group = if group == "-" {
        ""
    } else {
        &format!("{group}, ")
    };
    let parsed = parse(&format!(
        r#"{{"version": 1, "hooks": {{"{event}": [{{{group}"hooks": [{{{entry}}}]}}]}}}}"#
    ));
    let mut out = String::new();
    for Finding {
        severity,
        message,
        help,
        ..
    } in &parsed.findings
    {
        writeln!(out, "  {severity:?}: {message} {help:?}").unwrap();
    }
    let group = &parsed.manifest.groups[0];
    let entry = &group.entries[0];
    let (effects, speaks) = (&group.effects, &group.speaks);
    writeln!(
        out,
        "  matcher `{}` effects {effects:?} speaks {speaks:?}",
        group.matcher.as_str()
    )
    .unwrap();
    let Entry {
        guard,
        enabled,
        timeout,
        pace,
        on_failure,
        action,
        ..
    } = entry;
    writeln!(
        out,
        "  guard {guard} enabled {enabled} {timeout:?} {pace:?} {on_failure:?} {action:?}"
    )
    .unwrap();
    out
}

#[test]
fn what_is_read_of_the_fields_of_a_hook_and_of_its_group() {
    let mut all = String::new();
    for row in include_str!("tests/fields.txt").lines() {
        match row.strip_prefix("# ") {
            Some(name) => writeln!(all, "\n# {name}").unwrap(),
            None => writeln!(all, "{row}\n{}", read(row).trim_end()).unwrap(),
        }
    }
    insta::assert_snapshot!(all);
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
