mod hosts;

use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::hook::{At, OnFault, Pace};
use anyhook_core::manifest::{Action, Entry, Group, Parsed, Severity};
use anyhook_core::matcher::{Hit, Matcher};
use serde_json::json;

use super::*;

fn claude(text: &str) -> Parsed {
    crate::hosts::claude_code::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap()
}

/// A tool without other names.
fn subject(name: &str) -> anyhook_core::matcher::Subject<'_> {
    anyhook_core::matcher::Subject {
        name,
        also: &[],
        canonical: None,
    }
}

/// Reads one group of `PreToolUse` with these fields.
fn group(fields: &str) -> (Group, Vec<String>) {
    let parsed = claude(&format!(r#"{{"hooks": {{"PreToolUse": [{{{fields}}}]}}}}"#));
    let said = parsed
        .findings
        .iter()
        .map(|finding| finding.message.clone());
    (parsed.manifest.groups[0].clone(), said.collect())
}

/// Reads one hook of `PreToolUse` with these fields.
fn hook(fields: &str) -> (Entry, Vec<String>) {
    let (group, said) = group(&format!(r#""hooks": [{{{fields}}}]"#));
    (group.entries[0].clone(), said)
}

#[test]
fn a_file_of_claude_code_becomes_groups_that_speak_its_words() {
    let parsed = claude(
        r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]}
    ],
    "Stop": [{"matcher": "ignored here", "hooks": [{"type": "command", "command": "done"}]}]
  }
}"#,
    );
    assert_eq!(parsed.findings, []);
    let [tool, stop] = &parsed.manifest.groups[..] else {
        panic!("{parsed:?}");
    };
    let speaks = tool.speaks.as_ref().unwrap();
    assert_eq!(
        (speaks.host, &*speaks.native),
        ("claude-code", "PreToolUse")
    );
    assert_eq!(
        (tool.event.as_str(), tool.matcher.as_str()),
        ("tool:pre", "Write|Edit")
    );
    let entry = &tool.entries[0];
    assert_eq!((entry.at.line, entry.at.column), (5, 43));
    assert_eq!(entry.timeout, Some(Duration::from_secs(5)));
    assert_eq!(entry.on_failure, Some(OnFault::Continue));
    assert_eq!((stop.event.as_str(), stop.matcher.is_all()), ("stop", true));
    assert_eq!(stop.entries[0].timeout, Some(Duration::from_mins(10)));
}

#[test]
fn an_event_may_have_a_default_time_of_its_own() {
    let parsed = claude(
        r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "x"}]}], "SessionEnd": [{"hooks": [{"command": "x"}]}]}}"#,
    );
    let times: Vec<_> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| group.entries[0].timeout.unwrap().as_millis())
        .collect();
    assert_eq!(times, [30_000, 1500]);
    let (entry, said) = hook(r#""command": "x", "timeout": "soon""#);
    assert_eq!(entry.timeout, Some(Duration::from_mins(10)));
    assert_eq!(
        said,
        ["the timeout cannot be read, so the hook has its host's default"]
    );
}

