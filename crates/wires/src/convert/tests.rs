use std::path::Path;

use serde_json::{Value, json};

use super::*;

fn converted(value: &Value, from: Format, to: Format) -> (Value, Vec<(u32, String)>) {
    let text = serde_json::to_string_pretty(value).unwrap();
    let converted = convert(&text, Syntax::Json, from, to).unwrap();
    let lost = converted
        .lost
        .into_iter()
        .map(|lost| (lost.at.line, lost.what));
    (
        serde_json::from_str(&converted.text).unwrap(),
        lost.collect(),
    )
}

/// A file in another format, and what is lost on the way.
fn shown(text: &str, syntax: Syntax, from: Format, to: Format) -> String {
    let converted = match convert(text, syntax, from, to) {
        Ok(converted) => converted,
        Err(findings) => return format!("{findings:#?}"),
    };
    let mut all = converted.text;
    for Lost { at, what } in converted.lost {
        all.push_str(&format!("{}:{} {what}\n", at.line, at.column));
    }
    all
}

#[test]
fn what_becomes_of_a_universal_file_in_the_format_of_every_host_and_of_that_on_the_way_back() {
    let text = include_str!("tests/universal.json");
    for format in native_files::FORMATS {
        let to = Format::Native(format);
        let there = shown(text, Syntax::Json, Format::Universal, to);
        let native = convert(text, Syntax::Json, Format::Universal, to).unwrap();
        let back = shown(&native.text, Syntax::Json, to, Format::Universal);
        insta::assert_snapshot!(format.host, format!("{there}\nand back:\n{back}"));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the corpus is files")]
fn what_becomes_of_a_host_s_file_in_the_universal_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/native_files/tests/files");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        let from = Format::named(name.split('.').next().unwrap()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let said = shown(&text, Syntax::of(&file), from, Format::Universal);
        insta::assert_snapshot!(format!("from_{name}"), said);
    }
}

#[test]
fn a_matcher_means_the_same_in_every_format_and_comes_back() {
    use matchers::{read, write};
    let formats: Vec<Format> = std::iter::once(Format::Universal)
        .chain(
            crate::native_files::FORMATS
                .iter()
                .copied()
                .filter(|format| format.matching != crate::native_files::Matching::Nothing)
                .map(Format::Native),
        )
        .collect();
    for text in [
        "Write|Edit",
        "Bash",
        "^mcp__",
        "mcp__.*",
        "a-b",
        "(?:Shell)",
        "^(?:a|b.*)$",
        "(?:a)|(?:b)",
    ] {
        for from in &formats {
            let meaning = read(*from, Some(text));
            for to in &formats {
                let said = write(*to, &meaning).unwrap();
                let back = read(*to, Some(&said));
                let again = write(*from, &back).unwrap();
                let read_again = read(*from, Some(&again));
                let (from, to) = (from.name(), to.name());
                assert_eq!(read_again, meaning, "{text}: {from} {said} {to}");
            }
        }
    }
    for all in [None, Some(""), Some("*")] {
        assert_eq!(write(formats[0], &read(formats[0], all)), None);
    }
}

/// The command lines of a file in another format, and what is lost.
fn lines(line: &str, event: &str, from: &str, to: &str) -> (Vec<String>, Vec<String>) {
    let (from, to) = (Format::named(from).unwrap(), Format::named(to).unwrap());
    let key = match from {
        Format::Native(format) => format.commands[0].0,
        Format::Universal => "command",
    };
    let file = json!({"version": 1, "hooks": {event: [{"hooks": [{"type": "command", key: line, "timeout": 9}]}]}});
    let (said, lost) = converted(&file, from, to);
    let mut found = Vec::new();
    commands_of(&said, &mut found);
    (found, lost.into_iter().map(|(_, what)| what).collect())
}

fn commands_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value.as_str() {
                    Some(text) if key == "command" || key == "bash" => found.push(text.to_owned()),
                    _ => commands_of(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| commands_of(value, found)),
        _ => {}
    }
}

