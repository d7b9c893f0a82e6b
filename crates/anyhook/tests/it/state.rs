//! One suite for every store of session state, then what only real files and processes can show.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use anyhook::files::FileError;
use anyhook::state::{
    Asker, FileState, FlightAnswer, MemoryState, OnceMark, PriorState, SessionKey, SessionState,
    State, StateError,
};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;

const LONG: Duration = Duration::from_secs(20);

fn key(session: &str) -> SessionKey {
    SessionKey::new("claude-code", session)
}

fn peek(state: &dyn State, key: &SessionKey) -> SessionState {
    let mut seen = SessionState::default();
    let _ = state
        .update(key, &mut |session| seen = session.clone())
        .unwrap();
    seen
}

/// Counts one more. A machine with other things to do may keep the lock busy for longer than an event waits: that is
/// told, nothing was counted, and the caller that counts tries again.
fn count(state: &dyn State, key: &SessionKey) -> u64 {
    let mut counted = 0;
    for _ in 0..100 {
        match state.update(key, &mut |session| counted = session.count("n")) {
            Ok(_) => return counted,
            Err(StateError::File(FileError::Busy { .. })) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("the lock of {key:?} stayed busy");
}

/// What every store has to do.
fn conforms(state: &(dyn State + Sync)) {
    let one = key("one");
    let loaded = state.update(&one, &mut |s| s.turn = 3).unwrap();
    assert_eq!(loaded, PriorState::Fresh);
    assert_eq!(peek(state, &one).turn, 3);
    let loaded = state.update(&one, &mut |_| {}).unwrap();
    assert_eq!(loaded, PriorState::Found);

    let hostile = ["", "../../x", "a\0b", "a/b", &"y".repeat(100_000), "one "];
    for session in hostile {
        assert_eq!(count(state, &key(session)), 1, "{session:.20?}");
    }
    assert_eq!(count(state, &SessionKey::new("codex", "one")), 1);
    assert_eq!(peek(state, &one).counters.len(), 0);

    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    count(state, &one);
                }
            });
        }
    });
    assert_eq!(count(state, &one), 101);

    sweeps_what_is_old(state);
}

fn second_in_flight_finds_the_answer(state: &(dyn State + Sync)) {
    let here = key("flight");
    let guard = state.flight(&here, "e", LONG).unwrap();
    let busy = state.flight(&here, "e", Duration::from_millis(1));
    assert!(matches!(busy, Err(StateError::InFlight(_))), "{busy:?}");
    drop(state.flight(&here, "other", Duration::ZERO).unwrap());
    drop(state.flight(&key("x"), "e", Duration::ZERO).unwrap());
    let answer = FlightAnswer {
        key: "e".into(),
        at: 1000,
        asker: Asker::default(),
        taken: Vec::new(),
        result: HookResult::deny("once is enough"),
    };
    let (says, hears) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let guard = state.flight(&here, "e", LONG).unwrap();
            let mut found = peek(state, &here);
            says.send(found.answer_for("e", &Asker::default(), Class::Gate, 1500))
                .unwrap();
            drop(guard);
        });
        let _ = state
            .update(&here, &mut |s| s.remember(answer.clone()))
            .unwrap();
        drop(guard);
    });
    assert_eq!(hears.recv().unwrap(), Some(answer.result));
    drop(state.flight(&here, "e", Duration::ZERO).unwrap());
}

fn sweeps_what_is_old(state: &dyn State) {
    let now = SystemTime::now();
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_millis()).unwrap();
    let day = 24 * 3600 * 1000;
    let here = key("swept");
    let _ = state
        .update(&here, &mut |s| assert!(s.first(OnceMark::Once("a"), now)))
        .unwrap();
    state.sweep(now + 6 * day);
    assert_eq!(peek(state, &here).once.len(), 1);
    state.sweep(now + 8 * day);
    assert_eq!(peek(state, &here).once.len(), 0);
}

#[test]
fn memory_conforms() {
    conforms(&MemoryState::default());
}

#[test]
fn files_conform_and_leave_nothing_open_to_others() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("deep/sessions");
    conforms(&FileState::new(&dir));
    second_in_flight_finds_the_answer(&FileState::new(&dir));
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o77, 0);
    for entry in fs::read_dir(&dir).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o77, 0);
        let name = entry.file_name().into_string().unwrap();
        assert!(!name.ends_with(".flight"), "{name}");
    }
}

#[test]
fn a_state_that_cannot_be_read_counts_as_empty_is_told_and_put_aside() {
    let garbage: [(&str, &[u8]); 5] = [
        ("garbage", b"{\"once\": "),
        ("wrong types", b"[1]"),
        ("binary", b"\xff\0\xfe"),
        ("later", b"{\"version\": 99}"),
        ("empty", b""),
    ];
    for (what, bytes) in garbage {
        let home = tempfile::tempdir().unwrap();
        let state = FileState::new(home.path());
        count(&state, &key("s"));
        let path = home.path().join(key("s").file_name() + ".json");
        fs::write(&path, bytes).unwrap();
        let loaded = state.update(&key("s"), &mut |s| s.turn = 1).unwrap();
        assert!(matches!(loaded, PriorState::WasUnreadable(_)), "{what}");
        assert_eq!(fs::read(path.with_extension("json.bad")).unwrap(), bytes);
        assert_eq!(peek(&state, &key("s")).turn, 1);
    }
}

