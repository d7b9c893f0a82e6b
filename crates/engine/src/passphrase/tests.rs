//! What a passphrase proves, and what it does not prove.

use super::*;

const CHEAP: HashCost = HashCost { kib: 64, passes: 1 };
const RIGHT: &str = "four words of mine";

fn set() -> (tempfile::TempDir, PassphraseStore) {
    let place = tempfile::tempdir().unwrap();
    let [home, config, state] = ["home", "config", "state"].map(|name| place.path().join(name));
    let passphrase = PassphraseStore::of(&UserFolders {
        home,
        config,
        state,
    });
    passphrase.set(RIGHT, CHEAP).unwrap();
    (place, passphrase)
}

fn waits(passphrase: &PassphraseStore, given: &str, now: i64) -> Option<u64> {
    match passphrase.prove(given, now) {
        Ok(()) => None,
        Err(PassphraseError::Wrong { wait }) => Some(wait.as_secs()),
        Err(PassphraseError::Wait(_)) => Some(u64::MAX),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn after_three_wrong_passphrases_each_next_one_waits_twice_as_long() {
    let (_place, passphrase) = set();
    let mut now = 1000;
    let mut told = Vec::new();
    for _ in 0..14 {
        let wait = waits(&passphrase, "wrong words", now).unwrap();
        told.push(wait);
        if wait > 0 {
            // A moment before, not even the right one counts.
            let early = now + i64::try_from(wait).unwrap() * 1000 - 1;
            assert_eq!(waits(&passphrase, RIGHT, early), Some(u64::MAX));
        }
        now += i64::try_from(wait).unwrap() * 1000;
    }
    assert_eq!(
        told,
        [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    );
    assert_eq!(waits(&passphrase, RIGHT, now), None);
    assert_eq!(
        waits(&passphrase, "wrong words", now),
        Some(0),
        "counted anew"
    );
}

#[test]
fn a_clock_that_was_set_back_makes_no_one_wait_longer() {
    let (_place, passphrase) = set();
    for _ in 0..3 {
        waits(&passphrase, "wrong words", 1_000_000_000);
    }
    let Err(PassphraseError::Wait(left)) = passphrase.prove(RIGHT, 5) else {
        panic!("it waits");
    };
    assert!(left <= Duration::from_secs(1), "{left:?}");
}

#[test]
fn the_hash_is_slow_salted_and_for_one_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_place, passphrase) = set();
    let first = std::fs::read(passphrase.hash()).unwrap();
    let text = String::from_utf8_lossy(&first);
    assert!(
        !text.contains(RIGHT) && text.starts_with("$argon2id$v=19$m=64,t=1,p=1$"),
        "{text}"
    );
    passphrase.set(RIGHT, CHEAP).unwrap();
    assert_ne!(first, std::fs::read(passphrase.hash()).unwrap());
    for file in [passphrase.hash(), passphrase.mark.clone()] {
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    assert!(matches!(
        passphrase.set("short", CHEAP),
        Err(PassphraseError::Length)
    ));
}

#[test]
fn a_hash_that_was_removed_or_replaced_is_noticed_and_proves_nothing() {
    let (_place, passphrase) = set();
    let (_other_place, other) = set();
    std::fs::copy(other.hash(), passphrase.hash()).unwrap();
    assert!(
        matches!(passphrase.standing(), PassphraseState::Gone(why) if why.contains("not the one"))
    );
    assert!(matches!(
        passphrase.prove(RIGHT, 0),
        Err(PassphraseError::Gone(_))
    ));
    std::fs::remove_file(passphrase.hash()).unwrap();
    assert!(matches!(passphrase.standing(), PassphraseState::Gone(why) if why.contains("is gone")));
    // Without the mark a hash counts all the same, and without both there was none.
    std::fs::remove_file(&other.mark).unwrap();
    assert_eq!(other.standing(), PassphraseState::Set);
    std::fs::remove_file(&passphrase.mark).unwrap();
    assert_eq!(passphrase.standing(), PassphraseState::None);
}
