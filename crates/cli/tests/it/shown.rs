//! What a hook says, and what a stranger calls things, draws nothing on a terminal, in an agent or in a question.

use serde_json::json;

use crate::env::{TestEnv, command, on};

/// Clears the screen, sets a title, turns the direction of text, and forges a line.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}1m\u{202e}y\n  trusted: everything";

/// Tells whether a terminal would obey, or not show, a part of a text.
fn draws(text: &str) -> bool {
    let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}');
    text.chars()
        .any(|c| (c.is_control() && c != '\n') || hides(c))
}

#[test]
fn a_hook_that_repeats_what_the_agent_typed_sends_no_escape_sequence_to_the_agent() {
    let line = r#"anyhook say deny "$ANYHOOK_COMMAND""#;
    for (line, code) in [
        (line, 0),
        (r#"printf %s "$ANYHOOK_COMMAND" >&2; exit 2"#, 0),
    ] {
        let env = TestEnv::with(&on("pre-tool-use", &json!([{"hooks": [command(line)]}])));
        let left = env.claude(&env.pre("Bash", &json!({"command": HOSTILE})));
        assert_eq!(
            (left.code, left.decision().as_deref()),
            (code, Some("deny")),
            "{left:?}"
        );
        let answer = left.json();
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap();
        assert!(reason.starts_with("xy") && !draws(reason), "{reason:?}");
    }
}

#[test]
fn a_token_that_a_hook_repeats_is_in_no_file_of_the_state() {
    let token = "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx";
    let line = r#"anyhook say deny "not with $ANYHOOK_COMMAND""#;
    let fails = r#"echo "$ANYHOOK_COMMAND" >&2; exit 7"#;
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"hooks": [command(line), command(fails)]}]),
    ));
    let left = env.claude(&env.pre("Bash", &json!({"command": token})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    let mut folders = vec![env.state()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                seen += 1;
                let text = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&text).into_owned();
                assert!(!text.contains("xoxb-1234"), "{path:?}: {text}");
            }
        }
    }
    assert!(seen > 2, "a session and a log");
}

#[test]
fn no_name_of_a_hook_forges_a_line_of_a_table_a_switch_or_a_comparison() {
    let rule = |then| {
        let rule = json!({"type": "rule", "name": HOSTILE, "when": "runs('rm')", "then": then});
        on("pre-tool-use", &json!([{"hooks": [rule]}]))
    };
    let env = TestEnv::with(&rule(json!({"deny": "no"})));
    env.claude(&env.pre("Bash", &json!({"command": "rm x"})));
    env.manifest(&rule(json!({"allow": true})).to_string());
    env.trust();
    for args in [
        &["stats"][..],
        &["log"],
        &["why"],
        &[
            "backtest",
            "--before",
            env.path("project/hooks/hooks.json").to_str().unwrap(),
        ],
        &["replay"],
        &["disable", HOSTILE],
        &["enable", HOSTILE],
    ] {
        let left = env.run(args, b"");
        for text in [&left.stdout, &left.stderr] {
            assert!(!draws(text), "{args:?}: {text:?}");
            let mut lines = text.lines();
            assert!(
                !lines.any(|line| line.trim() == "trusted: everything"),
                "{args:?}: {text}"
            );
        }
        assert!(left.stdout.len() + left.stderr.len() > 20, "{args:?}");
    }
}
