//! The line holds what reaches the model to the limits, whatever hooks say and in whatever way.

use std::path::Path;

use anyhook::core::event::Event;
use anyhook::core::fit::LossKind;
use anyhook::core::hook::Hook;
use anyhook::core::report::Report;
use anyhook::core::result::HookResult;
use anyhook::event::Context;
use anyhook::state::MemoryState;
use proptest::prelude::*;
use serde_json::json;

use crate::lines::{line, world};

/// Answers an event of Claude Code, where the person has this limit.
fn answered(home: &Path, limit: usize, event: &'static str, said: &HookResult) -> Report {
    let manifest = home.join("hooks.json");
    std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
    let config = home.join("config");
    std::fs::create_dir_all(&config).unwrap();
    let text = format!("[session]\ninjection_size_limit = {limit}\n");
    std::fs::write(config.join("config.toml"), text).unwrap();
    let world = world(home);
    let state = MemoryState::default();
    let line = Context {
        manifest: Some(manifest),
        state: Some(&state),
        ..line(&world)
    };
    let payload = json!({
        "session_id": "s-1", "transcript_path": "/t", "cwd": home, "permission_mode": "default",
        "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": "a.txt", "tool_use_id": "toolu_1",
    });
    let name = anyhook::core::event::EventName::new(event);
    let name = if name.as_str() == "tool:pre" {
        "tool:pre"
    } else {
        "tool:post"
    };
    let mut says = |_, _: &Event| {
        let said = said.clone();
        vec![Hook::on(name, move |_: &Event| said.clone()).named("one")]
    };
    line.run_with(payload.to_string().as_bytes(), &mut says)
        .report
}

fn injected(report: &Report) -> Vec<&str> {
    let said = report.said.as_ref().unwrap();
    said.effects
        .inject()
        .iter()
        .map(|text| &*text.text)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_text_longer_than_the_limit_reaches_the_host(
        texts in proptest::collection::vec("(?s).{0,600}", 1..4),
        limit in 0_usize..400,
        refuses in any::<bool>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let mut said = HookResult::proceed();
        for text in &texts {
            said = said.inject(text);
        }
        if refuses {
            // What comes too late to refuse is told to the model.
            said = said.then(HookResult::deny(texts.concat()));
        }
        let report = answered(place.path(), limit, "PostToolUse", &said);
        let texts = injected(&report);
        prop_assert!(texts.iter().all(|text| text.len() <= limit), "{texts:?}");
        // What was not said as it was is a loss.
        let said: usize = texts.len();
        let losses = report.losses.iter();
        let refused = losses.clone().filter(|loss| loss.what == LossKind::Injection).count();
        let cut = losses.filter(|loss| matches!(loss.what, LossKind::Length(_))).count();
        let told = texts.iter().filter(|text| text.contains("[anyhook: the first ")).count();
        prop_assert!(cut <= said && told == cut, "{cut} {told} {refused}");
    }
}

#[test]
fn a_text_is_cleaned_before_it_reaches_the_model() {
    let place = tempfile::tempdir().unwrap();
    let said = HookResult::proceed().inject("\u{1b}[31mred\u{1b}[0m\u{202e} text");
    let report = answered(place.path(), 100, "PreToolUse", &said);
    assert_eq!(injected(&report), ["red text"]);
    assert_eq!(
        report.remarks,
        ["invisible characters were removed from the text of `one`".into()]
    );
}
