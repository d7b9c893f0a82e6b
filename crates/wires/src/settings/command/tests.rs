use super::*;
use crate::hosts::claude_code::CLAUDE_CODE;

fn every_line(program: Program<'_>) -> Vec<String> {
    let hosts = crate::hosts::HOSTS.iter();
    hosts
        .flat_map(|host| host.rows().iter().map(move |row| (*host, row)))
        .flat_map(|(host, row)| {
            [Shell::Posix, Shell::Own].map(|shell| line(host, row, shell, program))
        })
        .collect()
}

#[test]
fn every_line_that_we_write_is_known_as_ours() {
    let programs = [
        Program::at("/home/me/.local/share/anyhook/bin/anyhook"),
        Program::at("/home/o'brien; rm -rf $HOME/`x`/anyhook"),
        Program::ANYWHERE,
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
        Program::ANYWHERE,
    );
    let foreign = [
        String::new(),
        "anyhook".to_owned(),
        "anyhook run".to_owned(),
        "anyhook run Stop --manifest ./hooks.json".to_owned(),
        "anyhook run --hosts claude-code".to_owned(),
        "anyhook say deny no".to_owned(),
        "./guard.sh".to_owned(),
        "echo anyhook run".to_owned(),
        "notanyhook run Stop".to_owned(),
        "anyhook-runs run Stop --host cursor".to_owned(),
        "anyhook-run Stop".to_owned(),
        "anyhook Stop --host cursor".to_owned(),
        format!("./guard.sh && {ours}"),
        format!("./guard.sh; {ours}"),
        format!("{ours}; ./guard.sh"),
        format!("{ours} | tee log"),
        format!("{ours} > log"),
        format!("{ours}\n./guard.sh"),
        format!("{ours} $(./guard.sh)"),
        format!("{ours} \"`./guard.sh`\""),
        format!("{ours} 'open"),
        format!("sh -c '{ours}; ./guard.sh'"),
        shared.replace("exit 0; }", "./guard.sh; exit 0; }"),
        shared.replace("exit 0; }", "printf '%s\\n' \"$(./guard.sh)\"; exit 0; }"),
        format!("{shared}; ./guard.sh"),
    ];
    let taken: Vec<_> = foreign.iter().filter(|line| is_ours(line)).collect();
    assert_eq!(taken, Vec::<&String>::new());
}

#[test]
fn what_a_person_wrote_to_run_us_is_ours_and_not_installed() {
    let lines = [
        "anyhook run PreToolUse --host claude-code",
        "/opt/anyhook run --host=cursor",
        "\"$HOME/.cargo/bin/anyhook\" run --host codex-cli",
        "env ANYHOOK_X=1 '/a b/anyhook' run Stop --host cursor",
        "RUST_BACKTRACE=1 exec ${BIN}/anyhook run --strict --host cursor",
        "sh -c 'anyhook run --host cursor'",
        r"C:/tools/anyhook.exe run --host cursor",
    ];
    for line in lines {
        assert!(is_ours(line) && !is_installed(line), "{line}");
    }
}

#[test]
fn a_shared_line_refuses_a_gate_in_the_words_of_the_host_and_lets_a_stop_go_on() {
    let of = |event: &str| {
        let row = CLAUDE_CODE.row(event).unwrap();
        line(&CLAUDE_CODE, row, Shell::Posix, Program::ANYWHERE)
    };
    insta::assert_snapshot!([of("PreToolUse"), of("PermissionRequest"), of("Stop")].join("\n\n"));
}

#[test]
fn a_fraction_of_a_second_is_said_as_it_is() {
    assert_eq!(seconds(Duration::from_millis(1500)), "1.5");
    assert_eq!(seconds(Duration::from_mins(10)), "600");
}
