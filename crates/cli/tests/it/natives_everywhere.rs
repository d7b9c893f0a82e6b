//! A guard and a rewriter written for Claude Code alone, under the payloads of other agents; and hooks that were written
//! for those, under others.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, finish, start};
use crate::natives::{trusted, universal};

fn run(env: &TestEnv, host: &str, payload: &Value) -> Left {
    env.run(
        &["run", "--host", host, "--deadline", "20"],
        payload.to_string().as_bytes(),
    )
}

/// A tool call as Codex CLI tells it.
fn codex(env: &TestEnv, tool: &str, command: &str) -> Left {
    let payload = json!({
        "session_id": "019a", "turn_id": "t-1", "transcript_path": "/home/dev/.codex/s.jsonl", "cwd": env.path("project"),
        "hook_event_name": "PreToolUse", "model": "gpt", "permission_mode": "default", "tool_name": tool,
        "tool_input": {"command": command}, "tool_use_id": "call_1",
    });
    run(env, "codex-cli", &payload)
}

/// A tool call as Gemini CLI tells it.
fn gemini(env: &TestEnv, tool: &str, input: &Value) -> Left {
    let payload = json!({
        "session_id": "f1d8", "transcript_path": "/t.json", "cwd": env.path("project"), "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-20T09:14:02.118Z", "tool_name": tool, "tool_input": input,
    });
    run(env, "gemini-cli", &payload)
}

#[test]
fn a_guard_written_for_claude_code_alone_refuses_under_codex() {
    let env = trusted();
    let left = codex(&env, "Bash", "git push origin main");
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("no pushing"), "{left:?}");
    let quiet = codex(&env, "Bash", "ls");
    assert_eq!((quiet.decision(), quiet.code), (None, 0), "{quiet:?}");
    let patch =
        "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Add File: app/.env\n+KEY=1\n*** End Patch";
    let left = codex(&env, "apply_patch", patch);
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("secrets stay"), "{left:?}");
}

#[test]
fn a_rewriter_written_for_claude_code_alone_never_lets_the_old_command_run_under_codex() {
    let env = trusted();
    let left = codex(&env, "Bash", "npm test");
    assert!(left.stdout.contains("pnpm test"), "{left:?}");
}

#[test]
fn a_guard_and_a_rewriter_written_for_claude_code_alone_work_under_gemini() {
    let env = trusted();
    let left = gemini(
        &env,
        "run_shell_command",
        &json!({"command": "git push", "dir_path": "."}),
    );
    assert_eq!(left.json()["decision"], "deny", "{left:?}");
    let left = gemini(
        &env,
        "write_file",
        &json!({"file_path": "/p/.env", "content": "x"}),
    );
    assert_eq!(left.json()["decision"], "deny", "{left:?}");
    let left = gemini(&env, "run_shell_command", &json!({"command": "npm test"}));
    assert!(left.stdout.contains("pnpm test"), "{left:?}");
    let quiet = gemini(&env, "run_shell_command", &json!({"command": "ls"}));
    assert!(!quiet.stdout.contains("deny"), "{quiet:?}");
}

/// Writes and trusts a host's own file, whose hook is a script in Python that has the event in `event`.
fn file(name: &str, text: &str, script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(&format!("project/{name}"), text);
    let head = "import json, sys\nevent = json.load(sys.stdin)\n";
    env.write("project/check.py", &format!("{head}{script}"));
    env.trust_file(name);
    env
}

