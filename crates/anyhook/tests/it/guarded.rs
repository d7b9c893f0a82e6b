//! The hook that keeps the guarded from unguarding, on commands and calls, both ways.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhook::guarded::{NAME, Protected, hook};
use anyhook::rules::LastCall;
use anyhook_core::event::Event;
use anyhook_core::handler::{Handled, Handler};
use anyhook_core::hook::{Hook, OnFault, Recheck};
use anyhook_core::result::{HookResult, Kind};
use serde_json::{Value, json};

struct World {
    root: tempfile::TempDir,
    hook: Hook,
}

impl World {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// A project without a hook: what stands in the home and in the state is protected all the same.
    fn without_hooks() -> Self {
        Self::with(|protected| {
            let project = protected.project.clone();
            protected.files.retain(|file| !file.starts_with(&project));
            protected
                .folders
                .retain(|folder| !folder.starts_with(&project));
            protected.lines.clear();
        })
    }

    fn with(change: impl FnOnce(&mut Protected)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for dir in [
            "p/hooks/scripts",
            "p/.claude",
            "p/src/hooks",
            "p/.vscode",
            "h/.claude",
            "h/state/anyhook/trust",
        ] {
            fs::create_dir_all(at(dir)).unwrap();
        }
        fs::write(at("p/hooks/hooks.json"), "{}").unwrap();
        fs::write(at("p/src/hooks.ts"), "").unwrap();
        symlink("hooks", at("p/alias")).unwrap();
        symlink(".claude/settings.local.json", at("p/dangling")).unwrap();
        symlink("loop", at("p/loop")).unwrap();
        let mut protected = Protected {
            files: vec![
                at("p/hooks/hooks.json"),
                at("p/.claude/settings.json"),
                at("p/.claude/settings.local.json"),
                at("h/.claude/settings.json"),
            ],
            present: vec![at("p/.anyhook/hooks.json")],
            folders: vec![at("p/hooks/scripts"), at("h/state/anyhook")],
            project: at("p"),
            home: Some(at("h")),
            cwd: at("p"),
            path: [
                at("h/.local/bin"),
                "/usr/local/bin".into(),
                "/usr/bin".into(),
                "/bin".into(),
            ]
            .into(),
            lines: vec!["sort ${PACKAGE_ROOT}/x | uniq".to_owned()],
        };
        change(&mut protected);
        let hook = hook(protected, &LastCall::default());
        Self { root, hook }
    }

    fn project(&self) -> &Path {
        self.root.path()
    }

    fn says(&self, tool: &str, input: &Value) -> HookResult {
        self.says_of(json!({"tool_name": tool, "tool_input": input}))
    }

    fn says_of(&self, data: Value) -> HookResult {
        let event = Event::new("tool:pre", data);
        let Handler::InProcess(handler) = &self.hook.handler else {
            panic!("it is a hook of this process")
        };
        match handler.handle(&event) {
            Handled::Ready(said) => said.unwrap(),
            Handled::Pending(_) => panic!("it answers at once"),
        }
    }

    /// Returns the calls about which a person would be asked.
    fn asked<T: Clone, S: AsRef<str>>(
        &self,
        calls: &[T],
        call: impl Fn(T) -> (S, Value),
    ) -> Vec<T> {
        let asks = |one: &&T| {
            let (tool, input) = call((*one).clone());
            let said = self.says(tool.as_ref(), &input);
            let text = said.verdict.text();
            assert!(text.chars().count() <= 400, "{}: {text}", text.len());
            assert!(!text.contains(char::is_control), "{text}");
            match said.verdict.kind() {
                Kind::Ask => true,
                Kind::Continue => false,
                other => panic!("{other:?}: {text}"),
            }
        };
        calls.iter().filter(asks).cloned().collect()
    }
}

/// The lines of a file, without its comments.
fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

#[test]
fn commands_that_would_change_what_guards_are_asked_about() {
    let commands = lines(include_str!("guarded/asked.txt"));
    let asked = World::new().asked(&commands, |command| {
        ("Bash", json!({"command": command, "description": "x"}))
    });
    assert_eq!(asked, commands);
}

#[test]
fn ordinary_commands_are_free() {
    let commands = lines(include_str!("guarded/free.txt"));
    let asked = World::new().asked(&commands, |command| {
        let hint = "rm hooks/hooks.json";
        ("Bash", json!({"command": command, "description": hint}))
    });
    assert_eq!(asked, [""; 0]);
}

/// `calls.jsonl`: whether a person is asked, the tool, and its input; `ROOT` is the folder of the world.
#[test]
fn calls_that_would_write_a_protected_file_are_asked_about_and_others_are_free() {
    let world = World::new();
    let text = include_str!("guarded/calls.jsonl");
    let text = text.replace("ROOT", world.project().to_str().unwrap());
    let calls: Vec<(String, String, Value)> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let wanted: Vec<_> = calls
        .iter()
        .filter(|(kind, ..)| kind == "asked")
        .cloned()
        .collect();
    assert_eq!(
        world.asked(&calls, |(_, tool, input)| (tool, input)),
        wanted
    );
    let long = json!({"command": "x".repeat(300 * 1024)});
    assert_eq!(world.says("Bash", &long).verdict.kind(), Kind::Ask);
    let here = json!({"tool_name": "Bash", "cwd": world.project().join("p/hooks"), "tool_input": {"command": "rm hooks.json"}});
    assert_eq!(world.says_of(here).verdict.kind(), Kind::Ask);
    for nothing in [json!({}), json!({"tool_name": 7, "tool_input": 7})] {
        assert_eq!(world.says_of(nothing), HookResult::proceed());
    }
}

#[test]
fn it_is_a_guard_that_is_asked_first_and_again() {
    let hook = World::new().hook;
    let info = &hook.info;
    assert_eq!(
        (&*info.name, info.priority, info.guard),
        (NAME, i32::MIN, true)
    );
    assert_eq!((hook.on_fault, hook.recheck), (OnFault::Deny, Recheck::Yes));
    assert_eq!(hook.event.as_str(), "tool:pre");
}

#[test]
fn a_hostile_name_does_not_reach_the_terminal_as_it_is() {
    let world = World::new();
    let name = format!("hooks/scripts/\u{1b}[2J`{}", "x".repeat(4000));
    let call = ("Write", json!({"file_path": name}));
    let calls = [call];
    assert_eq!(world.asked(&calls, |call| call), calls);
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn lines_of_an_ordinary_day_are_not_asked_about() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lines");
        let names = [
            "everyday.txt",
            "everyday-more.txt",
            "builds.txt",
            "builds-more.txt",
        ];
        let texts = names.map(|name| fs::read_to_string(root.join(name)).unwrap());
        let lines: Vec<String> = texts.iter().flat_map(|text| lines(text)).collect();
        assert!(lines.len() > 2_000);
        let world = World::new();
        let asked = world.asked(&lines, |command| ("Bash", json!({"command": command})));
        // What it fetches is written over the project, and settings of git name a program that it runs.
        assert_eq!(asked, ["git submodule update --init --recursive"]);
        let asked =
            World::without_hooks().asked(&lines, |command| ("Bash", json!({"command": command})));
        assert_eq!(asked, [""; 0], "where no hook is, none can be taken away");
    }
}
