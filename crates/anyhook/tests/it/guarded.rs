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
            "h/state",
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
    fn asked<T: Clone>(&self, calls: &[T], call: impl Fn(T) -> (&'static str, Value)) -> Vec<T> {
        let asks = |one: &&T| {
            let (tool, input) = call((*one).clone());
            let said = self.says(tool, &input);
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

/// The lines of a file of them.
fn lines(text: &'static str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

#[test]
fn commands_that_would_change_what_guards_are_asked_about() {
    let (world, all) = (World::new(), lines(include_str!("guarded-asked.txt")));
    let asked = world.asked(&all, |command| {
        ("Bash", json!({"command": command, "description": "x"}))
    });
    assert_eq!(asked, all);
}

#[test]
fn ordinary_commands_are_free() {
    let world = World::new();
    let asked = world.asked(&lines(include_str!("guarded-free.txt")), |command| {
        let hint = "rm hooks/hooks.json";
        ("Bash", json!({"command": command, "description": hint}))
    });
    assert_eq!(asked, [""; 0]);
}

#[test]
fn calls_that_would_write_a_protected_file_are_asked_about() {
    let world = World::new();
    let absolute = world.project().join("p/hooks/hooks.json");
    let outside = world.project().join("h/state/anyhook/trust/x.json");
    let calls = [
        ("Write", json!({"file_path": absolute, "content": ""})),
        ("Write", json!({"file_path": outside, "content": ""})),
        (
            "Edit",
            json!({"file_path": "hooks/hooks.json", "old_string": "a", "new_string": "b"}),
        ),
        ("Edit", json!({"filePath": "src/../hooks/hooks.json"})),
        ("Edit", json!({"file_path": "Hooks/HOOKS.json"})),
        ("Edit", json!({"file_path": "alias/hooks.json"})),
        ("Write", json!({"file_path": "dangling", "content": ""})),
        ("Write", json!({"file_path": "~/.claude/settings.json"})),
        (
            "Write",
            json!({"file_path": "file:///../hooks/hooks.json".replace("/../", &format!("{}/p/", world.project().display()))}),
        ),
        (
            "write_file",
            json!({"target_file": "hooks/scripts/deep/new.sh"}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": ".claude/settings.json"}),
        ),
        (
            "MultiEdit",
            json!({"edits": [{"path": "a"}, {"path": ".claude/settings.json"}]}),
        ),
        (
            "mcp__fs__write",
            json!({"paths": ["a", "hooks/hooks.json"]}),
        ),
        (
            "mcp__fs__write",
            json!({"files": {"hooks/hooks.json": "x"}}),
        ),
        ("delete_file", json!({"path": ".claude"})),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: hooks/hooks.json\n@@\n-a\n+b\n*** End Patch"}),
        ),
        (
            "apply_patch",
            json!({"patch": "--- a/hooks/hooks.json\n+++ b/hooks/hooks.json\n"}),
        ),
        (
            "apply_patch",
            json!("*** Begin Patch\n*** Move to: .claude/settings.json\n"),
        ),
        (
            "Bash",
            json!({"command": "*** Begin Patch\nrm hooks/hooks.json"}),
        ),
        (
            "shell",
            json!({"command": ["bash", "-lc", "echo x > hooks/hooks.json"]}),
        ),
        ("shell", json!({"command": ["rm", "hooks/hooks.json"]})),
        ("shell", json!({"command": ["anyhook", "trust"]})),
        (
            "shell",
            json!({"command": "rm hooks.json", "workdir": "hooks"}),
        ),
        (
            "write_stdin",
            json!({"session_id": 1, "chars": "anyhook trust\n"}),
        ),
        ("Bash", json!("{\"command\": \"anyhook trust\"}")),
        (
            "str_replace_based_edit_tool",
            json!({"command": "create", "path": "hooks/hooks.json"}),
        ),
        ("Bash", json!({"command": "x".repeat(300 * 1024)})),
    ];
    assert_eq!(world.asked(&calls, |call| call), calls);
    let here = json!({"tool_name": "Bash", "cwd": world.project().join("p/hooks"), "tool_input": {"command": "rm hooks.json"}});
    assert_eq!(world.says_of(here).verdict.kind(), Kind::Ask);
}

#[test]
fn reading_and_ordinary_calls_are_free() {
    let world = World::new();
    let calls = [
        ("Read", json!({"file_path": "hooks/hooks.json"})),
        (
            "Grep",
            json!({"pattern": "x", "path": ".claude/settings.json"}),
        ),
        ("Glob", json!({"pattern": "hooks/*.json"})),
        ("mcp__fs__read", json!({"path": "hooks/hooks.json"})),
        ("read_file", json!({"target_file": ".claude/settings.json"})),
        (
            "str_replace_based_edit_tool",
            json!({"command": "view", "path": "hooks/hooks.json"}),
        ),
        (
            "shell",
            json!({"command": ["bash", "-lc", "cat hooks/hooks.json"]}),
        ),
        (
            "Edit",
            json!({"file_path": "src/hooks.ts", "old_string": "hooks/hooks.json", "new_string": "anyhook trust"}),
        ),
        (
            "Write",
            json!({"file_path": "README.md", "content": "hooks/hooks.json"}),
        ),
        (
            "Write",
            json!({"file_path": "src/hooks/hooks.json", "content": "{}"}),
        ),
        (
            "Write",
            json!({"file_path": "hooks/README.md", "content": ""}),
        ),
        ("Write", json!({"file_path": "hooks", "content": ""})),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: README.md\n+see hooks/hooks.json\n+run anyhook trust\n"}),
        ),
        (
            "Task",
            json!({"prompt": "rm hooks/hooks.json", "description": "anyhook trust"}),
        ),
        (
            "WebFetch",
            json!({"url": "https://example.org/hooks/hooks.json", "prompt": "x"}),
        ),
        ("X", json!({"a": [1, null, true, {"b": "\u{0}"}]})),
        ("X", Value::Null),
    ];
    assert_eq!(world.asked(&calls, |call| call), []);
    assert_eq!(world.says_of(json!({})), HookResult::proceed());
    assert_eq!(
        world.says_of(json!({"tool_name": 7, "tool_input": 7})),
        HookResult::proceed()
    );
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

#[test]
fn a_folder_above_the_state_is_asked_about_however_the_line_comes_to_it() {
    let lines = [
        "cd ~ && rm -rf state",
        "cd ~; rm -rf state",
        "pushd ~; rm -rf state/anyhook",
        "rm -rf \"$HOME\"/state",
        "d=$HOME/state; rm -rf $d/anyhook",
        "rm -rf ~+/../h/state",
        "cd ~ && mv state .x",
        "cd ~ && find state -delete",
        "for d in ~/state; do rm -r $d; done",
        "(cd ~ && rm -rf ./state/*)",
        "echo 'rm -rf ~/state/anyhook' | sh",
        "f() { rm -rf $1; }; f ~/state/anyhook",
    ];
    let world = World::new();
    fs::create_dir_all(world.project().join("h/state/anyhook/trust")).unwrap();
    let asked = world.asked(&lines, |command| ("Bash", json!({"command": command})));
    assert_eq!(asked, lines);
}

#[test]
fn what_only_seems_to_read_and_runs_code_is_asked_about() {
    let lines = [
        "printf -v 'a[$(rm -rf ~/state/anyhook)]' x",
        "test -v 'a[$(rm -rf ~/state/anyhook)]'",
        "[ -v 'a[$(rm -rf ~/state/anyhook)]' ]",
        "[[ -v 'a[$(rm -rf ~/state/anyhook)]' ]]",
        "v='a[$(anyhook trust --forget)]'; ((v))",
        "printf -v 'a[$(anyhook trust --forget)]' x",
    ];
    let world = World::new();
    let asked = world.asked(&lines, |command| ("Bash", json!({"command": command})));
    assert_eq!(asked, lines);
}

#[test]
fn lines_that_make_new_folders_are_not_asked_about() {
    let free = [
        "gh repo clone owner/tool",
        "gh repo clone owner/tool vendor/tool -- --depth 1",
        "gh gist clone 1a2b",
        "gh run download 5 -D logs",
        "git clone https://github.com/owner/tool.git vendor/tool",
        "git worktree add ../other topic",
        "cargo new tool",
        "npm init -y",
        "rsync -a src/ backup/",
        "unzip a.zip -d vendor",
        "tar xzf a.tgz -C vendor",
        "cp $(git ls-files '*.rs') backup/",
        "t=$(mktemp -d) && cp -r src \"$t\" && rm -r \"$t\"",
    ];
    let asked = [
        "gh repo clone owner/tool ~/.claude",
        "gh repo clone owner/.claude",
        "gh repo sync",
    ];
    let world = World::new();
    let call = |command| ("Bash", json!({"command": command}));
    assert_eq!(world.asked(&free, call), [""; 0]);
    assert_eq!(world.asked(&asked, call), asked);
}

#[test]
fn a_program_in_front_of_one_that_hooks_start_is_asked_about() {
    let asked = [
        "cp x ~/.local/bin/sh",
        "echo 'exit 0' > ~/.local/bin/sort",
        "cd ~/.local && ln -s /tmp/x bin/uniq",
        "install -m 755 x $HOME/.local/bin/cat",
        "mkdir -p ~/.local/bin && tee ~/.local/bin/grep < x",
    ];
    let free = [
        "cp target/release/tool ~/.local/bin/tool",
        "ls ~/.local/bin; cat ~/.local/bin/sh",
        "rm -f ~/.local/bin/sh",
        "chmod +x ~/.local/bin/*",
        "cp x bin/sh",
        "sort x > ~/.local/share/sort",
    ];
    let world = World::new();
    let call = |command| ("Bash", json!({"command": command}));
    assert_eq!(world.asked(&asked, call), asked);
    assert_eq!(world.asked(&free, call), [""; 0]);
    let of_tool = |path: &str| {
        let path = world.project().join(path);
        world.says("Write", &json!({"file_path": path, "content": "exit 0"}))
    };
    assert_eq!(of_tool("h/.local/bin/awk").verdict.kind(), Kind::Ask);
    assert_eq!(of_tool("h/.local/bin/tool").verdict.kind(), Kind::Continue);
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
        let lines = texts.iter().flat_map(|text| text.lines());
        let lines = lines.filter(|line| !line.starts_with('#'));
        let lines: Vec<String> = lines.map(|line| line.replace('⏎', "\n")).collect();
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