#[test]
fn a_variable_becomes_the_one_that_holds_the_same_there_or_is_a_named_loss() {
    let lost = |to: &str, name: &str| vec![format!("`{to}` sets no variable like `{name}`")];
    for (line, to, said, losses) in [
        ("node \"${CLAUDE_PLUGIN_ROOT}/a.js\"", "universal", "node \"${PACKAGE_ROOT}/a.js\"", vec![]),
        ("sh \"$CLAUDE_PROJECT_DIR/a.sh\"", "universal", "sh \"$PROJECT_DIR/a.sh\"", vec![]),
        ("sh \"$CLAUDE_PROJECT_DIR/a.sh\"", "factory-droid", "sh \"$FACTORY_PROJECT_DIR/a.sh\"", vec![]),
        ("sh \"$CLAUDE_PROJECT_DIR/a.sh\"", "qwen-code", "sh \"$QWEN_PROJECT_DIR/a.sh\"", vec![]),
        ("sh \"$CLAUDE_PROJECT_DIR/a.sh\"", "gemini-cli", "sh \"$CLAUDE_PROJECT_DIR/a.sh\"", vec![]),
        ("log $CLAUDE_CODE_SESSION_ID", "gemini-cli", "log $GEMINI_SESSION_ID", vec![]),
        ("python3 -c 'print(e[\"CLAUDE_PROJECT_DIR\"])'", "qwen-code", "python3 -c 'print(e[\"QWEN_PROJECT_DIR\"])'", vec![]),
        ("node \"${CLAUDE_PLUGIN_ROOT}/a.js\"", "gemini-cli", "node \"${CLAUDE_PLUGIN_ROOT}/a.js\"", lost("gemini-cli", "CLAUDE_PLUGIN_ROOT")),
        ("cat \"${CLAUDE_PLUGIN_DATA}/x\"", "universal", "cat \"${CLAUDE_PLUGIN_DATA}/x\"", lost("universal", "CLAUDE_PLUGIN_DATA")),
        ("cat $CLAUDE_ENV_FILE", "qwen-code", "cat $CLAUDE_ENV_FILE", lost("qwen-code", "CLAUDE_ENV_FILE")),
        ("[ -n \"$CLAUDECODE\" ] && x", "universal", "[ -n \"$CLAUDECODE\" ] && x", lost("universal", "CLAUDECODE")),
        ("CLAUDE_X=1; y \"$CLAUDE_X\" \"$HOME\" CLAUDE_PROJECT_DIR", "qwen-code", "CLAUDE_X=1; y \"$CLAUDE_X\" \"$HOME\" QWEN_PROJECT_DIR", vec![]),
        ("node \"${CLAUDE_PLUGIN_ROOT}/a.js\"", "codex-cli", "node \"${PLUGIN_ROOT}/a.js\"",
            vec!["`CLAUDE_PLUGIN_ROOT` becomes `PLUGIN_ROOT`, which `codex-cli` sets for its plugins only".to_owned()]),
    ] {
        assert_eq!(lines(line, "SessionStart", "claude-code", to), (vec![said.to_owned()], losses), "{line}: {to}");
    }
    // A line of plain words is split by nothing here, and by a shell there.
    let (said, lost) = lines(
        "sh ${PROJECT_DIR}/a.sh '${x}' \"${PROJECT_DIR}\" ${file}",
        "session-start",
        "universal",
        "claude-code",
    );
    let quoted = "sh \"${CLAUDE_PROJECT_DIR}\"/a.sh '${x}' \"${CLAUDE_PROJECT_DIR}\" \"${file}\"";
    assert_eq!(
        (said, lost),
        (
            vec![quoted.to_owned()],
            vec!["`claude-code` sets no variable like `file`".to_owned()]
        )
    );
}

/// What is said about a hook whose refusal is not heard.
fn deaf(to: &str, from: &str) -> String {
    format!(
        "`{to}` hears no refusal in the words of `{from}`; `anyhook install --host {to}` runs the hook there as it is"
    )
}

#[test]
fn a_refusal_that_the_other_host_would_not_hear_is_a_loss() {
    let is_lost = |event: &str, to: &str| {
        let (_, lost) = lines("./guard.sh", event, "claude-code", to);
        lost.contains(&deaf(to, "claude-code"))
    };
    for to in ["windsurf", "cursor", "gemini-cli", "kiro"] {
        assert!(is_lost("PreToolUse", to), "{to}");
    }
    for to in ["codex-cli", "qwen-code", "universal"] {
        assert!(!is_lost("PreToolUse", to), "{to}");
    }
    assert!(!is_lost("SessionEnd", "cursor"));
    // What an exit code says most hosts hear.
    let line = "grep -q rm && { echo no >&2; exit 2; }";
    for to in ["cursor", "gemini-cli", "windsurf"] {
        let (_, lost) = lines(line, "PreToolUse", "claude-code", to);
        assert!(!lost.contains(&deaf(to, "claude-code")), "{to}");
    }
}

