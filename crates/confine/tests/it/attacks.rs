//! The attacks on a confinement as a list: each is refused, or it is a limit that `docs/confine.md` names.

use std::collections::BTreeSet;

use serde_json::json;

use crate::room::{Room, called, needs};

/// The page that names the limits.
const PAGE: &str = include_str!("../../../../docs/confine.md");

/// What becomes of an attack.
enum Fate {
    /// It works unconfined, and the kernel refuses it.
    Refused,
    /// It gets through, and this is what the page says of it.
    Limit(&'static str),
}

use Fate::{Limit, Refused};

/// A line of `sh` that may write the project and nothing else. `$ROOM` holds `project`, `home` and `outside`.
#[rustfmt::skip]
const LINES: &[(&str, &str, Fate)] = &[
    ("reads a key of the home", "cat ~/.ssh/id", Refused),
    ("reads it by the root of its own process", "cat /proc/self/root/$HOME/.ssh/id", Refused),
    ("reads it by its own working folder", "cat /proc/self/cwd/../home/.ssh/id", Refused),
    ("reads it by the folder of a thread", "cat /proc/thread-self/cwd/../home/.ssh/id", Refused),
    ("reads it by `..`", "cat ../home/.ssh/id", Refused),
    ("reads it by a link in the project", "ln -s ~/.ssh/id l && cat l", Refused),
    ("reads it by a chain of links", "ln -s ~ a && ln -s a/.ssh b && cat b/id", Refused),
    ("reads it by a second name", "ln ~/.ssh/id h && cat h", Refused),
    ("reads it by a bound descriptor", "perl -e 'open(F, \"<\", \"$ENV{HOME}/.ssh/id\") or exit 1; print <F>'", Refused),
    ("opens it as a path and again by its descriptor",
        "perl -e '$p = \"$ENV{HOME}/.ssh/id\"; $f = syscall(257, -100, $p, 010000000); open(F, \"<\", \"/proc/self/fd/$f\") or exit 1; print <F>'", Refused),
    ("runs a program that it made in memory",
        "perl -e '$^F = 99; $n = \"x\"; $f = syscall(319, $n, 0); open(O, \">&=\", $f) or exit 1; print O \"#!/bin/sh\\ncat ~/.ssh/id\\n\"; O->flush; exec \"/proc/self/fd/$f\" or exit 1'", Refused),
    ("lists the home", "ls ~/.ssh", Refused),
    ("searches the home", "grep -r secret ~/.ssh", Refused),
    ("archives the home", "tar cf - ~/.ssh | grep -q secret", Refused),
    ("reads it by a loaded library", "LD_PRELOAD=/lib/none.so cat ~/.ssh/id 2>/dev/null", Refused),
    ("reads it in the background", "(cat ~/.ssh/id > got) & wait $!; grep -q secret got", Refused),
    ("writes a file outside", "echo x > ../outside/notes", Refused),
    ("adds to a file outside", "echo x >> ../outside/notes", Refused),
    ("empties a file outside", "perl -e 'truncate(\"../outside/notes\", 0) or exit 1'", Refused),
    ("removes a file outside", "rm ../outside/notes", Refused),
    ("moves a file out of the way", "mv ../outside/notes ../outside/old", Refused),
    ("moves a file into the project", "mv ../outside/notes notes", Refused),
    ("moves a file of the project over one outside", "echo x > new && mv new ../outside/notes", Refused),
    ("moves a folder into the project", "mv ../outside taken", Refused),
    ("makes a folder outside", "mkdir ../outside/d", Refused),
    ("makes a pipe outside", "mkfifo ../outside/p", Refused),
    ("makes a link outside", "ln -s /etc ../outside/l", Refused),
    ("makes a socket outside", "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 1; bind(S, pack_sockaddr_un(\"../outside/s\")) or exit 1'", Refused),
    ("writes by a link in the project", "ln -s ../outside o && echo x > o/notes", Refused),
    ("writes by a second name", "ln ../outside/notes n && echo x > n", Refused),
    ("writes to its own memory as a file", "exec 3<> /proc/self/mem", Refused),
    ("has the kernel write more of it into a core file", "echo 0x3f > /proc/self/coredump_filter", Refused),
    ("makes itself the last that memory is taken from", "echo 1 > /proc/self/oom_score_adj", Refused),
    ("writes into the home's start file", "echo evil >> ~/.profile", Refused),
    ("plants a program of the person", "mkdir -p ~/bin && echo evil > ~/bin/git", Refused),
    ("hands its rights to a program that has more", "grep -q 'NoNewPrivs:.0' /proc/self/status", Refused),
    ("swaps a folder for a link while it writes",
        "i=0; while [ $i -lt 300 ]; do mkdir -p way; ln -sfn ../outside way2; mv -T way way3 2>/dev/null; mv -T way2 way 2>/dev/null; \
         echo x > way/notes 2>/dev/null; rm -rf way way2 way3; i=$((i+1)); done; grep -q x ../outside/notes", Refused),
    ("makes a socket pair to another", "perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0) or exit 1'", Refused),
    ("starts a network of its own and answers", "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) or exit 1; listen(S, 1) or exit 1'", Refused),
    ("changes the mode of a file of the same person", "chmod 640 ../outside/notes", Limit("it can also change modes, owners, times and attributes of other files")),
    ("sees the size of a file", "stat ../outside/notes", Limit("Names, sizes and times of files outside can be seen")),
    ("sees the command lines of others", "cat /proc/$PPID/cmdline", Limit("so can the command lines of other processes")),
    ("makes many files", "for i in 1 2 3 4 5 6 7 8 9; do echo x > f$i; done", Limit("A disk can be filled where the command may write")),
];

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
    let names = LINES.iter().map(|(name, ..)| *name);
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
        for (name, line, fate) in LINES {
            match fate {
                Refused => {
                    Room::only_works_unconfined(line);
                }
                Limit(told) => {
                    let page: Vec<&str> = PAGE.split_whitespace().collect();
                    assert!(
                        page.join(" ").contains(told),
                        "{name}: the page does not say it"
                    );
                    let ran = Room::new().sh(line);
                    assert_eq!(ran.code, Some(0), "{name} is no limit any more: {ran:?}");
                }
            }
        }
    }
}
