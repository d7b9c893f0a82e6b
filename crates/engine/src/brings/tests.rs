use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhook_core::event::Event;
use anyhook_core::handler::{Handled, Handler};
use anyhook_core::result::Kind as Said;
use anyhook_effects::effect::sentences;
use serde_json::json;

use crate::guarded::{Protected, hook};
use crate::rules::{Facts, LastCall, When};

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
        let done = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(words.split(' '))
            .current_dir(&self.project)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_EDITOR", "true")
            .output()
            .unwrap();
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
        let protected = Protected {
            files: vec!["hooks/hooks.json".into(), ".claude/settings.json".into()],
            folders: vec![self.project.join("hooks/scripts")],
            project: self.project.clone(),
            home: Some(self.home.path().canonicalize().unwrap()),
            cwd: self.project.clone(),
            ..Protected::default()
        };
        let Handler::InProcess(guard) = hook(protected, &LastCall::default()).handler else {
            panic!("it is code of this process")
        };
        match guard.handle(&event(line)) {
            Handled::Ready(Ok(said)) => said.verdict.kind(),
            _ => panic!("it answers at once"),
        }
    }

    fn holds(&self, rule: &str, line: &str) -> bool {
        let event = event(line);
        let facts = Facts::new(&event, &self.project, Some(self.home.path()));
        When::read(rule).unwrap().decide(&facts).unwrap().holds
    }

    fn effects(&self, line: &str) -> Vec<String> {
        let event = event(line);
        let facts = Facts::new(&event, &self.project, Some(self.home.path()));
        sentences(&facts.effects().unwrap_or_default(), &self.project)
    }

    fn passes(&self, lines: &[&str]) {
        for line in lines {
            assert_eq!(
                self.said(line),
                Said::Continue,
                "{line}: {:?}",
                self.effects(line)
            );
            assert!(!self.holds("touches('**/.env', '!src/**')", line), "{line}");
        }
    }

    fn asks(&self, lines: &[&str]) {
        for line in lines {
            assert_eq!(
                self.said(line),
                Said::Ask,
                "{line}: {:?}",
                self.effects(line)
            );
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
fn git_commands_that_bring_back_nothing_protected_pass() {
    let shop = Shop::new();
    shop.write("a.txt", "changed by hand\n");
    shop.passes(&[
        "git switch side",
        "git checkout side",
        "git checkout -q side -- src",
        "git checkout -b new side",
        "git merge side",
        "git merge --no-ff -m 'what side did' side",
        "git merge --abort",
        "git rebase side",
        "git rebase -i HEAD",
        "git rebase --abort",
        "git cherry-pick -x side",
        "git revert --no-edit side",
        "git reset --hard",
        "git reset --hard side",
        "git restore .",
        "git checkout .",
        "git stash",
        "git stash push -m 'work in progress'",
        "git add -A && git stash",
        "git stash && git switch side && git stash pop",
        "git status; git diff; git switch side && cargo test",
        "echo x > a.txt && git stash",
        "cd src && git switch side",
        "git -C src switch side",
        "git stash | cat",
        "git rebase -i HEAD~0 2>&1",
        "sh -c 'git switch side' 2>/dev/null",
    ]);
}

#[test]
fn a_name_of_a_branch_is_no_file_that_a_checkout_throws_away() {
    let shop = Shop::new();
    shop.git("branch feature/x");
    shop.git("tag v1");
    shop.settle();
    let asks = |line: &str| shop.holds("discards()", line);
    for line in [
        "git checkout side",
        "git checkout feature/x",
        "git fetch && git checkout v1",
        "git stash push -m wip && git checkout side && git stash pop",
    ] {
        assert!(!asks(line), "{line}");
    }
    shop.git("pack-refs --all");
    assert!(!asks("git checkout feature/x"));
    for line in [
        "git checkout a.txt",
        "git checkout other",
        "git checkout -f side",
    ] {
        assert!(asks(line), "{line}");
    }
    shop.write("side", "a file of this name");
    assert!(asks("git checkout side"));
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
fn a_commit_that_holds_a_protected_file_asks_before_it_comes() {
    let shop = Shop::new();
    shop.on("side", |shop| {
        shop.write(".Claude/Settings.json", "{}");
        shop.commit("settings");
    });
    shop.git("tag -a -m x told side");
    shop.asks(&[
        "git switch side",
        "git checkout side",
        "git checkout -b new side",
        "git checkout told",
        "git merge side",
        "git rebase side",
        "git cherry-pick side",
        "git reset --hard side",
        "git revert side",
        "git stash && git switch side",
        "git checkout side -- .",
        "git restore -s side .",
    ]);
    shop.passes(&["git stash", "git reset --hard", "git switch -c new"]);
    // It is in the history of the branch, but not in its last commit.
    shop.on("side", |shop| {
        shop.git("rm -q -r .Claude");
        shop.commit("away");
    });
    shop.asks(&["git merge side", "git rebase side"]);
    shop.passes(&["git switch side"]);
}

#[test]
fn a_commit_that_holds_an_ignored_file_is_a_write_of_that_file() {
    let shop = Shop::new();
    let rule = "touches('**/.env')";
    assert!(!shop.holds(rule, "git switch side"));
    shop.on("side", |shop| {
        shop.write(".env", "KEY=2\n");
        shop.git("add -f .env");
        shop.git("commit -q -m secrets");
    });
    for line in [
        "git switch side",
        "git merge side",
        "git reset --hard side",
        "git rebase side",
        "git checkout side",
    ] {
        assert!(shop.holds(rule, line), "{line}");
    }
}

#[test]
fn a_protected_file_that_was_changed_is_brought_back_only_after_a_question() {
    let shop = Shop::new();
    shop.write("hooks/hooks.json", "{\"version\": 1}\n");
    shop.asks(&[
        "git stash",
        "git reset --hard",
        "git restore .",
        "git checkout .",
        "git checkout -f side",
        "git merge --abort",
        "git restore hooks",
    ]);
    shop.passes(&["git switch side", "git restore src", "git checkout -- src"]);
    shop.git("stash");
    shop.settle();
    shop.asks(&["git stash pop", "git stash apply stash@{0}"]);
    shop.passes(&["git stash"]);
}

#[test]
fn new_files_are_taken_away_where_the_line_says_so() {
    let shop = Shop::new();
    shop.write(".claude/settings.json", "{}");
    shop.passes(&["git stash"]);
    shop.asks(&[
        "git stash -u",
        "git stash -a",
        "git add -A && git stash",
        "git add . && git reset --hard",
        "git add -f .env && git stash",
    ]);
}

#[test]
fn a_line_that_changes_the_repository_before_is_asked_as_ever() {
    let shop = Shop::new();
    shop.asks(&[
        "git commit -m x && git switch side",
        "git branch -f side main && git switch side",
        "git update-ref refs/heads/side HEAD && git switch side",
        "git symbolic-ref HEAD refs/heads/x; git reset --hard",
        "git config core.worktree /tmp && git switch side",
        "git fetch && git merge side",
        "git pull",
        "git pull --rebase",
        "cp x .git/refs/heads/side && git switch side",
        "echo x > .git/HEAD && git switch side",
        "echo '* text' > .gitattributes && git stash",
        "git switch side; git update-ref refs/heads/side main; git switch side",
        "g=git; $g switch side; $g update-ref refs/heads/side main; $g switch side # git",
        "while true; do git switch side; git update-ref refs/heads/side main; done",
        "git switch side & git update-ref refs/heads/side main",
        "git update-ref refs/heads/side main | git switch side",
        "make && git switch side",
        "git switch side && git reset --hard HEAD~1",
        "git switch side && git merge -",
        "git stash && git stash pop && git stash pop",
        "GIT_EDITOR=true git rebase side",
        "export GIT_INDEX_FILE=/tmp/x; git stash",
        "git rebase -i HEAD; EDITOR=x git rebase -i HEAD",
        "for x in 1 2; do git reset --hard HEAD~1; done",
        "git reset --hard HEAD^; git reset --hard HEAD^",
        "g''it switch side; git update-ref refs/heads/side main; g''it switch side; echo git",
        "'g'it switch side; git update-ref refs/heads/side main; 'g'it switch side; echo git",
        "x='git reset --hard HEAD^'; $x; $x",
        "f() { git reset --hard HEAD^; }; f; f",
        "export HOME=/tmp/x; git stash",
        "export PATH=/tmp/x; git stash",
        "GIT branch -f side main && git switch side",
        "/usr/bin/git branch -f side main && git switch side",
        "gh pr checkout 7",
    ]);
}

#[test]
fn what_is_not_read_of_a_command_is_asked_as_ever() {
    let shop = Shop::new();
    shop.asks(&[
        "git switch $BRANCH",
        "git switch nowhere",
        "git checkout --recurse-submodules side",
        "git merge -X theirs side",
        "git rebase -x true side",
        "git rebase --continue",
        "git merge --ab",
        "git -c core.worktree=/tmp switch side",
        "git --git-dir=.git switch side",
        "git merge side..main",
        "git stash branch new",
        "git apply x.patch",
        "git switch --orphan x",
    ]);
}

#[test]
fn a_link_or_another_repository_that_git_brings_is_asked_as_ever() {
    let shop = Shop::new();
    shop.on("side", |shop| {
        std::os::unix::fs::symlink(".env", shop.project.join("x")).unwrap();
        shop.commit("link");
    });
    shop.asks(&[
        "git switch side",
        "git merge side",
        "git checkout -- . && git switch side",
    ]);
    shop.passes(&["git stash"]);
    let digest = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    shop.git(&format!(
        "update-index --add --cacheinfo 160000,{digest},sub"
    ));
    shop.asks(&["git stash", "git reset --hard"]);
}

#[test]
fn files_move_along_with_a_folder_that_moved() {
    let shop = Shop::new();
    for name in ["1", "2", "3"] {
        shop.write(
            &format!("old/{name}"),
            &format!("{name} and a long text of its own {name}\n"),
        );
    }
    shop.commit("old");
    shop.git("branch -f side main");
    shop.on("side", |shop| {
        shop.write("old/settings.json", "{}");
        shop.commit("new");
    });
    std::fs::create_dir_all(shop.project.join(".claude")).unwrap();
    shop.passes(&["git merge side"]);
    shop.git("mv old/1 old/2 old/3 .claude");
    shop.git("commit -q -m moved");
    shop.settle();
    shop.asks(&["git merge side", "git cherry-pick side", "git rebase side"]);
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
        let done = Command::new("git")
            .args(["config", key, &run])
            .current_dir(&shop.project)
            .status();
        assert!(done.unwrap().success(), "{key}");
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

#[test]
fn an_unfinished_merge_or_rebase_goes_back_to_where_it_began() {
    let shop = Shop::new();
    shop.write("src/b.txt", "two of main\n");
    shop.commit("main");
    shop.git("merge -q side");
    shop.passes(&["git merge --abort"]);
    shop.git("merge --abort");
    shop.git("rebase -q side");
    shop.passes(&["git rebase --abort"]);
    shop.asks(&["git rebase --continue"]);
    shop.git("rebase --abort");
    // Where it goes back, another file is to be brought back.
    shop.write("hooks/hooks.json", "{\"version\": 1}\n");
    shop.commit("hooks");
    shop.git("rebase -q side");
    shop.asks(&["git rebase --abort"]);
}
