//! Every environment of the corpus: the same guarded event, offered in a world that was spoiled on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{guarded, is_an_answer, refused, secret};
use crate::env::{TestEnv, at_once, chmod, files_below, finish, repository, start};

/// Tells whether this machine can be spoiled like this; where it cannot, that is printed.
fn is_possible(world: &Value) -> bool {
    let can = match world["needs"].as_str() {
        None => true,
        Some("linux") => cfg!(target_os = "linux"),
        Some("not-root") => !rustix::process::geteuid().is_root(),
        Some(other) => panic!("it is not known what `{other}` needs"),
    };
    if !can {
        eprintln!("skipped: {} needs {}", world["name"], world["needs"]);
    }
    can
}

/// What stands in the test's folder outside of the state directory, with its content.
fn outside(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = files_below(&env.path("")).into_iter();
    let all = all.filter(|file| !file.starts_with(env.state()));
    all.map(|file| (file.clone(), fs::read(&file).unwrap_or_default()))
        .collect()
}

/// Offers the guarded event in one world, and tells what is wrong with what came out.
fn offer(world: &Value) -> Option<String> {
    let env = guarded();
    fs::write(env.path("payload"), secret(&env)).unwrap();
    let before = outside(&env);
    let spoils = world["shell"].as_str().unwrap();
    let script = format!("state=$1; payload=$2; shift 2; {spoils}");
    let mut shell = env.other("/bin/sh", &["-c", &script, "sh"]);
    shell.args([env.state(), env.path("payload")]);
    shell.arg(env!("CARGO_BIN_EXE_anyhook")).args(super::RUN);
    let payload = repository().join("fixtures/hostile/147-mode-bypass.json");
    let left = finish(start(shell, &fs::read(payload).unwrap()));
    // So that the folder can be looked through and removed.
    if env.state().is_dir() {
        chmod(&env.state(), 0o700);
    }
    // Its own failure would look like a refusal.
    let what = if left.stderr.starts_with("sh: ") {
        "it could not be spoiled"
    } else if !is_an_answer(&left) {
        "no answer"
    } else if !refused(&left) {
        "went through"
    } else if before != outside(&env) || Path::new("/nonexistent").exists() {
        "something was written outside of the state"
    } else if super::has_pwned(&env) {
        "`pwned` was written"
    } else {
        return None;
    };
    Some(format!("{}: {what}: {left:?}", world["name"]))
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn no_environment_of_the_corpus_lets_a_guarded_call_through() {
        let file = repository().join("fixtures/hostile/environments.json");
        let worlds: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let worlds: Vec<Value> = worlds.into_iter().filter(is_possible).collect();
        assert!(
            worlds.len() >= 30,
            "at least thirty worlds: {}",
            worlds.len()
        );
        let wrong = at_once(worlds.iter(), offer);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
