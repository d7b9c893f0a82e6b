//! What a machine takes, and what it refuses: keys, numbers, versions.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use anyhook_fleet::{ApplyOutcome, Bundle, SecretKey, Trouble, trusted as trusted_keys};
use proptest::prelude::*;
use serde_json::json;

use crate::room::{Computer, Lead, held, trusted};

fn number(lead: &Lead, revision: u64) -> Vec<u8> {
    lead.rules(json!({"name": "acme", "revision": revision}));
    lead.signed()
}

#[test]
fn a_policy_is_taken_once_and_an_older_or_another_one_of_its_number_is_refused() {
    let (lead, machine) = trusted();
    let [old, new] = [number(&lead, 11), number(&lead, 12)];
    assert!(matches!(
        machine.apply(&old).unwrap(),
        ApplyOutcome::Enforced { before: None, .. }
    ));
    assert!(matches!(
        machine.apply(&new).unwrap(),
        ApplyOutcome::Enforced {
            before: Some(_),
            ..
        }
    ));
    assert!(matches!(
        machine.apply(&new).unwrap(),
        ApplyOutcome::Confirmed { .. }
    ));
    let refused = machine.apply(&old).unwrap_err();
    assert_eq!(refused.trouble, Trouble::Older);
    let older = "revision 11 is older than revision 12, which this machine has seen";
    assert_eq!(refused.to_string(), older);
    assert!(refused.help().contains("above 12"), "{}", refused.help());
    lead.hooks(&[]);
    let other = machine.apply(&number(&lead, 12)).unwrap_err();
    assert_eq!(other.trouble, Trouble::Twice, "{other}");
    assert!(other.to_string().contains("number 12"), "{other}");
    assert_eq!(
        machine.verdict("npm publish").0,
        "deny",
        "the good one goes on"
    );
}

#[test]
fn keys_are_added_and_revoked_by_a_policy_that_a_trusted_key_signed() {
    let lead = Lead::new();
    let next = SecretKey::generate().unwrap();
    let machine = Computer::of(&lead, "machine-one");
    let (old_id, next_key) = (lead.key.public("").id(), next.public("next"));
    let by_next = |revision: u64| {
        lead.rules(json!({"name": "acme", "revision": revision}));
        lead.bundle()
            .sign(std::slice::from_ref(&next))
            .unwrap()
            .into_bytes()
    };
    assert_eq!(
        machine.apply(&by_next(1)).unwrap_err().trouble,
        Trouble::Unsigned
    );
    lead.rules(json!({"name": "acme", "revision": 2, "keys": {"trusted": [next_key.to_string()]}}));
    machine.apply(&lead.signed()).unwrap();
    machine.apply(&by_next(3)).unwrap();
    // The new key takes the old one away.
    lead.rules(json!({"name": "acme", "revision": 4, "keys": {"revoked": [old_id]}}));
    machine
        .apply(
            lead.bundle()
                .sign(std::slice::from_ref(&next))
                .unwrap()
                .as_bytes(),
        )
        .unwrap();
    lead.rules(json!({"name": "acme", "revision": 5}));
    assert_eq!(
        machine.apply(&lead.signed()).unwrap_err().trouble,
        Trouble::Unsigned
    );
    // Signed with both, it is taken for the good one.
    let both = lead.bundle().sign(&[lead.key_again(), next]).unwrap();
    machine.apply(both.as_bytes()).unwrap();
    assert_eq!(
        machine.store().current().unwrap().stamp.unwrap().signers,
        [next_key.id()]
    );
}

#[test]
fn a_key_that_another_user_could_have_put_there_makes_every_key_worth_nothing() {
    let lead = Lead::new();
    for open in ["etc", "etc/keys", "etc/keys/KEY"] {
        let machine = Computer::of(&lead, "machine-one");
        let id = lead.key.public("").id();
        let path = machine.path(&open.replace("KEY", &format!("{id}.pub")));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode | 0o020)).unwrap();
        let refused = machine.apply(&lead.signed()).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("another user than the administrator can change"),
            "{refused}"
        );
    }
    let machine = Computer::of(&lead, "machine-one");
    let key = machine.path(&format!("etc/keys/{}.pub", lead.key.public("").id()));
    fs::rename(&key, machine.path("home/a.pub")).unwrap();
    std::os::unix::fs::symlink(machine.path("home/a.pub"), &key).unwrap();
    assert!(
        machine.apply(&lead.signed()).is_err(),
        "a link leads where others write"
    );
}

#[test]
fn a_secret_key_that_others_can_read_signs_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (file, _) = SecretKey::generate()
        .unwrap()
        .keep("lead", place.path())
        .unwrap();
    assert!(SecretKey::open(&file).is_ok());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(
        SecretKey::open(&file)
            .unwrap_err()
            .help()
            .contains("chmod 600")
    );
    assert!(
        SecretKey::generate()
            .unwrap()
            .keep("lead", place.path())
            .is_err(),
        "an old key is never overwritten"
    );
}

