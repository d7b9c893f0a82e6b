use super::*;
use crate::hosts::claude_code::CLAUDE_CODE;

fn every_line(program: ProgramReference<'_>) -> Vec<String> {
    let hosts = crate::hosts::HOSTS.iter();
    hosts
        .flat_map(|host| host.rows().iter().map(move |row| (*host, row)))
        .flat_map(|(host, row)| {
            [Shell::Posix, Shell::Own].map(|shell| line(host, row, shell, program))
        })
        .collect()
}

/// The lines below a name in `lines.txt`.
fn rows(name: &str) -> impl Iterator<Item = String> {
    let (_, rows) = include_str!("lines.txt")
        .split_once(&format!("[{name}]\n"))
        .unwrap();
    let rows = rows.lines().take_while(|row| !row.starts_with('['));
    rows.map(str::to_owned)
}

#[test]
fn every_line_that_we_write_is_known_as_ours() {
    let programs = [
        ProgramReference::at("/home/me/.local/share/anyhook/bin/anyhook"),
        ProgramReference::at("/home/o'brien; rm -rf $HOME/`x`/anyhook"),
        ProgramReference::ANYWHERE,
    ];
    for line in programs.into_iter().flat_map(every_line) {
        assert!(is_ours(&line), "{line}");
        assert!(is_installed(&line), "{line}");
        assert!(is_ours(&format!("  {line}\n")), "{line}");
    }
}

#[test]
fn a_line_in_which_anything_else_runs_is_not_ours() {
    let ours = "anyhook run Stop --host claude-code --deadline 600";
    let shared = line(
        &CLAUDE_CODE,
        CLAUDE_CODE.row("PreToolUse").unwrap(),
        Shell::Posix,
        ProgramReference::ANYWHERE,
    );
    let of_rows = rows("foreign").map(|row| row.replace("OURS", ours).replace("SHARED", &shared));
    let others = [
        format!("{ours}\n./guard.sh"),
        shared.replace("exit 0; }", "./guard.sh; exit 0; }"),
        shared.replace("exit 0; }", "printf '%s\\n' \"$(./guard.sh)\"; exit 0; }"),
    ];
    let foreign: Vec<String> = of_rows.chain(others).collect();
    let taken: Vec<_> = foreign.iter().filter(|line| is_ours(line)).collect();
    assert_eq!(taken, Vec::<&String>::new());
}

#[test]
fn what_a_person_wrote_to_run_us_is_ours_and_not_installed() {
    for line in rows("written") {
        assert!(is_ours(&line) && !is_installed(&line), "{line}");
    }
    for line in rows("ours") {
        assert!(is_ours(&line), "{line}");
    }
}

#[test]
fn a_shared_line_refuses_a_gate_in_the_words_of_the_host_and_lets_a_stop_go_on() {
    let of = |event: &str| {
        let row = CLAUDE_CODE.row(event).unwrap();
        line(&CLAUDE_CODE, row, Shell::Posix, ProgramReference::ANYWHERE)
    };
    insta::assert_snapshot!([of("PreToolUse"), of("PermissionRequest"), of("Stop")].join("\n\n"));
}

#[test]
fn a_fraction_of_a_second_is_said_as_it_is() {
    assert_eq!(seconds(Duration::from_millis(1500)), "1.5");
    assert_eq!(seconds(Duration::from_mins(10)), "600");
}
