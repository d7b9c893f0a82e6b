//! `anyhook agent` and `anyhook demo --agent`, as a person calls them.

use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

/// A script that writes a file, and a package that refuses secrets.
fn stage(env: &TestEnv, file: &str) {
    let script = json!([
        {"calls": [{"name": "write", "input": {"file_path": file, "content": "x"}}]},
        "I did what I could",
    ]);
    env.write("project/script.json", &script.to_string());
    let rule = json!({
        "type": "rule", "name": "secrets", "when": "touches('**/.env')",
        "then": {"deny": "`.env` holds secrets; write `.env.example`"},
    });
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Write|Edit", "hooks": [rule]}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
}

const RUN: [&str; 8] = [
    "agent",
    "write it",
    "--provider",
    "scripted:script.json",
    "--phase",
    "trusted",
    "--hooks",
    "guards/hooks/hooks.json",
];

#[test]
fn an_agent_does_its_task_and_its_hooks_are_seen() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    let left = env.run(&RUN, b"");
    assert_eq!(
        (left.code, &*left.stdout),
        (0, "I did what I could\n"),
        "{left:?}"
    );
    assert!(
        left.stderr.contains("tool:pre") && left.stderr.contains("Write notes.txt"),
        "{}",
        left.stderr
    );
    assert!(env.path("project/notes.txt").exists());
}

#[test]
fn a_guard_of_a_package_keeps_the_agent_from_what_it_refuses() {
    let env = TestEnv::new();
    stage(&env, ".env");
    let left = env.run(&RUN, b"");
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        left.stderr.contains("secrets") && left.stderr.contains("deny"),
        "{}",
        left.stderr
    );
    assert!(!env.path("project/.env").exists());
}

#[test]
fn where_no_person_can_be_asked_a_call_that_needs_a_yes_is_refused() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    let left = env.run(
        &["agent", "write it", "--provider", "scripted:script.json"],
        b"",
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert!(left.stderr.contains("approval:denied"), "{}", left.stderr);
    assert!(!env.path("project/notes.txt").exists());
}

#[test]
fn an_agent_does_not_begin_without_the_hooks_that_it_was_given() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    env.write(
        "project/guards/hooks/hooks.json",
        "{\"version\": 1, \"hooks\": ",
    );
    let left = env.run(&RUN, b"");
    assert_eq!((left.code, &*left.stdout), (65, ""), "{left:?}");
    assert!(left.stderr.contains("cannot be mounted"), "{}", left.stderr);
    assert!(!env.path("project/notes.txt").exists());
}

#[test]
fn a_task_that_was_not_done_is_an_exit_code() {
    let env = TestEnv::new();
    env.write("project/script.json", r#"[{"error": "no such model"}]"#);
    let left = env.run(&["agent", "go", "--provider", "scripted:script.json"], b"");
    assert_eq!(left.code, 1, "{left:?}");
    assert!(left.stderr.contains("no such model"), "{}", left.stderr);
    let left = env.run(&["agent", "go"], b"");
    assert_eq!(
        left.code, 78,
        "without a model there is none to ask: {left:?}"
    );
}

/// The plan of the seed's form, with every module that is built in.
const PLAN: &str = r#"session:
  injection_size_limit: 16
hooks:
  - module: my-hook
    source: ./guards
    config:
      enabled_events:
        - "tool:pre"
        - "prompt:submit"
      log_level: "info"
  - module: logging
    config:
      session_log_template: "~/{session_id}.jsonl"
  - module: redaction
    config:
      rules: [secrets]
  - module: approval
    config:
      rules:
        - {pattern: "ls*", action: auto_approve}
      tools:
        Write: {require_approval: false}
  - module: file-guard
    config:
      blocked_paths: [".env*"]
"#;

fn planned(env: &TestEnv, plan: &str) -> Left {
    env.write("project/plan.yaml", plan);
    let args = ["agent", "go", "--provider", "scripted:script.json"];
    let rest = ["--phase", "trusted", "--plan", "plan.yaml"];
    env.run(&[&args[..], &rest[..]].concat(), b"")
}

#[test]
fn a_plan_with_every_built_in_module_holds_for_an_agent() {
    let env = TestEnv::new();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let write = |file: &str, content: &str| json!({"calls": [{"name": "write", "input": {"file_path": file, "content": content}}]});
    let run = |command: &str| json!({"calls": [{"name": "bash", "input": {"command": command}}]});
    let script = json!([
        write("a/../.env", "x"),
        write("notes.txt", &format!("use {secret}")),
        run("ls"),
        run("ls; touch approved"),
        write("frozen.txt", "x"),
        "done",
    ]);
    env.write("project/script.json", &script.to_string());
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Write", "hooks": [{"type": "rule", "name": "frozen",
            "when": "touches('frozen.txt')", "then": {"deny": "it is frozen"}}]}],
        "pre-prompt": [{"hooks": [{"type": "rule", "name": "talks",
            "when": "true", "then": {"inject": "first line\nthe second is over the limit"}}]}],
    }});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
    let left = planned(&env, PLAN);
    assert_eq!((left.code, &*left.stdout), (0, "done\n"), "{left:?}");
    let project = env.path("project");
    for file in [".env", "approved", "frozen.txt"] {
        assert!(!project.join(file).exists(), "{file}: {left:?}");
    }
    let notes = std::fs::read_to_string(project.join("notes.txt")).unwrap();
    assert_eq!(notes, "use [REDACTED:SECRET:github-token]");

    let logs = std::fs::read_dir(env.path("home")).unwrap().flatten();
    let logs: Vec<_> = logs
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    let [log] = &logs[..] else { panic!("{logs:?}") };
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains(&secret), "{log}");
    let events: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(
        (
            count("session:start"),
            count("tool:pre"),
            count("tool:post")
        ),
        (1, 5, 2),
        "{log}"
    );
    // Three calls that were refused, and one question that no person was there to answer.
    assert_eq!(
        (count("approval:denied"), count("session:end")),
        (4, 1),
        "{log}"
    );
    assert_eq!(count("policy:violation"), 1, "the plan's own limit: {log}");
    assert!(left.stderr.contains("talks failed: "), "{}", left.stderr);
}

