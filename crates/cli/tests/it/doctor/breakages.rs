//! Each breakage, its finding, and its fix.

mod agents;

use std::os::unix::fs::PermissionsExt as _;

use anyhook::wires::hosts::HOSTS;
use serde_json::json;

use super::{Machine, STABLE, Told, USER, told};
use crate::env::{command, on};

const INSTALL: &str = "anyhook install --host claude-code";

const UNREAD: &str = "the entry for `PreToolUse` names anyhook and is not read as anyhook's: look at its quotes and at \
                      spaces in its path";

/// How the events of an entry are named where all of them are meant.
fn all_events(machine: &Machine) -> String {
    let text = machine.read(USER);
    let count = text.matches("\"type\": \"command\"").count();
    format!(
        "`SessionStart`, `Setup`, `InstructionsLoaded` and {} more",
        count - 3
    )
}

#[test]
fn a_program_without_its_exec_bit() {
    let machine = Machine::installed();
    let mode = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(machine.env.path(STABLE), mode).unwrap();
    let what = format!(
        "`@/{STABLE}` may not be executed (the entries for {})",
        all_events(&machine)
    );
    assert_eq!(machine.problems(), [told("program", &what, INSTALL)]);
    machine.heals();
}

#[test]
fn a_program_that_was_moved_away() {
    let machine = Machine::installed();
    std::fs::remove_file(machine.env.path(STABLE)).unwrap();
    let what = format!(
        "nothing is at `@/{STABLE}` (the entries for {})",
        all_events(&machine)
    );
    assert_eq!(machine.problems(), [told("program", &what, INSTALL)]);
    machine.heals();
}

#[test]
fn a_program_of_another_version() {
    let machine = Machine::installed();
    let fake = machine.env.path(STABLE);
    std::fs::remove_file(&fake).unwrap();
    machine.program(
        STABLE,
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'anyhook 0.0.1'\nexit 0\n",
    );
    let problems = machine.problems();
    let what = format!(
        "`@/{STABLE}` is anyhook 0.0.1, and this is {} (the entries for {})",
        env!("CARGO_PKG_VERSION"),
        all_events(&machine)
    );
    assert_eq!(problems.first(), Some(&told("program", &what, INSTALL)));
    machine.heals();
}

#[test]
fn a_program_that_lets_everything_pass_without_asking_a_hook() {
    let machine = Machine::installed();
    let version = env!("CARGO_PKG_VERSION");
    std::fs::remove_file(machine.env.path(STABLE)).unwrap();
    machine.program(
        STABLE,
        &format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 'anyhook {version}'\nexit 0\n"),
    );
    let what = format!(
        "the command for {} does not reach anyhook: it ends with code 0 and asks no hook",
        all_events(&machine)
    );
    assert_eq!(machine.problems(), [told("self-test", &what, INSTALL)]);
    machine.heals();
}

#[test]
fn a_program_that_asks_the_hooks_and_says_nothing_to_the_host() {
    let machine = Machine::installed();
    let real = env!("CARGO_BIN_EXE_anyhook");
    std::fs::remove_file(machine.env.path(STABLE)).unwrap();
    machine.program(
        STABLE,
        &format!("#!/bin/sh\n[ \"$1\" = --version ] && exec '{real}' --version\n'{real}' \"$@\" >/dev/null 2>&1\nexit 0\n"),
    );
    let problems = machine.problems();
    let [(check, what, fix)] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!((check.as_str(), fix.as_str()), ("self-test", INSTALL));
    assert!(
        what.starts_with("a refusal of `UserPromptSubmit`"),
        "{what}"
    );
    assert!(
        what.ends_with("is not heard: it goes on although the answer ends with code 0"),
        "{what}"
    );
}