#[test]
fn a_hook_is_never_judged_softer_than_by_its_own_host() {
    let of = |fields: &str| hook(&format!(r#""command": "x"{fields}"#)).0.on_failure;
    assert_eq!(of(""), Some(OnFault::Continue));
    assert_eq!(of(r#", "onFailure": "continue""#), Some(OnFault::Continue));
    assert_eq!(of(r#", "onFailure": "block""#), Some(OnFault::Deny));
    // A word that the host does not know: the author meant something by it.
    assert_eq!(of(r#", "onFailure": "blok""#), Some(OnFault::Deny));
    assert_eq!(of(r#", "onFailure": 1"#), Some(OnFault::Deny));
}

#[test]
fn a_pattern_that_cannot_be_read_here_selects_every_tool_and_says_so() {
    let (group, said) = group(r#""matcher": "^\\p{Lu}", "hooks": [{"command": "x"}]"#);
    assert!(group.matcher.is_all());
    assert_eq!(group.matcher_text.as_deref(), Some("^\\p{Lu}"));
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("asked about everything"), "{said:?}");
}

#[test]
fn a_pattern_may_look_ahead_as_in_javascript() {
    let (group, said) = group(r#""matcher": "^(?!Read)", "hooks": [{"command": "x"}]"#);
    assert_eq!(said, Vec::<String>::new());
    let hit = |name| group.matcher.selects(Some(&subject(name)));
    assert_eq!((hit("ReadMany"), hit("Bash")), (Hit::No, Hit::Name));
}

#[test]
fn a_permission_rule_is_judged_on_the_canonical_call_and_says_what_it_cannot_judge() {
    let judged = |rule: &str| {
        let (entry, said) = hook(&format!(r#""command": "x", "if": "{rule}""#));
        let only = entry.only.unwrap();
        assert_eq!(only.at, At::Subject);
        (
            only.matcher.as_str().to_owned(),
            entry.when.map(|when| when.text),
            said.len(),
        )
    };
    let when = |tool: &str, text: &str| (tool.to_owned(), Some(text.to_owned()), 0);
    let push = "!has(tool_input.command) || runs('git push')";
    assert_eq!(judged("Bash(git push *)"), when("Bash", push));
    assert_eq!(judged("Bash(git push:*)"), when("Bash", push));
    assert_eq!(judged("Bash(git push)"), when("Bash", push));
    let force = "!has(tool_input.command) || runs('git push', '--force', '-f')";
    assert_eq!(judged("Bash(git push --force -f *)"), when("Bash", force));
    let env = "!has(tool_input.file_path) || touches('.env', '**/.env/**')";
    assert_eq!(judged("Read(./.env)"), when("Read", env));
    let sources = "!has(tool_input.file_path) || touches('**/src/**', '**/src/**/**')";
    assert_eq!(judged("Edit(/src/**)"), when("Edit", sources));
    for every in ["Bash", "Bash(*)", "Bash()"] {
        assert_eq!(judged(every), ("Bash".to_owned(), None, 0), "{every}");
    }
    for (tool, rule) in [
        ("Bash", "Bash(git * main)"),
        ("Bash", "Bash(ls*)"),
        ("Bash", "Bash(git push --force main *)"),
        ("Bash", "Bash(echo 'a' *)"),
        ("Edit", "Edit(src/)"),
        ("WebFetch", "WebFetch(domain:example.com)"),
    ] {
        assert_eq!(judged(rule), (tool.to_owned(), None, 1), "{rule}");
    }
    let (_, said) = hook(r#""command": "x", "if": "Bash(git * main)""#);
    assert!(said[0].contains("every call of `Bash`"), "{said:?}");
    // What is no rule at all narrows nothing.
    let (entry, said) = hook(r#""command": "x", "if": "(((""#);
    assert_eq!(entry.only, None);
    assert!(said[0].contains("every call"), "{said:?}");
    // On an event without a tool the host never runs it.
    let stop = claude(r#"{"hooks": {"Stop": [{"hooks": [{"command": "x", "if": "Bash"}]}]}}"#);
    assert!(stop.manifest.groups.is_empty());
    assert_eq!(stop.findings.len(), 1);
}

#[test]
fn a_hook_for_the_lines_of_skills_is_left_to_claude_code() {
    let text = r#"{"hooks": {"PreSkillShellCommand": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    let parsed = crate::hosts::claude_code::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    assert!(parsed.manifest.groups.is_empty());
    let said: Vec<_> = parsed.findings.iter().map(|it| &*it.message).collect();
    assert_eq!(
        said,
        ["only `claude-code` itself runs hooks on `PreSkillShellCommand`"]
    );
}

#[test]
fn what_cannot_run_here_is_a_fault_of_its_entry_and_not_silence() {
    for (fields, said) in [
        (
            r#""type": "http", "url": "http://x""#,
            "`url` would send the event in clear text: write `https://`",
        ),
        (r#""type": "mcp_tool", "server": "s""#, "`tool` is missing"),
        (
            r#""type": "mcp_tool", "server": "s", "tool": "t", "input": []"#,
            "`input` must be an object, found a list",
        ),
        (
            r#""type": "agent", "prompt": "x""#,
            "a hook of type `agent` of `claude-code` cannot run here",
        ),
        (r#""type": "command""#, "`command` is missing"),
        (
            r#""type": "command", "command": "x", "shell": "powershell""#,
            "the shell `powershell` is not there on this system",
        ),
        (
            r#""command": "x\u0000y""#,
            "`command` holds a NUL character",
        ),
        (
            r#""command": "x", "args": "y""#,
            "`args` must be a list of strings, found a string",
        ),
        (r#""type": 7"#, "`type` must be a string, found a number"),
    ] {
        let (entry, findings) = hook(fields);
        assert_eq!(entry.action, Action::Broken(said.into()), "{fields}");
        assert_eq!(findings, [said], "{fields}");
    }
    let (entry, _) = hook(r#""type": "prompt", "prompt": "Is it safe?""#);
    assert!(matches!(entry.action, Action::Prompt(_)));
    let (entry, _) = hook(
        r#""type": "http", "url": "https://x", "headers": {"a": "$B"}, "allowedEnvVars": ["B"]"#,
    );
    assert!(matches!(entry.action, Action::Http(_)));
}

#[test]
fn a_hook_in_the_background_controls_nothing() {
    let pace = |fields: &str| hook(&format!(r#""command": "x", {fields}"#)).0.pace;
    assert_eq!(pace(r#""async": true"#), Pace::Background);
    assert_eq!(pace(r#""asyncRewake": true"#), Pace::Background);
    assert_eq!(pace(r#""async": false"#), Pace::Waited);
}

#[test]
fn every_list_of_hooks_counts_however_often_it_is_written() {
    let parsed = claude(
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}], "Stop": [{"hooks": [{"command": "b"}]}]},
            "hooks": {"Stop": [{"hooks": [{"command": "c"}]}, {"command": "d"}]}}"#,
    );
    let commands: Vec<_> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| match &group.entries[0].action {
            Action::Command(command) => (command.command.as_str(), group.index),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(commands, [("a", 0), ("b", 1), ("c", 2), ("d", 3)]);
}

#[test]
fn broken_parts_are_errors_of_their_own_and_keep_their_event() {
    let parsed =
        claude(r#"{"hooks": {"PreToolUse": {"x": 1}, "Stop": [{"hooks": "x"}, 3], "Sotp": []}}"#);
    let said: Vec<_> = parsed
        .findings
        .iter()
        .map(|finding| (finding.severity, finding.message.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                Severity::Error,
                "an event must hold a list, found an object"
            ),
            (
                Severity::Error,
                "`hooks` must be a list of hooks, found a string"
            ),
            (Severity::Error, "a hook must be an object, found a number"),
            (
                Severity::Warning,
                "`claude-code` has no event `Sotp`, and ignores it"
            ),
        ]
    );
    let events: Vec<_> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| &*group.event)
        .collect();
    assert_eq!(events, ["tool:pre", "stop", "stop"]);
}

#[test]
fn our_own_entry_is_no_hook_and_a_line_that_does_more_is_one() {
    for ours in [
        "anyhook run --host claude-code PreToolUse --deadline 600",
        "\"/opt/anyhook\" run --deadline 5 --host claude-code",
        "/usr/bin/anyhook run Stop --host claude-code",
    ] {
        assert!(is_ours(ours), "{ours}");
    }
    for theirs in [
        "",
        "anyhook",
        "anyhook list",
        "anyhook run",
        "./guard.sh; anyhook run --host x",
        "anyhook run --host x || exit 2",
        "not-anyhook run --host x",
        "echo anyhook run --host x",
    ] {
        assert!(!is_ours(theirs), "{theirs}");
    }
    let parsed = claude(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "anyhook run --host claude-code Stop"}]}]}}"#,
    );
    assert!(parsed.manifest.groups.is_empty());
    assert_eq!(parsed.findings, []);
}

#[test]
fn a_file_without_hooks_has_none_and_a_switch_turns_them_off() {
    assert!(claude(r#"{"permissions": {}}"#).manifest.groups.is_empty());
    let off = r#"{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}"#;
    assert!(claude(off).manifest.groups.is_empty());
    assert!(
        crate::hosts::claude_code::table::FORMAT
            .read("{", Syntax::Json)
            .is_err()
    );
    let list = claude("[]");
    assert!(list.has_errors() && list.manifest.groups.is_empty());
}

#[test]
fn a_plugin_is_known_by_what_its_text_says() {
    let text = |version: &str, event: &str, root: &str| {
        format!(
            r#"{{{version}"hooks": {{"{event}": [{{"hooks": [{{"command": "${{{root}}}/x"}}]}}]}}}}"#
        )
    };
    assert!(is_claude_plugin(&text(
        "",
        "PreToolUse",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text(
        r#""version": 1, "#,
        "PreToolUse",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text(
        "",
        "pre-tool-use",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text("", "PreToolUse", "PACKAGE_ROOT")));
}

#[test]
fn a_condition_beside_the_matcher_looks_where_it_says() {
    let only = |at: At, pattern: &str| anyhook_core::hook::Only {
        at,
        matcher: anyhook_core::matcher::Matcher::unanchored(pattern).unwrap(),
    };
    let selects = |condition: anyhook_core::hook::Only, input: serde_json::Value| {
        let mut hook = anyhook_core::hook::Hook::on("tool:pre", |_: &Event| {
            anyhook_core::result::HookResult::proceed()
        });
        hook.only = Some(Box::new(condition));
        let event = Event::new(
            "tool:pre",
            json!({"tool_name": "Bash", "tool_input": input}),
        );
        hook.selects(&event) != Hit::No
    };
    let command = At::Field(&["tool_input", "command"]);
    assert!(selects(
        only(command, "curl|wget"),
        json!({"command": "curl x"})
    ));
    assert!(!selects(
        only(command, "curl|wget"),
        json!({"command": "ls"})
    ));
    // Without the field there is nothing to leave the hook out by.
    assert!(selects(only(command, "curl|wget"), json!({})));
    assert!(selects(only(At::Subject, "Bash"), json!({})));
    assert!(!selects(only(At::Subject, "Write"), json!({})));
}

#[test]
#[cfg(unix)]
fn a_file_is_known_by_its_path_although_a_folder_or_the_file_has_a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let path = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
    let host = |file: &Path| NativeFormat::of_file(file).map(|(format, _)| format.host);
    let plugin = path(b"/p/.agents/plugins/\xff/hooks/hooks.json");
    let package = path(b"/p/.agents/plugins/\xff").to_path_buf();
    assert_eq!(NativeFormat::package_of(plugin), Some(package));
    assert_eq!(
        host(path(b"/p/.github/hooks/\xff.json")),
        Some("copilot-cli")
    );
    assert_eq!(host(path(b"/p/.github/hooks/.json")), None);
    assert_eq!(host(path(b"/p/.github/hooks/\xff")), None);
    // The folder above is no name of a plugin.
    assert_eq!(host(path(b"/p/.agents/plugins/../hooks/hooks.json")), None);
    assert_eq!(
        NativeFormat::package_of(Path::new(".claude/settings.json")),
        Some(".".into())
    );
    assert_eq!(
        host(path(b"/\xff/.claude//./settings.json")),
        Some("claude-code")
    );
}
