//! Lines that do no harm, and a day of work, under the rules of the guide: how few are stopped.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::manifest::Manifest;
use serde_json::json;
use tempfile::TempDir;

use super::super::{Facts, LastCall, When};

/// A repository with an ignored `.env`, a remote, and commits on both sides.
struct Shop(TempDir);

impl Shop {
    fn new() -> Self {
        let shop = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(shop.project().join("src")).unwrap();
        fs::create_dir_all(shop.home()).unwrap();
        for (file, text) in [
            (".gitignore", ".env\nnode_modules\ndist\n"),
            (
                "package.json",
                "{\"name\":\"shop\",\"version\":\"1.0.0\"}\n",
            ),
            ("README.md", "# Shop\n"),
            ("src/parser.ts", "export const parseLine = 1;\n"),
            ("src/main.rs", "fn main() {}\n"),
        ] {
            fs::write(shop.project().join(file), text).unwrap();
        }
        shop.git("init -q -b main");
        shop.git("add -A");
        shop.git("commit -q -m first");
        shop.git("init -q --bare ../origin.git");
        shop.git("remote add origin ../origin.git");
        shop.git("push -q -u origin main");
        fs::write(shop.project().join(".env"), "KEY=1\n").unwrap();
        shop.git("switch -q -c topic");
        fs::write(
            shop.project().join("src/parser.ts"),
            "export const x = 1;\n",
        )
        .unwrap();
        shop.git("commit -q -a -m topic");
        shop
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("p")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("h")
    }

    fn git(&self, words: &str) {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words.split(' '))
            .current_dir(self.project())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{words}: {done:?}");
    }

    /// The rules that stop a line.
    fn stops<'r>(&self, rules: &'r [(String, Arc<When>)], line: &str) -> Vec<&'r str> {
        let (project, home) = (self.project(), self.home());
        let data = json!({"cwd": project, "tool_name": "Bash", "tool_input": {"command": line}});
        let event = Event::new("pre-tool-use", data);
        let last = LastCall::default();
        let stops = |(_, when): &&(String, Arc<When>)| {
            let facts = Facts::new(&event, &project, Some(&home)).sharing(&last);
            when.decide(&facts).map_or(true, |decided| decided.holds)
        };
        let stopping = rules.iter().filter(stops);
        stopping.map(|(name, _)| &**name).collect()
    }
}

/// The rules of the guide that refuse or ask about any tool.
fn rules() -> Vec<(String, Arc<When>)> {
    let text = include_str!("../../../../../examples/rules/hooks/hooks.json");
    let manifest = Manifest::parse(text).unwrap().manifest;
    // Those of the second group are about the tools that write.
    let entries = manifest.groups.iter().take(1);
    let entries = entries.flat_map(|group| &group.entries);
    let rules = entries.filter(|entry| entry.name.as_deref() != Some("reading-is-free"));
    let rule = |entry: &anyhook_core::manifest::Entry| {
        let when = When::read(&entry.when.as_ref().unwrap().text).unwrap();
        (entry.name.clone().unwrap(), when)
    };
    rules.map(rule).collect()
}

fn lines(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

#[test]
fn names_that_programs_pass_on_are_those_that_git_told() {
    let (shop, rules) = (Shop::new(), rules());
    let stops = |line: &str| !shop.stops(&rules, line).is_empty();
    for line in [
        "prettier --write $(git diff --name-only)",
        "eslint $(git diff --name-only main...HEAD -- '*.ts')",
        "git diff --name-only | grep -E '[.]ts$' | head -5 | xargs prettier --check",
        "for f in $(git ls-files '*.py'); do python -m py_compile $f; done",
        "for f in *.md; do mv \"$f\" \"${f%.md}.txt\"; done",
    ] {
        assert!(!stops(line), "{line}");
    }
    for line in [
        "git ls-files -o | head -5 | xargs cat",
        "git ls-files | grep -n x | xargs cat",
        "git ls-files | sed s/x/y/ | xargs cat",
        "touch 'a .env'; cat $(git ls-files)",
        "touch '-t .git'; for f in *.md; do mv \"$f\" \"${f%.md}\"; done",
        "for f in *; do cp \"${f#x}\" y; done",
        "git add -f .env; git ls-files | grep env | xargs cat",
        "while read x; do cat $(git ls-files); git add -f .env; done",
        "prettier --write $(git diff --name-only --output=.env)",
    ] {
        assert!(stops(line), "{line}");
    }
}

#[test]
fn git_takes_away_what_it_keeps_alone_and_a_pull_makes_no_commit_where_there_is_none_of_its_own() {
    let (shop, rules) = (Shop::new(), rules());
    let stops = |line: &str, rule: &str| shop.stops(&rules, line).contains(&rule);
    for line in [
        "git pull --rebase",
        "git fetch && git merge origin/x",
        "gh pr checkout 12",
        "git submodule update --init --recursive",
        "git bisect start",
    ] {
        assert!(!stops(line, "secret-files"), "{line}");
    }
    for line in [
        "git add -f .env && git stash",
        "git stash -a",
        "git stash -u && git pull",
        "git rm -r --cached . && git pull",
        "git rm -r --cached . && gh pr checkout 12",
    ] {
        assert!(stops(line, "secret-files"), "{line}");
    }
    shop.git("switch -q main");
    for line in ["git pull", "git pull --ff-only", "git pull origin main"] {
        assert!(!stops(line, "no-commit-on-main"), "{line}");
    }
    for line in [
        "git pull origin topic",
        "git pull --no-ff",
        "git commit -m x && git pull",
    ] {
        assert!(stops(line, "no-commit-on-main"), "{line}");
    }
    shop.git("commit -q --allow-empty -m own");
    assert!(stops("git pull", "no-commit-on-main"));
    assert!(!stops("git pull --ff-only", "no-commit-on-main"));
    shop.git("add -f .env");
    assert!(stops("git pull --rebase", "secret-files"));
    assert!(stops("gh pr checkout 12", "secret-files"));
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn of_lines_that_do_no_harm_one_in_a_hundred_is_stopped_at_most() {
        let (shop, rules) = (Shop::new(), rules());
        let lines = lines(include_str!("../../../../../fixtures/lines/harmless.txt"));
        let stopped = |line: &String| {
            let by = shop.stops(&rules, line);
            (!by.is_empty()).then(|| format!("{}: {line}", by.join(" ")))
        };
        let stopped: Vec<String> = lines.iter().filter_map(stopped).collect();
        let (few, all) = (stopped.len(), lines.len());
        assert!(rules.len() >= 8 && all >= 300, "{} rules", rules.len());
        assert!(few * 100 <= all, "{few} of {all}: {stopped:#?}");
    }

    #[test]
    #[ignore = "takes seconds"]
    fn of_the_steps_of_a_day_none_is_stopped() {
        let (shop, rules) = (Shop::new(), rules());
        let mut stopped = Vec::new();
        let steps = lines(include_str!("../../../../../fixtures/lines/day.txt"));
        assert!(steps.len() >= 60);
        for line in steps {
            let by = shop.stops(&rules, &line);
            if !by.is_empty() {
                stopped.push(format!("{}: {line}", by.join(" ")));
            }
            let switches = ["git switch ", "git checkout "];
            if let (Some(words), true) = (
                line.strip_prefix("git "),
                switches.iter().any(|verb| line.starts_with(verb)),
            ) {
                shop.git(words);
            }
        }
        assert!(stopped.is_empty(), "{stopped:#?}");
    }
}
