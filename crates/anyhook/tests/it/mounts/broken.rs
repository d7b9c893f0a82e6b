//! Validation: a broken module for each check fails exactly that check, and nothing of it is left.

mod functions;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhook::mounts::{
    CHECKS, Catalogue, CheckStatus, ModuleEntry, ModuleSource, TrialMode, Validation, Weight,
};
use serde_json::json;

use super::{heard, session, world};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/modules")
}

fn validate(name: &str, trial: TrialMode) -> Validation {
    let place = tempfile::tempdir().unwrap();
    let mut entry = ModuleEntry::new(name, json!({}));
    entry.source = Some(ModuleSource::Folder(fixtures().join(name)));
    Catalogue::new(world(place.path())).validate(&entry, Path::new(""), trial)
}

/// The packages below `fixtures/modules/broken`: each is named after the check that it fails.
fn broken_packages() -> BTreeSet<String> {
    let entries = fs::read_dir(fixtures().join("broken")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn each_broken_package_fails_exactly_its_own_check_with_a_reason_and_a_fix_in_words() {
    for name in broken_packages() {
        let validation = validate(&format!("broken/{name}"), TrialMode::Run);
        assert_eq!(validation.failures(), [name.as_str()], "{validation:#?}");
        for checked in &validation.checks {
            if let CheckStatus::Failed { why, fix } = &checked.judged {
                for said in [why, fix] {
                    assert!(said.len() > 10 && !said.ends_with('.'), "{name}: {said}");
                }
            }
        }
    }
    assert_eq!(validate("good", TrialMode::Run).failures(), [""; 0]);
}

#[test]
fn each_broken_function_fails_exactly_its_own_check() {
    let place = tempfile::tempdir().unwrap();
    for (name, module) in functions::all() {
        let catalogue = Catalogue::new(world(place.path())).with(name, module);
        let validation = catalogue.validate(
            &ModuleEntry::new(name, json!({})),
            Path::new(""),
            TrialMode::Look,
        );
        let failures = if name == "good" { vec![] } else { vec![name] };
        assert_eq!(validation.failures(), failures, "{validation:#?}");
        let is_good = validation.checks.iter().all(|checked| {
            !checked.judged.is_failure() || checked.check.weight == Weight::Recommended
        });
        assert_eq!(validation.is_good(), is_good);
    }
}

#[test]
fn every_check_has_a_broken_module_and_there_are_more_than_ten() {
    let functions = functions::all()
        .into_iter()
        .map(|(name, _)| name.to_owned());
    let broken: BTreeSet<String> = functions
        .chain(broken_packages())
        .filter(|name| name != "good")
        .collect();
    let checks: BTreeSet<String> = CHECKS.iter().map(|check| check.slug.to_owned()).collect();
    assert_eq!(broken, checks);
    assert!(checks.len() >= 10);
}

#[test]
fn without_a_trial_run_no_command_is_started_and_the_checks_say_so() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("touching/hooks");
    fs::create_dir_all(&root).unwrap();
    let ran = place.path().join("ran");
    let manifest = json!({"version": 1, "hooks": {"session-start": [{"priority": 50, "hooks": [
        {"type": "command", "command": format!("touch {}", ran.display())}
    ]}]}});
    fs::write(root.join("hooks.json"), manifest.to_string()).unwrap();
    let mut entry = ModuleEntry::new("touching", json!({}));
    entry.source = Some(ModuleSource::Folder(place.path().join("touching")));
    let catalogue = Catalogue::new(world(place.path()));

    let looked = catalogue.validate(&entry, Path::new(""), TrialMode::Look);
    assert!(!ran.exists());
    let skipped: Vec<&str> = looked
        .checks
        .iter()
        .filter(|it| matches!(it.judged, CheckStatus::Skipped { .. }))
        .map(|it| it.check.slug)
        .collect();
    assert_eq!(
        (looked.failures(), skipped),
        (vec![], vec!["results", "exceptions", "in-time"])
    );

    catalogue.validate(&entry, Path::new(""), TrialMode::Run);
    assert!(ran.exists(), "a trial run starts it");
}

#[test]
fn nothing_that_a_module_did_during_validation_is_visible_afterwards() {
    let place = tempfile::tempdir().unwrap();
    let session = session();
    let everything = functions::everything();
    let catalogue = Catalogue::new(world(place.path())).with("everything", everything);
    let before = (format!("{session:?}"), session.modules());
    let validation = catalogue.validate(
        &ModuleEntry::new("everything", json!({})),
        Path::new(""),
        TrialMode::Look,
    );
    assert!(validation.is_good(), "{validation:#?}");

    assert_eq!((format!("{session:?}"), session.modules()), before);
    assert_eq!(
        session.collect_contributions_blocking("everything").given,
        []
    );
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);
    let home = place.path().join("home");
    assert_eq!(
        fs::read_dir(&home).unwrap().count(),
        0,
        "nothing was written"
    );

    // And it can still be mounted for real.
    let outcomes = catalogue.mount_blocking(
        &session,
        &vec![ModuleEntry::new("everything", json!({}))].into(),
    );
    assert_eq!(outcomes[0].error(), None);
}

#[test]
fn every_module_that_is_built_in_does_all_that_is_required_and_recommended() {
    let place = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::new(world(place.path()));
    for module in anyhook::modules::MODULES {
        let validation = catalogue.validate(
            &ModuleEntry::new(module.name, json!({})),
            Path::new(""),
            TrialMode::Look,
        );
        let all = [Weight::Required, Weight::Recommended];
        let failed: Vec<_> = all
            .into_iter()
            .flat_map(|weight| validation.failed(weight))
            .collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", module.name);
    }
}
