//! Reading plans: what the seed writes, and everything that can be wrong, with its place.

use std::path::{Path, PathBuf};

use anyhook::core::manifest::Finding;
use anyhook::mounts::{GitSource, ModuleSource, Plan, Scheme};
use anyhook::registry::{LogLevel, Rules};
use serde_json::json;

const SEED: &str = r#"hooks:
  - module: my-hook
    source: git+https://github.com/org/my-hook@main
    config:
      enabled_events:
        - "tool:pre"
        - "tool:post"
      log_level: "info"
"#;

fn lines(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let help = finding.help.as_deref().unwrap_or("-");
        let at = &finding.at;
        format!("{}:{} {} | {help}", at.line, at.column, finding.message)
    };
    findings.iter().map(line).collect()
}

#[test]
fn the_mount_plan_of_the_seed_is_read_as_it_is_written() {
    let plan = Plan::read(Path::new("/srv/plan.yaml"), SEED).unwrap();
    assert_eq!(plan.findings, []);
    assert_eq!(plan.folder, PathBuf::from("/srv"));
    let entry = &plan.entries[0];
    let git = GitSource {
        scheme: Scheme::Https,
        url: "https://github.com/org/my-hook".into(),
        reference: Some("main".into()),
        subdirectory: None,
    };
    assert_eq!(entry.source, Some(ModuleSource::Git(git)));
    let config = json!({"enabled_events": ["tool:pre", "tool:post"], "log_level": "info"});
    assert_eq!(entry.config, config);
    let rules = Rules {
        priority: None,
        enabled: Some(vec!["tool:pre".into(), "tool:post".into()]),
        log: LogLevel::Info,
    };
    assert_eq!((&entry.rules, entry.at.line), (&rules, 2));
}

#[test]
fn everything_wrong_in_a_plan_is_told_at_once_with_its_place_and_advice() {
    let text = r#"sesion: {}
session:
  injection_size_limit: many
hooks:
  - module: a
    sorce: ./a
  - source: ./b
  - module: [c]
    priority: 1.5
  - just a text
  - module: d
    source: git+ssh://example.com/x
    config:
      log_level: loud
      enabled_events: tool:pre
  - module: e
    source: git+https://example.com/x@-u
    config:
      enabled_events: ["tool:pree"]
  - module: good
"#;
    let plan = Plan::read(Path::new("plan.yaml"), text).unwrap();
    insta::assert_snapshot!(lines(&plan.findings).join("\n"));
    let well: Vec<&str> = plan
        .entries
        .iter()
        .filter(|entry| entry.problem.is_none())
        .map(|entry| &*entry.module)
        .collect();
    assert_eq!(well, ["good"], "one bad entry takes no other with it");
    assert!(plan.has_errors());
}

#[test]
fn a_text_that_is_no_document_is_one_error_with_its_place() {
    for (name, text, line) in [
        ("plan.yaml", "hooks:\n  - module: [a\n", 2),
        ("plan.json", "{\"hooks\": [\n  {\"module\": ]\n}", 2),
        ("plan.yaml", "a: &a [1]\nb: *nobody\n", 2),
        ("plan.yaml", "hooks: []\n---\nhooks: []\n", 2),
        ("plan.yaml", "hooks:\n  - {module: a, module: b}\n", 2),
    ] {
        let error = Plan::read(Path::new(name), text).unwrap_err();
        assert_eq!(error.at.line, line, "{text}: {}", error.message);
    }
}

#[test]
fn an_alias_bomb_and_an_endless_document_are_refused() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x, x]\n");
    for (name, before) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e")] {
        let aliases = vec![format!("*{before}"); 10].join(", ");
        bomb.push_str(&format!("{name}: &{name} [{aliases}]\n"));
    }
    assert!(Plan::read(Path::new("plan.yaml"), &bomb).is_err());
    let deep = format!("hooks: {}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(Plan::read(Path::new("plan.yaml"), &deep).is_err());
    assert!(
        Plan::read(
            Path::new("plan.json"),
            &format!("{{\"hooks\": {}}}", "[".repeat(5000))
        )
        .is_err()
    );
}

#[test]
fn a_plan_of_a_whole_agent_is_read_for_its_session_and_its_hooks_alone() {
    let text = "session:\n  orchestrator: loop-basic\n  injection_budget_per_turn: null\norchestrator: {module: loop}\nproviders: []\ntools: []\nhooks: []\n";
    let plan = Plan::read(Path::new("p.yaml"), text).unwrap();
    assert_eq!((&plan.findings[..], plan.entries.len()), (&[][..], 0));
    assert_eq!(plan.settings.injection_budget_per_turn, None);
}

#[test]
fn no_source_is_an_option_a_program_or_a_secret() {
    let hostile = include_str!("sources.txt").lines().chain(["", "a\nb"]);
    for text in hostile {
        let refused = ModuleSource::read(text, Path::new("/srv"));
        assert!(refused.is_err(), "{text}: {refused:?}");
        assert!(refused.unwrap_err().help.is_some(), "{text} has advice");
    }
}

#[test]
fn branches_with_slashes_and_folders_are_told_apart() {
    let read = |text: &str| match ModuleSource::read(text, Path::new("/srv")).unwrap() {
        ModuleSource::Git(git) => (git.url, git.reference, git.subdirectory),
        other => panic!("{other:?}"),
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        read("git+https://example.com/org/x@feature/new#subdirectory=hooks/guard"),
        (
            "https://example.com/org/x".into(),
            some("feature/new"),
            some("hooks/guard")
        )
    );
    assert_eq!(
        read("git+https://example.com:8443/x"),
        ("https://example.com:8443/x".into(), None, None)
    );
    assert_eq!(
        read("git+file:///srv/x@v1.2"),
        ("file:///srv/x".into(), some("v1.2"), None)
    );
}
