//! Lines that do no harm, and a day of work, under the rules of the guide: how few are stopped.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::manifest::Manifest;
use serde_json::json;
use tempfile::TempDir;

use super::super::{CompiledCondition, Facts, LastCall};
use crate::tests::git;

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
        let all: Vec<&str> = words.split(' ').collect();
        let done = git(&self.project(), &all);
        assert!(done.status.success(), "{words}: {done:?}");
    }

    /// The rules that stop a line.
    fn stops<'r>(&self, rules: &'r [(String, Arc<CompiledCondition>)], line: &str) -> Vec<&'r str> {
        let (project, home) = (self.project(), self.home());
        let data = json!({"cwd": project, "tool_name": "Bash", "tool_input": {"command": line}});
        let event = Event::new("pre-tool-use", data);
        let last = LastCall::default();
        let stops = |(_, when): &&(String, Arc<CompiledCondition>)| {
            let facts = Facts::new(&event, &project, Some(&home)).sharing(&last);
            when.decide(&facts).map_or(true, |decided| decided.holds)
        };
        let stopping = rules.iter().filter(stops);
        stopping.map(|(name, _)| &**name).collect()
    }
}

/// The rules of the guide that refuse or ask about any tool.
fn rules() -> Vec<(String, Arc<CompiledCondition>)> {
    let text = include_str!("../../../../../examples/rules/hooks/hooks.json");
    let manifest = Manifest::parse(text).unwrap().manifest;
    // Those of the second group are about the tools that write.
    let entries = manifest.groups.iter().take(1);
    let entries = entries.flat_map(|group| &group.entries);
    let rules = entries.filter(|entry| entry.name.as_deref() != Some("reading-is-free"));
    let rule = |entry: &anyhook_core::manifest::Entry| {
        let when = CompiledCondition::read(&entry.when.as_ref().unwrap().text).unwrap();
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
fn each_line_of_the_list_is_stopped_or_passes_as_it_says() {
    let (mut shop, mut what, mut judge) = (Shop::new(), "", ("", ""));
    let rules = rules();
    for row in include_str!("ordinary.txt").lines().skip(1) {
        if let Some(line) = row.strip_prefix("    ") {
            let by = shop.stops(&rules, line);
            let stopped = by.contains(&judge.0) || judge.0 == "any" && !by.is_empty();
            assert_eq!(stopped, judge.1 == "stops", "{what}: {judge:?}: {line}");
        } else if let Some(step) = row.strip_prefix("  $ ") {
            shop.git(step);
        } else if let Some(head) = row.strip_prefix("  ") {
            judge = head.split_once(' ').unwrap();
        } else if !row.is_empty() {
            (shop, what) = (Shop::new(), row);
        }
    }
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
