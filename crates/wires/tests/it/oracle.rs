//! What is said to Claude Code, beyond what holds for every host: a stop stops, a result is replaced by exactly what was
//! meant, and all of it is heard again.

use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::Gravity;
use anyhook_wires::host;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::case::{Case, left, results, texts, value};

/// One result that a chain of hooks could come to.
fn changed() -> impl Strategy<Value = HookResult> {
    let rewrite = prop_oneof![
        Just(None),
        "[a-z]{1,8}".prop_map(|command| Some(json!({"command": command}))),
        Just(Some(json!({}))),
    ];
    let output = proptest::option::of("[a-z]{0,8}");
    let said = results("[a-z✓][a-z\n]{0,12}");
    (said, rewrite, output, any::<bool>()).prop_map(|(mut result, rewrite, output, hides)| {
        if let Some(input) = rewrite {
            result = result.modify("tool_input", input);
        }
        if let Some(text) = output {
            let output = json!({"stdout": text, "stderr": "", "interrupted": false});
            result = result.modify("tool_result", output);
        }
        if hides {
            result.effects.edit().suppress_output = true;
        }
        result
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let modes = select(vec![None, Some("bypassPermissions"), Some("plan")]);
    (select(Case::all("claude-code")), modes).prop_map(|(case, mode)| {
        let mut payload = case.payload;
        if let Some(mode) = mode {
            payload["permission_mode"] = json!(mode);
        }
        Case::new("claude-code", &case.native, payload)
    })
}

/// The payloads that it posts to a server.
fn posted() -> Vec<Case> {
    let posts = host("claude-code").unwrap().facts().posts.unwrap();
    let mut all = Case::all("claude-code");
    all.retain(|case| posts.events.contains(&&*case.native));
    for event in posts.events {
        assert!(all.iter().any(|case| case.native == *event), "{event}");
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claude_code_does_at_least_what_was_meant_and_it_is_heard_again(case in cases(), meant in changed()) {
        judge(&case, meant);
    }

    /// A server has no exit code and no standard error to say anything with.
    #[test]
    fn what_claude_code_posts_is_answered_by_an_object_or_by_nothing(case in select(posted()), meant in changed()) {
        let (_, reply, _) = case.says(meant);
        let object = serde_json::from_str::<Map<String, Value>>(&reply.stdout);
        let is_whole = reply.stdout.is_empty() || object.is_ok();
        prop_assert!(is_whole && reply.exit == 0 && reply.stderr.is_empty(), "{}: {:?}", case.native, reply);
    }
}

fn judge(case: &Case, meant: HookResult) {
    let (said, reply, _) = case.says(meant);
    let done = case.does(&left(&reply));
    let heard = case.hears(&left(&reply)).unwrap();
    let what = format!("{} {said:#?}\n{reply:?}\n{done:?}\n{heard:#?}", case.what());
    let kind = said.verdict.kind();
    assert!(
        kind != Kind::Halt || done.gravity() == Gravity::Halt,
        "{what}"
    );
    let result = value(&said, "tool_result");
    assert_eq!(done.input, value(&said, "tool_input"), "{what}");
    let is_shell = case.payload["tool_name"] == "Bash";
    assert!(!is_shell || done.result == result, "{what}");
    // New arguments alone are heard as an approval of them, and a hook that made no worktree has refused it.
    let is_other = case.native == "WorktreeCreate" || !said.effects.patch().is_empty();
    let is_same = heard.verdict.kind() == kind || (kind == Kind::Continue && is_other);
    assert!(is_same, "{what}");
    let (theirs, ours) = (heard.verdict.text(), said.verdict.text());
    let is_told = theirs.trim_end() == ours.trim_end();
    assert!(kind <= Kind::Allow || is_told, "{what}");
    assert_eq!(value(&heard, "tool_input"), done.input, "{what}");
    assert_eq!(value(&heard, "tool_result"), result, "{what}");
    assert_eq!(texts(&heard), texts(&said), "{what}");
}
