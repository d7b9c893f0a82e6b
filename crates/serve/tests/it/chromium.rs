//! The pages in a real Chromium, driven by Node over a pipe, where both are installed.
//!
//! Its pictures lie in `target/pages`, for who reviews a change and for the documentation.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook_serve::{Limits, ServerFolder};
use serde_json::{Value, json};

use super::browser::{HOSTILE, record, report};
use super::home::Home;
use super::inbox::{WORDS, home_with};

/// The one version of axe-core that the page is held to.
const AXE: &str = "axe-core@4.14.1";

fn is_there(program: &str) -> bool {
    let said = Command::new(program).arg("--version").output();
    said.is_ok_and(|said| said.status.success())
}

/// The folder of everything that is built.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .into()
}

/// axe-core, from npm the first time.
fn axe() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(AXE);
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--ignore-scripts", "--no-save"])
            .args(["--fetch-retries=0", "--fetch-timeout=20000", "--prefix"]);
        npm.arg(&folder).arg(AXE).stdin(Stdio::null());
        let _ = npm.output();
    }
    file.exists().then_some(file)
}

/// One of ten thousand events of some days of work: three agents, four hooks, a refusal now and then.
fn event(at: usize) -> Value {
    const HOSTS: [&str; 3] = ["claude-code", "codex-cli", "cursor"];
    const COMMANDS: [&str; 4] = [
        "cargo test --workspace",
        "git push --force origin main",
        "rm -rf target",
        "npm install left-pad",
    ];
    let pick = |of: &[&'static str], by: usize| of.get(at / by % of.len()).copied().unwrap();
    let (host, command) = (pick(&HOSTS, 700), pick(&COMMANDS, 1));
    let says = match at % 4 {
        1 => {
            json!({"verdict": "deny", "reasons": [{"text": "Push a new commit instead.", "by": 1}]})
        }
        _ => json!({"verdict": "continue"}),
    };
    let hooks: Vec<Value> = [
        "no-secrets",
        "no-force-push",
        "keep-target",
        "know-packages",
    ]
    .iter()
    .zip(1_u32..)
    .map(|(name, line)| {
        json!({"name": name, "priority": 0, "guard": true, "shadow": false,
            "source": {"file": "hooks/hooks.json", "line": line * 4}})
    })
    .collect();
    let steps: Vec<Value> = (0..hooks.len())
        .map(|hook| {
            let said = (hook == 1 && at % 4 == 1).then(|| says.clone());
            json!({"hook": hook, "became": {"said": said}, "took_us": 300 + (at * 37 + hook * 911) % 2500})
        })
        .collect();
    json!({
        "version": 1, "id": format!("e{at}"), "at": 1_795_000_000_000_i64 + i64::try_from(at).unwrap() * 47_000,
        "event": {"name": "tool:pre", "host": host, "session": format!("s-{}", at / 70), "subject": "Bash"},
        "result": says, "hooks": hooks, "steps": steps,
        "action": {"project": "/home/ada/shop", "person": "ada", "data": {"tool_input": {"command": command}}},
    })
}

fn fill(home: &Home) {
    let hostile = HOSTILE.into_iter().enumerate();
    let hostile = hostile.map(|(at, text)| report(&format!("h{at}"), text));
    record(home, hostile.chain((0..10_000).map(event)));
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn a_real_browser_approves_and_refuses_while_runs_wait_and_every_page_is_sound() {
        let run = Path::new(env!("CARGO_BIN_EXE_anyhook-serve")).with_file_name("anyhook");
        for (is_missing, what) in [
            (!is_there("chromium"), "Debian's `chromium`"),
            (!is_there("node"), "`node`"),
            (
                !run.exists(),
                "`anyhook`; build it: cargo build -p anyhook-cli",
            ),
        ] {
            if is_missing {
                eprintln!("not run: the page in a real browser needs {what}");
                return;
            }
        }
        let axe = axe();
        if axe.is_none() {
            eprintln!("not run: the rules of accessibility, as npm gives no {AXE}");
        }
        let asks = |name: &str, when: &str, question: &str| json!({"name": name, "type": "rule", "when": when, "then": {"ask": question}});
        let hostile = format!("{} Really?", HOSTILE[0]);
        let home = home_with(&json!([
            asks(
                "deploy-gate",
                "runs('npm publish')",
                "Publish to the registry?"
            ),
            asks("careful", "runs('npm unpublish')", &hostile),
        ]));
        fill(&home);
        let served = home.serve(Limits::default());
        let folder = ServerFolder::of(&home.world()).unwrap();
        let [link, _] = served.running.links(&folder).unwrap();
        let shots = target().join("pages");
        std::fs::create_dir_all(&shots).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/chromium/pages.mjs");
        let said = Command::new("node")
            .arg(script)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home.path("home"))
            .env("XDG_CONFIG_HOME", home.path("config"))
            .env("XDG_STATE_HOME", home.path("state"))
            .env("PROJECT", home.path("project"))
            .env("PROFILE", home.path("profile"))
            .env("ANYHOOK", run)
            .env("LINK", link)
            .env("WORDS", WORDS)
            .env("SHOTS", shots)
            .env("AXE", axe.unwrap_or_default())
            .output()
            .unwrap();
        let (out, error) = (
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr),
        );
        assert!(said.status.success(), "{out}{error}");
        assert!(out.ends_with("all held\n"), "{out}{error}");
        eprintln!("{out}");
    }
}
