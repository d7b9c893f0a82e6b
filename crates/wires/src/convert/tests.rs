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
    assert_eq!(lines, [2, 4], "{:?}", converted.lost);
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
    assert_eq!(converted.lost, []);
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
    assert_eq!(converted.lost.len(), 1);
    assert!(
        converted.lost[0]
            .what
            .contains("its matcher looks at something else")
    );
}
