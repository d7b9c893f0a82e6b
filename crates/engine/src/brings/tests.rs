use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhook_core::event::Event;
use anyhook_core::handler::{Handler, HandlerReply};
use anyhook_core::result::Kind as Said;
use anyhook_effects::effect::sentences;
use serde_json::json;

use crate::guarded::{ProtectionScope, hook};
use crate::rules::{CompiledCondition, Facts, LastCall};
use crate::tests::git;

/// A repository in a home, with hooks that are protected and an ignored `.env`.
struct Shop {
    home: tempfile::TempDir,
    project: PathBuf,
}

impl Shop {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().canonicalize().unwrap().join("shop");
        std::fs::create_dir_all(project.join("hooks")).unwrap();
        let shop = Self { home, project };
        shop.write(".gitignore", ".env\n");
        shop.write("a.txt", "one\n");
        shop.write("src/b.txt", "two\n");
        shop.write("hooks/hooks.json", "{}\n");
        shop.git("init -q -b main");
        shop.commit("first");
        shop.write(".env", "KEY=1\n");
        shop.git("switch -q -c side");
        shop.write("src/b.txt", "two of side\n");
        shop.commit("side");
        shop.git("switch -q main");
        shop.settle();
        shop
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.project.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn git(&self, words: &str) {
        let all: Vec<&str> = words.split(' ').collect();
        let done = git(&self.project, &all);
        let is_conflict = words.starts_with("merge ") || words.starts_with("rebase ");
        assert!(done.status.success() || is_conflict, "{words}: {done:?}");
    }

    fn commit(&self, name: &str) {
        self.git("add -A");
        self.git(&format!("commit -q -m {name}"));
    }

    /// Puts what is in a branch onto it, and comes back.
    fn on(&self, branch: &str, change: impl FnOnce(&Self)) {
        self.git(&format!("switch -q {branch}"));
        change(self);
        self.git("switch -q main");
        self.settle();
    }

    /// Makes the files older than the index, as they are a moment later.
    fn settle(&self) {
        let before = SystemTime::now() - Duration::from_mins(1);
        for file in ["a.txt", "src/b.txt", "hooks/hooks.json", ".gitignore"] {
            // Git compares whole seconds: a file that changes twice in one is the same to it.
            if let Ok(file) = std::fs::File::open(self.project.join(file))
                && file.metadata().unwrap().modified().unwrap() > before
            {
                file.set_modified(before).unwrap();
            }
        }
        self.git("update-index -q --really-refresh");
    }

    /// What the guard of what guards says.
    fn said(&self, line: &str) -> Said {
        let protected = ProtectionScope {
            files: vec!["hooks/hooks.json".into(), ".claude/settings.json".into()],
            folders: vec![self.project.join("hooks/scripts")],
            project: self.project.clone(),
            home: Some(self.home.path().canonicalize().unwrap()),
            cwd: self.project.clone(),
            ..ProtectionScope::default()
        };
        let Handler::InProcess(guard) = hook(protected, &LastCall::default()).handler else {
            panic!("it is code of this process")
        };
        match guard.handle(&event(line)) {
            HandlerReply::Ready(Ok(said)) => said.verdict.kind(),
            _ => panic!("it answers at once"),
        }
    }

    fn holds(&self, rule: &str, line: &str) -> bool {
        let event = event(line);
        let facts = Facts::new(&event, &self.project, Some(self.home.path()));
        CompiledCondition::read(rule)
            .unwrap()
            .decide(&facts)
            .unwrap()
            .holds
    }

    fn effects(&self, line: &str) -> Vec<String> {
        let event = event(line);
        let facts = Facts::new(&event, &self.project, Some(self.home.path()));
        sentences(&facts.effects().unwrap_or_default(), &self.project)
    }

    /// Does one step of the list: a write, a commit of everything, a change of the branch, or words of git.
    fn step(&self, step: &str) {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        match verb {
            "write" => {
                let (file, text) = rest.split_once(' ').unwrap_or((rest, ""));
                self.write(file, &text.replace('⏎', "\n"));
            }
            "link" => {
                let (at, to) = rest.split_once(' ').unwrap();
                std::os::unix::fs::symlink(to, self.project.join(at)).unwrap();
            }
            "commit" => self.commit(rest),
            "folder" => std::fs::create_dir_all(self.project.join(rest)).unwrap(),
            _ => self.git(step),
        }
        if step == "switch -q main" {
            self.settle();
        }
    }
}

fn event(line: &str) -> Event {
    let input = json!({"command": line});
    Event::new(
        "tool:pre",
        json!({"tool_name": "Bash", "tool_input": input}),
    )
}

#[test]
fn each_line_of_the_list_is_judged_as_it_says() {
    let (mut shop, mut what, mut judge) = (Shop::new(), "", "");
    for row in include_str!("tests.txt").lines().skip(1) {
        if let Some(line) = row.strip_prefix("    ") {
            let (rule, expected) = judge.rsplit_once(' ').unwrap_or(("", judge));
            let effects = || shop.effects(line);
            match expected {
                "asks" => assert_eq!(
                    shop.said(line),
                    Said::Ask,
                    "{what}: {line}: {:?}",
                    effects()
                ),
                "passes" => {
                    assert_eq!(
                        shop.said(line),
                        Said::Continue,
                        "{what}: {line}: {:?}",
                        effects()
                    );
                    assert!(
                        !shop.holds("touches('**/.env', '!src/**')", line),
                        "{what}: {line}"
                    );
                }
                _ => assert_eq!(
                    shop.holds(rule, line),
                    expected == "holds",
                    "{what}: {rule}: {line}"
                ),
            }
        } else if let Some(step) = row.strip_prefix("  $ ") {
            shop.step(step);
        } else if let Some(head) = row.strip_prefix("  ") {
            judge = head;
        } else if !row.is_empty() {
            (shop, what) = (Shop::new(), row);
        }
    }
}

#[test]
fn a_rule_hears_of_each_file_that_git_brings_and_of_no_other() {
    let shop = Shop::new();
    shop.write("a.txt", "changed by hand\n");
    for (line, a, b) in [
        ("git switch side", false, true),
        ("git stash", true, false),
        ("git merge side", true, true),
        ("git reset --hard side", true, true),
        ("git restore src", false, false),
        ("cd src && git checkout side", false, true),
    ] {
        let said = ["a.txt", "src/b.txt", "hooks/hooks.json"]
            .map(|file| shop.holds(&format!("writes('./{file}')"), line));
        assert_eq!(said, [a, b, false], "{line}");
    }
    shop.write("a.txt", "one\n");
    shop.on("side", |shop| {
        shop.git("rm -q a.txt");
        shop.commit("gone");
    });
    assert!(shop.holds("deletes('./a.txt')", "git switch side"));
    assert!(!shop.holds("deletes('./hooks/hooks.json')", "git switch side"));
}

#[test]
fn no_question_runs_code_of_the_repository() {
    let shop = Shop::new();
    let mark = shop.project.join(".git/ran");
    let run = format!("touch {}", mark.display());
    shop.write("a.txt", "changed\n");
    shop.write(".git/info/attributes", "* filter=x diff=x merge=x\n");
    for key in [
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "log.showSignature",
        "alias.diff-tree",
        "merge.x.driver",
    ] {
        let done = git(&shop.project, &["config", key, &run]);
        assert!(done.status.success(), "{key}");
    }
    let _ = std::fs::remove_file(&mark);
    for line in [
        "git switch side",
        "git merge side",
        "git stash",
        "git stash -u",
        "git reset --hard side",
    ] {
        shop.said(line);
        assert!(!Path::exists(&mark), "{line}");
    }
}