#[test]
fn a_hook_written_for_gemini_reads_what_gemini_says_and_answers_in_its_words() {
    let settings = r#"{"hooks": {"BeforeTool": [{"matcher": "run_shell_.*", "hooks": [
        {"type": "command", "command": "[[ -n $GEMINI_SESSION_ID ]] && python3 \"$GEMINI_PROJECT_DIR/check.py\"", "timeout": 9000}]}]}}"#;
    let script = "assert event['hook_event_name'] == 'BeforeTool' and event['tool_name'] == 'run_shell_command'\n\
                  if 'push' in event['tool_input']['command']:\n    print(json.dumps({'decision': 'deny', 'reason': 'never'}))\n";
    let env = file(".gemini/settings.json", settings, script);
    let left = universal(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    let left = env.claude(&env.pre("Bash", &json!({"command": "ls"})));
    assert_eq!(
        (left.decision(), left.stdout.as_str()),
        (None, ""),
        "{left:?}"
    );
    // Gemini runs it itself.
    let own = gemini(&env, "run_shell_command", &json!({"command": "git push"}));
    assert!(!own.stdout.contains("never"), "{own:?}");
}

#[test]
fn a_hook_in_the_toml_of_codex_runs_under_claude_code_and_its_script_is_pinned() {
    let toml = "model = \"gpt\"\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n\n[[hooks.PreToolUse.hooks]]\n\
                type = \"command\"\ncommand = \"python3 check.py\"\ntimeout = 5\n";
    let script = "assert event['turn_id'] == '' and event['hook_event_name'] == 'PreToolUse'\nif 'push' in event['tool_input']['command']:\n    \
                  print('not from here', file=sys.stderr)\n    sys.exit(2)\n";
    let env = file(".codex/config.toml", toml, script);
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("not from here"), "{left:?}");
    env.write("project/check.py", "");
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("`check.py` was edited"), "{left:?}");
}

/// A tool call as Cursor tells it.
fn cursor(env: &TestEnv, tool: &str, input: &Value) -> Left {
    let payload = json!({
        "conversation_id": "7f0c", "generation_id": "a1b2", "model": "m", "hook_event_name": "preToolUse",
        "cursor_version": "3.18.2", "workspace_roots": [env.path("project")], "user_email": "dev@example.com",
        "transcript_path": "/t.jsonl", "tool_name": tool, "tool_input": input, "tool_use_id": "tool_01",
        "cwd": env.path("project"),
    });
    run(env, "cursor", &payload)
}

#[test]
fn a_guard_and_a_rewriter_written_for_claude_code_alone_work_under_cursor_once_adopted() {
    let env = trusted();
    // Cursor reads this file of the project itself where it trusts the folder, and it cannot be known whether it does.
    let left = cursor(&env, "Shell", &json!({"command": "git push"}));
    assert!(left.stdout.contains("no pushing"), "{left:?}");
    let adopted = env.path("home/.config/anyhook/adopted/claude-code/settings.json");
    std::fs::create_dir_all(adopted.parent().unwrap()).unwrap();
    std::fs::rename(env.path("project/.claude/settings.json"), adopted).unwrap();
    crate::env::remove(&env.state().join("trust"));
    let left = cursor(&env, "Shell", &json!({"command": "git push"}));
    assert_eq!(left.json()["permission"], "deny", "{left:?}");
    assert!(left.stdout.contains("no pushing"), "{left:?}");
    let left = cursor(
        &env,
        "Write",
        &json!({"file_path": "/p/.env", "content": "x"}),
    );
    assert_eq!(left.json()["permission"], "deny", "{left:?}");
    let left = cursor(&env, "Shell", &json!({"command": "npm test"}));
    assert!(left.stdout.contains("pnpm test"), "{left:?}");
}

#[test]
fn a_hook_written_for_one_event_of_cursor_runs_under_claude_code() {
    let hooks = r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "python3 check.py", "matcher": "push|pull"}]}}"#;
    let script = "assert event['hook_event_name'] == 'beforeShellExecution' and event['workspace_roots']\n\
                  print(json.dumps({'permission': 'deny', 'agent_message': 'no ' + event['command']}))\n";
    let env = file(".cursor/hooks.json", hooks, script);
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("no git push"), "{left:?}");
    // Its matcher looks at the command, and it is about shells alone.
    for (tool, input) in [
        ("Bash", json!({"command": "ls"})),
        ("Write", json!({"file_path": "push", "content": "push"})),
    ] {
        let left = env.claude(&env.pre(tool, &input));
        assert_eq!(
            (left.decision(), left.stdout.as_str()),
            (None, ""),
            "{left:?}"
        );
    }
}

