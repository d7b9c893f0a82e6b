//! Files that a confined command may not read or change.

use serde_json::json;

use crate::room::{Room, needs};

#[test]
fn a_command_reads_the_project_and_writes_where_it_may() {
    needs!(landlock);
    let room = Room::new();
    room.write("project/in", "text\n");
    let ran = room.sh("mkdir -p a/b && cat in > a/b/out && mv a/b/out a/out && rm in && ln -s out a/link && cat a/link");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "text\n"), "{ran:?}");
    assert_eq!(room.text("project/a/out"), "text\n");
    let ran = room.run(&json!({}), &["sh", "-c", "cat a/out; echo more > a/out"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(2), "text\n"),
        "reading is not writing: {ran:?}"
    );
}

#[test]
fn memory_of_processes_is_not_read_as_a_file() {
    needs!(landlock);
    // The control reads the memory map of the shell that started it; the confined one has that shell outside.
    let room = Room::new();
    let outside = std::process::id().to_string();
    let ran = room.run(
        &json!({}),
        &[
            "sh",
            "-c",
            &format!("cat /proc/{outside}/environ /proc/{outside}/maps"),
        ],
    );
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
}

#[test]
fn the_terminal_and_devices_are_not_opened_but_those_that_hold_nothing() {
    needs!(landlock);
    let room = Room::new();
    assert_eq!(
        room.sh("echo x > /dev/null && head -c 1 /dev/zero > /dev/null && head -c 1 /dev/urandom")
            .code,
        Some(0)
    );
    let ran = room.sh("exec 3< /dev/tty");
    assert!(
        ran.code != Some(0) && ran.err.contains("ermission denied"),
        "{ran:?}"
    );
}

#[test]
fn modes_and_times_stay_as_they_are_where_nothing_may_be_written() {
    needs!(seccomp);
    let room = Room::new();
    room.write("project/guard.sh", "exit 2");
    for line in [
        "chmod 000 guard.sh",
        "chmod 777 ~/.ssh/id",
        "touch guard.sh",
        "chmod 000 ../outside/notes",
    ] {
        assert_eq!(room.open(&["sh", "-c", line]).code, Some(0), "{line}");
        let ran = room.run(&json!({}), &["sh", "-c", line]);
        assert!(
            ran.code == Some(1)
                && ["not permitted", "denied"]
                    .iter()
                    .any(|told| ran.err.contains(told)),
            "{line}: {ran:?}"
        );
    }
    assert_eq!(
        room.sh("touch new && chmod +x new && ./new").code,
        Some(0),
        "where it may write it may do both"
    );
}

#[test]
fn a_link_that_was_put_in_place_of_a_folder_is_not_followed() {
    needs!(landlock);
    let room = Room::new();
    std::os::unix::fs::symlink(room.path("home"), room.path("project/build")).unwrap();
    let ran = room.run(
        &json!({"write": ["./build/**"]}),
        &["sh", "-c", "echo x > build/.ssh/id"],
    );
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(room.text("home/.ssh/id"), "the secret\n");
}

#[test]
fn a_single_file_is_opened_and_not_what_lies_beside_it() {
    needs!(landlock);
    let room = Room::new();
    let one = json!({"read": ["./**", "~/.ssh/config"], "write": ["../notes"]});
    assert!(serde_json::from_value::<anyhook_core::sandbox::Sandbox>(one).is_err());
    room.write("home/.ssh/config", "Host *\n");
    room.write("project/log", "");
    let confinement = json!({"read": ["./**", "~/.ssh/config"], "write": ["./log"]});
    let ran = room.run(
        &confinement,
        &[
            "sh",
            "-c",
            "cat ~/.ssh/config > log && echo fine; cat ~/.ssh/id; echo x > other",
        ],
    );
    assert_eq!((ran.out.as_str(), ran.code), ("fine\n", Some(2)), "{ran:?}");
    assert_eq!(room.text("project/log"), "Host *\n");
}
