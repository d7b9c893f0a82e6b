//! What a confined command tries is seen from outside, and nothing else changes.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use anyhook_confine::AccessAttempt;
use serde_json::json;

use crate::room::{Room, needs};

/// Runs a line of `sh` that may write the project, and returns what was seen.
fn tried(room: &Room, line: &str) -> Vec<(AccessAttempt, u64)> {
    let (ran, refused) = room.watched(&json!({"write": ["./**"]}), &["sh", "-c", line]);
    assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    assert_eq!((refused.more, refused.unseen), (0, 0), "{line}");
    refused.tried
}

#[test]
fn what_is_refused_to_a_command_is_seen_by_every_name_that_leads_there() {
    needs!(told);
    let room = Room::new();
    let (key, notes) = (room.path("home/.ssh/id"), room.path("outside/notes"));
    symlink("../home/.ssh", room.path("project/link")).unwrap();
    for name in [
        "$HOME/.ssh/id",
        "../home/.ssh/id",
        "link/id",
        "/usr/../$HOME/.ssh/id",
    ] {
        let line = format!("! cat {name}");
        assert_eq!(
            tried(&room, &line),
            [(AccessAttempt::Read(key.clone()), 1)],
            "{name}"
        );
    }
    let write = |path: PathBuf| [(AccessAttempt::Write(path), 1)];
    let line = |word: &str| tried(&room, &format!("! ({word} ) 2>/dev/null"));
    assert_eq!(line(": >> ../outside/notes"), write(notes.clone()));
    assert_eq!(line(": > ../outside/notes"), write(notes));
    assert_eq!(line(": > ../outside/new"), write(room.path("outside/new")));
    assert_eq!(
        line("ls $HOME"),
        [(AccessAttempt::Read(room.path("home")), 1)]
    );
    let often = tried(&room, "for i in 1 2 3; do ! cat ~/.ssh/id; done");
    assert_eq!(often, [(AccessAttempt::Read(key), 3)]);
    assert_eq!(room.text("outside/notes"), "as before\n");
    assert!(!room.path("outside/new").exists());
}

#[test]
fn what_is_not_refused_or_fails_by_itself_is_not_told() {
    needs!(told);
    let room = Room::new();
    room.write("project/notes", "");
    symlink("/proc/self", room.path("project/self")).unwrap();
    for line in [
        "cat notes && echo x > new && cat new >> notes && mkdir d && ls d && rm -r d",
        "! cat ~/.ssh/none && ! cat ../nowhere/x && ! (: > ../nowhere/x)",
        "cat < /dev/null > /dev/null && cat /dev/stdin < notes && echo x > /dev/stderr && cat /dev/fd/0 < notes",
        "test -e ~/.ssh/id && cat self/status > /dev/null && (exec 3> new; echo x >&3)",
        "cat /etc/passwd > /dev/null; echo a | cat | cat",
    ] {
        assert_eq!(tried(&room, line), [], "{line}");
    }
}

#[test]
fn what_modes_refuse_is_no_refusal_of_the_confinement() {
    needs!(told);
    if crate::room::is_root() {
        crate::room::skip!("no mode refuses the root user anything");
    }
    let room = Room::new();
    let line = "chmod 000 ../outside/notes; ! cat ../outside/notes";
    room.open(&["sh", "-c", line]);
    assert_eq!(tried(&room, "! cat ../outside/notes"), []);
}

#[test]
fn a_refused_socket_is_seen_and_refused_as_before() {
    needs!(told);
    needs!(perl);
    let room = Room::new();
    let socket = |network: &str, words: &str| {
        let confinement = json!({"network": network});
        let script = format!("use Socket; {}", crate::room::call(words));
        let (ran, refused) = room.watched(&confinement, &["perl", "-e", &script]);
        (ran.out, refused.tried)
    };
    let [local, four] =
        ["AF_UNIX", "AF_INET"].map(|family| format!("socket(S, {family}, SOCK_STREAM, 0)"));
    let seen = |family| ("EPERM".to_owned(), vec![(AccessAttempt::Socket(family), 1)]);
    assert_eq!(socket("none", &four), seen(2));
    assert_eq!(socket("none", &local), seen(1));
    assert_eq!(socket("any", &local), seen(1));
    assert_eq!(socket("any", &four), ("done".to_owned(), vec![]));
    needs!(namespaces);
    let connect = |address: &str| {
        format!(
            "socket(S, AF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(9, inet_aton('{address}')))"
        )
    };
    let (_, tried) = socket("loopback", &connect("192.0.2.1"));
    assert_eq!(
        tried,
        [(AccessAttempt::Connect("192.0.2.1:9".parse().unwrap()), 1)]
    );
    assert_eq!(socket("loopback", &connect("127.0.0.1")).1, []);
}

#[test]
fn what_it_starts_is_watched_too() {
    needs!(told);
    let room = Room::new();
    // A shell that starts much at once is interrupted by the end of what it started.
    let line = "i=0; while [ $i -lt 50 ]; do /bin/true & : > out; i=$((i+1)); done; wait; sh -c 'sh -c \"! cat ~/.ssh/id\"'";
    assert_eq!(
        tried(&room, line),
        [(AccessAttempt::Read(room.path("home/.ssh/id")), 1)]
    );
}

