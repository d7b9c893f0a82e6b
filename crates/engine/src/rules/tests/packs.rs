//! Every pack against its own cases: what is dangerous is stopped by the rule it stands under, and what is harmless by none.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::event::Event;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{CompiledCondition, Facts};

struct Rule {
    name: String,
    when: Arc<CompiledCondition>,
    refuses: bool,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs")
}

fn rules(pack: &Path) -> Vec<Rule> {
    let text = fs::read_to_string(pack.join("hooks.json")).unwrap();
    let (_, json) = text.split_once('\n').unwrap();
    let pack: Value = serde_json::from_str(json).unwrap();
    let groups = pack["hooks"]["pre-tool-use"]
        .as_array()
        .into_iter()
        .flatten();
    let hooks = groups.flat_map(|group| group["hooks"].as_array().unwrap());
    let rule = |hook: &Value| Rule {
        name: hook["name"].as_str().unwrap().to_owned(),
        when: CompiledCondition::read(hook["when"].as_str().unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", hook["name"])),
        refuses: hook["then"].get("deny").is_some(),
    };
    let answers = |hook: &&Value| {
        ["deny", "ask"]
            .iter()
            .any(|word| hook["then"].get(word).is_some())
    };
    let remembers = |hook: &&Value| {
        hook["when"].as_str().is_some_and(|when| {
            ["marked(", "calls(", "repeats("]
                .iter()
                .any(|one| when.contains(one))
        })
    };
    let stops = hooks.filter(answers).filter(|hook| !remembers(hook));
    stops.map(rule).collect()
}

/// A project on a branch of its own.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (file, text) in [
            ("p/.git/HEAD", "ref: refs/heads/work\n"),
            ("p/src/main.rs", ""),
            ("h/.bashrc", ""),
            ("p/good.sql", "select 1; -- drop table x\n"),
            ("p/bad.sql", "select 1; DROP TABLE x;\n"),
        ] {
            let file = place.0.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        place
    }

    /// Returns the rules that stop a line; a rule that cannot decide stops it too.
    fn stops<'r>(&self, rules: &'r [Rule], line: &str) -> Vec<&'r str> {
        let (project, home) = (self.0.path().join("p"), self.0.path().join("h"));
        let call = line
            .split_once(' ')
            .filter(|(tool, _)| tool.starts_with("mcp__"));
        let (tool, input) = match call {
            Some((tool, input)) => (tool, serde_json::from_str(input).unwrap()),
            None => ("Bash", json!({"command": line})),
        };
        let data = json!({"cwd": project, "tool_name": tool, "tool_input": input});
        let event = Event::new("pre-tool-use", data);
        let last = crate::actions::LastCall::default();
        let stops = |rule: &&Rule| {
            let facts = Facts::new(&event, &project, Some(&home)).sharing(&last);
            rule.when
                .decide(&facts)
                .map_or(true, |decided| decided.holds)
        };
        rules.iter().filter(stops).map(|rule| &*rule.name).collect()
    }
}

#[test]
fn every_dangerous_case_is_stopped_by_its_rule_and_every_harmless_one_by_no_pack() {
    let mut packs: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    packs.sort();
    assert!(packs.len() > 10);
    let place = Place::new();
    let all: Vec<Rule> = packs.iter().flat_map(|pack| rules(pack)).collect();
    let mut wrong = String::new();
    for pack in packs.iter().filter(|pack| pack.join("cases.txt").exists()) {
        let own = rules(pack);
        let cases = fs::read_to_string(pack.join("cases.txt")).unwrap();
        let mut about = "";
        let mut tried: Vec<&str> = Vec::new();
        for case in cases.lines() {
            if let Some(name) = case
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                about = name;
                tried.push(name);
            } else if let Some(line) = case.strip_prefix("! ") {
                let stops = place.stops(&own, line);
                if !stops.contains(&about) {
                    wrong.push_str(&format!("{about} does not stop `{line}`: {stops:?}\n"));
                }
            } else if let Some(line) = case.strip_prefix("= ") {
                let stops = place.stops(&all, line);
                if !stops.is_empty() {
                    wrong.push_str(&format!("{stops:?} stop `{line}`\n"));
                }
            } else {
                wrong.push_str(&format!("`{case}` is no case\n"));
            }
        }
        for rule in own.iter().filter(|rule| !tried.contains(&&*rule.name)) {
            wrong.push_str(&format!("{} has no case\n", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

mod slow {
    use super::*;

    /// Ordinary lines that all packs together may refuse, and ask about, of a thousand.
    const REFUSED: usize = 5;
    const ASKED: usize = 15;

    #[test]
    #[ignore = "takes seconds"]
    fn few_ordinary_lines_are_stopped_by_all_packs_together() {
        let lines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lines");
        let place = Place::new();
        let packs = fs::read_dir(folder()).unwrap();
        let all: Vec<Rule> = packs
            .flat_map(|pack| rules(&pack.unwrap().path()))
            .collect();
        let (mut count, mut refused, mut asked) = (0, Vec::new(), Vec::new());
        for file in fs::read_dir(lines).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for line in text
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
            {
                count += 1;
                let line = line.replace('⏎', "\n");
                let stops = place.stops(&all, &line);
                if stops
                    .iter()
                    .any(|name| all.iter().any(|rule| rule.name == *name && rule.refuses))
                {
                    refused.push((stops.join(" "), line));
                } else if !stops.is_empty() {
                    asked.push((stops.join(" "), line));
                }
            }
        }
        assert!(count > 1500);
        let share = |some: usize| some * 1000 / count;
        assert!(
            share(refused.len()) <= REFUSED && share(asked.len()) <= ASKED,
            "{} refused, {} asked of {count}: {refused:#?} {asked:#?}",
            refused.len(),
            asked.len(),
        );
    }
}