#[test]
fn an_entry_that_looks_for_a_program_that_is_not_on_path() {
    let machine = Machine::installed();
    let stable = machine.env.path(STABLE);
    machine.change(
        USER,
        &format!("{} run PreToolUse", stable.display()),
        "anyhook run PreToolUse",
    );
    let problems = machine.problems();
    let [(check, what, fix)] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!((check.as_str(), fix.as_str()), ("self-test", INSTALL));
    let begin = "the command for `PreToolUse` does not reach anyhook: the shell does not find it: ";
    assert!(what.starts_with(begin), "{what}");
    machine.heals();
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
fn an_event_without_its_entry_and_one_that_does_not_exist() {
    let machine = Machine::installed();
    machine.change(USER, "\"PreToolUse\": [", "\"PreToolUsage\": [");
    let expected = [
        told("entries", "no entry for `PreToolUse`", INSTALL),
        told(
            "entries",
            "there is an entry for `PreToolUsage`, and claude-code has no event of this name",
            INSTALL,
        ),
    ];
    assert_eq!(machine.problems(), expected);
    machine.heals();
}

#[test]
fn an_entry_that_says_another_event_or_another_host() {
    let machine = Machine::installed();
    machine.change(USER, "run PreToolUse --host", "run PostToolUse --host");
    machine.change(
        USER,
        "run Stop --host claude-code",
        "run Stop --host universal",
    );
    let problems = machine.problems();
    let entries: Vec<&Told> = problems
        .iter()
        .filter(|(check, ..)| check == "entries")
        .collect();
    let expected = [
        told(
            "entries",
            "the entry for `PreToolUse` says that it is for `PostToolUse`",
            INSTALL,
        ),
        told(
            "entries",
            "the entry for `Stop` answers as `universal`",
            INSTALL,
        ),
    ];
    assert_eq!(entries, expected.iter().collect::<Vec<_>>());
    machine.heals();
}

#[test]
fn an_entry_behind_a_matcher() {
    let machine = Machine::installed();
    machine.change(
        USER,
        "\"PreToolUse\": [{\"hooks\"",
        "\"PreToolUse\": [{\"matcher\": \"Read\", \"hooks\"",
    );
    let what = "the entry for `PreToolUse` stands behind the matcher `Read`";
    assert_eq!(machine.problems(), [told("entries", what, INSTALL)]);
    machine.heals();
}

#[test]
fn an_agent_that_does_not_wait_as_long_as_the_entry_says() {
    let machine = Machine::installed();
    machine.change(
        USER,
        "run PreToolUse --host claude-code --deadline 600\", \"timeout\": 600",
        "run PreToolUse --host claude-code --deadline 600\", \"timeout\": 5",
    );
    let what = "the agent waits 5 s for `PreToolUse`, and the entry says 600 s";
    assert_eq!(machine.problems(), [told("timeout", what, INSTALL)]);
    machine.heals();
}

#[test]
fn entries_that_were_taken_out() {
    let machine = Machine::installed();
    machine.env.write(USER, "{}");
    let what = "the entries that anyhook wrote are gone from the user settings";
    assert_eq!(machine.problems(), [told("entries", what, INSTALL)]);
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
        assert!(
            left.stdout.contains(what) && left.stdout.contains(fix),
            "{left:?}"
        );
        let project = machine.env.path("project");
        let trusted = trusted.to_string().replace('@', project.to_str().unwrap());
        machine.env.write(file, &trusted);
        let left = doctor();
        assert_eq!(left.code, 0, "{left:?}");
        assert!(
            left.stdout.contains("! not verified with version"),
            "{left:?}"
        );
        assert!(left.stdout.contains("no problem found:"), "{left:?}");
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
    let left = machine.env.run(&["doctor"], b"");
    assert!(
        left.stdout.contains("hooks that you trusted are gone"),
        "{left:?}"
    );
    assert!(left.stdout.contains("anyhook trust --forget "), "{left:?}");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn entries_of_an_older_version_that_call_its_second_program_are_written_again_and_it_becomes_a_link()
     {
        let machine = Machine::installed();
        assert_eq!(machine.advice(), Vec::<Told>::new());
        let old = format!("{STABLE}-run");
        let version = env!("CARGO_PKG_VERSION");
        let real = env!("CARGO_BIN_EXE_anyhook");
        machine.program(
        &old,
        &format!("#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'anyhook-run {version}'\nexec '{real}' \"$@\"\n"),
    );
        let entries = machine.read(USER);
        machine.change(USER, "/anyhook run ", "/anyhook-run run ");
        let what = format!(
            "`@/{old}` is a name of older versions, and there is one program now (the entries for {})",
            all_events(&machine)
        );
        assert_eq!(machine.problems(), Vec::<Told>::new());
        assert_eq!(machine.advice(), [told("program", &what, INSTALL)]);
        machine.heals();
        assert_eq!(machine.read(USER), entries);
        assert_eq!(machine.advice(), Vec::<Told>::new());

        // Settings that are not of this machine's person may call it still.
        let said = |args: &[&str]| {
            let mut command = std::process::Command::new(machine.env.path(&old));
            let said = command.args(args).env_clear().output().unwrap();
            String::from_utf8(said.stdout).unwrap()
        };
        assert_eq!(said(&["--version"]), format!("anyhook {version}\n"));
        assert_eq!(
            said(&["Stop", "--host", "cursor"]),
            said(&["run", "Stop", "--host", "cursor"])
        );

        // The file that it is a link to is gone: then nothing is at its place.
        machine.change(USER, "/anyhook run ", "/anyhook-run run ");
        std::fs::remove_file(machine.env.path(STABLE)).unwrap();
        let what = format!(
            "nothing is at `@/{old}` (the entries for {})",
            all_events(&machine)
        );
        assert_eq!(machine.problems(), [told("program", &what, INSTALL)]);
        machine.heals();
    }

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
        let left = machine.env.run(&["doctor"], b"");
        assert!(
            left.stdout.contains("a newer version of the hooks"),
            "{left:?}"
        );
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
