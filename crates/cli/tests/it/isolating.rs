//! What hooks of a test reach of the machine: no network, and no more users than the person is.

use serde_json::json;

use crate::env::{Left, TestEnv, command, finish, on, start};

/// A package with one hook, and one case that wants it to succeed.
fn package(line: &str) -> TestEnv {
    let env = TestEnv::new();
    env.manifest(&on("stop", &json!([{"hooks": [command(line)]}])).to_string());
    env.write(
        "project/hooks/tests/cases/a.yaml",
        "name: a\nevent: stop\nexpected:\n  exit-code: 0\n",
    );
    env
}

/// Tells, and says so, where the kernel lets no process of ours cut the network.
fn is_refused(left: &Left) -> bool {
    let is_refused = left.stdout.contains("network: not isolated");
    if is_refused {
        eprintln!(
            "not tested: this kernel refuses to cut the network: {}",
            left.stdout
        );
    }
    is_refused
}

#[test]
fn what_left_its_group_and_cleared_its_environment_does_not_outlive_the_run() {
    // A time that no other process sleeps for.
    let sleep = format!("sleep 86{}", std::process::id());
    let env = package(&format!(
        "env -i setsid -f {sleep} > /dev/null 2>&1; env -i setsid -f sh -c '{sleep}; :' > /dev/null 2>&1"
    ));
    let left = env.anyhook("test");
    assert_eq!(left.code, 0, "{left:?}");
    left.warns("which were ended: ");
    assert_eq!(living(&sleep), 0);
    assert!(!env.anyhook("test --list").stderr.contains("ended"));
}

/// How many processes have this in their command line.
fn living(name: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(name)).count()
}

#[test]
fn a_person_who_has_no_rights_cuts_the_network_too() {
    let env = package(
        "test \"$(id -u)\" = 65534 && ! bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>why && grep -q unreachable why",
    );
    // Only root may become another user.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    for folder in ["", "project", "home"] {
        std::fs::set_permissions(env.path(folder), Clone::clone(&mode)).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_anyhook");
    let apart = [
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        program,
        "test",
    ];
    let line = env.other("setpriv", &apart);
    let left = finish(start(line, b""));
    if left.stderr.starts_with("setpriv:") || is_refused(&left) {
        eprintln!("not tested: no other user to be: {left:?}");
        return;
    }
    assert_eq!(left.code, 0, "{left:?}");
    left.says("network: cut");
}