/// A tool call as Copilot CLI tells it.
fn copilot(env: &TestEnv, tool: &str, args: &Value) -> Left {
    let payload = json!({
        "sessionId": "0b8f", "timestamp": 1_795_132_800_000_u64, "cwd": env.path("project"), "toolName": tool,
        "toolArgs": args,
    });
    env.run(
        &[
            "run",
            "--host",
            "copilot-cli",
            "preToolUse",
            "--deadline",
            "20",
        ],
        payload.to_string().as_bytes(),
    )
}

#[test]
fn a_guard_and_a_rewriter_written_for_claude_code_alone_work_under_copilot_once_adopted() {
    let env = trusted();
    let adopted = env.path("home/.config/anyhook/adopted/claude-code/settings.json");
    std::fs::create_dir_all(adopted.parent().unwrap()).unwrap();
    std::fs::rename(env.path("project/.claude/settings.json"), adopted).unwrap();
    let secret = "*** Begin Patch\n*** Add File: app/.env\n+KEY=1\n*** End Patch\n";
    for (tool, args) in [
        ("bash", json!({"command": "git push", "mode": "sync"})),
        ("create", json!({"path": "/p/.env", "file_text": "x"})),
        ("apply_patch", json!(secret)),
    ] {
        let left = copilot(&env, tool, &args);
        assert_eq!(
            left.json()["permissionDecision"],
            "deny",
            "{tool}: {left:?}"
        );
    }
    let left = copilot(&env, "bash", &json!({"command": "npm test"}));
    assert!(left.stdout.contains("pnpm test"), "{left:?}");
    let quiet = copilot(&env, "bash", &json!({"command": "ls"}));
    assert!(!quiet.stdout.contains("deny"), "{quiet:?}");
}

#[test]
fn a_hook_written_for_copilot_refuses_when_it_fails_as_it_would_there() {
    let hooks = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "python3 check.py", "matcher": "bash|create"}]}}"#;
    let script = "if event['toolName'] != 'bash':\n    sys.exit(9)\n\
                  if 'push' in event['toolArgs']['command']:\n    \
                  print(json.dumps({'permissionDecision': 'deny', 'permissionDecisionReason': 'not here'}))\n";
    let env = file(".github/hooks/guard.json", hooks, script);
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("not here"), "{left:?}");
    let left = env.claude(&env.pre("Bash", &json!({"command": "ls"})));
    assert_eq!(
        (left.decision(), left.stdout.as_str()),
        (None, ""),
        "{left:?}"
    );
    let failed = env.claude(&env.pre("Write", &json!({"file_path": "/p/x", "content": ""})));
    assert_eq!(failed.decision().as_deref(), Some("deny"), "{failed:?}");
}

#[test]
fn a_hook_written_for_droid_reads_what_droid_says_and_its_block_counts_elsewhere() {
    let hooks = r#"{"hooks": {"PreToolUse": [{"matcher": "Create", "hooks": [
        {"type": "command", "command": "python3 \"$FACTORY_PROJECT_DIR/check.py\""}]}]}}"#;
    let script = "assert event['tool_name'] == 'Create' and event['permission_mode']\n\
                  if '.env' in event['tool_input']['file_path']:\n    \
                  print('secrets stay', file=sys.stderr)\n    sys.exit(2)\n";
    let env = file(".factory/hooks.json", hooks, script);
    let write = |name: &str| {
        let input = json!({"file_path": env.path("project").join(name), "content": "x"});
        env.claude(&env.pre("Write", &input))
    };
    let left = write(".env");
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("secrets stay"), "{left:?}");
    let left = write("a.rs");
    assert_eq!(
        (left.decision(), left.stdout.as_str()),
        (None, ""),
        "{left:?}"
    );
    // Droid runs it itself.
    let own = json!({
        "session_id": "d-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
        "permission_mode": "auto-low", "hook_event_name": "PreToolUse", "tool_name": "Create",
        "tool_input": {"file_path": env.path("project/.env"), "content": "x"},
    });
    let own = run(&env, "factory-droid", &own);
    assert!(!own.stdout.contains("secrets stay"), "{own:?}");
}

