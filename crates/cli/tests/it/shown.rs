//! What a hook says, and what a stranger calls things, draws nothing on a terminal, in an agent or in a question.

use serde_json::json;

use crate::env::{TestEnv, on};

/// Clears the screen, sets a title, turns the direction of text, and forges a line.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}1m\u{202e}y\n  trusted: everything";

/// Tells whether a terminal would obey, or not show, a part of a text.
fn draws(text: &str) -> bool {
    let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}');
    text.chars()
        .any(|c| (c.is_control() && c != '\n') || hides(c))
}

#[test]
fn no_name_of_a_hook_forges_a_line_of_a_table_a_switch_or_a_comparison() {
    let rule = |then| {
        let rule = json!({"type": "rule", "name": HOSTILE, "when": "runs('rm')", "then": then});
        on("pre-tool-use", &json!([{"hooks": [rule]}]))
    };
    let env = TestEnv::with(&rule(json!({"deny": "no"})));
    env.bash("rm x");
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
        &["backtest", "--before", "record"],
        &["list", "off", HOSTILE],
        &["list", "on", HOSTILE],
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