#[test]
fn an_agent_does_not_begin_with_a_plan_in_which_something_is_wrong() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    for (plan, found) in [
        (
            PLAN.replace("injection_size_limit: 16", "injection_size_limit: few"),
            "plan.yaml:2:",
        ),
        (
            PLAN.replace("blocked_paths", "bloked_paths"),
            "bloked_paths",
        ),
        (
            PLAN.replace("module: file-guard", "modul: file-guard"),
            "plan.yaml:",
        ),
        (PLAN.replace("./guards", "./nowhere"), "nowhere"),
    ] {
        let left = planned(&env, &plan);
        assert_eq!((left.code, &*left.stdout), (65, ""), "{left:?}");
        assert!(left.stderr.contains(found), "{found}: {}", left.stderr);
        assert!(!env.path("project/notes.txt").exists());
    }
}

/// Real tools and the package `guardrails`, with a scripted model.
#[test]
fn the_demo_of_the_agent_goes_through_its_guards() {
    let left = TestEnv::new().run(&["demo", "--agent", "--format", "json"], b"");
    assert_eq!(left.code, 0, "{left:?}");
    let reports: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decided: Vec<String> = reports
        .iter()
        .filter(|report| report["result"]["verdict"] == "deny")
        .map(|report| {
            format!(
                "{} {}",
                report["event"]["name"].as_str().unwrap(),
                report["event"]["subject"]
            )
        })
        .collect();
    assert_eq!(
        decided,
        ["tool:pre \"read\"", "tool:pre \"bash\"", "stop null"]
    );
    let failed = reports
        .iter()
        .flat_map(|report| report["steps"].as_array().unwrap());
    let failed: Vec<&Value> = failed
        .filter(|step| step.to_string().contains("fault"))
        .collect();
    assert_eq!(failed, Vec::<&Value>::new());
}

/// Runs the stage with a script of one turn of calls.
fn calls(env: &TestEnv, calls: &Value) -> Left {
    stage(env, "unused");
    let script = json!([{"calls": calls}, "I did what I could"]);
    env.write("project/script.json", &script.to_string());
    env.run(&RUN, b"")
}