#[test]
fn a_hook_written_for_qwen_reads_what_qwen_says_and_answers_in_its_words() {
    let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "^run_shell", "hooks": [
        {"type": "command", "command": "python3 \"$QWEN_PROJECT_DIR/check.py\"", "timeout": 9000}]}]}}"#;
    let script = "assert event['tool_name'] == 'run_shell_command' and event['permission_mode'] == 'default'\n\
                  if 'push' in event['tool_input']['command']:\n    print(json.dumps({'hookSpecificOutput': {\
                  'hookEventName': 'PreToolUse', 'permissionDecision': 'deny', 'permissionDecisionReason': 'never'}}))\n";
    let env = file(".qwen/settings.json", settings, script);
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("never"), "{left:?}");
    let left = codex(&env, "Bash", "git push");
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    let left = env.claude(&env.pre("Bash", &json!({"command": "ls"})));
    assert_eq!(
        (left.decision(), left.stdout.as_str()),
        (None, ""),
        "{left:?}"
    );
}

fn asked(env: &TestEnv, tool: &str, input: &Value) -> (Option<String>, String) {
    let left = env.claude(&env.pre(tool, input));
    (left.decision(), left.stdout)
}

#[test]
fn a_hook_written_for_windsurf_reads_what_windsurf_says_and_its_refusal_counts_elsewhere() {
    let hooks = r#"{"hooks": {
        "pre_run_command": [{"command": "python3 ../check.py", "working_directory": "sub", "show_output": true}],
        "pre_write_code": [{"command": "python3 check.py"}]}}"#;
    let script = "info = event['tool_info']\nassert event['trajectory_id'] and event['model_name'] == ''\n\
                  if event['agent_action_name'] == 'pre_run_command':\n    \
                  assert info['cwd']\n    text = info['command_line']\n\
                  else:\n    text = info['edits'][0]['new_string']\n\
                  if 'push' in text:\n    print('not from here', file=sys.stderr)\n    sys.exit(2)\n";
    for name in [".windsurf/hooks.json", ".devin/hooks.json"] {
        let env = file(name, hooks, script);
        std::fs::create_dir(env.path("project/sub")).unwrap();
        for (tool, input) in [
            ("Bash", json!({"command": "git push"})),
            (
                "Write",
                json!({"file_path": "/p/a.sh", "content": "git push"}),
            ),
            (
                "Edit",
                json!({"file_path": "/p/a.sh", "old_string": "a", "new_string": "git push"}),
            ),
        ] {
            let (decision, said) = asked(&env, tool, &input);
            assert_eq!(decision.as_deref(), Some("deny"), "{name} {tool}: {said}");
            assert!(said.contains("not from here"), "{said}");
        }
        for (tool, input) in [
            ("Bash", json!({"command": "ls"})),
            ("Read", json!({"file_path": "/p/push"})),
        ] {
            assert_eq!(
                asked(&env, tool, &input),
                (None, String::new()),
                "{name} {tool}"
            );
        }
        // Windsurf runs it itself.
        let own = json!({
            "agent_action_name": "pre_run_command", "trajectory_id": "t", "execution_id": "e",
            "timestamp": "2026-11-20T00:00:00Z", "model_name": "m",
            "tool_info": {"command_line": "git push", "cwd": env.path("project")},
        });
        let own = run(&env, "windsurf", &own);
        assert!(!own.stderr.contains("not from here"), "{own:?}");
    }
}

