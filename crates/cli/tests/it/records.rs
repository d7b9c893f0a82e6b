//! One record of each event: what it holds, what it never holds, and what is left of it when writers are killed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};

use anyhook::stores::{Filter, Jsonl, RecordDetail};
use serde_json::{Value, json};

use crate::env::{TestEnv, finish, start};
use crate::server::{Reply, Server};

fn store(env: &TestEnv) -> Jsonl {
    Jsonl::new(env.state().join("reports"), RecordDetail::Payload)
}

fn guarded() -> TestEnv {
    let rule = json!({
        "name": "no-force", "type": "rule", "when": "pushes('force')", "then": {"deny": "Push a new commit."},
    });
    TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [rule]}]),
    )
}

#[test]
fn writers_that_are_killed_lose_no_record_that_was_acknowledged() {
    let writers: u64 =
        std::env::var("ANYHOOK_KILLED_WRITERS").map_or(32, |text| text.parse().unwrap());
    let env = guarded();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut acknowledged = Vec::new();
    for round in 0..writers.div_ceil(4) {
        let children: Vec<_> = (0..4)
            .map(|at| {
                let push = format!("git push --force {round}-{at}");
                let payload = env.pre("Bash", &json!({"command": push})).to_string();
                start(
                    env.command(&["run", "--host", "claude-code"]),
                    payload.as_bytes(),
                )
            })
            .collect();
        for mut child in children {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // A random moment of its life: so many looks at whether it lives.
            for _ in 0..random % 40_000 {
                if child.try_wait().unwrap().is_some() {
                    break;
                }
            }
            let _ = child.kill();
            let said = finish(child).stdout;
            if let Some((_, id)) = said.split_once("anyhook why ") {
                acknowledged.push(id.chars().take(8).collect::<String>());
            }
        }
    }
    // One more, after all of them.
    env.bash("git push -f").decides("deny");
    let page = store(&env).search(&Filter::default(), usize::MAX).unwrap();
    let kept: BTreeSet<String> = page
        .reports
        .iter()
        .map(|report| report.id.to_string())
        .collect();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !kept.contains(*id))
        .collect();
    assert_eq!(
        (lost.len(), page.skipped),
        (0, 0),
        "{lost:?} of {}",
        acknowledged.len()
    );
    let verified = store(&env).verify(&[]).unwrap();
    assert_eq!((verified.broken, verified.torn), (vec![], 0));
    assert!(!acknowledged.is_empty(), "some lived long enough to answer");
}

#[test]
fn a_log_that_is_followed_shows_each_record_as_it_is_added_and_ends_with_its_reader() {
    let env = guarded();
    let tries = |command: &str| env.bash(command);
    tries("echo first");
    let mut follow = env.command(&["log", "--follow", "--json"]);
    let mut child = follow.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> String {
        let record: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        record["action"]["data"]["tool_input"]["command"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(next(), "echo first");
    for command in ["echo second", "git push --force", "echo fourth"] {
        tries(command);
        assert_eq!(next(), command);
    }
    drop(lines);
    assert!(
        child.wait().unwrap().success(),
        "it ends when the reader is gone"
    );
}

#[test]
fn what_is_new_goes_out_in_the_background_once_a_minute_and_the_authorization_to_its_own_receiver_alone()
 {
    let env = guarded();
    let call = env.pre("Bash", &json!({"command": "ls"}));
    env.claude(&call);
    let started = || {
        let mark = std::fs::metadata(env.state().join("export/started"));
        mark.and_then(|mark| mark.modified()).ok()
    };
    assert_eq!(started(), None, "off if nothing is configured");
    let [own, other] = [(); 2].map(|()| Server::says(vec![Reply::json(&json!({}))]));
    let config = format!(
        "[export]\notlp = \"{}\"\nauthorization = \"Bearer x\"\n",
        own.base()
    );
    env.config(&config);
    env.claude(&call);
    for (sent, path) in own.asked_times(2).iter().zip(["/v1/logs", "/v1/traces"]) {
        assert_eq!(sent.line(), format!("POST {path} HTTP/1.1"));
        assert_eq!(sent.header("authorization").as_deref(), Some("Bearer x"));
    }
    let mark = started();
    assert!(mark.is_some());
    env.claude(&call);
    assert_eq!(started(), mark, "not twice in a minute");
    let typed = env.run(&["log", "export", "otlp", &other.base()], b"");
    assert_eq!(typed.code, 0, "{typed:?}");
    // What was added meanwhile may still go out in the background; what was typed carries no authorization.
    let mut own = own.asked().into_iter();
    assert!(own.all(|sent| sent.header("authorization").is_some()));
    let sent = other.asked();
    assert!(
        sent.len() == 2
            && sent
                .iter()
                .all(|sent| sent.header("authorization").is_none()),
        "{sent:?}"
    );
}
