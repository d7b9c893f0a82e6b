use std::collections::BTreeMap;

use super::*;

fn names_of(spec: &'static EventSpec) -> impl Iterator<Item = &'static str> {
    let universal = spec.universal.filter(|universal| *universal != spec.name);
    std::iter::once(spec.name)
        .chain(universal)
        .chain(spec.aliases.iter().copied())
}

#[test]
fn every_name_belongs_to_one_row_only() {
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for spec in EVENTS {
        for name in names_of(spec) {
            owners.entry(name).or_default().push(spec.name);
        }
    }
    owners.retain(|_, rows| rows.len() > 1);
    assert_eq!(owners, BTreeMap::new());
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
    expected.sort_by(|left, right| compare(left.as_bytes(), right.as_bytes()));
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
fn the_nineteen_events_of_ex_athena_are_known() {
    let unknown: Vec<_> = [
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "ChatParams",
        "PreIteration",
        "Stop",
        "StopFailure",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "PermissionDenied",
        "ToolDenied",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PreCompactStage",
        "PostCompact",
        "Notification",
    ]
    .into_iter()
    .filter(|name| find(name).is_none())
    .collect();
    assert_eq!(unknown, Vec::<&str>::new());
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
    assert_eq!(
        of(Class::Gate),
        [
            "tool:pre",
            "approval:required",
            "prompt:submit",
            "context:pre_compact",
            "agent:spawn",
            "execution:start",
            "provider:request",
            "llm:request",
            "athena:pre-iteration",
            "athena:chat-params",
            "claude-code:elicitation",
        ]
    );
    assert_eq!(
        of(Class::Continuation),
        [
            "stop",
            "agent:complete",
            "claude-code:task-completed",
            "claude-code:teammate-idle"
        ]
    );
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
fn a_suggestion_keeps_the_naming_family_of_the_input() {
    let asked = [
        ("pre-tool-us", Some("pre-tool-use")),
        ("pretooluse", Some("pre-tool-use")),
        ("preToolUse", Some("PreToolUse")),
        ("PreToolUze", Some("PreToolUse")),
        ("PretoolUse", Some("PreToolUse")),
        ("tool:per", Some("tool:pre")),
        ("tool_pre", Some("tool:pre")),
        ("context:precompact", Some("context:pre-compact")),
        ("sotp", Some("stop")),
        ("subagent-end", Some("sub-agent-end")),
        ("UserPromptSubmitted", Some("UserPromptSubmit")),
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