#[test]
fn a_flood_ends_in_time_and_keeps_little() {
    needs!(told);
    needs!(perl);
    let room = Room::new();
    let script = "for my $i (1..20000) { open(F, '<', \"$ENV{ROOM}/home/.ssh/id\"); open(F, '>', \"$ENV{ROOM}/outside/$i\"); }";
    let (ran, refused) = room.watched(&json!({}), &["perl", "-e", script]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!((refused.tried.len(), refused.more), (32, 20000 - 31));
    assert_eq!(
        refused.tried[0],
        (AccessAttempt::Read(room.path("home/.ssh/id")), 20000)
    );
}

#[test]
fn a_confinement_inside_a_watched_one_holds_and_both_are_seen() {
    needs!(told);
    let room = Room::new();
    let helper = Room::helper();
    let inner = room.spec(&json!({"read": ["./**"]}));
    let line = format!("{helper} '{inner}' -- sh -c '! cat ../outside/notes; ! (echo x > inner)'");
    // The rules of the outer one are what is seen: what the inner one alone refuses is not.
    assert_eq!(
        tried(&room, &line),
        [(AccessAttempt::Read(room.path("outside/notes")), 1)]
    );
    assert!(!room.path("project/inner").exists());
}

#[test]
fn a_helper_whose_watcher_is_gone_starts_nothing() {
    needs!(told);
    let room = Room::new();
    let spec = room.spec(&json!({"write": ["./**"]}));
    let mut command = room.command(Room::helper());
    command.args(["--calls", "99", &spec, "--", "sh", "-c", "echo x > ran"]);
    let ran = command.output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(
        told.contains("cannot confine the command: passing on what it opens"),
        "{told}"
    );
    assert_eq!(ran.status.code(), Some(125));
    assert!(!room.path("project/ran").exists());
}

#[test]
fn what_is_removed_moved_made_cut_or_run_in_vain_is_seen_with_each_name() {
    needs!(told);
    needs!(perl);
    let room = Room::new();
    let notes = room.path("outside/notes");
    room.write("home/tool", "#!/bin/sh\necho ran\n");
    room.open(&["chmod", "755", "../home/tool"]);
    room.write("project/own", "");
    let new = |name: &str| room.path(&format!("outside/{name}"));
    let removed = AccessAttempt::Remove(notes.clone());
    for (words, expected) in [
        ("unlink('../outside/notes')", removed.clone()),
        (
            "rmdir('../outside/folder')",
            AccessAttempt::Remove(new("folder")),
        ),
        ("rename('../outside/notes', 'mine')", removed.clone()),
        (
            "rename('own', '../outside/given')",
            AccessAttempt::Make(new("given")),
        ),
        (
            "link('../outside/notes', 'mine')",
            AccessAttempt::Make(notes.clone()),
        ),
        (
            "link('own', '../outside/given')",
            AccessAttempt::Make(new("given")),
        ),
        (
            "symlink('own', '../outside/given')",
            AccessAttempt::Make(new("given")),
        ),
        ("mkdir('../outside/made')", AccessAttempt::Make(new("made"))),
        (
            "truncate('../outside/notes', 0)",
            AccessAttempt::Write(notes.clone()),
        ),
        (
            "exec { '../home/tool' } 'tool'",
            AccessAttempt::Run(room.path("home/tool")),
        ),
    ] {
        room.open(&["mkdir", "-p", "../outside/folder"]);
        let script = format!("no warnings; ({words}) and die 'it worked'");
        let perl = ["perl", "-e", &script];
        let (ran, refused) = room.watched(&json!({"write": ["./**"]}), &perl);
        assert_eq!((ran.code, &*ran.out), (Some(0), ""), "{words}: {ran:?}");
        assert_eq!(refused.tried, [(expected, 1)], "{words}");
    }
    // The same by the calls of programs that count from a folder.
    let line = |line: &str| tried(&room, &format!("! {line} 2>/dev/null"));
    let made = [(AccessAttempt::Make(new("given")), 1)];
    for way in ["ln own", "ln -s own", "mkfifo", "mv own"] {
        assert_eq!(line(&format!("{way} ../outside/given")), made, "{way}");
    }
    assert_eq!(room.text("outside/notes"), "as before\n");
    // By the names of the folder in which a command stands, and of links to it.
    symlink("../outside", room.path("project/way")).unwrap();
    let line = "! rm way/notes; cd ..; ! rm -f outside/notes; ! mv outside/notes project/mine";
    let (_, refused) = room.watched(
        &json!({"write": ["./**"]}),
        &["sh", "-c", &format!("({line}) 2>/dev/null")],
    );
    assert_eq!(refused.tried, [(removed, 3)]);
}

#[test]
fn what_is_removed_moved_made_cut_or_run_is_not_told_where_it_may_be_or_fails_by_itself() {
    needs!(told);
    needs!(perl);
    let room = Room::new();
    room.write("project/tool", "#!/bin/sh\nexit 0\n");
    room.open(&["chmod", "755", "tool"]);
    for line in [
        "mkdir d && mkdir d/e && mv d/e d/f && ln -s f d/g && ln tool d/h && rm -r d",
        "./tool && /bin/sh -c : && ! nowhere && ! ../outside/none && mkfifo p && rm p",
        "! rm ../outside/none && ! mv ../outside/none x && ! mkdir ../outside && ! rmdir none",
        "perl -e 'truncate(q(tool), 0) or die'",
    ] {
        assert_eq!(
            tried(&room, &format!("{{ {line}; }} 2>/dev/null")),
            [],
            "{line}"
        );
    }
}
