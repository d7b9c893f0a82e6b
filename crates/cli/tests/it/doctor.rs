//! `anyhook doctor`, on a machine with a stand-in for an agent: each breakage has its own finding and its own fix.

mod breakages;
mod live;

use std::path::PathBuf;

use anyhook::wires::Host;
use anyhook::wires::hosts::HOSTS;
use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, finish, on, start};

const USER: &str = "home/.claude/settings.json";
const STABLE: &str = "home/.local/share/anyhook/bin/anyhook";

/// What one finding says: the check, what is the case, what to type.
type Told = (String, String, String);

/// A machine with a stand-in for Claude Code that trusts the project.
struct Machine {
    env: TestEnv,
}

impl Machine {
    /// Nothing is installed.
    fn bare() -> Self {
        let env = TestEnv::new();
        let machine = Self { env };
        machine.program("bin/claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
        let project = machine.env.path("project");
        let trusted =
            json!({"projects": {project.to_str().unwrap(): {"hasTrustDialogAccepted": true}}});
        machine.env.write("home/.claude.json", &trusted.to_string());
        machine.env.write(USER, "{}");
        machine
    }

    /// The entries are written, and the program that they call is there.
    fn installed() -> Self {
        let machine = Self::bare();
        machine.install("user");
        machine
    }

    fn install(&self, scope: &str) {
        self.put_program();
        let left = self.run(&["install", "--host", "claude-code", "--scope", scope]);
        assert_eq!(left.code, 0, "{left:?}");
    }

    /// Puts the program where `install` would, without bringing it to the disk.
    fn put_program(&self) {
        let stable = self.env.path(STABLE);
        std::fs::create_dir_all(stable.parent().unwrap()).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_anyhook"), stable).unwrap();
    }

    fn program(&self, name: &str, text: &str) -> PathBuf {
        self.env.program(name, text)
    }

    /// Puts a script of another version in the place of the program.
    fn fakes(&self, version: &str, script: &str) {
        std::fs::remove_file(self.env.path(STABLE)).unwrap();
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'anyhook {version}'\n{script}\n"
        );
        self.program(STABLE, &text);
    }

    fn run(&self, args: &[&str]) -> Left {
        self.with(args, &[])
    }

    fn with(&self, args: &[&str], env: &[(&str, &str)]) -> Left {
        let mut run = self.env.command(args);
        let bin = self.env.path("bin");
        run.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        run.envs(env.iter().copied());
        finish(start(run, b""))
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.env.path(file)).unwrap()
    }

    /// Changes a text of a file, which must be there.
    fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "no {from} in {text}");
        self.env.write(file, &text.replace(from, to));
    }

    /// A text without what differs from run to run.
    fn shown(&self, text: &str) -> String {
        text.replace(self.env.path("").to_str().unwrap(), "@/")
    }

    /// What the doctor says in its JSON form, without what is only good to know.
    fn problems(&self) -> Vec<Told> {
        self.findings("problem")
    }

    /// The advice, without the line that this stand-in was not verified.
    fn advice(&self) -> Vec<Told> {
        let mut advice = self.findings("advice");
        advice.retain(|(check, ..)| check != "verified");
        advice
    }

    fn findings(&self, severity: &str) -> Vec<Told> {
        let left = self.run(&["doctor", "--json"]);
        let json: Value = serde_json::from_str(&left.stdout).unwrap_or_else(|_| panic!("{left:?}"));
        assert_eq!(left.code, i32::from(json["healthy"] != true), "{left:?}");
        let hosts = json["hosts"].as_array().unwrap();
        let findings = hosts
            .iter()
            .flat_map(|host| host["findings"].as_array().unwrap());
        let told = findings.filter(|finding| finding["severity"] == severity);
        let text = |value: &Value| self.shown(value.as_str().unwrap());
        told.map(|told| {
            (
                text(&told["check"]),
                text(&told["what"]),
                text(&told["fix"]["command"]),
            )
        })
        .collect()
    }

    /// Lets the doctor do what is safe, and expects that all is well then.
    fn heals(&self) {
        let left = self.run(&["doctor", "--fix"]);
        assert!(left.stdout.starts_with("fixed wrote "), "{left:?}");
        assert_eq!(left.code, 0, "{left:?}");
    }
}

fn told(check: &str, what: &str, fix: &str) -> Told {
    (check.to_owned(), what.to_owned(), fix.to_owned())
}