#[test]
fn an_agent_does_not_change_the_package_that_guards_it() {
    let env = TestEnv::new();
    let before = {
        stage(&env, "unused");
        std::fs::read_to_string(env.path("project/guards/hooks/hooks.json")).unwrap()
    };
    let left = calls(
        &env,
        &json!([
            {"name": "write", "input": {"file_path": "guards/hooks/hooks.json", "content": "{}"}},
            {"name": "edit", "input": {"file_path": "./guards/../guards/hooks/hooks.json", "old_string": "secrets", "new_string": "x"}},
            {"name": "write", "input": {"file_path": "guards/hooks/scripts/guard.sh", "content": "exit 0"}},
            {"name": "bash", "input": {"command": "rm -r guards"}},
        ]),
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert!(left.stderr.contains("anyhook:guarded"), "{}", left.stderr);
    let after = std::fs::read_to_string(env.path("project/guards/hooks/hooks.json")).unwrap();
    assert_eq!(before, after);
    assert!(!env.path("project/guards/hooks/scripts").exists());
}

#[test]
fn a_command_of_the_agent_does_not_get_the_key_of_its_model() {
    let env = TestEnv::new();
    let script = json!([
        {"calls": [{"name": "bash", "input": {"command": "echo \"[$ANYHOOK_MODEL_KEY]\" > key"}}]},
    ]);
    env.write("project/script.json", &script.to_string());
    let run = [
        "agent",
        "go",
        "--provider",
        "scripted:script.json",
        "--phase",
        "trusted",
    ];
    let mut command = env.command(&run);
    command.env("ANYHOOK_MODEL_KEY", "sk-1");
    let left = crate::env::finish(crate::env::start(command, b""));
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(
        std::fs::read_to_string(env.path("project/key")).unwrap(),
        "[]\n"
    );
}

/// Runs an agent that may do everything, with a package on `pre-tool-use` of these hooks; it writes a file.
fn with_hooks(env: &TestEnv, hooks: &Value, hooks_at: &str) -> Left {
    stage(env, "b.txt");
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": hooks}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
    run_with(env, hooks_at)
}

fn run_with(env: &TestEnv, hooks_at: &str) -> Left {
    let args = ["agent", "go", "--provider", "scripted:script.json"];
    let rest = ["--phase", "trusted", "--hooks", hooks_at];
    env.run(&[args, rest].concat(), b"")
}

#[test]
fn what_failed_is_a_line_of_the_timeline_and_a_report() {
    let env = TestEnv::new();
    let command = |name: &str, line: &str| json!({"type": "command", "name": name, "command": line, "timeout": 0.3});
    let hooks = json!([
        command("broken", "echo oops >&2; exit 1"),
        command("missing", "/no/such/program"),
        command("slow", "sleep 20"),
        {"type": "prompt", "name": "asks-a-model", "prompt": "fine?"},
    ]);
    let left = with_hooks(&env, &hooks, "guards");
    assert_eq!(left.code, 0, "{left:?}");
    let told = |text: &str| {
        text.lines()
            .find(|line| line.contains("tool:pre"))
            .map(str::to_owned)
    };
    assert!(
        told(&left.stderr).is_some_and(|line| !line.contains(" 0.0 ms")),
        "{left:?}"
    );
    for failed in [
        "broken failed: exit code 1: oops; it refuses nothing",
        "missing failed: ",
        "slow failed: ",
        "asks-a-model failed: ",
    ] {
        assert!(left.stderr.contains(failed), "{failed}: {}", left.stderr);
    }
    let why = env.run(&["log", "--format", "json", "-n", "100"], b"");
    let reports = why
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let pre = reports
        .into_iter()
        .find(|report| report["event"]["name"] == "tool:pre")
        .unwrap();
    let steps = pre["steps"].as_array().unwrap().iter();
    let failed = steps.filter_map(|step| step["became"]["failed"]["fault"]["kind"].as_str());
    assert_eq!(
        failed.collect::<Vec<_>>(),
        ["exit_code", "exit_code", "timed_out", "not_started"]
    );
    let why = env.run(&["why", pre["id"].as_str().unwrap()], b"");
    assert!(why.stdout.contains("exit code 1: oops"), "{why:?}");
    let log = env.run(&["log"], b"");
    assert!(
        log.stdout.contains("broken failed: exit code 1: oops"),
        "{log:?}"
    );
}

#[test]
fn a_package_is_found_by_every_path_that_means_it() {
    let env = TestEnv::new();
    stage(&env, ".env");
    let package = env.path("project/guards");
    let absolute = package.join("hooks/hooks.json");
    let goes = |folder: &str, path: &str| {
        let root = env.path("project");
        let script = format!("scripted:{}", root.join("script.json").display());
        let args = [
            "agent",
            "go",
            "--provider",
            &script,
            "--phase",
            "trusted",
            "--hooks",
            path,
        ];
        let mut command = env.command(&args);
        command.current_dir(env.path(folder));
        let left = crate::env::finish(crate::env::start(command, b""));
        assert!(
            left.stderr.contains("write `.env.example`"),
            "{path} in {folder}: {left:?}"
        );
        assert!(!env.path("project/.env").exists(), "{path} in {folder}");
    };
    for path in [
        "hooks/hooks.json",
        "hooks",
        "./hooks",
        "hooks/",
        ".",
        "./hooks/hooks.json",
        "../guards",
        "hooks/../hooks",
    ] {
        goes("project/guards", path);
    }
    for path in [
        "hooks.json",
        "./hooks.json",
        ".",
        "..",
        "../hooks/hooks.json",
    ] {
        goes("project/guards/hooks", path);
    }
    goes("project", "guards");
    goes("project", "guards/hooks");
    goes("home", &absolute.to_string_lossy());
    goes("home", &package.to_string_lossy());
}

#[test]
fn a_path_that_means_no_package_is_an_error_that_says_what_one_is() {
    let env = TestEnv::new();
    stage(&env, ".env");
    env.write(
        "project/guards/other.json",
        r#"{"version": 1, "hooks": {}}"#,
    );
    for (path, told) in [
        ("nowhere", "cannot read `nowhere`"),
        ("guards/hooks.json", "cannot read `guards/hooks.json`"),
        ("guards/other.json", "is not the manifest of its package"),
        ("../home", "is no package of hooks"),
    ] {
        let left = run_with(&env, path);
        assert_ne!(left.code, 0, "{path}: {left:?}");
        assert!(left.stderr.contains(told), "{path}: {}", left.stderr);
    }
}

/// The layout of the seed: the package is the project.
#[test]
fn an_agent_works_in_a_project_that_is_its_own_package_and_asks_before_it_changes_that() {
    let env = TestEnv::new();
    stage(&env, "unused");
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "command", "command": "bash ${PACKAGE_ROOT}/checks/look.sh"},
    ]}]}});
    env.manifest(&manifest.to_string());
    env.write("project/checks/look.sh", "exit 0\n");
    env.write("project/hooks/scripts/a.sh", "exit 0\n");
    env.write("project/tests/cases/a.yaml", "name: a\n");
    env.write("project/tests/own.txt", "1");
    let write = |file: &str| json!({"name": "write", "input": {"file_path": file, "content": "x"}});
    let run = |line: &str| json!({"name": "bash", "input": {"command": line}});
    let free = [
        write("b.txt"),
        run("ls; touch c.txt"),
        write("tests/own.txt"),
        write("hooks/use.ts"),
    ];
    let guarded = [
        write("hooks/hooks.json"),
        write(".anyhook/hooks.json"),
        write("hooks/scripts/a.sh"),
        write("checks/look.sh"),
        write("tests/cases/a.yaml"),
        run("rm -r hooks"),
    ];
    let script = json!([{"calls": free}, {"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]}, "looked", "done"]);
    env.write("project/script.json", &script.to_string());
    let left = run_with(&env, ".");
    assert!(!left.stderr.contains("anyhook:guarded"), "{}", left.stderr);
    for file in ["b.txt", "c.txt", "hooks/use.ts"] {
        assert!(env.path("project").join(file).exists(), "{file}: {left:?}");
    }
    for call in guarded {
        env.write(
            "project/script.json",
            &json!([{"calls": [call]}, "done"]).to_string(),
        );
        let left = run_with(&env, ".");
        let about = left
            .stderr
            .lines()
            .find(|line| line.contains("anyhook:guarded"));
        let named = call["input"]["file_path"].as_str().unwrap_or("hooks");
        assert!(
            about.is_some_and(|line| line.contains(named)),
            "{call}: {}",
            left.stderr
        );
    }
}

#[test]
fn an_event_that_no_one_knows_is_said_before_the_agent_begins() {
    let env = TestEnv::new();
    stage(&env, "b.txt");
    let manifest = json!({"version": 1, "hooks": {"pre-tool-uze": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
    let left = run_with(&env, "guards");
    let first = left.stderr.find("pre-tool-use").unwrap_or(usize::MAX);
    assert!(
        first < left.stderr.find("tool:pre").unwrap_or(0),
        "{}",
        left.stderr
    );
}

#[test]
fn a_refusal_where_no_one_can_be_asked_says_so_and_tells_no_one_to_wait() {
    let env = TestEnv::new();
    stage(&env, "b.txt");
    env.write(
        "project/guards/hooks/hooks.json",
        r#"{"version": 1, "hooks": {"athena:tool-denied": [{"hooks": [
        {"type": "command", "command": "cat >> denied"}]}]}}"#,
    );
    let args = [
        "agent",
        "go",
        "--provider",
        "scripted:script.json",
        "--hooks",
        "guards",
    ];
    let left = env.run(&args, b"");
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        !left.stderr.contains("waits for your permission"),
        "{}",
        left.stderr
    );
    let mut denied = std::fs::read_to_string(env.path("project/denied")).unwrap_or_default();
    denied.retain(|c| !c.is_whitespace());
    assert!(denied.contains(r#""code":"unknown""#), "{denied}: {left:?}");
}

/// Waits until something is there.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_first_ctrl_c_waits_for_a_hook_and_the_second_ends_it_and_leaves_no_process() {
    let env = TestEnv::new();
    stage(&env, "b.txt");
    let hook = "setsid sh -c 'echo $$ > stray; sleep 300' & echo $$ > leader; sleep 300";
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "command", "command": hook, "timeout": 200}]}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
    let mut child = env.command(&RUN).spawn().unwrap();
    let own = Pid::from_child(&child);
    let written = |name: &str| {
        until(name, || {
            let text = std::fs::read_to_string(env.path("project").join(name)).ok()?;
            Pid::from_raw(text.trim().parse().ok()?)
        })
    };
    let started = [written("leader"), written("stray")];
    kill_process(own, Signal::INT).unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let is_told =
        told.any(|line| line.is_ok_and(|line| line.starts_with("cancelled: hooks that run")));
    assert!(is_told && started.iter().all(|pid| test_kill_process(*pid).is_ok()));
    kill_process(own, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    until("both are gone", || {
        started
            .iter()
            .all(|pid| test_kill_process(*pid).is_err())
            .then_some(())
    });
    assert!(!env.path("project/b.txt").exists());
}

