//! What a process that was killed leaves is swept by a later one.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::env::{TestEnv, command};

fn payloads(env: &TestEnv) -> Vec<PathBuf> {
    let all = fs::read_dir(env.state().join("payloads"))
        .into_iter()
        .flatten();
    all.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_payload_that_a_killed_process_left_is_swept_by_a_later_event_and_the_record_is_whole() {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([
            {"matcher": "Bash", "hooks": [command("kill -9 $PPID")]},
            {"matcher": "Write", "hooks": [command("true")]},
        ]),
    );
    let killed = env.bash("echo 5ecret-of-the-call");
    assert_eq!((killed.code, &*killed.stdout), (-1, ""), "it was killed");
    let left = payloads(&env);
    let is_about = |file: &PathBuf| {
        fs::read_to_string(file).is_ok_and(|text| text.contains("5ecret-of-the-call"))
    };
    assert!(left.iter().any(is_about), "{left:?}");

    // A moment ago it may still be of one that lives; after two days it is not.
    // Each call is another one: the same one again within two seconds asks no hook.
    let write =
        |file: &str| env.claude(&env.pre("Write", &json!({"file_path": file, "content": ""})));
    write("/tmp/x");
    assert!(left.iter().all(|file| file.exists()));
    let long_ago = SystemTime::now() - Duration::from_hours(48);
    for file in &left {
        let file = File::options().write(true).open(file).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    write("/tmp/y");
    assert_eq!(payloads(&env), Vec::<PathBuf>::new());
    assert_eq!(env.anyhook("log verify").code, 0);
}
