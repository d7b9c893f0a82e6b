//! Limits of processes, and the rights of the root user.

use serde_json::json;

use crate::room::{Room, is_root, needs};

#[test]
fn a_fork_bomb_ends_at_the_number_of_processes() {
    needs!(namespaces);
    needs!(perl);
    let room = Room::new();
    // Every child waits for the end of a pipe that the first process holds, so that none outlives it.
    let bomb = "pipe(my $r, my $w); my $n = 0; \
                while ($n < 200) { my $c = fork(); last unless defined $c; if (!$c) { close $w; sysread($r, my $x, 1); exit } $n++ } \
                print $n; close $w; 1 while wait() != -1";
    let ran = room.run(&json!({"processes": 20}), &["perl", "-e", bomb]);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("19", Some(0)),
        "one is the command itself: {ran:?}"
    );
    assert_eq!(room.open(&["perl", "-e", bomb]).out, "200");
}

#[test]
fn a_limit_is_not_raised_again() {
    let room = Room::new();
    let line = "ulimit -c unlimited || ulimit -c";
    let ran = room.run(&json!({}), &["sh", "-c", line]);
    assert_eq!(ran.out, "0\n", "there is never a core file: {ran:?}");
}

#[test]
fn what_cannot_be_counted_is_named_and_where_it_is_required_nothing_runs() {
    needs!(seccomp);
    if !is_root() {
        crate::room::skip!("only the root user is never counted");
    }
    let room = Room::new();
    let ran = room.as_root(
        &json!({"processes": 20, "required": true}),
        &["touch", "ran"],
    );
    assert_eq!(ran.code, Some(125));
    assert!(
        ran.err
            .contains("processes: the kernel does not count the processes of the root user"),
        "{ran:?}"
    );
    assert!(!room.path("project/ran").exists());
    let ran = room.as_root(
        &json!({"processes": 20}),
        &["sh", "-c", "grep CapEff /proc/self/status"],
    );
    assert_eq!(
        ran.out, "CapEff:\t000000000000001b\n",
        "it keeps what work on files needs: {ran:?}"
    );
}

#[test]
fn the_root_user_is_confined_like_any_other() {
    needs!(landlock);
    needs!(seccomp);
    if !is_root() {
        crate::room::skip!("the tests do not run as the root user");
    }
    let room = Room::new();
    for line in [
        "cat ~/.ssh/id",
        "cat /etc/shadow",
        "echo x > ../outside/notes",
        "mount -t tmpfs none /mnt",
        "mknod d c 1 3",
    ] {
        let ran = room.as_root(&json!({"write": ["./**"]}), &["sh", "-c", line]);
        assert!(ran.code != Some(0) && ran.out.is_empty(), "{line}: {ran:?}");
    }
    assert_eq!(room.text("outside/notes"), "as before\n");
}

#[test]
fn a_program_gets_no_rights_back() {
    needs!(seccomp);
    let room = Room::new();
    let ran = room.run(
        &json!({}),
        &[
            "sh",
            "-c",
            "grep -E '^(NoNewPrivs|CapEff|CapPrm)' /proc/self/status",
        ],
    );
    let none = "0".repeat(16);
    assert_eq!(
        ran.out,
        format!("CapPrm:\t{none}\nCapEff:\t{none}\nNoNewPrivs:\t1\n"),
        "{ran:?}"
    );
}