#[test]
fn a_worktree_that_is_left_is_told_with_the_commands_that_take_it_over_and_remove_it() {
    let git = |env: &TestEnv, line: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", line]).current_dir(env.path("project"));
        let names = [
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b"),
        ];
        assert!(shell.envs(names).status().unwrap().success(), "{line}");
    };
    for wanted in ["take over", "remove"] {
        let env = TestEnv::new();
        let spawn = json!({"name": "spawn_agent", "input": {"prompt": "write it", "isolation": "worktree"}});
        let write = json!({"name": "write", "input": {"file_path": "new.txt", "content": "x"}});
        let script = json!([{"calls": [spawn]}, {"calls": [write]}, "written", "done"]);
        let script = env.write("home/script.json", &script.to_string());
        env.write("project/a.txt", "1");
        git(
            &env,
            "git init -q . && git add --all && git commit -q -m first",
        );
        let provider = format!("scripted:{}", script.display());
        let left = env.run(
            &["agent", "go", "--provider", &provider, "--phase", "trusted"],
            b"",
        );
        assert!(
            left.stderr.contains("an agent left its work in"),
            "{left:?}"
        );
        let line = |wanted: &str| {
            let mut lines = left.stderr.lines().map(str::trim);
            let found = lines
                .find_map(|line| line.strip_prefix(wanted))
                .unwrap_or_default();
            found.to_owned()
        };
        git(&env, &line(wanted));
        assert_eq!(env.path("project/new.txt").exists(), wanted == "take over");
        if wanted == "take over" {
            git(&env, &line("remove"));
        }
        git(
            &env,
            "test -z \"$(git branch --list 'agent/*')\" && test $(git worktree list | wc -l) = 1",
        );
    }
}

