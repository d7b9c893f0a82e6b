//! Each breakage, its finding, and its fix.

mod agents;

use std::os::unix::fs::PermissionsExt as _;

use anyhook::wires::hosts::HOSTS;
use serde_json::json;

use super::{Machine, STABLE, Told, USER, told};
use crate::env::{command, on};

const INSTALL: &str = "anyhook install --host claude-code";

const UNREAD: &str = "the entry for `PreToolUse` names anyhook and is not read as anyhook's: it is one of an older version, \
    or its quotes or a space in its path say something else";

/// How the events of an entry are named where all of them are meant.
fn all_events(machine: &Machine) -> String {
    let text = machine.read(USER);
    let count = text.matches("\"type\": \"command\"").count();
    format!(
        "`SessionStart`, `Setup`, `InstructionsLoaded` and {} more",
        count - 3
    )
}

/// One breakage, and what the doctor says of it.
struct Breakage {
    name: &'static str,
    breaks: fn(&Machine),
    /// The check, what is the case, and what to type behind the command that installs; `…` stands for any text, `PROGRAM` for
    /// the program, and `ALL` for the events of all entries.
    problems: &'static [(&'static str, &'static str)],
    /// Whether `--fix` mends it.
    heals: bool,
}

/// Breakages that are mended by installing again.
const BREAKAGES: &[Breakage] = &[
    Breakage {
        name: "a program without its exec bit",
        breaks: |machine| {
            let mode = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(machine.env.path(STABLE), mode).unwrap();
        },
        problems: &[(
            "program",
            "PROGRAM may not be executed (the entries for ALL)",
        )],
        heals: true,
    },
    Breakage {
        name: "a program that was moved away",
        breaks: |machine| std::fs::remove_file(machine.env.path(STABLE)).unwrap(),
        problems: &[("program", "nothing is at PROGRAM (the entries for ALL)")],
        heals: true,
    },
    Breakage {
        name: "a program of another version",
        breaks: |machine| machine.fakes("0.0.1", "exit 0"),
        problems: &[(
            "program",
            "PROGRAM is anyhook 0.0.1, and this is … (the entries for ALL)",
        )],
        heals: true,
    },
    Breakage {
        name: "a program that lets everything pass without asking a hook",
        breaks: |machine| machine.fakes(env!("CARGO_PKG_VERSION"), "exit 0"),
        problems: &[(
            "self-test",
            "the command for ALL does not reach anyhook: it ends with code 0 and asks no hook",
        )],
        heals: true,
    },
    Breakage {
        name: "a program that asks the hooks and says nothing to the host",
        breaks: |machine| {
            let real = env!("CARGO_BIN_EXE_anyhook");
            machine.fakes(
                env!("CARGO_PKG_VERSION"),
                &format!("'{real}' \"$@\" >/dev/null 2>&1\nexit 0"),
            );
        },
        problems: &[(
            "self-test",
            "a refusal of `UserPromptSubmit`… is not heard: it goes on although the answer ends with code 0",
        )],
        heals: false,
    },
    Breakage {
        name: "an entry that looks for a program that is not on PATH",
        breaks: |machine| {
            let stable = machine.env.path(STABLE);
            machine.change(
                USER,
                &format!("{} run PreToolUse", stable.display()),
                "anyhook run PreToolUse",
            );
        },
        problems: &[(
            "self-test",
            "the command for `PreToolUse` does not reach anyhook: the shell does not find it: …",
        )],
        heals: true,
    },
    Breakage {
        name: "entries of other events, for another host, behind a matcher, and with another time",
        breaks: |machine| {
            let entry = |event: &str| {
                format!("run {event} --host claude-code --deadline 600\", \"timeout\": ")
            };
            for (from, to) in [
                ("\"PreToolUse\": [", "\"PreToolUsage\": ["),
                ("run SubagentStop --host", "run PostToolUse --host"),
                ("run Stop --host claude-code", "run Stop --host universal"),
                (
                    "\"PostToolUse\": [{\"hooks\"",
                    "\"PostToolUse\": [{\"matcher\": \"Read\", \"hooks\"",
                ),
                (
                    &(entry("UserPromptExpansion") + "600"),
                    &(entry("UserPromptExpansion") + "5"),
                ),
            ] {
                machine.change(USER, from, to);
            }
        },
        problems: &[
            ("entries", "no entry for `PreToolUse`"),
            (
                "entries",
                "there is an entry for `PreToolUsage`, and claude-code has no event of this name",
            ),
            (
                "entries",
                "the entry for `PostToolUse` stands behind the matcher `Read`",
            ),
            ("entries", "the entry for `Stop` answers as `universal`"),
            (
                "entries",
                "the entry for `SubagentStop` says that it is for `PostToolUse`",
            ),
            (
                "timeout",
                "the agent waits 5 s for `UserPromptExpansion`, and the entry says 600 s",
            ),
        ],
        heals: true,
    },
    Breakage {
        name: "entries that were taken out",
        breaks: |machine| drop(machine.env.write(USER, "{}")),
        problems: &[(
            "entries",
            "the entries that anyhook wrote are gone from the user settings",
        )],
        heals: false,
    },
];