#[test]
fn a_policy_for_another_version_is_refused_and_the_good_one_goes_on() {
    let (lead, machine) = held();
    lead.rules(json!({"name": "acme", "revision": 2}));
    let mut bundle = lead.bundle();
    let later = r#"{"version": 1, "requires": ">=99", "hooks": {}}"#;
    lead.write("hooks/hooks.json", later);
    assert!(lead.refused().contains("requires Anyhook >=99"));
    // A later version of this program built it.
    for file in &mut bundle.files {
        file.bytes = later.into();
    }
    let file = bundle.sign(std::slice::from_ref(&lead.key)).unwrap();
    let refused = machine.apply(file.as_bytes()).unwrap_err();
    assert!(refused.to_string().contains(">=99"), "{refused}");
    assert_eq!(machine.verdict("npm publish").0, "deny");
}

#[test]
fn a_package_that_is_not_what_its_lock_file_says_is_not_signed() {
    let lead = Lead::new();
    let packages = anyhook::packages::Packages::at(lead.folder().join(".agent-packages"));
    let tree = anyhook::packages::PackageContents::of(&[(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "rule", "name": "of-package", "when": "runs('dd')", "then": {"deny": "no"}}]}]}}"#,
    )]);
    let locked = anyhook::packages::LockedPackage {
        source: "../style".into(),
        ..Default::default()
    };
    packages.add("style", tree, locked).unwrap();
    let machine = Computer::of(&lead, "machine-one");
    machine.apply(&lead.signed()).unwrap();
    assert_eq!(
        machine.verdict("dd if=a").0,
        "deny",
        "the package is in the policy"
    );
    lead.write(".agent-packages/style/hooks/more.sh", "exit 0\n");
    assert!(lead.refused().contains("is not what its lock file says"));
    fs::remove_file(lead.folder().join(".agent-packages/style/hooks/more.sh")).unwrap();
    lead.write(".agent-packages/loose/hooks/hooks.json", "{}");
    assert!(lead.refused().contains("is not in the lock file"));
}

#[test]
fn an_exception_from_a_hook_that_is_not_there_is_a_mistake() {
    let lead = Lead::new();
    let granted =
        json!({"hook": "no-pubilsh", "owner": "grace", "reason": "r", "until": "2026-11-03"});
    lead.rules(json!({"name": "acme", "revision": 1, "exceptions": [granted]}));
    assert!(lead.refused().contains("`no-pubilsh`"));
}

#[test]
fn settings_of_the_machine_beside_those_of_a_policy_are_refused() {
    let lead = Lead::new();
    lead.write("config.toml", "[session]\nstrict = true\n");
    let machine = Computer::of(&lead, "machine-one");
    fs::write(
        machine.path("etc/config.toml"),
        "[audit]\nrequired = true\n",
    )
    .unwrap();
    let refused = machine.apply(&lead.signed()).unwrap_err();
    assert!(refused.help().contains("only one would be read"));
}

#[test]
fn leaving_takes_everything_but_the_keys() {
    let (_lead, machine) = held();
    machine.store().leave().unwrap();
    assert_eq!(machine.verdict("npm publish"), ("continue".into(), None));
    assert_eq!(trusted_keys(&machine.path("etc")).unwrap().len(), 1);
    assert!(!machine.path("etc/policy").exists());
}

#[test]
fn only_the_last_revisions_stay_on_the_disk() {
    let (lead, machine) = trusted();
    for revision in 1..=6 {
        machine.apply(&number(&lead, revision)).unwrap();
    }
    let kept = fs::read_dir(machine.path("etc/policy/revisions"))
        .unwrap()
        .count();
    assert_eq!(kept, 3, "the one that holds and two before it");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_same_policy_is_the_same_bytes_in_whatever_order_its_files_come(
        mut files in proptest::collection::btree_map("f[a-z]{1,7}", proptest::collection::vec(any::<u8>(), 0..40), 1..8),
        turn in 0_usize..8,
    ) {
        let key = SecretKey::generate().unwrap();
        files.remove("hooks");
        let kept = |(name, bytes): (String, Vec<u8>)| anyhook_fleet::BundleFile { path: format!("hooks/{name}"), bytes, run: false };
        let mut files: Vec<_> = files.into_iter().map(kept).collect();
        files.push(anyhook_fleet::BundleFile { path: "hooks/hooks.json".into(), bytes: b"{}".to_vec(), run: false });
        let rules = anyhook_fleet::PolicyRules::read(br#"{"name": "acme", "revision": 7}"#).unwrap();
        let first = Bundle { rules: rules.clone(), files: files.clone() };
        let by = turn % files.len();
        files.rotate_left(by);
        let second = Bundle { rules, files };
        let one = first.sign(std::slice::from_ref(&key)).unwrap();
        prop_assert_eq!(&one, &second.sign(std::slice::from_ref(&key)).unwrap());
        let read = Bundle::verify(one.as_bytes(), &[key.public("k")]).unwrap();
        prop_assert_eq!(read.bundle.sign(std::slice::from_ref(&key)).unwrap(), one);
    }
}