#[test]
fn a_script_that_is_wrong_is_told_with_its_line_and_column_and_what_a_script_is() {
    let env = TestEnv::new();
    for (script, told) in [
        (
            "[\n  \"hello\",\n  {\"txt\": \"x\"}\n]",
            "`bad.json:3:8`: unknown field `txt`, expected one of `text`, `calls`, `usage`, `error`",
        ),
        (
            "[{\"calls\": [{\"nme\": \"bash\"}]}]",
            "`bad.json:1:18`: unknown field `nme`",
        ),
        ("[{\"calls\": [{\"input\": {}}]}]", "missing field `name`"),
        (
            "[3]",
            "`bad.json:1:2`: invalid type: integer `3`, expected a text, or an object with `text`, `calls`, `usage` or `error`",
        ),
        (
            "{}",
            "`bad.json:1:1`: invalid type: object, expected a list",
        ),
        ("[\"a\"\n\"b\"]", "`bad.json:2:1`: expected `,` or `]`"),
    ] {
        env.write("project/bad.json", script);
        let left = env.run(&["agent", "go", "--provider", "scripted:bad.json"], b"");
        assert_eq!(left.code, 65, "{left:?}");
        assert!(left.stderr.contains(told), "{told}: {}", left.stderr);
        assert!(
            left.stderr.contains("a script is a JSON list of replies"),
            "{}",
            left.stderr
        );
    }
    let left = env.run(&["agent", "go", "--provider", "nope"], b"");
    assert!(
        left.stderr.contains("`--provider scripted:FILE`"),
        "{}",
        left.stderr
    );
}
