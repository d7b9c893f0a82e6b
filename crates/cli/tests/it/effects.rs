//! Effects for those who write hooks: `effect` on a group, `$ANYHOOK_EFFECTS`, and what `explain` says.

use serde_json::json;

use crate::env::{Shows as _, TestEnv, command};

#[test]
fn explain_says_what_a_call_does_and_what_may_do_anything_in_one_line() {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"effect": "net", "name": "n", "hooks": [command("true")]}]),
    );
    let explain = |line: &str, format: &[&str]| {
        let input = format!("command={line}");
        let args = [
            "explain",
            "--event",
            "pre-tool-use",
            "--tool",
            "Bash",
            "--input",
            &input,
        ];
        env.run(&[&args, format].concat(), b"")
    };
    let page = explain("sed -i s/x/y/ .env", &[]).stdout;
    page.shows("  writes .env through sed -i, exact\n");
    page.shows("not asked: its condition");
    page.shows(": `does('net')` is false");
    let page = explain("eval \"$X\"", &[]).stdout;
    assert_eq!(
        page.matches("may do anything through ").count(),
        1,
        "{page}"
    );
    page.shows("when `does('net')` holds");
    let page = explain("rm x", &["--json"]).json();
    let effects = page["effects"].as_array().unwrap();
    let wanted = json!({
        "kind": "fs.delete", "object": {"path": env.path("project/x")}, "certainty": "exact", "through": "rm",
    });
    assert!(effects.contains(&wanted), "{effects:?}");
}