/// Tells whether a text is what a pattern says.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('…') {
        Some((begin, end)) => text.starts_with(begin) && text.ends_with(end),
        None => pattern == text,
    }
}

#[test]
fn each_breakage_that_an_install_mends_has_its_finding_and_its_fix() {
    for row in BREAKAGES {
        let machine = Machine::installed();
        let all = all_events(&machine);
        (row.breaks)(&machine);
        let problems = machine.problems();
        let wanted = row.problems.iter().map(|(check, what)| {
            let what = what
                .replace("PROGRAM", &format!("`@/{STABLE}`"))
                .replace("ALL", &all);
            (*check, what)
        });
        let wanted: Vec<_> = wanted.collect();
        let says = |kind: &str| wanted.iter().any(|(check, _)| *check == kind);
        // What an entry does when it is run follows from what stands in it.
        let told = problems
            .iter()
            .filter(|(check, ..)| says(check) || check != "self-test");
        let told: Vec<&Told> = told.collect();
        let is_told = |(check, what): &(&str, String)| {
            let fitting =
                |told: &&Told| *check == told.0 && fits(what, &told.1) && told.2 == INSTALL;
            told.iter().any(fitting)
        };
        assert!(
            wanted.len() == told.len() && wanted.iter().all(is_told),
            "{}: {problems:#?}",
            row.name
        );
        if row.heals {
            machine.heals();
        }
    }
}

#[test]
fn a_shared_entry_where_the_program_is_nowhere_says_what_it_refuses_with() {
    let machine = Machine::bare();
    machine.install("project");
    assert_eq!(machine.problems(), Vec::<Told>::new());
    std::fs::remove_file(machine.env.path(STABLE)).unwrap();
    let problems = machine.problems();
    let fix = format!("{INSTALL} --scope project");
    assert!(
        problems
            .iter()
            .all(|(check, _, told)| check == "self-test" && *told == fix),
        "{problems:?}"
    );
    let said = |what: &str| what.contains(": anyhook is not installed here");
    assert!(
        problems.iter().all(|(_, what, _)| said(what)) && !problems.is_empty(),
        "{problems:?}"
    );
    machine.heals();
}

#[test]
fn a_quote_that_is_not_closed() {
    let machine = Machine::installed();
    machine.change(
        USER,
        "run PreToolUse --host claude-code",
        "run PreToolUse --host 'claude-code",
    );
    let problems = machine.problems();
    let expected = told(
        "quoting",
        UNREAD,
        &format!("{INSTALL}   # then take this line out by hand"),
    );
    assert_eq!(problems.get(1), Some(&expected), "{problems:?}");
}

