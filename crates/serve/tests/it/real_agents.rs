//! Real agents that ask a real server, under a scripted model: Claude Code by entries of the type `http`, `OpenCode` by our
//! plugin, Kilo by the same, Pi by our extension. `.ci/nightly tools` puts them where these tests find them; where one is not
//! there its test says so.
//!
//! Each runs in a network namespace of its own, with a home that goes away: an agent reaches the model and the server alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhook::install::{InstallOptions, Installer};
use anyhook::wires::host;
use anyhook::wires::settings::Scope;
use anyhook_serve::Limits;
use anyhook_verify::model::{ModelTurn, ScriptedModel};
use anyhook_verify::raise_loopback;
use serde_json::{Value, json};

use super::home::{Home, Served};

/// Tells the inner run of a test that it is in a namespace.
const APART: &str = "ANYHOOK_TEST_APART";

/// Longer than any agent takes, in seconds: one that hangs fails its test.
const PATIENCE: &str = "100";

/// Returns the program of an agent of the lab, in the namespace of this test; nothing outside, once the inner run has passed.
fn apart(test: &str, host: &str, program: &str) -> Option<PathBuf> {
    let this = std::env::current_exe().unwrap();
    let target = this.ancestors().nth(3).unwrap();
    let program = target.join(format!("lab/{host}/node_modules/.bin/{program}"));
    if !program.exists() {
        eprintln!("not run: no {host} in the lab; put it there: .ci/nightly tools");
        return None;
    }
    if std::env::var_os(APART).is_some() {
        raise_loopback().unwrap();
        return Some(program);
    }
    let namespace = ["--user", "--map-root-user", "--net"];
    let can = Command::new("unshare").args(namespace).arg("true").output();
    if !can.is_ok_and(|said| said.status.success()) {
        eprintln!("not run: this system gives no network namespace");
        return None;
    }
    let inner = Command::new("unshare")
        .args(namespace)
        .arg(&this)
        .args([
            "--exact",
            &format!("real_agents::nightly::{test}"),
            "--include-ignored",
            "--nocapture",
        ])
        .env(APART, "yes")
        .output()
        .unwrap();
    let (stdout, stderr) = (text(&inner.stdout), text(&inner.stderr));
    assert!(inner.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}");
    None
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Hooks that refuse, rewrite and inform.
fn home() -> Home {
    let rule = |when: &str, then: Value| json!({"type": "rule", "when": when, "then": then});
    let runs = |line: &str| json!([{"hooks": [{"type": "command", "command": line}]}]);
    let after = r#"echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "MARK-after"}}'"#;
    let once = "[ -e stopped ] || { : > stopped; echo 'MARK-stop: touch again' >&2; exit 2; }";
    // Where a test asks for it, the first end is halted and not refused.
    let halts = r#"[ -e halts ] && { rm halts; echo '{"continue": false, "stopReason": "MARK-ended"}'; : > ended; exit; }"#;
    Home::with(&json!({
        "pre-tool-use": [{"matcher": "Bash", "hooks": [
            rule("runs('touch refused')", json!({"deny": "MARK-refused"})),
            rule("runs('touch halted')", json!({"halt": "MARK-halted"})),
            rule("runs('touch given')", json!({"modify": {"tool_input": {"command": "touch changed"}}}))]}],
        "post-tool-use": runs(after),
        "pre-prompt": runs("if grep -q secret; then echo MARK-secret >&2; exit 2; fi; echo MARK-prompt"),
        "session-start": runs("echo MARK-start"),
        "permission-request": [{"hooks": [
            rule("runs('touch plain')", json!({"allow": "it only touches"})),
            rule("runs('touch never')", json!({"deny": "MARK-never"}))]}],
        "stop": runs(&format!("{halts}; {once}")),
    }))
}

/// An agent that is about to be started: nothing of the environment but what every program has.
fn agent(home: &Home, program: &Path, vars: &[(&str, &str)]) -> Command {
    let project = home.path("project");
    let mut command = Command::new("timeout");
    command
        .arg(PATIENCE)
        .arg(program)
        .current_dir(&project)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path("home"))
        .env("XDG_STATE_HOME", home.path("state"))
        .env("PWD", &project)
        .env("TERM", "dumb")
        .env("NO_COLOR", "1")
        .env("SHELL", "/bin/sh")
        .envs(vars.iter().copied())
        .stdin(Stdio::null());
    command
}

