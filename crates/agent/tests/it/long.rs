//! A long session, and what stays of it.

use std::sync::{Arc, Mutex};

use anyhook::core::event::Event;
use anyhook_agent::Agent;
use anyhook_agent::agent::Setup;
use anyhook_agent::compact::tokens;
use anyhook_agent::limits::Limits;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permissions, Phase};
use anyhook_agent::provider::scripted::Scripted;

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_session_of_a_thousand_turns_stays_as_small_as_each_compaction_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "x".repeat(1000)).unwrap();
        let read = r#"{"text": "again", "calls": [{"name": "read", "input": {"file_path": "a"}}]}"#;
        let script = format!("[{}]", [read; 1000].join(","));
        let limits = Limits {
            turns: 2000,
            window: 20_000,
            ..Limits::default()
        };
        let permissions = Permissions {
            phase: Phase::Trusted,
            ..Permissions::default()
        };
        let provider = Arc::new(Scripted::read(&script).unwrap().forgetting());
        let mut agent = Agent::new(Setup {
            limits,
            permissions,
            ..Setup::new("s1", provider, folder.path())
        })
        .unwrap();
        let sizes: Arc<Mutex<Vec<u64>>> = Arc::default();
        let after = sizes.clone();
        agent.on("context:post_compact", move |event: &Event| {
            let tokens = event.get("token_count").unwrap().as_u64();
            after.lock().unwrap().extend(tokens);
        });
        let outcome = agent.run("go on");
        assert_eq!(outcome.finish, Finish::Stop);
        assert!(outcome.turns > 900, "{}", outcome.turns);
        let sizes = sizes.lock().unwrap().clone();
        assert!(sizes.len() > 10, "{sizes:?}");
        // Three quarters of the threshold are aimed at, and reached each time.
        assert!(sizes.iter().all(|size| *size <= 9_000), "{sizes:?}");
        assert!(tokens(&agent.transcript().messages()) <= 12_500);
    }
}
