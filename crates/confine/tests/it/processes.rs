//! Other processes, which a confined command may not touch.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::room::{Room, called, called_open, needs};

/// A process of the same user outside of the confinement, which waits until its input ends.
struct Neighbour(Child);

impl Neighbour {
    fn of(room: &Room) -> Self {
        Self(
            room.command("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    /// Lets it end by itself, and says whether a signal ended it instead.
    fn was_killed(mut self) -> bool {
        drop(self.0.stdin.take());
        self.0.wait().unwrap().signal().is_some()
    }
}

#[test]
fn a_process_outside_gets_no_signal() {
    needs!(scopes);
    let room = Room::new();
    let neighbour = Neighbour::of(&room);
    let ran = room.sh(&format!("kill -9 {0} || kill -0 {0}", neighbour.id()));
    assert!(
        ran.code == Some(1) && ran.err.contains("not permitted"),
        "{ran:?}"
    );
    assert!(!neighbour.was_killed());
    let control = Neighbour::of(&room);
    assert_eq!(
        room.open(&["sh", "-c", &format!("kill -9 {}", control.id())])
            .code,
        Some(0)
    );
    assert!(control.was_killed());
    let own = room.sh("cat <&- & sleep 100 & kill $! && wait $!; echo ended by $?");
    assert_eq!(own.out, "ended by 143\n", "{own:?}");
}

#[test]
fn no_signal_goes_to_every_process_at_once() {
    needs!(seccomp);
    // Signal 0 asks only, so this would harm no process either way.
    let room = Room::new();
    assert_eq!(room.open(&["sh", "-c", "kill -0 -1"]).code, Some(0));
    let ran = room.sh("kill -0 -1");
    assert!(
        ran.code == Some(1) && ran.err.contains("not permitted"),
        "{ran:?}"
    );
}

#[test]
fn a_process_outside_is_not_traced_and_its_memory_not_touched() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    let neighbour = Neighbour::of(&room);
    let id = neighbour.id();
    let trace_me = format!("syscall({}, 0, 0, 0, 0)", libc::SYS_ptrace);
    assert_eq!(called_open(&room, &trace_me), "done");
    assert_eq!(called(&room, "none", &trace_me), "EPERM");
    for call in [
        format!("syscall({}, 16, {id}, 0, 0)", libc::SYS_ptrace),
        format!(
            "syscall({}, {id}, 0, 0, 0, 0, 0)",
            libc::SYS_process_vm_writev
        ),
        format!(
            "syscall({}, {id}, 0, 0, 0, 0, 0)",
            libc::SYS_process_vm_readv
        ),
        format!(
            "syscall({}, {id}, 7, ($b = pack('QQ', 0, 0)), 0)",
            libc::SYS_prlimit64
        ),
        format!("syscall({}, {id}, {id}, 0, 0, 0)", libc::SYS_kcmp),
    ] {
        assert_eq!(called(&room, "any", &call), "EPERM", "{call}");
    }
    assert!(!neighbour.was_killed());
}

#[test]
fn the_parent_is_not_traced() {
    needs!(seccomp);
    needs!(perl);
    let attach = format!("syscall({}, 16, getppid(), 0, 0)", libc::SYS_ptrace);
    assert_eq!(called(&Room::new(), "none", &attach), "EPERM");
}

#[test]
fn what_the_command_starts_is_confined_as_well_and_cannot_get_out() {
    needs!(landlock);
    let room = Room::new();
    let ran = room.sh("(setsid sh -c 'sh -c \"cat ~/.ssh/id\"' & wait); nohup cat ~/.ssh/id; unshare -r cat ~/.ssh/id");
    assert!(
        ran.code != Some(0) && !ran.out.contains("secret"),
        "{ran:?}"
    );
}

#[test]
fn a_confinement_inside_a_confinement_holds_and_so_does_the_outer_one() {
    needs!(landlock);
    let room = Room::new();
    let inner = room.spec(&json!({"read": ["/**"], "write": ["/**"], "network": "any"}));
    let helper = Room::helper();
    let ran = room.run(
        &json!({"write": ["./**"]}),
        &[
            &helper,
            &inner,
            "--",
            "sh",
            "-c",
            "echo x > new; cat ~/.ssh/id",
        ],
    );
    assert!(
        ran.code == Some(1) && !ran.out.contains("secret"),
        "{ran:?}"
    );
    assert_eq!(room.text("project/new"), "x\n");
    let narrow = room.spec(&json!({}));
    let ran = room.run(
        &json!({"write": ["./**"]}),
        &[&helper, &narrow, "--", "sh", "-c", "echo x > other"],
    );
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