/// What the model calls, one command after the other.
fn script(tool: &str, lines: &[&str]) -> Vec<ModelTurn> {
    let input = |line: &&str| json!({"command": line, "description": "Runs a probe"});
    let calls = lines
        .iter()
        .map(|line| ModelTurn::calls([(tool.to_owned(), input(line))]));
    calls.chain([ModelTurn::says("Done.")]).collect()
}

const LINES: &[&str] = &["touch refused", "touch given", "touch plain"];

/// What is left of a session: the files that it made, and the marks that the model was told.
#[derive(Debug, PartialEq)]
struct Left {
    made: Vec<&'static str>,
    told: Vec<&'static str>,
}

fn left(home: &Home, model: ScriptedModel) -> Left {
    let requests = model.stop();
    let is_told = |mark: &&str| requests.iter().any(|request| request.body.contains(*mark));
    let names = [
        "refused", "given", "changed", "plain", "never", "again", "halted",
    ];
    let is_made = |name: &&str| home.path("project").join(name).exists();
    let made: Vec<&str> = names.into_iter().filter(is_made).collect();
    for name in &made {
        std::fs::remove_file(home.path("project").join(name)).unwrap();
    }
    let marks = [
        "MARK-start",
        "MARK-prompt",
        "MARK-secret",
        "MARK-refused",
        "MARK-halted",
        "MARK-after",
        "MARK-stop",
        "MARK-ended",
    ];
    Left {
        made,
        told: marks.into_iter().filter(is_told).collect(),
    }
}

/// Of a session that is asked to do the task: what was refused was not made, and what was changed was.
fn obeyed() -> Left {
    Left {
        made: vec!["changed", "plain"],
        told: vec!["MARK-start", "MARK-prompt", "MARK-refused", "MARK-after"],
    }
}

const NOTHING: Left = Left {
    made: Vec::new(),
    told: Vec::new(),
};

