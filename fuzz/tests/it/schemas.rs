//! The schemas against the readers: what one refuses the other refuses.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::core::manifest;
use anyhook::wires::native_files::Syntax;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_good_manifest_passes_the_schema() {
    let schema = manifest::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = [
        "fixtures/manifests/seed.json",
        "fixtures/manifests/every-field.json",
        "examples/guardrails/hooks/hooks.json",
        "examples/rules/hooks/hooks.json",
        "crates/cli/src/commands/init/hooks.json",
    ];
    for file in good {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let manifest = Syntax::Json.as_json(&text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&manifest)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{file}: {errors:?}");
    }
}

#[test]
fn the_schema_refuses_what_the_reader_of_manifests_refuses() {
    let schema = manifest::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for name in [
        "file-level",
        "no-type",
        "type-in-capitals",
        "command-is-a-list",
        "empty-command",
        "timeout-is-text",
        "timeout-zero",
        "guard-is-text",
        "on-failure-misspelled",
        "prompt-without-a-prompt",
        "rule-without-then",
        "rule-says-nothing",
        "rule-says-block",
        "priority-is-a-fraction",
        "mode-misspelled",
        "event-is-an-object",
        "hooks-is-one-hook",
        "version-two",
        "nothing-in-it",
        "a-list",
    ] {
        let text = fs::read_to_string(root().join(format!("fixtures/broken/{name}.json"))).unwrap();
        assert!(
            !validator.is_valid(&Syntax::Json.as_json(&text).unwrap()),
            "{name}"
        );
    }
}

#[test]
fn the_closed_schema_takes_what_every_program_reads_and_nothing_else() {
    let schema = manifest::closed_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let hook = |fields: &str| {
        format!(r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [{{{fields}}}]}}]}}}}"#)
    };
    let seed = fs::read_to_string(root().join("fixtures/manifests/seed.json")).unwrap();
    let texts = [
        (true, seed),
        (
            true,
            hook(r#""type": "command", "command": "x", "timeout": 300"#),
        ),
        (true, hook(r#""type": "prompt", "prompt": "x""#)),
        (
            false,
            hook(r#""type": "command", "command": "x", "timeout": 301"#),
        ),
        (
            false,
            hook(r#""type": "command", "command": "x", "timeout": 1.5"#),
        ),
        (false, hook(r#""type": "command", "prompt": "x""#)),
        (false, hook(r#""type": "rule", "then": {"deny": "x"}"#)),
        (
            false,
            hook(r#""type": "command", "command": "x", "guard": true"#),
        ),
        (
            false,
            hook(
                r#""type": "command", "command": "x"}], "name": "y", "hooks": [{"type": "command", "command": "x""#,
            ),
        ),
        (
            false,
            r#"{"version": 1, "hooks": {"PreToolUse": []}}"#.to_owned(),
        ),
        (false, r#"{"version": 2, "hooks": {}}"#.to_owned()),
        (false, r#"{"hooks": {}}"#.to_owned()),
    ];
    for (good, text) in texts {
        assert_eq!(
            validator.is_valid(&serde_json::from_str(&text).unwrap()),
            good,
            "{text}"
        );
    }
}