#[test]
fn a_hook_written_for_devin_refuses_with_every_code_that_any_of_its_documents_has_refuse() {
    let hooks = r#"{"PreToolUse": [{"matcher": "exec", "hooks": [
        {"type": "command", "command": "python3 check.py", "timeout": 9}]}]}"#;
    let script = "assert event['hook_event_name'] == 'PreToolUse' and event['tool_name'] == 'exec'\n\
                  sys.exit({'git push': 2, 'git fetch': 1}.get(event['tool_input']['command'], 0))\n";
    let env = file(".devin/hooks.v1.json", hooks, script);
    for (command, decision) in [
        ("git push", Some("deny")),
        ("git fetch", Some("deny")),
        ("ls", None),
    ] {
        let (said, left) = asked(&env, "Bash", &json!({"command": command}));
        assert_eq!(said.as_deref(), decision, "{command}: {left}");
    }
    let read = asked(&env, "Read", &json!({"file_path": "/p/x"}));
    assert_eq!(read, (None, String::new()));
}

#[test]
fn a_hook_written_for_kiro_reads_what_kiro_says_and_every_failure_refuses() {
    let hooks = r#"{"version": "v1", "hooks": [
        {"name": "guard", "trigger": "PreToolUse", "matcher": "shell|@git",
         "action": {"type": "command", "command": "[[ -n $KIRO_SESSION_ID ]] && python3 check.py"}},
        {"name": "chat", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "think twice"}},
        {"name": "hello", "trigger": "AgentSpawn", "action": {"type": "command", "command": "python3 check.py"}}]}"#;
    let script = "name = event['hook_event_name']\nif name == 'AgentSpawn':\n    print('mind the tests')\n    sys.exit(0)\n\
                  assert name == 'PreToolUse' and event['cwd'] and event['tool_name'] in ('execute_bash', '@git/push'), event\n\
                  if 'push' in json.dumps(event):\n    print('no pushing', file=sys.stderr)\n    sys.exit(7)\n";
    let env = file(".kiro/hooks/team.json", hooks, script);
    for (tool, input) in [
        ("Bash", json!({"command": "git push"})),
        ("mcp__git__push", json!({})),
    ] {
        let (decision, said) = asked(&env, tool, &input);
        assert_eq!(decision.as_deref(), Some("deny"), "{tool}: {said}");
        assert!(said.contains("no pushing"), "{said}");
    }
    assert_eq!(
        asked(&env, "Bash", &json!({"command": "ls"})),
        (None, String::new())
    );
    let write = asked(
        &env,
        "Write",
        &json!({"file_path": "/p/push", "content": "x"}),
    );
    assert_eq!(write, (None, String::new()));
    let start = json!({
        "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    let left = env.claude(&start);
    assert!(left.stdout.contains("mind the tests"), "{left:?}");
}

#[test]
fn a_hook_of_a_plugin_of_goose_starts_from_its_plugin_and_its_script_is_pinned_with_it() {
    let hooks = r#"{"hooks": {
        "BeforeShellExecution": [{"matcher": "push", "hooks": [
            {"type": "command", "command": "sh ${PLUGIN_ROOT}/check.sh"}]}],
        "PreToolUse": [{"matcher": "write", "hooks": [
            {"type": "command", "command": "sh \"${PLUGIN_ROOT}/missing.sh\"", "on_failure": "block"}]}]}}"#;
    let script = "payload=$(cat)\ncase $payload in\n\
                  *'\"event\":\"BeforeShellExecution\"'*'\"matcher_context\":\"git push\"'*) \
                  echo '{\"decision\":\"block\",\"reason\":\"no pushing\"}';;\n*) echo \"$payload\" >&2; exit 9;;\nesac\n";
    let env = TestEnv::new();
    env.write("project/.agents/plugins/style/hooks/hooks.json", hooks);
    let path = "project/.agents/plugins/style/check.sh";
    env.write(path, script);
    let quiet = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(quiet.0, None, "it is not trusted yet: {quiet:?}");
    env.trust_file(".agents/plugins/style/hooks/hooks.json");
    let (decision, said) = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    assert!(said.contains("no pushing"), "{said}");
    assert_eq!(
        asked(&env, "Bash", &json!({"command": "ls"})),
        (None, String::new())
    );
    let (decision, said) = asked(&env, "Write", &json!({"file_path": "/p/x", "content": ""}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    // The script belongs to what was trusted.
    env.write(path, "exit 0\n");
    let (decision, said) = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    assert!(said.contains("no pushing"), "{said}");
}

/// What an agent hears about a call that it made: what it says before and after it.
fn around(env: &TestEnv, host: &str, base: &Value, result: &Value) -> [Left; 2] {
    let mut before = base.clone();
    before["hook_event_name"] = json!("PreToolUse");
    let mut after = base.clone();
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = result.clone();
    [run(env, host, &before), run(env, host, &after)]
}

#[test]
fn a_text_that_qwen_and_droid_lose_before_a_tool_reaches_the_model_after_it() {
    let env = TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [{"type": "command", "command": "anyhook say inject 'use pnpm here'"}]}],
    }}));
    let cwd = env.path("project");
    let qwen = json!({"session_id": "q", "transcript_path": "/h/.qwen/s.jsonl", "cwd": cwd, "timestamp": "t",
        "prompt_id": "p", "permission_mode": "yolo", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
        "tool_use_id": "toolu_1", "tool_call_id": "call_1"});
    let droid = json!({"session_id": "d", "transcript_path": "/h/.factory/s.jsonl", "cwd": cwd,
        "permission_mode": "auto-high", "tool_name": "Execute", "tool_input": {"command": "ls"}});
    for (host, base, result) in [
        ("qwen-code", qwen, json!({"llmContent": "a"})),
        ("factory-droid", droid, json!("a")),
    ] {
        let [before, after] = around(&env, host, &base, &result);
        assert_eq!((before.code, before.stdout.as_str()), (0, ""), "{host}");
        let context = &after.json()["hookSpecificOutput"]["additionalContext"];
        assert_eq!(context, "use pnpm here", "{host} {after:?}");
    }
}