/// Writes the entries that `anyhook install --host claude-code --http=PORT` writes. Commands among them do nothing here.
fn install(home: &Home, served: &Served) {
    let address = &*served.running.address;
    let world = home.world();
    let installer = Installer {
        world: &world,
        program: Path::new("/bin/true"),
        root: &home.path("machine"),
        os: std::env::consts::OS,
        probe: || (),
    };
    let how = InstallOptions {
        server: address
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok()),
        ..InstallOptions::default()
    };
    let which = Some(host("claude-code").unwrap());
    let plan = installer.plan_as(which, Scope::User, how).unwrap();
    installer.carry_out(&plan).unwrap();
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn a_real_claude_code_posts_its_events_obeys_and_blocks_without_an_answer() {
        let test = "a_real_claude_code_posts_its_events_obeys_and_blocks_without_an_answer";
        let Some(program) = apart(test, "claude-code", "claude") else {
            return;
        };
        let home = home();
        let mut served = home.serve(Limits::default());
        install(&home, &served);
        let run = |vars: &[(&str, &str)], prompt: &str| -> (Output, ScriptedModel) {
            let model = ScriptedModel::start(script("Bash", LINES)).unwrap();
            let mut command = agent(&home, &program, vars);
            command
                .env("ANTHROPIC_BASE_URL", model.url())
                .env("ANTHROPIC_API_KEY", "none")
                .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                .env("DISABLE_AUTOUPDATER", "1")
                .env("IS_SANDBOX", "1")
                .args(["-p", "--dangerously-skip-permissions", prompt]);
            (command.output().unwrap(), model)
        };
        let token = served.token.clone();
        let token = ("ANYHOOK_TOKEN", &*token);
        let (said, model) = run(&[token], "Please do the task.");
        let obeyed = Left {
            made: vec!["changed", "plain"],
            told: vec!["MARK-prompt", "MARK-refused", "MARK-after"],
        };
        assert_eq!(left(&home, model), obeyed, "{said:?}");
        // A refused prompt: the person is told why, and the model hears nothing.
        let (said, model) = run(&[token], "The secret is 7.");
        assert_eq!(left(&home, model), NOTHING, "{said:?}");
        assert!(text(&said.stdout).contains("MARK-secret"), "{said:?}");
        // No token, a wrong one, no folder of the project, and no server: it blocks.
        let wrong = ("ANYHOOK_TOKEN", "anyhook_test_0");
        for vars in [&[][..], &[wrong], &[token, ("PWD", "")]] {
            let (said, model) = run(vars, "Please do the task.");
            assert_eq!(left(&home, model), NOTHING, "{vars:?} {said:?}");
            assert!(text(&said.stdout).contains("onFailure"), "{said:?}");
        }
        served.end();
        let (said, model) = run(&[token], "Please do the task.");
        assert_eq!(left(&home, model), NOTHING, "{said:?}");
        assert!(text(&said.stdout).contains("ECONNREFUSED"), "{said:?}");
    }

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn a_real_pi_obeys_our_extension_and_blocks_without_an_answer() {
        let test = "a_real_pi_obeys_our_extension_and_blocks_without_an_answer";
        obeys(test, "pi", ".pi/agent");
    }

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn a_real_oh_my_pi_obeys_our_extension_and_blocks_without_an_answer() {
        let test = "a_real_oh_my_pi_obeys_our_extension_and_blocks_without_an_answer";
        obeys(test, "omp", ".omp/agent");
    }

    /// Pi, and the agent that grew out of it.
    fn obeys(test: &str, name: &str, folder: &str) {
        let Some(program) = apart(test, name, name) else {
            return;
        };
        let home = home();
        let mut served = home.serve(Limits::default());
        let write = |file: &str, text: &str| {
            let path = home.path("home").join(folder).join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let extension = include_str!("../../../../clients/pi/anyhook-extension.js");
        write("extensions/anyhook/index.ts", extension);
        let client = include_str!("../../../../clients/typescript/anyhook.mjs");
        write("extensions/anyhook/anyhook.mjs", client);
        let run = |vars: &[(&str, &str)], prompt: &str| -> (Output, ScriptedModel) {
            let model = ScriptedModel::start(script("bash", LINES)).unwrap();
            let provider = json!({
                "baseUrl": format!("{}/v1", model.url()), "api": "openai-completions", "apiKey": "none",
                "models": [{"id": "scripted-model"}],
            });
            let models = json!({"providers": {"scripted": provider}}).to_string();
            for file in ["models.json", "models.yml"] {
                write(file, &models);
            }
            let mut command = agent(&home, &program, vars);
            command
                .envs([("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0")])
                .args(["--model", "scripted/scripted-model", "-p", prompt]);
            (command.output().unwrap(), model)
        };
        let token = served.token.clone();
        let token = ("ANYHOOK_TOKEN", &*token);
        let (said, model) = run(&[token], "Please do the task.");
        let mut expected = obeyed();
        // It holds a refused end without a terminal too.
        expected.told.extend((name == "omp").then_some("MARK-stop"));
        assert_eq!(left(&home, model), expected, "{said:?}");
        let (said, model) = run(&[token], "The secret is 7.");
        assert_eq!(left(&home, model), NOTHING, "{said:?}");
        assert!(text(&said.stderr).contains("MARK-secret"), "{said:?}");
        for vars in [&[][..], &[("ANYHOOK_TOKEN", "anyhook_test_0")]] {
            let (said, model) = run(vars, "Please do the task.");
            assert_eq!(left(&home, model), NOTHING, "{vars:?} {said:?}");
        }
        served.end();
        let (said, model) = run(&[token], "Please do the task.");
        assert_eq!(left(&home, model), NOTHING, "{said:?}");
    }
}
