//! `anyhook confine`: the verb, and commands of an agent that were rewritten to run under it.

use anyhook_confine::level;

use crate::env::{Left, TestEnv, finish, start};

/// Says where it cannot be tested.
pub(crate) fn cannot_confine() -> bool {
    let level = level();
    let cannot = level.landlock.is_none() || !level.seccomp;
    if cannot {
        eprintln!("skipped: this kernel has no Landlock or no seccomp ({level})");
    }
    cannot
}

/// A home with a secret, and a file outside of the project.
pub(crate) fn room() -> TestEnv {
    let env = TestEnv::new();
    env.write("home/.ssh/id", "the secret\n");
    env.write("outside/notes", "as before\n");
    env
}

/// Runs a line as an agent's tool does.
pub(crate) fn tool(env: &TestEnv, shell: &str, line: &str) -> Left {
    let command = env.other(shell, &["-c", line]);
    finish(start(command, b""))
}

#[test]
fn what_is_refused_although_it_was_named_is_said_and_what_the_kernel_can_do() {
    let env = room();
    let left = env.anyhook("confine");
    assert_eq!((left.code, left.stdout), (0, format!("{}\n", level())));
    if cannot_confine() {
        return;
    }
    let left = env.anyhook("confine --write ./none/** -- true");
    let none = env.path("project/none");
    let told = format!(
        "note: `{}` is not there, so it cannot be written\n",
        none.display()
    );
    assert_eq!((left.code, left.stderr), (0, told));
    let home = env.path("home").display().to_string();
    let left = env.run(&["confine", "--project", &home, "--", "true"], b"");
    assert_eq!(
        left.stderr,
        "note: the project is your home or a folder around it, so all of your home is open\n"
    );
    let left = env.run(&["confine", "--read", "", "--", "ls"], b"");
    assert_ne!(left.code, 0, "not even the project: {left:?}");
}

#[test]
fn the_program_is_the_helper_itself() {
    if cannot_confine() {
        return;
    }
    let env = room();
    let left = env.anyhook("confined {} -- cat /etc/hostname");
    assert_eq!(left.code, 0, "{left:?}");
    let secret = env.path("home/.ssh/id").display().to_string();
    let left = env.run(&["confined", "{}", "--", "cat", &secret], b"");
    assert!(left.code == 1 && left.stdout.is_empty(), "{left:?}");
    assert_eq!(env.run(&["confined", "no spec"], b"").code, 125);
}
