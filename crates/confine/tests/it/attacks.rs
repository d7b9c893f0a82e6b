//! The attacks on a confinement as a list: each is refused, or it is a limit that `docs/confine.md` names.

use std::collections::BTreeSet;

use serde_json::json;

use crate::room::{Room, called, needs};

/// The page that names the limits.
const PAGE: &str = include_str!("../../../../docs/confine.md");

/// The lines of `sh`: what each does, the line, and the limit that it is, where it is one.
fn lines() -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
    let rows = include_str!("attacks.txt").trim_end().split("\n\n").skip(1);
    rows.map(|row| {
        let mut parts = row.split("\n  ");
        let mut next = || parts.next();
        (next().unwrap(), next().unwrap(), next())
    })
}

/// A call of the system, the network that it has, and the error that it gets.
#[rustfmt::skip]
fn calls() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let of = |number: i64, rest: &str| format!("syscall({number}{rest})");
    let zeros = |number: i64| of(number, ", 0, 0, 0, 0, 0");
    let socket = |family: i32| of(libc::SYS_socket, &format!(", {family}, 1, 0"));
    vec![
        ("traces its parent", "any", of(libc::SYS_ptrace, ", 16, getppid(), 0, 0"), "EPERM"),
        ("lets itself be traced", "any", zeros(libc::SYS_ptrace), "EPERM"),
        ("reads memory of another", "any", zeros(libc::SYS_process_vm_readv), "EPERM"),
        ("writes memory of another", "any", zeros(libc::SYS_process_vm_writev), "EPERM"),
        ("takes a descriptor of another", "any", zeros(libc::SYS_pidfd_getfd), "EPERM"),
        ("compares itself with another", "any", zeros(libc::SYS_kcmp), "EPERM"),
        ("raises limits of another", "any", of(libc::SYS_prlimit64, ", 1, 7, 0, 0"), "EPERM"),
        ("ends every process", "any", of(libc::SYS_kill, ", -1, 0"), "EPERM"),
        ("sets up an io_uring", "any", of(libc::SYS_io_uring_setup, ", 1, ($b = \"\\0\" x 120)"), "EPERM"),
        ("enters an io_uring", "any", zeros(libc::SYS_io_uring_enter), "EPERM"),
        ("makes a user namespace", "any", of(libc::SYS_unshare, ", 0x10000000"), "EPERM"),
        ("makes one by clone", "any", of(libc::SYS_clone, ", 0x10000011, 0, 0, 0, 0"), "EPERM"),
        ("makes one by clone3", "any", of(libc::SYS_clone3, ", ($b = pack('Q11', 0x10000000, (0) x 10)), 88"), "ENOSYS"),
        ("enters a namespace", "any", zeros(libc::SYS_setns), "EPERM"),
        ("mounts", "any", zeros(libc::SYS_mount), "EPERM"),
        ("takes a mount away", "any", zeros(libc::SYS_umount2), "EPERM"),
        ("copies a tree of mounts", "any", zeros(libc::SYS_open_tree), "EPERM"),
        ("moves a mount", "any", zeros(libc::SYS_move_mount), "EPERM"),
        ("opens a kind of file system", "any", zeros(libc::SYS_fsopen), "EPERM"),
        ("changes its root", "any", zeros(libc::SYS_chroot), "EPERM"),
        ("opens a file by its number", "any", zeros(libc::SYS_open_by_handle_at), "EPERM"),
        ("loads a program into the kernel", "any", zeros(libc::SYS_bpf), "EPERM"),
        ("measures the kernel", "any", zeros(libc::SYS_perf_event_open), "EPERM"),
        ("stops the kernel at a page", "any", zeros(libc::SYS_userfaultfd), "EPERM"),
        ("reads a key of the kernel", "any", zeros(libc::SYS_keyctl), "EPERM"),
        ("adds a key of the kernel", "any", zeros(libc::SYS_add_key), "EPERM"),
        ("shares memory by a number", "any", zeros(libc::SYS_shmget), "EPERM"),
        ("attaches shared memory", "any", zeros(libc::SYS_shmat), "EPERM"),
        ("reads messages of another", "any", zeros(libc::SYS_msgrcv), "EPERM"),
        ("takes a lock of another", "any", zeros(libc::SYS_semop), "EPERM"),
        ("opens a queue of messages", "any", zeros(libc::SYS_mq_open), "EPERM"),
        ("loads a module", "any", zeros(libc::SYS_init_module), "EPERM"),
        ("loads another kernel", "any", zeros(libc::SYS_kexec_load), "EPERM"),
        ("reads the log of the kernel", "any", zeros(libc::SYS_syslog), "EPERM"),
        ("watches all files", "any", zeros(libc::SYS_fanotify_init), "EPERM"),
        ("types into the terminal", "any", of(libc::SYS_ioctl, ", 0, 0x5412, ($b = 'x')"), "EPERM"),
        ("types into it with a high half", "any", of(libc::SYS_ioctl, ", 0, 0x700005412, ($b = 'x')"), "EPERM"),
        ("types into a text console", "any", of(libc::SYS_ioctl, ", 0, 0x541C, ($b = 'x')"), "EPERM"),
        ("makes a call that is newer than the filter", "any", of(470, ", 0"), "ENOSYS"),
        ("makes a call by a number of x32", "none", of(0x4000_0000 + libc::SYS_socket, ", 2, 1, 0"), "ENOSYS"),
        ("makes a socket of IPv4", "none", socket(libc::AF_INET), "EPERM"),
        ("makes a socket of IPv6", "none", socket(libc::AF_INET6), "EPERM"),
        ("makes a Unix socket, also an abstract one", "any", socket(libc::AF_UNIX), "EPERM"),
        ("makes a raw socket of the link", "any", socket(libc::AF_PACKET), "EPERM"),
        ("makes a socket of the hypervisor", "any", socket(libc::AF_VSOCK), "EPERM"),
        ("makes a socket of the kernel's ciphers", "any", socket(libc::AF_ALG), "EPERM"),
        ("asks the kernel for its addresses", "loopback", socket(libc::AF_NETLINK), "EPERM"),
    ]
}

