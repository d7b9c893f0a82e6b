#![expect(clippy::disallowed_methods, reason = "a test may read the fixtures")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::event::Map;

fn names_of(spec: &'static EventSpec) -> impl Iterator<Item = &'static str> {
    let universal = spec.universal.filter(|universal| *universal != spec.name);
    std::iter::once(spec.name)
        .chain(universal)
        .chain(spec.aliases.iter().copied())
}

#[test]
fn every_name_and_alias_finds_its_own_row() {
    for spec in EVENTS {
        for name in names_of(spec) {
            assert_eq!(find(name), Some(spec), "{name}");
        }
    }
}

#[test]
fn the_index_holds_every_name_once_and_in_order() {
    let mut expected: Vec<_> = EVENTS.iter().flat_map(names_of).collect();
    expected.sort_by_key(|name| (name.len(), *name));
    let found: Vec<_> = INDEX.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_universal_events_are_the_ten_of_the_seed_and_four_that_hosts_share() {
    let universal: Vec<_> = EVENTS
        .iter()
        .filter_map(|spec| Some((spec.universal?, spec.name, spec.class)))
        .collect();
    assert_eq!(
        universal,
        [
            ("pre-tool-use", "tool:pre", Class::Gate),
            ("permission-request", "approval:required", Class::Gate),
            ("post-tool-use", "tool:post", Class::After),
            ("pre-prompt", "prompt:submit", Class::Gate),
            ("session-start", "session:start", Class::After),
            ("session-end", "session:end", Class::After),
            ("stop", "stop", Class::Continuation),
            ("sub-agent-end", "agent:complete", Class::Continuation),
            ("pre-compact", "context:pre_compact", Class::Gate),
            ("notification", "user:notification", Class::Notice),
            ("post-tool-use-failure", "tool:error", Class::After),
            ("sub-agent-start", "agent:spawn", Class::Gate),
            ("post-compact", "context:post_compact", Class::After),
            ("stop-failure", "stop-failure", Class::Notice),
        ]
    );
}

#[test]
fn the_gates_and_continuations_are_those_of_the_decisions() {
    let of = |class| {
        EVENTS
            .iter()
            .filter(|spec| spec.class == class)
            .map(|spec| spec.name)
            .collect::<Vec<_>>()
    };
    // The gates, and what only one host has and announces before it happens.
    let gates = "
        tool:pre approval:required prompt:submit context:pre_compact agent:spawn execution:start provider:request
        llm:request athena:pre-iteration athena:chat-params claude-code:user-prompt-expansion
        claude-code:post-tool-batch claude-code:task-created claude-code:config-change claude-code:worktree-create
        claude-code:pre-model-switch claude-code:elicitation claude-code:elicitation-result
        copilot-cli:pre-mcp-tool-call cursor:before-tab-file-read gemini-cli:before-model kiro:pre-task-exec
        qwen-code:todo-created";
    let ends = "stop agent:complete claude-code:task-completed claude-code:teammate-idle qwen-code:todo-completed";
    for (class, names) in [(Class::Gate, gates), (Class::Continuation, ends)] {
        assert_eq!(of(class), names.split_whitespace().collect::<Vec<_>>());
    }
}

#[test]
fn what_is_called_an_end_or_a_completion_happened_already() {
    for spec in EVENTS
        .iter()
        .filter(|spec| spec.class != Class::Continuation)
    {
        let ended = [":end", ":complete"]
            .iter()
            .any(|ending| spec.name.ends_with(ending));
        let decided = spec.name.starts_with("decision:");
        assert!(
            !(ended || decided) || spec.class == Class::After,
            "{}",
            spec.name
        );
    }
}

#[test]
fn lookup_is_exact() {
    for name in [
        "",
        "pretooluse",
        "PRE-TOOL-USE",
        "tool:pre ",
        "tool:",
        "pre_tool_use",
        "Pre-Tool-Use",
    ] {
        assert_eq!(find(name), None, "{name}");
    }
}

#[test]
fn every_name_in_the_tables_of_the_seeds_is_an_event() {
    let tables = "
        tool:pre = pre-tool-use PreToolUse :PreToolUse preToolUse beforeShellCommand beforeMcpCall
        approval:required = permission-request PermissionRequest :PermissionRequest
        tool:post = post-tool-use PostToolUse :PostToolUse afterFileEdit
        prompt:submit = pre-prompt UserPromptSubmit :UserPromptSubmit beforeSubmitPrompt userPromptSubmitted
        session:start = session-start SessionStart :SessionStart sessionStart
        session:end = session-end SessionEnd :SessionEnd sessionEnd
        stop = stop Stop :Stop
        agent:complete = sub-agent-end SubagentStop :SubagentStop
        context:pre_compact = pre-compact PreCompact :PreCompact
        user:notification = notification Notification :Notification
        athena:chat-params = ChatParams :ChatParams
        stop-failure = StopFailure :StopFailure
        tool:error = PostToolUseFailure :PostToolUseFailure
        approval:denied = PermissionDenied :PermissionDenied
        agent:spawn = SubagentStart :SubagentStart
        athena:pre-compact-stage = PreCompactStage :PreCompactStage
        context:post_compact = PostCompact :PostCompact
        athena:pre-iteration = PreIteration :PreIteration
        athena:tool-denied = ToolDenied :ToolDenied
    ";
    for row in tables.lines().filter(|row| !row.trim().is_empty()) {
        let (canonical, names) = row.trim().split_once(" = ").unwrap();
        for name in names.split(' ') {
            assert_eq!(find(name).map(|row| row.name), Some(canonical), "{name}");
        }
    }
}

#[test]
fn a_suggestion_keeps_the_naming_family_of_the_input() {
    let asked = [
        ("pre-tool-us", Some("pre-tool-use")),
        ("pretooluse", Some("pre-tool-use")),
        ("preToolUze", Some("PreToolUse")),
        ("PreToolUze", Some("PreToolUse")),
        ("PretoolUse", Some("PreToolUse")),
        ("tool:per", Some("tool:pre")),
        ("tool_pre", Some("tool:pre")),
        ("context:precompact", Some("context:pre-compact")),
        ("sotp", Some("stop")),
        ("subagent-end", Some("sub-agent-end")),
        ("UserPromptSubmitted", Some("userPromptSubmitted")),
    ];
    for (name, expected) in asked {
        assert_eq!(suggest(name), expected, "{name}");
    }
}

#[test]
fn a_known_name_and_a_far_name_get_no_suggestion() {
    for name in [
        "PreToolUse",
        "stop",
        "",
        "x",
        "my-hook:debug",
        "deploy-finished",
        &"pre-tool-use".repeat(1000),
    ] {
        assert_eq!(suggest(name), None, "{name}");
    }
}

/// The fixture of a row: an example of its payload.
fn example(spec: &EventSpec) -> Map {
    let file = format!("{}.json", spec.name.replace(':', "."));
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/events")
        .join(&file);
    let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{file}: {why}"));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{file}: {why}"))
}

