//! The hook that keeps the guarded from unguarding, on commands and calls, both ways.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use anyhook::guarded::{NAME, ProtectionScope, hook};
use anyhook::rules::LastCall;
use anyhook_core::event::Event;
use anyhook_core::handler::{Handler, HandlerReply};
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

    fn with(change: impl FnOnce(&mut ProtectionScope)) -> Self {
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
        let mut protected = ProtectionScope {
            files: vec![
                at("p/hooks/hooks.json"),
                at("p/.claude/settings.json"),
                at("p/.claude/settings.local.json"),
                at("p/.cursor/hooks.json"),
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
            own: Some(at("h/opt/anyhook")),
            compared: true,
        };
        change(&mut protected);
        let hook = hook(protected, &LastCall::default());
        Self { root, hook }
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
            HandlerReply::Ready(said) => said.unwrap(),
            HandlerReply::Pending(_) => panic!("it answers at once"),
        }
    }

    /// Returns the rows about which a person would be asked.
    fn asked(&self, rows: &[String]) -> Vec<String> {
        let asks = |row: &&String| {
            let (tool, input) = self.call(row);
            let said = self.says(&tool, &input);
            let text = said.verdict.text();
            assert!(text.chars().count() <= 400, "{}: {text}", text.len());
            assert!(!text.contains(char::is_control), "{text}");
            match said.verdict.kind() {
                Kind::Ask => true,
                Kind::Continue => false,
                other => panic!("{other:?}: {text}"),
            }
        };
        rows.iter().filter(asks).cloned().collect()
    }

    /// The call of a row: a tool and its input parted by a tab, or a command line.
    fn call(&self, row: &str) -> (String, Value) {
        let parted = row.split_once('\t');
        let Some((tool, input)) = parted.filter(|(_, input)| input.starts_with(['{', '"'])) else {
            let hint = "rm hooks/hooks.json";
            let input = json!({"command": row, "description": hint});
            return ("Bash".into(), input);
        };
        let at = |name: &str| self.root.path().join(name).display().to_string();
        let input = input.replace("{p}", &at("p")).replace("{h}", &at("h"));
        (tool.into(), serde_json::from_str(&input).unwrap())
    }
}

/// The rows of a file of them.
fn rows(text: &str) -> Vec<String> {
    let rows = text.lines().filter(|line| !line.starts_with("# "));
    rows.map(|row| row.replace('⏎', "\n")).collect()
}

#[test]
fn what_would_change_what_guards_is_asked_about() {
    let all = rows(include_str!("guarded-asked.txt"));
    assert_eq!(World::new().asked(&all), all);
}

#[test]
fn a_program_is_protected_where_a_link_on_the_path_leads() {
    let world = World::with(|protected| {
        let at = |path: &str| protected.project.join(path);
        for dir in ["build", "../h/.local/bin"] {
            fs::create_dir_all(at(dir)).unwrap();
        }
        fs::write(at("build/anyhook"), "").unwrap();
        fs::set_permissions(at("build/anyhook"), Permissions::from_mode(0o755)).unwrap();
        symlink(at("build/anyhook"), at("../h/.local/bin/anyhook")).unwrap();
        symlink(at("lib/later"), at("../h/.local/bin/uniq")).unwrap();
    });
    let rows = [
        "cp x build/anyhook",
        "cp x build/*",
        "cp x ~/.local/bin/anyhook",
        "echo x > lib/later",
        "make anyhook; ./x build/anyhook",
    ];
    let rows = rows.map(str::to_owned);
    assert_eq!(world.asked(&rows), rows);
    assert_eq!(world.asked(&["rm build/other".to_owned()]), [""; 0]);
}

#[test]
fn what_is_ordinary_is_free() {
    let all = rows(include_str!("guarded-free.txt"));
    assert_eq!(World::new().asked(&all), [""; 0]);
}

#[test]
fn what_is_too_long_is_asked_about_and_what_is_no_call_is_free() {
    let world = World::new();
    let long = json!({"command": "x".repeat(300 * 1024)});
    assert_eq!(world.says("Bash", &long).verdict.kind(), Kind::Ask);
    let below = world.root.path().join("p/hooks");
    let here =
        json!({"tool_name": "Bash", "cwd": below, "tool_input": {"command": "rm hooks.json"}});
    assert_eq!(world.says_of(here).verdict.kind(), Kind::Ask);
    for none in [json!({}), json!({"tool_name": 7, "tool_input": 7})] {
        assert_eq!(world.says_of(none), HookResult::proceed());
    }
}

#[test]
fn the_question_about_the_whole_project_names_the_file_that_is_meant() {
    let input = json!({"command": "rm -rf ."});
    let said = World::new().says("Bash", &input);
    let said = format!("{:?}", said.verdict);
    assert!(said.contains("would change `hooks/hooks.json`"), "{said}");
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
    let name = format!("hooks/scripts/\u{1b}[2J`{}", "x".repeat(4000));
    let rows = [format!("Write\t{}", json!({"file_path": name}))];
    assert_eq!(World::new().asked(&rows), rows);
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
        let lines: Vec<String> = texts.iter().flat_map(|text| rows(text)).collect();
        assert!(lines.len() > 2_000);
        assert_eq!(World::new().asked(&lines), [""; 0]);
        let asked = World::without_hooks().asked(&lines);
        assert_eq!(asked, [""; 0], "where no hook is, none can be taken away");
    }
}
