use serde_json::json;

use super::*;
use crate::tests::table_now;

/// Calls of tools, and below each what it does. The folder is `/p/sub` in the project `/p`. A `!` in front stands for
/// `readOnlyHint`, a `?` for `destructiveHint`.
const TABLE: &str = include_str!("table.txt");

fn told(line: &str) -> Vec<String> {
    let hints = ToolHints {
        reads_only: line.starts_with('!').then_some(true),
        destroys: line.starts_with('?').then_some(true),
    };
    let line = line.trim_start_matches(['!', '?']);
    let (tool, input) = line.split_once(' ').unwrap();
    acts_of(tool, &serde_json::from_str(input).unwrap(), hints)
}

fn acts_of(tool: &str, input: &Value, hints: ToolHints) -> Vec<String> {
    let places = Places {
        folder: "/p/sub".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    };
    let acts = act(tool, input, hints, &places);
    let own = |effect: &&Effect| !matches!(effect.object, Target::Program { .. });
    let mut told: Vec<String> = acts
        .effects
        .iter()
        .filter(own)
        .map(crate::programs::line_of)
        .collect();
    let unknown = |kind: &EffectKind| {
        acts.effects
            .iter()
            .any(|effect| effect.kind == *kind && effect.object == Target::Unknown)
    };
    if EffectKind::ALL.iter().all(unknown) {
        told.retain(|line| !line.contains(" ? unknown"));
        told.push("anything".to_owned());
    }
    told.extend(acts.runs.iter().map(crate::programs::runs_of));
    told.iter()
        .map(|line| line.replace(&format!(" through {tool}"), ""))
        .collect()
}

#[test]
fn each_call_of_the_table_does_what_stands_below_it() {
    let calls = TABLE.lines().filter(|line| !line.starts_with(' '));
    assert!(calls.count() > 40);
    let now = table_now(TABLE, told);
    assert!(now == TABLE, "table.txt as it is now:\n{now}<end>");
}

#[test]
fn a_command_that_is_no_text_and_no_list_of_texts_may_do_anything() {
    for command in [
        json!({}),
        json!([]),
        json!(["rm", 1]),
        json!([["rm"]]),
        json!(3),
        json!(null),
    ] {
        let told = acts_of("Bash", &json!({"command": command}), ToolHints::default());
        assert_eq!(told, ["anything"], "{command}");
    }
    for input in [json!({}), json!("rm"), json!(null), json!(["rm"])] {
        assert_eq!(
            acts_of("Bash", &input, ToolHints::default()),
            ["anything"],
            "{input}"
        );
    }
}

#[test]
fn a_file_tool_whose_file_cannot_be_read_may_touch_any() {
    for input in [
        json!({}),
        json!({"file_path": ["a", 1]}),
        json!({"file_path": {"x": "y"}}),
        json!({"file_path": 1}),
    ] {
        for tool in ["Write", "Edit", "Read"] {
            let told = acts_of(tool, &input, ToolHints::default());
            assert!(
                told.iter().any(|line| line.contains(" ? unknown")),
                "{tool} {input}: {told:?}"
            );
        }
    }
}

#[test]
fn a_value_too_deep_to_be_read_may_do_anything() {
    let mut input = json!("x");
    for _ in 0..200 {
        input = json!({ "a": input });
    }
    assert!(acts_of("mcp__x__read", &input, ToolHints::default()).contains(&"anything".to_owned()));
}