#[test]
fn each_call_of_the_list_is_refused() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    for (name, network, words, expected) in calls() {
        assert_eq!(called(&room, network, &words), expected, "{name}");
    }
}

#[test]
fn a_descriptor_a_variable_and_the_input_carry_nothing_in() {
    needs!(landlock);
    let room = Room::new();
    let helper = Room::helper();
    let spec = room.spec(&json!({"env": ["PATH"]}));
    let line = "exec 9< \"$HOME/.ssh/id\"; SECRET=1 LD_PRELOAD=/lib/none.so \"$0\" \"$1\" -- sh -c 'cat <&9; echo $SECRET$LD_PRELOAD$HOME'";
    let mut command = room.command("sh");
    let out = command.args(["-c", line, &helper, &spec]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stdout), "\n", "{out:?}");
}

#[test]
fn the_list_is_long_and_each_attack_has_a_name_of_its_own() {
    let calls = calls();
    let names = lines().map(|(name, ..)| name);
    let all: Vec<&str> = names.chain(calls.iter().map(|(name, ..)| *name)).collect();
    let distinct: BTreeSet<&&str> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
    assert!(all.len() >= 80, "{}", all.len());
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn each_line_of_the_list_is_refused_or_is_a_limit_that_the_page_names() {
        needs!(landlock);
        needs!(seccomp);
        needs!(perl);
        let page: Vec<&str> = PAGE.split_whitespace().collect();
        let page = page.join(" ");
        for (name, line, limit) in lines() {
            let Some(told) = limit else {
                Room::only_works_unconfined(line);
                continue;
            };
            assert!(page.contains(told), "{name}: the page does not say it");
            let ran = Room::new().sh(line);
            assert_eq!(ran.code, Some(0), "{name} is no limit any more: {ran:?}");
        }
    }
}
