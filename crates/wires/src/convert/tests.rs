use serde_json::{Value, json};

use super::*;

fn claude() -> Format {
    Format::named("claude-code").unwrap()
}

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

#[test]
fn a_file_comes_back_as_it_was_where_both_formats_can_say_it() {
    let file = json!({"hooks": {
        "PreToolUse": [
            {"matcher": "Write|Edit", "hooks": [
                {"type": "command", "command": "./check.sh", "timeout": 5},
                {"type": "command", "command": "./slow.sh", "onFailure": "block"},
                {"type": "prompt", "prompt": "Is it safe?", "timeout": 1.5},
            ]},
            {"matcher": "mcp__.*__write", "hooks": [{"type": "command", "command": "x", "args": ["a", "b"]}]},
            {"hooks": [{"type": "command", "command": "all"}]},
        ],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "bye"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "done"}]}],
    }});
    let (universal, lost) = converted(&file, claude(), Format::Universal);
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert_eq!(universal["version"], 1);
    assert_eq!(
        universal["hooks"]["session-end"][0]["hooks"][0]["timeout"],
        1.5
    );
    assert_eq!(
        universal["hooks"]["pre-tool-use"][0]["hooks"][1]["on-failure"],
        "deny"
    );
    let (back, lost) = converted(&universal, Format::Universal, claude());
    assert_eq!(back, file);
    assert_eq!(lost.len(), 1, "{lost:?}");
}

#[test]
fn a_universal_file_comes_back_as_it_was_too() {
    let file = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}],
        "stop": [{"hooks": [{"type": "command", "command": "./done.sh", "timeout": 7}]}],
    }});
    let (native, lost) = converted(&file, Format::Universal, claude());
    assert_eq!(lost, []);
    assert_eq!(native["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"], 30);
    let (back, lost) = converted(&native, claude(), Format::Universal);
    assert_eq!((back, lost), (file, vec![]));
}

#[test]
fn what_the_other_format_cannot_say_is_told_with_its_line() {
    let text = r#"{"version": 1, "hooks": {
  "pre-tool-use": [
    {"priority": 5, "name": "group",
     "hooks": [{"type": "command", "command": "x", "guard": true, "once": true, "env": {"A": "b"}, "on-failure": "halt"}]}
  ],
  "my:own": [{"hooks": [{"type": "command", "command": "y"}]}]
}}"#;
    let converted = convert(text, Syntax::Json, Format::Universal, claude()).unwrap();
    let lost: Vec<(u32, &str)> = converted
        .lost
        .iter()
        .map(|lost| (lost.at.line, lost.what.as_str()))
        .collect();
    assert_eq!(
        lost,
        [
            (3, "`priority` has no place in a file of `claude-code`"),
            (3, "a group has no name there"),
            (4, "`env` has no place in a file of `claude-code`"),
            (4, "a failure that halts refuses at most there"),
            (4, "`guard` has no place in a file of `claude-code`"),
            (4, "`once` has no place in a file of `claude-code`"),
            (
                6,
                "`claude-code` has no event `my:own`: its hooks are left out"
            ),
        ]
    );
    let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [\n{\"command\": \"x\", \"statusMessage\": \"wait\"}]}]}}";
    let converted = convert(text, Syntax::Json, claude(), Format::Universal).unwrap();
    assert_eq!(converted.lost.len(), 1);
    assert_eq!(
        (converted.lost[0].at.line, converted.lost[0].at.column),
        (2, 18)
    );
    assert!(converted.lost[0].what.contains("`statusMessage`"));
}

#[test]
fn a_file_with_an_error_is_not_converted() {
    let broken = convert("{", Syntax::Json, claude(), Format::Universal).unwrap_err();
    assert_eq!(broken.len(), 1);
    let text = r#"{"hooks": {"Stop": "x"}}"#;
    assert!(convert(text, Syntax::Json, claude(), Format::Universal).is_err());
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

#[test]
fn what_goes_on_in_the_background_stays_there_and_what_is_off_is_left_out() {
    let file = json!({"version": 1, "disable": ["old"], "hooks": {"post-tool-use": [{"hooks": [
        {"type": "command", "command": "./index.sh", "async": true},
        {"type": "command", "command": "./old.sh", "enabled": false},
        {"type": "command", "command": "a | b", "shell": "bash", "windows": {"command": "a.exe"}},
    ]}]}});
    let (native, lost) = converted(&file, Format::Universal, claude());
    let hooks = &native["hooks"]["PostToolUse"][0]["hooks"];
    assert_eq!(hooks[0]["async"], true);
    assert_eq!(hooks.as_array().map(Vec::len), Some(2), "{native}");
    let lost: Vec<&str> = lost.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(
        lost,
        [
            "`disable` has no place in a file of `claude-code`",
            "a hook that is switched off is left out",
            "`shell` has no place in a file of `claude-code`",
            "`windows` has no place in a file of `claude-code`",
        ]
    );
    let (universal, lost) = converted(&native, claude(), Format::Universal);
    assert_eq!(lost, []);
    assert_eq!(
        universal["hooks"]["post-tool-use"][0]["hooks"][0]["async"],
        true
    );
}

#[test]
fn a_hook_of_an_agent_without_matchers_stands_on_each_of_its_events_that_a_matcher_selects() {
    let universal = r#"{"version": 1, "hooks": {"pre-tool-use": [
        {"matcher": "Write|Bash", "hooks": [{"type": "command", "command": "./a.sh", "cwd": "sub"}]},
        {"hooks": [{"type": "command", "command": "./b.sh"}]},
        {"matcher": "mcp__git__.*", "hooks": [{"type": "command", "command": "./c.sh"}]}
    ]}}"#;
    let windsurf = Format::named("windsurf").unwrap();
    let converted = convert(universal, Syntax::Json, Format::Universal, windsurf).unwrap();
    let said: serde_json::Value = serde_json::from_str(&converted.text).unwrap();
    let commands = |event: &str| {
        let hooks = said["hooks"][event].as_array().unwrap().iter();
        hooks
            .map(|hook| hook["command"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(commands("pre_run_command"), ["./a.sh", "./b.sh"]);
    assert_eq!(commands("pre_write_code"), ["./a.sh", "./b.sh"]);
    assert_eq!(commands("pre_read_code"), ["./b.sh"]);
    assert_eq!(commands("pre_mcp_tool_use"), ["./b.sh", "./c.sh"]);
    assert_eq!(
        said["hooks"]["pre_run_command"][0]["working_directory"],
        "sub"
    );
    let lines: Vec<u32> = converted.lost.iter().map(|lost| lost.at.line).collect();
    // That of each group without matchers there, and that of each hook, whose refusal is not heard.
    assert_eq!(lines, [2, 2, 3, 4, 4], "{:?}", converted.lost);
    // And back: the event says which tools it is about.
    let back = convert(&converted.text, Syntax::Json, windsurf, Format::Universal).unwrap();
    let said: serde_json::Value = serde_json::from_str(&back.text).unwrap();
    assert_eq!(said["hooks"]["pre-tool-use"][0]["matcher"], "Bash");
}

#[test]
fn a_hook_that_says_itself_when_it_runs_is_written_and_comes_back() {
    let universal = r#"{"version": 1, "hooks": {"pre-tool-use": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "./a.sh", "name": "guard", "timeout": 5, "on-failure": "deny"}]}
    ], "stop": [{"hooks": [{"type": "command", "command": "./b.sh", "timeout": 60}]}]}}"#;
    let kiro = Format::named("kiro").unwrap();
    let converted = convert(universal, Syntax::Json, Format::Universal, kiro).unwrap();
    let lost: Vec<&str> = converted.lost.iter().map(|lost| &*lost.what).collect();
    assert_eq!(lost, [deaf("kiro", "universal")]);
    let said: serde_json::Value = serde_json::from_str(&converted.text).unwrap();
    assert_eq!(
        said,
        serde_json::json!({"version": "v1", "hooks": [
            {"name": "guard", "trigger": "PreToolUse", "timeout": 5, "matcher": "^(execute_bash)$",
             "action": {"type": "command", "command": "./a.sh"}},
            {"name": "Stop 1", "trigger": "Stop", "action": {"type": "command", "command": "./b.sh"}},
        ]})
    );
    let back = convert(&converted.text, Syntax::Json, kiro, Format::Universal).unwrap();
    let said: serde_json::Value = serde_json::from_str(&back.text).unwrap();
    assert_eq!(said["hooks"]["pre-tool-use"][0]["matcher"], "Bash");
    assert_eq!(
        said["hooks"]["pre-tool-use"][0]["hooks"][0]["on-failure"],
        "deny"
    );
}

