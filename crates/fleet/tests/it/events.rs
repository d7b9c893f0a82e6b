//! What events of agents hear of a policy, and what the record says.

use std::fs;

use serde_json::json;

use crate::room::{Computer, DAY, Lead, held, trusted};

#[test]
fn no_other_file_switches_off_a_hook_of_the_policy() {
    let (_lead, machine) = held();
    fs::create_dir_all(machine.path("home/config")).unwrap();
    let off = json!({"version": 1, "disable": ["no-publish"], "hooks": {}});
    fs::write(machine.path("home/config/hooks.json"), off.to_string()).unwrap();
    assert_eq!(machine.verdict("npm publish").0, "deny");
}

#[test]
fn a_policy_that_was_not_confirmed_in_time_refuses_or_says_so_as_it_says_itself() {
    for (then, after) in [("refuse", "deny"), ("notice", "continue")] {
        let lead = Lead::new();
        lead.rules(json!({"name": "acme", "revision": 1, "holds": {"days": 14, "then": then}}));
        let machine = Computer::of(&lead, "machine-one");
        machine.apply(&lead.signed()).unwrap();
        machine.later(13 * DAY);
        assert_eq!(machine.verdict("ls").0, "continue");
        machine.later(2 * DAY);
        let report = machine.ask("ls");
        assert_eq!(report.result.verdict.kind().as_str(), after);
        let told = report
            .remarks
            .iter()
            .find(|remark| remark.contains("holds no longer"))
            .unwrap();
        assert!(
            told.contains("confirmed 15 days ago")
                && told.contains("anyhook fleet policy apply /srv/acme.policy"),
            "{told}"
        );
        assert_eq!(machine.verdict("npm publish").0, "deny", "its hooks go on");
        // The source says that it is still the one to have.
        machine.apply(&lead.signed()).unwrap();
        assert_eq!(machine.verdict("ls").0, "continue");
        assert_eq!(machine.ask("ls").remarks.len(), 0);
    }
}

#[test]
fn a_policy_whose_last_day_is_over_holds_no_longer_whatever_its_source_says() {
    let lead = Lead::new();
    lead.rules(
        json!({"name": "acme", "revision": 1, "holds": {"days": 14, "until": "2026-11-03"}}),
    );
    let machine = Computer::of(&lead, "machine-one");
    machine.apply(&lead.signed()).unwrap();
    machine.later(2 * DAY);
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(machine.verdict("ls").0, "continue");
    machine.later(2 * DAY);
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(machine.verdict("ls").0, "deny");
}

#[test]
fn a_policy_whose_files_are_gone_or_spoiled_is_never_no_policy() {
    for spoiled in ["stamp.json", "hooks/hooks.json", ""] {
        let (_lead, machine) = held();
        let folder = machine.store().current().unwrap().folder;
        if spoiled.is_empty() {
            fs::remove_dir_all(&folder).unwrap();
        } else {
            fs::write(folder.join(spoiled), "{").unwrap();
        }
        let verdict = machine.verdict("ls").0;
        assert!(["ask", "deny"].contains(&&*verdict), "{spoiled}: {verdict}");
    }
}

#[test]
fn an_exception_lets_its_people_pass_until_its_day_and_the_record_says_what_would_have_been_said() {
    let me = rustix::process::getuid().as_raw().to_string();
    for (people, passes) in [
        (json!([me]), true),
        (json!([]), true),
        (json!(["another-account"]), false),
    ] {
        let lead = Lead::new();
        let granted = json!({"hook": "no-publish", "people": people, "owner": "grace", "reason": "release 4", "until": "2026-11-03"});
        lead.rules(json!({"name": "acme", "revision": 1, "exceptions": [granted]}));
        let machine = Computer::of(&lead, "machine-one");
        machine.apply(&lead.signed()).unwrap();
        let report = machine.ask("npm publish");
        assert_eq!(
            report.result.verdict.kind().as_str(),
            if passes { "continue" } else { "deny" }
        );
        let told = report
            .remarks
            .iter()
            .any(|remark| remark.contains("grace: release 4") && remark.contains("ends in 3 days"));
        assert_eq!(told, passes, "{:?}", report.remarks);
        assert_eq!(
            serde_json::to_string(&report.steps)
                .unwrap()
                .contains("would"),
            passes
        );
        machine.later(4 * DAY);
        assert_eq!(
            machine.verdict("npm publish").0,
            "deny",
            "it ended by itself"
        );
    }
}

#[test]
fn an_exception_for_one_machine_holds_on_no_other_one() {
    let lead = Lead::new();
    let (one, two) = (
        Computer::of(&lead, "machine-one"),
        Computer::of(&lead, "machine-two"),
    );
    let id = anyhook_fleet::Machine::called("machine-one");
    let granted = json!({"hook": "no-publish", "machines": [id.id], "owner": "grace", "reason": "r", "until": "2026-11-03"});
    lead.rules(json!({"name": "acme", "revision": 1, "exceptions": [granted]}));
    for (machine, verdict) in [(one, "continue"), (two, "deny")] {
        machine.apply(&lead.signed()).unwrap();
        assert_eq!(machine.verdict("npm publish").0, verdict);
    }
}

#[test]
fn the_hooks_of_a_repository_that_the_policy_vouches_for_need_no_question() {
    let (lead, machine) = trusted();
    let manifest = machine.path("project/hooks/hooks.json");
    fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let rule =
        json!({"type": "rule", "name": "no-make", "when": "runs('make')", "then": {"deny": "no"}});
    let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [rule]}]}});
    fs::write(&manifest, hooks.to_string()).unwrap();
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(
        machine.verdict("make").0,
        "continue",
        "a person is asked first"
    );
    let vouched = json!({
        "manifest": anyhook::files::digest(&fs::read(&manifest).unwrap()),
        "package": anyhook::trust::Trust::look(&manifest).unwrap().digest(), "note": "shop",
    });
    lead.rules(json!({"name": "acme", "revision": 2, "trusted": [vouched]}));
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(machine.verdict("make").0, "deny");
    // A later revision vouches for it no longer.
    lead.rules(json!({"name": "acme", "revision": 3}));
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(machine.verdict("make").0, "continue");
}

#[test]
fn settings_of_the_policy_are_the_managed_ones() {
    let lead = Lead::new();
    lead.write("config.toml", "[session]\nstrict = true\n");
    let machine = Computer::of(&lead, "machine-one");
    fs::create_dir_all(machine.path("home/config")).unwrap();
    fs::write(
        machine.path("home/config/config.toml"),
        "[session]\nstrict = false\n",
    )
    .unwrap();
    let strict = || {
        let session = machine.world().config().session.clone();
        session.unwrap().strict
    };
    assert!(!strict());
    machine.apply(&lead.signed()).unwrap();
    assert!(strict());
}
