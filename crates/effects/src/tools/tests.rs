use serde_json::json;

use super::*;

/// Calls of tools, and below each what it does. The folder is `/p/sub` in the project `/p`. A `!` in front stands for
/// `readOnlyHint`, a `?` for `destructiveHint`.
const TABLE: &str = include_str!("table.txt");

fn told(line: &str) -> Vec<String> {
    let (hints, line) = match (line.strip_prefix('!'), line.strip_prefix('?')) {
        (Some(line), _) => (
            Hints {
                reads_only: Some(true),
                destroys: None,
            },
            line,
        ),
        (_, Some(line)) => (
            Hints {
                reads_only: None,
                destroys: Some(true),
            },
            line,
        ),
        _ => (Hints::default(), line),
    };
    let (tool, input) = line.split_once(' ').unwrap();
    acts_of(tool, &serde_json::from_str(input).unwrap(), hints)
}

fn acts_of(tool: &str, input: &Value, hints: Hints) -> Vec<String> {
    let places = Places {
        folder: "/p/sub".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    };
    let acts = act(tool, input, hints, &places);
    let own = |effect: &&Effect| !matches!(effect.object, Object::Program { .. });
    let mut told: Vec<String> = acts
        .effects
        .iter()
        .filter(own)
        .map(crate::programs::line_of)
        .collect();
    let unknown = |kind: &Kind| {
        acts.effects
            .iter()
            .any(|effect| effect.kind == *kind && effect.object == Object::Unknown)
    };
    if Kind::ALL.iter().all(unknown) {
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
    let mut wanted: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("    "), wanted.last_mut()) {
            (Some(effect), Some((_, effects))) => effects.push(effect),
            _ => wanted.push((line, Vec::new())),
        }
    }
    assert!(wanted.len() > 40, "{}", wanted.len());
    let mut actual = String::new();
    let mut wrong = 0;
    for (line, effects) in &wanted {
        let told = told(line);
        wrong += usize::from(told != *effects);
        actual.push_str(&format!("{line}\n"));
        for effect in told {
            actual.push_str(&format!("    {effect}\n"));
        }
    }
    assert_eq!(
        wrong, 0,
        "{wrong} calls of table.txt do something else; the table as it is:\n{actual}<end of table>"
    );
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
        let told = acts_of("Bash", &json!({"command": command}), Hints::default());
        assert_eq!(told, ["anything"], "{command}");
    }
    for input in [json!({}), json!("rm"), json!(null), json!(["rm"])] {
        assert_eq!(
            acts_of("Bash", &input, Hints::default()),
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
            let told = acts_of(tool, &input, Hints::default());
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
    assert!(acts_of("mcp__x__read", &input, Hints::default()).contains(&"anything".to_owned()));
}