#[test]
fn a_question_under_droid_is_refused_with_a_code_that_a_person_approves() {
    let env = TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [{"type": "command", "command": "anyhook say ask 'push?'"}]}],
    }}));
    let payload = json!({"session_id": "d", "transcript_path": "/h/.factory/s.jsonl", "cwd": env.path("project"),
        "hook_event_name": "PreToolUse", "permission_mode": "auto-low", "tool_name": "Execute",
        "tool_input": {"command": "git push", "summary": "x", "riskLevel": "low", "riskLevelReason": "x"}});
    let left = run(&env, "factory-droid", &payload);
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("anyhook approve"), "{left:?}");
}

/// A push as Copilot CLI tells it, with these variables in its environment.
fn copilot_push(env: &TestEnv, variables: &[(&str, &str)]) -> Left {
    let payload = json!({
        "sessionId": "s-1", "timestamp": 1, "cwd": env.path("project"), "toolName": "bash",
        "toolArgs": json!({"command": "git push", "description": "push"}).to_string(),
    });
    let args = [
        "run",
        "preToolUse",
        "--host",
        "copilot-cli",
        "--deadline",
        "20",
    ];
    let mut run = env.command(&args);
    run.envs(variables.iter().copied());
    finish(start(run, payload.to_string().as_bytes()))
}

#[test]
fn a_foreign_file_is_passed_over_only_where_the_agent_is_known_to_run_it_in_this_folder() {
    let env = trusted();
    let refuses = |left: &Left| left.stdout.contains("no pushing");
    // Copilot loads no hooks of a project that it does not trust, and calls us from the person's own settings.
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
    let left = copilot_push(&env, &[("COPILOT_ALLOW_ALL", "true")]);
    assert!(!refuses(&left), "{left:?}");
    let project = env.path("project");
    let list = json!({"trustedFolders": [project]}).to_string();
    env.write("home/.copilot/config.json", &format!("// managed\n{list}"));
    let left = copilot_push(&env, &[]);
    assert!(!refuses(&left), "{left:?}");
    env.write("home/.copilot/config.json", "{\"trustedFolders\": [");
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
    // One that was trusted and is gone guards there, too.
    std::fs::remove_dir_all(env.path("project/.claude")).unwrap();
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
}
