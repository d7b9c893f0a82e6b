use std::path::Path;

use serde_json::{Value, json};

use super::*;

/// A file in another format, and what is lost on the way.
fn shown(converted: Result<Conversion, Vec<Finding>>) -> String {
    let converted = match converted {
        Ok(converted) => converted,
        Err(findings) => return format!("{findings:#?}"),
    };
    let mut all = converted.text;
    for ConversionLoss { at, what } in converted.lost {
        all.push_str(&format!("{}:{} {what}\n", at.line, at.column));
    }
    all
}

#[test]
fn what_becomes_of_a_universal_file_in_the_format_of_every_host_and_of_that_on_the_way_back() {
    let text = include_str!("tests/universal.json");
    for format in native_files::FORMATS {
        let native = to_native(text, format);
        let back = to_universal(&native.clone().unwrap().text, Syntax::Json, format);
        let both = format!("{}\nand back:\n{}", shown(native), shown(back));
        insta::assert_snapshot!(format.host, both);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the corpus is files")]
fn what_becomes_of_a_host_s_file_in_the_universal_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/native_files/tests/files");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        let from = NativeFormat::of_host(name.split('.').next().unwrap()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let said = shown(to_universal(&text, Syntax::of(&file), from));
        insta::assert_snapshot!(format!("from_{name}"), said);
    }
}

#[test]
fn a_matcher_means_the_same_in_every_format_and_comes_back() {
    use native_files::MatcherSyntax;

    use matchers::{UNIVERSAL, read, write};
    let of_hosts = native_files::FORMATS.iter().map(|format| format.matching);
    let with_matchers = of_hosts.filter(|matching| *matching != MatcherSyntax::Nothing);
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
        for native in with_matchers.clone() {
            for (from, to) in [(UNIVERSAL, native), (native, UNIVERSAL)] {
                let meaning = read(from, Some(text));
                let said = write(to, &meaning).unwrap();
                let again = write(from, &read(to, Some(&said))).unwrap();
                assert_eq!(
                    read(from, Some(&again)),
                    meaning,
                    "{text}: {from:?} {said} {to:?}"
                );
            }
        }
    }
    for all in [None, Some(""), Some("*")] {
        assert_eq!(write(UNIVERSAL, &read(UNIVERSAL, all)), None);
    }
}

/// A file with one hook.
fn file(line: &str, event: &str) -> String {
    let hook = json!({"type": "command", "command": line, "timeout": 9});
    json!({"version": 1, "hooks": {event: [{"hooks": [hook]}]}}).to_string()
}

/// The command lines of a file in another format, and what is lost.
fn lines(converted: Result<Conversion, Vec<Finding>>) -> (Vec<String>, Vec<String>) {
    let Conversion { text, lost, .. } = converted.unwrap();
    let mut found = Vec::new();
    commands_of(&serde_json::from_str(&text).unwrap(), &mut found);
    (found, lost.into_iter().map(|lost| lost.what).collect())
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
    let rows = include_str!("tests/variables.txt").lines();
    for row in rows.filter(|row| !row.starts_with("# ")) {
        let [line, to, said, losses] = row.split(" ⇒ ").collect::<Vec<_>>().try_into().unwrap();
        let to = NativeFormat::of_host(to).unwrap();
        let (lines, lost) = lines(to_native(&file(line, "session-start"), to));
        assert_eq!(
            (&*lines.join("\n"), &*lost.join("; ")),
            (said, losses),
            "{row}"
        );
    }
}

