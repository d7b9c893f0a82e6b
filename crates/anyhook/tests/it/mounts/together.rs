//! The mount plan of the seed as it is written, with the modules that are built in beside it, on one session.

use std::fs;
use std::path::Path;

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::{Catalogue, Cleanup};
use anyhook::session::{Begins, Setup};
use serde_json::{Value, json};

use super::repositories::git;
use super::{Diary, heard, plan, session, told, world};

/// The seed's plan, whose repository is one of this machine, and one entry for each module that is built in.
const PLAN: &str = r#"hooks:
  - module: my-hook
    source: git+file://REPOSITORY@main
    config:
      enabled_events:
        - "tool:pre"
        - "tool:post"
      log_level: "info"
  - module: logging
    config:
      session_log_template: "{state}/logs/{session_id}.jsonl"
      log_level: "info"
  - module: redaction
    config:
      rules: [secrets]
  - module: approval
    config:
      rules:
        - {pattern: "ls*", action: auto_approve}
        - {pattern: "rm -rf", action: auto_deny}
      tools:
        Write: {require_approval: false}
  - module: file-guard
    priority: 10
    config:
      blocked_paths: [".env*"]
"#;

/// A repository with a package of hooks, as `my-hook` of the seed would be.
fn repository(folder: &Path) {
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "rule", "name": "frozen",
            "when": "tool_input.command == 'make deploy'", "then": {"deny": "deploys are frozen"}}]}],
        "stop": [{"hooks": [{"type": "rule", "name": "never", "when": "true", "then": {"deny": "not enabled"}}]}],
    }});
    fs::create_dir_all(folder.join("hooks")).unwrap();
    fs::write(folder.join("hooks/hooks.json"), manifest.to_string()).unwrap();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "a hook"]);
}

#[test]
fn the_plan_of_the_seed_with_every_built_in_module_holds_on_one_session() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    repository(&folder.join("repository"));
    let text = PLAN.replace("REPOSITORY", &folder.join("repository").to_string_lossy());
    let session = session();
    let outcomes = Catalogue::new(world(folder)).mount_blocking(&session, &plan(folder, &text));
    assert_eq!(
        told(&outcomes),
        [
            "my-hook: 2 handlers",
            "logging: 1 handlers",
            "redaction: 1 handlers",
            "approval: 1 handlers",
            "file-guard: 1 handlers",
        ]
    );
    session.start_blocking(Begins::New);
    let call = |tool: &str, input: Value| {
        let data = json!({"tool_name": tool, "tool_input": input});
        let acted = session.emit_blocking("tool:pre", data);
        let said = acted.processed.result;
        (
            said.verdict.kind(),
            acted.event.data.json()["tool_input"].clone(),
        )
    };
    let run = |command: &str| call("Bash", json!({"command": command})).0;
    assert_eq!(
        run("make deploy"),
        Kind::Deny,
        "by the package of the repository"
    );
    assert_eq!(run("ls -la"), Kind::Continue);
    assert_eq!(run("cd x && rm -rf y"), Kind::Deny);
    assert_eq!(
        run("ls; make"),
        Kind::Deny,
        "no person is there to be asked"
    );
    let write =
        |path: &str, content: &str| call("Write", json!({"file_path": path, "content": content}));
    assert_eq!(write("a/../.env.local", "x").0, Kind::Deny);
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let (kind, input) = write("notes.md", &format!("use {secret}"));
    assert_eq!(
        (kind, &input["content"]),
        (Kind::Continue, &json!("use [REDACTED:SECRET:github-token]"))
    );
    let stopped = session.emit_blocking("stop", json!({}));
    assert_eq!(
        stopped.processed.result.verdict.kind(),
        Kind::Continue,
        "it is not enabled"
    );
    assert_eq!(session.end_blocking("done").faults, []);
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);

    let log = fs::read_to_string(folder.join("home/state/logs/s1.jsonl")).unwrap();
    assert!(!log.contains(&secret), "{log}");
    let events = log.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["event"].as_str().unwrap().to_owned()
    });
    let events: Vec<String> = events.collect();
    assert_eq!(
        events,
        [
            "session:start",
            "tool:pre",
            "tool:pre",
            "tool:pre",
            "tool:pre",
            "approval:denied",
            "tool:pre",
            "tool:pre",
            "stop",
            "session:end",
        ]
    );
}

/// A module that panics where it is told to, and writes down what it heard.
fn panicking(at: &'static str, diary: &Diary) -> impl anyhook::mounts::Mount + use<> {
    let diary = diary.clone();
    move |session: &Session, _: &Value| {
        let heard = diary.clone();
        let answer = move |_: &Event| {
            heard.write(format!("{at} heard"));
            assert_ne!(at, "handler", "boom");
            HookResult::proceed().inject(at)
        };
        let hook = Hook::on("prompt:submit", answer).named(at);
        session.hooks().register(hook);
        session.on_session_ready(at, move |_: &Session| assert_ne!(at, "ready", "boom"));
        assert_ne!(at, "mount", "boom");
        let cleaned = diary.clone();
        Cleanup::new(move || {
            cleaned.write(format!("{at} cleaned"));
            assert_ne!(at, "cleanup", "boom");
        })
    }
}

#[test]
fn a_module_of_a_plan_that_panics_anywhere_harms_no_other() {
    for isolate in [None, Some(std::time::Duration::from_mins(1))] {
        let diary = Diary::default();
        let names = ["first", "mount", "ready", "handler", "cleanup", "last"];
        let catalogue = names.into_iter().fold(Catalogue::default(), |all, name| {
            all.with(name, panicking(name, &diary))
        });
        let setup = Setup {
            isolate,
            ..Setup::default()
        };
        let session = Session::with("s1", setup);
        let entries = names.map(|name| anyhook::mounts::Entry::new(name, json!({})));
        let outcomes = catalogue.mount_all_blocking(&session, &entries);
        let failed: Vec<&str> = outcomes
            .iter()
            .filter(|outcome| outcome.error().is_some())
            .map(|outcome| &*outcome.module)
            .collect();
        assert_eq!(failed, ["mount"]);
        let begun = session
            .start_blocking(Begins::New)
            .unwrap()
            .processed
            .faults;
        let whose = |faults: &[anyhook::session::Failed]| {
            let names = faults.iter().map(|failed| failed.hook.to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(whose(&begun), ["ready"]);
        let acted = session.emit_blocking("prompt:submit", json!({"prompt": "hello"}));
        let texts: Vec<&str> = acted
            .processed
            .result
            .effects
            .inject()
            .iter()
            .map(|injection| &*injection.text)
            .collect();
        assert_eq!(texts, ["first", "ready", "cleanup", "last"]);
        let faults: Vec<String> = acted
            .report
            .faults()
            .map(|(id, fault)| {
                format!(
                    "{}: {}",
                    acted.report.hook(id).unwrap().name,
                    fault.kind.as_str()
                )
            })
            .collect();
        assert_eq!(faults, ["handler: panicked"]);
        assert_eq!(
            heard(&session, "prompt:submit"),
            ["first", "ready", "handler", "cleanup", "last"]
        );
        assert_eq!(whose(&session.end_blocking("done").faults), ["cleanup"]);
        assert_eq!(heard(&session, "prompt:submit"), [""; 0]);
        assert_eq!(
            diary.take(),
            [
                "first heard",
                "ready heard",
                "handler heard",
                "cleanup heard",
                "last heard",
                "last cleaned",
                "cleanup cleaned",
                "handler cleaned",
                "ready cleaned",
                "first cleaned",
            ]
        );
    }
}