#[test]
fn a_link_or_a_directory_in_the_place_of_a_state_is_not_followed() {
    let home = tempfile::tempdir().unwrap();
    let state = FileState::new(home.path().join("s"));
    count(&state, &key("s"));
    let path = home.path().join("s").join(key("s").file_name() + ".json");
    let prey = home.path().join("prey");
    fs::write(&prey, "{}").unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&prey, &path).unwrap();
    let loaded = state.update(&key("s"), &mut |s| s.turn = 1).unwrap();
    assert!(matches!(loaded, PriorState::WasUnreadable(_)));
    assert_eq!(fs::read_to_string(&prey).unwrap(), "{}");
    fs::remove_file(&path).unwrap();
    fs::remove_file(path.with_extension("json.bad")).unwrap();
    fs::create_dir(&path).unwrap();
    let loaded = state.update(&key("s"), &mut |s| s.turn = 1).unwrap();
    assert!(matches!(loaded, PriorState::WasUnreadable(_)));
    assert_eq!(peek(&state, &key("s")).turn, 1);
}

#[test]
fn what_cannot_be_kept_is_an_error_and_never_a_panic() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    let below_a_file = FileState::new(home.path().join("file/sessions"));
    let on_proc = FileState::new("/proc/sessions");
    for state in [below_a_file, on_proc] {
        assert!(state.update(&key("s"), &mut |s| s.turn = 1).is_err());
        assert!(state.flight(&key("s"), "e", Duration::ZERO).is_err());
        state.sweep(0);
    }
}

#[test]
fn a_sweep_takes_old_leftovers_and_spares_what_is_in_use() {
    let home = tempfile::tempdir().unwrap();
    let state = FileState::new(home.path());
    count(&state, &key("live"));
    let flight = state.flight(&key("live"), "e", LONG).unwrap();
    let leftovers = ["a.json.bad", ".new-x", "a.b.flight", "a.lock", "b.json"];
    for name in leftovers {
        fs::write(home.path().join(name), "").unwrap();
    }
    fs::write(home.path().join("stranger"), "").unwrap();
    for entry in fs::read_dir(home.path()).unwrap() {
        let file = File::open(entry.unwrap().path()).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }
    count(&state, &key("live"));
    state.sweep(30 * 24 * 3600 * 1000);
    let mut left: Vec<String> = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort_by_key(|name| name.rsplit('.').next().unwrap().to_owned());
    let ends: Vec<_> = left.iter().map(|n| n.rsplit('.').next().unwrap()).collect();
    assert_eq!(ends, ["flight", "json", "lock", "stranger"]);
    drop(flight);
    assert_eq!(count(&state, &key("live")), 3);
}

const WORK: &str = "ANYHOOK_TEST_STATE_WORK";
const DIR: &str = "ANYHOOK_TEST_STATE_DIR";

fn worker(work: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "state::a_worker", "--nocapture"])
        .env(WORK, work)
        .env(DIR, dir)
        .stdout(Stdio::null());
    command
}

/// Not a test of its own: what the other processes of the tests below do.
#[test]
fn a_worker() {
    let (Ok(work), Some(dir)) = (std::env::var(WORK), std::env::var_os(DIR)) else {
        return;
    };
    let state = FileState::new(dir);
    match &*work {
        "count" => {
            for _ in 0..200 {
                count(&state, &key("s"));
            }
        }
        "crash" => {
            let _guard = state.flight(&key("s"), "e", LONG).unwrap();
            std::process::abort();
        }
        "full" => {
            count(&state, &key("small"));
            let text = "x".repeat(60_000);
            let failed = state.update(&key("small"), &mut |s| {
                s.said.insert(text.clone(), 1);
            });
            assert!(matches!(failed, Err(StateError::File(_))), "{failed:?}");
            assert_eq!(count(&state, &key("small")), 2);
        }
        other => panic!("no such work: {other}"),
    }
}

fn succeed(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn two_processes_count_to_four_hundred() {
    let home = tempfile::tempdir().unwrap();
    let both = (0..2).map(|_| worker("count", home.path()).spawn().unwrap());
    succeed(both.collect());
    assert_eq!(count(&FileState::new(home.path()), &key("s")), 401);
}

#[test]
fn a_process_that_crashed_in_flight_holds_no_other() {
    let home = tempfile::tempdir().unwrap();
    let mut child = worker("crash", home.path());
    let ended = child.stderr(Stdio::null()).status().unwrap();
    assert!(!ended.success());
    let state = FileState::new(home.path());
    drop(state.flight(&key("s"), "e", Duration::ZERO).unwrap());
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_state() {
    let home = tempfile::tempdir().unwrap();
    let inner = worker("full", home.path());
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args())
        .envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))))
        .stdout(Stdio::null());
    succeed(vec![shell.spawn().unwrap()]);
    let left = fs::read_dir(home.path()).unwrap().flatten();
    let new = left.filter(|e| e.file_name().to_string_lossy().starts_with(".new"));
    assert_eq!(new.count(), 0);
}
