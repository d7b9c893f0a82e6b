//! The rules of the guide against known ways round them, each test named after the cause.

use std::fs;
use std::path::Path;

use anyhook_core::event::Event;
use anyhook_core::manifest::Manifest;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{CompiledCondition, Facts, RuleCause};

/// A project on the branch `main`, with a secret and some files.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        for file in [
            "p/.git/HEAD",
            "p/.env",
            "p/src/a.rs",
            "p/a.txt",
            "h/.ssh/id_rsa",
            "h/.aws/credentials",
        ] {
            place.write(file, "");
        }
        place.write("p/.git/HEAD", "ref: refs/heads/main\n");
        place
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, at: &str, to: &str) {
        #[cfg(unix)]
        std::os::unix::fs::symlink(to, self.folder.path().join(at)).unwrap();
        #[cfg(not(unix))]
        self.write(at, to);
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("p")
    }

    /// Asks a rule of the guide about a call.
    fn asks(&self, rule: &str, tool: &str, input: &Value, cwd: &Path) -> Result<bool, String> {
        let text = include_str!("../../../../../examples/rules/hooks/hooks.json");
        let manifest = Manifest::parse(text).unwrap().manifest;
        let mut entries = manifest.groups.iter().flat_map(|group| &group.entries);
        let entry = entries.find(|entry| entry.name.as_deref() == Some(rule));
        self.decides(
            &entry.unwrap().when.as_ref().unwrap().text,
            tool,
            input,
            cwd,
        )
    }

    fn decides(&self, when: &str, tool: &str, input: &Value, cwd: &Path) -> Result<bool, String> {
        let when = CompiledCondition::read(when).unwrap();
        let data = json!({"cwd": cwd, "tool_name": tool, "tool_input": input});
        let event = Event::new("pre-tool-use", data);
        let home = self.folder.path().join("h");
        let project = self.project();
        let facts = Facts::new(&event, &project, Some(&home));
        when.decide(&facts).map(|decided| decided.holds)
    }

    /// Asks a rule of the guide, or an expression, about a line, or about a tool and its input parted by a tab.
    fn call(&self, rule: &str, call: &str) -> bool {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let parted = call.split_once('\t');
        let (tool, input) = match parted.filter(|(_, input)| input.starts_with('{')) {
            Some((tool, input)) => {
                let input = input.replace("{p}", &at("p")).replace("{h}", &at("h"));
                (tool, serde_json::from_str(&input).unwrap())
            }
            None => ("Bash", json!({"command": call})),
        };
        let decided = if rule.contains('(') {
            self.decides(rule, tool, &input, &self.project())
        } else {
            self.asks(rule, tool, &input, &self.project())
        };
        decided.unwrap()
    }
}

#[test]
fn each_call_of_the_list_is_judged_as_it_says() {
    let (mut place, mut what, mut rule) = (Place::new(), "", ("", false));
    for row in include_str!("attack.txt").lines().skip(1) {
        if let Some(line) = row.strip_prefix("    ") {
            let line = line.replace('⏎', "\n");
            assert_eq!(
                place.call(rule.0, &line),
                rule.1,
                "{what}: {rule:?}: {line}"
            );
        } else if let Some(file) = row.strip_prefix("  write ") {
            let (file, text) = file.split_once(' ').unwrap_or((file, ""));
            place.write(file, &text.replace('⏎', "\n"));
        } else if let Some(link) = row.strip_prefix("  link ") {
            let (at, to) = link.split_once(' ').unwrap();
            place.link(at, to);
        } else if let Some(head) = row.strip_prefix("  ") {
            let (name, holds) = head.rsplit_once(' ').unwrap();
            rule = (name, holds == "holds");
        } else if !row.is_empty() {
            (place, what) = (Place::new(), row);
        }
    }
}

#[test]
fn a_folder_that_the_agent_chooses_is_never_the_project() {
    let place = Place::new();
    let write = |path: &str, cwd: &Path| {
        let input = json!({"file_path": path, "content": "x"});
        place
            .asks("inside-the-project", "Write", &input, cwd)
            .unwrap()
    };
    let (project, home) = (place.project(), place.folder.path().join("h"));
    assert!(write("/etc/passwd", Path::new("/")));
    assert!(write("~/.bashrc", &home));
    assert!(write("x", Path::new("/")), "relative to another folder");
    assert!(write("../x", &project));
    assert!(!write("src/new.rs", &project));
    let notebook = "NotebookEdit\t{\"notebook_path\": \"/etc/x.ipynb\", \"new_source\": \"x\"}";
    assert!(place.call("inside-the-project", notebook));
}

#[test]
fn a_reason_about_a_whole_folder_names_the_file_that_is_meant() {
    let place = Place::new();
    let when = CompiledCondition::read("touches('**/.env')").unwrap();
    let input = json!({"command": "gh run download 12 \\\n  --name x"});
    let data = json!({"cwd": place.project(), "tool_name": "Bash", "tool_input": input});
    let event = Event::new("pre-tool-use", data);
    let project = place.project();
    let because = when.because(&Facts::new(&event, &project, None));
    let said = "it may write `.` and everything below it, `.env` among it: `gh run download 12 \\   --name x`";
    assert_eq!(because, Some(RuleCause::Own(Some(said.to_owned()))));
}

#[test]
fn a_line_that_an_agent_carries_out_as_a_patch_writes_the_files_of_the_patch() {
    let place = Place::new();
    let patch = |file: &str| {
        format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch\n")
    };
    let moved = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: .env\n*** End Patch\n";
    let forms = |text: &str| {
        [
            format!("apply_patch <<'EOF'\n{text}EOF\n"),
            format!("applypatch <<'EOF'\n{text}EOF"),
            format!("cd src && apply_patch <<'EOF'\n{text}EOF\n"),
            format!("apply_patch '{text}'"),
            format!("bash -lc \"apply_patch <<'EOF'\n{text}EOF\n\""),
            format!("cat <<'EOF' | apply_patch\n{text}EOF\n"),
        ]
    };
    for file in [".env", "../p/.env", "src/../.env"] {
        for line in forms(&patch(file)) {
            assert!(place.call("secret-files", &line), "{line}");
        }
    }
    for line in forms(moved) {
        assert!(place.call("secret-files", &line), "{line}");
    }
    for line in forms(&patch("a.rs")) {
        assert!(!place.call("secret-files", &line), "{line}");
        assert!(!place.call("no-rm-rf", &line), "{line}");
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn of_the_lines_of_an_ordinary_day_few_are_refused() {
        let place = Place::new();
        place.write("p/.git/HEAD", "ref: refs/heads/topic\n");
        fs::remove_file(place.project().join(".env")).unwrap();
        let text = include_str!("../../../../../fixtures/lines/everyday.txt");
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let lines: Vec<String> = lines.map(|line| line.replace('⏎', "\n")).collect();
        let rules = [
            "no-rm-rf",
            "no-force-push",
            "no-commit-on-main",
            "no-hard-reset",
            "no-skipped-checks",
            "no-pipe-to-shell",
            "ask-before-publishing",
            "secret-files",
        ];
        let refused = |line: &String| {
            let found = rules.iter().find(|rule| place.call(rule, line));
            found.map(|rule| format!("{rule}: {line}"))
        };
        let refused: Vec<String> = lines.iter().filter_map(refused).collect();
        assert!(lines.len() > 800, "{} lines", lines.len());
        let (few, all) = (refused.len(), lines.len());
        assert!(few * 40 < all, "{few} of {all}: {refused:#?}");
    }
}
