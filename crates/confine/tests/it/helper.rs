//! The helper program: its arguments, its report, its exit codes.

use anyhook_confine::{ConfinementGap, ConfinementReport};
use serde_json::json;

use crate::room::{Room, needs};

#[test]
fn the_command_gets_its_arguments_its_input_and_its_exit_code_unchanged() {
    let room = Room::new();
    let odd = "a b'\"$(id)\n*";
    let ran = room.run(
        &json!({}),
        &["sh", "-c", "printf '<%s>' \"$@\"; exit 7", "name", odd, ""],
    );
    assert_eq!(
        (ran.out, ran.code, ran.err.as_str()),
        (format!("<{odd}><>"), Some(7), "")
    );
}

#[test]
fn only_the_variables_that_pass_are_there() {
    let room = Room::new();
    let confinement = json!({"env": ["PATH", "HO*"]});
    let mut command = room.confined(&confinement, &["env"]);
    let ran = command
        .env("SECRET", "x")
        .env("HOST", "h")
        .output()
        .unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    let mut names: Vec<&str> = out
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "HOST", "PATH"]);
}

#[test]
fn what_was_reached_is_reported_on_a_file_descriptor() {
    needs!(landlock);
    needs!(seccomp);
    let room = Room::new();
    let spec = room.spec(&json!({"write": ["./none/**", "./**"]}));
    let line = format!(
        "{} --report 3 '{spec}' -- sh -c 'echo x >&3' 3> report",
        Room::helper()
    );
    let ran = room.open(&["sh", "-c", &line]);
    assert_ne!(
        ran.code,
        Some(0),
        "the descriptor is not passed on: {ran:?}"
    );
    let report: ConfinementReport = serde_json::from_str(&room.text("project/report")).unwrap();
    assert!(
        report.held[0].starts_with("files by Landlock ABI "),
        "{report}"
    );
    assert!(
        report.held.contains(&"network none by seccomp".to_owned()),
        "{report}"
    );
    assert_eq!(report.lacks, Vec::<ConfinementGap>::new());
    let none = room.path("project/none");
    assert!(
        report.notes.contains(&format!(
            "`{}` is not there, so it cannot be written",
            none.display()
        )),
        "{report}"
    );
}

#[test]
fn a_command_that_cannot_be_confined_or_started_has_its_own_exit_code() {
    let room = Room::new();
    let spec = room.spec(&json!({}));
    let helper = Room::helper();
    for (words, code, told) in [
        (vec![], 125, "the command line is not complete"),
        (
            vec![spec.as_str(), "--"],
            125,
            "the command line is not complete",
        ),
        (
            vec![spec.as_str(), "sh", "-c"],
            125,
            "`sh` stands where `--` belongs",
        ),
        (vec!["{}", "--", "true"], 0, ""),
        (
            vec!["{\"reads\":[]}", "--", "true"],
            125,
            "unknown field `reads`",
        ),
        (
            vec!["{\"read\":[\"x\"]}", "--", "true"],
            125,
            "`x` is no path from the root on",
        ),
        (
            vec!["--report", "x", &spec, "--", "true"],
            125,
            "`x` is no number of a file descriptor",
        ),
        (
            vec!["--report", "88", &spec, "--", "true"],
            125,
            "cannot write the report to `/dev/fd/88`",
        ),
        (
            vec![&spec, "--", "no-such-program"],
            127,
            "cannot start `no-such-program`",
        ),
        (vec![&spec, "--", "/"], 126, "cannot start `/`"),
    ] {
        let all: Vec<&str> = [helper.as_str()].into_iter().chain(words).collect();
        let ran = room.open(&all);
        assert_eq!(ran.code, Some(code), "{all:?}: {ran:?}");
        assert!(ran.err.contains(told), "{all:?}: {ran:?}");
    }
}

#[test]
fn a_program_that_may_not_be_read_is_not_started_and_the_message_says_why() {
    needs!(landlock);
    let room = Room::new();
    std::fs::copy("/bin/true", room.path("home/tool")).unwrap();
    let tool = room.path("home/tool").display().to_string();
    let ran = room.run(&json!({}), &[&tool]);
    assert_eq!(ran.code, Some(126), "{ran:?}");
    assert!(
        ran.err.contains("add its folder to what it may read"),
        "{ran:?}"
    );
}