/// Runs a line as a host does, with its variables and no other, and says what it printed and how it ended.
#[expect(clippy::disallowed_types, reason = "a real shell is asked")]
fn run(line: &str, host: &str) -> (String, Option<i32>) {
    use crate::native_files::{NativeFormat, VariableContent};
    let value = |variable: &VariableContent| match variable {
        VariableContent::Project => "/pro ject".to_owned(),
        VariableContent::Package => "/pack age".to_owned(),
        VariableContent::Cwd => "/pro ject/sub".to_owned(),
        VariableContent::Session => "s1".to_owned(),
        VariableContent::Text(text) => (*text).to_owned(),
    };
    let universal = [
        ("PACKAGE_ROOT", VariableContent::Package),
        ("PROJECT_DIR", VariableContent::Project),
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
        "printf '%s\\n' \"$PROJECT_DIR/a.sh\" \"${PROJECT_DIR}\"",
        "printf '%s\\n' \"${PACKAGE_ROOT}/a b.js\"",
        "printf '%s\\n' \"${PROJECT_DIR:-none}\"",
        "sh -c 'printf \"%s\\n\" \"${#PROJECT_DIR}\"'",
        "case \"$PROJECT_DIR\" in /pro*) exit 3;; esac; exit 4",
        "printf '%s\\n' \"$(printenv PROJECT_DIR)\"",
        "echo $HOME \"${UNSET}\"",
    ];
    let mut ran = 0;
    for command in commands {
        for format in native_files::FORMATS {
            let to = format.host;
            let (there, lost) = lines(to_native(&file(command, "session-start"), format));
            let (Some(said), true) = (there.first(), lost.is_empty()) else {
                continue;
            };
            let expected = run(command, "universal");
            assert_eq!(run(said, to), expected, "{to}: {said}");
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
        let Conversion { text, lost, .. } = to_native(&seeds_file().to_string(), format).unwrap();
        let said: Value = serde_json::from_str(&text).unwrap();
        assert!(!holds_an_empty_list(&said), "{}: {said:#}", format.host);
        let names = text
            .split("${")
            .skip(1)
            .filter_map(|rest| rest.split_once('}'));
        for (name, _) in names {
            let is_set = format.variables.iter().any(|(known, _)| *known == name);
            let is_told = lost
                .iter()
                .any(|lost| lost.what.contains(&format!("`{name}`")));
            assert!(is_set || is_told, "{}: `{name}` of {lost:?}", format.host);
            // A plugin's folder is set for a plugin's hooks only.
            let is_plugins = format.variables.iter().any(|(known, holds)| {
                *known == name && *holds == native_files::VariableContent::Package
            });
            assert!(is_told || !is_plugins || format.files.iter().all(|file| file.contains("/*/")));
        }
    }
}

#[test]
fn a_matcher_says_all_that_its_host_means_by_it_or_its_hooks_are_left_out() {
    let said = |host: &str, event: &str, matcher: &str| {
        let hook = json!({"type": "command", "command": "a", "matcher": matcher});
        let group = json!({"matcher": matcher, "hooks": [{"type": "command", "command": "a"}]});
        let element = if host == "cursor" { hook } else { group };
        let text = json!({"version": 1, "hooks": {event: [element]}}).to_string();
        let format = NativeFormat::of_host(host).unwrap();
        let converted = to_universal(&text, Syntax::Json, format).unwrap();
        let file: Value = serde_json::from_str(&converted.text).unwrap();
        let said = &file["hooks"]["pre-tool-use"][0]["matcher"];
        said.as_str().map(str::to_owned)
    };
    let write = said("cursor", "preToolUse", "Write").unwrap();
    assert_eq!(write, "(?:Write)|^(?:Edit|NotebookEdit)$");
    assert_eq!(
        said("codex-cli", "PreToolUse", "Edit").as_deref(),
        Some("Edit|Write|Delete")
    );
    assert_eq!(
        said("claude-code", "PreToolUse", "Bash").as_deref(),
        Some("Bash")
    );
    // A universal pattern does not look around.
    assert_eq!(said("claude-code", "PreToolUse", "^(?!Bash$)"), None);
}

#[test]
fn a_tool_that_has_several_names_stands_in_a_matcher_once() {
    let claude = native_files::claude_code();
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Edit|MultiEdit|Write", "hooks": [
        {"type": "command", "command": "true"}]}]}}"#;
    let universal = to_universal(text, Syntax::Json, claude).unwrap().text;
    assert!(universal.contains(r#""Edit|Write""#), "{universal}");
    let gemini = NativeFormat::of_host("gemini-cli").unwrap();
    let native = to_native(&universal.replace("Edit|Write", "Edit|MultiEdit"), gemini);
    let native = native.unwrap().text;
    assert!(native.contains(r#""^(?:replace)$""#), "{native}");
}