#[test]
fn a_settings_file_with_a_mistake() {
    let machine = Machine::installed();
    let before = machine.read(USER);
    machine
        .env
        .write(USER, &before.replacen("{\n", "{\n  oops\n", 1));
    let problems = machine.problems();
    let [(check, what, fix)] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(check, "settings-file");
    assert!(
        what.starts_with("the user settings have a mistake at line 2, column 3: "),
        "{what}"
    );
    assert_eq!(fix, &format!("\"${{EDITOR:-vi}}\" +2 @/{USER}"));
    // A file that cannot be understood is not touched.
    let broken = machine.read(USER);
    assert_eq!(machine.run(&["doctor", "--fix"]).code, 1);
    assert_eq!(machine.read(USER), broken);
}

#[test]
fn a_settings_file_that_its_agent_drops() {
    let machine = Machine::installed();
    machine.change(
        USER,
        "{\n  \"hooks\"",
        "{\n  \"permissions\": {},\n  \"hooks\"",
    );
    assert_eq!(machine.problems(), Vec::<Told>::new());
    machine.change(
        USER,
        "\"PreToolUse\": [",
        "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\"}]},",
    );
    let problems = machine.problems();
    let [(check, what, fix)] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(check, "dropped-file");
    assert!(
        what.ends_with("`claude-code` drops the whole file, and its permissions too"),
        "{what}"
    );
    assert_eq!(fix, &format!("anyhook check @/{USER}"));
}

#[test]
fn a_folder_that_the_agent_does_not_trust() {
    let machine = Machine::installed();
    machine.change("home/.claude.json", "true", "false");
    let fix = "claude   # in this folder, and say that you trust it";
    let what = "the agent does not trust the folder `@/project`";
    assert_eq!(machine.problems(), [told("trust", what, fix)]);
    machine.env.write("home/.claude.json", "{}");
    assert_eq!(machine.problems(), Vec::<Told>::new());
    let what = "the agent has not been asked yet whether it trusts the folder `@/project`";
    assert_eq!(machine.advice(), [told("trust", what, fix)]);
}

#[test]
fn a_switch_of_the_agent() {
    let machine = Machine::installed();
    machine.change(
        USER,
        "{\n  \"hooks\"",
        "{\n  \"disableAllHooks\": true,\n  \"hooks\"",
    );
    let fix = format!("\"${{EDITOR:-vi}}\" @/{USER}   # and take `disableAllHooks` out");
    let what = "`disableAllHooks` turns off the hooks of the user settings";
    assert_eq!(machine.problems(), [told("switches", what, &fix)]);
}

#[test]
fn entries_in_two_scopes() {
    let machine = Machine::installed();
    machine.install("project");
    assert_eq!(machine.problems(), Vec::<Told>::new());
    let expected = told(
        "twice",
        "entries stand in the user and in the project settings",
        "anyhook uninstall --host claude-code --scope project",
    );
    assert_eq!(machine.advice(), [expected]);
}

#[test]
fn what_a_strangers_project_names_is_not_run_to_see_what_it_is() {
    let machine = Machine::installed();
    let touch = machine.env.path("home/touched");
    let evil = machine.program(
        "project/evil/anyhook",
        &format!("#!/bin/sh\ntouch '{}'\n", touch.display()),
    );
    let line = format!("{} run PreToolUse --host claude-code", evil.display());
    let indirect = format!(
        "PATH={} anyhook run Stop --host claude-code",
        evil.parent().unwrap().display()
    );
    let entry = |line: &str| json!([{"hooks": [{"type": "command", "command": line}]}]);
    let settings = json!({"hooks": {"PreToolUse": entry(&line), "Stop": entry(&indirect)}});
    for name in ["settings.json", "settings.local.json"] {
        machine
            .env
            .write(&format!("project/.claude/{name}"), &settings.to_string());
    }
    let problems = machine.problems();
    assert!(!touch.exists(), "{problems:?}");
    let what = "`@/project/evil/anyhook` is called in a way that `anyhook install` does not write, so it was not tried \
                (the entries for `PreToolUse`)";
    let fix = format!("{INSTALL} --scope project");
    assert!(
        problems.contains(&told("program", what, &fix)),
        "{problems:?}"
    );
    assert_eq!(problems.len(), 4, "{problems:?}");
}

