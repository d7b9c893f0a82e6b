//! `anyhook test`, as a process: what it prints, and how it ends.

use serde_json::json;

use crate::env::{TestEnv, command, finish, repository, start};

#[test]
fn a_link_named_aam_runs_the_command_lines_of_the_seed() {
    let env = TestEnv::new();
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Bash", "hooks": [command("echo no >&2; exit 2")]}],
        "stop": [{"hooks": [command("echo '{}'")]}],
    }});
    env.manifest(&manifest.to_string());
    let denies = "name: denies\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n";
    env.write("project/hooks/tests/cases/01-denies.yaml", denies);
    let passes = "name: passes\nevent: stop\n";
    env.write("project/hooks/tests/cases/02-passes.yaml", passes);
    for name in ["aam", "amplifier"] {
        let link = env.path("bin").join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_anyhook"), &link).unwrap();
        for args in [
            &["test", "--hooks"][..],
            &["test", "--hooks", "--case", "01-denies"],
            &["test", "--hooks", "--event", "pre-tool-use"],
        ] {
            let left = finish(start(env.other(&link, args), b""));
            assert_eq!(left.code, 0, "{name} {args:?}: {left:?}");
        }
    }
}

/// The blocks of a page: each `sh`, and the `text` behind it.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut into: Option<bool> = None;
    for line in page.lines() {
        match (line, into) {
            ("```sh", None) => {
                blocks.push(Default::default());
                into = Some(true);
            }
            ("```text", None) => into = Some(false),
            ("```", _) => into = None,
            (line, Some(is_script)) => {
                let (script, text) = blocks.last_mut().unwrap();
                let block = if is_script { script } else { text };
                block.push_str(line);
                block.push('\n');
            }
            (_, None) => {}
        }
    }
    blocks
}

#[test]
fn every_line_of_the_guide_does_what_the_guide_says() {
    let env = TestEnv::new();
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
    let blocks = blocks(&std::fs::read_to_string(page).unwrap());
    assert!(blocks.len() > 12, "{}", blocks.len());
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_anyhook"));
    let program = program.parent().unwrap();
    let mut script = String::from("set -e\n");
    for (at, (lines, _)) in blocks.iter().enumerate() {
        script.push_str(&format!("echo '--- {at}'\n{lines}\n"));
    }
    let mut shell = env.other("sh", &["-c", &script]);
    shell.env("PATH", format!("{}:/usr/bin:/bin", program.display()));
    let left = finish(start(shell, b""));
    assert_eq!(left.code, 0, "{left:?}");
    let stdout = left.stdout;
    let printed: Vec<&str> = stdout.split("--- ").skip(1).collect();
    assert_eq!(printed.len(), blocks.len());
    for ((_, wanted), printed) in blocks.iter().zip(printed) {
        for line in wanted.lines() {
            assert!(printed.contains(line), "`{line}` is not in:\n{printed}");
        }
    }
}

#[test]
fn every_example_passes_its_own_tests() {
    let examples = std::fs::read_dir(repository().join("examples")).unwrap();
    let examples: Vec<String> = examples
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .collect();
    let mut args = vec!["test"];
    args.extend(examples.iter().map(String::as_str));
    let left = TestEnv::new().run(&args, b"");
    assert_eq!((left.code, args.len()), (0, 4), "{left:?}");
}
