//! System calls that lead around files and sockets.

use serde_json::json;

use crate::room::{Room, called, called_open, needs, skip};

/// The flag of a new user namespace.
const NEW_USER: i64 = 0x1000_0000;

#[test]
fn io_uring_is_refused() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    let setup = format!(
        "syscall({}, 1, ($b = \"\\0\" x 120))",
        libc::SYS_io_uring_setup
    );
    assert_eq!(called(&room, "any", &setup), "EPERM");
    if called_open(&room, &setup) != "done" {
        skip!("this kernel gives no user io_uring, so that there is nothing to compare with");
    }
}

#[test]
fn no_user_namespace_is_made_by_any_call() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    let unshare = format!("syscall({}, {NEW_USER})", libc::SYS_unshare);
    assert_eq!(called(&room, "any", &unshare), "EPERM");
    // With a signal for the end of the child, as `fork` has it.
    let clone = format!(
        "syscall({}, {}, 0, 0, 0, 0)",
        libc::SYS_clone,
        NEW_USER | 0x11
    );
    assert_eq!(called(&room, "any", &clone), "EPERM");
    let clone3 = format!(
        "syscall({}, ($b = pack('Q11', {NEW_USER}, (0) x 10)), 88)",
        libc::SYS_clone3
    );
    assert_eq!(called(&room, "any", &clone3), "ENOSYS");
}

#[test]
fn calls_that_are_newer_than_the_filter_or_have_the_numbers_of_x32_do_not_exist() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    for number in [
        470_i64,
        999,
        0x4000_0000 + libc::SYS_socket,
        0x4000_0000 + 521,
    ] {
        assert_eq!(
            called(&room, "none", &format!("syscall({number}, 2, 1, 0)")),
            "ENOSYS",
            "{number}"
        );
    }
}

#[test]
fn nothing_is_typed_into_the_terminal() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    // Unconfined the kernel says that this is no terminal; confined it is not even asked.
    let typing = "syscall(SYS, 0, 0x5412, ($b = 'x'))".replace("SYS", &libc::SYS_ioctl.to_string());
    assert!(called_open(&room, &typing).starts_with("error"));
    assert_eq!(called(&room, "none", &typing), "EPERM");
    let high = typing.replace("0x5412", "0x700005412");
    assert_eq!(
        called(&room, "none", &high),
        "EPERM",
        "the kernel reads the lower half only, and so do we"
    );
    assert_eq!(
        called(&room, "none", &typing.replace("0x5412", "0x541C")),
        "EPERM"
    );
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