#[test]
fn entries_of_a_project_whose_folder_the_agent_does_not_trust() {
    for (host, program, says, file, trusted, fix) in [
        (
            "copilot-cli",
            "bin/copilot",
            "GitHub Copilot CLI 1.0.102.",
            "home/.copilot/config.json",
            json!({"trustedFolders": ["@"]}),
            "copilot   # in this folder, and say that you trust it and remember it",
        ),
        (
            "gemini-cli",
            "bin/gemini",
            "0.61.0",
            "home/.gemini/trustedFolders.json",
            json!({"@": "TRUST_FOLDER"}),
            "gemini   # in this folder, then type /permissions and trust it",
        ),
    ] {
        let machine = Machine::bare();
        machine.put_program();
        machine.program(program, &format!("#!/bin/sh\necho '{says}'\n"));
        let install = ["install", "--host", host, "--scope", "project"];
        assert_eq!(machine.run(&install).code, 0);
        let doctor = || machine.run(&["doctor", "--host", host]);
        let left = doctor();
        let what = "✗ the agent does not trust the folder";
        assert_eq!(left.code, 1, "{left:?}");
        left.says(what);
        left.says(fix);
        let project = machine.env.path("project");
        let trusted = trusted.to_string().replace('@', project.to_str().unwrap());
        machine.env.write(file, &trusted);
        let left = doctor();
        assert_eq!(left.code, 0, "{left:?}");
        left.says("! not verified with version");
        left.says("no problem found:");
    }
}

#[test]
fn hooks_that_were_trusted_and_are_gone() {
    let machine = Machine::installed();
    let manifest = machine.env.manifest(r#"{"version": 1, "hooks": {}}"#);
    machine.env.trust();
    assert_eq!(machine.problems(), Vec::<Told>::new());
    std::fs::remove_file(&manifest).unwrap();
    assert_eq!(machine.problems(), Vec::<Told>::new());
    let left = machine.env.anyhook("doctor");
    left.says("hooks that you trusted are gone");
    left.says("anyhook trust --forget ");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn hooks_of_the_project_that_may_not_run() {
        let machine = Machine::installed();
        let manifest = machine
            .env
            .manifest(&on("stop", &json!([{"hooks": [command("true")]}])).to_string());
        let file = machine.shown(manifest.to_str().unwrap());
        let never = told(
            "project",
            "the hooks of this project were never trusted",
            &format!("anyhook trust {file}"),
        );
        assert_eq!(machine.problems(), [never]);
        machine.env.trust();
        assert_eq!(machine.problems(), Vec::<Told>::new());
        machine
            .env
            .manifest(&on("stop", &json!([{"hooks": [command("false")]}])).to_string());
        // The version that was trusted goes on guarding.
        assert_eq!(machine.problems(), Vec::<Told>::new());
        machine
            .env
            .anyhook("doctor")
            .says("a newer version of the hooks");
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_path_with_a_space_and_no_quotes() {
        let machine = Machine::bare();
        let data = machine.env.path("home/my data");
        let data = data.to_str().unwrap();
        let at = [("XDG_DATA_HOME", data)];
        let left = machine.with(&["install", "--host", "claude-code"], &at);
        assert_eq!(left.code, 0, "{left:?}");
        assert_eq!(machine.with(&["doctor"], &at).code, 0);
        machine.change(
            USER,
            &format!("'{data}/anyhook/bin/anyhook' run PreToolUse"),
            &format!("{data}/anyhook/bin/anyhook run PreToolUse"),
        );
        let expected = [
            told("entries", "no entry for `PreToolUse`", INSTALL),
            told(
                "quoting",
                UNREAD,
                &format!("{INSTALL}   # then take this line out by hand"),
            ),
        ];
        assert_eq!(machine.problems(), expected);
        // What is not ours is not taken out, so this is left for the person.
        let fixed = machine.with(&["doctor", "--fix"], &at);
        assert_eq!(fixed.code, 1, "{fixed:?}");
        assert_eq!(machine.problems(), expected[1..]);
    }
}
