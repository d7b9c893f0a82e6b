//! `anyhook undo`: what an agent destroyed comes back. A command for a person: below an agent it is refused.

use std::fs;

use serde_json::json;

use crate::approvals::typed;
use crate::env::{TestEnv, git, repository};

/// A repository in which a rule keeps what may be destroyed.
fn kept() -> TestEnv {
    let rule =
        json!({"type": "rule", "when": "deletes()", "then": {"snapshot": true, "or": "ask"}});
    let env = TestEnv::hook("pre-tool-use", &rule);
    git(&env.path("project"), &["init", "-q"]);
    env.write("project/draft", "precious\n");
    env
}

fn snapshots(env: &TestEnv) -> Vec<String> {
    let folder = fs::read_dir(env.state().join("undo")).into_iter().flatten();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn a_file_that_an_agent_removed_comes_back() {
    let env = kept();
    let left = env.bash("rm draft");
    assert_eq!(
        (left.code, &*left.stdout),
        (0, ""),
        "the call goes on: {left:?}"
    );
    fs::remove_file(env.path("project/draft")).unwrap();
    let [id] = &snapshots(&env)[..] else {
        panic!("one snapshot is there")
    };
    let shown = typed(&env, "anyhook undo", "");
    shown.says(id);
    shown.says("rm draft");
    let undone = typed(&env, &format!("anyhook undo {id} --yes </dev/null"), "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(fs::read(env.path("project/draft")).unwrap(), b"precious\n");
}

#[test]
fn what_another_hook_wrote_behind_the_look_of_git_is_kept() {
    let writes = json!({"type": "command", "command": "printf hooked > tracked"});
    let rule = json!({"type": "rule", "when": "writes()", "then": {"snapshot": true}});
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"hooks": [writes]}, {"hooks": [rule]}]),
    );
    let project = env.path("project");
    git(&project, &["init", "-q"]);
    for text in ["one", "two"] {
        env.write("project/other", text);
        env.write("project/tracked", "same");
        git(&project, &["add", "other", "tracked"]);
        git(&project, &["commit", "-qm", text]);
    }
    // The index is older than what follows, so that git believes its times.
    let tracked = fs::File::options()
        .write(true)
        .open(env.path("project/tracked"));
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    tracked.unwrap().set_modified(long_ago).unwrap();
    git(&project, &["update-index", "-q", "--refresh"]);
    let left = env.bash("git reset --hard HEAD~1");
    assert_eq!(left.code, 0, "{left:?}");
    let now = || fs::read_to_string(env.path("project/tracked")).unwrap();
    assert_eq!(now(), "hooked");
    git(&project, &["reset", "-q", "--hard", "HEAD~1"]);
    let [id] = &snapshots(&env)[..] else {
        panic!("one snapshot is there")
    };
    let undone = typed(&env, &format!("anyhook undo {id} --yes </dev/null"), "");
    assert_eq!((undone.code, &*now()), (0, "hooked"), "{undone:?}");
}

#[test]
fn a_person_is_asked_where_not_all_could_be_kept() {
    let env = kept();
    env.config("[undo]\nsize = 1\n");
    fs::write(env.path("project/large"), vec![b'x'; 2 << 20]).unwrap();
    let left = env.bash("rm large");
    left.decides("ask");
    left.says("could be kept: files that do not fit: 1");
}

#[test]
fn undo_is_refused_below_an_agent_and_an_agent_that_calls_it_is_asked_about() {
    let env = kept();
    let agent = env.path("bin/claude");
    fs::copy("/bin/sh", &agent).unwrap();
    let line = format!("{} -c 'anyhook undo; exit $?'", agent.display());
    let below = typed(&env, &line, "");
    assert_eq!(below.code, 77, "{below:?}");
    env.bash("anyhook undo a1 --yes").decides("ask");
}

#[test]
fn the_packs_keep_what_they_promise() {
    let env = TestEnv::new();
    let packs = repository().join("packs");
    let left = env.run(&["test", packs.to_str().unwrap()], b"");
    assert_eq!(left.code, 0, "{left:?}");
}