#[test]
fn an_event_about_one_tool_is_a_matcher_elsewhere_and_what_its_own_looked_at_is_lost() {
    let cursor = r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "./a.sh", "matcher": "push"}]}}"#;
    let from = Format::named("cursor").unwrap();
    let converted = convert(cursor, Syntax::Json, from, Format::Universal).unwrap();
    let said: serde_json::Value = serde_json::from_str(&converted.text).unwrap();
    assert_eq!(said["hooks"]["pre-tool-use"][0]["matcher"], "Bash");
    let lost: Vec<&str> = converted.lost.iter().map(|lost| &*lost.what).collect();
    let [matcher, answer] = lost[..] else {
        panic!("{lost:?}")
    };
    assert!(matcher.contains("its matcher looks at something else"));
    assert_eq!(answer, deaf("universal", "cursor"));
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

#[test]
fn what_the_seeds_own_file_loses_on_the_way_to_the_hosts_of_its_table_is_a_list() {
    let mut told = String::new();
    for host in ["claude-code", "cursor", "copilot-cli"] {
        let format = Format::named(host).unwrap();
        let (said, lost) = converted(&seeds_file(), Format::Universal, format);
        told.push_str(&format!("{host}\n{said:#}\n"));
        for (line, what) in lost {
            told.push_str(&format!("{line}: {what}\n"));
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_group_of_which_no_hook_is_left_is_left_out_with_its_event() {
    let file = json!({"version": 1, "hooks": {
        "pre-tool-use": [
            {"matcher": "Bash", "hooks": [{"type": "rule", "then": {"deny": "no"}}]},
            {"matcher": "Edit", "hooks": [{"type": "command", "command": "./check.sh"}]},
        ],
        "stop": [{"hooks": [{"type": "command", "command": "./off.sh", "enabled": false}]}],
    }});
    let (said, lost) = converted(&file, Format::Universal, claude());
    assert_eq!(
        said["hooks"],
        json!({"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 30}]}]})
    );
    assert_eq!(lost.len(), 2, "{lost:?}");
}
