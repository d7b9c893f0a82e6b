//! `anyhook undo`, where git is misled; what a person sees is in `screens/undoing.txt`.

use std::fs;

use serde_json::json;

use crate::approvals::typed;
use crate::env::{TestEnv, git, repository};

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
    let mut kept = fs::read_dir(env.state().join("undo")).unwrap();
    let id = kept.next().unwrap().unwrap().file_name();
    assert!(kept.next().is_none(), "one snapshot is there");
    let id = id.to_str().unwrap();
    let undone = typed(&env, &format!("anyhook undo {id} --yes </dev/null"), "");
    assert_eq!((undone.code, &*now()), (0, "hooked"), "{undone:?}");
}

#[test]
fn the_packs_keep_what_they_promise() {
    let env = TestEnv::new();
    let packs = repository().join("packs");
    let left = env.run(&["test", packs.to_str().unwrap()], b"");
    assert_eq!(left.code, 0, "{left:?}");
}
