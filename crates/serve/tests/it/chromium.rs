//! The page in a real Chromium, driven by Node over a pipe, where both are installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook_serve::{Limits, ServerFolder};

use super::browser::{HOSTILE, record, report};
use super::inbox::{WORDS, home};

/// The one version of axe-core that the page is held to.
const AXE: &str = "axe-core@4.14.1";

fn is_there(program: &str) -> bool {
    let said = Command::new(program).arg("--version").output();
    said.is_ok_and(|said| said.status.success())
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

#[test]
#[ignore = "it does not end on every machine: run it by name with --ignored"]
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
    let home = home();
    let plain = (0..10_000).map(|at| report(&format!("e{at}"), &format!("call-{at}.")));
    let hostile = HOSTILE.into_iter().enumerate();
    record(
        &home,
        plain.chain(hostile.map(|(at, text)| report(&format!("h{at}"), text))),
    );
    let served = home.serve(Limits::default());
    let folder = ServerFolder::of(&home.world()).unwrap();
    let [link, _] = served.running.links(&folder).unwrap();
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&shots).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/chromium.mjs");
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