/// Runs a line as a host does, with its variables and no other, and says what it printed and how it ended.
#[expect(clippy::disallowed_types, reason = "a real shell is asked")]
fn run(line: &str, host: &str) -> (String, Option<i32>) {
    use crate::native_files::{NativeFormat, Variable};
    let value = |variable: &Variable| match variable {
        Variable::Project => "/pro ject".to_owned(),
        Variable::Package => "/pack age".to_owned(),
        Variable::Cwd => "/pro ject/sub".to_owned(),
        Variable::Session => "s1".to_owned(),
        Variable::Text(text) => (*text).to_owned(),
    };
    let universal = [
        ("PACKAGE_ROOT", Variable::Package),
        ("PROJECT_DIR", Variable::Project),
    ];
    let variables = NativeFormat::of_host(host).map_or(&universal[..], |format| format.variables);
    let variables = variables
        .iter()
        .map(|(name, variable)| (*name, value(variable)));
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", line])
        .env_clear()
        .envs(variables)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    (said, output.status.code())
}

#[test]
fn what_is_converted_without_a_loss_does_the_same_with_the_variables_of_the_other_host_alone() {
    let commands = [
        "printf '%s\\n' \"$CLAUDE_PROJECT_DIR/a.sh\" \"${CLAUDE_PROJECT_DIR}\"",
        "printf '%s\\n' \"${CLAUDE_PLUGIN_ROOT}/a b.js\"",
        "printf '%s\\n' \"${CLAUDE_PROJECT_DIR:-none}\"",
        "printf '%s\\n' \"${CLAUDE_PLUGIN_DATA}/x\" \"$CLAUDECODE\"",
        "sh -c 'printf \"%s\\n\" \"$CLAUDE_CODE_SESSION_ID\" \"${#CLAUDE_PROJECT_DIR}\"'",
        "case \"$CLAUDE_PROJECT_DIR\" in /pro*) exit 3;; esac; exit 4",
        "printf '%s\\n' \"$(printenv CLAUDE_PROJECT_DIR)\"",
        "echo $HOME \"${UNSET}\"",
    ];
    let hosts = crate::native_files::FORMATS
        .iter()
        .map(|format| format.host);
    let hosts: Vec<&str> = hosts.chain(["universal"]).collect();
    let mut ran = 0;
    for command in commands {
        for to in hosts.iter().filter(|to| **to != "claude-code") {
            let (said, lost) = lines(command, "SessionStart", "claude-code", to);
            let (Some(said), true) = (said.first(), lost.is_empty()) else {
                continue;
            };
            assert_eq!(run(said, to), run(command, "claude-code"), "{to}: {said}");
            ran += 1;
        }
    }
    assert!(ran >= 20, "{ran}");
}

/// The file of seed 004.
fn seeds_file() -> Value {
    let command = |line: &str| json!({"type": "command", "command": line});
    json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Write|Edit", "hooks": [
            {"type": "command", "command": "bash ${PACKAGE_ROOT}/hooks/scripts/validate.sh", "timeout": 30},
        ]}],
        "post-tool-use": [{"matcher": "Write|Edit", "hooks": [command("npx prettier --write ${file}")]}],
        "stop": [{"hooks": [
            {"type": "prompt", "prompt": "Check if all tasks are complete. Context: $ARGUMENTS", "timeout": 30},
        ]}],
        "session-start": [{"hooks": [command("bash ${PACKAGE_ROOT}/hooks/scripts/setup.sh")]}],
    }})
}

fn holds_an_empty_list(value: &Value) -> bool {
    match value {
        Value::Array(all) => all.is_empty() || all.iter().any(holds_an_empty_list),
        Value::Object(all) => all.values().any(holds_an_empty_list),
        _ => false,
    }
}

#[test]
fn every_variable_of_the_seeds_own_file_is_one_that_the_other_host_sets_or_a_named_loss() {
    for format in native_files::FORMATS {
        let (said, lost) = converted(&seeds_file(), Format::Universal, Format::Native(format));
        assert!(!holds_an_empty_list(&said), "{}: {said:#}", format.host);
        let text = said.to_string();
        let names = text
            .split("${")
            .skip(1)
            .filter_map(|rest| rest.split_once('}'));
        for (name, _) in names {
            let is_set = format.variables.iter().any(|(known, _)| *known == name);
            let is_told = lost
                .iter()
                .any(|(_, what)| what.contains(&format!("`{name}`")));
            assert!(is_set || is_told, "{}: `{name}` of {lost:?}", format.host);
            // A plugin's folder is set for a plugin's hooks only.
            let is_plugins = format
                .variables
                .iter()
                .any(|(known, holds)| *known == name && *holds == native_files::Variable::Package);
            assert!(is_told || !is_plugins || format.files.iter().all(|file| file.contains("/*/")));
        }
    }
}