#[test]
fn after_install_every_event_is_tried_and_nothing_is_wrong() {
    let machine = Machine::installed();
    let left = machine.run(&["doctor"]);
    assert_eq!((left.code, left.stderr.as_str()), (0, ""), "{left:?}");
    insta::assert_snapshot!(machine.shown(&left.stdout));
}

#[test]
fn hooks_that_are_switched_off_are_named() {
    let machine = Machine::installed();
    let off = r#"{"version": 1, "disable": ["careful"], "hooks": {"stop": [{"hooks": [
        {"type": "command", "command": "exit 2", "name": "careful"}
    ]}]}}"#;
    machine.env.write("home/.config/anyhook/hooks.json", off);
    let left = machine.run(&["doctor"]);
    left.says("switched off in this folder: careful");
}

#[test]
fn the_form_for_machines_stays() {
    let machine = Machine::installed();
    machine.change("home/.claude.json", "true", "false");
    let left = machine.run(&["doctor", "--json"]);
    assert_eq!(left.code, 1, "{left:?}");
    insta::assert_snapshot!(machine.shown(&left.stdout));
}

#[test]
fn looking_asks_no_hook_of_the_person_and_touches_no_state() {
    let machine = Machine::installed();
    let asked = |file: &str| json!([{"hooks": [command(&format!("touch {file}"))]}]);
    let home = machine.env.path("home");
    let own = on("pre-tool-use", &asked(home.join("own").to_str().unwrap()));
    machine
        .env
        .write("home/.config/anyhook/hooks.json", &own.to_string());
    let theirs = on(
        "pre-tool-use",
        &asked(home.join("project").to_str().unwrap()),
    );
    machine.env.manifest(&theirs.to_string());
    machine.env.trust();
    let before = names(&machine.env.state());
    assert_eq!(machine.problems(), Vec::<Told>::new());
    assert_eq!(names(&machine.env.state()), before);
    assert!(!home.join("own").exists() && !home.join("project").exists());
    // And they are hooks that would have been asked.
    let line = machine.env.entry(USER, "PreToolUse");
    machine
        .env
        .fire(&line, &machine.env.pre("Bash", &json!({"command": "ls"})));
    assert!(home.join("own").exists() && home.join("project").exists());
}

/// Every file below a folder.
fn names(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(names(&path));
        }
        all.push(path);
    }
    all.sort();
    all
}

#[test]
fn an_agent_without_entries_is_good_to_know_and_a_problem_where_it_is_named() {
    let machine = Machine::bare();
    let expected = told(
        "entries",
        "no event calls anyhook",
        "anyhook install --host claude-code",
    );
    assert_eq!(machine.advice(), [expected]);
    let named = machine.run(&["doctor", "--host", "claude-code", "--fix"]);
    assert_eq!(named.code, 1, "{named:?}");
    // Whether an agent is guarded is the person's to say.
    assert_eq!(machine.read(USER), "{}");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn under_every_host_with_settings_every_entry_arrives_and_what_can_be_refused_is() {
        // A plugin asks a server, and no entry of it can be run here.
        let settings = |host: &Host| host.facts().settings.filter(|it| !it.asks_server());
        for host in HOSTS.iter().filter(|host| settings(host).is_some()) {
            let machine = Machine::bare();
            machine.put_program();
            let mut scopes = ["user", "project"].into_iter();
            let done = scopes.any(|scope| {
                let left = machine.run(&["install", "--host", host.id(), "--scope", scope]);
                left.code == 0
            });
            assert!(done, "{} cannot be installed", host.id());
            let left = machine.run(&["doctor", "--host", host.id(), "--json"]);
            let json = left.json();
            let [seen] = json["hosts"].as_array().unwrap().as_slice() else {
                panic!("{left:?}");
            };
            let settings = host.facts().settings.unwrap();
            let rows = host.rows().iter().filter(|row| settings.has(row.name));
            let test = &seen["self_test"];
            let arrived = test["arrived"].as_u64().unwrap() + test["refused"].as_u64().unwrap();
            let findings = seen["findings"].as_array().unwrap();
            // Whether an agent trusts its entries is not ours to write.
            let problems = findings
                .iter()
                .filter(|finding| finding["severity"] == "problem" && finding["check"] != "trust");
            assert_eq!(
                problems.collect::<Vec<_>>(),
                Vec::<&Value>::new(),
                "{}",
                host.id()
            );
            assert_eq!(arrived, rows.count() as u64, "{}: {test}", host.id());
            assert!(test["refused"].as_u64() > Some(0), "{}: {test}", host.id());
        }
    }
}
