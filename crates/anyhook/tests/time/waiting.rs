//! How soon an event goes on that waits for a person, after the answer.

use std::fs;
use std::time::{Duration, Instant};

use anyhook::approvals::{ApprovalAnswer, ApprovalBook};
use anyhook::core::question::{AnswerLifetime, Grants};
use anyhook::event::{Caller, Context};
use anyhook::load::{LoadOptions, TrustScope};
use anyhook::world::{UserFolders, World};
use serde_json::json;

use super::{ROUNDS, alone, median};

fn answers(world: &World, call: usize) -> (String, Duration) {
    let payload = json!({
        "session_id": "s-1", "turn_id": "1", "transcript_path": "/t", "cwd": world.cwd,
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "npm publish"}, "tool_use_id": call.to_string(),
    });
    let line = Context {
        deadline: Some(Duration::from_mins(1)),
        loading: LoadOptions {
            trust: TrustScope::All,
            ..LoadOptions::default()
        },
        ..Context::new(
            world,
            anyhook::wires::host("codex-cli").unwrap(),
            Caller::Host,
        )
    };
    let started = Instant::now();
    let answered = line.run(payload.to_string().as_bytes());
    (answered.reply.stdout, started.elapsed())
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "waits for the clock"]
    fn an_event_that_waits_goes_on_within_50_ms_of_the_answer() {
        let _alone = alone();
        let place = tempfile::tempdir().unwrap();
        let [home, config, state] = ["home", "config", "state"].map(|name| place.path().join(name));
        let project = place.path().join("project");
        for folder in [&home, &config, &project.join("hooks")] {
            fs::create_dir_all(folder).unwrap();
        }
        let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
            {"name": "careful", "type": "rule", "when": "true", "then": {"ask": "Really?"}},
        ]}]}});
        fs::write(project.join("hooks/hooks.json"), hooks.to_string()).unwrap();
        let places = UserFolders {
            home,
            config,
            state,
        };
        let world = World {
            cwd: project,
            places: Some(places.clone()),
            managed: place.path().join("managed"),
            ..World::real()
        };
        let book = ApprovalBook::new(places.approvals());
        // The control: the same event that refuses at once.
        let control = median((0..ROUNDS).map(|call| answers(&world, call).1).collect());
        fs::write(
            places.config.join("config.toml"),
            "[approve]\nwait = true\n",
        )
        .unwrap();
        // A clone reads the settings anew.
        let world = world.clone();
        let after = (ROUNDS..2 * ROUNDS).map(|call| {
            std::thread::scope(|scope| {
                let waits = scope.spawn(|| (answers(&world, call).0, Instant::now()));
                let open = loop {
                    let open = book.waiting(world.clock.now()).unwrap();
                    match open
                        .into_iter()
                        .find(anyhook::approvals::OpenQuestion::is_waited_for)
                    {
                        Some(open) => break open,
                        None => std::thread::yield_now(),
                    }
                };
                let yes = [ApprovalAnswer {
                    grants: Grants::Proceed,
                    lasts: AnswerLifetime::Once,
                }];
                let _ = book.approve(&open, &yes, None, world.clock.now()).unwrap();
                let answered = Instant::now();
                let (reply, at) = waits.join().unwrap();
                assert_eq!(reply, "");
                at.saturating_duration_since(answered)
            })
        });
        let after = median(after.collect());
        assert!(
            after <= Duration::from_millis(50).max(2 * control),
            "{after:?} after the answer; a refusal takes {control:?}"
        );
        println!("{after:?} after the answer; a refusal takes {control:?}");
    }
}
