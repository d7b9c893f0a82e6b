//! `anyhook doctor` in what takes long. Each of its findings, and what `--verify` says of agents that obey and that do not, is in
//! `screens/doctor.txt`. No test asks a real agent; `.ci/nightly lab` does.

use anyhook::wires::hosts::HOSTS;
use serde_json::{Value, json};

use crate::env::TestEnv;

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn under_every_host_with_settings_every_entry_arrives_and_what_can_be_refused_is() {
        for host in HOSTS {
            // A plugin asks a server, and no entry of it can be run here.
            let settings = host.facts().settings.filter(|it| !it.asks_server());
            let Some(settings) = settings else {
                continue;
            };
            let env = TestEnv::new();
            let done = ["user", "project"].into_iter().any(|scope| {
                let args = ["install", "--host", host.id(), "--scope", scope];
                env.run(&args, b"").code == 0
            });
            assert!(done, "{} cannot be installed", host.id());
            let left = env.run(&["doctor", "--host", host.id(), "--json"], b"");
            let seen = &left.json()["hosts"][0];
            // Whether an agent trusts its entries is not ours to write.
            let is_ours =
                |finding: &&Value| finding["severity"] == "problem" && finding["check"] != "trust";
            let findings = seen["findings"].as_array().unwrap().iter();
            let problems: Vec<&Value> = findings.filter(is_ours).collect();
            assert_eq!(problems, Vec::<&Value>::new(), "{}", host.id());
            let test = &seen["self_test"];
            let many = |what: &str| test[what].as_u64().unwrap();
            let rows = host.rows().iter().filter(|row| settings.has(row.name));
            let arrived = many("arrived") + many("refused");
            assert_eq!(arrived, rows.count() as u64, "{}: {test}", host.id());
            assert!(many("refused") > 0, "{}: {test}", host.id());
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn what_a_whole_run_finds_otherwise_than_expected_is_told_row_by_row_and_kept() {
        let env = TestEnv::new();
        let obeys = [
            include_str!("doctor/asks.sh"),
            include_str!("doctor/obeys.sh"),
        ]
        .concat();
        env.program("bin/claude", &obeys);
        env.write("home/.claude/settings.json", "{}");
        let mut doctor = env.command(&["doctor", "--host", "claude-code", "--verify", "--json"]);
        doctor.env(
            "PATH",
            format!("{}:/usr/bin:/bin", env.path("bin").display()),
        );
        let left = crate::env::finish(crate::env::start(doctor, b""));
        assert_eq!(left.code, 1, "{left:?}");
        let found = left.json();
        let rows = found["truth"]["rows"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["probe"] == "deny"), "{rows:?}");
        let differ = found["differences"].as_array().unwrap();
        let rows: Vec<&Value> = differ.iter().map(|found| &found["row"]).collect();
        let has = |row: &str| rows.contains(&&json!(row));
        // It knows no new arguments.
        assert!(
            has("PreToolUse: rewrite") && !has("PreToolUse: deny"),
            "{differ:?}"
        );
        let kept = std::fs::read(env.state().join("verified/claude-code.json")).unwrap();
        let kept: Value = serde_json::from_slice(&kept).unwrap();
        assert_eq!(kept["differences"], json!(rows));
    }
}