#[test]
fn every_row_has_an_example_that_satisfies_its_fields() {
    for spec in EVENTS {
        let wrong = spec.mismatches(&example(spec));
        assert_eq!(wrong, Vec::new(), "{}", spec.name);
    }
}

#[test]
fn every_example_belongs_to_a_row_and_names_only_fields_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/events");
    let files = fs::read_dir(folder).unwrap().count();
    assert_eq!(files, EVENTS.len(), "one file for each row");
    for spec in EVENTS {
        let known: Vec<&str> = spec
            .fields
            .iter()
            .chain(COMMON)
            .map(|field| field.name)
            .collect();
        for name in example(spec).keys() {
            assert!(known.contains(&&**name), "{}: {name}", spec.name);
        }
    }
}

#[test]
fn what_is_looked_at_and_what_is_rewritten_are_fields_of_the_row() {
    for spec in EVENTS {
        for name in spec.subject.iter().chain(spec.mutable) {
            let field = spec.fields.iter().find(|field| field.name == *name);
            assert!(field.is_some(), "{}: {name}", spec.name);
        }
        let mut names: Vec<&str> = spec.fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), spec.fields.len(), "{}", spec.name);
    }
}

#[test]
fn every_field_names_where_it_comes_from_and_says_so_in_a_sentence() {
    let all = EVENTS.iter().flat_map(|spec| spec.fields).chain(COMMON);
    for field in all {
        assert!(!field.source.is_empty(), "{}", field.name);
        assert!(field.summary.ends_with('.'), "{}", field.name);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(field.name.chars().all(is_plain), "{}", field.name);
    }
}

#[test]
fn a_payload_that_is_not_what_its_row_says_is_told_field_by_field() {
    let spec = find("claude-code:file-changed").unwrap();
    let data = serde_json::json!({"file_path": 7, "event": "rename", "cwd": null, "more": []});
    let data = data.as_object().unwrap().clone();
    let found = |field, value: Value| (field, Some(value));
    let told: Vec<_> = spec
        .mismatches(&data)
        .into_iter()
        .map(|wrong| (wrong.field, wrong.found))
        .collect();
    assert_eq!(
        told,
        [
            found("file_path", 7.into()),
            found("event", "rename".into())
        ]
    );
    let missing = spec.mismatches(&Map::new());
    assert_eq!(
        missing.iter().map(|wrong| wrong.field).collect::<Vec<_>>(),
        ["file_path", "event"]
    );
}

proptest! {
    #[test]
    fn the_nearest_word_is_the_one_of_all_that_were_compared(
        word in "[a-dA-DİK]{0,9}",
        candidates in proptest::collection::vec("[a-dA-DİK]{1,9}", 0..8),
    ) {
        let wanted = word.to_lowercase();
        let most = (wanted.chars().count() / 3).clamp(1, 3);
        let all = candidates.iter().map(|known| (strsim::osa_distance(&wanted, &known.to_lowercase()), known));
        let near = all.filter(|(distance, known)| *distance <= most && *distance < known.len()).min();
        let found = nearest(&word, candidates.iter().map(String::as_str));
        prop_assert_eq!(found, near.map(|(_, known)| known.as_str()));
    }
}
